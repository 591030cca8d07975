"""A corpus that is read a batch at a time, perhaps again and again: never more of it in memory than that."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b

from ...common.errors import Skipped
from .corpus import TextSource, open_corpus, usable_records

BATCH_CHARACTERS = 1 << 25  # characters of texts that are worked on at a time
SHARD = 1 << 22  # characters of the texts that a cluster's worker is given at a time

# A place in [0, 1), drawn by the text, so that copies have the same; the label; the text.
PlacedText = tuple[float, str, str]


@contextmanager
def labelled_batches(
    source: TextSource, seed: int
) -> Iterator[tuple[str, Skipped, Iterator[list[PlacedText]]]]:
    """Open a corpus: its format, what is left out of it, and its texts batch by batch."""
    skipped, key = Skipped(source.name), str(seed).encode()
    with open_corpus(source, skipped) as found:
        records = usable_records(found, skipped)
        placed = ((_place_of_text(record.text, key), record.label, record.text) for record in records)
        yield found.format, skipped, in_pieces(placed, BATCH_CHARACTERS)


def in_pieces(texts: Iterable[PlacedText], size: int) -> Iterator[list[PlacedText]]:
    """Yield texts in pieces of so many characters, or a text more."""
    piece, n = [], 0
    for placed in texts:
        piece.append(placed)
        n += len(placed[2])
        if n >= size:
            yield piece
            piece, n = [], 0
    if piece:
        yield piece


def _place_of_text(text: str, key: bytes) -> float:
    digest = blake2b(text.encode(), digest_size=8, key=key).digest()
    return (int.from_bytes(digest, "little") >> 11) / (1 << 53)
