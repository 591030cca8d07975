"""Texts whose label is probably wrong, as `inspect` and `train` list them."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.text import Bag, token_regex

from ...common.suspicious_labels import suspicious_labels
from ..data.text_labels import TextLabels
from ..learning.learned_model import LearnedModel
from ..measures.answer_scores import AnswerScores

SUSPECTS_LISTED = 5  # that a training lists
LETTERS_SHOWN = 60  # letters that a table shows


class SuspectText(NamedTuple):
    """A text that a person should check.

    Attributes
    ----------
    place : int or str
        The line of the text, or its file in a folder.
    label : str
    suggested : str
        The label that the text probably should have; empty if the text only occurs too often.
    sure : float
        For a contradicted label, the probability of the suggested label, given that one of the two is right.
        For texts that occur with several labels, the share of the suggested label.
    why : str
    text : str
    """

    place: int | str
    label: str
    suggested: str
    sure: float
    why: str
    text: str


class Contradictions(NamedTuple):
    """The labels that are contradicted by models trained on other texts.

    Attributes
    ----------
    n_contradicted, n_strong : int
        Number of texts with contradicted labels, and number of strongly contradicted labels.
    estimated_share : float or None
        Share of the labels that are wrong at random; None if a text may have several labels.
    texts : list of SuspectText
        The most certain first.
    """

    n_contradicted: int
    n_strong: int
    estimated_share: float | None
    texts: list[SuspectText]


def contradicted_texts(
    likely: np.ndarray, y: TextLabels, columns: Iterable[Sequence], number: int
) -> Contradictions:
    """Return the labels `y` that probabilities, with columns in the order of the names, contradict.

    `columns` are the places and texts of the rows of `likely`; at most `number` texts are listed.
    """
    (places, texts), spelled, names = columns, [*y], y.names.tolist()
    questions = [(likely, y.codes, names)]
    if not y.exclusive:  # of each label, whether a text has it
        answers = ([f"not {name}", f"also {name}"] for name in names)
        pairs = zip(likely.T, answers, strict=True)
        questions = [(np.column_stack([1 - p, p]), y.has(k) * 1, both) for k, (p, both) in enumerate(pairs)]
    n_strong, doubts = 0, []
    for probabilities, codes, answers in questions:
        found = suspicious_labels(probabilities, codes)
        n_strong += found.n_strong
        doubts += [(found.log_odds[i], i, answers[found.suggested[i]]) for i in found.order.tolist()]
    share = found.estimated_share if y.exclusive else None
    n = len({i for _, i, _ in doubts})
    doubts.sort(key=lambda doubt: -doubt[0])
    suspects = [
        SuspectText(places[i], spelled[i], label, (1 + math.tanh(odds / 2)) / 2, "contradicted", texts[i])
        for odds, i, label in doubts[:number]
    ]
    return Contradictions(n, n_strong, share, suspects)


def suspected_labels(
    tested: LearnedModel, evaluation: AnswerScores | None, y: TextLabels, columns: Sequence
) -> dict | None:
    """Judge labels by scores that a training computes anyway, on its folds and on the held-out texts.

    Parameters
    ----------
    tested : LearnedModel
        With too few texts, it has no scores on folds, and the result is None.
    evaluation : AnswerScores or None
    y : TextLabels
        The labels of all texts, the held-out texts last.
    columns : sequence of sequences
        The places and the beginnings of these texts.

    Returns
    -------
    dict or None
        `n`, the number of texts with such scores; `n_contradicted`, `n_strong` and `estimated_share`, as in
        `Contradictions`; and at most `SUSPECTS_LISTED` `texts`, the most certain first.
    """
    left_out = tested.left_out
    if left_out is None:
        return None
    rows, likely = left_out.rows, left_out.probabilities()
    if evaluation is not None:
        rows = np.concatenate([rows, np.arange(len(y) - evaluation.n, len(y))])
        likely = np.concatenate([likely, evaluation.probabilities])
    is_known = np.bincount(y.rows, ~np.isin(y.names[y.codes], left_out.y.names), len(y))[rows] == 0
    rows = rows[is_known]
    of_rows = ([column[i] for i in rows.tolist()] for column in columns)
    labels = y[rows].present().named(left_out.y.names)
    found = contradicted_texts(likely[is_known], labels, of_rows, SUSPECTS_LISTED)
    texts = [text._asdict() for text in found.texts]
    return {"n": len(rows), **found._asdict(), "texts": texts}


WORDS = 3  # consecutive words by which texts are compared
OVERLAP = 0.8  # of the word triples that either of two texts has, both must have
# Triples lead to candidates if at most this many texts share them; triples of more texts are phrases.
MOST_TEXTS_SHARING = 20
TEXTS_AT_ONCE = 10_000  # texts whose candidates are sought together


def groups_of_equals(keys: Iterable[tuple[int, Hashable]]) -> tuple[list[int], list[list[int]]]:
    """Return the numbers that are the first with their key, and all numbers of each key that has several."""
    first: dict[Hashable, int] = {}
    groups: dict[int, list[int]] = {}
    for i, key in keys:
        if (j := first.setdefault(key, i)) != i:
            groups.setdefault(j, [j]).append(i)
    return list(first.values()), list(groups.values())


def same_texts(texts: Sequence[str]) -> np.ndarray:
    """Number texts so that texts with the same words in the same order have the same number.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    ndarray of int, shape (n_texts,)
        From 0, without a gap, in order of first occurrence.
    """
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(_words_in_order(text), len(numbers)) for text in texts])


def similar_texts(texts: Sequence[str]) -> np.ndarray:
    """Number texts so that texts that are nearly the same have the same number.

    Two texts are nearly the same if a share `OVERLAP` of all word triples in either is in both, or if other
    texts connect them. Two texts are compared if they share triples of at most `MOST_TEXTS_SHARING` texts.

    Parameters
    ----------
    texts : sequence of str

    Returns
    -------
    ndarray of int, shape (n_texts,)
        From 0; texts with the same words have the same number, as in `same_texts`.
    """
    from scipy.sparse.csgraph import connected_components

    same = same_texts(texts)
    once = np.unique(same, return_index=True)[1]
    try:
        bag = Bag(ngram_range=(WORDS, WORDS), token_pattern=r"\w+", dtype=np.float32, n_jobs=-1, marks=True)
        X = bag.fit_transform([texts[i] for i in once])
    except ValueError:  # no text has three words
        return same
    X.data[:] = 1
    rows, columns = np.hstack([*_similar_pairs(X)])
    graph = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(once), len(once)))
    return connected_components(graph, directed=False)[1][same]


def _words_in_order(text: str) -> str:
    words = token_regex(r"\w+", marks=True).findall(normalize("NFC", text.casefold()))
    return " ".join(words) or text.strip()


def _similar_pairs(X: csr_matrix):
    """Yield the numbers of rows of a matrix of ones that overlap enough, those of each pair in two arrays."""
    texts_with = np.bincount(X.indices, minlength=X.shape[1])
    rare = X[:, np.flatnonzero((texts_with > 1) & (texts_with <= MOST_TEXTS_SHARING))]
    n_rare, n_all = np.diff(rare.indptr), np.diff(X.indptr)
    columns = rare.T.tocsr()
    for start in range(0, len(n_rare), TEXTS_AT_ONCE):
        shared = (rare[start : start + TEXTS_AT_ONCE] @ columns).tocoo()
        a, b = shared.row + start, shared.col
        # Texts with four in five of all words in common mostly have half of the rare ones in common.
        likely = (a < b) & (2 * shared.data >= np.maximum(n_rare[a], n_rare[b]))
        a, b = a[likely], b[likely]
        both = X[a].multiply(X[b]).sum(axis=1).astype(int).A1
        is_near = both >= OVERLAP * (n_all[a] + n_all[b] - both)
        yield a[is_near], b[is_near]
