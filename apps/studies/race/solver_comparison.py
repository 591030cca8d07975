"""What a comparison found: a table, its pictures, and the optimum that it is measured against."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fastsvm.fitting.linear import SDCA
from fastsvm.solvers._input import one_of

from ...common.csv_quoting import csv_writer, table_file

if TYPE_CHECKING:
    import os
    from typing import Any

OPTIMUM_TOL = 1e-7  # relative gap to which an optimum is found
X_LABELS = {
    "seconds": "CPU time of the updates (s)",
    "epoch": "epochs",
    "visits": "rows visited",
    "steps": "steps",
}
Y_LABELS = {
    "primal": "objective P",
    "excess": "(P - optimum) / optimum",
    "gap": "duality gap P - D",
    "error": "test error",
}
LOGARITHMIC = {"excess", "gap"}
STYLES = ("-", "--", "-.", ":")


class Comparison:
    """What `fastsvm_apps.studies.race.compare` measured.

    Attributes
    ----------
    table : structured ndarray, a line for each measured point of each run of each solver, in that order
        - solver : str, the label
        - run : int, from 0; its seed is random_state + run
        - epoch : float, epochs done; below 1 inside the first, if `parts` of it were asked for
        - visits : int, rows seen so far
        - steps : int, updates so far: one for each batch
        - seconds : float, CPU seconds of the updates so far, measuring not counted
        - primal : float, the objective of what would be returned now
        - gap : float, primal minus the dual value of the solver's dual variables: the most that primal can be
          above the optimum; NaN where there are none
        - error : float, share of the test rows that are wrong; NaN without test rows
    coef : dict of str to ndarray of shape (runs, n_features), float64
        What each run returned; of shape (runs, n_classes, n_features) for more than two classes.
    intercept : dict of str to ndarray of shape (runs,) or (runs, n_classes), float64
    """

    def __init__(self, table, coef, intercept, contenders, optimum):
        self.table, self.coef, self.intercept = table, coef, intercept
        self._contenders, self._known = contenders, optimum

    @classmethod
    def of(cls, contenders, optimum=None):
        """Gather what was measured of the contenders, by label."""
        table = np.concatenate([contender.table.ravel() for contender in contenders.values()])
        one = 0 if next(iter(contenders.values())).problems == 1 else slice(None)
        coef = {label: contender.coef[:, one] for label, contender in contenders.items()}
        intercept = {label: contender.intercept[:, one] for label, contender in contenders.items()}
        return cls(table, coef, intercept, contenders, optimum)

    def __reduce__(self):
        # Solvers cannot be copied, and a copy that has the optimum needs none.
        return type(self), (self.table, self.coef, self.intercept, {}, self.optimum)

    def __repr__(self):
        runs = [f"{label} ({len(coef)} runs)" for label, coef in self.coef.items()]
        return f"Comparison of {', '.join(runs)}: {len(self.table)} lines in .table"

    @cached_property
    def optimum(self) -> dict[str, float]:
        """The optimal objective by label: a lower bound, certified to 1e-7 of it, unless it was given.

        It takes a fit to that gap for each objective there is. NaN for what has no regularisation.
        """
        if self._known is not None:
            return self._known
        found: dict[str, float] = {}
        optima: dict[str, float] = {}
        for label, contender in self._contenders.items():
            key = repr(contender.objective)
            if key not in optima:
                optima[key] = _lower_bound(contender.objective, contender.task)
            found[label] = optima[key]
        return found

    @property
    def excess(self) -> np.ndarray:
        """How far each line's primal is above the optimum, as a share of it."""
        optimum = np.empty(len(self.table))
        for label, value in self.optimum.items():
            optimum[self.table["solver"] == label] = value
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.table["primal"] - optimum) / optimum

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a CSV file, whole or not at all; what there is none of is left empty."""
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
            Where to draw; None: on a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            On another x or y, and where no solver has such a y: no error was measured without X_test.
        """
        one_of("x", x, X_LABELS)
        one_of("y", y, Y_LABELS)
        values = self.excess if y == "excess" else self.table[y]
        if np.isnan(values).all():
            raise ValueError(f"There is no {y} of any solver to draw.")
        import matplotlib

        if axes is None:
            from matplotlib import pyplot

            _, axes = pyplot.subplots(layout="constrained")
        colours = matplotlib.color_sequences["petroff10"]  # told apart with any colour vision
        for k, (label, coef) in enumerate(self.coef.items()):
            own = self.table["solver"] == label
            spent, runs = (column[own].reshape(len(coef), -1) for column in (self.table[x], values))
            if not np.isnan(runs).all():
                place, colour = np.median(spent, axis=0), colours[k % len(colours)]
                low, middle, high = np.quantile(runs, (0.1, 0.5, 0.9), axis=0)
                axes.plot(place, middle, STYLES[k % len(STYLES)], color=colour, label=label)
                axes.fill_between(place, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.set(xlabel=X_LABELS[x], ylabel=Y_LABELS[y], yscale="log" if y in LOGARITHMIC else "linear")
        axes.grid(color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        return axes


def _lower_bound(objective, task):
    """The mean over the binary problems of what their objectives cannot fall below."""
    if objective.alpha is None:
        return float("nan")
    loss, options = objective.loss, {"n_jobs": task.threads, "random_state": task.seed}
    measured = {name: getattr(objective, name) for name in ("alpha", "fit_intercept", "class_weight")}
    model = SDCA(loss.name, hinge_width=loss.width, tol=OPTIMUM_TOL, **measured, **options)
    model.fit(task.products.X, task.y)
    return float(np.mean(model.objective_ - model.dual_gap_))
