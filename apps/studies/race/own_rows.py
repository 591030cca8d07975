"""Solvers on the user's rows: curves, a learning curve, the boundary, and a paragraph to quote."""

from collections.abc import Callable, Sequence
from functools import partial
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from fastsvm.fitting import ASDCA, SDCA, Pegasos, Perceptron

from ...common.errors import USAGE, AppError
from ..report import charts
from ..report.charts import TEN_COLORS
from ..report.study import Figure, Findings, Measured, Runs, Table, array_hash
from ..report.verdicts import Statistic, in_unit, mean, median, written
from .compare_solvers import compare
from .kept_races import FIELDS, cost_to, excess
from .solver_comparison import X_LABELS, Y_LABELS

# By name: a model, and its parameters besides the options.
LINEAR = {
    "sdca": (SDCA, {"tol": None}),
    "sdca-sgd": (SDCA, {"tol": None, "sgd_init": True}),
    "pegasos": (Pegasos, {}),
    "pegasos-tail": (Pegasos, {"averaging": "tail"}),
    "asdca": (ASDCA, {"tol": None}),
    "perceptron": (Perceptron, {"averaging": "all"}),
}
KERNEL = "kernel-sdca", "kernel-pegasos"
PARTS = 64  # of the first epoch, at which runs are measured
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # of the training rows, for the learning curve
FITS = 6  # of each point of the learning curve, and of each kernel machine
GRID, ABREAST = 200, 3  # points per side, and panels in a row, for the boundary
LEAST = 1e-12  # smallest value drawn, because 0 has no logarithm
CURVES = {"excess": "seconds", "error": "seconds", "gap": "visits"}
AXES = X_LABELS | Y_LABELS | {"error": "test error, %"}


class Parts(NamedTuple):
    """Rows to train on and to test on."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


class Settings(NamedTuple):
    """The comparison: names of solvers, a loss, regularisation strengths, and options of the solvers."""

    solvers: Sequence[str]
    loss: str
    alphas: Sequence[float]
    epochs: int
    runs: int
    options: dict[str, object]
    kernel: str = ""


def model_of(name: str, settings: Settings, alpha: float, seed: int = 0):
    """Return the model of a solver by its name, with the options that it has."""
    if name in KERNEL:
        from fastsvm import KernelPegasosClassifier, KernelSDCAClassifier

        kind = KernelSDCAClassifier if name == "kernel-sdca" else KernelPegasosClassifier
        return kind(settings.kernel, alpha=alpha, random_state=seed)
    kind, own = LINEAR[name]
    known = {"max_iter": settings.epochs, "alpha": alpha, "loss": settings.loss, "random_state": seed}
    if name == "asdca" and settings.loss == "hinge":
        known["loss"] = "smooth_hinge"  # it needs a smooth one
    known |= settings.options | own
    model = kind(**{key: value for key, value in known.items() if key in kind().get_params()})
    try:
        model._params.of(model)
    except ValueError as error:
        raise AppError(f"{name}: {error} Leave out this solver, or change the option.", USAGE) from error
    return model


def names_of(settings: Settings) -> list[str]:
    """Return the names of everything compared."""
    return [*settings.solvers, *(KERNEL if settings.kernel else ())]


def measure(name: str, parts: Parts, settings: Settings, threads: int, advance: Callable) -> Measured:
    """Run everything with each alpha; `advance` is called after each solver."""
    runs, (n, d) = Runs(), parts.X.shape
    for alpha in settings.alphas:
        for solver in names_of(settings):
            if solver not in KERNEL:
                _add_race(runs, solver, parts, settings, alpha, threads)
            _add_learning_curve(runs, solver, parts, settings, alpha)
            advance()
    sizes = f"{n:,} rows to train on and {len(parts.y_test):,} held out, {d:,} columns"
    values = parts.X.data if hasattr(parts.X, "indptr") else parts.X
    known = {"loss": settings.loss, "alpha": ", ".join(f"{alpha:g}" for alpha in settings.alphas)}
    return Measured(
        f"{sizes}, {len(np.unique(parts.y))} labels.",
        settings=known | {"epochs": settings.epochs, "runs": settings.runs} | settings.options,
        hashes={name: array_hash(values, parts.y.astype("U"))},
        runs=runs,
        pictures=_boundaries(parts, settings) if d == 2 else {},
    )


def _add_race(runs: Runs, solver: str, parts: Parts, settings: Settings, alpha: float, threads: int) -> None:
    """Run a solver, measured by the loss that it minimises; for ASDCA this loss is smooth."""
    models = {solver: model_of(solver, settings, alpha)}
    test = {"X_test": parts.X_test, "y_test": parts.y_test}
    found = compare(models, parts.X, parts.y, runs=settings.runs, parts=PARTS, n_jobs=threads, **test)
    lines = found.table.reshape(settings.runs, -1)
    fields = {each: lines[each] for each in FIELDS}
    runs.add("curves", "", solver, f"{alpha:g}", optimum=found.optimum[solver], **fields)


def _add_learning_curve(runs: Runs, solver: str, parts: Parts, settings: Settings, alpha: float) -> None:
    """Fit a solver on some of the rows, drawn anew each time."""
    sizes = np.unique([max(2, round(share * len(parts.y))) for share in SHARES])
    seconds, errors = np.full((2, FITS, len(sizes)), np.nan)
    for seed in range(FITS):
        drawn = np.random.default_rng(seed).permutation(len(parts.y))
        for k, size in enumerate(sizes):
            rows = drawn[:size]
            if len(np.unique(parts.y[rows])) == len(np.unique(parts.y)):  # all labels must be there
                model, start = model_of(solver, settings, alpha, seed), thread_time()
                model.fit(parts.X[rows], parts.y[rows])
                seconds[seed, k] = thread_time() - start
                errors[seed, k] = np.mean(model.predict(parts.X_test) != parts.y_test)
    runs.add("rows", "", solver, f"{alpha:g}", visits=[sizes], seconds=seconds, error=errors)


def _boundaries(parts: Parts, settings: Settings) -> dict:
    """Return the labels that each solver gives all over the plane, with the first alpha."""
    points, labels = np.vstack([parts.X, parts.X_test]), np.unique(parts.y)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.05 * (high - low)
    axes = [np.linspace(*ends, GRID) for ends in zip(low - margin, high + margin, strict=True)]
    grid, sides = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2), {}
    for solver in names_of(settings):
        given = model_of(solver, settings, settings.alphas[0]).fit(parts.X, parts.y).predict(grid)
        sides[solver] = np.searchsorted(labels, given).reshape(GRID, GRID)
    return {"parts": parts, "axes": axes, "sides": sides, "labels": labels}


# What is made of it


def findings(measured: Measured) -> Findings:
    """Return figures and the table of solvers; there are no claims."""
    runs = measured.runs
    alphas = [*dict.fromkeys(key.setting for key in runs.select("rows"))]
    figures = [
        Figure(f"{y}-{alpha}", partial(draw_curves, runs, alpha, y), (5.5, 4.2), y, alpha)
        for alpha in alphas
        for y in CURVES
    ]
    figures.append(Figure("rows", partial(draw_learning_curves, runs, alphas)))
    if measured.pictures:
        number = len(measured.pictures["sides"])
        size = 3.4 * min(number, ABREAST), 3.4 * -(-number // ABREAST) + 0.4
        figures.append(
            Figure("boundary", partial(draw_boundaries, **measured.pictures), size, shows_data=True)
        )
    return Findings({}, figures, [solver_table(runs)])


def solver_table(runs: Runs) -> Table:
    """Return the cost and the final values of each solver."""
    header = "solver", "alpha", "CPU s", "rows to 1 %", "CPU s to 1 %", "objective", "gap", "test error"
    rows = []
    for key, fitted in runs.select("rows").items():
        costs, ends, error = (None, None), (None, None), last_error(fitted)
        spent = np.median(fitted["seconds"][:, -1])
        if fields := runs.select("curves").get(key._replace(experiment="curves")):
            costs = [near_cost(fields, axis) for axis in ("visits", "seconds")]
            costs = [cost if np.isfinite(cost) else "never" for cost in costs]
            ends = [np.median(fields[name][:, -1]) for name in ("primal", "gap")]
            spent, error = np.median(fields["seconds"][:, -1]), last_error(fields)
        rows.append([key.solver, key.setting, spent, *costs, *ends, error])
    return Table("solvers", header, rows)


def near_cost(fields: dict, axis: str) -> float:
    """Return the cost of the median run until it stays within 1 % of the optimum."""
    return median(cost_to(fields, axis)).value


def last_error(fields: dict) -> Statistic:
    """Return the mean error at the last point."""
    return mean(fields["error"][:, -1])


def quote(name: str, measured: Measured) -> tuple[str, str]:
    """Return the best solver, and a paragraph to quote: the others, each with its best alpha."""
    best, settings = {}, measured.settings
    for key, fields in measured.runs.select("curves").items():
        if key.solver not in best or last_error(fields) < last_error(best[key.solver][1]):
            best[key.solver] = key.setting, fields
    said, order = {}, {}
    for solver, (alpha, fields) in best.items():
        cost, error = near_cost(fields, "seconds"), last_error(fields)
        near = f"within 1 % of the optimum after {1e3 * cost:.3g} ms of CPU time"
        near = near if np.isfinite(cost) else "not within 1 % of the optimum"
        said[solver] = f"{solver} with alpha {alpha}, test error {written(in_unit(error, '%'), '%')}, {near}."
        order[solver] = error.value, cost
    first, *others = sorted(said, key=order.__getitem__)
    times = f"each solver ran {settings['runs']} times for {settings['epochs']} epochs"
    ends = (
        f"On {name} ({measured.data[:-1]}), {times}. Times (updates only) are medians; intervals are at 95 %."
    )
    rest = [f"Then {said[each]}" for each in others]
    return f"Best here by test error, then by time: {said[first]}", " ".join([*rest, ends])


def draw_curves(runs: Runs, alpha: str, y: str, sheet) -> None:
    """Draw the distance from the optimum, the gap or the test error of all solvers."""
    own = [(key.solver, fields) for key, fields in runs.select("curves").items() if key.setting == alpha]
    ax, x = sheet.subplots(), CURVES[y]
    for (solver, fields), color in zip(own, TEN_COLORS, strict=False):
        known = {"excess": excess(fields), "gap": fields["gap"], "error": 100 * fields["error"]}
        values = known[y] if y == "error" else np.maximum(known[y], LEAST)
        charts.draw_band(ax, np.median(fields[x], axis=0), charts.median_band(values), color, solver)
    charts.name_band(ax)
    ax.set(xlabel=AXES[x], ylabel=AXES[y], xscale="log", yscale="linear" if y == "error" else "log")
    charts.legend_below(sheet, 4)


def draw_learning_curves(runs: Runs, alphas: list[str], sheet) -> None:
    """Draw the test error by the number of training rows."""
    for ax, alpha in zip(sheet.subplots(1, len(alphas), sharey=True, squeeze=False)[0], alphas, strict=True):
        own = [(key.solver, fields) for key, fields in runs.select("rows").items() if key.setting == alpha]
        for (solver, fields), color in zip(own, TEN_COLORS, strict=False):
            errors = 100 * np.nanmean(fields["error"], axis=0)
            ax.plot(fields["visits"][0], errors, "o-", color=color, label=solver)
        ax.set(xscale="log", xlabel="training rows", ylabel=AXES["error"], title=f"alpha {alpha}")
    charts.legend_below(sheet, 4)


def draw_boundaries(sheet, parts: Parts, axes: list, sides: dict, labels: np.ndarray) -> None:
    """Draw the predicted label of each place, and the points."""
    across = min(len(sides), ABREAST)
    panels = sheet.subplots(-(-len(sides) // across), across, squeeze=False).ravel()
    for ax in panels[len(sides) :]:
        ax.remove()
    for ax, (name, side) in zip(panels, sides.items(), strict=False):
        levels = np.arange(len(labels) + 1) - 0.5
        ax.contourf(*axes, side, levels=levels, colors=TEN_COLORS[: len(labels)], alpha=0.2)
        for label, color in zip(labels, TEN_COLORS, strict=False):
            for X, y, marker in ((parts.X, parts.y, "o"), (parts.X_test, parts.y_test, "x")):
                ax.plot(*X[y == label].T, marker, color=color, markersize=3)
        ax.set(title=name, xlabel="first column", ylabel="second column")
