"""The pictures of what is returned: coefficients, averaging and table 2."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ...common.figures import OKABE_ITO
from ..frame.claim_judging import mean, median
from ..frame.study_report import Figure
from ..output.drawing import legend_below
from .drawing import draw_estimates, tidy
from .output_claims import LAST, TABLE_2, TAIL
from .solver_experiments import OUTPUTS, Draws, directions
from .solver_sets import BETA_ACCURACY

BLUE, VERMILION, GREEN = (OKABE_ITO[name] for name in ("blue", "vermilion", "green"))
# Figure 7's panels: a title, and the first letters of the algorithms in it.
PANELS = {"SDCA": "SDCA", "Pegasos": "Pegasos", "ASDCA": "ASDCA", "mini-batch Pegasos": "mini-batch"}
MARKERS = {"last": "o", "tail": "s", "random": "^"}
WORDS = {"last": "last", "tail": "averaged", "random": "random"}


def output_figures(draws: Draws) -> Iterator[Figure]:
    """Return the pictures."""
    n = len(draws.accuracy)
    yield Figure(
        "coefficients",
        "Coefficients against the true beta",
        "One draw of the simulated rows. All vectors have length 1, as labels tell no more than beta's "
        "direction. Circles: last iterate; squares: averaged; triangles: one of the last half at random.",
        partial(_coefficients, draws),
        size=(10.5, 6.4),
        source="figure 7",
    )
    yield Figure(
        "table-2",
        "Test accuracy as a difference to beta's",
        f"Thick: the mean over {n} draws with its 95 % interval. Thin: where 95 % of single draws are. "
        "Crosses: the document's one draw.",
        partial(_table, draws),
        size=(9.5, 4.6),
        source="table 2",
    )
    yield Figure(
        "averaging",
        "What averaging changes",
        f"Averaged against last output over {n} draws, paired, with 95 % intervals: mean difference of the "
        "accuracy; median ratio of the distance to beta, and of the objective's excess.",
        partial(_averaging, draws),
        size=(10.5, 3.8),
        source="section 4.4",
    )


def _coefficients(draws: Draws, sheet) -> None:
    axes = sheet.subplots(2, 2, sharex=True, sharey=True)
    unit, beta = directions(draws.coef[0]), directions(draws.beta[0])
    places = np.arange(1, len(beta) + 1)
    colours = [BLUE, GREEN, OKABE_ITO["purple"]]
    for ax, (title, prefix) in zip(axes.flat, PANELS.items(), strict=True):
        ax.bar(places, beta, width=0.8, color="0.85", label="beta")
        chosen = [k for k, name in enumerate(draws.names) if name.startswith(prefix)]
        for k, colour in zip(chosen, colours, strict=False):
            for m, output in enumerate(OUTPUTS):
                shift = 0.22 * (m - 1)
                ax.plot(
                    places + shift, unit[k, m], MARKERS[output], color=colour, markersize=4, fillstyle="none"
                )
            ax.plot([], [], "o", color=colour, markersize=4, fillstyle="none", label=draws.names[k])
        ax.axhline(0, color="0.5", linewidth=0.6)
        ax.set_title(title, fontsize=10)
        ax.legend(frameon=False, fontsize=8)
        tidy(ax)
    axes[1, 0].set_xticks(places)
    for ax in axes[1]:
        ax.set_xlabel("feature")
    for ax in axes[:, 0]:
        ax.set_ylabel("coefficient (length 1)")


def _table(draws: Draws, sheet) -> None:
    panels = sheet.subplots(1, 2, sharex=True, sharey=True)
    rows = np.arange(len(draws.names), dtype=float)
    for ax, output, column in zip(panels, (LAST, TAIL), TABLE_2.T, strict=True):
        found = draws.accuracy[..., output] - draws.beta_accuracy[:, None]
        low, high = np.quantile(found, (0.025, 0.975), axis=0)
        ax.hlines(rows, low, high, color=BLUE, alpha=0.35, linewidth=1)
        estimates = [mean(found[:, k]) for k in range(len(rows))]
        draw_estimates(ax, estimates, rows, (-1.0, 1.0), color=BLUE, label=f"here, {len(found)} draws")
        ax.plot(column - BETA_ACCURACY, rows, "x", color=VERMILION, label="document, one draw")
        ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
        ax.set(xlabel="accuracy - accuracy of beta", title=f"{WORDS[OUTPUTS[output]]} output")
        tidy(ax)
    panels[0].set_yticks(rows, draws.names)
    panels[0].invert_yaxis()
    legend_below(sheet, panels[0], 2)


def _averaging(draws: Draws, sheet) -> None:
    panels = sheet.subplots(1, 3, sharey=True)
    rows = np.arange(len(draws.names), dtype=float)
    for ax, values, label in (
        (panels[0], draws.accuracy, "accuracy, averaged - last"),
        (panels[1], draws.distance, "distance to beta, averaged / last"),
        (panels[2], draws.excess, "(P - P*) / P*, averaged / last"),
    ):
        averaged, last = values[..., TAIL], values[..., LAST]
        if values is draws.accuracy:
            found, even, limits = [mean(column) for column in (averaged - last).T], 0.0, (-1.0, 1.0)
        else:
            found, even, limits = [median(column) for column in (averaged / last).T], 1.0, (0.0, np.inf)
        draw_estimates(ax, found, rows, limits, color=BLUE, label=label)
        ax.axvline(even, color="0.6", linewidth=0.8, zorder=0)
        ax.set_xlabel(label)
        tidy(ax)
    panels[0].set_yticks(rows, draws.names)
    panels[0].invert_yaxis()
