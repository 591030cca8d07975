"""The l1 penalty: certificates in long double, optima of scikit-learn, and every kind of input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from fastsvm.solvers import sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.l1_solver import Columns, largest_l1_alpha
from fastsvm.solvers.make_solver import TALL
from fastsvm.solvers.params import SDCAParams

LOSSES = ("log", "squared_hinge")
PENALTIES = {"l1": 1.0, "elasticnet": 0.5}


def table(n, d, seed=0, density=None):
    """Rows, dense or of this density, and signs that ten columns and noise decide."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    if density is not None:
        X *= random.random((n, d)) < density
    y = np.where(X[:, :10].sum(axis=1) + random.standard_normal(n) > 0.5, 1, -1)
    return X if density is None else sparse.csr_array(X), y


KINDS = {
    "wide": table(40, 300),
    "tall": table(600, 20),
    "sparse": table(200, 500, density=0.05),
    "short rows": table(3000, 40, density=0.1),
    "many rows": table(TALL * 17, 17),
}


def parameters(loss, penalty, X, y, share, weights=None):
    """Loss, penalty, and an alpha that is this share of the largest."""
    largest = largest_l1_alpha(Problem(X, y, weights), SDCAParams(loss, penalty=penalty))
    return {"loss": loss, "penalty": penalty, "alpha": share * largest}


def long_double_gap(X, y, result, params, weights=None, fit_intercept=True):
    """P and P - D at a result's weights and dual variables, in long double."""
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.longdouble)
    c = np.ones(len(y), np.longdouble) if weights is None else weights / np.longdouble(weights.mean())
    w, b = result.w.astype(np.longdouble), result.dual.astype(np.longdouble)
    a1 = np.longdouble(params["alpha"]) * PENALTIES[params["penalty"]]
    a2 = params["alpha"] - a1
    m = y * (X @ w + np.longdouble(result.intercept))
    if fit_intercept:  # exactly feasible
        positive, negative = b[y > 0].sum(), b[y < 0].sum()
        b = b * np.where(y > 0, min(1, negative / positive), min(1, positive / negative))
    size = np.abs(X.T @ (b * y)) / len(y)
    if a2 == 0:
        shrink = min(1, a1 / size.max())
        b, size = b * shrink, size * shrink
    p = b / np.where(c > 0, c, 1)
    if params["loss"] == "log":
        loss = np.logaddexp(0, -m)
        q = 1 - p
        psi = -p * np.log(np.where(p > 0, p, 1)) - q * np.log(np.where(q > 0, q, 1))
    else:
        loss, psi = np.maximum(0, 1 - m) ** 2, p - p**2 / 4
    primal = (c * loss).mean() + a1 * np.abs(w).sum() + a2 / 2 * (w @ w)
    excess = (np.maximum(0, size - a1) ** 2).sum()
    return primal, primal - (c * psi).mean() + (excess / (2 * a2) if a2 else 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("share", [0.1, 0.003])
def test_gap_is_that_of_long_double(kind, loss, penalty, share):
    X, y = KINDS[kind]
    params = parameters(loss, penalty, X, y, share)
    for fit_intercept in (True, False):
        for tol in (1e-3, 1e-9):
            result = sdca(X, y, tol=tol, fit_intercept=fit_intercept, **params)
            primal, gap = long_double_gap(X, y, result, params, fit_intercept=fit_intercept)
            assert result.gap <= tol * result.objective
            assert result.solver == ("newton" if kind == "many rows" else "columns")
            assert result.objective == pytest.approx(float(primal), rel=1e-13)
            assert gap <= result.gap
            most = 2 if kind == "many rows" else 1 + 1e-5  # there the terms' second order is bounded only
            assert result.gap <= most * gap + 8 * np.finfo(float).eps * len(y) ** 0.5 * primal


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["wide", "sparse", "many rows"])
def test_weights_are_rows_repeated(kind, loss):
    X, y = KINDS[kind]
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    params = parameters(loss, "l1", X, y, 0.05, weights)
    weighed = sdca(X, y, sample_weight=weights, tol=1e-10, **params)
    again = np.repeat(np.arange(len(y)), weights)
    repeated = sdca(X[again], y[again], tol=1e-10, **params)
    assert weighed.objective == pytest.approx(repeated.objective, rel=1e-9)
    np.testing.assert_allclose(weighed.w, repeated.w, atol=1e-4)
    _, gap = long_double_gap(X, y, weighed, params, weights)
    assert gap <= weighed.gap


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", ["tall", "sparse", "many rows"])
def test_dense_sparse_and_wide_indices_are_alike(kind, loss, dtype):
    X, y = KINDS[kind]
    X = (X.toarray() if sparse.issparse(X) else X).astype(dtype)
    params = parameters(loss, "l1", X, y, 0.1)
    dense = sdca(X, y, tol=1e-10, **params)
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    wide = sdca(csr, y, tol=1e-10, **params)
    np.testing.assert_allclose(wide.w, dense.w, atol=1e-5)
    half = csr.copy()
    half.data = half.data / 2
    twice = sparse.csr_array(
        (np.repeat(half.data, 2), np.repeat(half.indices, 2), 2 * half.indptr), half.shape
    )
    repeated = sdca(twice, y, tol=1e-10, **params)  # each value as the sum of two
    assert repeated.objective == pytest.approx(wide.objective, rel=1e-12)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_optimum_is_scikit_learns(penalty):
    X, y = KINDS["tall"]
    params = parameters("log", penalty, X, y, 0.05)
    model = LogisticRegression(
        C=1 / (params["alpha"] * len(y)),
        l1_ratio=PENALTIES[penalty],
        solver="saga",
        tol=1e-10,
        max_iter=10000,
    ).fit(X, y)
    result = sdca(X, y, tol=1e-12, **params)
    np.testing.assert_allclose(result.w, model.coef_[0], atol=1e-6)
    assert result.intercept == pytest.approx(model.intercept_[0], abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_from_the_largest_alpha_on_there_are_no_weights(loss):
    X, y = KINDS["sparse"]
    params = parameters(loss, "l1", X, y, 1.0)
    above, below = (sdca(X, y, tol=1e-8, **{**params, "alpha": f * params["alpha"]}) for f in (1.0001, 0.99))
    assert not above.w.any()
    assert above.gap <= 1e-8 * above.objective
    assert below.w.any()


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_that_come_late_are_certified(loss):
    """Columns that are far from a1 at w = 0 get weights: the bound is over all columns all the same."""
    random = np.random.default_rng(3)
    strong = random.standard_normal(400)
    X = np.column_stack([strong, *(0.9 * strong + 0.1 * random.standard_normal(400) for _ in range(3))])
    X = np.hstack([X, 0.2 * random.standard_normal((400, 60))])
    y = np.where(strong + X[:, 4:10].sum(axis=1) > 0, 1, -1)
    X = sparse.csr_array(X)
    params = parameters(loss, "l1", X, y, 0.02)
    result = sdca(X, y, tol=1e-9, **params)
    primal, gap = long_double_gap(X, y, result, params)
    assert gap <= 1.01e-9 * primal


@pytest.mark.parametrize("kind", ["sparse", "many rows"])
def test_a_start_at_the_optimum_needs_one_round(kind):
    X, y = KINDS[kind]
    for loss in LOSSES:
        params = parameters(loss, "l1", X, y, 0.05)
        first = sdca(X, y, tol=1e-8, **params)
        again = sdca(X, y, tol=1e-7, start=(first.w, first.intercept), **params)
        assert again.n_iter == 1
        assert again.gap <= 1e-7 * again.objective


@pytest.mark.parametrize("share", [0.05, 0.003])
def test_a_start_where_the_loss_is_all_but_linear(share):
    """Rows whose second derivative vanishes make steps far too long; columns that come in pairs, too."""
    X, y = KINDS["sparse"]
    other = X.copy()
    other.data *= 1 + 0.05 * np.random.default_rng(4).random(len(X.data))
    X = sparse.hstack([X, other]).tocsr()
    params = parameters("log", "l1", X, y, share)
    result = sdca(X, y, tol=1e-6, start=(np.where(np.arange(X.shape[1]) < 10, 100.0, 0.0), 0.0), **params)
    primal, gap = long_double_gap(X, y, result, params)
    assert gap <= 1.01e-6 * primal


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("density", [0.02, 0.1, 0.5])
def test_a_label_of_a_single_row(loss, density):
    """The rows with a loss are soon the same in a column: with a free intercept the model is flat there."""
    X, _ = table(4000, 3, seed=2, density=density)
    X = np.abs(X.toarray()) / 4
    X[:3] = 1, 0, 0
    X, y = sparse.csr_array(X), np.where(np.arange(len(X)) == 0, -1, 1)
    params = parameters(loss, "l1", X, y, 0.01)
    result = sdca(X, y, tol=1e-6, max_iter=60, **params)
    primal, gap = long_double_gap(X, y, result, params)
    assert gap <= 1.01e-6 * primal


@pytest.mark.parametrize("max_iter", [1, 2])
def test_a_run_that_ends_early_is_certified(max_iter):
    """Fewer columns are built than there are, so that the last look must be at all of X."""
    X, y = KINDS["sparse"]
    y = np.where(np.arange(len(y)) == 7, -1, 1)
    params = parameters("log", "l1", X, y, 0.2)
    result = sdca(X, y, tol=1e-12, max_iter=max_iter, **params)
    primal, gap = long_double_gap(X, y, result, params)
    assert result.n_iter == max_iter
    assert gap <= result.gap * (1 + 1e-9) + 1e-15 * primal


def test_one_class_without_weight_has_the_lossless_intercept():
    X, y = KINDS["tall"]
    for loss in LOSSES:
        result = sdca(X, y, loss=loss, penalty="l1", alpha=0.01, sample_weight=(y > 0).astype(float))
        assert not result.w.any()
        assert result.objective <= 1e-300


def test_columns_are_those_of_the_matrix():
    X, y = KINDS["sparse"]
    ids = np.array([3, 4, 77, 499], np.int32)
    columns = Columns(Problem(X, y), ids, False)
    expected = X.toarray()[:, ids]
    vector = np.arange(200.0)
    np.testing.assert_allclose(columns.products(vector), expected.T @ vector / 200)
    np.testing.assert_allclose(columns.combination(np.ones(4), 200), expected.sum(axis=1))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"loss": "hinge"}, "needs loss='squared_hinge' or 'log'; got 'hinge'"),
        ({"loss": "log", "solver": "newton"}, "needs solver='auto', the default"),
        ({"loss": "log", "averaging": "tail"}, "does not support averaging"),
        ({"loss": "log", "penalty": "l0"}, "penalty must be one of"),
        ({"loss": "log", "l1_ratio": 1.5}, "l1_ratio must be from 0 to 1"),
    ],
)
def test_what_has_no_l1_penalty_is_refused(params, words):
    X, y = KINDS["tall"]
    with pytest.raises(ValueError, match=words):
        sdca(X, y, **{"penalty": "l1", **params})


@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_few_rows_of_many_values_that_can_be_separated(loss):
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = random.normal(size=(3 + seed % 8, 8)) * 10.0 ** (seed % 3)
        y = np.where(np.arange(len(X)) % 3 > 0, 1, -1)
        for alpha in (1e-2, 1e-3, 2e-4):
            r = sdca(X, y, loss=loss, penalty="l1", alpha=alpha, fit_intercept=True, tol=1e-3, random_state=0)
            assert (r.gap <= 1e-3 * r.objective).all()
