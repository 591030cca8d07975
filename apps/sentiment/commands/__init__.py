"""The commands of fastsvm-sentiment, one a file: options in, tables or JSON out.

What brings scikit-learn or matplotlib is imported inside the commands: `--help` must not wait for it.
"""

from .describe import describe
from .evaluate import evaluate
from .explain import explain
from .export import export
from .predict import predict
from .serve import serve
from .suspects import suspects
from .train import train
from .words import words

COMMANDS = (train, evaluate, predict, serve, explain, words, export, suspects, describe)
