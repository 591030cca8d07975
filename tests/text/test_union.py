"""Bags side by side, beside scikit-learn's FeatureUnion, and in model files."""

import numpy as np
from sklearn.pipeline import FeatureUnion

from fastsvm.text import Bag, BagOfWords, Union
from twins import OTHERS, TEXTS, assert_same_bits


def bags(cls):
    return [("words", cls(ngram_range=(1, 2))), ("chars", cls(analyzer="char_wb", ngram_range=(2, 3)))]


def test_as_feature_union():
    ours, own = Union(bags(Bag)), FeatureUnion(bags(BagOfWords))
    assert_same_bits(ours.fit_transform(iter(TEXTS)), own.fit_transform(TEXTS))
    assert_same_bits(ours.transform(iter(OTHERS)), own.transform(OTHERS))
    assert ours.get_feature_names_out().tolist() == own.get_feature_names_out().tolist()
    assert_same_bits(Union(bags(Bag)).fit(iter(TEXTS)).transform(OTHERS), own.transform(OTHERS))


def test_restricting_and_parameters():
    union = Union(bags(Bag))
    X = union.fit_transform(TEXTS).tocsc()
    names = union.get_feature_names_out()
    columns = np.array([X.shape[1] - 1, 0, 5, X.shape[1] - 9])
    restricted = union.restrict(columns, indices=True)
    assert restricted.get_feature_names_out().tolist() == names[np.sort(columns)].tolist()
    assert (restricted.transform(TEXTS) != X[:, np.sort(columns)]).nnz == 0
    assert restricted.restrict(np.array([True, True, False, False])).transform(TEXTS).shape == (len(TEXTS), 2)
    assert [name for name, _ in restricted.transformer_list] == ["words"]
    union = Union(bags(Bag)).fit(TEXTS)
    assert union.set_params(dtype=np.float32).transform(TEXTS).dtype == np.float32
    assert union.set_params(transformer_list=bags(Bag)[:1]).fit_transform(TEXTS).dtype == np.int64
