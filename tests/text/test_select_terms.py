"""The choice of terms: scikit-learn's own, to the last bit of the scores and the last tie."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectKBest, chi2, f_classif
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastsvm.text import SelectTerms, _counts
from pairs import pairs
from reference import disordered

pytestmark = pytest.mark.blas

SCORES = {"f_classif": f_classif, "chi2": chi2}
WHOLE = [bool, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64]


A_PARAMETER = "score is a parameter, not a method"


@parametrize_with_checks(
    [SelectTerms(2), SelectTerms(2, "chi2"), SelectTerms("all")],
    expected_failed_checks=lambda _: {
        "check_fit_score_takes_y": A_PARAMETER,
        "check_n_features_in_after_fitting": A_PARAMETER,
        "check_pipeline_consistency": A_PARAMETER,
    },
)
def test_check(estimator, check):
    check(estimator)


def random_counts(n_classes=2, dtype=np.int64, shape=(300, 80), seed=0):
    """Counts with many ties: few rows have a term, and some columns are empty, constant or equal."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.gamma(0.2, size=shape[1]), size=shape)
    X[:, ::9] = 0
    X[:, 1::9] = 1
    X[:, 2::9] = X[:, 3:4]
    if np.dtype(dtype).kind == "f":
        X = X * rng.uniform(0.1, 1, shape)
    return sparse.csr_array(X.astype(dtype)), rng.integers(0, n_classes, shape[0])


def assert_same_choice(X, y, name, ks=(0, 1, 7, 20, 60, "all")):
    """Compare scores, and the supports of several k."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = SelectKBest(SCORES[name]).fit(X, y)  # warns of columns that do not vary
    model = SelectTerms(score=name).fit(X, y)
    assert np.array_equal(model.scores_, expected.scores_, equal_nan=True)
    assert model.scores_.dtype == expected.scores_.dtype
    for k in ks:
        model.set_params(k=k)
        expected.set_params(k=k)
        assert np.array_equal(model.get_support(), expected.get_support())
        assert np.array_equal(model.get_support(indices=True), expected.get_support(indices=True))


@pytest.mark.parametrize(
    *pairs(name=list(SCORES), n_classes=[1, 2, 3, 7, 8, 9, 30, 150], dtype=[np.int64, np.float32, np.float64])
)
def test_same_as_scikit_learn(name, n_classes, dtype):
    for seed in range(2):
        assert_same_choice(*random_counts(n_classes, dtype, seed=seed), name)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dtype", WHOLE, ids=lambda dtype: dtype.__name__)
def test_types_of_counts(name, dtype):
    assert_same_choice(*random_counts(2, dtype), name)
    assert_same_choice(*random_counts(4, dtype), name)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64], ids=lambda dtype: dtype.__name__)
def test_blocks_of_columns(name, dtype, monkeypatch):
    monkeypatch.setattr(_counts, "TABLE", 70)
    for n_classes in (2, 9, 100):
        assert_same_choice(*random_counts(n_classes, dtype), name)


@pytest.mark.parametrize("name", SCORES)
def test_classes_of_one_row_and_columns_that_tell_all(name):
    X, y = random_counts()
    y[7] = 9
    assert_same_choice(X, y, name)
    assert_same_choice(X[:20], np.arange(20), name)
    assert_same_choice(X[:1], y[:1], name)
    perfect = sparse.hstack([X, (y == 0)[:, None], (y == 1)[:, None] * 3], format="csr")
    assert_same_choice(perfect, y, name)
    assert_same_choice(X * 0, y, name)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("convert", [sparse.csc_array, sparse.coo_matrix, np.array, np.asfortranarray])
def test_other_matrices(name, convert):
    X, y = random_counts(3)
    assert_same_choice(convert(X.toarray()), y, name)


@pytest.mark.parametrize("name", SCORES)
def test_columns_in_any_order_and_repeated(name):
    X, y = random_counts(3, np.float64)
    X.data = np.ceil(X.data)  # of halves of whole numbers the order does not matter
    halves = disordered(X.toarray())
    before = halves.indices.copy()
    found, expected = (SelectTerms(10, name).fit(rows, y) for rows in (halves, X))
    assert np.array_equal(found.scores_, expected.scores_, equal_nan=True)
    assert np.array_equal(found.get_support(), expected.get_support())
    assert np.array_equal(halves.indices, before)


# Use -----------------------------------------------------------------------------------------------------


def test_transform_and_back():
    X, y = random_counts(dtype=np.float64)
    for matrix in (X, sparse.csr_matrix(X), X.toarray()):
        model, expected = (each.fit(matrix, y) for each in (SelectTerms(13), SelectKBest(k=13)))
        one, other = expected.transform(matrix), model.transform(matrix)
        assert type(one) is type(other)
        back, expected_back = model.inverse_transform(other), expected.inverse_transform(one)
        if sparse.issparse(matrix):
            one, other = one.toarray(), other.toarray()
            back, expected_back = back.toarray(), expected_back.toarray()
        assert np.array_equal(one, other)
        assert np.array_equal(back, expected_back)
        names = [f"term {j}" for j in range(X.shape[1])]
        assert model.get_feature_names_out(names).tolist() == expected.get_feature_names_out(names).tolist()


def test_k_may_exceed_the_columns(recwarn):
    X, y = random_counts()
    for k in (80, 81, 10**9, np.int64(90)):
        assert SelectTerms(k).fit(X, y).get_support().all()
    SelectTerms(3).fit(X.toarray(), y)  # has columns that do not vary
    assert not recwarn.list


@pytest.mark.parametrize("k", [-1, 1.5, "some", None, True])
def test_bad_k(k):
    X, y = random_counts()
    with pytest.raises(ValueError, match="k must be a number of columns, 0 or above, or 'all'; got"):
        SelectTerms(k).fit(X, y)


@pytest.mark.parametrize("score", ["mutual_info", None, f_classif, ["chi2"]])
def test_bad_score(score):
    X, y = random_counts()
    with pytest.raises(ValueError, match="score must be one of 'f_classif', 'chi2'; got"):
        SelectTerms(3, score).fit(X, y)


def test_bad_data():
    X, y = random_counts(dtype=np.float64)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        SelectTerms().fit(X, y + 0.5)
    with pytest.raises(ValueError, match="requires y to be passed"):
        SelectTerms().fit(X, None)
    bad = X.copy()
    bad.data[3] = -1
    for matrix in (bad, bad.toarray(), bad.astype(np.int64)):
        with pytest.raises(ValueError, match="Input X must be non-negative"):
            SelectTerms(score="chi2").fit(matrix, y)
    assert_same_choice(bad, y, "f_classif")
    bad.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SelectTerms().fit(bad, y)
    bad = X.copy()
    bad.indices[3] = 80
    with pytest.raises(ValueError, match="a value in column 80 of row 0; columns are 0 to 79"):
        SelectTerms().fit(bad, y)
