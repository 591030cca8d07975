"""The command line: the group of the commands in `commands`."""

from ..common.app import app
from .commands import COMMANDS

HELP = """Train, evaluate and use linear classifiers of texts.

\b
Examples:
  fastsvm-sentiment train data/reviews.txt
  fastsvm-sentiment predict reviews.safetensors new.txt
"""

main = app("fastsvm-sentiment", HELP, COMMANDS)
