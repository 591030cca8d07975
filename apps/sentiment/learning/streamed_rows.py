"""The rows of a corpus larger than memory: in matrices on disk, or on the workers of a Dask cluster."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm._utils.atomic import naming
from fastsvm.fitting import Pipeline
from fastsvm.io import MatrixWriter, load

from ...common.cache import Cache
from ..data.corpus_batches import SHARD, PlacedText, in_pieces, labelled_batches
from ..data.text_source import TextSource
from ..settings import Settings
from . import corpus_terms, pipeline_steps
from .corpus_terms import CALIBRATE, TRAIN, TRY, CorpusTerms

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

    def write(self, counted: CorpusTerms, weighed: Pipeline) -> dict[str, list[str]]:
        """Make the second pass; return the labels of the texts that are not trained on, by part.

        With a cache, the rows of each batch are saved. A resumed training skips the batches that are there.
        """
        numbers = {label: code for code, label in enumerate(counted.labels)}
        labels: dict[str, list[str]] = {CALIBRATE: [], TRY: []}
        parts = [part for part in (TRAIN, CALIBRATE, TRY) if not self._part_folder(part).exists()]
        with ExitStack() as stack:
            writers = {part: stack.enter_context(MatrixWriter(self._part_folder(part))) for part in parts}
            _, _, batches = stack.enter_context(labelled_batches(self._source, counted.settings.seed))
            for number, batch in enumerate(corpus_terms.batch_pieces(counted.settings, batches), 1):
                rows = {
                    part: corpus_terms.rows_of_part(counted.settings, batch, part)
                    for part in (TRAIN, CALIBRATE, TRY)
                }
                for part in labels:
                    labels[part] += [batch[i][1] for i in rows[part]]
                left = [part for part, writer in writers.items() if number > (writer.position or 0)]
                if not left:
                    continue
                X = weighed_rows(weighed, batch)
                for part in left:
                    codes = [numbers.get(batch[i][1], -1) for i in rows[part]]
                    writers[part].append(X[rows[part]], codes)
                    if self._cache.folder is not None:
                        writers[part].save(number)
            for writer in writers.values():
                if writer.rows:
                    writer.finish(n_features=len(counted.terms.terms))
        return labels

    def fit(self, estimator: Any) -> None:
        """Fit to the rows to train on, whose labels are numbers."""
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
    """Return the rows of a shard, and the number of each one's label."""
    return weighed_rows(weighed, shard), np.array([numbers[label] for _, label, _ in shard])


def shard_scores(shard: list[PlacedText], weighed: Pipeline, estimator: Any) -> np.ndarray:
    """Return the decision values of a shard's texts."""
    return estimator.decision_function(weighed_rows(weighed, shard))


class ShardSpool(Sequence[list[PlacedText]]):
    """Shards in files of a folder, of which memory holds none."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._n = folder, 0
        folder.mkdir()

    def append(self, shard: list[PlacedText]) -> None:
        """Write one, as the last."""
        path = self._folder / str(self._n)
        with naming(path), open(path, "wb") as file:
            pickle.dump(shard, file)
        self._n += 1

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, number):
        if not 0 <= number < self._n:
            raise IndexError(number)
        with open(self._folder / str(number), "rb") as file:
            return pickle.load(file)


class SentRows:
    """Texts of a source, spooled in a folder, as rows on the workers of a cluster.

    The source is read once. What a lost worker had is sent again, from the spool.
    """

    def __init__(self, source: TextSource, folder: Path, client: "Client") -> None:
        self._source, self._folder, self._client = source, folder, client
        self._spools = {part: ShardSpool(folder / part) for part in (TRAIN, CALIBRATE, TRY)}
        self._labels: dict[str, list[str]] = {CALIBRATE: [], TRY: []}

    def count(self, settings: Settings) -> dict[str, Any]:
        """Make the first pass: workers tally terms, and they are merged here."""
        return corpus_terms.count_corpus_terms(
            self._source, settings, self._folder, cut=self._cut_and_spool, tallied=self._tally_on_cluster
        )

    def _cut_and_spool(
        self, settings: Settings, found: Iterable[list[PlacedText]]
    ) -> Iterator[list[PlacedText]]:
        """Yield batches in pieces for a worker; the texts of each are spooled."""
        for batch in found:
            for piece in in_pieces(batch, SHARD):
                for part, spool in self._spools.items():
                    if shard := [piece[i] for i in corpus_terms.rows_of_part(settings, piece, part)]:
                        spool.append(shard)
                        self._labels.get(part, []).extend(label for _, label, _ in shard)
                yield piece

    def _tally_on_cluster(
        self, texts: Iterable[corpus_terms.CodedTexts], settings: Settings
    ) -> Iterator[corpus_terms.TermTally | None]:
        from fastsvm.dask import map_shards

        return map_shards(self._client, corpus_terms.tally_terms, texts, settings, 1)

    def write(self, counted: CorpusTerms, weighed: Pipeline) -> dict[str, list[str]]:
        """Make the rows to train on; return the labels of the other texts, by part."""
        from fastsvm.dask import place_shards, share_with_workers

        (name, vectorizer), *others = weighed.steps
        one_thread = copy(vectorizer).set_params(n_jobs=1)  # each task of a worker has one
        self._maker = share_with_workers(self._client, Pipeline([(name, one_thread), *others]))
        numbers = {label: code for code, label in enumerate(counted.labels)}
        spool = self._spools[TRAIN]
        self._placed = place_shards(self._client, labelled_shard_rows, spool, self._maker, numbers)
        return self._labels

    def fit(self, estimator: Any) -> None:
        """Fit to the rows to train on, whose labels are numbers."""
        from fastsvm.dask import SDCAClassifier

        remote = SDCAClassifier()
        remote.set_params(**{k: v for k, v in estimator.get_params().items() if k in remote.get_params()})
        pipeline_steps.fit_classifier(remote, self._placed, None)
        del self._placed  # workers may forget the rows
        fitted = vars(remote.to_local())
        vars(estimator).update({name: value for name, value in fitted.items() if name.endswith("_")})

    def decision(self, estimator: Any, part: str) -> np.ndarray:
        """Return the scores of the texts of a part."""
        from fastsvm.dask import map_shards

        scores = map_shards(self._client, shard_scores, self._spools[part], self._maker, estimator)
        return np.concatenate([*scores]).astype(np.float32)
