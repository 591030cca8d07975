"""The figures of what is returned: coefficients, averaging and table 2."""

import numpy as np

from ...report.claim_judging import mean, median
from ...report.study_report import Figure
from ..output.study_charts import Across, Bars, Curve, Dots, Panel, chart, named_rows
from ..output.study_colors import BLUE, GREEN, VERMILION
from .output_claims import LAST, TABLE_2, TAIL
from .solver_experiments import OUTPUTS, Draws, directions
from .solver_sets import BETA_ACCURACY

# Figure 7's panels: a title, and the first letters of the algorithms in it.
PANELS = {"SDCA": "SDCA", "Pegasos": "Pegasos", "ASDCA": "ASDCA", "mini-batch Pegasos": "mini-batch"}
MARKERS = {"last": ("o", "last"), "tail": ("s", "averaged"), "random": ("^", "one at random")}


# fmt: off
def output_figures(draws: Draws) -> list[Figure]:
    """Return the figures."""
    n = len(draws.accuracy)
    panels = [_coefficient_panel(draws, title, prefix) for title, prefix in PANELS.items()]
    return [
        Figure("coefficients", "Coefficients against the true beta",
               "One draw of the simulated rows. All vectors have length 1, as labels tell no more than "
               "beta's direction.",
               chart(panels[:2], panels[2:], sharex=True, sharey=True),
               size=(10.5, 6.4), source="figure 7"),
        Figure("table-2", "Test accuracy as a difference to beta's",
               "The document has one draw.",
               chart([_table_2_panel(draws, LAST, "last"), _table_2_panel(draws, TAIL, "averaged")],
                     legend=3, sharex=True, sharey=True),
               size=(9.5, 4.6), source="table 2"),
        Figure("averaging", "What averaging changes",
               f"Averaged against last output over {n} draws, paired, with 95 % intervals: mean difference "
               "of the accuracy; median ratio of the distance to beta, and of the objective's excess.",
               chart([_gain_panel(draws),
                      _ratio_panel(draws, draws.distance, "distance to beta"),
                      _ratio_panel(draws, draws.excess, "excess (P - P*) / P*")],
                     legend=1, sharey=True),
               size=(10.5, 4.1), source="section 4.4"),
    ]
# fmt: on


def _coefficient_panel(draws: Draws, title: str, prefix: str) -> Panel:
    unit, beta = directions(draws.coef[0]), directions(draws.beta[0])
    places = np.arange(1, len(beta) + 1)
    chosen = [k for k, name in enumerate(draws.names) if name.startswith(prefix)]
    hollow = {"fillstyle": "none"}
    points = [
        Curve(places + 0.22 * (m - 1) + 0.07 * (j - 1), unit[k, m], color, "" if m else draws.names[k],
              MARKERS[output][0], hollow)
        for j, (k, color) in enumerate(zip(chosen, (BLUE, VERMILION, GREEN), strict=False))
        for m, output in enumerate(OUTPUTS)
    ]  # fmt: skip
    points += [Curve([], [], "black", words, mark, hollow) for mark, words in MARKERS.values()]
    axes = {"xlabel": "feature", "ylabel": "coefficient (length 1)", "xticks": places, "title": title}
    axes["ylim"] = (np.nanmin(unit) - 0.1, np.nanmax(unit) + 0.6)  # room for the legend
    return Panel(Bars(places, beta, "0.85", "beta"), *points, Across("y", 0, "0.5"), legend=True, **axes)


def _table_2_panel(draws: Draws, output: int, word: str) -> Panel:
    rows = range(len(draws.names))
    found = draws.accuracy[..., output] - draws.beta_accuracy[:, None]
    ranges = np.quantile(found, (0.025, 0.975), axis=0).T
    return Panel(
        *(
            Curve(ends, (row, row), BLUE, "" if row else "95 % of single draws", options={"alpha": 0.35})
            for row, ends in enumerate(ranges)
        ),
        Dots([mean(column) for column in found.T], rows, BLUE, f"mean of {len(found)} draws, 95 %"),
        Curve(
            TABLE_2[:, output] - BETA_ACCURACY, rows, VERMILION, "document, one draw", "x", {"markersize": 6}
        ),
        Across("x", 0),
        xlabel="accuracy - accuracy of beta",
        title=f"{word} output",
        **named_rows(draws.names),
    )


def _gain_panel(draws: Draws) -> Panel:
    found = [mean(column) for column in (draws.accuracy[..., TAIL] - draws.accuracy[..., LAST]).T]
    dots = Dots(found, range(len(found)), BLUE, "mean of the differences, median of the ratios; 95 %")
    return Panel(dots, Across("x", 0), xlabel="averaged - last", title="accuracy", **named_rows(draws.names))


def _ratio_panel(draws: Draws, values: np.ndarray, label: str) -> Panel:
    found = [median(column) for column in (values[..., TAIL] / values[..., LAST]).T]
    dots = Dots(found, range(len(found)), BLUE, limits=(0.0, np.inf))
    return Panel(dots, Across("x", 1), xlabel="averaged / last", title=label, **named_rows(draws.names))
