"""Runs of several solvers that a study keeps, measured after each epoch."""

from dataclasses import dataclass

import numpy as np

from ...common.progress import by_steps
from ..report.study_report import Advance, Arrays, Context
from .compare_solvers import compare

FIELDS = "visits", "steps", "seconds", "primal", "gap", "error"

# X and y, to train on, and to test on if there are any.
Parts = tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]


@dataclass(frozen=True)
class Curves:
    """Runs of several solvers on one set.

    Attributes
    ----------
    of : dict of str to dict of str to ndarray of shape (n_runs, n_epochs)
        By solver, then by field: "visits" and "steps" from the start, CPU "seconds" of the updates, the
        objective ("primal"), its "gap", "error" on the test rows.
    optimum : float
        The least objective, P*.
    """

    of: dict[str, dict[str, np.ndarray]]
    optimum: float

    def excess(self, name: str) -> np.ndarray:
        """Return how far a solver's objectives are above the least one, as a share of that."""
        known = self.of[name]
        return known["excess"] if "excess" in known else known["primal"] / self.optimum - 1


def race_curves(
    context: Context, part: str, models: dict, parts: Parts, runs: int, loss: str = "", **key: object
) -> Curves:
    """Run solvers that share an objective, or take what an earlier run kept of them.

    Parameters
    ----------
    context : Context
    part : str
        Names what is kept.
    models : dict of str to model
    parts : (X, y, X_test, y_test)
    runs : int
    loss : str
        That of the objective which is measured; "": that of the models.
    **key
        What the runs depend on.
    """

    X, y, X_test, y_test = parts
    measured = {"loss": loss} if loss else {}

    def compute(advance: Advance) -> Arrays:
        how = {"n_jobs": context.threads, "random_state": context.seed, "progress": by_steps(advance)}
        found = compare(models, X, y, runs=runs, X_test=X_test, y_test=y_test, **measured, **how)
        [optimum] = set(found.optimum.values())
        return {"table": found.table, "optimum": np.array(optimum)}

    total = runs * sum(model.max_iter for model in models.values())
    kept = context.part(part, compute, total=total, runs=runs, seed=context.seed, **measured, **key)
    of = {}
    for name in dict.fromkeys(kept["table"]["solver"].tolist()):
        lines = kept["table"][kept["table"]["solver"] == name].reshape(runs, -1)
        of[name] = {field: lines[field] for field in FIELDS}
    return Curves(of, float(kept["optimum"]))
