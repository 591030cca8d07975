"""Each kernel against its slow NumPy twin, on the same order of rows, to 1e-12."""

import numpy as np
import pytest
from scipy import sparse

import reference
from fastsvm import solvers
from fastsvm.solvers._input import as_state
from fastsvm.solvers._problem import Problem
from fastsvm.solvers._random import draw_integer
from fastsvm.solvers.losses import PEGASOS_LOSSES
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import PegasosParams, SDCAParams
from fastsvm.solvers.run import run
from fastsvm.solvers.sdca_solver import START_AGAIN, START_AHEAD, SDCASolver

pytestmark = pytest.mark.blas

EPOCHS, ROWS, COLUMNS = 4, 37, 11
ALPHA = 0.03


def matrix(layout, real, index):
    """Random rows, one of them empty, in the layout and types asked for; and the same as float64."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, COLUMNS)) * (rng.random((ROWS, COLUMNS)) < 0.5)
    X[5] = 0
    X = X.astype(real)
    if layout == "dense":
        return X, X.astype(np.float64)
    if layout == "shuffled":
        return reference.disordered(X, index), X.astype(np.float64)
    csr = sparse.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    return csr, X.astype(np.float64)


LAYOUTS = [
    (layout, real, index)
    for layout in ("csr", "shuffled", "dense")
    for real in (np.float32, np.float64)
    for index in ((np.int32, np.int64) if layout != "dense" else (np.int32,))
]


@pytest.fixture(params=[np.float32, np.float64])
def data(request):
    """The same rows in each layout, by its name; as float64; their signs and weights."""
    of_type = [layout for layout in LAYOUTS if layout[1] is request.param]
    rows = {f"{layout}, {index.__name__}": matrix(layout, real, index)[0] for layout, real, index in of_type}
    twin = matrix("dense", request.param, None)[1]
    rng = np.random.default_rng(4)
    y = np.where(twin @ rng.normal(size=COLUMNS) + rng.normal(size=ROWS) > 0.3, 1, -1)
    weights = reference.weights(rng, ROWS)
    return rows, twin, y, weights


def visits(kind):
    rng = np.random.default_rng(5)
    if kind == "permutation":
        return np.array([rng.permutation(ROWS) for _ in range(EPOCHS)], dtype=np.int32)
    return rng.integers(0, ROWS, size=(EPOCHS, ROWS), dtype=np.int32)


def assert_close(actual, expected, layout=""):
    scale = max(1e-300, np.abs(expected).max())
    actual, expected = np.asarray(actual) / scale, np.asarray(expected) / scale
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12, err_msg=layout)


def assert_all_close(rows, solve, **expected):
    """Solve with the rows in each layout, and compare parts of the results with those of the twin."""
    for layout, X in rows.items():
        result = solve(X)
        for name, value in expected.items():
            assert_close(getattr(result, name), value, f"{name}, {layout}")


def balanced(b, y):
    """What is returned of dual variables: the heavier class is scaled down, so that sum b y = 0."""
    above, below = b[y > 0].sum(), b[y < 0].sum()
    return np.where((y > 0) == (above > below), b * min(above, below) / max(above, below), b)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["permutation", "random"])
@pytest.mark.parametrize("loss", PEGASOS_LOSSES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 5},
        {"project": True, "batch_size": 3},
        {"averaging": "tail"},
        {"averaging": "tail", "project": True, "batch_size": 4},
        {"fit_intercept": True},
        {"fit_intercept": True, "averaging": "tail", "batch_size": 10},
        {"averaging": "tail", "average_from": 7, "batch_size": 4},
        {"fit_intercept": "same_step", "averaging": "tail", "average_from": 0},
    ],
    ids=lambda o: "-".join(o) or "plain",
)
def test_pegasos(data, loss, kind, weighted, options):
    rows, twin, y, weights = data
    weights = weights if weighted else None
    order = visits(kind)
    w, b0 = reference.pegasos(twin, y, order, loss=loss, alpha=ALPHA, sample_weight=weights, **options)
    options = {"fit_intercept": False, "loss": loss, "alpha": ALPHA, "sample_weight": weights} | options
    assert_all_close(
        rows, lambda X: solvers.pegasos(X, y, max_iter=EPOCHS, order=order, **options), w=w, intercept=b0
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"averaging": "tail", "batch_size": 5}, {"averaging": "random"}], ids=len
)
@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_pegasos_intercept_that_is_searched(data, loss, options, weighted):
    """w is that without an intercept, and none has less loss: between kinks the hinge may be flat."""
    rows, twin, y, weights = data
    c = weights if weighted else None
    options = {"loss": loss, "alpha": ALPHA, "sample_weight": c, "random_state": 3} | options
    order = visits("permutation")
    for layout, X in rows.items():
        plain, result = (
            solvers.pegasos(X, y, max_iter=EPOCHS, order=order, fit_intercept=kind, **options)
            for kind in (False, "search")
        )
        assert_close(result.w, plain.w, layout)
        b0 = reference.best_intercept(twin, y, result.w, loss, c)
        least = reference.primal(loss, ALPHA, twin, y, result.w, b0, c)
        assert result.objective == pytest.approx(least, abs=2e-9)
        assert result.objective < plain.objective


@pytest.mark.parametrize("batch_size", [1, 5])
@pytest.mark.parametrize("start", [None, 0, 30, 10**6])
def test_pegasos_draws_from_the_iterates_after_a_step(data, start, batch_size):
    """After that of half the steps, if none is given."""
    rows, twin, y, weights = data
    order = visits("permutation")
    batches = [epoch[k : k + batch_size] for epoch in order for k in range(0, ROWS, batch_size)]
    total = len(batches)
    first = total // 2 if start is None else min(start, total - 1)
    options = {"alpha": ALPHA, "sample_weight": weights, "batch_size": batch_size, "fit_intercept": True}
    drawn = draw_integer(total - first, as_state(2)) + 1 + first
    w, b0 = reference.pegasos(twin, y, batches[:drawn], **options)
    options |= {"averaging": "random", "average_from": start, "random_state": 2}
    assert_all_close(
        rows, lambda X: solvers.pegasos(X, y, max_iter=EPOCHS, order=order, **options), w=w, intercept=b0
    )


@pytest.mark.parametrize("options", [{}, {"project": True, "batch_size": 4}], ids=len)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_pegasos_batch_by_batch(data, loss, options):
    rows, twin, y, weights = data
    order = visits("permutation")
    options = {
        "loss": loss,
        "alpha": ALPHA,
        "fit_intercept": True,
        "batch_size": 1,
        "project": False,
    } | options
    w, b0 = reference.pegasos(twin, y, order, sample_weight=weights, averaging="growing", **options)
    for layout, X in rows.items():
        state = None
        for visited in order:
            params = PegasosParams(max_iter=1, averaging="tail", order=visited[np.newaxis], **options)
            solver = make_solver(params, Problem(X, y, weights, relative=False), as_state(0))
            solver.resume(state)
            solver.run_epoch()
            state = solver.snapshot()
        assert_close(solver.output()[0], w, layout)
        assert_close(solver.output()[1], b0, layout)


@pytest.mark.parametrize("t", [0, 11])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_pegasos_from_a_start(data, loss, t):
    """0 steps, which is to say that it is not known how many, count as an epoch."""
    rows, twin, y, weights = data
    w, b0 = np.random.default_rng(6).normal(size=COLUMNS), 0.4
    order, options = visits("permutation"), {"loss": loss, "alpha": ALPHA, "fit_intercept": True}
    expected = reference.pegasos(twin, y, order, sample_weight=weights, start=(w, b0, t or ROWS), **options)
    for layout, X in rows.items():
        params = PegasosParams(max_iter=EPOCHS, order=order, **options)
        result = run(make_solver(params, Problem(X, y, weights), as_state(0), (w, b0, t)))
        assert_close(result.w, expected[0], layout)
        assert_close(result.intercept, expected[1], layout)
        bound = reference.dual(loss, ALPHA, twin, y, result.dual, weights)
        assert result.gap == pytest.approx(result.objective - bound, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("averaging", ["last", "all"])
def test_perceptron(data, averaging, fit_intercept, weighted):
    rows, twin, y, weights = data
    weights = weights if weighted else None
    order = visits("permutation")
    options = {"sample_weight": weights, "averaging": averaging, "fit_intercept": fit_intercept}
    w, b0, epochs = reference.perceptron(twin, y, order, **options)
    expected = {"w": w, "intercept": b0, "n_iter": epochs}
    assert_all_close(
        rows, lambda X: solvers.perceptron(X, y, max_iter=EPOCHS, order=order, **options), **expected
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "hinge_width"),
    [*((loss, 1.0) for loss in solvers.LOSSES), ("smooth_hinge", 0.2), ("smooth_hinge", 3.0)],
)
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("permutation", {}),
        ("permutation", {"sgd_init": True}),
        ("permutation", {"averaging": "tail"}),
        ("permutation", {"averaging": "tail", "sgd_init": True}),
        ("permutation", {"averaging": "tail", "average_from": 50}),
        ("random", {}),
        ("random", {"averaging": "tail"}),
        ("random", {"averaging": "tail", "average_from": 0}),
    ],
    ids=lambda p: p if isinstance(p, str) else "-".join(p) or "plain",
)
def test_sdca(data, loss, hinge_width, kind, weighted, options):
    rows, twin, y, weights = data
    weights = weights if weighted else None
    order = visits(kind)
    options = {"loss": loss, "hinge_width": hinge_width, "alpha": ALPHA, "sample_weight": weights, **options}
    b, w, _ = reference.sdca(twin, y, order, **options)
    options |= {"max_iter": EPOCHS, "tol": None, "order": order, "fit_intercept": False}
    assert_all_close(rows, lambda X: solvers.sdca(X, y, **options), dual=b, w=w)


@pytest.mark.parametrize("sgd_init", [False, True])
@pytest.mark.parametrize("loss", solvers.LOSSES)
def test_sdca_intercept(data, loss, sgd_init):
    rows, twin, y, weights = data
    order = visits("permutation")
    column = 0.1 * (twin**2).sum(axis=1).mean()
    options = {"loss": loss, "alpha": ALPHA, "sample_weight": weights, "sgd_init": sgd_init}
    b, _, b0 = reference.sdca(twin, y, order, intercept_column=column, **options)
    b = balanced(b, y)
    options |= {"max_iter": EPOCHS, "tol": None, "order": order, "fit_intercept": True}
    w = twin.T @ (b * y) / (ALPHA * ROWS)
    assert_all_close(rows, lambda X: solvers.sdca(X, y, **options), dual=b, w=w, intercept=b0)


@pytest.mark.parametrize("loss", solvers.LOSSES)
def test_sdca_by_default_where_alpha_is_large(data, loss):
    rows, twin, y, weights = data
    order, options = list(visits("permutation")), {"loss": loss, "alpha": 1.0}
    params = SDCAParams(**options, max_iter=EPOCHS, tol=None, fit_intercept=False)

    def solve(X):
        solver = SDCASolver(Problem(X, y, weights), params, as_state(0))
        solver.order.epoch = lambda done, each_once: order[done].copy()
        return run(solver, None)

    twice = [np.append(order[0], order[0][: int(START_AGAIN * ROWS)]), *order[1:]]
    options |= {"sample_weight": weights, "sgd_init": True, "ahead": START_AHEAD * ROWS}
    b, w, _ = reference.sdca(twin, y, twice, **options)
    assert_all_close(rows, solve, dual=b, w=w)
