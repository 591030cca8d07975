"""From an svmlight file to a model: `fastsvm fit` and LIBLINEAR's `train`, equally far from their optima.

    python -m benchmarks.linear.whole_processes a9a.svm [--train liblinear-train] [--rounds 11] [--cost 1]

Each is run with the loosest -e that ends within a share of the optimum of its own objective, in which
LIBLINEAR regularises the intercept and fastsvm does not. Two labels. Python must be allowed to keep its
compiled modules, as it does in an installation.
"""

import argparse
import os
import sys
import tempfile

import numpy as np

from fastsvm.io import read_svmlight
from fastsvm_apps.common.liblinear_files import read_liblinear

from ..common import aligned, spread
from ..text.process import launch
from .contenders import Problem
from .measure import reference

SHARES = (1e-2, 1e-3, 1e-4)
LOSSES = {"squared_hinge": ("1", "2"), "hinge": ("3",)}  # and LIBLINEAR's solvers
TOLERANCES = (3, 1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)


def excess(path, problem, bound, penalised):
    """How far the model in a file is above a bound on the optimum, as a share of it."""
    _, _, coef, [intercept], _ = read_liblinear(path)
    w = np.zeros(problem.X.shape[1])
    w[: coef.shape[1]] = coef[0]
    return problem.objective(w, intercept, penalised) / bound - 1


def main():
    """Print a line for each loss, share and program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--train", default="liblinear-train")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--cost", type=float, default=1.0)
    given = parser.parse_args()
    X, y = read_svmlight(given.file, dtype=np.float64)
    model = os.path.join(tempfile.mkdtemp(), "a.model")
    rows = [("loss", "share", "program", "true share", "CPU s", "wall s")]
    for loss, kinds in LOSSES.items():
        programs = {}
        for kind in kinds:
            command = [given.train, "-q", "-B", "1", "-s", kind, "-c", str(given.cost)]
            programs[f"train -s {kind}"] = (command, [given.file, model], False)
        command = [sys.executable, "-m", "fastsvm_apps.vectors", "fit", "-q", "--loss", loss]
        command += ["-c", str(given.cost)]
        programs["fastsvm fit"] = (command, [given.file, "-o", model], True)
        problem = Problem(X, np.sign(y - y.mean()), loss, 1 / (given.cost * len(y)))
        bounds = [reference(each, 60, 1e-8)[0] for each in (problem.with_ones(), problem)]
        for share in SHARES:
            chosen = {}
            for name, (command, files, free) in programs.items():
                for tol in TOLERANCES:
                    launch([*command, "-e", str(tol), *files])
                    if (above := excess(model, problem, bounds[free], not free)) <= share:
                        chosen[f"{name} -e {tol}"] = ([*command, "-e", str(tol), *files], above)
                        break
            times = {name: [] for name in chosen}
            for _ in range(given.rounds):
                for name, (command, _) in chosen.items():
                    times[name].append(launch(command))
            for name, (_, above) in chosen.items():
                shown = [spread([getattr(t, kind) for t in times[name]]).strip() for kind in ("cpu", "wall")]
                rows.append((loss, f"{share:g}", name, f"{above:.1e}", *shown))
    print(aligned(rows))


if __name__ == "__main__":
    main()
