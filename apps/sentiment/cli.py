"""The command line: the group of the commands in `commands`."""

import os

from ..common.app import app
from .commands import COMMANDS

HELP = """Train, evaluate and use text classifiers.

\b
Examples:
  fastsvm-sentiment sample > reviews.csv
  fastsvm-sentiment train reviews.csv
  fastsvm-sentiment predict reviews.safetensors new.txt
"""

# NumPy reads this when it is imported. The products here are too short for threads, which would busy-wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

main = app("fastsvm-sentiment", HELP, COMMANDS)
