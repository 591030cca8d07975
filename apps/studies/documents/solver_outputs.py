"""What solvers return: averaging, projection and table 2, over draws of the simulated rows."""

from collections.abc import Callable
from functools import partial

import numpy as np

from fastsvm.fitting import SDCA

from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.claim_judging import Statistic, above, judge, mean, median, spelled, within
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Table
from .solver_convergence import LEAST_GAP, PROJECTIONS, eight_algorithms
from .solver_sets import BETA_ACCURACY, DataSet, simulated

NAMES = list(eight_algorithms(1.0, 1, 1))  # in the order of table 2
AVERAGING = "last", "tail", "random"
LAST, TAIL = 0, 1  # of them
DRAWS, QUICK_DRAWS = 50, 12
# The document's table 2: accuracy of the last and of the averaged output, in the order of `NAMES`.
TABLE_2 = np.array(
    [(0.863, 0.872), (0.881, 0.875), (0.872, 0.875), (0.866, 0.863),
     (0.860, 0.869), (0.869, 0.875), (0.881, 0.866), (0.872, 0.878)]
)  # fmt: skip
AROUND = float(np.abs(TABLE_2 - BETA_ACCURACY).max())  # what the document calls "around this value"
MUCH_CLOSER = 0.9  # times the distance to beta
REAL = 0.5  # of the document's differences, that must come back for them to be the algorithms' own
SIMILAR = 0.1  # length between unit vectors, 6 degrees
DIFFERENCE, SHARE = (spelled(format, ends="[{}, {}]") for format in ("+.4f", ".2f"))


def draw_outputs(context: Context) -> Arrays:
    """Fit all algorithms with each output on many draws of the simulated rows.

    Returns
    -------
    dict
        accuracy, distance, excess : (draws, algorithms, outputs), on the test rows; of the coefficients'
        direction from that of beta, as a length between unit vectors; of the hinge objective above the least
        one, as a share of that. NaN where an algorithm has no such output. beta_accuracy : (draws,), of the
        true coefficients. coef : (draws, algorithms, outputs, features). beta : (draws, features).
    """
    n = context.runs or (QUICK_DRAWS if context.quick else DRAWS)

    def compute(advance: Advance) -> Arrays:
        found = context.in_threads(_one_draw, range(context.seed, context.seed + n), advance)
        return {key: np.array([one[key] for one in found]) for key in found[0]}

    return context.part("table-2", compute, total=n, draws=n, seed=context.seed)


def _one_draw(seed: int) -> Arrays:
    """Return scores and coefficients of all algorithms and outputs on one draw."""
    data = simulated(seed)
    coef = np.array([_fitted_coefficients(data, output, seed) for output in AVERAGING]).swapaxes(0, 1)
    best = SDCA("hinge", alpha=data.alpha, tol=LEAST_GAP, fit_intercept=False).fit(data.X, data.y)
    margins = data.y[:, None, None] * np.einsum("ij,klj->ikl", data.X, coef)
    objective = data.alpha / 2 * (coef**2).sum(axis=-1) + np.maximum(0, 1 - margins).mean(axis=0)
    return {
        "accuracy": _test_accuracy(data, coef),
        "excess": objective / (best.objective_ - best.dual_gap_) - 1,
        "distance": np.linalg.norm(directions(coef) - directions(data.beta), axis=-1),
        "beta_accuracy": _test_accuracy(data, data.beta),
        "coef": coef,
        "beta": data.beta,
    }


def _fitted_coefficients(data: DataSet, output: str, seed: int) -> list[np.ndarray]:
    """Return what each algorithm returns, fitted with a seed; NaN where it has no such output."""
    none = np.full(data.X.shape[1], np.nan)
    models = eight_algorithms(data.alpha, data.batch, data.epochs, output)
    fitted = {name: model.set_params(random_state=seed).fit(data.X, data.y) for name, model in models.items()}
    return [fitted[name].coef_.ravel() if name in fitted else none for name in NAMES]


def _test_accuracy(data: DataSet, coef: np.ndarray) -> np.ndarray:
    """Return the share of test rows on the right side; the last axis of `coef` is that of the features."""
    margins = data.y_test * np.tensordot(coef, data.X_test, (-1, -1))
    return np.where(np.isnan(margins[..., 0]), np.nan, (margins > 0).mean(axis=-1))


def directions(coef: np.ndarray) -> np.ndarray:
    """Return vectors of length 1: the last axis is that of the features."""
    return coef / np.linalg.norm(coef, axis=-1, keepdims=True)


def _by_algorithm(values: np.ndarray, statistic: Callable[[np.ndarray], Statistic]) -> dict[str, Statistic]:
    return {name: statistic(values[:, k]) for k, name in enumerate(NAMES)}


# fmt: off
def output_claims(draws: Arrays) -> list[Claim]:
    """Judge the claims on averaging, projection and table 2."""
    accuracy, theirs = draws["accuracy"], TABLE_2[:, 1] - TABLE_2[:, 0]
    gains = accuracy[..., TAIL] - accuracy[..., LAST]
    spread = gains.std(axis=0, ddof=1).mean()
    pairs = [(NAMES.index(plain), NAMES.index(other)) for plain, other in PROJECTIONS.items()]
    projected = [f"{TABLE_2[other, 1] - TABLE_2[plain, 1]:+.3f}" for plain, other in pairs]
    unit = directions(draws["coef"][:, :, LAST])
    return [
        judge("Averaging the output makes no difference to the accuracy",
              f"table 2: {theirs.min():+.3f} to {theirs.max():+.3f}", _by_algorithm(gains, mean),
              judging.meets(0, 0), DIFFERENCE,
              why=f"On a single draw such a difference varies by {spread:.3f} (standard deviation)."),
        judge("Averaging does not bring the coefficients much closer to beta",
              "figure 7", _by_algorithm(_changed(draws["distance"]), median), above(MUCH_CLOSER), SHARE,
              why=f"Distances between directions, averaged / last; much closer: below {MUCH_CLOSER:g}."),
        judge("Averaging does not matter to the objective",
              "conclusion", _by_algorithm(_changed(draws["excess"]), median),
              within(MUCH_CLOSER, 1 / MUCH_CLOSER), SHARE,
              why="What is left above P*, as a share of what is left without averaging."),
        judge("The projection improves the accuracy of Pegasos' averaged output",
              f"table 2: {' and '.join(projected)}",
              {NAMES[plain]: mean(accuracy[:, other, TAIL] - accuracy[:, plain, TAIL])
               for plain, other in pairs},
              above(0), DIFFERENCE, why="Paired differences, projected minus plain."),
        judge("The coefficients are very similar with and without projection", "figure 7",
              {NAMES[plain]: median(np.linalg.norm(unit[:, plain] - unit[:, other], axis=-1))
               for plain, other in pairs}, judging.below(SIMILAR), SHARE,
              why=f"Distances between directions; very similar: below {SIMILAR:g}, which is 6 degrees."),
        *_table_2_claims(draws),
    ]


def _table_2_claims(draws: Arrays) -> list[Claim]:
    """Compare with table 2: both as differences to the accuracy of beta."""
    theirs = TABLE_2 - BETA_ACCURACY
    found = draws["accuracy"][..., [LAST, TAIL]] - draws["beta_accuracy"][:, None, None]
    inside = sum(s.low <= number <= s.high for s, number in zip(
        map(judging.of_a_draw, found.reshape(len(found), -1).T), theirs.ravel(), strict=True))
    nearest = np.abs(found.mean(axis=0) - theirs).max()
    centred = theirs - theirs.mean()
    slopes = (found * centred).sum(axis=(1, 2)) / (centred**2).sum()  # least squares, of each draw
    return [
        judge("All accuracies are around that of beta", f"table 2: within {AROUND:.3f}",
              {f"{name}, {word}": mean(found[:, k, m])
               for k, name in enumerate(NAMES) for m, word in enumerate(("last", "averaged"))},
              within(-AROUND, AROUND), DIFFERENCE, why="The case shown is the furthest."),
        judge("Table 2 comes out again", "16 accuracies", judging.fixed(inside),
              within(0.95 * theirs.size - 1, theirs.size),
              ours=f"{inside} of {theirs.size} differences to beta are where 95 % of our draws are; means "
                   f"are within {nearest:.3f} of the document's",
              why="The document has one draw of the rows; one cell in twenty may lie outside, and one more."),
        judge("Table 2's differences between the algorithms are real",
              f"table 2: {TABLE_2.min():.3f} to {TABLE_2.max():.3f}",
              {"share that comes back": mean(slopes)}, above(REAL), SHARE,
              why="Slope of ours against the document's: 1 if its differences come back, 0 if they were "
                  "noise."),
    ]


def _changed(values: np.ndarray) -> np.ndarray:
    return values[..., TAIL] / values[..., LAST]


def output_figures(draws: Arrays) -> list[Figure]:
    """Return the figures."""
    n = len(draws["accuracy"])
    return [
        Figure("coefficients", "Coefficients against the true beta",
               "One draw of the simulated rows. All vectors have length 1, as labels tell no more than "
               "beta's direction.",
               partial(_draw_coefficients, coef=draws["coef"][0], beta=draws["beta"][0]), (10.5, 6.4),
               source="figure 7"),
        Figure("table-2", "Test accuracy as a difference to beta's", "The document has one draw.",
               partial(_draw_table_2, draws=draws), (9.5, 4.6), source="table 2"),
        Figure("averaging", "What averaging changes",
               f"Averaged against last output over {n} draws, paired, with 95 % intervals: mean difference "
               "of the accuracy; median ratio of the distance to beta, and of the objective's excess.",
               partial(_draw_averaging, draws=draws), (10.5, 4.1), source="section 4.4"),
    ]
# fmt: on


def _draw_coefficients(sheet, coef: np.ndarray, beta: np.ndarray) -> None:
    unit, places = directions(coef), np.arange(1, len(beta) + 1)
    markers = ("o", "last"), ("s", "averaged"), ("^", "one at random")
    # A title, and the first letters of the algorithms in the panel.
    panels = {"SDCA": "SDCA", "Pegasos": "Pegasos", "ASDCA": "ASDCA", "mini-batch Pegasos": "mini-batch"}
    axes = sheet.subplots(2, 2, sharex=True, sharey=True)
    for ax, (title, prefix) in zip(axes.flat, panels.items(), strict=True):
        ax.bar(places, directions(beta), color="0.85", label="beta")
        chosen = [k for k, name in enumerate(NAMES) if name.startswith(prefix)]
        for j, (k, color) in enumerate(zip(chosen, (BLUE, VERMILION, GREEN), strict=False)):
            for m, (marker, _) in enumerate(markers):
                x, label = places + 0.22 * (m - 1) + 0.07 * (j - 1), "" if m else NAMES[k]
                ax.plot(x, unit[k, m], marker, color=color, label=label, fillstyle="none")
        for marker, words in markers:
            ax.plot([], [], marker, color="black", label=words, fillstyle="none")
        ax.axhline(0, color="0.5")
        ends = np.nanmin(unit) - 0.1, np.nanmax(unit) + 0.6  # room for the legend
        ax.set(title=title, xlabel="feature", ylabel="coefficient (length 1)", xticks=places, ylim=ends)
        ax.legend()


def _draw_table_2(sheet, draws: Arrays) -> None:
    axes = sheet.subplots(1, 2, sharex=True, sharey=True)
    for ax, output, word in zip(axes, (LAST, TAIL), ("last", "averaged"), strict=True):
        found = draws["accuracy"][..., output] - draws["beta_accuracy"][:, None]
        for row, ends in enumerate(np.quantile(found, (0.025, 0.975), axis=0).T):
            ax.plot(ends, (row, row), color=BLUE, label="" if row else "95 % of single draws", alpha=0.35)
        means = [mean(column) for column in found.T]
        charts.draw_dots(ax, means, BLUE, f"mean of {len(found)} draws, 95 %")
        theirs, rows = TABLE_2[:, output] - BETA_ACCURACY, range(len(NAMES))
        ax.plot(theirs, rows, "x", color=VERMILION, label="document, one draw", markersize=6)
        ax.axvline(0, color="0.6")
        charts.name_rows(ax, NAMES)
        ax.set(xlabel="accuracy - accuracy of beta", title=f"{word} output")
    charts.legend_below(sheet, 3)


def _draw_averaging(sheet, draws: Arrays) -> None:
    gains = draws["accuracy"][..., TAIL] - draws["accuracy"][..., LAST]
    panels = (
        ("accuracy", gains, mean, 0, "averaged - last"),
        ("distance to beta", _changed(draws["distance"]), median, 1, "averaged / last"),
        ("excess (P - P*) / P*", _changed(draws["excess"]), median, 1, "averaged / last"),
    )
    axes = sheet.subplots(1, len(panels), sharey=True)
    for ax, (title, values, statistic, same, label) in zip(axes, panels, strict=True):
        found = [statistic(column) for column in values.T]
        limits = (0.0 if same else -np.inf), np.inf
        charts.draw_dots(
            ax, found, BLUE, "mean of the differences, median of the ratios; 95 %", limits=limits
        )
        ax.axvline(same, color="0.6")
        charts.name_rows(ax, NAMES)
        ax.set(xlabel=label, title=title)
    charts.legend_below(sheet, 1)


def accuracy_table(draws: Arrays) -> Table:
    """Return table 2."""
    rows, beta = [], draws["beta_accuracy"]
    for k, name in enumerate(NAMES):
        row: list[object] = [name]
        for output, theirs in zip((LAST, TAIL), TABLE_2[k], strict=True):
            accuracy = draws["accuracy"][:, k, output]
            row += [accuracy.mean(), *mean(accuracy - beta), theirs, theirs - BETA_ACCURACY]
        rows.append(row)
    parts = "accuracy", "minus beta's", "from", "to", "document", "document minus beta's"
    header = "algorithm", *parts, *(f"averaged: {part}" for part in parts)
    caption = (
        f"Means over {len(beta)} draws of the simulated rows; from and to: the 95 % interval of the "
        f"difference to beta. Beta has {beta.mean():.3f} (document: {BETA_ACCURACY})."
    )
    return Table("table-2", "Accuracy on test rows", caption, header, rows, source="table 2")
