"""Predict the labels of texts in files as they arrive, here or on a cluster."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...common.dask_cluster import map_shards
from ...common.errors import AppError, Skipped
from ..data.corpus import PLAIN, SHARD, open_unlabelled
from ..data.record_formats import joined_blocks
from ..data.text_lines import HALF, NOT_UTF8, NUL
from ..data.text_source import Record, TextSource
from ..measures.drift import TextWatch
from ..measures.prediction import Predictions, classify_shard

NO_LABEL, MENDED = "without a label", "predicted with those bytes replaced or left out"  # fates of inputs
MENDED_KINDS = {each.partition(" (")[0] for each in (NOT_UTF8, NUL, HALF)}


class TextPrediction:
    """Predict the texts of one file after the other.

    Parameters
    ----------
    model : TextScorer or Pipeline
    choices : mapping
        As for `classify`.
    output : PredictionWriter
    watch : TextWatch
        Watches all texts.
    strict : bool
        Refuse texts whose words are mostly unknown to the model, before anything is written.

    Attributes
    ----------
    n_unknown : int
        Texts without a term that the model knows.
    """

    def __init__(self, model, choices: Mapping[str, Any], output, watch: TextWatch, strict: bool) -> None:
        self._model, self._choices, self._output = model, choices, output
        self._watch, self._strict = watch, strict
        self.n_unknown = 0

    def predict(self, sources: Iterable[TextSource], client=None) -> list[Skipped]:
        """Predict files, here or on a cluster, and return the skipped records of each."""
        skipped: list[Skipped] = []
        waiting: deque[tuple[list[Record], bool]] = deque()  # what is to be written beside the labels
        shards = self._read_shards(sources, skipped, waiting, 0 if client is None else SHARD)
        if client is None:
            answers = (classify_shard(shard, self._model, self._choices) for shard in shards)
        else:
            answers = map_shards(client, classify_shard, shards, self._model, self._choices)
        held = []
        for found in answers:
            batch, as_it_stands = waiting.popleft()
            self.n_unknown += int((found.n_terms == 0).sum()) - _n_without_text(batch)
            held.append((batch, found, as_it_stands))
            self._watch.add([record.text for record in batch], found)
            if self._watch.is_settled or not self._strict:
                self._write(held)
        self._write(held)
        return skipped

    def _write(self, held: list[tuple[list[Record], Predictions, bool]]) -> None:
        """Write what is held back, unless the texts are to be refused."""
        if self._strict and (told := self._watch.strangeness):
            raise AppError(told)
        for batch, found, as_it_stands in held:
            self._output.write(batch, found, as_it_stands=as_it_stands)
        held.clear()

    def _read_shards(
        self, sources: Iterable[TextSource], skipped: list[Skipped], waiting: deque, size: int
    ) -> Iterator[tuple[str, Sequence[str], Sequence[int | str]]]:
        """Yield the texts of files with their name and places, `size` characters at once unless it is 0."""
        for source in sources:
            skipped.append(Skipped(source.name))
            n = n_missing = 0
            with open_unlabelled(source, skipped[-1]) as texts:
                skipped[-1].fate = MENDED
                as_it_stands = self._output.begin_file(source.name, texts)
                for batch in joined_blocks(texts.blocks, size) if size else texts.blocks:
                    waiting.append((batch, as_it_stands))
                    n, n_missing = n + len(batch), n_missing + _n_without_text(batch)
                    yield source.name, [record.text for record in batch], [record.where for record in batch]
            if others := {} if texts.format == PLAIN else skipped[-1].kinds.keys() - MENDED_KINDS:
                is_all = len(others) == len(skipped[-1].kinds)
                skipped[-1].fate = NO_LABEL if is_all else f"{NO_LABEL}, or {MENDED}"
            if n and n == n_missing:
                why = f"no text, read as {texts.format} ({skipped[-1].named[0]})"
                raise AppError(f"{source.name}: {why}; try --text-col or another --format")


def _n_without_text(batch: list[Record]) -> int:
    return sum(bool(record.problem) for record in batch)
