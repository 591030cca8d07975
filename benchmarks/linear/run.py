"""What the command line asks for, done."""

import time

from ..common import aligned
from ..machine import described
from .contenders import Problem, chosen
from .data import available, load
from .measure import measure, reference
from .report import table, write

PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "liblinear-official", "snapml")


def run(options, where):
    """Measure and print, section by section."""
    found, absent = available(options.folder)
    names = options.data or found
    unknown = [name for name in names if name not in found]
    if unknown:
        known = ", ".join(found)
        raise SystemExit(f"--data {unknown[0]}: not among those with files in {options.folder}: {known}")
    print(described(PACKAGES, where))
    if absent and not options.data:
        print(f"no files in {options.folder} for {', '.join(absent)}")
    for section in options.sections:
        if section == "peers":
            for loss in options.loss:
                peers(options, names, loss)
        else:
            from . import sections

            print(f"\n{section}")
            getattr(sections, section)(options, names)


def peers(options, names, loss):
    """The table of times to a target, and its plots."""
    kinds, missing = chosen(loss, options.intercept, options.contenders)
    clock = "CPU ms" if options.threads == 1 else "wall-clock ms"
    intercept = "with intercept" if options.intercept else "no intercept"
    print(f"\n{loss}, {intercept}, threads: {options.threads}; {clock} [range] to a relative suboptimality")
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    everything = []
    for name in names:
        data = load(name, options.folder, options.rows)
        cells = []
        for text in options.alphas or data.alphas:
            started = time.perf_counter()
            alpha = 1 / len(data.y) if text == "1/n" else float(text)
            problem = Problem(data.X, data.y, loss, alpha, options.intercept, options.threads)
            bound, precision = reference(problem, 4 * options.limit)
            limits = {"rounds": options.rounds, "limit": problem.patience(options.limit)}
            cell = measure(problem, kinds, bound=bound, precision=precision, **limits)
            cells.append((data, text, problem, cell))
            took = time.perf_counter() - started
            print(
                f"# {name} {data.X.shape} alpha {text}: optimum known to {precision:.0e}, {took:.0f} s",
                flush=True,
            )
        print(aligned(table(cells)), flush=True)
        everything += cells
        if options.output:
            stem = f"{loss}{'-intercept' * options.intercept}-{options.threads}"
            write(options.output, stem, everything)
