"""Weights of terms: as scikit-learn's and as their formulas say, for all kinds of matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import Binarizer, normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastsvm.fitting import SDCA
from fastsvm.text import OwnRatios, TermWeighting, _counts
from reference import disordered

pytestmark = pytest.mark.blas

WEIGHTINGS = ("counts", "binary", "tfidf", "nb")
DTYPES = [bool, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64]


@parametrize_with_checks([TermWeighting("tfidf"), TermWeighting("nb", norm="l2")])
def test_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [*(TermWeighting(each) for each in ("counts", "binary", "nb")), TermWeighting(sublinear_tf=True)]
)
def test_check_of_other_parameters(estimator, check):
    check(estimator)


def random_counts(dtype=np.int64, shape=(120, 60), container=sparse.csr_matrix, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(0.3, size=shape[1]), size=shape)
    X[:, 3] = 0
    X[5] = 0
    return container(X.astype(dtype)), rng.integers(0, 2, shape[0])


def ratios(X, positive, smoothing=1.0):
    """Wang and Manning's log-count ratio, in their words."""
    f = (X > 0).astype(float)
    p = smoothing + f[positive].sum(axis=0)
    q = smoothing + f[~positive].sum(axis=0)
    return np.log((p / np.abs(p).sum()) / (q / np.abs(q).sum()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", ["l2", None])
@pytest.mark.parametrize("sublinear_tf", [False, True])
def test_tfidf_is_that_of_scikit_learn(dtype, norm, sublinear_tf):
    X, _ = random_counts(dtype)
    expected = TfidfTransformer(norm=norm, sublinear_tf=sublinear_tf).fit(X)
    model = TermWeighting(norm=norm, sublinear_tf=sublinear_tf).fit(X)
    assert np.array_equal(model.weights_, expected.idf_)
    for new in (X, random_counts(dtype, seed=1)[0], X[:0], X[5:6]):
        if new.shape[0]:
            one, other = expected.transform(new), model.transform(new)
            assert np.array_equal(one.toarray(), other.toarray())
            assert other.dtype == model.weights_.dtype == one.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tfidf_in_another_precision_than_fitted(dtype):
    X, _ = random_counts(np.float64)
    other = X.astype(np.float32)
    expected = TfidfTransformer().fit(X if dtype == np.float32 else other)
    model = TermWeighting().fit(X if dtype == np.float32 else other)
    new = X.astype(dtype)
    assert np.array_equal(model.transform(new).toarray(), expected.transform(new).toarray())
    assert model.transform(new).dtype == dtype


def test_explicit_zeros_are_counted_as_scikit_learn_does():
    X, _ = random_counts(np.float64)
    X.data[::3] = 0
    assert np.array_equal(TermWeighting().fit(X).weights_, TfidfTransformer().fit(X).idf_)
    assert np.array_equal(
        TermWeighting().fit_transform(X).toarray(), TfidfTransformer().fit_transform(X).toarray()
    )


@pytest.mark.parametrize("smoothing", [1, 0.25])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_ratios_of_two_classes(smoothing, dtype):
    X, y = random_counts(dtype)
    labels = np.array(["bad", "good"])[y]
    model = TermWeighting("nb", smoothing=smoothing).fit(X, labels)
    expected = ratios(X.toarray(), labels == "good", smoothing)
    assert model.weights_.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert np.allclose(model.weights_, expected, rtol=1e-6 if dtype == np.float32 else 1e-13, atol=1e-14)
    assert np.array_equal(model.transform(X).toarray(), (X.toarray() > 0) * model.weights_)


@pytest.mark.parametrize("n_classes", [3, 7])
@pytest.mark.parametrize("table", [None, 21])
def test_ratios_of_more_classes_are_the_farthest_from_zero(n_classes, table, monkeypatch):
    if table:  # blocks of a few columns
        monkeypatch.setattr(_counts, "TABLE", table)
    X, _ = random_counts()
    y = np.random.default_rng(2).integers(0, n_classes, X.shape[0])
    each = np.array([ratios(X.toarray(), y == label) for label in range(n_classes)])
    farthest = each[np.abs(each).argmax(axis=0), np.arange(X.shape[1])]
    assert np.allclose(TermWeighting("nb").fit(X, y).weights_, farthest, rtol=1e-12)


def test_counts_and_presence():
    X, _ = random_counts(np.float64)
    X.data[::4] *= -1
    X.data[::7] = 0
    plain = TermWeighting("counts").fit(X)
    assert plain.weights_ is None
    assert np.array_equal(plain.transform(X).toarray(), X.toarray())
    present = TermWeighting("binary").fit(X)
    assert present.weights_ is None
    assert np.array_equal(present.transform(X).toarray(), Binarizer().transform(X).toarray())


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_norm(weighting):
    X, y = random_counts()
    raw = TermWeighting(weighting, norm=None).fit(X, y).transform(X)
    unit = TermWeighting(weighting, norm="l2").fit(X, y).transform(X)
    auto = TermWeighting(weighting).fit(X, y).transform(X)
    assert np.array_equal(unit.toarray(), normalize(raw).toarray())
    assert np.array_equal(auto.toarray(), (unit if weighting == "tfidf" else raw).toarray())


def test_logarithms_of_counts():
    X, y = random_counts()
    logs = np.where(X.toarray() > 0, 1 + np.log(np.maximum(X.toarray(), 1)), 0)
    assert np.allclose(TermWeighting("counts", sublinear_tf=True).fit(X).transform(X).toarray(), logs)
    for weighting in ("binary", "nb"):
        one = TermWeighting(weighting).fit(X, y).transform(X).toarray()
        other = TermWeighting(weighting, sublinear_tf=True).fit(X, y).transform(X).toarray()
        assert np.array_equal(one, other)


# Kinds of matrices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_only_values_are_copied(weighting, container, index):
    X, y = random_counts(container=container)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    before = X.copy()
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    result = TermWeighting(weighting).fit(X, y).transform(X)
    assert type(result) is container
    assert np.shares_memory(result.indices, X.indices)
    assert np.shares_memory(result.indptr, X.indptr)
    assert not np.shares_memory(result.data, X.data)
    assert np.array_equal(X.data, before.data)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("convert", [sparse.csc_array, sparse.coo_matrix, np.array, disordered])
def test_other_matrices(weighting, convert):
    """Columns twice in a row are added."""
    X, y = random_counts(np.float64)
    model = TermWeighting(weighting).fit(X, y)
    other = convert(X.toarray())
    again = clone(model).fit(other, y)
    assert (again.weights_ is None) or np.array_equal(again.weights_, model.weights_)
    result = again.transform(other)
    assert np.array_equal(result if convert is np.array else result.toarray(), model.transform(X).toarray())


# Use -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"weighting": "idf"}, "weighting must be one of 'counts', 'binary', 'tfidf', 'nb'; got 'idf'"),
        ({"norm": "l1"}, "norm must be one of 'auto', 'l2', None; got 'l1'"),
        ({"sublinear_tf": 1}, "sublinear_tf must be True or False; got 1"),
        ({"smoothing": 0}, "smoothing must be a number above 0; got 0"),
        *(({"smoothing": value}, "smoothing must be") for value in (np.inf, np.nan, True, "1")),
    ],
    ids=repr,
)
def test_bad_parameters(params, reason):
    X, y = random_counts()
    with pytest.raises(ValueError, match=reason.replace("(", r"\(")):
        TermWeighting(**params).fit(X, y)


def test_labels_of_ratios():
    X, y = random_counts()
    with pytest.raises(ValueError, match="weighting='nb' requires y to be passed"):
        TermWeighting("nb").fit(X)
    with pytest.raises(ValueError, match="y has one class, 0"):
        TermWeighting("nb").fit(X, y * 0)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        TermWeighting("nb").fit(X, y + 0.5)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        TermWeighting("nb").fit(X, y[1:])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_folded_model_scores_as_fits_to_dense_rows(n_classes):
    X, _ = random_counts(np.float32)
    y = np.arange(X.shape[0]) % n_classes
    options = {"alpha": 0.01, "fit_intercept": False, "tol": 1e-9, "random_state": 0}
    own, model = OwnRatios().fit(X, y), SDCA("squared_hinge", **options)
    there = own.transform(X)
    own.fit_classifier(model, there, y)
    found = model.decision_function(there).reshape(len(y), -1)
    for k, label in enumerate(range(n_classes)[-found.shape[1] :]):
        rows = (X.toarray() > 0) * ratios(X.toarray(), y == label)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
        alone = SDCA("squared_hinge", **options).fit(rows, y == label)
        np.testing.assert_allclose(own.weighed(there, k).toarray(), rows, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(found[:, k], alone.decision_function(rows), atol=1e-4)
    assert not found[5].any()  # a row without terms
    assert np.abs(found).max() > 0.5
    for i in range(len(y)):  # few columns of few rows are taken out of the coefficients
        assert np.array_equal(model.decision_function(there[i : i + 1]).ravel(), found[i])
    dense = model.decision_function(there.toarray()).reshape(found.shape)
    np.testing.assert_allclose(dense, found, atol=1e-5)
    assert not hasattr(model.fit(there, y), "squares_")  # of all rows alike
