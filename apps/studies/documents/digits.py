"""The study of "Linear SVM by Pegasos in R": handwritten 5s and 6s, few to train on."""

from functools import partial
from time import thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import SDCA, Pegasos

from ...common.statistics import confusion, mean_interval
from ..data.public_sets import usps_or_small_digits
from ..race.cost_to_level import level_beyond_an_epoch
from ..race.many_rows import judge_many_rows, race_on_many_rows
from ..race.race_curves import Curves
from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.claim_judging import above, below, judge, mean, of_a_draw, reaches
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Report, Table

LABELS = (5, 6)
ALPHA, EPOCHS = 1.0, 20  # lambda and T of the document
N_TRAIN, N_TEST = 100, 300  # of a class; the document's
# Of the document: errors, true label in rows; the whole script.
TRAIN, TEST = np.array([[98, 2], [0, 100]]), np.array([[285, 15], [8, 292]])
SECONDS = 0.53

METHODS = {
    "Pegasos": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS),
    "Pegasos, no intercept": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS, fit_intercept=False),
    "SDCA": partial(SDCA, alpha=ALPHA, tol=1e-3),
}
PEGASOS, SDCA_METHOD = 0, 2  # of them
EPOCHS_TRIED = (1, 2, 5, 10, 20, 40, 80)  # epochs at which Pegasos is tried
TOLERANCE = 0.005  # an error that differs by less than half a point is the same for a reader
LEAST_GAP = 1e-7  # what P* is known to
OTHERS = "These are other images; it needs USPS (--data)."


def run(context: Context) -> Report:
    """Run the study."""
    digits = read_digits(context.data)
    runs = context.runs or (20 if context.quick else 100)
    rates = error_rates(context, digits, runs)
    race = race_on_many_rows(context, intercept=True)
    return Report(
        title="Digits 5 and 6: Pegasos with an intercept",
        document="F. Saud, Linear SVM via Pegasos (SGD) in R",
        data=digits.words,
        settings={
            "lambda": ALPHA,
            "epochs": EPOCHS,
            "training images of a class": digits.n_train,
            "test images of a class": digits.n_test,
            "draws": runs,
        },
        claims=digit_claims(digits, rates, race),
        figures=digit_figures(digits, rates, race),
        tables=digit_tables(digits, rates),
    )


class Digits(NamedTuple):
    """Images of the two digits.

    Attributes
    ----------
    X : ndarray of shape (n, side * side)
        Ink from 0 to 1.
    y : ndarray of shape (n,)
        Of `LABELS`.
    n_train, n_test : int
        Images of a class that are drawn.
    original : bool
        Whether they are of the document's kind.
    words : str
        What they are, one sentence.
    """

    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    original: bool
    words: str


def read_digits(folder: str | None) -> Digits:
    """Return the 5s and 6s of USPS, or of scikit-learn's digits where there is no USPS."""
    X, y, original = usps_or_small_digits(folder)
    if original:
        n_train, n_test, name = N_TRAIN, N_TEST, "USPS, 16 by 16 pixels"
        note = "The document says MNIST, but of 16 by 16 pixels; which of them it drew is unknown"
    else:
        n_train, n_test, name = 80, 80, "scikit-learn's digits, 8 by 8 pixels"
        note = "They are other images than the document's"
        if folder is not None:
            note += ", for the folder of the data has no usps.npz"
    two = np.isin(y, LABELS)
    X, y = np.ascontiguousarray(X[two]), y[two]
    counts = " and ".join(f"{np.sum(y == label):,} {label}s" for label in LABELS)
    words = f"{counts} of {name}. A draw has {n_train} of each to train on and {n_test} to test on. {note}."
    return Digits(X, y, n_train, n_test, original, words)


def draw(digits: Digits, seed: int, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and those to test on, as many of each class."""
    rng = np.random.default_rng((seed, run))
    n = digits.n_train + digits.n_test
    rows = np.array([rng.choice(np.flatnonzero(digits.y == label), n, replace=False) for label in LABELS])
    return rows[:, : digits.n_train].ravel(), rows[:, digits.n_train :].ravel()


def wrong(tables: np.ndarray) -> np.ndarray:
    """Return how many images got the other's label, of confusion tables in the last two axes."""
    return tables[..., 0, 1] + tables[..., 1, 0]


def error_rates(context: Context, digits: Digits, runs: int) -> Arrays:
    """Fit each method on each draw.

    Returns
    -------
    dict
        train, test : (methods, runs, 2, 2), confusion tables. seconds : (methods, runs), CPU of a fit.
        coef : (methods, d), mean weights. steps : (len(EPOCHS_TRIED), runs), test errors of Pegasos after so
        many epochs.
    """

    def compute(advance: Advance) -> Arrays:
        train, test = (np.zeros((len(METHODS), runs, 2, 2), int) for _ in range(2))
        seconds, coef = np.zeros((len(METHODS), runs)), np.zeros((len(METHODS), digits.X.shape[1]))
        steps = np.zeros((len(EPOCHS_TRIED), runs))
        for run in range(runs):
            here, there = draw(digits, context.seed, run)
            for k, method in enumerate(METHODS.values()):
                model = method(random_state=run)
                start = thread_time()
                model.fit(digits.X[here], digits.y[here])
                seconds[k, run] = thread_time() - start
                coef[k] += model.coef_[0] / runs
                train[k, run] = confusion(digits.y[here], model.predict(digits.X[here]), LABELS)
                test[k, run] = confusion(digits.y[there], model.predict(digits.X[there]), LABELS)
            for k, epochs in enumerate(EPOCHS_TRIED):
                model = Pegasos(alpha=ALPHA, max_iter=epochs, random_state=run)
                model.fit(digits.X[here], digits.y[here])
                steps[k, run] = np.mean(model.predict(digits.X[there]) != digits.y[there])
            advance()
        return {"train": train, "test": test, "seconds": seconds, "coef": coef, "steps": steps}

    key = {"X": digits.X, "y": digits.y, "runs": runs, "seed": context.seed}
    return context.part("draws", compute, total=runs, **key)


# fmt: off
def digit_claims(digits: Digits, rates: Arrays, race: dict[float, Curves] | str) -> list[Claim]:
    """Judge the claims, in the order of the document."""
    train, test = rates["train"][PEGASOS], rates["test"][PEGASOS]
    fives, sixes = test[:, 0, 1], test[:, 1, 0]
    optimum = wrong(rates["test"][SDCA_METHOD]) / (2 * digits.n_test)
    on_images = [
        _judge_draws("Pegasos with an intercept, lambda 1 and 20 epochs has a test error of 3.83 %",
                     f"{wrong(TEST)} of {TEST.sum()}, one draw", 100 * wrong(test) / (2 * digits.n_test),
                     reaches(100 * wrong(TEST) / TEST.sum(), unit=" %"), "{:.2f} %"),
        _judge_draws("It gets 2 of the 200 training images wrong", "98, 2 / 0, 100", wrong(train),
                     reaches(wrong(TRAIN)), "{:.1f}"),
        _judge_draws("Of the 600 test images it calls 293 a 5 and 307 a 6", "293 called 5",
                     test[:, :, 0].sum(axis=1), judging.meets(*2 * (TEST[:, 0].sum(),)), "{:.1f}"),
        judge("More 5s are taken for 6s than 6s for 5s", f"{TEST[0, 1]} and {TEST[1, 0]} of 300 each",
              mean(fives - sixes), above(0),
              lambda s: f"{fives.mean():.1f} and {sixes.mean():.1f} of {digits.n_test} each; {s.value:.1f} "
                        f"more ({s.low:.1f} to {s.high:.1f})"),
    ]
    return [
        *(on_images if digits.original else [judging.untested(claim, OTHERS) for claim in on_images]),
        judge("A fixed number of epochs will do", f"T = {EPOCHS}",
              mean(rates["steps"][EPOCHS_TRIED.index(EPOCHS)] - optimum),
              judging.inside(-TOLERANCE, TOLERANCE),
              lambda s: f"{100 * s.value:+.2f} points of error ({100 * s.low:.2f} to {100 * s.high:.2f}) "
                        "to the optimum's",
              why="The error less that of the certified optimum, within half a point."),
        judge("All of it takes half a second", f"{SECONDS} s, R",
              of_a_draw(1e3 * rates["seconds"][PEGASOS]), reaches(1e3 * SECONDS, unit=" ms"),
              lambda s: f"{s.value:.1f} ms of CPU for a fit (95 % of them to {s.high:.1f})",
              why="A fit is a fraction of all of it; theirs is R on another machine, with files and tables."),
        judge_many_rows(race, "On many rows the dual is less practical than SGD on the primal (CPU time of "
                              "Pegasos / that of SDCA)", "introduction", below(1)),
    ]


def _judge_draws(words: str, theirs: str, draws: np.ndarray, region: judging.Region, spelling: str) -> Claim:
    """Judge a figure of one draw by where 95 % of ours are."""
    mean_of, low, high = (spelling.format(number) for number in of_a_draw(draws))
    ours = f"{mean_of} on average of {len(draws)} draws; 95 % of single draws have {low} to {high}"
    return judge(words, theirs, of_a_draw(draws), region, ours=ours)


def digit_figures(digits: Digits, rates: Arrays, race: dict[float, Curves] | str) -> list[Figure]:
    """Return the figures."""
    n = rates["test"].shape[1]
    return [
        Figure("errors", f"Test errors of {n} draws", "How often each number of wrong images came out.",
               partial(_draw_errors, digits=digits, tables=rates["test"]), (7.0, 4.4), source="test error"),
        Figure("weights", "Weights",
               f"Mean over {n} draws. Ink in blue speaks for a {LABELS[1]}, in red for a {LABELS[0]}.",
               partial(_draw_weights, coef=rates["coef"]), (8.0, 3.2)),
        Figure("epochs", "Test error by epochs", "Mean over all draws.",
               partial(_draw_epochs, rates=rates), (7.0, 3.6)),
        *([] if isinstance(race, str) else [
            Figure("many-rows", "SDCA and Pegasos on many rows",
                   "Skin, 245,057 rows of 3 standardised columns, with an intercept. Medians of the runs.",
                   partial(_draw_many_rows, race=race), (10.5, 4.0))]),
    ]
# fmt: on


def _draw_errors(sheet, digits: Digits, tables: np.ndarray) -> None:
    percent = 100 / (2 * digits.n_test)
    for ax, name, counts in zip(sheet.subplots(3, sharex=True), METHODS, wrong(tables), strict=True):
        values, times = np.unique(counts, return_counts=True)
        low, high = mean_interval((percent * counts).tolist())
        mean = percent * counts.mean()
        ax.bar(percent * values, times, percent, color="#8cbfdf")
        ax.axvspan(low, high, color=BLUE, alpha=0.3, linewidth=0, label="95 % interval of the mean")
        ax.axvline(mean, color=BLUE, label="mean")
        if digits.original:
            theirs = 100 * wrong(TEST) / TEST.sum()
            ax.axvline(theirs, color=VERMILION, linestyle="--", label=f"document: {theirs:.2f} %")
        of_what = f"test images with the wrong label, % of {2 * digits.n_test}"
        ax.set(xlabel=of_what, ylabel="draws", title=f"{name}: {mean:.2f} %")
    charts.legend_below(sheet, 3)


def _draw_weights(sheet, coef: np.ndarray) -> None:
    most, side = np.abs(coef).max(), round(coef.shape[1] ** 0.5)
    axes = sheet.subplots(1, len(METHODS))
    for ax, name, weights in zip(axes, METHODS, coef, strict=True):
        image = ax.imshow(weights.reshape(side, side), cmap="RdBu", vmin=-most, vmax=most)
        ax.set(title=name, xticks=(), yticks=())
    words = f"weight of a pixel: {LABELS[0]} below 0, {LABELS[1]} above"
    sheet.colorbar(image, ax=[*axes], label=words, shrink=0.7)


def _draw_epochs(sheet, rates: Arrays) -> None:
    tables, ax = rates["test"][SDCA_METHOD], sheet.subplots()
    best = 100 * (wrong(tables) / tables.sum(axis=(1, 2))).mean()
    charts.draw_band(ax, EPOCHS_TRIED, charts.mean_band(100 * rates["steps"]), BLUE, "Pegasos", "o-")
    ax.axhline(best, color=GREEN, linestyle="--", label="SDCA, certified optimum")
    ax.axvline(EPOCHS, color=VERMILION, linestyle=":", label=f"the document's {EPOCHS}")
    charts.name_band(ax, "95 % of the mean")
    ax.set(xlabel="epochs (log scale)", ylabel="test error, %", title="Pegasos with an intercept")
    ax.set(xscale="log", xticks=EPOCHS_TRIED, xticklabels=EPOCHS_TRIED)
    ax.legend()


def _draw_many_rows(sheet, race: dict[float, Curves]) -> None:
    for ax, (alpha, curves) in zip(sheet.subplots(1, len(race)), race.items(), strict=True):
        for name, color, line in ("Pegasos", BLUE, "-"), ("SDCA", VERMILION, "--"):
            runs = charts.median_band(np.maximum(curves.excess(name), LEAST_GAP))
            spent = 1e3 * np.median(curves.of[name]["seconds"], axis=0)
            charts.draw_band(ax, spent, runs, color, name, line)
        level = level_beyond_an_epoch(*map(curves.excess, curves.of))
        ax.axhline(level, color="0.6", label="the level that decides")
        charts.name_band(ax)
        ax.set(xlabel="CPU time of the updates (ms)", ylabel="(P - P*) / P*", **charts.LOG_LOG)
        ax.set(title=f"lambda {alpha:.1g}, to {100 * level:.4g} %")
    charts.legend_below(sheet, 4)


# fmt: off
def digit_tables(digits: Digits, rates: Arrays) -> list[Table]:
    """Return the tables."""
    train, test = rates["train"][PEGASOS], rates["test"][PEGASOS]
    errors = wrong(rates["test"]) / (2 * digits.n_test)  # (methods, runs)
    return [
        Table("methods", "Methods",
              "Share of the images that get the other's label: the mean over all draws with its 95 % "
              "interval, and how much single draws vary. CPU time is the median of one fit.",
              ("method", "test error", "low", "high", "standard deviation", "training error", "CPU ms"),
              [(name, errors[k].mean(), *mean_interval(errors[k].tolist()), errors[k].std(ddof=1),
                (wrong(rates["train"][k]) / (2 * digits.n_train)).mean(),
                 1e3 * np.median(rates["seconds"][k]))
               for k, name in enumerate(METHODS)]),
        _confusion_table("training", TRAIN, train),
        _confusion_table("test", TEST, test),
        Table("labels", "Label counts",
              "How many images there are of each label, and how many Pegasos gave it.",
              ("images", "label", "document: true", "document: given", "true", "given, mean"),
              [(part, f"{label}", int(theirs[k].sum()), int(theirs[:, k].sum()), int(found[0, k].sum()),
                found[:, :, k].sum(axis=1).mean())
               for part, theirs, found in (("training", TRAIN, train), ("test", TEST, test))
               for k, label in enumerate(LABELS)],
              source="label counts"),
        Table("epochs", "Epochs", "Test error of Pegasos, the mean over all draws.",
              ("epochs", "test error", "low", "high"),
              [(epochs, values.mean(), *mean_interval(values.tolist()))
               for epochs, values in zip(EPOCHS_TRIED, rates["steps"], strict=True)]),
        Table("draws", "Draws", "Each fit.", ("method", "draw", "test error", "CPU seconds"),
              [(name, run, float(error), float(rates["seconds"][k, run]))
               for k, name in enumerate(METHODS) for run, error in enumerate(errors[k])],
              shown=False),
    ]


def _confusion_table(part: str, theirs: np.ndarray, found: np.ndarray) -> Table:
    means, sds = found.mean(axis=0), found.std(axis=0, ddof=1)
    return Table(
        f"confusion_{part}", f"Confusion, {part} images",
        "Images of each label by the label that Pegasos gave them: the document's draw, then the mean and "
        "the standard deviation over ours.",
        ["true label", *(f"document: called {label}" for label in LABELS),
         *(words for label in LABELS for words in (f"called {label}", f"sd {label}"))],
        [(f"{label}", *theirs[k].tolist(), *np.stack([means[k], sds[k]], axis=1).ravel())
         for k, label in enumerate(LABELS)],
        source=f"confusion table of the {part} data")
# fmt: on
