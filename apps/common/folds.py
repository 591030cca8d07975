"""Rows to train on and rows to try on: the splits of scikit-learn, to the row, without its import."""

import math
from collections.abc import Sequence

import numpy as np

Split = tuple[np.ndarray, np.ndarray]


def plain_folds(n: int, k: int, seed: int) -> list[Split]:
    """Split rows into folds at random, as ``KFold(k, shuffle=True, random_state=seed)`` does.

    Parameters
    ----------
    n : int
        Number of rows.
    k : int
        Number of folds, of at least one row each.
    seed : int

    Returns
    -------
    list of (ndarray, ndarray)
        The rows to train on and the rows to test on for each fold, both ascending.

    Raises
    ------
    ValueError
        When `k` is below 2, or there are fewer rows than folds.
    """
    _check_folds(k, n)
    fold_of = np.empty(n, int)
    order = np.arange(n)
    np.random.RandomState(seed).shuffle(order)
    fold_of[order] = np.repeat(np.arange(k), [n // k + (fold < n % k) for fold in range(k)])
    return _splits(fold_of, k)


def stratified_folds(y: Sequence, k: int, seed: int) -> list[Split]:
    """Split rows into folds of like labels, as ``StratifiedKFold(k, shuffle=True, random_state=seed)`` does.

    Parameters
    ----------
    y : array-like of shape (n,)
        A label for each row.
    k, seed
        As for `plain_folds`.

    Returns
    -------
    list of (ndarray, ndarray)
        As of `plain_folds`.

    Raises
    ------
    ValueError
        Also when no label has as many rows as there are folds.
    """
    labels, first, codes, counts = np.unique(y, return_index=True, return_inverse=True, return_counts=True)
    _check_folds(k, len(codes), counts)
    random = np.random.RandomState(seed)
    ordered = np.repeat(np.arange(len(labels)), counts[np.argsort(first)])  # labels as they come in y
    fold_of = np.empty(len(codes), int)
    for number, label in enumerate(np.argsort(first)):
        sizes = [np.count_nonzero(ordered[fold::k] == number) for fold in range(k)]
        folds = np.repeat(np.arange(k), sizes)
        random.shuffle(folds)
        fold_of[codes == label] = folds
    return _splits(fold_of, k)


def grouped_folds(y: Sequence, groups: Sequence, k: int, seed: int) -> list[Split]:
    """Split rows into folds of like labels, every group in one of them.

    The folds are those of ``StratifiedGroupKFold(k, shuffle=True, random_state=seed)``.

    Parameters
    ----------
    y, groups : array-like of shape (n,)
        The label and the group of each row.
    k, seed
        As for `plain_folds`.

    Returns
    -------
    list of (ndarray, ndarray)
        As of `plain_folds`; a fold may be empty.

    Raises
    ------
    ValueError
        Also when no label has as many rows, or there are fewer groups, than folds.
    """
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    _check_folds(k, len(codes), counts)
    names, group_of = np.unique(groups, return_inverse=True)
    if k > len(names):
        raise ValueError(f"{len(names)} groups are too few for {k} folds")
    table = np.zeros((len(names), len(counts)))
    np.add.at(table, (group_of, codes), 1)
    order = np.arange(len(names))
    np.random.RandomState(seed).shuffle(order)
    # Those of uneven labels first: others fill up what they leave.
    order = order[np.argsort(-np.std(table[order], axis=1), kind="stable")]
    fold_of_group = np.empty(len(names), int)
    filled = np.zeros((k, len(counts)))
    for group in order:
        fold = fold_of_group[group] = _evenest(filled, table[group], counts)
        filled[fold] += table[group]
    return _splits(fold_of_group[group_of], k)


def _evenest(filled: np.ndarray, added: np.ndarray, counts: np.ndarray) -> int:
    """Return the fold that a group of rows makes the labels least uneven in; of like ones the smallest."""
    each = np.arange(len(filled))
    tried = np.repeat(filled[None], len(filled), axis=0)
    tried[each, each] += added
    uneven = np.std(tried / counts, axis=1).mean(axis=1).tolist()
    rows = filled.sum(axis=1).tolist()
    best = 0
    for fold in range(1, len(filled)):
        difference = uneven[fold] - uneven[best]
        alike = abs(difference) <= 1e-8 + 1e-5 * uneven[best]  # np.isclose
        if difference < 0 or (alike and rows[fold] < rows[best]):
            best = fold
    return best


def split(n: int, share: float, seed: int, labels: Sequence | None = None) -> Split:
    """Draw rows to train on and rows to test on, as ``train_test_split(np.arange(n))`` does.

    Parameters
    ----------
    n : int
        Number of rows.
    share : float
        Of the rows to test on, between 0 and 1; their number is rounded up.
    seed : int
    labels : array-like of shape (n,), optional
        Labels that both parts have in like shares (``stratify``).

    Returns
    -------
    train, test : ndarray
        In random order.

    Raises
    ------
    ValueError
        When a part would be empty, or have fewer rows than there are labels, or a label has one row only.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share of {share:g} is not between 0 and 1")
    n_test = math.ceil(share * n)
    n_train = n - n_test
    if n_train <= 0:
        raise ValueError(f"{n} rows are too few to test on {share:g} of them")
    random = np.random.RandomState(seed)
    if labels is None:
        order = random.permutation(n)
        return order[n_test:], order[:n_test]
    names, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if counts.min() < 2:
        raise ValueError(f"the label '{names[counts.argmin()]}' has one row only")
    if min(n_train, n_test) < len(counts):
        raise ValueError(f"{n_train} and {n_test} rows are too few for {len(counts)} labels")
    n_trains = _draws(counts, n_train, random)
    n_tests = _draws(counts - n_trains, n_test, random)
    rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    train, test = [], []
    for those, to_train, to_test in zip(rows, n_trains, n_tests, strict=True):
        those = those[random.permutation(len(those))]
        train.append(those[:to_train])
        test.append(those[to_train : to_train + to_test])
    return random.permutation(np.concatenate(train)), random.permutation(np.concatenate(test))


def _draws(counts: np.ndarray, n: int, random: np.random.RandomState) -> np.ndarray:
    """Return how many of `n` rows each label gets: its share rounded down, then the rest by remainders."""
    exact = counts / counts.sum() * n
    drawn = np.floor(exact)
    left = exact - drawn
    missing = int(n - drawn.sum())
    for value in np.unique(left)[::-1]:
        if missing <= 0:
            break
        alike = np.flatnonzero(left == value)
        take = min(len(alike), missing)
        drawn[random.choice(alike, size=take, replace=False)] += 1
        missing -= take
    return drawn.astype(int)


def _check_folds(k: int, n: int, counts: np.ndarray | None = None) -> None:
    if k < 2:
        raise ValueError(f"{k} folds are too few; 2 are the fewest")
    if k > n:
        raise ValueError(f"{n} rows are too few for {k} folds")
    if counts is not None and k > counts.max():
        raise ValueError(f"no label has {k} rows, one for each fold")


def _splits(fold_of: np.ndarray, k: int) -> list[Split]:
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(k)]
