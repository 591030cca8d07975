"""The study of "Linear SVM by Pegasos in R": handwritten 5s and 6s, with few training images."""

from functools import partial
from time import thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import SDCA, Pegasos

from ...common.statistics import confusion, mean_interval
from ..data.public_sets import usps_or_small_digits
from ..report import charts
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.study import Advance, Arrays, Context, Figure, Findings, Measured, Runs, Table, array_hash
from ..report.verdicts import Found, mean, median, of_a_draw

TITLE = "Digits 5 and 6: Pegasos with an intercept"
DOCUMENT = "F. Saud, Linear SVM via Pegasos (SGD) in R"

LABELS = (5, 6)
ALPHA, EPOCHS = 1.0, 20  # lambda and T of the document
N_TRAIN, N_TEST = 100, 300  # of each class; the document's
SMALL = 80  # of each class, of scikit-learn's digits
RUNS, QUICK_RUNS = 100, 20  # draws
# Of the document: errors, true label in rows.
TRAIN, TEST = np.array([[98, 2], [0, 100]]), np.array([[285, 15], [8, 292]])
CELLS = [(f"{true} called {given}", i, j) for i, true in enumerate(LABELS) for j, given in enumerate(LABELS)]

METHODS = {
    "Pegasos": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS),
    "Pegasos, no intercept": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS, fit_intercept=False),
    "SDCA": partial(SDCA, alpha=ALPHA, tol=1e-3),
}
EPOCHS_TRIED = (1, 2, 5, 10, 20, 40, 80)  # with which Pegasos is tried
QP, QP_TOL = "QP solver (LIBSVM)", 1e-2  # its own measure of optimality
MANY_ROWS, QUICK_ROWS = (500, 1000, 2000, 4000, 8000), (500, 1000, 2000)
MANY_COLUMNS, MANY_RUNS = 20, 7
NEAR = 0.01  # of the optimum


class Digits(NamedTuple):
    """Images of the two digits: ink from 0 to 1, labels, and how many of each class a draw has."""

    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    original: bool


# What is measured


def measure(context: Context) -> Measured:
    """Fit each method on each draw."""
    digits = read_digits(context.data)
    n_draws = context.runs or (QUICK_RUNS if context.quick else RUNS)
    compute = partial(fit_draws, digits, n_draws, context.seed)
    key = {"X": digits.X, "y": digits.y, "runs": n_draws, "seed": context.seed}
    known, runs = context.part("draws", compute, total=n_draws, **key), Runs()
    for k, name in enumerate(METHODS):
        runs.add("draws", "test", name, error=share_wrong(known["test"][k]), seconds=known["seconds"][k])
        runs.add("draws", "train", name, error=share_wrong(known["train"][k]))
        for cell, i, j in CELLS:
            for part in "train", "test":
                runs.add("confusion", part, name, cell, value=known[part][k, :, i, j])
    sizes = QUICK_ROWS if context.quick else MANY_ROWS
    compute = partial(race_on_rows, sizes, context.seed)
    race = context.part("many-rows", compute, sizes=sizes, seed=context.seed)
    for name, seconds in race.items():
        runs.add("many rows", "simulated", name, visits=[sizes], seconds=seconds)
    runs.add("epochs", "test", "Pegasos", epoch=[EPOCHS_TRIED], error=known["steps"].T)
    settings = {"lambda": ALPHA, "epochs": EPOCHS, "draws": n_draws}
    settings |= {"training images of each class": digits.n_train, "test images of each class": digits.n_test}
    hashes, originals = {"digits": array_hash(digits.X, digits.y)}, ["usps"] * digits.original
    return Measured(data_words(digits, context.data), originals, settings, hashes, runs)


def read_digits(folder: str | None) -> Digits:
    """Return the 5s and 6s of USPS, or of scikit-learn's digits where there is no USPS."""
    X, y, original = usps_or_small_digits(folder)
    two = np.isin(y, LABELS)
    sizes = (N_TRAIN, N_TEST) if original else (SMALL, SMALL)
    return Digits(np.ascontiguousarray(X[two]), y[two], *sizes, original)


def data_words(digits: Digits, folder: str | None) -> str:
    """Say what the images are."""
    name = "USPS, 16 by 16 pixels"
    note = "The document calls them MNIST, but gives 16 by 16 pixels; its draw is unknown"
    if not digits.original:
        name, note = "scikit-learn's digits, 8 by 8 pixels", "They are not the document's images"
        note += ", because the folder of --data has no usps.npz" if folder else ""
    counts = " and ".join(f"{np.sum(digits.y == label):,} {label}s" for label in LABELS)
    draw = f"A draw has {digits.n_train} of each to train on and {digits.n_test} to test on"
    return f"{counts} of {name}. {draw}. {note}."


def draw(digits: Digits, seed: int, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows, the same number of each class."""
    rng = np.random.default_rng((seed, run))
    n = digits.n_train + digits.n_test
    rows = np.array([rng.choice(np.flatnonzero(digits.y == label), n, replace=False) for label in LABELS])
    return rows[:, : digits.n_train].ravel(), rows[:, digits.n_train :].ravel()


def fit_draws(digits: Digits, n_draws: int, seed: int, advance: Advance) -> Arrays:
    """Fit each method on each draw, and Pegasos with other numbers of epochs.

    Returns
    -------
    dict
        train, test : (methods, draws, 2, 2), confusion tables. seconds : (methods, draws), CPU of a fit.
        steps : (len(EPOCHS_TRIED), draws), test errors of Pegasos.
    """
    shape = len(METHODS), n_draws
    train, test = (np.zeros((*shape, 2, 2), int) for _ in range(2))
    seconds, steps = np.zeros(shape), np.zeros((len(EPOCHS_TRIED), n_draws))
    for run in range(n_draws):
        here, there = draw(digits, seed, run)
        for k, method in enumerate(METHODS.values()):
            model = method(random_state=run)
            start = thread_time()
            model.fit(digits.X[here], digits.y[here])
            seconds[k, run] = thread_time() - start
            for table, rows in (train, here), (test, there):
                table[k, run] = confusion(digits.y[rows], model.predict(digits.X[rows]), LABELS)
        for k, epochs in enumerate(EPOCHS_TRIED):
            model = Pegasos(alpha=ALPHA, max_iter=epochs, random_state=run)
            model.fit(digits.X[here], digits.y[here])
            steps[k, run] = np.mean(model.predict(digits.X[there]) != digits.y[there])
        advance()
    return {"train": train, "test": test, "seconds": seconds, "steps": steps}


def race_on_rows(sizes: tuple[int, ...], seed: int, _: Advance) -> Arrays:
    """Time a QP solver, and Pegasos until it is near the optimum, on simulated rows.

    Returns
    -------
    dict
        By solver, CPU seconds of shape (runs, sizes); infinite where Pegasos does not get there.
    """
    from sklearn.svm import SVC

    found = {name: np.full((MANY_RUNS, len(sizes)), np.inf) for name in (QP, "Pegasos")}
    for run in range(MANY_RUNS):
        rng = np.random.default_rng((seed, run))
        for k, n in enumerate(sizes):
            y = np.where(rng.random(n) < 0.5, -1, 1)
            X = rng.standard_normal((n, MANY_COLUMNS)) + y[:, None] / np.sqrt(MANY_COLUMNS)
            start = thread_time()
            SVC(kernel="linear", C=1 / (ALPHA * n), tol=QP_TOL).fit(X, y)
            found[QP][run, k] = thread_time() - start
            best = SDCA(alpha=ALPHA, tol=1e-6, random_state=run).fit(X, y).objective_
            traced = METHODS["Pegasos"](trace=True, random_state=run).fit(X, y).history_
            near = traced["seconds"][traced["primal"] <= (1 + NEAR) * best]
            found["Pegasos"][run, k] = near.min(initial=np.inf)
    return found


def share_wrong(tables: np.ndarray) -> np.ndarray:
    """Return the share of images with the wrong label; the last two axes are confusion tables."""
    return (tables[..., 0, 1] + tables[..., 1, 0]) / tables.sum(axis=(-2, -1))


# What is made of it


def confusion_of(runs: Runs, part: str) -> np.ndarray:
    """Return the confusion tables of Pegasos, of shape (draws, 2, 2)."""
    cells = [runs["confusion", part, "Pegasos", cell]["value"][:, 0] for cell, _, _ in CELLS]
    return np.stack(cells, axis=-1).reshape(-1, 2, 2)


def findings(measured: Measured) -> Findings:
    """Judge the claims, in the order of the document, and draw."""
    runs = measured.runs
    train, test = confusion_of(runs, "train"), confusion_of(runs, "test")
    optimum, tried = runs["draws", "test", "SDCA"]["error"][:, 0], runs["epochs", "test", "Pegasos"]["error"]
    pegasos = runs["draws", "test", "Pegasos"]
    qp, primal = (runs["many rows", "simulated", name]["seconds"] for name in (QP, "Pegasos"))
    sizes = runs["many rows", "simulated", QP]["visits"][0].astype(int).tolist()
    found = {
        "test-error": of_a_draw(pegasos["error"][:, 0]),
        "training-errors": of_a_draw(share_wrong(train) * train.sum(axis=(1, 2))),
        "called-five": of_a_draw(test[:, :, 0].sum(axis=1)),
        "fives-for-sixes": mean(test[:, 0, 1] - test[:, 1, 0]),
        "fixed-epochs": mean(tried[:, EPOCHS_TRIED.index(EPOCHS)] - optimum),
        "run-time": median(pegasos["seconds"][:, 0]),
    }
    ratios = {f"{n:,} rows": median(ratio) for n, ratio in zip(sizes, (qp / primal).T, strict=True)}
    figures = [
        Figure("errors", partial(draw_errors, runs=runs, original=bool(measured.originals)), (7.0, 4.4)),
        Figure("epochs", partial(draw_epochs, runs=runs), (7.0, 3.6)),
        Figure("many-rows", partial(draw_many_rows, runs=runs), (7.0, 3.6)),
    ]
    confusions = [confusion_table("training", TRAIN, train), confusion_table("test", TEST, test)]
    judged = {name: Found({"": statistic}) for name, statistic in found.items()} | {
        "many-rows": Found(ratios)
    }
    return Findings(judged, figures, [method_table(runs), *confusions, label_table(train, test)])


def draw_errors(sheet, runs: Runs, original: bool) -> None:
    """Draw how often each error occurred."""
    for ax, name in zip(sheet.subplots(3, sharex=True), METHODS, strict=True):
        errors = 100 * runs["draws", "test", name]["error"][:, 0]
        values, times = np.unique(errors, return_counts=True)
        low, high = mean_interval(errors.tolist())
        ax.bar(values, times, np.diff(values).min(), color="#8cbfdf")
        ax.axvspan(*of_a_draw(errors)[1:], color=BLUE, alpha=0.1, linewidth=0, label="95 % of draws")
        ax.axvspan(low, high, color=BLUE, alpha=0.3, linewidth=0, label="95 % interval of the mean")
        ax.axvline(errors.mean(), color=BLUE, label="mean")
        if original:
            theirs = 100 * share_wrong(TEST)
            ax.axvline(theirs, color=VERMILION, linestyle="--", label=f"document: {theirs:.2f} %")
        ax.set(xlabel="test images with the wrong label, %", ylabel="draws")
        ax.set(title=f"{name}: {errors.mean():.2f} %")
    charts.legend_below(sheet, 4)


def draw_epochs(sheet, runs: Runs) -> None:
    """Draw the error by epochs."""
    best, ax = 100 * runs["draws", "test", "SDCA"]["error"].mean(), sheet.subplots()
    errors = 100 * runs["epochs", "test", "Pegasos"]["error"].T
    charts.draw_band(ax, EPOCHS_TRIED, charts.mean_band(errors), BLUE, "Pegasos", "o-")
    ax.axhline(best, color=GREEN, linestyle="--", label="SDCA, certified optimum")
    ax.axvline(EPOCHS, color=VERMILION, linestyle=":", label=f"the document's {EPOCHS}")
    charts.name_band(ax, "95 % of the mean")
    ax.set(xlabel="epochs (log scale)", ylabel="test error, %", title="Pegasos with an intercept")
    ax.set(xscale="log", xticks=EPOCHS_TRIED, xticklabels=EPOCHS_TRIED)
    ax.legend()


def draw_many_rows(sheet, runs: Runs) -> None:
    """Draw times by the number of rows."""
    ax = sheet.subplots()
    for name, color in (QP, VERMILION), ("Pegasos", BLUE):
        fields = runs["many rows", "simulated", name]
        seconds = charts.median_band(1e3 * fields["seconds"], 0)
        charts.draw_band(ax, fields["visits"][0], seconds, color, name, "o-")
    charts.name_band(ax, "all runs")
    ax.set(**charts.LOG_LOG, xlabel="rows", ylabel="CPU time, ms", title=f"simulated rows, lambda {ALPHA:g}")
    ax.legend()


def method_table(runs: Runs) -> Table:
    """Return errors and times of each method."""
    rows = []
    for name in METHODS:
        test, train = runs["draws", "test", name], runs["draws", "train", name]["error"]
        errors = test["error"][:, 0]
        spread = mean(errors), errors.std(ddof=1)
        rows.append((name, *spread, train.mean(), 1e3 * np.median(test["seconds"])))
    header = "method", "test error", "standard deviation", "training error", "CPU ms"
    return Table("methods", header, rows)


def confusion_table(part: str, theirs: np.ndarray, found: np.ndarray) -> Table:
    """Return the document's table, and means and standard deviations over our draws."""
    ours = np.stack([found.mean(axis=0), found.std(axis=0, ddof=1)], axis=-1)  # (2, 2, 2)
    header = [
        *("true label", *(f"document: called {label}" for label in LABELS)),
        *(words for label in LABELS for words in (f"called {label}", f"sd {label}")),
    ]
    rows = [(f"{label}", *theirs[k].tolist(), *ours[k].ravel()) for k, label in enumerate(LABELS)]
    return Table(f"confusion_{part}", header, rows)


def label_table(train: np.ndarray, test: np.ndarray) -> Table:
    """Return how many images have each label, and how many were given it."""
    header = "images", "label", "document: true", "document: given", "true", "given, mean"
    rows = []
    for part, theirs, found in ("training", TRAIN, train), ("test", TEST, test):
        for k, label in enumerate(LABELS):
            counts = int(theirs[k].sum()), int(theirs[:, k].sum()), int(found[0, k].sum())
            rows.append((part, f"{label}", *counts, found[:, :, k].sum(axis=1).mean()))
    return Table("labels", header, rows)
