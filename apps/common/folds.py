"""Random splits of rows: training and test rows, and folds for cross-validation."""

import math
from collections.abc import Sequence

import numpy as np

Split = tuple[np.ndarray, np.ndarray]


def stratified_folds(y: Sequence, k: int, seed: int) -> list[Split]:
    """Split rows into folds of equal size, in which every label has a similar share.

    Parameters
    ----------
    y : array-like of shape (n,)
        A label for each row. A label with fewer rows than folds is missing in some folds.
    k : int
        Number of folds.
    seed : int

    Returns
    -------
    list of (ndarray, ndarray)
        The training rows and the test rows of each fold, both ascending.

    Raises
    ------
    ValueError
        If there are fewer than 2 folds, or fewer rows than folds.
    """
    _check_folds(k, len(y), "rows")
    fold_of = np.empty(len(y), int)
    fold_of[_by_label(y, np.random.default_rng(seed))] = np.arange(len(y)) % k
    return _splits_by_fold(fold_of, k)


def grouped_folds(y: Sequence, groups: Sequence, k: int, seed: int) -> list[Split]:
    """Split rows into folds without dividing a group; every label has a similar share in each fold.

    Parameters
    ----------
    y, groups : array-like of shape (n,)
        The label and the group of each row.
    k, seed
        As for `stratified_folds`.

    Returns
    -------
    list of (ndarray, ndarray)
        As from `stratified_folds`; the sizes depend on the sizes of the groups.

    Raises
    ------
    ValueError
        If there are fewer than 2 folds, or fewer groups than folds.
    """
    labels, codes = np.unique(y, return_inverse=True)
    names, group_of = np.unique(groups, return_inverse=True)
    _check_folds(k, len(names), "groups")
    table = np.zeros((len(names), len(labels)))
    np.add.at(table, (group_of, codes), 1)
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-table[order].sum(axis=1), kind="stable")]  # small groups fill gaps
    shares = table / table.sum(axis=0)
    filled, rows = np.zeros((k, len(labels))), np.zeros(k)
    fold_of_group = np.empty(len(names), int)
    for group in order:
        # The fold with the lowest share of the group's labels; of equal folds the smallest.
        fold = np.lexsort([rows, (filled @ shares[group]).round(12)])[0]
        fold_of_group[group] = fold
        filled[fold] += shares[group]
        rows[fold] += table[group].sum()
    return _splits_by_fold(fold_of_group[group_of], k)


def random_split(n: int, share: float, seed: int, labels: Sequence | None = None) -> Split:
    """Draw training rows and test rows.

    Parameters
    ----------
    n : int
        Number of rows.
    share : float
        Share of the test rows, between 0 and 1; their number is rounded up.
    seed : int
    labels : array-like of shape (n,), optional
        Labels that have similar shares in both parts. The only row of a label is a training row.

    Returns
    -------
    train, test : ndarray
        The training and the test rows, in random order.

    Raises
    ------
    ValueError
        If a part would be empty, or if too many labels have only one row.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share of {share:g} is not between 0 and 1")
    n_test = math.ceil(share * n)
    if n - n_test <= 0:
        raise ValueError(f"{n} rows are too few to test on {share:g} of them")
    random = np.random.default_rng(seed)
    order = random.permutation(n)
    if labels is not None:
        order = _by_label(labels, random)
        names, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        order = order[counts[codes[order]] > 1]  # the only row of a label is one to train on
        if len(order) < n_test:
            raise ValueError(f"the label '{names[counts.argmin()]}' has only one row; give at least two")
    is_test = np.zeros(n, bool)
    evenly_spaced = ((np.arange(n_test) + random.random()) * len(order) / n_test).astype(int)
    is_test[order[evenly_spaced]] = True
    return random.permutation(np.flatnonzero(~is_test)), random.permutation(np.flatnonzero(is_test))


def _by_label(y: Sequence, random: np.random.Generator) -> np.ndarray:
    """Return the rows sorted by label, in random order within each label."""
    order = random.permutation(len(y))
    return order[np.argsort(np.unique(y, return_inverse=True)[1][order], kind="stable")]


def _check_folds(k: int, n: int, what: str) -> None:
    if k < 2:
        raise ValueError(f"{k} folds are too few; give at least 2")
    if k > n:
        raise ValueError(f"{n} {what} are too few for {k} folds; give fewer folds")


def _splits_by_fold(fold_of: np.ndarray, k: int) -> list[Split]:
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(k)]
