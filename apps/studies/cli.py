"""The command line: the group of the commands in `commands`."""

from ..common.app import app
from .commands import COMMANDS

HELP = """Repeat the comparisons in five documents on linear and kernel classifiers, and judge their claims.

\b
Examples:
  fastsvm-studies digits -o digits
  fastsvm-studies all --quick -o studies
"""

main = app("fastsvm-studies", HELP, COMMANDS)
