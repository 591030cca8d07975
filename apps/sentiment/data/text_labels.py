"""The labels of texts, either one each or any number, with the same methods for both."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from fastsvm.fitting import LabelSets

from ...common.training_items import text_hashes
from .label_fields import LabelField

FEWEST_TO_SPLIT = 10  # different texts; with fewer, as in a first try, copies are split like others


class TextLabels:
    """The labels of texts: one each if they are `exclusive`, otherwise any number.

    Parameters
    ----------
    names : ndarray of str, shape (n_labels,), sorted
        All labels that a text may have.
    offsets, codes : ndarray of int
        Text i has the labels ``names[codes[offsets[i] : offsets[i + 1]]]``, in their order.
    exclusive : bool
        Whether every text has exactly one label, which excludes the others.
    copies : ndarray of int, shape (n_texts,), optional
        Copies of a text have the same number; no split of the texts divides them. By default all differ.
    """

    def __init__(
        self,
        names: np.ndarray,
        offsets: np.ndarray,
        codes: np.ndarray,
        exclusive: bool,
        copies: np.ndarray | None = None,
    ) -> None:
        self.names, self.offsets, self.codes, self.exclusive = names, offsets, codes, exclusive
        self.copies = np.arange(len(self)) if copies is None else copies

    @classmethod
    def of(
        cls,
        labels: "TextLabels | Iterable[LabelField]",
        exclusive: bool | None = None,
        texts: Iterable[str] | None = None,
    ) -> "TextLabels":
        """Return the labels of texts: a string is the only label of its text, a tuple has any number.

        By default they are exclusive if every text has one. With `texts`, those that differ only in case and
        white space count as copies, unless fewer than `FEWEST_TO_SPLIT` differ otherwise.
        """
        if isinstance(labels, cls):
            return labels
        sets = [(field,) if isinstance(field, str) else tuple(dict.fromkeys(field)) for field in labels]
        sizes = np.fromiter(map(len, sets), int, len(sets))
        code_of = {name: code for code, name in enumerate(sorted({name for each in sets for name in each}))}
        codes = np.array([code for each in sets for code in sorted(code_of[name] for name in each)], int)
        exclusive = bool((sizes == 1).all()) if exclusive is None else exclusive
        hashes, copies = np.unique(text_hashes(map(str.casefold, texts or ())), return_inverse=True)
        known = copies if len(hashes) >= FEWEST_TO_SPLIT else None
        return cls(np.array([*code_of], str), np.append(0, np.cumsum(sizes)), codes, exclusive, known)

    @classmethod
    def of_matrix(
        cls, names: np.ndarray, has_it: np.ndarray, copies: np.ndarray | None = None
    ) -> "TextLabels":
        """Return labels from a table that tells which texts (rows) have which labels (columns)."""
        rows, codes = np.nonzero(has_it)
        return cls(names, np.searchsorted(rows, np.arange(len(has_it) + 1)), codes, False, copies)

    @classmethod
    def of_codes(cls, names: np.ndarray, codes: np.ndarray) -> "TextLabels":
        """Return exclusive labels from their codes."""
        return cls(names, np.arange(len(codes) + 1), codes, True)

    @classmethod
    def given(cls, names: np.ndarray, decision: np.ndarray, thresholds: np.ndarray | None) -> "TextLabels":
        """Return the predicted labels: that with the highest decision value, or all above `thresholds`."""
        if thresholds is not None:
            return cls.of_matrix(names, decision > thresholds)
        best = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
        return cls.of_codes(names, best.astype(int))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.spelled)

    def __getitem__(self, rows) -> "TextLabels":
        """Return the labels of some texts."""
        starts, stops = self.offsets[:-1][rows], self.offsets[1:][rows]
        offsets = np.append(0, np.cumsum(stops - starts))
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], stops - starts)
        return TextLabels(self.names, offsets, self.codes[places], self.exclusive, self.copies[rows])

    @property
    def counts(self) -> np.ndarray:
        """The number of texts with each label."""
        return np.bincount(self.codes, minlength=len(self.names))

    @property
    def label_counts(self) -> Counter[str]:
        """The number of texts with each label, in the order of labels, without labels that no text has."""
        counts = zip(self.names.tolist(), self.counts.tolist(), strict=True)
        return Counter({name: n for name, n in counts if n})

    @cached_property
    def rows(self) -> np.ndarray:
        """The text that each of `codes` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def has(self, code: int) -> np.ndarray:
        """Tell which texts have a label."""
        there = np.zeros(len(self), bool)
        there[self.rows[self.codes == code]] = True
        return there

    @property
    def table(self) -> np.ndarray:
        """Whether each text (a row) has each label (a column)."""
        table = np.zeros((len(self), len(self.names)), bool)
        table[self.rows, self.codes] = True
        return table

    def present(self) -> "TextLabels":
        """Return these labels without the names that no text has."""
        return self.named(self.names[self.counts > 0])

    def named(self, names: np.ndarray) -> "TextLabels":
        """Return these labels with other `names`, sorted or not, which include the names that texts have."""
        order = np.argsort(names)
        places = order[np.searchsorted(names, self.names[self.codes], sorter=order)]
        return TextLabels(names, self.offsets, places, self.exclusive, self.copies)

    def some_labels(self, most: int) -> "TextLabels":
        """Return these labels; if texts may have several, at most `most` of them, frequent and rare ones."""
        if self.exclusive or len(self.names) <= most:
            return self
        often = np.argsort(-self.counts, kind="stable")
        kept = np.sort(often[np.linspace(0, len(often) - 1, most).astype(int)])
        has_it = np.column_stack([*map(self.has, kept)])
        return TextLabels.of_matrix(self.names[kept], has_it, self.copies)

    @property
    def problems(self) -> np.ndarray:
        """The labels that are learned against the rest; of two exclusive labels, only the second."""
        there = np.flatnonzero((self.counts > 0) & (self.counts < len(self)))
        return there[1:] if self.exclusive and len(there) == 2 else there

    @property
    def strata(self) -> np.ndarray:
        """The code of the rarest label of each text, for stratified parts; -1 for a text without labels."""
        strata = np.full(len(self), -1)
        often = np.argsort(-self.counts[self.codes], kind="stable")
        strata[self.rows[often]] = self.codes[often]
        return strata

    @property
    def target(self) -> "np.ndarray | LabelSets":
        """What a classifier is fitted to: the label of each text, or a column for each label."""
        if self.exclusive:
            return self.names[self.codes]
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.codes), np.int8)
        indicator = csr_matrix((ones, self.codes, self.offsets), (len(self), len(self.names)))
        return LabelSets(indicator, self.names)

    def best_first(self, decision: np.ndarray) -> "TextLabels":
        """Return these labels, with the labels of each text sorted by decision value, the highest first."""
        if self.exclusive:
            return self
        order = np.lexsort((-decision[self.rows, self.codes], self.rows))
        return TextLabels(self.names, self.offsets, self.codes[order], False)

    def called(self, names: Sequence[str]) -> list[list[str]]:
        """Return the labels of each text, spelled as in `names`."""
        called = [names[code] for code in self.codes.tolist()]
        return [called[start:stop] for start, stop in pairwise(self.offsets.tolist())]

    @cached_property
    def spelled(self) -> list[str]:
        """The labels of each text as one string, to show and to compare."""
        return [", ".join(each) for each in self.called([*map(str, self.names.tolist())])]

    def same(self, other: "TextLabels") -> np.ndarray:
        """Tell which texts have exactly the labels that they have in `other`, which has the same names."""
        n_both = np.bincount(self.rows, other.contains(self), len(self))
        return (n_both == np.diff(self.offsets)) & (n_both == np.diff(other.offsets))

    def contains(self, other: "TextLabels") -> np.ndarray:
        """Tell which labels of `other`, in the order of its `codes`, the same text has here, too."""
        n = len(self.names)
        return np.isin(other.rows * n + other.codes, self.rows * n + self.codes)
