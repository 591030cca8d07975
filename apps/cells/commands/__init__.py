"""The commands of fastsvm-cells, one a file: options in, tables, JSON and pictures out.

What brings NumPy, OpenCV or Matplotlib is imported inside the commands: `--help` must not wait for it.
"""

from .adapt import adapt
from .classify import classify
from .crop import crop
from .evaluate import evaluate
from .explain import explain
from .review import review
from .train import train

COMMANDS = (classify, review, train, adapt, evaluate, explain, crop)
