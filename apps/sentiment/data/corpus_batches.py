"""A corpus that is read a batch at a time, perhaps again and again: never more of it in memory than that."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b

from ...common.errors import Skipped
from .corpus import TextSource, open_corpus, usable_records

BATCH_CHARACTERS = 1 << 25  # characters of texts that are worked on at a time
SHARD = 1 << 22  # characters of the texts that a cluster's worker is given at a time


@dataclass
class LabelledBatch:
    """Texts, the label of each, and its place in [0, 1): drawn by the text, so that copies have the same."""

    texts: list[str]
    labels: list[str]
    places: list[float]

    def rows(self, places: Sequence[int]) -> "LabelledBatch":
        """Return some of the texts."""
        columns = self.texts, self.labels, self.places
        return LabelledBatch(*([column[i] for i in places] for column in columns))

    def pieces(self, size: int) -> Iterator["LabelledBatch"]:
        """Yield it in pieces of so many characters, or a text more."""
        first = n = 0
        for i, text in enumerate(self.texts, 1):
            n += len(text)
            if n >= size or i == len(self.texts):
                yield LabelledBatch(self.texts[first:i], self.labels[first:i], self.places[first:i])
                first, n = i, 0


@contextmanager
def labelled_batches(source: TextSource, seed: int) -> Iterator[tuple[str, Skipped, Iterator[LabelledBatch]]]:
    """Open a corpus: its format, what is left out of it, and its texts batch by batch."""
    skipped = Skipped(source.name)
    with open_corpus(source, skipped) as (format, found):
        yield (
            format,
            skipped,
            _gathered_batches(((r.text, r.label) for r in usable_records(found, skipped)), seed),
        )


def _gathered_batches(records: Iterator[tuple[str, str]], seed: int) -> Iterator[LabelledBatch]:
    key = str(seed).encode()
    batch, size = LabelledBatch([], [], []), 0
    for text, label in records:
        digest = blake2b(text.encode(), digest_size=8, key=key).digest()
        batch.texts.append(text)
        batch.labels.append(label)
        batch.places.append((int.from_bytes(digest, "little") >> 11) / (1 << 53))
        size += len(text)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = LabelledBatch([], [], []), 0
    if batch.texts:
        yield batch
