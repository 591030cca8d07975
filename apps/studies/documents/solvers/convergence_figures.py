"""The figures of convergence: the four algorithms, orders, projection, lambda and theta."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ...report.study_report import Arrays, Figure
from ..output.study_charts import (
    LOG_LOG,
    Across,
    BandKey,
    ChartPart,
    Curve,
    Dots,
    Panel,
    chart,
    mean_band,
    median_band,
    named_rows,
    panel_rows,
)
from ..output.study_colors import BLUE, GREEN, PURPLE, VERMILION, viridis_color
from . import document_solvers as solvers
from .convergence_costs import AXES, cost_ratio
from .rate_experiments import ALPHAS, EPSILONS
from .solver_experiments import LAMBDAS, LEAST_GAP, PAPER, Curves, Results
from .solver_sets import LONG, SIMULATED, WIDE

MEDIANS = "Lines are medians over the runs."
ROOM = 3.0  # times the highest median: an objective is drawn up to there
NEAR_WORDS = "1 % above the optimum"
SOURCES = {SIMULATED: "figure 1", WIDE: "figure 2", LONG: "figure 3"}
STYLES = {
    solvers.VANILLA: (BLUE, "-"),
    solvers.PERMUTATION: (VERMILION, "-"),
    solvers.CYCLIC: (GREEN, "-"),
    solvers.PEGASOS: (VERMILION, "--"),
    solvers.PROJECTED: (BLUE, ":"),
    solvers.ASDCA_NAME: (GREEN, "-."),
    solvers.MINI_BATCH: (PURPLE, ":"),
    solvers.MINI_BATCH_PROJECTED: (GREEN, "--"),
}
LABELS = {
    "visits": "rows visited",
    "steps": "steps",
    "seconds": "CPU time of the updates (ms)",
    "excess": "(P - P*) / P*",
    "primal": "objective P",
    "gap": "duality gap",
    "error": "test error (%)",
}
UNITS = {"seconds": 1000, "error": 100}  # that of a label, in that of the runs
LIMITS = 1e-3, 1e3  # of ratios
SHORTER = {"steps": "steps", "visits": "rows visited", "seconds": "CPU time"}


# fmt: off
def convergence_figures(results: Results) -> Iterator[Figure]:
    """Return the figures."""
    titles = {data.name: data.title for data in results.sets}
    of_kind = {kind: [data for data in results.sets if data.kind == kind] for kind in (WIDE, LONG)}
    for data in results.sets:
        yield Figure(
            f"four-{data.name}", f"Four algorithms: {data.title}",
            "Above, the objective's excess by steps, by rows visited and by CPU time: the axis decides what "
            "looks slow. Below, the objective of one run as the document has it, "
            f"{_every(results.steps[data.name])}, gap and test error. {MEDIANS}",
            _four_algorithms_chart(results, data.name), size=(10.5, 7.0), source=SOURCES[data.kind])
    yield Figure(
        "ratios", "What plain Pegasos needs, as a multiple of what another needs",
        "Right of 1 Pegasos is slower, to 1 % of each one's optimum; ASDCA with its best theta. Medians of "
        "paired runs with 95 % intervals.",
        chart([_cost_ratio_panel(results, axis) for axis in AXES], legend=len(AXES) + 1, sharey=True),
        size=(10.5, 1.8 + 0.55 * len(titles)))
    for (kind, sets), source in zip(of_kind.items(), ("figure 4", "figure 5"), strict=True):
        if sets:
            yield Figure(
                f"orders-{kind}", f"SDCA's orders: {sets[0].called}",
                f"Each order in a panel of its own, with the medians of the other two dashed. {MEDIANS}",
                chart(*([_order_panel(results.curves[data.name], order, data.scaling)
                     for order in solvers.ORDERS]
                        for data in sets), legend=5, sharex="row", sharey="row"),
                size=(10.5, 0.6 + 2.8 * len(sets)), source=source)
    if wide := of_kind[WIDE]:
        yield Figure(
            "projection", f"With and without projection: {wide[0].called}",
            "Above, one row a step; below, a batch. Weights are projected to the ball of radius "
            f"1/sqrt(lambda). {MEDIANS}",
            chart(*([_projection_panel(results.curves[data.name], pair, data.scaling) for data in wide]
                    for pair in solvers.PROJECTIONS.items()), legend=3),
            size=(9.0, 6.6), source="figure 6")
    for name, grid in results.lambdas.items():
        yield Figure(
            f"lambda-{name}", f"Five lambdas: {titles[name]}",
            f"Above, the objective; below, its excess over the optimum for that lambda. {MEDIANS}",
            chart(*([_alpha_panel(grid, solver, y) for solver in solvers.FOUR] for y in ("primal", "excess")),
                  legend=len(LAMBDAS) + 2, sharex=True, sharey="row"),
            size=(11.0, 5.8), source="figures 8 to 11")
    yield Figure(
        "theta", "ASDCA's theta",
        "Excess of the smooth hinge objective, which ASDCA minimises, over its own optimum. The paper's "
        f"theta is the largest with a proof. {MEDIANS}",
        chart(*panel_rows([_grid_panel(curves, "theta", titles[name])
                           for name, curves in results.thetas.items()], 3), legend=5),
        size=(10.5, 0.8 + 3.2 * -(-len(results.thetas) // 3)))
    yield Figure(
        "batches", "The size of a batch",
        f"Above by steps, below by rows visited; each algorithm by its own optimum. {MEDIANS}",
        chart(*([_grid_panel(grid, "batch", f"{name},\n{title}", x) for title, of in results.batches.items()
                 for name, grid in of.items()] for x in ("steps", "visits")), legend=6),
        size=(1.2 + 4.8 * len(results.batches), 6.4), source="conclusion")
    yield Figure(
        "rates", "Steps to an excess of epsilon, by the number of rows",
        "Simulated rows, average of the last half of the steps. Pegasos needs as many whatever n is; SDCA "
        f"needs n and more where lambda is strong. Means over {len(results.rates['needed'])} draws of rows; "
        "bands of 95 %.",
        chart([_rate_panel(results.rates, a) for a in range(len(ALPHAS))], legend=5, sharey=True),
        size=(10.5, 4.4), source="section 2.3")
# fmt: on


def _every(steps: dict[str, np.ndarray]) -> str:
    return "at every step" if steps["every"] == 1 else f"every {steps['every']:,} steps"


def _solver_curve(curves: Curves, name: str, x: str, y: str, label: str, color, line: str = "-") -> Curve:
    known = {**curves.of[name], "excess": np.maximum(curves.excess(name), LEAST_GAP)}
    spent = np.median(known[x] * UNITS.get(x, 1), axis=0)
    return Curve(spent, median_band(known[y] * UNITS.get(y, 1), 0.1), color, label, line)


def _panel_of(parts: Iterable[ChartPart], x: str, y: str, **axes) -> Panel:
    near = [Across("y", 0.01, label=NEAR_WORDS)] if y == "excess" else []
    return Panel(*parts, *near, BandKey(), **LOG_LOG | {"xlabel": LABELS[x], "ylabel": LABELS[y]} | axes)


def _solver_panel(curves: Curves, names: Iterable[str], x: str, y: str = "excess", **axes) -> Panel:
    """Return the curves of some algorithms."""
    return _panel_of((_solver_curve(curves, name, x, y, name, *STYLES[name]) for name in names), x, y, **axes)


def _order_panel(curves: Curves, order: str, scaling: str) -> Panel:
    parts = [_solver_curve(curves, name, "visits", "excess", name, *STYLES[name]) for name in solvers.ORDERS]
    lines = [
        part if name == order else replace(part, y=part.y[:, 0], line="--")
        for name, part in zip(solvers.ORDERS, parts, strict=True)
    ]
    return _panel_of(lines, "visits", "excess", title=f"{order}, {scaling}")


def _projection_panel(curves: Curves, pair: tuple[str, str], scaling: str) -> Panel:
    """Return the curves of a pair; its legend has both pairs."""
    every = [name for names in solvers.PROJECTIONS.items() for name in names]
    parts = [
        _solver_curve(curves, name, "steps", "excess", name, *STYLES[name])
        if name in pair
        else Curve([], [], STYLES[name][0], name, STYLES[name][1])
        for name in every
    ]
    return _panel_of(parts, "steps", "excess", title=f"{pair[0]}, {scaling}")


def _four_algorithms_chart(results: Results, name: str):
    curves, steps = results.curves[name], results.steps[name]
    every, optimum = int(steps["every"]), curves.optimum
    objectives = [
        Curve(
            every * np.arange(1, 1 + len(steps[each])), steps[each], STYLES[each][0], options={"linewidth": 1}
        )
        for each in solvers.FOUR
    ]
    shown = {"ylim": (0.9 * optimum, ROOM * max(np.median(steps[each]) for each in solvers.FOUR))}
    title = f"objective of one run, {_every(steps)}"
    optimum_line = Across("y", optimum, "black", "--", "P*")
    return chart(
        [_solver_panel(curves, solvers.FOUR, x, title=f"excess by {SHORTER[x]}") for x in AXES],
        [
            Panel(*objectives, optimum_line, legend=True, **LOG_LOG, **shown, title=title,
                  xlabel=LABELS["steps"], ylabel=LABELS["primal"]),
            _solver_panel(curves, solvers.FOUR, "visits", "gap", title="duality gap"),
            _solver_panel(curves, solvers.FOUR, "visits", "error", yscale="linear", title="test error"),
        ],
        legend=len(solvers.FOUR) + 2,
    )  # fmt: skip


def _cost_ratio_panel(results: Results, axis: str) -> Panel:
    rows = np.arange(len(results.sets))
    dots = []
    others = [name for name in solvers.FOUR if name != solvers.PEGASOS]
    for shift, other in zip((-0.22, 0, 0.22), others, strict=True):
        found = [cost_ratio((c, c), (solvers.PEGASOS, other), axis) for _, c in results.of(SOURCES)]
        dots.append(Dots(found, rows + shift, STYLES[other][0], other, LIMITS))
    names = named_rows([data.title for data in results.sets])
    key = Curve([], [], "0.4", "only one of the two gets there", ">")
    return Panel(
        *dots, key, Across("x", 1), xscale="log", xlim=LIMITS, xlabel="Pegasos / other",
        title=f"by the {AXES[axis]}", **names
    )  # fmt: skip


def _alpha_panel(grid: dict[float, Curves], name: str, y: str) -> Panel:
    parts = [
        _solver_curve(grid[alpha], name, "visits", y, f"lambda {alpha:g}", viridis_color(k, len(LAMBDAS)))
        for k, alpha in enumerate(LAMBDAS)
    ]
    if y == "primal":  # the legend is that of the first panel
        parts.append(Curve([], [], "0.6", NEAR_WORDS))
    return _panel_of(parts, "visits", y, title=name)


def _grid_panel(curves: Curves, word: str, title: str, x: str = "visits") -> Panel:
    """Return the curves of one algorithm over the values of a parameter."""
    others = [label for label in curves.of if label != PAPER]
    parts = [
        _solver_curve(curves, label, x, "excess", f"{word} {label}", viridis_color(k, len(others)))
        for k, label in enumerate(others)
    ]
    if PAPER in curves.of:
        parts.append(_solver_curve(curves, PAPER, x, "excess", "the paper's theta", "black", "--"))
    return _panel_of(parts, x, "excess", title=title)


def _rate_panel(rates: Arrays, a: int) -> Panel:
    curves = [
        Curve(rates["n"], np.exp(mean_band(np.log(rates["needed"][:, m, :, a, e]).T)), color,
              f"{method}, epsilon {EPSILONS[e]:g}", line)
        for m, (method, color) in enumerate((("Pegasos", VERMILION), ("SDCA", BLUE)))
        for e, line in ((0, "o-"), (len(EPSILONS) - 1, "s--"))
    ]  # fmt: skip
    n = Curve(rates["n"], rates["n"], "0.5", "n", ":")
    return Panel(*curves, n, **LOG_LOG, xlabel="rows n", ylabel="steps", title=f"lambda {ALPHAS[a]:g}")
