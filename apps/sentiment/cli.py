"""The command line: the group of the commands in `commands`."""

import os

from ..common.app import app
from .commands import COMMANDS

HELP = """Train, evaluate and use linear classifiers of texts.

\b
Examples:
  fastsvm-sentiment sample > reviews.csv
  fastsvm-sentiment train reviews.csv
  fastsvm-sentiment predict reviews.safetensors new.txt
"""

# Read as NumPy is loaded. Its products here are too short for threads, which wait busily for the next.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

main = app("fastsvm-sentiment", HELP, COMMANDS)
