"""Vectorisers on a cluster: the vocabulary and the rows of one machine."""

import random

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.bag as db

from fastsvm import text
from fastsvm.dask import BagOfWords, HashedBagOfWords, SDCAClassifier

DRAWN = random.Random(0)
TEXTS = [" ".join(DRAWN.choices([f"w{i}é" for i in range(60)], k=8)) for _ in range(150)]
LABELS = np.array(["w7é" in each for each in TEXTS])


def rows_of(X):
    with dask.config.set(scheduler="synchronous"):
        parts = dask.compute(*X.to_delayed().ravel())
    return np.concatenate([part.toarray() for part in parts])


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"min_df": 0.01, "max_df": 40, "max_features": 50},
        {"max_features": 60, "binary": True, "dtype": np.float32},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "min_df": 2},
        {"vocabulary": ["w1é", "w5é"]},
    ],
)
def test_the_vocabulary_and_the_rows_are_the_local_ones(client, limits):
    params = {"ngram_range": (1, 2), **limits}
    here = text.BagOfWords(**params)
    expected = here.fit_transform(TEXTS)
    there = BagOfWords(**params)
    X = there.fit_transform(db.from_sequence(TEXTS, npartitions=4))
    assert there.vocabulary_ == here.vocabulary_
    assert X.shape[1] == expected.shape[1]
    np.testing.assert_array_equal(rows_of(X), expected.toarray())
    np.testing.assert_array_equal(there.to_local().transform(TEXTS).toarray(), expected.toarray())


@pytest.mark.slow
def test_texts_become_a_classifier(client):
    X = BagOfWords(dtype=np.float32).fit_transform(da.from_array(np.array(TEXTS), chunks=50))
    model = SDCAClassifier(alpha=0.1, random_state=0).fit(X, da.from_array(LABELS, chunks=50))
    assert model.dual_gap_ <= 1e-3 * model.objective_


@pytest.mark.slow
def test_no_words_are_an_error(client):
    with pytest.raises(ValueError, match="empty vocabulary"):
        BagOfWords().fit(db.from_sequence(["?", "!"], npartitions=2))
    with pytest.raises(ValueError, match="no terms remain"):
        BagOfWords(min_df=2).fit(db.from_sequence(["one two", "three"], npartitions=2))


def test_hashed_rows_are_the_local_ones():
    X = HashedBagOfWords(n_features=64).transform(db.from_sequence(TEXTS, npartitions=7))
    np.testing.assert_array_equal(rows_of(X), text.HashedBagOfWords(n_features=64).transform(TEXTS).toarray())
    with pytest.raises(ValueError, match="dask bag, array or Series"):
        BagOfWords().fit(TEXTS)
