"""Tables of the study."""

import numpy as np

from ...common.statistics import mean_interval
from ..frame.context import Arrays
from ..frame.report import Table
from .claims import PEGASOS, TEST, TRAIN
from .experiments import INTERCEPTS, LABELS, METHODS, STEPS, Digits, wrong


def tables(digits: Digits, rates: Arrays, pace: Arrays) -> list[Table]:
    """Return the tables."""
    return [
        _methods(digits, rates),
        _confusion("training", TRAIN, rates["train"][PEGASOS]),
        _confusion("test", TEST, rates["test"][PEGASOS]),
        _counts(rates),
        _epochs(rates),
        _paces(pace),
        _draws(digits, rates),
    ]


def _methods(digits: Digits, rates: Arrays) -> Table:
    rows = []
    for k, name in enumerate(METHODS):
        test, train = (
            wrong(rates["test"][k]) / (2 * digits.n_test),
            wrong(rates["train"][k]) / (2 * digits.n_train),
        )
        low, high = mean_interval(test.tolist())
        milliseconds = 1e3 * np.median(rates["seconds"][k])
        rows.append((name, test.mean(), low, high, test.std(ddof=1), train.mean(), milliseconds))
    return Table(
        "methods",
        "Methods",
        "Share of the images that get the other's label: the mean over all draws with its 95 % interval, and "
        "how much single draws vary. CPU time is the median of one fit.",
        ("method", "test error", "low", "high", "standard deviation", "training error", "CPU ms"),
        rows,
    )


def _confusion(part: str, theirs: np.ndarray, tables: np.ndarray) -> Table:
    means, sds = tables.mean(axis=0), tables.std(axis=0, ddof=1)
    rows = []
    for k, label in enumerate(LABELS):
        rows.append(
            (
                f"{label}",
                *theirs[k].tolist(),
                *(n for cell in zip(means[k], sds[k], strict=True) for n in cell),
            )
        )
    header = ["true label", *(f"document: called {label}" for label in LABELS)]
    for label in LABELS:
        header += [f"called {label}", f"sd {label}"]
    return Table(
        f"confusion_{part}",
        f"Confusion, {part} images",
        "Images of each label by the label that Pegasos gave them: the document's draw, then the mean and "
        "the standard deviation over ours.",
        header,
        rows,
        source=f"confusion table of the {part} data",
    )


def _counts(rates: Arrays) -> Table:
    rows = []
    for part, theirs, tables in (
        ("training", TRAIN, rates["train"][PEGASOS]),
        ("test", TEST, rates["test"][PEGASOS]),
    ):
        for k, label in enumerate(LABELS):
            given = tables[:, :, k].sum(axis=1)
            rows.append(
                (
                    part,
                    f"{label}",
                    int(theirs[k].sum()),
                    int(theirs[:, k].sum()),
                    int(tables[0, k].sum()),
                    given.mean(),
                )
            )
    return Table(
        "labels",
        "Label counts",
        "How many images there are of each label, and how many Pegasos gave it.",
        ("images", "label", "document: true", "document: given", "true", "given, mean"),
        rows,
        source="label counts",
    )


def _epochs(rates: Arrays) -> Table:
    rows = [
        (epochs, errors.mean(), *mean_interval(errors.tolist()))
        for epochs, errors in zip(STEPS, rates["steps"], strict=True)
    ]
    return Table(
        "epochs",
        "Epochs",
        "Test error of Pegasos, the mean over all draws.",
        ("epochs", "test error", "low", "high"),
        rows,
    )


def _paces(pace: Arrays) -> Table:
    rows = [
        (method, "yes" if intercept else "no", int(n), 1e3 * np.median(pace["seconds"][m, b, k]),
         float(pace["reached"][m, b, k].mean()))
        for m, method in enumerate(("Pegasos", "SDCA"))
        for b, intercept in enumerate(INTERCEPTS)
        for k, n in enumerate(pace["n"])
    ]  # fmt: skip
    return Table(
        "pace",
        "Time to within 1 % of the optimum",
        "CPU milliseconds of the updates, the median; runs that are not there in 100 epochs count as those.",
        ("method", "intercept", "images", "CPU ms", "share of runs that got there"),
        rows,
    )


def _draws(digits: Digits, rates: Arrays) -> Table:
    rows = [
        (name, run, float(error), float(seconds))
        for k, name in enumerate(METHODS)
        for run, (error, seconds) in enumerate(
            zip(wrong(rates["test"][k]) / (2 * digits.n_test), rates["seconds"][k], strict=True)
        )
    ]
    header = ("method", "draw", "test error", "CPU seconds")
    return Table("draws", "Draws", "Each fit.", header, rows, shown=False)
