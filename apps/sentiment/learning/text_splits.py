"""Splits of labelled texts: the held-out texts, and the folds by which alpha and recipes are chosen."""

import numpy as np

from ...common.errors import AppError
from ...common.folds import random_split, stratified_folds
from ..data.text_labels import TextLabels

Fold = tuple[np.ndarray, np.ndarray]

TEXTS_IN_FIVE = 2000  # maximum for five folds to choose alpha; more texts have two
RARE_LABEL_TEXTS = 200  # with fewer of one of two labels, any number of texts has five folds


def split_rows(
    texts: list[str], labels: TextLabels, holdout: float, seed: int
) -> tuple[list[int], list[int]]:
    """Split into training and test rows, which do not depend on the order of the texts.

    A share `holdout` of the different texts is held out. A text with more copies than this share of all rows
    is trained on: otherwise the seed would decide whether most of the corpus is held out.
    """
    spelled, copies = labels.spelled, dict[int, list[int]]()
    for i in sorted(range(len(texts)), key=lambda i: (spelled[i], texts[i])):
        copies.setdefault(labels.copies[i], []).append(i)
    most = max(1, holdout * len(texts)) if holdout else len(texts)
    groups = [rows for rows in copies.values() if len(rows) <= most]
    frequent, n = [i for rows in copies.values() if len(rows) > most for i in rows], len(groups)
    strata, parts = labels.strata[np.array([rows[0] for rows in groups], int)], (np.arange(n), [])
    if holdout > 0:
        n_alone = np.count_nonzero(np.unique(strata, return_counts=True)[1] == 1)
        like = strata if n - n_alone >= holdout * n else None
        try:
            parts = random_split(n, holdout, seed, like)
        except ValueError as error:
            raise AppError(f"{n} texts are too few for --holdout {holdout:g}; try --holdout 0") from error
    train, test = ([i for group in part for i in groups[group]] for part in parts)
    return train + frequent, test


def text_folds(y: TextLabels, k: int, seed: int) -> list[Fold]:
    """Return k stratified folds, none of which divides copies of a text; none if fewer texts differ."""
    first = _first_copies(y)
    folds = stratified_folds(y.strata[first], k, seed) if k <= len(first) else []
    numbers = [[y.copies[first[rows]] for rows in fold] for fold in folds]
    return [tuple(np.flatnonzero(np.isin(y.copies, part)) for part in fold) for fold in numbers]


def _first_copies(y: TextLabels) -> np.ndarray:
    """Return the first row of each text, ascending."""
    return np.sort(np.unique(y.copies, return_index=True)[1])


def trainable_folds(y: TextLabels, k: int, seed: int) -> list[Fold]:
    """Return the stratified folds whose training rows have at least two labels."""
    return [fold for fold in text_folds(y, k, seed) if len(y[fold[0]].present().names) > 1]


def n_inner_folds(y: TextLabels, most: int = TEXTS_IN_FIVE) -> int:
    """Return the number of folds to choose by; few texts have more folds."""
    counts = y.present().counts
    return 5 if len(y) <= most or (len(counts) == 2 and min(counts) < RARE_LABEL_TEXTS) else 2


def inner_folds(y: TextLabels, seed: int) -> list[Fold]:
    """Return the folds to choose alpha by; none if no two labels have several texts."""
    counts = y[_first_copies(y)].present().counts
    if np.count_nonzero(counts > 1) < 2:
        return []
    k = n_inner_folds(y)
    return trainable_folds(y, k if min(counts) == 1 else min(k, *counts), seed)
