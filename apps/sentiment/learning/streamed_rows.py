"""The rows of a corpus's texts in a matrix on disk: written in the second pass, fitted window by window."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from fastsvm.io import MatrixWriter, load
from fastsvm.text import Bag, Weighting

from ...common.cache import Cache
from ..data.corpus_batches import labelled_batches
from ..data.text_source import TextSource
from ..training_settings import Settings
from . import pipeline_steps
from .corpus_terms import CALIBRATE, TRAIN, TRY, CorpusTerms, batch_pieces, count_corpus_terms, rows_of_part


class StoredRows:
    """Texts of a source as rows of matrices, one for each part of the corpus, in a folder."""

    def __init__(self, source: TextSource, folder: Path, cache: Cache) -> None:
        self._source, self._folder, self._cache = source, folder, cache
        self._rows = cache.path("rows") or folder / "rows"

    def count(self, settings: Settings) -> CorpusTerms:
        """Make the first pass."""
        return count_corpus_terms(self._source, settings, self._folder)

    def write(self, seen: CorpusTerms, vectorizer: Bag, weighting: Weighting | None) -> dict[str, list[str]]:
        """Make the second pass; return the labels of the texts that are not trained on, by part.

        With a cache, the rows of each batch are saved. A resumed training skips the batches that are there.
        """
        numbers = {label: code for code, label in enumerate(seen.labels)}
        labels: dict[str, list[str]] = {CALIBRATE: [], TRY: []}
        parts = [part for part in (TRAIN, CALIBRATE, TRY) if not self._place(part).exists()]
        with ExitStack() as stack:
            writers = {part: stack.enter_context(MatrixWriter(self._place(part))) for part in parts}
            _, _, found = stack.enter_context(labelled_batches(self._source, seen.settings.seed))
            for number, batch in enumerate(batch_pieces(seen.settings, found), 1):
                rows = {part: rows_of_part(seen.settings, batch, part) for part in (TRAIN, CALIBRATE, TRY)}
                for part in labels:
                    labels[part] += [batch.labels[i] for i in rows[part]]
                left = [part for part, writer in writers.items() if number > (writer.position or 0)]
                if not left:
                    continue
                X = vectorizer.transform(batch.texts)
                X = X if weighting is None else weighting.transform(X)
                for part in left:
                    own = [numbers.get(batch.labels[i], -1) for i in rows[part]]
                    writers[part].append(X[rows[part]], own)
                    if self._cache.folder is not None:
                        writers[part].save(number)
            for writer in writers.values():
                if writer.rows:
                    writer.finish(n_features=len(seen.terms.terms))
        return labels

    def fit(self, estimator: Any) -> None:
        """Fit to the rows to train on, whose labels are numbers."""
        X, y = load(self._place(TRAIN))
        pipeline_steps.fit_classifier(estimator, X, y, self._cache.path("train", ".fit"))

    def decision(self, estimator: Any, part: str) -> np.ndarray:
        """Return the scores of the texts of a part."""
        return estimator.decision_function(load(self._place(part)).X)

    def _place(self, part: str) -> Path:
        return self._rows / part
