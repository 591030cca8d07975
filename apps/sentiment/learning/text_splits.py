"""Splits of labelled texts: the texts held out, and the folds that alpha and recipes are chosen by."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...common.errors import AppError
from ...common.folds import random_split, stratified_folds

Fold = tuple[np.ndarray, np.ndarray]
LabelledTexts = tuple[list[str], list[str]]

TEXTS_IN_FIVE = 2000  # at most; more are halved to choose alpha
RARE_LABEL_TEXTS = 200  # with fewer of one of two labels, any number of texts is cut in five


def split_rows(texts: list[str], labels: list[str], holdout: float, seed: int) -> tuple[list[int], list[int]]:
    """Split into training and test rows; the order in the file, sorted or shuffled, changes no text."""
    n = len(texts)
    order = sorted(range(n), key=lambda i: (labels[i], texts[i]))
    parts = np.arange(len(order)), []
    if holdout > 0:
        several = n - list(Counter(labels).values()).count(1)
        like = [labels[i] for i in order] if several >= holdout * n else None
        try:
            parts = random_split(len(order), holdout, seed, like)
        except ValueError as error:
            raise AppError(f"{n} texts are too few for --holdout {holdout:g}; try --holdout 0") from error
    train, test = ([order[i] for i in part] for part in parts)
    return train, test


def split_texts(
    texts: list[str], labels: list[str], holdout: float, seed: int
) -> tuple[LabelledTexts, LabelledTexts]:
    """Split into training and test texts, as `split_rows` does."""
    parts = split_rows(texts, labels, holdout, seed)
    train, test = (([texts[i] for i in part], [labels[i] for i in part]) for part in parts)
    return train, test


def trainable_folds(y: Sequence[str], k: int, seed: int) -> list[Fold]:
    """Return the stratified folds whose training rows have two labels."""
    codes = np.unique(y, return_inverse=True)[1]
    return [fold for fold in stratified_folds(y, k, seed) if np.ptp(codes[fold[0]])]


def n_inner_folds(y: np.ndarray, most: int = TEXTS_IN_FIVE) -> int:
    """Return the number of folds to choose by; few texts have more."""
    counts = np.unique(y, return_counts=True)[1]
    return 5 if len(y) <= most or (len(counts) == 2 and min(counts) < RARE_LABEL_TEXTS) else 2


def inner_folds(y: np.ndarray, seed: int) -> list[Fold]:
    """Return the folds to choose alpha by; none if no two labels have several texts."""
    counts = np.unique(y, return_counts=True)[1]
    if np.count_nonzero(counts > 1) < 2:
        return []
    k = n_inner_folds(y)
    return trainable_folds(y, k if min(counts) == 1 else min(k, *counts), seed)
