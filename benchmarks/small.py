"""Small fits and single rows: fastsvm.drop_in against scikit-learn, where Python takes most of the time.

    python -m benchmarks.small [--rounds N] [--core N] [--methods NAME ...]

CPU microseconds of a fit with default parameters, and of the prediction of one row, on one core; the
contenders alternate, and a figure is the median over the rounds. Above 1 in the last column, ours is the
faster. The rows "estimator" compare SDCAClassifier with LinearSVC, and KernelSDCAClassifier with SVC. Iris
has three classes, breast cancer two; random is 100 rows of 300 normal columns. Breast cancer is
standardised, so that scikit-learn's solvers converge.
"""

import argparse
import warnings
from functools import partial

from .machine import pin

METHODS = ("LinearSVC", "SVC", "LogisticRegression", "SGDClassifier")
SHORTEST = 2e-3  # seconds of the calls whose mean is one measurement


def data_sets():
    """X and y of each, by name."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.preprocessing import scale

    random = np.random.default_rng(0)
    X, y = load_breast_cancer(return_X_y=True)
    return {
        "iris": load_iris(return_X_y=True),
        "breast cancer": (scale(X), y),
        "random": (random.normal(size=(100, 300)), np.arange(100) % 2),
    }


def medians(functions, rounds):
    """Median CPU microseconds of each function, by name."""
    import numpy as np

    from .common import alternate, cpu

    def repeat(function, calls):
        for _ in range(calls):
            function()

    calls = [1 + int(SHORTEST / (cpu(f) and cpu(f))) for f in functions.values()]
    times = alternate(
        [partial(repeat, *pair) for pair in zip(functions.values(), calls, strict=True)], rounds
    )
    return dict(zip(functions, 1e6 * np.median(times, axis=1) / calls, strict=True))


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small", description=__doc__)
    parser.add_argument("--rounds", type=int, default=21, help="default: %(default)s")
    parser.add_argument("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS, help="default: all")
    options = parser.parse_args()
    pin(options.core, 1)
    from sklearn import linear_model, svm

    from fastsvm import KernelSDCAClassifier, SDCAClassifier, drop_in

    warnings.simplefilter("ignore")  # of iterations that do not suffice
    print("data, class | what | scikit-learn, us | ours, us | ratio")
    for data, (X, y) in data_sets().items():
        for method in options.methods:
            theirs = getattr(svm if "SVC" in method else linear_model, method)
            kinds = {"theirs": theirs, "ours": getattr(drop_in, method)}
            seed = {} if method == "SVC" else {"random_state": 0}
            models = {name: kind(**seed) for name, kind in kinds.items()}
            calls = {"fit": {name: partial(model.fit, X, y) for name, model in models.items()}}
            for model in models.values():
                model.fit(X, y)
            calls["one row"] = {name: partial(model.predict, X[:1]) for name, model in models.items()}
            if "SVC" in method:
                ours = {"LinearSVC": SDCAClassifier, "SVC": KernelSDCAClassifier}[method]
                models["ours"] = ours(alpha=1 / len(y), random_state=0).fit(X, y)
                calls["one row, estimator"] = {
                    n: partial(model.predict, X[:1]) for n, model in models.items()
                }
            for what, functions in calls.items():
                found = medians(functions, options.rounds)
                ratio = found["theirs"] / found["ours"]
                print(
                    f"{data}, {method} | {what} | {found['theirs']:.0f} | {found['ours']:.0f} | {ratio:.2f}"
                )


if __name__ == "__main__":
    main()
