"""Kernel machines against scikit-learn's SVC and LIBSVM.

    python -m benchmarks.kernel --data DIR [--output OUT] [--sections NAME ...] [--quick]

DIR has usps.npz and imdb_10k.tsv. Sections: `table`, digits, errors of five folds and the time of each;
`text`, sparse rows. All contenders work in one process, on one core, alternating. `fastsvm-studies kernels`
has the report's whole grid, and its programs beside ours.
"""

from importlib import import_module
from pathlib import Path

from ..machine import parser_of, pin, run_sections

SECTIONS = ("table", "text")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "libsvm-official")


def main():
    """Measure and print, section by section; write every figure where that is asked for."""
    parser = parser_of("kernel", __doc__, SECTIONS)
    add = parser.add_argument
    add("--contenders", nargs="+", metavar="NAME", help="only those whose names begin so")
    add("--quick", action="store_true", help="two folds, few rounds")
    add("--output", type=Path, metavar="OUT", help="folder for every figure")
    options = parser.parse_args()
    where = pin(options.core, 1)  # before NumPy's libraries start their threads

    def measure(name):
        return getattr(import_module(f".{name}", __package__), name)(options)

    run_sections(options, PACKAGES, where, measure, options.output and options.output / "kernel.json")


if __name__ == "__main__":
    main()
