"""The command line: the group of the commands in `commands`."""

import os

from ..common.app import app
from .commands import COMMANDS

HELP = """Fit, certify and use classifiers of vectors, with the files and options of LIBLINEAR and LIBSVM.

Files are svmlight, CSV or NPZ, and may be gzipped; - is stdin.

\b
Examples:
  fastsvm fit a9a -c 0.1
  fastsvm predict a9a.safetensors a9a.t
"""

# NumPy reads this when it is imported. Matrix products are rare here, and threads take long to start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

main = app("fastsvm", HELP, COMMANDS)
