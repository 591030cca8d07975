"""Train a classifier on more texts than memory holds: two passes, and rows in a place that holds them.

The first pass counts terms. The second weighs the terms of each text, which makes the rows that the
classifier is fitted from: in a matrix on disk, or on the workers of a cluster.
"""

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastsvm._utils.atomic import temporary_folder
from fastsvm.fitting import Pipeline
from fastsvm.model_files import save_plain

from ...common.cache import NO_CACHE, Cache
from ...common.errors import USAGE, AppError
from ...common.progress import UNWATCHED, Stages
from ...common.training_items import learned_items
from ..data.text_source import TextSource, names_corpus
from ..learning import pipeline_steps
from ..learning.alpha_choice import AlphaChoice
from ..learning.corpus_terms import CALIBRATE, TRY, CorpusTerms
from ..learning.learned_model import CountedTexts, LeftOutScores
from ..learning.streamed_rows import ON_CLUSTER, SentRows, StoredRows
from ..learning.text_splits import inner_folds
from ..measures.answer_scores import AnswerScores
from ..settings import BY_DEFAULT, Settings
from ..text_recipes import CLASSIFIERS
from .text_training import TextTraining

if TYPE_CHECKING:
    from distributed import Client

Rows = StoredRows | SentRows


@names_corpus
def train_streamed(
    source: TextSource,
    settings: Settings = BY_DEFAULT,
    path: str | None = None,
    *,
    cluster: "AbstractContextManager[Client] | None" = None,
    cache: Cache = NO_CACHE,
    stage: Stages = UNWATCHED,
) -> TextTraining:
    """Train a classifier on a corpus that is larger than memory, test it on texts held out, and save it.

    A hash of each text decides whether it is held out, so copies are on one side. Alpha is chosen on a
    sample, such that a text weighs as much against the regularisation as in all texts. Probabilities are
    learned from texts that are neither trained on nor held out. The saved model is the one that was tested.

    Parameters
    ----------
    source : TextSource
        A file or a folder, which is read twice; with a cluster anything, read once.
    settings : Settings
        Of words or of characters, and without a choice of features. If the recipe is to be chosen, it is one
        of characters where the texts have no blanks between words.
    path : str, optional
        As in `train_text_model`.
    cluster : context manager of a client, optional
        The cluster whose workers count terms and make the rows; it is entered once all else is checked.
    cache : Cache, optional
        Keeps terms, alpha, rows and the fit, so that a killed training can resume.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    TextTraining
    """
    _check_streamable(source, settings, cluster is not None)
    with cluster or nullcontext() as client, _working_folder(cache, path) as folder:
        rows = StoredRows(source, folder, cache) if client is None else SentRows(source, folder, client)
        with stage("count terms"):
            counted = CorpusTerms.of(**cache.get("terms", lambda: rows.count(settings)))
        settings = counted.settings
        choice = _alpha_on_sample(counted, cache, stage)
        if settings.chooses_alpha:
            # A text weighs as much among all texts as it did in the sample.
            alpha = choice and choice.alpha * len(counted.sample[0]) / counted.train_counts.total()
            settings = replace(settings, alpha=alpha)
        with stage("vectorize"):
            weighed = counted.weighed()
            labels = cache.get("rows", lambda: rows.write(counted, weighed))
        with stage("train"):
            estimator = _fit_rows(settings, counted.labels, rows)
        with stage("evaluate"):
            left_out = _calibrate_on_rows(settings, estimator, rows, labels[CALIBRATE])
            evaluation = None
            if y := labels[TRY]:  # the texts themselves are not kept
                decision = rows.decision(estimator, TRY)
                calibration = getattr(estimator, "calibration_", None)
                likely = None if calibration is None else calibration.probabilities(decision)
                kinds = {"metric": settings.metric, "y_train": counted.train_counts}
                evaluation = AnswerScores(estimator, [], y, decision, likely, **kinds)
    model = Pipeline([*weighed.steps, ("classifier", estimator)])
    about = learned_items(counted.hashes) | source.own_columns
    if path is not None:
        with stage("save"):
            save_plain(model, path, about)
    n_train = counted.train_counts.total()
    return TextTraining(
        path,
        model,
        model,
        replace(settings, alpha=getattr(estimator, "alpha", None)),
        counted.skipped,
        counted.label_counts,
        n_train,
        len(labels[TRY]),
        n_train,
        len(counted.terms.terms),
        evaluation,
        alpha_choice=choice,
        shift=left_out.shift if left_out else 0.0,
        about=about,
    )


def _check_streamable(source: TextSource, settings: Settings, on_cluster: bool) -> None:
    """Refuse what needs all texts at once, or cannot be fitted in the place wanted."""
    option = "--scheduler" if on_cluster else "--stream"
    if settings.k is not None:
        raise AppError(f"{option} cannot choose features; give --k all", USAGE)
    if settings.ngrams is not None and settings.chars is not None:
        raise AppError(f"{option} counts words or characters; give --chars none or --ngrams none", USAGE)
    if on_cluster and settings.method.model not in ON_CLUSTER:
        others = ", ".join(name for name, method in CLASSIFIERS.items() if method.model in ON_CLUSTER)
        raise AppError(f"--scheduler has no {settings.classifier}; it has {others}", USAGE)
    if settings.method.is_kernel:
        raise AppError(f"{option} has no {settings.classifier}; give --classifier sdca-svm", USAGE)
    if source.is_read_once and not on_cluster:
        raise AppError(
            f"--stream reads a corpus twice, which {source.name} cannot be; give a file or a folder", USAGE
        )


@contextmanager
def _working_folder(cache: Cache, path: str | None) -> Iterator[Path]:
    """Give a folder for files of the size of the corpus: the checkpoint, or one beside the model."""
    if cache.folder is not None:
        yield cache.folder
        return
    place = Path(tempfile.gettempdir()) if path is None else Path(path).resolve().parent
    with temporary_folder(place) as folder:
        yield Path(folder)


def _alpha_on_sample(counted: CorpusTerms, cache: Cache, stage: Stages) -> AlphaChoice | None:
    """Choose alpha on the sample, if it is to be chosen; None if the sample is too small."""
    texts, y = counted.sample
    if not counted.settings.chooses_alpha:
        return None
    folds = inner_folds(np.asarray(y), counted.settings.seed)
    if not folds:
        return None

    def chosen() -> AlphaChoice:
        settings = replace(counted.settings, min_df=min(counted.settings.min_df, 2))
        return CountedTexts.of(texts, y, settings).choose(settings, folds, stage)

    return AlphaChoice(**cache.get("choose alpha", lambda: vars(chosen())))


def _fit_rows(settings: Settings, labels: list[str], rows: Rows) -> Any:
    """Fit to rows whose labels are numbers, in whose place the model has the texts."""
    estimator = pipeline_steps.classifier(settings)
    if isinstance(estimator.class_weight, dict):
        weights = {labels.index(label): weight for label, weight in estimator.class_weight.items()}
        estimator.set_params(class_weight=weights)
    rows.fit(estimator)
    estimator.classes_ = np.array(labels)
    estimator.class_weight = settings.label_weights
    return estimator


def _calibrate_on_rows(
    settings: Settings, estimator: Any, rows: Rows, labels: list[str]
) -> LeftOutScores | None:
    """Learn probabilities, and move the scores if there is a threshold; None if the texts are too few."""
    y = np.array(labels)
    known = np.isin(y, estimator.classes_)
    if len(np.unique(y[known])) < len(estimator.classes_):
        return None
    decision = rows.decision(estimator, CALIBRATE)[known]
    left_out = LeftOutScores(estimator.classes_, y[known], decision).shifted(settings.threshold)
    left_out.apply(estimator)
    return left_out
