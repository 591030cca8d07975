"""The figures of convergence: the four algorithms, orders, projection, lambda and theta."""

from collections.abc import Iterable, Iterator

import numpy as np

from ..frame.study_report import Figure
from ..output.study_charts import LOG_LOG, Across, Curve, Dots, Panel, chart, median_band, named_rows
from ..output.study_colors import BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, VERMILION, viridis_color
from . import document_solvers as solvers
from .convergence_costs import AXES, cost_ratio
from .solver_experiments import LAMBDAS, LEAST, Curves, Results
from .solver_sets import LONG, SIMULATED, WIDE

BANDS = "Medians over the runs, in bands of the 10th to the 90th percentile."
SOURCES = {SIMULATED: "figure 1", WIDE: "figure 2", LONG: "figure 3"}
STYLES = {
    solvers.VANILLA: (BLUE, "-"),
    solvers.PERMUTATION: (SKY_BLUE, "--"),
    solvers.CYCLIC: (ORANGE, "-."),
    solvers.PEGASOS: (VERMILION, "--"),
    solvers.PROJECTED: (ORANGE, "-."),
    solvers.ASDCA_NAME: (GREEN, "-."),
    solvers.MINI_BATCH: (PURPLE, ":"),
    solvers.MINI_BATCH_PROJECTED: (SKY_BLUE, "-."),
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
LIMITS = 0.02, 200.0  # of ratios


# fmt: off
def convergence_figures(results: Results) -> Iterator[Figure]:
    """Return the figures."""
    titles = {data.name: data.title for data in results.sets}
    of_kind = {kind: [data for data in results.sets if data.kind == kind] for kind in (WIDE, LONG)}
    for data in results.sets:
        yield Figure(
            f"four-{data.name}", f"Four algorithms: {data.title}",
            "Above, the objective's excess by steps, by rows visited and by CPU time: the axis decides what "
            "looks slow; the line is 1 % above the optimum. Below, the objective as the document has it, gap "
            f"and test error. {BANDS}",
            _four_algorithms_chart(results.curves[data.name]), size=(10.5, 6.6), source=SOURCES[data.kind])
    yield Figure(
        "ratios", "What plain Pegasos needs, as a multiple of what another needs",
        "Right of 1 Pegasos is slower. Medians of paired runs with 95 % intervals; a triangle: only one of "
        "the two gets within 1 % of P*.",
        chart([_cost_ratio_panel(results, axis) for axis in AXES], legend=len(AXES), sharey=True),
        size=(10.5, 1.6 + 0.55 * len(titles)))
    for (kind, sets), source in zip(of_kind.items(), ("figure 4", "figure 5"), strict=True):
        if sets:
            yield Figure(
                f"orders-{kind}", f"SDCA's orders: {sets[0].called}",
                f"The line at 0.01 is 1 % above the optimum. {BANDS}",
                chart([_solver_panel(results.curves[data.name], solvers.ORDERS, "visits", title=data.scaling)
                       for data in sets], legend=len(solvers.ORDERS)),
                size=(1.2 + 3.4 * len(sets), 3.9), source=source)
    if wide := of_kind[WIDE]:
        yield Figure(
            "projection", f"With and without projection: {wide[0].called}",
            "Above, one row a step; below, a batch. Weights are projected to the ball of radius "
            f"1/sqrt(lambda). {BANDS}",
            chart(*([_solver_panel(results.curves[data.name], pair, "steps", title=data.scaling, legend=True)
                     for data in wide] for pair in solvers.PROJECTIONS.items())),
            size=(9.0, 6.2), source="figure 6")
    for name, grid in results.lambdas.items():
        yield Figure(
            f"lambda-{name}", f"Five lambdas: {titles[name]}",
            "Above, the objective; below, its excess over the optimum for that lambda, and a line at 1 %. "
            f"{BANDS}",
            chart(*([_alpha_panel(grid, solver, y) for solver in solvers.FOUR] for y in ("primal", "excess")),
                  legend=len(LAMBDAS), sharex=True, sharey="row"),
            size=(11.0, 5.6), source="figures 8 to 11")
    yield Figure(
        "theta", "ASDCA's theta",
        "Excess of the hinge objective; ASDCA minimises that of the smooth hinge loss. The paper's theta "
        f"is the largest with a proof. {BANDS}",
        chart([_theta_panel(curves, titles[name]) for name, curves in results.thetas.items()], legend=4),
        size=(1.2 + 3.4 * len(results.thetas), 4.2))
# fmt: on


def _solver_curve(curves: Curves, name: str, x: str, y: str, label: str, color, line: str = "-") -> Curve:
    known = {**curves.of[name], "excess": np.maximum(curves.excess(name), LEAST)}
    spent = np.median(known[x] * UNITS.get(x, 1), axis=0)
    return Curve(spent, median_band(known[y] * UNITS.get(y, 1), 0.1), color, label, line)


def _panel_of(parts: Iterable[Curve], x: str, y: str, **axes) -> Panel:
    near = [Across("y", 0.01)] if y == "excess" else []
    return Panel(*parts, *near, **LOG_LOG | {"xlabel": LABELS[x], "ylabel": LABELS[y]} | axes)


def _solver_panel(curves: Curves, names: Iterable[str], x: str, y: str = "excess", **axes) -> Panel:
    """Return the curves of some algorithms."""
    return _panel_of((_solver_curve(curves, name, x, y, name, *STYLES[name]) for name in names), x, y, **axes)


def _four_algorithms_chart(curves: Curves):
    most = max(np.median(curves.of[name]["primal"], axis=0).max() for name in solvers.FOUR)
    # A logarithmic axis of less than a decade would have few numbers.
    scale = "log" if most > 10 * curves.optimum else "linear"
    return chart(
        [_solver_panel(curves, solvers.FOUR, axis) for axis in AXES],
        [
            _solver_panel(curves, solvers.FOUR, "steps", "primal", yscale=scale),
            _solver_panel(curves, solvers.FOUR, "visits", "gap"),
            _solver_panel(curves, solvers.FOUR, "visits", "error", yscale="linear"),
        ],
        legend=len(solvers.FOUR),
    )


def _cost_ratio_panel(results: Results, axis: str) -> Panel:
    rows = np.arange(len(results.sets))
    dots = []
    others = [name for name in solvers.FOUR if name != solvers.PEGASOS]
    for shift, other in zip((-0.22, 0, 0.22), others, strict=True):
        found = [cost_ratio((c, c), (solvers.PEGASOS, other), axis) for c in results.curves.values()]
        dots.append(Dots(found, rows + shift, STYLES[other][0], other, LIMITS))
    names = named_rows([data.title for data in results.sets])
    title = f"by the {AXES[axis]}"
    return Panel(
        *dots, Across("x", 1), xscale="log", xlim=LIMITS, xlabel="Pegasos / other", title=title, **names
    )


def _alpha_panel(grid: dict[float, Curves], name: str, y: str) -> Panel:
    parts = [
        _solver_curve(grid[alpha], name, "visits", y, f"lambda {alpha:g}", viridis_color(k, len(LAMBDAS)))
        for k, alpha in enumerate(LAMBDAS)
    ]
    return _panel_of(parts, "visits", y, title=name if y == "primal" else "")


def _theta_panel(curves: Curves, title: str) -> Panel:
    others = [label for label in curves.of if label != "paper"]
    parts = [
        _solver_curve(curves, label, "visits", "excess", f"theta {label}", viridis_color(k, len(others)))
        for k, label in enumerate(others)
    ]
    paper = _solver_curve(curves, "paper", "visits", "excess", "the paper's theta", "black", "--")
    return _panel_of([*parts, paper], "visits", "excess", title=title)
