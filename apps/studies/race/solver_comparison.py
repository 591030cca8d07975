"""The result of a comparison: a table, its pictures, and the optimum."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np

from fastsvm.fitting.linear import SDCA
from fastsvm.solvers._input import one_of

from ...common.csv_quoting import csv_writer, table_file
from ..report.charts import TEN_COLORS, draw_band, median_band

if TYPE_CHECKING:
    import os
    from typing import Any

    from .solver_contender import Contender

OPTIMUM_TOL = 1e-7  # relative gap of an optimum
X_LABELS = {
    "seconds": "CPU time of the updates (s)",
    "epoch": "epochs",
    "visits": "rows visited",
    "steps": "steps",
}
Y_LABELS = {
    "primal": "objective",
    "excess": "objective above the optimum (relative)",
    "gap": "duality gap (objective minus bound)",
    "error": "test error",
}
LOGARITHMIC = {"excess", "gap"}
STYLES = ("-", "--", "-.", ":")


class Comparison:
    """The measurements of `fastsvm_apps.studies.race.compare`.

    Attributes
    ----------
    table : structured ndarray, one line per solver, run and measured point, in this order
        - solver : str, the label
        - run : int, from 0; its seed is random_state + run
        - epoch : float, epochs done; below 1 inside the first, with `parts`
        - visits : int, rows seen so far
        - steps : int, updates so far: one for each batch
        - seconds : float, CPU seconds of the updates so far, measuring not counted
        - primal : float, the objective of the current model
        - gap : float, primal minus the dual value of the solver's dual variables, an upper bound on the
          distance of primal from the optimum; NaN without dual variables
        - error : float, share of test rows with a wrong label; NaN without test rows
    coef : dict of str to ndarray of shape (runs, n_features), float64
        The weights that each run returned; of shape (runs, n_classes, n_features) for more than two classes.
    intercept : dict of str to ndarray of shape (runs,) or (runs, n_classes), float64
    """

    def __init__(self, contenders: list[Contender]):
        self._contenders = {each.label: each for each in contenders}
        self.table = np.concatenate([each.table.ravel() for each in contenders])
        one = 0 if contenders[0].problems == 1 else slice(None)
        self.coef = {each.label: each.coef[:, one] for each in contenders}
        self.intercept = {each.label: each.intercept[:, one] for each in contenders}

    @cached_property
    def optimum(self) -> dict[str, float]:
        """The optimal objective by label: a lower bound, certified to 1e-7 of it if 1,000 epochs are enough.

        It takes a fit to this gap for each objective. NaN for models without regularisation.
        """
        objectives = {repr(each.objective): each for each in self._contenders.values()}
        found = {key: _lower_bound(each.objective, each.task) for key, each in objectives.items()}
        return {label: found[repr(each.objective)] for label, each in self._contenders.items()}

    @property
    def excess(self) -> np.ndarray:
        """How far the primal of each line is above the optimum, as a share of the optimum."""
        optimum = np.empty(len(self.table))
        for label, value in self.optimum.items():
            optimum[self.table["solver"] == label] = value
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.table["primal"] - optimum) / optimum

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a CSV file atomically. Missing values are empty fields."""
        lines = (self.table.dtype.names, *self.table.tolist())
        with table_file(path) as file:
            csv_writer(file)(*(["" if value != value else value for value in line] for line in lines))

    def plot(self, x: str = "seconds", y: str = "primal", axes: Any = None) -> Any:
        """Draw a curve for each solver: the median over its runs, in a band of the 10th to 90th percentile.

        Parameters
        ----------
        x : {"seconds", "epoch", "visits", "steps"}, default="seconds"
        y : {"primal", "excess", "gap", "error"}, default="primal"
        axes : matplotlib Axes, default=None
            Axes to draw on; None: a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            If x or y is unknown, or no solver has this y, such as error without X_test.
        """
        one_of("x", x, X_LABELS)
        one_of("y", y, Y_LABELS)
        values = self.excess if y == "excess" else self.table[y]
        if np.isnan(values).all():
            raise ValueError(f"No solver has {y!r} to draw.")
        if axes is None:
            from matplotlib import pyplot

            _, axes = pyplot.subplots(layout="constrained")
        for k, (label, coef) in enumerate(self.coef.items()):
            own = self.table["solver"] == label
            spent, runs = (column[own].reshape(len(coef), -1) for column in (self.table[x], values))
            if not np.isnan(runs).all():
                color, line = TEN_COLORS[k % len(TEN_COLORS)], STYLES[k % len(STYLES)]
                draw_band(axes, np.median(spent, axis=0), median_band(runs), color, label, line)
        axes.set(xlabel=X_LABELS[x], ylabel=Y_LABELS[y], yscale="log" if y in LOGARITHMIC else "linear")
        axes.grid(color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        return axes


def _lower_bound(objective, task):
    """Return the mean lower bound of the objectives of the binary problems."""
    if objective.alpha is None:
        return float("nan")
    loss, options = objective.loss, {"n_jobs": task.threads, "random_state": task.seed}
    measured = {name: getattr(objective, name) for name in ("alpha", "fit_intercept", "class_weight")}
    model = SDCA(loss.name, hinge_width=loss.width, tol=OPTIMUM_TOL, **measured, **options)
    with catch_warnings():  # the bound is valid even if this fit does not converge
        simplefilter("ignore")
        model.fit(task.products.X, task.y)
    return float(np.mean(model.objective_ - model.dual_gap_))
