"""fastsvm's linear solvers by themselves, on one core; `benchmarks.all` has them against their peers.

python -m benchmarks.linear [--data NAME ...] [--folder DIR] [--sections NAME ...]
"""

import argparse
from pathlib import Path

from ..machine import described, pin

SECTIONS = ("indices", "epoch", "certify")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn")


def options():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.linear",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", nargs="+", metavar="NAME", help="data sets (default: all whose files are there)")
    add("--folder", type=Path, default=Path("../shared/data"), help="of the files (default: %(default)s)")
    add("--sections", nargs="+", default=SECTIONS, choices=SECTIONS, help="default: all")
    add("--alphas", nargs="+", metavar="ALPHA", help="default: 1e-4 1e-5 1/n")
    add("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    add("--rounds", type=int, default=5, help="default: 5")
    add("--limit", type=float, default=5, help="seconds a fit may take, about (default: 5)")
    add("--rows", type=int, help="rows of the generated data (default: 500,000)")
    return parser.parse_args()


def main():
    """Run the command line."""
    found = options()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from . import sections
    from .data import available

    print(described(PACKAGES, where))
    for section in found.sections:
        print(f"\n{section}")
        getattr(sections, section)(found, found.data or available(found.folder)[0])


if __name__ == "__main__":
    main()
