"""The kernel machines against their slow NumPy twins, on the same order of rows: the very same counts."""

import numpy as np
import pytest
from parity.test_twins import LAYOUTS, matrix
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

import reference
from fastsvm.solvers import LOSSES, kernel_pegasos
from fastsvm.solvers.kernel import _kernel
from fastsvm.solvers.kernel._free_set import newton_steps
from fastsvm.solvers.losses import as_loss
from reference import KERNELS

pytestmark = pytest.mark.blas

ALPHA, STEPS = 0.01, 200
MIB = 2**20
each_kernel = pytest.mark.parametrize("kernel", KERNELS)


@pytest.fixture(params=LAYOUTS, ids=lambda p: f"{p[0]}-{p[1].__name__}-{p[2].__name__}")
def data(request):
    """37 rows of every layout and type, the same as float64, signs of three classes, weights."""
    X, twin = matrix(*request.param)
    return X, twin, *labels(twin)


def labels(X, n_classes=3):
    """The signs of each class against the rest, and weights, some of them 0."""
    rng = np.random.default_rng(6)
    scores = X @ rng.normal(size=(X.shape[1], n_classes)) + rng.normal(size=(len(X), n_classes))
    signs = np.where(np.argmax(scores, axis=1) == np.arange(n_classes)[:, None], 1, -1)
    return signs, reference.weights(rng, len(X))


def stream(n_rows, n_steps=STEPS):
    return np.random.default_rng(7).integers(n_rows, size=n_steps)


def counts_of(result, Y, n_steps):
    return result.dual_coef * Y * ALPHA * n_steps


def assert_same_counts(result, Y, expected, n_steps=STEPS):
    """The next count is .5 or more away."""
    assert result.n_iter == n_steps
    np.testing.assert_allclose(counts_of(result, Y, n_steps), expected, rtol=1e-12, atol=0)


def assert_certified(result, K, Y, weights=None, rtol=1e-10):
    """The objective is that of the coefficients, and P - gap a value of the dual at feasible variables."""
    n = len(K)
    c = np.ones(n) if weights is None else weights
    for y, coef, objective, gap in zip(Y, result.dual_coef, result.objective, result.gap, strict=True):
        pulls = coef * y * ALPHA * n
        primal, _ = reference.kernel_primal_dual(K, y, pulls, "hinge", ALPHA, weights)
        assert objective == pytest.approx(primal, rel=rtol)
        b = np.minimum(pulls, c)
        length = (b * y) @ K @ (b * y) / (ALPHA * n)
        b *= min(1, b.sum() / length)  # the best multiple
        _, dual = reference.kernel_primal_dual(K, y, b, "hinge", ALPHA, weights)
        assert gap == pytest.approx(primal - dual, rel=rtol)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("steps", "capacity"), [(STEPS, None), (1000, 3), ("few rows", 1)], ids=["short", "long", "few rows"]
)
@each_kernel
def test_pegasos(kernel, steps, capacity, weighted, data):
    """In the long stream many rows pull more often than they may; rows never drawn count for P alone."""
    X, twin, Y, weights = data
    weights, n = weights if weighted else None, len(twin)
    K = reference.kernel_matrix(kernel, twin, twin, **KERNELS[kernel])
    few = np.tile(np.random.default_rng(8).permutation(n)[:12], 3)
    order = few if steps == "few rows" else stream(n, steps)
    expected = reference.kernel_pegasos(K, Y, order, ALPHA, weights)
    assert 0 < expected[0].sum() < len(order)
    options = {"alpha": ALPHA, "sample_weight": weights, "order": order, **KERNELS[kernel]}
    options |= {"cache_size": capacity * n * X.dtype.itemsize / MIB} if capacity else {}
    result = kernel_pegasos(X, Y, kernel=kernel, **options)
    assert_same_counts(result, Y, expected, len(order))
    if kernel != "sigmoid":  # which has no lengths
        assert_certified(result, K, Y, weights)
    one = kernel_pegasos(X, Y[2], kernel=kernel, **options)
    assert_same_counts(one, Y[2], expected[2:3], len(order))


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_pegasos_on_a_matrix_that_is_given(real):
    X = matrix("dense", np.float64, np.int32)[0]
    Y, weights = labels(X)
    K = reference.kernel_matrix("rbf", X, X, gamma=0.3).astype(real)
    order = stream(len(X))
    expected = reference.kernel_pegasos(K, Y, order, ALPHA, weights)
    options = {"alpha": ALPHA, "sample_weight": weights, "order": order}
    assert_same_counts(kernel_pegasos(K, Y, kernel="precomputed", **options), Y, expected)
    by_hand = lambda A, B: reference.kernel_matrix("rbf", A, B, gamma=0.3).astype(real)  # noqa: E731
    assert_same_counts(kernel_pegasos(X, Y, kernel=by_hand, **options), Y, expected)


@pytest.fixture(scope="module")
def many():
    """More rows than are compared in double precision, signs of three classes, weights, a stream.

    The margins that decide are 10^-5 or more away from 1: rounding does not reach them.
    """
    X = np.random.default_rng(9).normal(size=(1100, 6)).round(3)
    return X, *labels(X, 3), stream(1100, 600)


@pytest.mark.parametrize(("kernel", "weighted"), [*zip(KERNELS, 3 * [False, True], strict=False)])
def test_pegasos_in_single_precision(kernel, weighted, many):
    X, Y, weights, order = many
    weights = weights if weighted else None
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **KERNELS[kernel])
    expected = reference.kernel_pegasos(K, Y, order, ALPHA, weights)
    for near in (K * (1 - 1e-5), K * (1 + 1e-5)):
        np.testing.assert_array_equal(reference.kernel_pegasos(near, Y, order, ALPHA, weights), expected)
    options = {"alpha": ALPHA, "sample_weight": weights, "order": order, **KERNELS[kernel]}
    for rows, cache_size in ((X, 1024), (X.astype(np.float32), 0.3), (sparse.csr_array(X), 0.7)):
        result = kernel_pegasos(rows, Y, kernel=kernel, cache_size=cache_size, **options)
        assert_same_counts(result, Y, expected, len(order))
        if kernel != "sigmoid":
            assert_certified(result, K, Y, weights, rtol=1e-5)


# SDCA ---------------------------------------------------------------------------------------------------


def one_class(kernel, real, weighted):
    """K, its diagonal / (alpha n) and 1 / (alpha n); signs; weights; dual variables and scores of 0.

    Weights are there twice, as the twins and as the kernels take those that are alike.
    """
    X = matrix("dense", np.float64, np.int32)[0]  # a row of zeros among them
    (y, *_), weights = labels(X)
    K, rate = reference.kernel_matrix(kernel, X, X, gamma=0.3).astype(real), 1 / (ALPHA * len(X))
    given = (weights, weights) if weighted else (None, np.empty(0))
    return K, K.diagonal().astype(float) * rate, rate, y, *given, np.zeros(len(X)), np.zeros(len(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_steps_of_sdca(kernel, loss, real, weighted):
    *quadratic, y, c, weights, dual, scores = one_class(kernel, real, weighted)
    (K, _, rate), n = quadratic, len(y)
    orders = [np.random.default_rng(epoch).permutation(n).astype(np.int32) for epoch in range(3)]
    rows = y.astype(np.int8), weights, dual, scores, as_loss(loss).struct
    for order in orders:
        done, gap, _ = _kernel.ascend(*quadratic, *rows, order.copy(), np.empty(0, np.uint64), 1, 0.0)
        assert done == 1
    b = reference.kernel_sdca(K, y, orders, loss, ALPHA, c)
    np.testing.assert_allclose(dual, b, rtol=1e-12, atol=1e-12)
    expected = K.astype(float) @ (b * y) * rate
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    primal, bound = reference.kernel_primal_dual(K, y, b, loss, ALPHA, c)
    assert gap / n == pytest.approx(primal - bound, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if as_loss(loss).quadratic])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_steps_that_gain_most(kernel, loss, real, weighted):
    *quadratic, y, c, weights, dual, scores = one_class(kernel, real, weighted)
    (K, _, rate), n = quadratic, len(y)
    rows = y.astype(np.int8), weights, dual, scores, as_loss(loss).struct
    for steps in (1, 40):  # in two calls
        done, gap = _kernel.climb(*quadratic, *rows, np.empty((3, n)), steps, 0.0)
        assert done == steps
    b = reference.kernel_climb(K, y, 41, loss, ALPHA, c)
    np.testing.assert_allclose(dual, b, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scores, K.astype(float) @ (b * y) * rate, rtol=1e-9, atol=1e-9)
    primal, bound = reference.kernel_primal_dual(K, y, b, loss, ALPHA, c)
    assert gap / n == pytest.approx(primal - bound, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("real", [np.float32, np.float64])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if as_loss(loss).quadratic])
def test_steps_of_pairs(loss, real, weighted):
    *quadratic, y, c, weights, dual, scores = one_class("rbf", real, weighted)
    (K, _, rate), n = quadratic, len(y)
    rows = y.astype(np.int8), weights, dual, scores, as_loss(loss).struct
    for steps in (1, 20):  # in two calls
        done, short = _kernel.climb_in_pairs(*quadratic, *rows, np.empty((4, n)), steps, 0.0, 0.0, 0.0)
        assert (done, short) == (steps, True)
    b, intercept = reference.kernel_climb_in_pairs(K, y, 21, loss, ALPHA, c)
    np.testing.assert_allclose(dual, b, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(scores, K.astype(float) @ (b * y) * rate, rtol=1e-7, atol=1e-7)
    assert dual @ y == pytest.approx(0, abs=1e-10)
    found, _ = _kernel.intercept_of(*rows)
    assert found == pytest.approx(intercept, abs=1e-7)
    gap, _, _ = _kernel.gap_terms(*rows, np.empty(n), found)
    primal, bound = reference.kernel_primal_dual(K, y, b, loss, ALPHA, c, intercept)
    assert gap / n == pytest.approx(primal - bound, rel=1e-6)


@pytest.mark.parametrize("budget", [1e9, 3e3])
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if as_loss(loss).quadratic])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_newton_steps_raise_the_dual_inside_its_box(kernel, loss, balanced, budget):
    """To the optimum of the variables that stay inside, where there is time enough."""
    K, _, rate, y, weights, *_ = one_class(kernel, np.float64, weighted=True)
    dual = reference.kernel_climb(K, y, 60, loss, ALPHA, weights)
    before, scores = dual.copy(), K @ (dual * y) * rate
    spent, wanted = newton_steps(K, rate, y, weights, dual, scores, as_loss(loss), budget, balanced)
    assert spent > 0
    assert not balanced or dual @ y == pytest.approx(before @ y, abs=1e-9)
    assert wanted <= 2 * budget
    moved = dual != before
    assert moved.any()
    assert (dual >= 0).all()
    assert (dual <= as_loss(loss).uppers(weights)).all()
    assert ((before > 0) & (before < as_loss(loss).uppers(weights)))[moved].all()
    values = [reference.kernel_primal_dual(K, y, b, loss, ALPHA, weights)[1] for b in (before, dual)]
    assert values[1] >= values[0]
    np.testing.assert_allclose(scores, K @ (dual * y) * rate, rtol=1e-9, atol=1e-9)
    if budget == 1e9:
        inside = (dual > 0) & (dual < as_loss(loss).uppers(weights)) & moved
        slopes = 1 - y * scores - as_loss(loss).curvature / np.where(weights > 0, weights, 1) * dual
        left = np.ptp((y * slopes)[inside]) if balanced else np.abs(slopes[inside]).max(initial=0)
        assert left < (1e-5 if balanced else 1e-6)  # the linear kernel's matrix is singular: it gets a ridge
    assert newton_steps(K, rate, y, weights, dual, scores, as_loss(loss), 1.0) == (0, 0)
