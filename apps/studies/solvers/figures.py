"""The pictures of curves: the four algorithms, orders, projection, lambda and theta."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..frame.study_report import Figure
from ..output.drawing import legend_below
from .convergence_costs import AXES, cost_ratio
from .document_solvers import ASDCA_NAME, FOUR, MINI_BATCH, ORDERS, PEGASOS, PROJECTIONS, VANILLA
from .drawing import X_LABELS, draw_curve, draw_estimates, draw_excess, ramp, style_of, tidy
from .solver_experiments import LAMBDAS, LEAST, Curves, Results
from .solver_sets import LONG, SIMULATED, WIDE, DataSet

BANDS = "Medians over the runs, in bands of the 10th to the 90th percentile."
SOURCES = {SIMULATED: "figure 1", WIDE: "figure 2", LONG: "figure 3"}
LEAST_RATIO, MOST_RATIO = 0.02, 200.0


def curve_figures(results: Results) -> Iterator[Figure]:
    """Return the pictures."""
    for data in results.sets:
        yield Figure(
            f"four-{data.name}",
            f"Four algorithms: {data.title}",
            "Above, the objective's excess by steps, by rows visited and by CPU time: the axis decides what "
            "looks slow; the line is 1 % above the optimum. Below, the objective as the document has it, gap "
            f"and test error. {BANDS}",
            partial(_four, results.curves[data.name]),
            size=(10.5, 6.6),
            source=SOURCES[data.kind],
        )
    yield Figure(
        "ratios",
        "What plain Pegasos needs, as a multiple of what another needs",
        "Right of 1 Pegasos is slower. Medians of paired runs with 95 % intervals; a triangle: only one of "
        "the two gets within 1 % of P*.",
        partial(_ratios, results),
        size=(10.5, 1.6 + 0.55 * len(results.sets)),
    )
    for kind, source in ((WIDE, "figure 4"), (LONG, "figure 5")):
        sets = [data for data in results.sets if data.kind == kind]
        if sets:
            yield Figure(
                f"orders-{kind}",
                f"SDCA's orders: {sets[0].called}",
                f"The line at 0.01 is 1 % above the optimum. {BANDS}",
                partial(_orders, results, sets),
                size=(1.2 + 3.4 * len(sets), 3.9),
                source=source,
            )
    wide = [data for data in results.sets if data.kind == WIDE]
    if wide:
        yield Figure(
            "projection",
            f"With and without projection: {wide[0].called}",
            "Above, one row a step; below, a batch. Weights are projected to the ball of radius "
            f"1/sqrt(lambda). {BANDS}",
            partial(_projection, results, wide),
            size=(9.0, 6.2),
            source="figure 6",
        )
    for name, grid in results.lambdas.items():
        [data] = [data for data in results.sets if data.name == name]
        yield Figure(
            f"lambda-{name}",
            f"Five lambdas: {data.title}",
            "Above, the objective; below, its excess over the optimum for that lambda, and a line at 1 %. "
            f"{BANDS}",
            partial(_lambdas, grid),
            size=(11.0, 5.6),
            source="figures 8 to 11",
        )
    yield Figure(
        "theta",
        "ASDCA's theta",
        "Excess of the hinge objective; ASDCA minimises that of the smooth hinge loss. The paper's theta "
        f"is the largest with a proof. {BANDS}",
        partial(_thetas, results),
        size=(1.2 + 3.4 * len(results.thetas), 4.2),
    )


def _four(curves: Curves, sheet) -> None:
    axes = sheet.subplots(2, 3)
    for ax, axis in zip(axes[0], AXES, strict=True):
        draw_excess(ax, curves, FOUR, axis)
    for ax, key, label, scale in (
        (axes[1, 0], "primal", "objective P", _scale(curves)),
        (axes[1, 1], "gap", "duality gap", "log"),
        (axes[1, 2], "error", "test error (%)", "linear"),
    ):
        axis = "steps" if key == "primal" else "visits"
        for name in FOUR:
            y = curves.of[name][key] * (100 if key == "error" else 1)
            draw_curve(ax, curves.of[name][axis], y, **style_of(name))
        ax.set(xscale="log", yscale=scale, xlabel=X_LABELS[axis], ylabel=label)
        tidy(ax)
    legend_below(sheet, axes[0, 0], len(FOUR))


def _scale(curves: Curves) -> str:
    """Return the scale for objectives: a logarithmic axis of less than a decade would have few numbers."""
    most = max(np.median(curves.of[name]["primal"], axis=0).max() for name in FOUR)
    return "log" if most > 10 * curves.optimum else "linear"


def _ratios(results: Results, sheet) -> None:
    panels = sheet.subplots(1, len(AXES), sharey=True)
    rows = np.arange(len(results.sets), dtype=float)
    for ax, (axis, unit) in zip(panels, AXES.items(), strict=True):
        for shift, other in zip((-0.22, 0, 0.22), (VANILLA, ASDCA_NAME, MINI_BATCH), strict=True):
            found = [cost_ratio((c, c), (PEGASOS, other), axis) for c in results.curves.values()]
            draw_estimates(
                ax,
                found,
                rows + shift,
                (LEAST_RATIO, MOST_RATIO),
                color=style_of(other)["color"],
                label=other,
            )
        ax.axvline(1, color="0.6", linewidth=0.8, zorder=0)
        ax.set(xscale="log", xlim=(LEAST_RATIO, MOST_RATIO), xlabel="Pegasos / other", title=f"by the {unit}")
        tidy(ax)
    panels[0].set_yticks(rows, [data.title for data in results.sets])
    panels[0].invert_yaxis()
    legend_below(sheet, panels[0], len(AXES))


def _orders(results: Results, sets: list[DataSet], sheet) -> None:
    axes = sheet.subplots(1, len(sets), squeeze=False)[0]
    for ax, data in zip(axes, sets, strict=True):
        draw_excess(ax, results.curves[data.name], ORDERS, "visits")
        ax.set_title(data.scaling, fontsize=10)
    legend_below(sheet, axes[0], len(ORDERS))


def _projection(results: Results, sets: list[DataSet], sheet) -> None:
    axes = sheet.subplots(2, len(sets), squeeze=False)
    for column, data in zip(axes.T, sets, strict=True):
        for ax, pair in zip(column, PROJECTIONS.items(), strict=True):
            draw_excess(ax, results.curves[data.name], pair, "steps")
            ax.set_title(data.scaling, fontsize=10)
            ax.legend(frameon=False, fontsize=8)


def _lambdas(grid: dict[float, Curves], sheet) -> None:
    axes = sheet.subplots(2, len(FOUR), sharex=True, sharey="row")
    for (above, below), name in zip(axes.T, FOUR, strict=True):
        for k, alpha in enumerate(LAMBDAS):
            curves, style = grid[alpha], {"color": ramp(k, len(LAMBDAS)), "label": f"lambda {alpha:g}"}
            draw_curve(above, curves.of[name]["visits"], curves.of[name]["primal"], **style)
            draw_curve(below, curves.of[name]["visits"], np.maximum(curves.excess(name), LEAST), **style)
        above.set(xscale="log", yscale="log", title=name)
        below.set(yscale="log", xlabel=X_LABELS["visits"])
        below.axhline(0.01, color="0.6", linewidth=0.8, zorder=0)
        tidy(above)
        tidy(below)
    axes[0, 0].set_ylabel("objective P")
    axes[1, 0].set_ylabel("(P - P*) / P*")
    legend_below(sheet, axes[0, 0], len(LAMBDAS))


def _thetas(results: Results, sheet) -> None:
    axes = sheet.subplots(1, len(results.thetas), squeeze=False)[0]
    titles = {data.name: data.title for data in results.sets}
    for ax, (name, curves) in zip(axes, results.thetas.items(), strict=True):
        others = [label for label in curves.of if label != "paper"]
        for k, label in enumerate(others):
            style = {"color": ramp(k, len(others)), "label": f"theta {label}"}
            draw_curve(ax, curves.of[label]["visits"], curves.excess(label), **style)
        paper = {"color": "black", "linestyle": "--", "label": "the paper's theta"}
        draw_curve(ax, curves.of["paper"]["visits"], curves.excess("paper"), **paper)
        ax.set(xscale="log", yscale="log", xlabel=X_LABELS["visits"], title=titles[name])
        ax.axhline(0.01, color="0.6", linewidth=0.8, zorder=0)
        tidy(ax)
    axes[0].set_ylabel("(P - P*) / P*")
    legend_below(sheet, axes[0], 4)
