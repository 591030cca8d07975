"""The commands of fastsvm-sentiment, one a file: options in, tables or JSON out.

What brings scikit-learn or matplotlib is imported inside the commands: `--help` must not wait for it.
"""

from .evaluate import evaluate
from .explain import explain
from .export import export
from .inspect import inspect
from .predict import predict
from .serve import serve
from .train import train

COMMANDS = (train, predict, evaluate, explain, inspect, export, serve)
