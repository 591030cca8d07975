"""Train a classifier on more texts than memory holds, in two passes.

The first pass counts terms. The second pass weighs the terms of each text. The resulting rows, to which the
classifier is fitted, are in a matrix on disk or on the workers of a cluster.
"""

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm._utils.atomic import naming, temporary_folder
from fastsvm.fitting import Pipeline
from fastsvm.io import MatrixWriter, load
from fastsvm.model_files import save_plain

from ...common.cache import NO_CACHE, Cache
from ...common.dask_cluster import map_shards
from ...common.errors import USAGE, AppError
from ...common.progress import UNWATCHED, Stages
from ...common.training_items import learned_items
from ..data.corpus import SHARD, Batches, PlacedText, in_pieces, labelled_batches
from ..data.text_labels import TextLabels
from ..data.text_source import TextSource, names_corpus
from ..learning import corpus_terms, pipeline_steps
from ..learning.alpha_choice import AlphaChoice
from ..learning.corpus_terms import CALIBRATE, PARTS, TRAIN, TRY, CorpusTerms
from ..learning.learned_model import CountedTexts, LearnedModel, LeftOutScores
from ..learning.text_splits import inner_folds
from ..measures.answer_scores import AnswerScores
from ..measures.drift import held_out_record
from ..settings import BY_DEFAULT, Settings
from ..text_recipes import CLASSIFIERS
from .text_training import TextTraining

if TYPE_CHECKING:
    from distributed import Client

ON_CLUSTER = ("SDCA",)  # the classes of classifiers that can be fitted there


class StoredRows:
    """Texts of a source as rows of matrices, one for each part of the corpus, in a folder."""

    def __init__(self, source: TextSource, folder: Path, cache: Cache) -> None:
        self._source, self._folder, self._cache = source, folder, cache
        self._rows = cache.path("rows") or folder / "rows"

    def count(self, settings: Settings) -> dict[str, Any]:
        """Make the first pass."""
        return corpus_terms.count_corpus_terms(self._source, settings, self._folder)

    def write(self, counted: CorpusTerms, weighed: Pipeline) -> None:
        """Make the second pass.

        With a cache, the rows of each batch are saved. A resumed training skips the saved batches.
        """
        numbers, settings = {label: code for code, label in enumerate(counted.labels)}, counted.settings
        parts = [part for part in PARTS if not self._part_folder(part).exists()]
        with ExitStack() as stack:
            writers = {part: stack.enter_context(MatrixWriter(self._part_folder(part))) for part in parts}
            again = replace(self._source, was_read=True, skipped=[])
            _, _, batches = stack.enter_context(labelled_batches(again, settings.seed))
            for number, batch in enumerate(corpus_terms.batch_pieces(settings, batches), 1):
                left = [part for part, writer in writers.items() if number > (writer.position or 0)]
                X = weighed_rows(weighed, batch) if left else None
                for part in left:
                    rows = corpus_terms.rows_of_part(settings, batch, part)
                    writers[part].append(X[rows], [numbers.get(batch[i][1], -1) for i in rows])
                    if self._cache.folder is not None:
                        writers[part].save(number)
            for writer in writers.values():
                if writer.rows:
                    writer.finish(n_features=len(counted.terms.terms))

    def fit(self, estimator: Any) -> None:
        """Fit an estimator to the training rows, whose labels are numbers."""
        X, y = load(self._part_folder(TRAIN))
        pipeline_steps.fit_classifier(estimator, X, y, self._cache.path("train", ".fit"))

    def decision(self, estimator: Any, part: str) -> np.ndarray:
        """Return the scores of the texts of a part."""
        return estimator.decision_function(load(self._part_folder(part)).X).astype(np.float32)

    def _part_folder(self, part: str) -> Path:
        return self._rows / part


def weighed_rows(weighed: Pipeline, shard: list[PlacedText]) -> csr_matrix:
    """Return the weighed terms of texts."""
    X = [text for _, _, text in shard]
    for _, step in weighed.steps:
        X = step.transform(X)
    return X


def labelled_shard_rows(
    shard: list[PlacedText], weighed: Pipeline, numbers: dict[str, int]
) -> tuple[csr_matrix, np.ndarray]:
    """Return the rows of a shard, and the numbers of their labels."""
    return weighed_rows(weighed, shard), np.array([numbers[label] for _, label, _ in shard])


def shard_scores(shard: list[PlacedText], weighed: Pipeline, estimator: Any) -> np.ndarray:
    """Return the decision values of a shard's texts."""
    return estimator.decision_function(weighed_rows(weighed, shard))


class ShardSpool(Sequence[list[PlacedText]]):
    """Shards in files of a folder, none of which stays in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._paths = folder, list[Path]()
        folder.mkdir()

    def append(self, shard: list[PlacedText]) -> None:
        """Write a shard, as the last one."""
        path = self._folder / str(len(self._paths))
        with naming(path), open(path, "wb") as file:
            pickle.dump(shard, file)
        self._paths.append(path)

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, number):
        with open(self._paths[number], "rb") as file:
            return pickle.load(file)


class SentRows:
    """Texts of a source, spooled in a folder, as rows on the workers of a cluster.

    The source is read once. The rows of a lost worker are sent again from the spool.
    """

    def __init__(self, source: TextSource, folder: Path, client: "Client") -> None:
        self._source, self._folder, self._client = source, folder, client
        self._spools = {part: ShardSpool(folder / part) for part in PARTS}

    def count(self, settings: Settings) -> dict[str, Any]:
        """Make the first pass: workers tally terms, and they are merged here."""
        tallied = partial(map_shards, self._client, partial(corpus_terms.tally_terms, n_jobs=1))
        return corpus_terms.count_corpus_terms(
            self._source, settings, self._folder, cut=self._cut_and_spool, tallied=tallied
        )

    def _cut_and_spool(self, settings: Settings, found: Batches) -> Batches:
        """Yield batches in pieces for a worker; the texts of each are spooled."""
        for batch in found:
            for piece in in_pieces(batch, SHARD):
                for part, spool in self._spools.items():
                    if shard := [piece[i] for i in corpus_terms.rows_of_part(settings, piece, part)]:
                        spool.append(shard)
                yield piece

    def write(self, counted: CorpusTerms, weighed: Pipeline) -> None:
        """Make the training rows."""
        from fastsvm.dask import place_shards, share_with_workers

        (name, vectorizer), *others = weighed.steps
        one_thread = copy(vectorizer).set_params(n_jobs=1)  # each task of a worker has one
        self._maker = share_with_workers(self._client, Pipeline([(name, one_thread), *others]))
        numbers = {label: code for code, label in enumerate(counted.labels)}
        spool = self._spools[TRAIN]
        self._placed = place_shards(self._client, labelled_shard_rows, spool, self._maker, numbers)

    def fit(self, estimator: Any) -> None:
        """Fit an estimator to the training rows, whose labels are numbers."""
        from fastsvm.dask import SDCAClassifier

        remote = SDCAClassifier()
        remote.set_params(**{k: v for k, v in estimator.get_params().items() if k in remote.get_params()})
        pipeline_steps.fit_classifier(remote, self._placed, None)
        del self._placed  # workers may forget the rows
        fitted = vars(remote.to_local())
        vars(estimator).update({name: value for name, value in fitted.items() if name.endswith("_")})

    def decision(self, estimator: Any, part: str) -> np.ndarray:
        """Return the scores of the texts of a part."""
        scores = map_shards(self._client, shard_scores, self._spools[part], self._maker, estimator)
        return np.concatenate([*scores]).astype(np.float32)


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
    """Train a classifier on a corpus that is larger than memory, test it on held-out texts, and save it.

    A hash of each text decides whether the text is held out, so copies stay together. Alpha is chosen on a
    sample, and then scaled so that a text weighs as much against the regularisation. Probabilities are
    learned from texts that are neither trained on nor held out. The saved model is the one that was tested.

    Parameters
    ----------
    source : TextSource
        A file or a folder, which is read twice. With a cluster, any source, which is read once.
    settings : Settings
        Features of words or of characters, without a selection. With the recipe "auto", characters are
        counted if the texts have no blanks between words.
    path : str, optional
        As in `train_text_model`.
    cluster : context manager of a client, optional
        The cluster whose workers count terms and make the rows; it is entered after all other checks.
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
            counted = CorpusTerms(cache.get("terms", lambda: rows.count(settings)))
        settings = counted.settings
        choice = _alpha_on_sample(counted, cache, stage)
        if settings.chooses_alpha:
            # A text weighs as much among all texts as it did in the sample.
            alpha = choice and choice.alpha * len(counted.sample[0]) / counted.train_counts.total()
            settings = replace(settings, alpha=alpha)
        with stage("vectorize"):
            weighed = counted.weighed()
            cache.get("rows", lambda: {"written": rows.write(counted, weighed)})
        with stage("train"):
            estimator = _fit_rows(settings, counted.labels, rows)
        with stage("evaluate"):
            left_out = _calibrate_on_rows(settings, estimator, rows, counted.others[CALIBRATE])
            evaluation = None
            if y := counted.others[TRY]:  # the texts themselves are not kept
                decision = rows.decision(estimator, TRY)
                calibration = getattr(estimator, "calibration_", None)
                likely = None if calibration is None else calibration.probabilities(decision)
                kinds = {"metric": settings.metric, "train_counts": counted.train_counts}
                evaluation = AnswerScores(estimator, [], y, decision, likely, **kinds)
    model = Pipeline([*weighed.steps, ("classifier", estimator)])
    about = learned_items(counted.hashes) | source.own_columns
    if evaluation is not None:
        about |= held_out_record(evaluation, evaluation.truth)
    if path is not None:
        with stage("save"):
            save_plain(model, path, about)
    learned = LearnedModel(model, settings, choice, left_out, None, len(counted.terms.terms))
    label_counts = counted.label_counts
    n = sum(label_counts.values()), counted.train_counts.total()
    return TextTraining(path, learned, learned, counted.skipped, label_counts, *n, evaluation, about)


def _check_streamable(source: TextSource, settings: Settings, on_cluster: bool) -> None:
    """Refuse settings that need all texts at once, or a classifier that cannot be fitted there."""
    option = "--scheduler" if on_cluster else "--stream"
    if settings.k is not None:
        raise AppError(f"{option} cannot choose features; give --k all", USAGE)
    if settings.ngrams is not None and settings.chars is not None:
        told = f"{option} counts words or characters, not both"
        raise AppError(f"{told}; give --chars none or --ngrams none", USAGE)
    if on_cluster and settings.method.model not in ON_CLUSTER:
        others = ", ".join(name for name, method in CLASSIFIERS.items() if method.model in ON_CLUSTER)
        raise AppError(f"--scheduler does not support {settings.classifier}; give {others}", USAGE)
    if settings.method.is_kernel:
        raise AppError(f"{option} does not support {settings.classifier}; give --classifier sdca-svm", USAGE)
    if source.is_read_once and not on_cluster:
        told = f"--stream reads a corpus twice, but {source.name} can be read only once"
        raise AppError(f"{told}; give a file or a folder", USAGE)


@contextmanager
def _working_folder(cache: Cache, path: str | None) -> Iterator[Path]:
    """Yield a folder for files as large as the corpus: the checkpoint, or one beside the model."""
    if cache.folder is not None:
        yield cache.folder
        return
    place = Path(tempfile.gettempdir()) if path is None else Path(path).resolve().parent
    with temporary_folder(place) as folder:
        yield Path(folder)


def _alpha_on_sample(counted: CorpusTerms, cache: Cache, stage: Stages) -> AlphaChoice | None:
    """Choose alpha on the sample, if it is to be chosen; None if the sample is too small."""
    texts, y = counted.sample[0], TextLabels.of(counted.sample[1], texts=counted.sample[0])
    folds = inner_folds(y, counted.settings.seed) if counted.settings.chooses_alpha else []
    if not folds:
        return None

    def chosen() -> AlphaChoice:
        settings = replace(counted.settings, min_df=min(counted.settings.min_df, 2))
        return CountedTexts.of(texts, y, settings).choose(settings, folds, stage)

    return AlphaChoice(**cache.get("choose alpha", lambda: vars(chosen())))


def _fit_rows(settings: Settings, labels: list[str], rows: Rows) -> Any:
    """Fit to rows whose labels are numbers, and give the estimator the names of the labels."""
    estimator = pipeline_steps.classifier(settings)
    if isinstance(estimator.class_weight, dict):
        weights = {labels.index(label): weight for label, weight in estimator.class_weight.items()}
        estimator.set_params(class_weight=weights)
    rows.fit(estimator)
    estimator.classes_ = np.array(labels)
    estimator.class_weight = settings.label_weights
    return estimator


def _calibrate_on_rows(settings: Settings, estimator: Any, rows: Rows, y: Any) -> LeftOutScores | None:
    """Learn probabilities, and move the scores if there is a threshold; None if the texts are too few."""
    y = np.array(y)
    known = np.isin(y, estimator.classes_)
    labels = TextLabels.of(y[known].tolist())
    if len(labels.names) < len(estimator.classes_):
        return None
    decision = rows.decision(estimator, CALIBRATE)[known]
    left_out = LeftOutScores(labels, decision).shifted(settings.threshold)
    left_out.apply(estimator)
    return left_out
