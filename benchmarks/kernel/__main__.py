"""Kernel machines against scikit-learn's SVC, LIBSVM and the document's programs.

    python -m benchmarks.kernel --data DIR [--output OUT] [--sections NAME ...] [--quick]

DIR has usps.npz, flame.csv, jain.csv and imdb_10k.tsv. Sections: `table`, digits, errors of five folds
and the time of each; `curve`, error against time at growing budgets, and the document's naive program
against its vectorised one; `grid`, the document's whole grid, ours alone, on all cores; `flat`, two sets
in the plane; `text`, sparse rows. All contenders work in one process, on one core, alternating.
"""

import argparse
from pathlib import Path

from ..machine import pin

SECTIONS = ("table", "curve", "grid", "flat", "text")


def options():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernel",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        default=Path("../shared/data"),
        metavar="DIR",
        help="of the files (default: %(default)s)",
    )
    add("--sections", nargs="+", default=SECTIONS, choices=SECTIONS, help="default: all")
    add("--contenders", nargs="+", metavar="NAME", help="only those whose names begin so")
    add("--quick", action="store_true", help="two folds, few splits, budgets and rounds")
    add("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    add("--output", type=Path, metavar="OUT", help="folder for the plot and for every figure")
    return parser.parse_args()


def main():
    """Run the command line."""
    found = options()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from .run import run

    run(found, where)


if __name__ == "__main__":
    main()
