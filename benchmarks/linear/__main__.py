"""What an epoch of fastsvm's linear solvers costs; `benchmarks.all` has them against their peers.

    python -m benchmarks.linear --data DIR [--sets NAME ...] [--sections NAME ...]

`sdca`: an epoch without shrinking, and its time by that of a pass of row dots in random and in natural order.
`pegasos`: an epoch without an intercept, of whole fits and at the margin, and SGDClassifier's time by ours.
CPU time of one core; the contenders alternate.
"""

from ..machine import parser_of, pin, run_sections

SECTIONS = ("sdca", "pegasos")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn")


def main():
    """Run the command line."""
    parser = parser_of("linear", __doc__, SECTIONS)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="data sets (default: a9a sentiment)")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    found = parser.parse_args()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from . import epochs
    from .data import load

    def measure(section):
        for name in found.sets or ("a9a", "sentiment"):
            getattr(epochs, section)(name, load(name, found.data), found.rounds)

    run_sections(found, PACKAGES, where, measure)


if __name__ == "__main__":
    main()
