"""The tables of the study."""

import numpy as np

from ...common.statistics import confusion, mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Table
from .kernel_digits import Digits
from .kernel_figures import IMPLEMENTATIONS, worst_rows
from .kernel_grid import BEST_POLYNOMIAL, LAMBDAS, Size

DOCUMENT = {"degree 3": 0.0265, "degree 4": 0.027, "gamma 2": 0.027}


# fmt: off
def tables(digits: Digits, size: Size, grids: dict[str, Arrays], race: Arrays, wrong: Arrays) -> list[Table]:
    """Return the tables."""
    kernel, _, alpha = BEST_POLYNOMIAL
    labels = np.unique(digits.y)
    counts = confusion(digits.y.tolist(), wrong["predicted"].tolist(), labels.tolist())
    return [
        Table("best", "The best cell of each kernel",
              "Test error, mean of the folds with its 95 % interval.",
              ("kernel", "T", "lambda", "error", "from", "to", "document"),
              [[name, *_best_cell(grid["error"], size), DOCUMENT.get(name)] for name, grid in grids.items()]),
        Table("confusion", "What each digit was taken for",
              f"True digits in rows, predicted in columns; {kernel}, T {size.steps[-1]:,}, lambda {alpha:g}.",
              ("digit", *map(str, labels)),
              [[str(label), *row.tolist()] for label, row in zip(labels, counts, strict=True)]),
        Table("implementations", "Three implementations of one binary classifier", "CPU seconds, medians.",
              ("T", *IMPLEMENTATIONS),
              [[steps, *np.median(race["seconds"][:, k], axis=1).tolist()]
               for k, steps in enumerate(size.race_steps)],
              source="figure 4"),
        Table("mistakes", "Mistakes", "The most confident first; row counts from 0.",
              ("row", "digit", "predicted", "lead"),
              [[int(row), int(digits.y[row]), int(wrong["predicted"][row]), float(wrong["lead"][row])]
               for row in worst_rows(digits, wrong)],
              shown=False),
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
