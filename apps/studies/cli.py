"""The command line: the group of the commands in `commands`."""

from ..common.app import app
from .commands import COMMANDS

HELP = """Redo the comparisons of five documents on linear and kernel classifiers, and judge their claims.

\b
Examples:
  fastsvm-studies digits -o digits
  fastsvm-studies all --quick -o studies
"""

EXAMPLE = "FASTSVM_STUDIES_DIGITS_RUNS=20 stands for digits --runs 20"

main = app("fastsvm-studies", HELP, EXAMPLE, COMMANDS)
