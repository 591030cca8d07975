"""fastsvm against LIBLINEAR, scikit-learn and Snap ML: time to a given suboptimality, on one core.

    python -m benchmarks.linear [--data NAME ...] [--folder DIR] [--output DIR]

All contenders work in one process, alternating. From the coefficients that each returns, the same
objective is computed, in float64; how far it is from the optimum is told by a proven lower bound. A
peer's time to a target is that of its luckiest setting; fastsvm stops itself, on its certificate.
"""

import argparse
from pathlib import Path

from ..machine import pin

SECTIONS = ("peers", "classes", "path", "indices", "epoch", "certify")
LOSSES = ("hinge", "squared_hinge", "log")


def options():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.linear",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--data", nargs="+", metavar="NAME", help="data sets (default: all whose files are there)")
    add(
        "--folder",
        type=Path,
        default=Path("../shared/data"),
        help="of the files (default: %(default)s)",
    )
    add("--sections", nargs="+", default=["peers"], choices=(*SECTIONS, "all"), help="default: peers")
    add("--loss", nargs="+", default=["hinge"], choices=LOSSES, help="default: hinge")
    add("--alphas", nargs="+", metavar="ALPHA", help="default: 1e-4 1e-5 1/n")
    add("--intercept", action="store_true", help="with an intercept, for those who do not regularise it")
    add("--contenders", nargs="+", metavar="NAME", help="only those whose names begin so")
    add("--threads", type=int, default=1, help="more than one: wall-clock times (default: 1)")
    add("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    add("--rounds", type=int, default=5, help="default: 5")
    add("--quick", action="store_true", help="two rounds, and shorter limits")
    add("--limit", type=float, default=5, help="seconds a fit may take, about (default: 5)")
    add("--rows", type=int, help="rows of the generated data (default: 500,000)")
    add("--output", type=Path, metavar="DIR", help="where to write tables and plots")
    found = parser.parse_args()
    if found.quick:
        found.rounds, found.limit = 2, min(found.limit, 2)
    if "all" in found.sections:
        found.sections = SECTIONS
    return found


def main():
    """Run the command line."""
    found = options()
    where = pin(found.core, found.threads)  # before NumPy's libraries start their threads
    from .run import run

    run(found, where)


if __name__ == "__main__":
    main()
