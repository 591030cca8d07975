import random

import numpy as np
import pytest

from fastsvm.text import Bag, SpilledTerms, Weighting, spilled

WORDS = [f"w{i}é" if i % 7 == 0 else f"w{i}" for i in range(200)]


@pytest.fixture(scope="module")
def texts():
    drawn = random.Random(0)
    return [" ".join(drawn.choices(WORDS, k=10)) for _ in range(500)], np.arange(500) % 3


def presence(X, y, n_classes):
    """In how many rows of each class each column is."""
    return np.array([(X[y == k].toarray() > 0).sum(axis=0) for k in range(n_classes)]).T


def spilled_in_batches(folder, texts, y, size):
    found = SpilledTerms(folder)
    for first in range(0, len(texts), size):
        bag = Bag(ngram_range=(1, 2))
        X = bag.fit_transform(texts[first : first + size])
        found.add(bag.terms_, presence(X, y[first : first + size], 3))
    return found


@pytest.mark.parametrize("ranges", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 256))])
@pytest.mark.parametrize(("min_df", "most"), [(1, None), (2, None), (1, 300), (1, 0)])
def test_batches_are_merged_to_what_all_texts_have(tmp_path, monkeypatch, texts, ranges, min_df, most):
    monkeypatch.setattr(spilled, "RANGES", ranges)
    found = spilled_in_batches(tmp_path, *texts, size=70).merged(3, min_df, most)
    bag = Bag(ngram_range=(1, 2))
    X = bag.fit_transform(texts[0])
    frequencies = presence(X, texts[1], 3)
    total = frequencies.sum(axis=1)
    if most is not None:  # the least that leaves no more than that
        min_df = next(n for n in range(1, 501) if (total >= n).sum() <= most)
    assert found.min_df == min_df
    kept = np.flatnonzero(total >= min_df)
    assert found.terms.strings() == bag.get_feature_names_out()[kept].tolist()
    np.testing.assert_array_equal(found.by_class, frequencies[kept])


@pytest.mark.parametrize("weighting", ["counts", "binary", "tfidf", "nb"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_frequencies_give_the_weights_that_rows_give(texts, weighting, n_classes):
    y = texts[1] % n_classes
    X = Bag(dtype=np.float32).fit_transform(texts[0])
    plain = Weighting(weighting).fit(X, y)
    by_frequency = Weighting(weighting).fit_frequencies(presence(X, y, n_classes), len(y))
    assert by_frequency.n_features_in_ == plain.n_features_in_
    np.testing.assert_array_equal(by_frequency.transform(X).toarray(), plain.transform(X).toarray())
