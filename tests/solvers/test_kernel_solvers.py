"""The solvers of kernel machines: kernel values, what is kept of them, optima, certificates, refusals."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.svm import SVC

import reference
from fastsvm.solvers import LOSSES, kernel_pegasos, kernel_sdca, sdca
from fastsvm.solvers.kernel._gram import kernel_scores, make_gram
from fastsvm.solvers.kernel.params import KernelSDCAParams
from reference import KERNELS, disordered

pytestmark = pytest.mark.blas

POSITIVE = [kernel for kernel in KERNELS if kernel != "sigmoid"]
MIB = 2**20
both = pytest.mark.parametrize("solve", [kernel_pegasos, kernel_sdca])
each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_loss = pytest.mark.parametrize("loss", LOSSES)


def rows(n, n_columns=7, seed=0):
    """Rows of which every value is 0 with probability .4, one of them nothing else."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) * (rng.random((n, n_columns)) < 0.6)
    X[n // 2] = 0
    return X


def labelled(n, n_classes=1, seed=0):
    """Rows and the signs of so many problems, none of which is easy."""
    X = rows(n, seed=seed)
    rng = np.random.default_rng(seed + 1)
    return X, np.where((X @ rng.normal(size=(7, n_classes)) + rng.normal(size=(n, n_classes))) > 0.2, 1, -1).T


def numbers(*which):
    return np.array(which, np.int32)


def gram_of(X, kernel, gamma=1.0, threads=1, **params):
    return make_gram(X, KernelSDCAParams(kernel, **params), gamma, threads)


def block(gram, which):
    return gram.block(which, np.empty(len(which) ** 2, gram.rows.dtype))


def full(gram):
    """The whole matrix, which must fit."""
    gram.fetch(np.arange(gram.n, dtype=np.int32), 0)
    return gram.rows[gram.slots]


def room(n_rows, n):
    """The cache_size for so many rows of float64."""
    return n_rows * n * 8 / MIB


# Values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, disordered], ids=lambda f: f.__name__)
@pytest.mark.parametrize(("n", "tolerance"), [(150, 1e-12), (1030, 2e-6)])
@each_kernel
def test_values_are_scikit_learns(kernel, n, tolerance, layout):
    X, Z = rows(n), rows(40, seed=1)
    expected = pairwise_kernels(X, metric=kernel, filter_params=True, **KERNELS[kernel])
    gram = gram_of(layout(X), kernel, **KERNELS[kernel])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(full(gram), expected, rtol=0, atol=tolerance * scale)
    np.testing.assert_allclose(gram.diagonal, expected.diagonal(), rtol=0, atol=tolerance * scale)
    coef = np.random.default_rng(2).normal(size=(3, n))
    expected = pairwise_kernels(Z, X, metric=kernel, filter_params=True, **KERNELS[kernel]) @ coef.T
    for others in (Z, sparse.csr_matrix(Z), disordered(Z), Z[:1]):
        scores = kernel_scores(gram.kernel, gram.points, coef, others)
        np.testing.assert_allclose(scores, expected[: len(scores)], rtol=0, atol=tolerance * scale * n)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize(
    ("layout", "offset", "tolerance"),
    [
        (np.asarray, 10, 1e-6),
        (np.asarray, 1e6, 1e-6),
        (sparse.csr_array, 10, 1e-4),
        (sparse.csr_array, 1e4, 1e-6),
    ],
    ids=lambda p: getattr(p, "__name__", p),
)
def test_where_only_differences_count_offsets_do_not(kernel, layout, offset, tolerance):
    """Dense rows are centred; CSR rows far from 0 are compared in double precision."""
    X = np.random.default_rng(3).normal(size=(1030, 5)) / 10
    gram = gram_of(layout(X + offset), kernel, gamma=0.1)
    np.testing.assert_allclose(full(gram), pairwise_kernels(X, metric=kernel, gamma=0.1), atol=tolerance)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_large_exponents_keep_their_digits(layout):
    """The values that matter are those of near rows, small differences of large numbers."""
    X = 100 * np.random.default_rng(4).normal(size=(1030, 5))
    X[515:] = X[:515] + np.random.default_rng(5).normal(size=(515, 5)) / 3
    expected = rbf_kernel(X, gamma=1.0)
    assert ((expected > 0.1) & (expected < 0.9)).sum() > 500
    np.testing.assert_allclose(full(gram_of(layout(X), "rbf", gamma=1.0)), expected, atol=1e-6)


@pytest.mark.parametrize("degree", range(1, 10))
def test_powers(degree):
    X = rows(20)
    values = full(gram_of(X, "poly", gamma=0.7, degree=degree, coef0=-0.4))
    np.testing.assert_allclose(values, (0.7 * X @ X.T - 0.4) ** degree, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_a_matrix_that_is_given_is_not_copied(real):
    K = rbf_kernel(rows(30)).astype(real)
    gram = gram_of(K, "precomputed")
    assert np.shares_memory(gram.rows, K)
    np.testing.assert_array_equal(full(gram), K)
    np.testing.assert_array_equal(block(gram, numbers(5, 2, 9)), K[np.ix_([5, 2, 9], [5, 2, 9])])


# What is kept -------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(data=st.data(), capacity=st.integers(1, 8))
def test_rows_that_were_asked_for_are_there(data, capacity):
    """However calls are mixed, interrupted ones among them, and though time may stand still."""
    X = rows(10)
    K, interrupts = X @ X.T, []

    def kernel(A, B):
        if interrupts and interrupts.pop():
            raise KeyboardInterrupt
        return A @ B.T

    gram = gram_of(X, kernel, cache_size=room(capacity, 10))
    now = 0
    for _ in range(data.draw(st.integers(1, 12))):
        which = data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=capacity, unique=True))
        now += data.draw(st.integers(0, 1))
        interrupts[:] = [data.draw(st.booleans())]
        try:
            gram.fetch(numbers(*which), now)
        except KeyboardInterrupt:
            pass
        else:
            assert (gram.slots[which] >= 0).all()
        held = np.flatnonzero(gram.slots >= 0)
        np.testing.assert_allclose(gram.rows[gram.slots[held]], K[held], rtol=1e-12, atol=1e-12)
        assert len(np.unique(gram.slots[held])) == len(held)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("capacity", [1, 4, 60])
@each_kernel
def test_blocks_and_sums_do_not_depend_on_what_is_kept(kernel, capacity, layout):
    X = rows(60)
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **KERNELS[kernel])
    gram = gram_of(layout(X), kernel, cache_size=room(capacity, 60), **KERNELS[kernel])
    which, factors = numbers(3, 50, 17, 30, 9, 31), np.random.default_rng(0).normal(size=(2, 6))
    factors[0, :3] = 0
    scores = np.ones((2, 60))
    np.testing.assert_allclose(block(gram, which), K[np.ix_(which, which)], rtol=1e-12, atol=1e-12)
    gram.fetch(which[: min(capacity, 3)], 0)
    np.testing.assert_allclose(block(gram, which), K[np.ix_(which, which)], rtol=1e-12, atol=1e-12)
    gram.add(which, factors, scores, 0)
    np.testing.assert_allclose(scores, 1 + factors @ K[which], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@each_kernel
def test_threads_do_not_change_a_bit(kernel, layout):
    X = rows(2100)
    which = np.arange(0, 2100, 50, dtype=np.int32)
    factors = np.random.default_rng(0).normal(size=(2, len(which)))
    found = []
    for threads in (1, 2, 3):
        gram = gram_of(layout(X), kernel, threads=threads, cache_size=1, **KERNELS[kernel])
        scores = np.zeros((2, 2100))
        gram.add(which, factors, scores, 0)
        part = block(gram, numbers(5, 100, 200, 7))
        outside = kernel_scores(gram.kernel, gram.points, scores, layout(X[:300]), threads=threads)
        found.append([array.tobytes() for array in (gram.rows[gram.slots[which]], scores, part, outside)])
    assert found[0] == found[1] == found[2]


# Optima and certificates --------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", POSITIVE)
@each_loss
def test_the_gap_goes_to_zero(loss, kernel, weighted):
    X, Y = labelled(80, 2)
    c = reference.weights(np.random.default_rng(2), 80) if weighted else None
    options = {"kernel": kernel, "loss": loss, "alpha": 0.01, "sample_weight": c, "random_state": 0}
    r = kernel_sdca(X, Y, tol=1e-8, max_iter=10**5, **options, **KERNELS[kernel])
    assert (r.gap <= 1e-8 * r.objective).all()
    assert c is None or (r.dual_coef[:, c == 0] == 0).all()
    for history in r.history:
        assert all(line.gap >= 0 for line in history)
        assert all(line.dual <= r.objective.max() for line in history)
        assert history[-1].epoch <= r.n_iter


@each_loss
def test_the_gap_goes_to_zero_in_rounds_on_working_sets(loss):
    """More rows than a working set has in the first round, single precision, three classes."""
    X, Y = labelled(1500, 3)
    r = kernel_sdca(X, Y, gamma=0.3, loss=loss, alpha=1e-3, tol=1e-5, max_iter=10**4, random_state=0)
    assert (r.gap <= 1e-5 * r.objective).all()
    assert (r.gap >= 0).all()
    K = rbf_kernel(X, gamma=0.3)
    for k in range(3):
        assert len(r.history[k]) > 1
        b = r.dual_coef[k] * Y[k] * 1e-3 * 1500
        primal, dual = reference.kernel_primal_dual(K, Y[k], b, loss, 1e-3)
        assert r.objective[k] == pytest.approx(primal, rel=1e-5)
        assert primal - dual <= 3e-5 * primal


@settings(max_examples=60, deadline=None)
@given(
    loss=st.sampled_from(LOSSES),
    kernel=st.sampled_from(POSITIVE),
    solve=st.sampled_from([kernel_sdca, kernel_pegasos]),
    n=st.integers(1, 12),
    alpha=st.sampled_from([1e-3, 0.1, 10.0]),
    copies=st.booleans(),
    weighted=st.booleans(),
    epochs=st.integers(1, 30),
    seed=st.integers(0, 10**6),
    intercept=st.booleans(),
)
def test_no_function_is_better_than_the_certificate_says(
    loss, kernel, solve, n, alpha, copies, weighted, epochs, seed, intercept
):
    """Whoever found it; one row, rows twice with either sign, rows of zeros, weights of 0."""
    rng = np.random.default_rng(seed)
    X = rows(n, seed=seed)
    if copies:
        X = np.vstack([X, X])
    n = len(X)
    y, c = rng.choice([-1, 1], n), reference.weights(rng, n) if weighted else np.ones(n)
    c[rng.integers(n)] = 1.5
    c /= c.mean()
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **KERNELS[kernel])
    options = {"alpha": alpha, "sample_weight": c, "random_state": seed, "kernel": kernel, **KERNELS[kernel]}
    if solve is kernel_sdca and intercept and loss == "log" and abs(y[c > 0].mean()) == 1:
        with pytest.raises(ValueError, match="needs rows of both signs"):
            solve(X, y, loss=loss, fit_intercept=True, **options)
        return
    if solve is kernel_sdca:
        r = solve(X, y, loss=loss, max_iter=epochs, tol=None, fit_intercept=intercept, **options)
    else:
        loss, intercept = "hinge", False
        r = solve(X, y, n_iter=epochs * n, **options)
    assert r.dual_coef.shape == (1, n)
    objective, gap = r.objective[0], r.gap[0]
    assert gap >= 0
    assert gap <= objective * (1 + 1e-12) or (intercept and loss == "log")  # to balance it may cost that
    b = reference.kernel_sdca(K, y, [range(n)] * 40, loss, alpha, c)  # near the optimum
    primal, dual = reference.kernel_primal_dual(K, y, b, loss, alpha, c)
    assert primal >= objective - gap - 1e-9 * objective
    assert intercept or objective >= dual - 1e-9 * objective
    coef = r.dual_coef[0]
    found, _ = reference.kernel_primal_dual(K, y, coef * y * alpha * n, loss, alpha, c, r.intercept[0])
    assert objective == pytest.approx(found, rel=1e-9, abs=1e-9)
    assert not intercept or coef.sum() == pytest.approx(0, abs=1e-9 * (1 + np.abs(coef).sum()))


@pytest.mark.parametrize("n", [30, 1100])
@pytest.mark.parametrize(("degree", "offset"), [(3, 1e3), (2, 1e6), (3, 1e6), (1, 1e8)])
@pytest.mark.parametrize(
    "solve",
    [
        kernel_pegasos,
        partial(kernel_sdca, max_iter=300),
        partial(kernel_sdca, max_iter=300, fit_intercept=True),
        partial(kernel_sdca, max_iter=300, fit_intercept=True, loss="smooth_hinge"),
    ],
)
def test_no_bound_is_above_an_objective_where_rounding_changes_much(solve, n, degree, offset):
    random = np.random.default_rng(1)
    X = offset + random.standard_normal((n, 1))
    y = np.where(X[:, 0] + 0.5 * random.standard_normal(n) > offset, 1, -1)
    r = solve(X, y, kernel="poly", degree=degree, coef0=1.0, alpha=1 / n)
    assert r.objective[0] - r.gap[0] <= 1  # the objective of f = 0


def test_a_fit_without_a_bound_is_as_good_as_before():
    X, y = make_moons(1500, noise=0.3, random_state=0)
    r = kernel_sdca(X, 2 * y - 1, gamma=0.76, alpha=1e-5 / 1500, fit_intercept=True, random_state=0)
    assert r.gap[0] >= r.objective[0]  # rounding of float32 values may change more than 1 % of it
    assert r.objective[0] < 0.19  # the optimum is 0.183


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [120, 2500])
@pytest.mark.parametrize("kernel", POSITIVE)
def test_the_optimum_with_an_intercept_is_svcs(kernel, n, weighted):
    """The larger set takes rounds of working sets, in single precision."""
    X, (y,) = labelled(n)
    c = np.random.default_rng(1).integers(1, 4, n) if weighted else np.ones(n)
    c = c / c.mean()
    alpha = 1e-3 * 120 / n
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **KERNELS[kernel])
    svc = SVC(kernel="precomputed", C=1 / (alpha * n), tol=1e-6).fit(K, y, c)
    theirs = np.zeros(n)
    theirs[svc.support_] = svc.dual_coef_[0]
    dual = alpha * (np.abs(theirs).sum() - theirs @ K @ theirs / 2)
    options = {"kernel": kernel, "alpha": alpha, "sample_weight": c if weighted else None, **KERNELS[kernel]}
    ours = kernel_sdca(X, y, tol=1e-6, fit_intercept=True, **options)
    assert ours.objective[0] - ours.gap[0] == pytest.approx(dual, rel=1e-5)
    assert ours.objective[0] == pytest.approx(dual, rel=1e-5)
    assert ours.intercept[0] == pytest.approx(svc.intercept_[0], abs=0.02)
    apart = ours.dual_coef[0] @ K - theirs @ K
    assert np.sqrt(np.mean(apart**2)) < 0.002 * np.abs(theirs @ K).max()


@each_loss
def test_the_intercept_of_a_linear_kernel_is_that_of_rows(loss):
    X, Y = labelled(200, n_classes=3)
    X = np.hstack([X, X[:, :1] + 1])
    ours = kernel_sdca(X, Y, kernel="linear", loss=loss, alpha=1e-2, tol=1e-7, fit_intercept=True)
    for y, coef, intercept, objective in zip(Y, ours.dual_coef, ours.intercept, ours.objective, strict=True):
        theirs = sdca(X, y, loss=loss, alpha=1e-2, tol=1e-7, max_iter=10**4, random_state=0)
        assert objective == pytest.approx(theirs.objective, rel=1e-6)
        assert intercept == pytest.approx(theirs.intercept, abs=2e-2)
        np.testing.assert_allclose(coef @ X, theirs.w, atol=1e-2)


def test_rows_of_one_sign_have_the_intercept_alone():
    result = kernel_sdca(rows(30), np.ones(30), fit_intercept=True)
    assert (result.intercept[0], result.objective[0]) == (1, 0)
    assert not result.dual_coef.any()


@both
def test_the_seed_decides_everything(solve):
    X, y = labelled(60)
    options = {"n_iter": 100} if solve is kernel_pegasos else {"loss": "log", "max_iter": 2}
    first, again, other = (solve(X, y, random_state=seed, **options).dual_coef for seed in (5, 5, 6))
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_one_run_of_pegasos_has_the_coefficients_after_fewer_steps():
    X, Y = labelled(60, 2)
    options = {"gamma": 0.3, "alpha": 0.01, "score": lambda *found: found, "random_state": 3}
    run = kernel_pegasos(X, Y, n_iter=500, trace=[90, 7, 7, 10**9], **options)
    assert [[line.epoch for line in history] for history in run.history] == 2 * [[7, 90, 500]]
    for line in run.history[0]:
        result = kernel_pegasos(X, Y, n_iter=line.epoch, **options)
        np.testing.assert_allclose(line.score[0], result.dual_coef, rtol=1e-12)
        assert line.primal == pytest.approx(result.objective[0], rel=1e-9)
        assert len(result.history[0]) == -(-line.epoch // 60)
    with pytest.raises(ValueError, match="trace must be a positive integer; got 0"):
        kernel_pegasos(X, Y, trace=[0, 7])


@each_loss
def test_each_epoch_of_sdca_is_scored_with_all_classes(loss):
    X, Y = labelled(60, 2)
    options = {"loss": loss, "fit_intercept": True, "alpha": 0.01, "random_state": 0}
    r = kernel_sdca(X, Y, gamma=0.3, score=lambda *found: found, **options)
    assert max(len(history) for history in r.history) == r.n_iter > 1
    K = rbf_kernel(X, gamma=0.3)
    for k, line in ((k, line) for k, history in enumerate(r.history) for line in history):
        coef, intercept = (part[k] for part in line.score)
        primal, _ = reference.kernel_primal_dual(K, Y[k], coef * Y[k] * 0.6, loss, 0.01, None, intercept)
        assert line.primal == pytest.approx(primal, rel=1e-9)


# Refusals -----------------------------------------------------------------------------------------------


@both
def test_a_cache_that_holds_no_row_is_refused(solve):
    X, y = labelled(1500)
    with pytest.raises(
        MemoryError,
        match=r"A row of the kernel matrix of 1500 rows needs 0\.00572 MiB, but cache_size is 0\.005",
    ):
        solve(X, y, cache_size=0.005)


@both
def test_a_cache_beyond_the_memory_is_refused_before_it_is_filled(solve, monkeypatch):
    X, y = labelled(1500)
    monkeypatch.setattr("fastsvm._utils.memory.available_memory", lambda: 2 << 20)
    message = r"0\.00838 GiB of kernel values are needed, 0\.00195 GiB are free: lower cache_size\."
    with pytest.raises(MemoryError, match=message):
        solve(X, y)
    solve(X, y, cache_size=1, **({"max_iter": 1, "tol": None} if solve is kernel_sdca else {"n_iter": 10**3}))
    monkeypatch.setattr("fastsvm._utils.memory.available_memory", lambda: None)  # nobody tells
    gram_of(X, "rbf")


def with_value(X, value):
    X = X.copy()
    X[4, 6] = value
    return X


@both
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gaussian"}, "kernel must be one of 'linear', .*'precomputed'; got 'gaussian'"),
        ({"gamma": 0}, "gamma must be a positive number; got 0"),
        ({"degree": 2.5}, "degree must be a positive integer; got 2.5"),
        ({"coef0": np.nan}, "coef0 must be a finite number; got nan"),
        ({"cache_size": 0}, "cache_size must be a positive number; got 0"),
        ({"sample_weight": np.ones(29)}, r"sample_weight has shape \(29,\); X has 30 rows"),
        ({"Y": np.zeros(30)}, r"y must be -1 or \+1; y\[0\] is"),
        ({"Y": np.ones((2, 29))}, r"y has shape \(29,\); X has 30 rows"),
        (
            {"kernel": "poly", "X": with_value(rows(30), 1e10), "degree": 4},
            r"The poly kernel of row 4 with itself is 1e\+80, too large for single precision: scale X",
        ),
        ({"kernel": "linear", "X": with_value(rows(30), 1e30)}, r"The linear kernel of row 4 .* is 1e\+60"),
        ({"kernel": lambda A, B: A @ B.T[:, :-1]}, r"returned shape \(\d+, \d+\) for \d+ and \d+ rows"),
        ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "returned NaN or infinite values"),
    ],
    ids=lambda p: "-".join(map(str, p))[:30] if isinstance(p, dict) else "",
)
def test_bad_arguments_are_named(solve, options, message):
    X, y = labelled(30)
    arguments = {"X": X, "Y": y, **options}
    with pytest.raises(ValueError, match=message) as caught:
        solve(arguments.pop("X"), arguments.pop("Y"), **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 30], "order names rows 0 to 30; X has rows 0 to 29"),
        ([-1], "order names rows -1 to -1"),
        ([2**32], "order names rows 4294967296"),
        ([1.5], "order must contain row numbers; its dtype is float64"),
        ([], "order must be a list of row numbers from 0 to 29"),
        ([[1, 2], [3, 4]], r"order must be a list of row numbers from 0 to 29; its shape is \(2, 2\)"),
    ],
)
def test_bad_orders_are_named(order, message):
    with pytest.raises(ValueError, match=message):
        kernel_pegasos(*labelled(30), order=order)
    with pytest.raises(ValueError, match="n_iter must be a positive integer; got 0"):
        kernel_pegasos(*labelled(30), n_iter=0)


def test_a_working_set_may_be_too_small_for_all_rows_that_matter(monkeypatch):
    monkeypatch.setattr("fastsvm.solvers.kernel.sdca_solver.MOST_ROWS", 300)
    X, Y = labelled(1500, 2)
    r = kernel_sdca(X, Y, gamma=0.3, alpha=1e-3, tol=1e-3, max_iter=10**4, random_state=0)
    assert (r.gap <= 1e-3 * r.objective).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [6, 100, 2500])
def test_a_class_of_one_row_is_among_the_first_rows(loss, n):
    X, y = np.random.default_rng(0).normal(size=(n, 3)), np.where(np.arange(n) == 4, 1, -1)
    for seed in range(3):
        options = {"loss": loss, "alpha": 1e-3, "fit_intercept": True, "random_state": seed}
        r = kernel_sdca(X, y, kernel="rbf", gamma=0.3, max_iter=500, **options)
        assert r.gap[0] <= 1e-3 * r.objective[0]
        assert abs(r.dual_coef.sum()) <= 1e-10 * np.abs(r.dual_coef).sum()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smooth_hinge"])
def test_rows_of_small_weight_are_optimised_where_they_determine_the_intercept(loss):
    for seed in range(40):
        random = np.random.default_rng(seed)
        X, y = labelled(40, seed=seed)
        options = {"sample_weight": np.exp(2 * random.normal(size=40)), "fit_intercept": True, "loss": loss}
        r = kernel_sdca(X, y, kernel="rbf", gamma=0.3, alpha=10.0 ** -(seed % 4), random_state=0, **options)
        assert r.gap[0] <= 1e-3 * r.objective[0]
