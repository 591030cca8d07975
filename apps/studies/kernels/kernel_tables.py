"""The tables of the study."""

import numpy as np

from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Table
from .kernel_figures import IMPLEMENTATIONS
from .kernel_grid import LAMBDAS, Size

DOCUMENT = {"degree 3": 0.0265, "degree 4": 0.027, "gamma 2": 0.027}


# fmt: off
def tables(size: Size, grids: dict[str, Arrays], race: Arrays) -> list[Table]:
    """Return the tables."""
    return [
        Table("best", "The best cell of each kernel",
              "Test error, mean of the folds with its 95 % interval.",
              ("kernel", "T", "lambda", "error", "from", "to", "document"),
              [[name, *_best_cell(grid["error"], size), DOCUMENT.get(name)] for name, grid in grids.items()]),
        Table("implementations", "Three implementations of one binary classifier", "CPU seconds, medians.",
              ("T", *IMPLEMENTATIONS),
              [[steps, *np.median(race["seconds"][:, k], axis=1).tolist()]
               for k, steps in enumerate(size.race_steps)],
              source="figure 4"),
        Table("grid", "The whole grid", "Error and CPU seconds of the steps, of every fold.",
              ("kernel", "lambda", "T", "fold", "error", "seconds"),
              [[name, LAMBDAS[a], size.steps[t], fold, float(error), float(grid["seconds"][a, t, fold])]
               for name, grid in grids.items() for (a, t, fold), error in np.ndenumerate(grid["error"])],
              shown=False, source="figures 5 to 12"),
    ]
# fmt: on


def _best_cell(errors: np.ndarray, size: Size) -> list[object]:
    mean = errors.mean(axis=-1)
    alpha, step = np.unravel_index(mean.argmin(), mean.shape)
    low, high = mean_interval(errors[alpha, step].tolist())
    return [size.steps[step], LAMBDAS[alpha], float(mean.min()), low, high]
