"""The kernel of ASDCA against its slow NumPy twin, on the same order of rows, to 1e-12."""

import numpy as np
import pytest
from parity.test_twins import (
    ALPHA,
    EPOCHS,
    ROWS,
    assert_close,
    balanced,
    data,  # noqa: F401 (a fixture)
    visits,
)

import reference
from fastsvm import solvers
from fastsvm.solvers import losses
from fastsvm.solvers.losses import SMOOTH_LOSSES

pytestmark = pytest.mark.blas

# The slope changes by at most 1 / gamma times the change of the margin.
GAMMAS = {"smooth_hinge": 1.0, "squared_hinge": 0.5, "log": 4.0}
OPTIONS = [
    {"theta": "paper", "batch_size": 1},
    {"theta": "paper", "batch_size": 5},
    {"theta": 0.3, "batch_size": 8},
    {"theta": 0.05, "batch_size": ROWS},
    {"theta": 0.99, "batch_size": 1, "alpha": 3.0},  # folds the scale into z on the way
    {"theta": 1.0, "batch_size": 2, "alpha": 3.0},
    {"theta": 0.02, "batch_size": 3, "averaging": "tail"},
    {"theta": 0.4, "batch_size": 8, "averaging": "tail", "average_from": 0},
    {"theta": 0.99, "batch_size": 1, "alpha": 3.0, "averaging": "tail"},
    {"theta": 1.0, "batch_size": 2, "alpha": 3.0, "averaging": "tail", "average_from": 17},
]


def both(data, kind, weighted, *, loss, alpha=ALPHA, theta, batch_size, fit_intercept=False, **more):  # noqa: F811
    """The result for each layout, and what the twin says; theta and the intercept's column the long way."""
    rows, twin, y, weights = data
    weights = weights if weighted else None
    c = np.ones(ROWS) if weights is None else weights
    order = visits(kind)
    norms = (twin**2).sum(axis=1)
    column, gamma = 0.0, more.get("hinge_width", GAMMAS[loss])
    if fit_intercept:
        room = gamma * alpha * ROWS / (batch_size * c.max()) - norms.max()
        column = max(0.1 * norms.mean(), room)
    options = {"loss": loss, "alpha": alpha, "sample_weight": weights, "batch_size": batch_size, **more}
    results = {
        layout: solvers.asdca(
            X, y, theta=theta, max_iter=EPOCHS, tol=None, order=order, fit_intercept=fit_intercept, **options
        )
        for layout, X in rows.items()
    }
    if theta == "paper":
        s, m = gamma * alpha * ROWS / (c * (norms + column)).max(), batch_size
        theta = 1 / 4 * min(1, np.sqrt(s / m), s, s ** (2 / 3) / m ** (1 / 3))
    return results, *reference.asdca(twin, y, order, theta=theta, intercept_column=column, **options)


@pytest.mark.parametrize(("kind", "weighted"), [("permutation", False), ("random", True)])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
@pytest.mark.parametrize("loss", SMOOTH_LOSSES)
def test_asdca(data, loss, kind, weighted, options):  # noqa: F811
    results, b, w, _ = both(data, kind, weighted, loss=loss, **options)
    for layout, result in results.items():
        assert_close(result.dual, b, layout)
        assert_close(result.w, w, layout)
        assert result.intercept == 0


@pytest.mark.parametrize(
    ("alpha", "averaging"), [(ALPHA, "last"), (10.0, "last"), (ALPHA, "tail"), (10.0, "tail")]
)
@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize(
    ("loss", "width"), [*((loss, {}) for loss in SMOOTH_LOSSES), ("smooth_hinge", {"hinge_width": 3.0})]
)
def test_asdca_intercept(data, loss, width, batch_size, alpha, averaging):  # noqa: F811
    options = {"loss": loss, "alpha": alpha, "theta": "paper", "batch_size": batch_size, **width}
    results, b, w, b0 = both(data, "permutation", True, fit_intercept=True, averaging=averaging, **options)
    b = balanced(b, data[2])
    for layout, result in results.items():
        assert_close(result.w, w, layout)
        assert_close(result.intercept, b0, layout)
        assert_close(result.dual, b, layout)


def test_the_hinge_is_seen_step_by_step(data):  # noqa: F811
    rows, twin, y, _ = data
    steps = np.random.default_rng(6).integers(ROWS, size=(20, 5))
    options = {"alpha": ALPHA, "theta": 0.3, "batch_size": 5}

    def hinge(w, intercept):
        return losses.value("hinge", y * (twin @ w + intercept)).mean()

    expected = [hinge(reference.asdca(twin, y, steps[:k], **options)[1], 0) for k in range(1, 21)]
    options |= {"order": steps, "max_iter": 20, "tol": None, "fit_intercept": False, "score": hinge}
    for layout, X in rows.items():
        assert_close([line.score for line in solvers.asdca(X, y, **options).history], expected, layout)


def test_a_batch_too_long_for_one_call_takes_one_step(data, monkeypatch):  # noqa: F811
    options = {"loss": "log", "theta": 0.2, "batch_size": 30, "fit_intercept": True, "averaging": "tail"}
    whole, *_ = both(data, "permutation", True, **options)
    monkeypatch.setattr("fastsvm.solvers._rows.EPOCH_VALUES", 40)
    parts, *_ = both(data, "permutation", True, **options)
    for layout in parts:
        np.testing.assert_array_equal(parts[layout].w, whole[layout].w)
        np.testing.assert_array_equal(parts[layout].dual, whole[layout].dual)
