"""Train a classifier on more texts than memory holds: two passes, and rows in a place that holds them.

The first pass counts terms. The second weighs the terms of each text, which makes the rows that the
classifier is fitted from: in a matrix on disk, or on the workers of a cluster.
"""

import tempfile
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastsvm.fitting import Pipeline
from fastsvm.model_files import save_plain

from ...common.errors import USAGE, AppError
from ...common.files import check_model_path
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Source
from ..learning import steps
from ..learning.alpha_choice import Choice
from ..learning.calibration import LeftOut
from ..learning.counted import Counted, is_automatic
from ..learning.counting import CALIBRATE, TRY, Seen
from ..learning.kept import NOTHING, Kept
from ..learning.sent_rows import ON_CLUSTER, SentRows
from ..learning.stored_rows import StoredRows
from ..measures.scores import HeldOut
from ..settings import CLASSIFIERS, Settings
from .trained import Training, of_model, of_trial
from .training import ACCURATE

if TYPE_CHECKING:
    from distributed import Client

Rows = StoredRows | SentRows


def train_streamed(
    source: Source,
    model_path: str | None,
    settings: Settings = ACCURATE,
    *,
    cluster: "AbstractContextManager[Client] | None" = None,
    kept: Kept = NOTHING,
    stage: Stages = UNWATCHED,
) -> Training:
    """Train a classifier on a corpus that is larger than memory, try it on texts held out, and save it.

    The texts held out are drawn by their hash, so that copies of a text are on one side. Alpha is chosen on a
    sample, such that a text weighs as much against the regularisation there as in all of them; probabilities
    are learned from texts that are neither trained on nor tried. The model saved is the one that was tried.

    Parameters
    ----------
    source : Source
        A file or a folder, which is read twice; with a cluster anything, read once.
    model_path : str or None
        As in `training.train`.
    settings : Settings
        Of words or of characters; without a choice of features. Where the recipe is to be chosen, texts
        decide in whose scripts no blanks stand between words.
    cluster : context manager of a client, optional
        Of the cluster whose workers count terms and make the rows; entered once all else is checked. By
        default, this process does.
    kept : Kept, optional
        Where terms, alpha, rows and the fit are kept; it goes on after the last of them.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    _check(source, settings, cluster is not None)
    if model_path is not None:
        check_model_path(model_path)
    with cluster or nullcontext() as client, kept.workplace(_place_of(model_path)) as folder:
        rows = StoredRows(source, folder, kept) if client is None else SentRows(source, folder, client)
        with stage("count terms"):
            seen = kept.result("terms", lambda: rows.count(settings), Seen.of, Seen.parts)
        settings, choice = seen.settings, None
        steps.check_class_weight(settings, source, seen.labels)
        if is_automatic(settings):
            choice = kept.result("choose alpha", lambda: _choose_alpha(source, seen, stage), Choice)
            settings = replace(settings, alpha=choice and _for_all(choice.alpha, seen))
        with stage("vectorize"):
            vectorizer, weighting = seen.weighed()
            written = kept.result("rows", lambda: rows.write(seen, vectorizer, weighting), dict, dict)
        with stage("train"):
            estimator = _fit(settings, seen.labels, rows)
        with stage("evaluate"):
            left_out = _calibrate(settings, estimator, rows, written)
            held_out = _try_on(estimator, rows, written)
    named = ("vectorizer", vectorizer), ("weighting", weighting), ("classifier", estimator)
    model = Pipeline([(name, step) for name, step in named if step is not None])
    if model_path is not None:
        with stage("save"):
            save_plain(model, model_path)
    return _result(model_path, settings, seen, choice, left_out, model, held_out, written)


def _check(source: Source, settings: Settings, on_cluster: bool) -> None:
    """Refuse what needs all texts at once, or cannot be fitted in the place wanted."""
    option = "--scheduler" if on_cluster else "--stream"
    steps.classifier(replace(settings, alpha=None) if is_automatic(settings) else settings)  # may complain
    if settings.k is not None:
        raise AppError(f"{option} keeps all terms that are frequent; give --k all", USAGE)
    if settings.ngrams is not None and settings.chars is not None:
        raise AppError(f"{option} counts words or characters; give --chars none or --ngrams none", USAGE)
    if on_cluster and settings.method.model not in ON_CLUSTER:
        there = ", ".join(name for name, method in CLASSIFIERS.items() if method.model in ON_CLUSTER)
        raise AppError(f"--scheduler has no {settings.classifier}; it has {there}", USAGE)
    if source.is_read_once and not on_cluster:
        raise AppError(
            f"--stream reads a corpus twice, which {source.name} cannot be; give a file or a folder", USAGE
        )


def _place_of(model_path: str | None) -> Path:
    """Return where files of the size of the corpus are to go: beside the model."""
    return Path(tempfile.gettempdir()) if model_path is None else Path(model_path).resolve().parent


def _choose_alpha(source: Source, seen: Seen, stage: Stages) -> Choice | None:
    texts, y = seen.sample
    settings = replace(seen.settings, min_df=min(seen.settings.min_df, 2))
    return Counted.of(source, texts, y, settings).choose(settings, stage)


def _for_all(alpha: float, seen: Seen) -> float:
    """Return the alpha at which a text weighs as much as it did in the sample."""
    return alpha * len(seen.sample[0]) / seen.train_counts.total()


def _fit(settings: Settings, labels: list[str], rows: Rows) -> Any:
    """Fit to rows whose labels are numbers, in whose place the model has the texts."""
    estimator = steps.classifier(settings)
    if isinstance(estimator.class_weight, dict):
        weights = {labels.index(label): weight for label, weight in estimator.class_weight.items()}
        estimator.set_params(class_weight=weights)
    rows.fit(estimator)
    estimator.classes_ = np.array(labels)
    estimator.class_weight = steps.class_weight(settings)
    return estimator


def _decision(rows: Rows, estimator: Any, part: str) -> np.ndarray:
    return rows.decision(estimator, part).astype(np.float32)


def _calibrate(
    settings: Settings, estimator: Any, rows: Rows, written: dict[str, list[str]]
) -> LeftOut | None:
    """Learn probabilities, and move the scores where there is a threshold; None where texts are too few."""
    y = np.array(written[CALIBRATE])
    known = np.isin(y, estimator.classes_)
    if len(np.unique(y[known])) < len(estimator.classes_):
        return None
    decision = _decision(rows, estimator, CALIBRATE)[known]
    left_out = LeftOut(estimator.classes_, y[known], decision).shifted(settings.threshold)
    if len(estimator.classes_) == 2:
        estimator.intercept_ = estimator.intercept_ - np.float32(left_out.shift)
    estimator.calibration_ = left_out.calibration(estimator.classes_)
    return left_out


def _try_on(estimator: Any, rows: Rows, written: dict[str, list[str]]) -> HeldOut | None:
    if not written[TRY]:
        return None
    decision = _decision(rows, estimator, TRY)
    likely = estimator.calibration_.probabilities(decision) if hasattr(estimator, "calibration_") else None
    return HeldOut([], written[TRY], decision, likely)


def _result(model_path, settings, seen, choice, left_out, model, held_out, written) -> Training:
    n_train = seen.train_counts.total()
    return Training(
        model=model_path,
        settings=replace(settings, alpha=getattr(model["classifier"], "alpha", None)),
        screening=None,
        choice=choice,
        shift=left_out.shift if left_out else 0.0,
        label_counts=seen.label_counts,
        n_train=n_train,
        n_test=len(written[TRY]),
        n_fitted=n_train,
        n_features_seen=len(seen.terms.terms),
        **of_trial(settings, model.classes_, held_out, seen.train_counts),
        learning_curve=[],
        cross_validation=None,
        **of_model(model),
        skipped=seen.skipped,
        held_out=held_out,
        tried=model if held_out is not None else None,
    )
