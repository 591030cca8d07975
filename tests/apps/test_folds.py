import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold, train_test_split

from fastsvm_apps.common.folds import grouped_folds, plain_folds, split, stratified_folds
from fastsvm_apps.common.statistics import confusion

SHARES = (0.5, 0.2, 0.25, 0.1, 1 / 3, 0.9, 0.01, 0.999)


def rows_of(call):
    """Return the splits as lists, or None where they are refused."""
    with warnings.catch_warnings(action="ignore"):  # of rare labels
        try:
            return [[part.tolist() for part in parts] for parts in call()]
        except ValueError:
            return None


def random_labels(random, n):
    """Draw labels of very different shares: numbers, texts, or texts as objects, in any order of names."""
    kinds = int(random.integers(1, 8))
    codes = random.choice(kinds, size=n, p=random.dirichlet(np.full(kinds, 0.7)))
    names = random.permutation(["b", "a", "éa", "", "10", "9", "Z"])[:kinds]
    return [codes - 2, names[codes], names.astype(object)[codes], names[codes].tolist()][random.integers(4)]


def same(ours, theirs):
    ours, theirs = rows_of(ours), rows_of(theirs)
    assert ours == theirs
    return ours is not None


def draws(n_draws, seed):
    random = np.random.default_rng(seed)
    for _ in range(n_draws):
        yield random, int(random.integers(1, 120)), int(random.integers(1, 12)), int(random.integers(2**32))


def test_plain_folds_are_those_of_scikit_learn():
    accepted = [
        same(
            partial(plain_folds, n, k, seed),
            partial(lambda n, k, s: KFold(k, shuffle=True, random_state=s).split(range(n)), n, k, seed),
        )
        for _, n, k, seed in draws(200, 0)
    ]
    assert 100 < sum(accepted) < 200


def test_stratified_folds_are_those_of_scikit_learn():
    accepted = []
    for random, n, k, seed in draws(100, 1):
        y = random_labels(random, n)
        theirs = partial(
            lambda k, s, y: StratifiedKFold(k, shuffle=True, random_state=s).split(y, y), k, seed, y
        )
        accepted.append(same(partial(stratified_folds, y, k, seed), theirs))
    assert 33 < sum(accepted) < 100


@pytest.mark.parametrize("copies", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 10))])
def test_grouped_folds_are_those_of_scikit_learn(copies):
    accepted = []
    for random, n, k, seed in draws(40, copies):
        y = random_labels(random, n)
        groups = random.integers(0, max(1, n // copies), n)
        if seed % 2:  # a group has one label, as copies of one image have
            y = np.asarray(y)[groups]
        if seed % 3:
            groups = np.array([f"group {group}" for group in groups])
        splitter = StratifiedGroupKFold(max(k, 2), shuffle=True, random_state=seed)
        theirs = partial(splitter.split, y, y, groups)
        accepted.append(same(partial(grouped_folds, y, groups, max(k, 2), seed), theirs))
    assert 5 < sum(accepted) < 40


@pytest.mark.parametrize("stratified", [False, True])
def test_a_split_is_that_of_scikit_learn(stratified):
    accepted = []
    for random, n, _, seed in draws(100, 2 + stratified):
        share = float(random.choice(SHARES))
        y = random_labels(random, n) if stratified else None

        def ours(n=n, share=share, seed=seed, y=y):
            return [split(n, share, seed, y)]

        def theirs(n=n, share=share, seed=seed, y=y):
            return [train_test_split(np.arange(n), test_size=share, random_state=seed, stratify=y)]

        accepted.append(same(ours, theirs))
    assert 25 < sum(accepted) < 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plain_folds(5, 1, 0), "1 folds are too few"),
        (lambda: plain_folds(5, 6, 0), "5 rows are too few for 6 folds"),
        (lambda: stratified_folds(list("aabb"), 3, 0), "no label has 3 rows"),
        (lambda: grouped_folds(list("aabb"), [0, 0, 0, 0], 2, 0), "1 groups are too few for 2 folds"),
        (lambda: split(10, 0.0, 0), "0 is not between"),
        (lambda: split(10, 1.0, 0), "1 is not between"),
        (lambda: split(10, float("nan"), 0), "nan is not between"),
        (lambda: split(0, 0.5, 0), "0 rows are too few"),
        (lambda: split(1, 0.5, 0), "1 rows are too few"),
        (lambda: split(3, 0.5, 0, list("aab")), "one row only"),
        (lambda: split(10, 0.1, 0, list("aabbaabbab")), "9 and 1 rows are too few for 2 labels"),
    ],
)
def test_what_cannot_be_split_is_refused_in_few_words(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert len(str(error.value)) < 60


@pytest.mark.filterwarnings("ignore:A single label")
def test_the_confusion_table_is_that_of_scikit_learn():
    for random, n, _, _ in draws(60, 4):
        names = np.array(["b", "a", "éa", "", "10"])
        truth, predicted = names[random.integers(0, 4, n)], names[random.integers(0, 5, n)]
        labels = random.permutation(names)[: random.integers(1, 6)].tolist()
        if not set(truth) & set(labels):  # scikit-learn refuses these
            assert not confusion(truth, predicted, labels).any()
            continue
        ours, theirs = (make(truth, predicted, labels=labels) for make in (confusion, confusion_matrix))
        assert np.array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(confusion(truth.astype(object), predicted.tolist(), labels), theirs)
    assert confusion([], [], ["a", "b"]).tolist() == [[0, 0], [0, 0]]
