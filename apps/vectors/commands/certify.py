"""`certify`: how much lower the objective of a model could be."""

import click

from ...common.errors import USAGE, AppError
from ...common.options import LOSS, STRENGTH, section
from ...common.paths import Reads
from ...common.printing import note
from ...common.sections import Section
from . import _options


@_options.command("certify a9a.safetensors a9a", "certify a9a.model a9a --cost 0.1")
@click.argument("model", type=Reads())
@_options.file_argument
@section(
    "Objective",
    click.option("--cost", type=STRENGTH, help="C of a LIBLINEAR model, whose file has no C."),
    click.option("--loss", type=LOSS, help="Loss of the objective.  [default: MODEL's]"),
)
def certify(source, stage, model, cost, loss):
    """Prove how far a linear MODEL is from its optimum.

    FILE must have the training rows of MODEL.
    MODEL may be a file of LIBLINEAR's `train`, whose regularised intercept (-B) is part of the objective.
    """
    import numpy as np
    from scipy import sparse

    from ...common.training_items import count_learned, row_hashes
    from ..vector_models import load_vector_model

    classifier, zero_based, bias, own_loss, about = load_vector_model(model)
    if not hasattr(classifier, "coef_"):
        raise AppError(f"{model}: certify does not support kernel machines; 'fastsvm fit' certifies them")
    if bias is not None and own_loss is None:
        raise AppError(f"{model}: certify does not support its loss; see solver_type in the file", USAGE)
    if bias is not None and cost is None:
        raise AppError(f"{model}: LIBLINEAR's files have no C; give --cost", USAGE)
    with stage("read"):
        X, y, *_ = source.read(zero_based=zero_based, model=classifier, labelled=True)
    learned = count_learned(row_hashes(X), about)
    with stage("certify"):
        import fastsvm

        options = {"loss": loss or own_loss}
        if cost is not None:
            options["alpha"] = 1 / (cost * X.shape[0])
        if hasattr(classifier, "penalty"):
            options |= {"penalty": classifier.penalty, "l1_ratio": classifier.l1_ratio}
        found = classifier if bias is None else classifier.coef_
        if bias is not None and bias > 0:
            column = np.full((X.shape[0], 1), bias)
            X = sparse.hstack([X, column], "csr") if sparse.issparse(X) else np.hstack([X, column])
            found = np.column_stack([found, classifier.intercept_ / bias])
        proof = fastsvm.certify(found, X, y, random_state=0, **options)
    n, n_fitted = X.shape[0], about.get("rows")
    if n_fitted not in (None, n):
        note(f"{source.name}: {n:,} rows, but {model} was fitted to {n_fitted:,}; give the same rows")
    elif learned not in (None, n):
        note(f"{source.name}: {model} was fitted to {learned:,} of these {n:,} rows; give the same rows")
    record = {"rows": n} | {name: np.asarray(value).tolist() for name, value in proof._asdict().items()}
    record |= {"learned": learned, "relative_gap": np.asarray(proof.relative_gap).tolist()}
    return record, [Section(lines=[f"{n:,} rows", *repr(proof).splitlines()])]
