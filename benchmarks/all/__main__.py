"""Every comparison with the peers, cell by cell: a line for each, and one JSON file.

    python -m benchmarks.all --report FOLDER [--check OLD.json] [--sections NAME ...] [--quick]

Sections: `linear`, CPU time to a suboptimality of 1e-2, 1e-3, 1e-4, with an intercept; `l1`, to 1e-3 and
1e-6 with an l1 penalty; `kernel`, machines with gaussian kernels against SVC; `softmax` against L-BFGS;
`path`, twenty alphas in units of one cold fit; `threads`, two against one, wall-clock time. A cell is lost
where the quickest peer takes less than 0.95 of our time, or less in every round. `--check` names what takes
over 1.1 times as long as in a stored run of the same machine, and exits with 1.
"""

import json
import sys
from pathlib import Path

from ..machine import described, parser_of, pin, processor

SECTIONS = ("linear", "l1", "kernel", "softmax", "path", "threads")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "liblinear-official", "snapml", "skglm", "glum")


def options():
    """What the command line asks for."""
    parser = parser_of("all", __doc__, SECTIONS)
    add = parser.add_argument
    add("--report", type=Path, metavar="FOLDER", help="for report.json")
    add("--check", type=Path, metavar="OLD.json", help="a stored run to compare with")
    add("--sets", nargs="+", metavar="NAME", help="data sets (default: those of each section)")
    add("--losses", nargs="+", default=("hinge", "squared_hinge", "log"), help="of linear (default: all)")
    add("--alphas", nargs="+", default=("1e-3", "1/n", "1e-6"), help="of linear (default: 1e-3 1/n 1e-6)")
    add("--shares", nargs="+", type=float, default=(0.1, 0.01, 0.001), help="of l1 (default: .1 .01 .001)")
    add("--quick", action="store_true", help="two rounds, and only the smaller sets")
    return parser.parse_args()


def main():
    """Run the command line."""
    found = options()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from . import sections
    from .figures import regressions

    about = described(PACKAGES, where)
    print(about)
    figures = []
    for name in found.sections:
        print(f"\n{name}", flush=True)
        for figure in getattr(sections, name)(found):
            print(*figure.row(), sep=" | ", flush=True)
            figures.append(figure)
    if found.report:
        found.report.mkdir(parents=True, exist_ok=True)
        record = {
            "machine": processor(),
            "about": about.splitlines(),
            "figures": [f.record() for f in figures],
        }
        (found.report / "report.json").write_text(json.dumps(record, indent=1) + "\n")
    lost = [figure.cell for figure in figures if figure.lost]
    print(f"\n{len(figures)} cells, {len(lost)} lost", *lost, sep="\n  ")
    if found.check:
        slower = regressions(json.loads(found.check.read_text()), processor(), figures)
        print(f"\n{len(slower)} slower than in {found.check}", *slower, sep="\n  ")
        sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
