"""The tables of the study."""

from collections.abc import Sequence

import numpy as np

from ...report.claim_judging import mean, median
from ...report.study_report import Claim, Table
from .output_claims import LAST, TABLE_2, TAIL
from .solver_experiments import FIELDS, Draws, Results, best_theta
from .solver_sets import BETA_ACCURACY


# fmt: off
def tables(results: Results, claims: Sequence[Claim]) -> list[Table]:
    """Return all tables."""
    return [
        Table("sets", "Data sets", "The batch is that of ASDCA and mini-batch Pegasos.",
              ("set", "training rows", "test rows", "features", "lambda", "batch", "epochs"),
              [[data.title, len(data.y), len(data.y_test), data.X.shape[1], data.alpha, data.batch,
                data.epochs]
               for data in results.sets],
              source="table 1"),
        _accuracy_table(results.draws),
        _last_epoch_table(results),
        Table("lambda", "Five lambdas", "Medians over the runs with 95 % intervals.",
              ("set", "lambda", "algorithm", "P*", "objective at the end", "from", "to"),
              [[name, alpha, solver, curves.optimum, *median(curves.of[solver]["primal"][:, -1])[:3]]
               for name, grid in results.lambdas.items() for alpha, curves in grid.items()
               for solver in curves.of],
              source="figures 8 to 11"),
        Table("theta", "ASDCA's theta",
              "(P - P*) / P* of the smooth hinge objective; the best is the first to come to 1 % for good.",
              ("set", "theta", "excess at the end", "from", "to", "best"),
              [[name, label, *median(curves.excess(label)[:, -1]),
                "yes" if label == best_theta(curves) else ""]
               for name, curves in results.thetas.items() for label in curves.of]),
        Table("curves", "All curves", "Medians over the runs.", ("set", "algorithm", "epoch", *FIELDS),
              [[data.name, name, epoch + 1, *(float(np.median(fields[key][:, epoch])) for key in FIELDS)]
               for data in results.sets for name, fields in results.curves[data.name].of.items()
               for epoch in range(fields["primal"].shape[1])],
              shown=False, source="figures 1 to 6"),
        Table("comparisons", "All comparisons", "What each verdict rests on.",
              ("claim", "comparison", "value", "from", "to", "verdict"),
              [[claim.words, *case] for claim in claims for case in claim.cases],
              shown=False),
    ]
# fmt: on


def _accuracy_table(draws: Draws) -> Table:
    rows = []
    for k, name in enumerate(draws.names):
        row: list[object] = [name]
        for output, theirs in zip((LAST, TAIL), TABLE_2[k], strict=True):
            found = mean(draws.accuracy[:, k, output] - draws.beta_accuracy)
            row += [draws.accuracy[:, k, output].mean(), *found[:3], theirs, theirs - BETA_ACCURACY]
        rows.append(row)
    parts = "accuracy", "minus beta's", "from", "to", "document", "document minus beta's"
    header = "algorithm", *parts, *(f"averaged: {part}" for part in parts)
    caption = (
        f"Means over {len(draws.accuracy)} draws of the simulated rows; from and to: the 95 % interval of "
        f"the difference to beta. Beta has {draws.beta_accuracy.mean():.3f} (document: {BETA_ACCURACY})."
    )
    return Table("table-2", "Accuracy on test rows", caption, header, rows, source="table 2")


def _last_epoch_table(results: Results) -> Table:
    rows = []
    for data in results.sets:
        curves = results.curves[data.name]
        for name, fields in curves.of.items():
            last = {key: float(np.median(values[:, -1])) for key, values in fields.items()}
            excess = median(curves.excess(name)[:, -1])
            rows.append(
                [data.title, name, last["primal"], *excess[:3], last["gap"], last["error"], last["seconds"]]
            )
    header = "set", "algorithm", "objective", "excess", "from", "to", "gap", "test error", "CPU seconds"
    caption = "Medians over the runs. Excess: (P - P*) / P*, with the 95 % interval of its median."
    return Table("ends", "After the last epoch", caption, header, rows)
