"""Run a program of scikit-learn with fastsvm's classes: ``python -m fastsvm.drop_in script.py ...``."""

import runpy
import sys
from pathlib import Path

from .patching import patch

USAGE = "usage: python -m fastsvm.drop_in SCRIPT.py [ARGUMENT ...], or -m MODULE [ARGUMENT ...]"


def main():
    """Run the script or module that the command line names."""
    sys.argv = sys.argv[1:]
    as_module = sys.argv[:1] == ["-m"]
    sys.argv = sys.argv[as_module:]
    if not sys.argv or sys.argv[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        sys.exit(2)
    if not as_module and not Path(sys.argv[0]).is_file():
        sys.exit(f"fastsvm.drop_in: {sys.argv[0]}: no such file")
    patch()
    if as_module:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
