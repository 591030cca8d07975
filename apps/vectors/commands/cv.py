"""`cv`: choose C by cross-validation."""

import click

from ...common.options import STRENGTH, section
from ...common.printing import percent
from ...common.sections import Section, Table
from . import _options

COSTS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


@_options.command("cv a9a", "cv a9a -c 0.5 -c 1 -c 2 -v 10 --json", letter_v=False)
@_options.file_argument
@_options.training_options(
    click.option("-c", "--cost", type=STRENGTH, multiple=True, default=COSTS, help="A C to try; repeatable.")
)
@section("Evaluation", click.option("-v", "--folds", type=_options.FOLDS, default=5, help="Number of folds."))
def cv(source, stage, cost, folds, **options):
    """Compare several values of C by cross-validation.

    All values are tested on the same stratified folds.
    The best is the smallest C with the highest mean accuracy.
    """
    from ..vector_models import cross_validate

    costs = sorted({*cost})
    with stage("read"):
        X, y, *_ = source.read(labelled=True)
    with stage("cross-validate", total=folds * len(costs)) as advance:
        shares = cross_validate(X, y, folds, costs, advance, _options.MachineSettings(**options))
    means = shares.mean(axis=1)
    best = costs[int(means.argmax())]
    rows = zip(costs, means, shares.min(axis=1), shares.max(axis=1), strict=True)
    rows = [[f"{c:g}", *map(percent, rest)] for c, *rest in rows]
    table = Table(["C", "accuracy", "lowest", "highest"], rows, words=())
    record = {"costs": costs, "accuracies": shares.tolist(), "best": best}
    return record, [Section(tables=[table]), Section(lines=[f"best: -c {best:g}"])]
