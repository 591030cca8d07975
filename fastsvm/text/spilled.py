"""The terms of more texts than memory holds: counted in batches, spilled to files, and merged."""

import bisect
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._utils.atomic import naming
from .terms import Terms

RANGES = 256  # of the alphabet; memory holds one at a time, when each is merged


class TermFrequencies(NamedTuple):
    """Terms, and the number of texts of each class that have them.

    Attributes
    ----------
    terms : Terms
        In alphabetical order.
    by_class : ndarray of shape (n_terms, n_classes), int64
    min_df : int
        The minimum number of texts for each term.
    """

    terms: Terms
    by_class: np.ndarray
    min_df: int


class SpilledTerms:
    """Terms of batches of texts, with their frequencies by class, in files.

    Each batch adds its terms in alphabetical order. Each range of the alphabet has a file; in the first
    batch, all ranges have the same number of terms. Merging one range after the other gives the same terms as
    counting all texts at once.

    Parameters
    ----------
    folder : path
        An empty folder for the files.
    """

    def __init__(self, folder):
        self._folder = Path(folder)
        self._starts = None  # the first term of each range but the first
        self._batches = []  # for each batch: by range, the place of its piece in the file

    def add(self, terms, by_class):
        """Spill the terms of a batch: all of them, or none if this fails.

        Parameters
        ----------
        terms : Terms
            In alphabetical order, none of them with a line feed.
        by_class : ndarray of shape (n_terms, n_classes), int
            The number of texts of each class with each term; later batches may have more classes.
        """
        content, ends, n = terms.content, terms.ends, len(terms)

        def term(k):
            return content[ends[k - 1] if k else 0 : ends[k]].tobytes()

        if self._starts is None:
            self._starts = sorted({term(n * k // RANGES) for k in range(1, RANGES)}) if n else []
        cuts = [0, *(bisect.bisect_left(range(n), start, key=term) for start in self._starts), n]
        frequencies, places = np.asarray(by_class, np.int32), {}
        for number, (first, last) in enumerate(pairwise(cuts)):
            if first == last:
                continue
            begin = ends[first - 1] if first else 0
            # Each term, with a line feed in the place where the next one begins.
            packed = np.insert(content[begin : ends[last - 1]], ends[first:last] - begin, ord("\n"))
            piece = BytesIO()
            np.save(piece, packed)
            np.save(piece, frequencies[first:last])
            path = self._folder / str(number)
            with naming(path), open(path, "ab") as file:
                places[number] = file.tell()  # behind what a failed call may have left
                file.write(piece.getbuffer())
        self._batches.append(places)

    def merged(self, n_classes, min_df=1, most=None):
        """Merge all batches.

        Parameters
        ----------
        n_classes : int
            Number of classes in all batches.
        min_df : int, default=1
            Leave out terms in fewer texts.
        most : int, default=None
            Maximum number of terms; if more are left, `min_df` is raised.

        Returns
        -------
        TermFrequencies
            The merged terms and their frequencies.
        """
        kept, n_kept = [], 0
        for number in sorted(set().union(*self._batches)):
            kept.append(self._merged_range(number, n_classes, min_df))
            n_kept += len(kept[-1][0])
            if most is not None and n_kept > most:
                # Terms of later ranges can only raise it further.
                total = np.concatenate([sums.sum(axis=1) for _, sums in kept])
                min_df = int(np.partition(total, n_kept - most - 1)[n_kept - most - 1]) + 1
                kept = [_frequent_spilled(terms, sums, min_df) for terms, sums in kept]
                n_kept = sum(len(terms) for terms, _ in kept)
        content = [terms.content for terms, _ in kept]
        starts = np.cumsum([0, *map(len, content)])
        ends = [terms.ends + start for (terms, _), start in zip(kept, starts, strict=False)]
        every_byte = np.concatenate([np.empty(0, np.uint8), *content])
        every_end = np.concatenate([np.empty(0, np.int64), *ends])
        by_class = np.concatenate([np.empty((0, n_classes), np.int64), *(sums for _, sums in kept)])
        return TermFrequencies(Terms(every_byte, every_end), by_class, min_df)

    def _merged_range(self, number, n_classes, min_df):
        numbers, pieces = {}, []
        with open(self._folder / str(number), "rb") as file:
            for place in (batch[number] for batch in self._batches if number in batch):
                file.seek(place)
                terms, frequencies = np.load(file).tobytes()[:-1].split(b"\n"), np.load(file)
                pieces.append(([numbers.setdefault(term, len(numbers)) for term in terms], frequencies))
        sums = np.zeros((len(numbers), n_classes), np.int64)
        for columns, frequencies in pieces:
            sums[columns, : frequencies.shape[1]] += frequencies  # a piece has no term twice
        frequent = np.flatnonzero(sums.sum(axis=1) >= min_df)
        written = list(numbers)
        order = sorted(frequent.tolist(), key=written.__getitem__)
        chosen = [written[k] for k in order]
        content = np.frombuffer(b"".join(chosen), np.uint8)
        return Terms(content, np.cumsum([*map(len, chosen)], dtype=np.int64)), sums[order]


def _frequent_spilled(terms, sums, min_df):
    kept = np.flatnonzero(sums.sum(axis=1) >= min_df)
    return terms.at(kept), sums[kept]
