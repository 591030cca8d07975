"""Short hashes of the texts, rows or images that a model was trained on, which its file keeps.

A test on the same items prints a warning, since its figures are too good. The hashes ignore labels.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np

from .printing import many

NAME = "training_items"  # in the `about` of a model file
HASH = "S5"  # 5 bytes: with 50,000 items, one of 20 million others looks known
# For more items a Bloom filter is kept, with this many bits per item: one of 90,000 others looks known.
EXACT_ITEMS, BITS, PROBES = 1_000_000, 24, 16
ROWS = 4096  # that are hashed at a time


def learned_items(hashes: np.ndarray, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the `training_items` for the `about` of a model file: these hashes, and those of an earlier one.

    The value has rows of 5 bytes, ascending, or the bits of a Bloom filter, whose size stays the same later.
    """
    bits = (about or {}).get(NAME, np.empty((0, 5), np.uint8))
    if bits.ndim == 2:
        hashes = np.union1d(bits.view(HASH), hashes)
        if len(hashes) <= EXACT_ITEMS:
            return {NAME: hashes.view(np.uint8).reshape(-1, 5)}
        bits = np.zeros(BITS * len(hashes) // 8, np.uint8)
    bits = np.unpackbits(bits)
    for places in _places(hashes, len(bits)):
        bits[places] = 1
    return {NAME: np.packbits(bits)}


def count_learned(hashes: np.ndarray, about: Mapping[str, Any]) -> int | None:
    """Return how many items a model has learned, by their hashes; None if its `about` has no hashes."""
    return int(are_learned(hashes, about).sum()) if NAME in about else None


def are_learned(hashes: np.ndarray, about: Mapping[str, Any]) -> np.ndarray:
    """Tell which items a model has learned, by their hashes; none if its `about` has no hashes."""
    items = about.get(NAME)
    if items is None:
        return np.zeros(len(hashes), bool)
    if items.ndim == 2:
        return np.isin(hashes, items.view(HASH))
    set_bits = [items[at // 8] << at % 8 & 128 for at in _places(hashes, 8 * len(items))]
    return np.all(set_bits, axis=0)


def _places(hashes: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """Yield the places of hashes among `n` bits, by double hashing (Kirsch and Mitzenmacher 2006)."""
    start = np.asarray(hashes, "S8").view("<u8")
    step = start * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(24) | np.uint64(1)
    for k in range(PROBES):
        yield ((start + np.uint64(k) * step) % np.uint64(n)).astype(np.int64)


def too_good(known: int | None, n: int, what: str) -> str:
    """Return a sentence on a test with `known` of `n` items from the training; nothing if none are."""
    share = "all" if known == n else f"{known or 0:,}"
    are = "are" if 2 * (known or 0) > n else "may be"  # rows of few different values may well occur twice
    told = f"the model learned from {share} of these {many(n, what)}: the figures {are} too good"
    return told if known else ""


def text_hashes(texts: Iterable[str]) -> np.ndarray:
    """Return the hash of each text, ignoring white space and the Unicode form of its letters."""
    plain = (unicodedata.normalize("NFC", text).encode(errors="replace") for text in texts)
    bare = (content.translate(None, b" \t\n\r\v\f") for content in plain)
    return np.frombuffer(b"".join(blake2b(each, digest_size=5).digest() for each in bare), HASH)


def image_hash(image: np.ndarray) -> bytes:
    """Return the hash of the pixels of an image."""
    return blake2b(image.reshape(-1), digest_size=5, salt=b"%d" % len(image)).digest()


def row_hashes(X) -> np.ndarray:
    """Return the hash of each row of a matrix, dense or sparse: its columns and values that are not 0."""
    parts = [_row_sums(X, first, min(first + ROWS, X.shape[0])) for first in range(0, X.shape[0], ROWS)]
    mixed = _mixed(np.concatenate(parts)).view(np.uint8).reshape(-1, 8)
    return np.ascontiguousarray(mixed[:, :5]).view(HASH)[:, 0]


def _row_sums(X, first: int, end: int) -> np.ndarray:
    """Return the sum of the hashed values of each row, which does not depend on their order."""
    if hasattr(X, "indptr"):
        ends = X.indptr[first : end + 1].astype(np.int64)
        columns, values = X.indices[ends[0] : ends[-1]], X.data[ends[0] : ends[-1]]
    else:
        ends, columns = np.arange(end - first + 1) * X.shape[1], np.tile(np.arange(X.shape[1]), end - first)
        values = X[first:end].reshape(-1)
    hashed = _mixed(values.astype(np.float64).view(np.uint64) ^ _mixed(columns.astype(np.uint64)))
    sums = np.concatenate([[np.uint64(0)], np.cumsum(np.where(values == 0, np.uint64(0), hashed))])
    return np.diff(sums[ends - ends[0]])


def _mixed(words: np.ndarray) -> np.ndarray:
    """Return the last step of SplitMix64 for each word (Steele, Lea and Flood 2014)."""
    words = words.astype("<u8") + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)
