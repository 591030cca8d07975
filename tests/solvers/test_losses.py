import numpy as np
import pytest

from fastsvm.solvers import losses
from fastsvm.solvers._rows import dual_sum
from fastsvm.solvers._scores import loss_and_slope
from fastsvm.solvers.losses import TABLE, as_loss

# By name, and two hinges of other widths.
LOSSES = [*losses.LOSSES, as_loss("smooth_hinge", 0.2), as_loss("smooth_hinge", 3.0)]

M = np.concatenate([np.linspace(-3, 4, 141) + 0.013, [-800.0, 800.0, 0.0]])


def duals(loss, rng, size):
    low, high = losses.domain(loss)
    return rng.uniform(low, min(high, 3), size)


@pytest.mark.parametrize("loss", LOSSES)
def test_slope_is_the_derivative(loss):
    h = 1e-6
    numeric = (losses.value(loss, M + h) - losses.value(loss, M - h)) / (2 * h)
    np.testing.assert_allclose(losses.slope(loss, M), numeric, atol=2e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_fenchel_young(loss):
    b = duals(loss, np.random.default_rng(0), 500)[:, None]
    assert (losses.value(loss, M) + b * M >= losses.dual_term(loss, b) - 1e-12).all()
    # Equality at b = -phi'(m): the conjugate is the right one, not only a bound.
    at = losses.dual_term(loss, -losses.slope(loss, M))
    np.testing.assert_allclose(losses.value(loss, M) - losses.slope(loss, M) * M, at, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_outside_its_domain_the_dual_bounds_nothing(loss):
    assert losses.dual_term(loss, -0.1) == -np.inf
    assert losses.dual_term(loss, 1.1) == (-np.inf if loss != "squared_hinge" else 1.1 - 1.1**2 / 4)


def test_an_unknown_loss_is_named():
    for function in (losses.value, losses.slope, losses.dual_term):
        with pytest.raises(ValueError, match=r"loss must be one of 'hinge'.*got 'huber'"):
            function("huber", 1.0)


@pytest.mark.parametrize("loss", [*TABLE.values(), *LOSSES[4:]], ids=lambda loss: f"{loss.name}-{loss.width}")
def test_the_table_s_codes_are_those_of_the_kernels(loss):
    """One row each: what the kernels compute under a code is what the table's entry says."""
    none, one = np.empty(0), np.ones(1, np.int8)
    for m in M:
        value, slope = loss_and_slope(np.array([m]), one, none, 0.0, loss.struct)
        assert value == pytest.approx(loss.value(m), rel=1e-14, abs=1e-300)
        if loss.dual_term is not None and m:  # at 0 a kink may be
            assert slope == pytest.approx(loss.slope(m), rel=1e-12, abs=1e-300)
    for b in np.linspace(0, min(loss.upper, 3), 7) if loss.dual_term is not None else ():
        assert dual_sum(one, np.array([b]), none, loss.struct) == pytest.approx(loss.dual_term(b), rel=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_table_s_constants_are_those_of_its_functions(loss):
    entry = as_loss(loss)
    m = np.linspace(-5, 5, 100_001)
    slopes = entry.slope(m)
    steepest = np.abs(np.diff(slopes) / np.diff(m)).max()
    assert steepest == pytest.approx(entry.lipschitz, rel=1e-3) if entry.smooth else steepest > 1e3
    assert entry.upper == (1 if slopes.min() >= -1 else np.inf)
    assert entry.straight == (np.ptp(slopes[m < -2.5]) == 0)
    b = np.linspace(0.1, 0.9, 9)
    bends = -np.diff(entry.dual_term(b), 2) / 0.01
    assert entry.quadratic == (np.ptp(bends) < 1e-9)
    assert not entry.quadratic or bends.mean() == pytest.approx(entry.curvature, abs=1e-9)
    np.testing.assert_array_equal(entry.uppers([0.0, 2.0]), [0, 2 * entry.upper])
    assert np.array_equal(entry.uppers(1.0), entry.upper)
