"""Splits of rows: each row once, labels in like shares, groups whole, the same for the same seed."""

import numpy as np
import pytest

from fastsvm_apps.common.folds import grouped_folds, random_split, stratified_folds

SHARES = (0.5, 0.2, 0.25, 0.1, 1 / 3, 0.9, 0.01, 0.999)


def random_labels(random, n):
    """Draw labels of very different shares: numbers, texts, or texts as objects, in any order of names."""
    kinds = int(random.integers(1, 8))
    codes = random.choice(kinds, size=n, p=random.dirichlet(np.full(kinds, 0.7)))
    names = random.permutation(["b", "a", "éa", "", "10", "9", "Z"])[:kinds]
    return [codes - 2, names[codes], names.astype(object)[codes], names[codes].tolist()][random.integers(4)]


def draws(n_draws, seed):
    random = np.random.default_rng(seed)
    for _ in range(n_draws):
        yield random, int(random.integers(3, 120)), int(random.integers(2, 12)), int(random.integers(2**32))


def check_folds(folds, n, k):
    assert len(folds) == k
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(n))
    for train, test in folds:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        assert np.all(np.diff(train) > 0)
        assert np.all(np.diff(test) > 0)


def test_folds_have_like_sizes_and_like_shares_of_labels():
    for random, n, k, seed in draws(100, 1):
        y, k = random_labels(random, n), min(n, k)
        folds = stratified_folds(y, k, seed)
        check_folds(folds, n, k)
        codes = np.unique(y, return_inverse=True)[1]
        counts = np.array([np.bincount(codes[test], minlength=codes.max() + 1) for _, test in folds])
        assert np.ptp(counts, axis=0).max() <= 1
        assert np.ptp(counts.sum(axis=1)) <= 1
        again, other = stratified_folds(y, k, seed), stratified_folds(y, k, seed + 1)
        assert all(np.array_equal(a[1], b[1]) for a, b in zip(folds, again, strict=True))
        assert n < 30 or any(not np.array_equal(a[1], b[1]) for a, b in zip(folds, other, strict=True))


def test_groups_stay_together_and_labels_are_even():
    for random, n, k, seed in draws(60, 2):
        groups = random.integers(0, max(n // 3, 2), n)
        y = np.asarray(random_labels(random, n))
        y = y[groups] if seed % 2 else y  # a group may have one label, as copies of one image have
        k = min(k, len(np.unique(groups)))
        folds = grouped_folds(y, groups, k, seed)
        check_folds(folds, n, k)
        assert not any(np.isin(groups[train], groups[test]).any() for train, test in folds)
    y, groups = np.repeat(["a", "b"], [300, 100]), np.arange(400) // 4
    for _, test in grouped_folds(y, groups, 5, 0):
        assert (np.sum(y[test] == "a"), np.sum(y[test] == "b")) == (60, 20)


@pytest.mark.parametrize("stratified", [False, True])
def test_a_split_has_the_share_and_all_rows(stratified):
    for random, n, _, seed in draws(100, 3 + stratified):
        share = float(random.choice(SHARES))
        y = random_labels(random, n) if stratified else None
        n_test = int(np.ceil(share * n))
        most = n - 1 if y is None else n - np.sum(np.unique(y, return_counts=True)[1] == 1)
        if n_test > min(most, n - 1):
            with pytest.raises(ValueError, match=r"too few|one row only"):
                random_split(n, share, seed, y)
            continue
        train, test = random_split(n, share, seed, y)
        assert len(test) == n_test
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
        assert np.array_equal(test, random_split(n, share, seed, y)[1])
        assert n < 30 or np.any(np.diff(train) < 0) or n_test > n / 2  # in random order
        if stratified:
            codes = np.unique(y, return_inverse=True)[1]
            counts = np.bincount(codes)
            several = counts * (counts > 1)
            wanted = several * n_test / several.sum()
            assert np.all(np.abs(np.bincount(codes[test], minlength=len(counts)) - wanted) < 1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stratified_folds(list("aabbb"), 1, 0), "1 folds are too few"),
        (lambda: stratified_folds(list("aabbb"), 6, 0), "5 rows are too few for 6 folds"),
        (lambda: grouped_folds(list("aabb"), [0, 0, 0, 0], 2, 0), "1 groups are too few for 2 folds"),
        (lambda: random_split(10, 0.0, 0), "0 is not between"),
        (lambda: random_split(10, float("nan"), 0), "nan is not between"),
        (lambda: random_split(0, 0.5, 0), "0 rows are too few"),
        (lambda: random_split(1, 0.5, 0), "1 rows are too few"),
    ],
)
def test_what_cannot_be_split_is_refused_in_few_words(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert len(str(error.value)) < 60
