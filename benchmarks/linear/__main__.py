"""fastsvm's linear solvers by themselves, on one core; `benchmarks.all` has them against their peers.

python -m benchmarks.linear [--data NAME ...] [--folder DIR] [--sections NAME ...]
"""

from ..machine import parser_of, pin, run_sections

SECTIONS = ("epoch", "certify")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn")


def main():
    """Run the command line."""
    parser = parser_of("linear", __doc__, SECTIONS, "--folder")
    add = parser.add_argument
    add("--data", nargs="+", metavar="NAME", help="data sets (default: all whose files are there)")
    add("--alphas", nargs="+", metavar="ALPHA", help="default: 1e-4 1e-5 1/n")
    add("--rounds", type=int, default=5, help="default: 5")
    add("--limit", type=float, default=5, help="seconds a fit may take, about (default: 5)")
    add("--rows", type=int, help="rows of the generated data (default: 500,000)")
    found = parser.parse_args()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from . import sections
    from .data import available

    names = found.data or available(found.folder)
    run_sections(found, PACKAGES, where, lambda name: getattr(sections, name)(found, names))


if __name__ == "__main__":
    main()
