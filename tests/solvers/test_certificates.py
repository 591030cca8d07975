"""On problems drawn at random, easy and nasty: the certificate is a bound, whatever was drawn.

All sums are made again here, in NumPy, from what is returned. Rounding is allowed for by what the
largest terms of each sum may round off, so that data of size 1e8 pass and a wrong formula does not.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import reference
from fastsvm.solvers import LOSSES, losses, sdca

pytestmark = pytest.mark.blas

EPS = np.finfo(float).eps
HARDSHIPS = ("empty rows", "duplicates", "contradictions", "constant column", "uneven columns", "one class",
             "separable", "copied column", "whole numbers")  # fmt: skip
WEIGHTS = ("none", "zeros", "uneven", "one left")


class Drawn(NamedTuple):
    """A problem, and how to solve it."""

    X: np.ndarray
    given: object
    y: np.ndarray
    weights: object
    loss: str
    alpha: float
    fit_intercept: bool

    def solve(self, solver, tol, max_iter, start=None):
        return sdca(
            self.given, self.y, loss=self.loss, alpha=self.alpha, sample_weight=self.weights, tol=tol,
            fit_intercept=self.fit_intercept, max_iter=max_iter, solver=solver, start=start, random_state=0,
        )  # fmt: skip


@st.composite
def problems(
    draw, scales=(1e-8, 1e-4, 1.0, 1e3, 1e6, 1e8), alphas=(1e-6, 1e-4, 1e-2, 1.0, 100.0), kinds=WEIGHTS
):
    n, d = draw(st.sampled_from([1, 2, 3, 8, 25])), draw(st.sampled_from([1, 2, 3, 6, 12]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hardships = draw(st.sets(st.sampled_from(HARDSHIPS), max_size=3))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < draw(st.sampled_from([0.4, 1.0])))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0.2, 1, -1)
    if "whole numbers" in hardships:
        X = X.round()
    if "separable" in hardships:
        y = np.where(X[:, -1] > 0, 1, -1)
    if "duplicates" in hardships:
        X[n // 2 :], y[n // 2 :] = X[: n - n // 2], y[: n - n // 2]
    if "contradictions" in hardships:
        X[n // 2 :], y[n // 2 :] = X[: n - n // 2], -y[: n - n // 2]
    if "copied column" in hardships:
        X[:, -1] = X[:, 0]
    if "constant column" in hardships:
        X[:, 0] = 1
    if "empty rows" in hardships:
        X[:: draw(st.sampled_from([1, 3]))] = 0
    if "uneven columns" in hardships and d > 1:
        X *= np.logspace(-4, 4, d)
    if "one class" in hardships:
        y[:] = draw(st.sampled_from([-1, 1]))
    X *= draw(st.sampled_from(scales))
    if draw(st.booleans()):
        X = X.astype(np.float32)
    given = sparse.csr_array(X) if draw(st.booleans()) else X
    weights = {
        "none": None,
        "zeros": np.maximum(reference.weights(rng, n), np.eye(n)[0]),
        "uneven": 10 ** rng.uniform(-6, 3, n),
        "one left": np.eye(n)[n // 2],
    }[draw(st.sampled_from(kinds))]
    return Drawn(X.astype(float), given, y, weights, draw(st.sampled_from(LOSSES)),
                 draw(st.sampled_from(alphas)), draw(st.booleans()))  # fmt: skip


def check(p, r):
    """Verify all that a result says of itself; return primal, bound and what may round off of them."""
    n, c = len(p.y), np.ones(len(p.y)) if p.weights is None else p.weights / p.weights.mean()
    for part in (r.w, r.intercept, r.dual, r.objective, r.gap):
        assert np.isfinite(part).all()
    assert r.gap >= 0
    used = c > 0
    assert (r.dual[~used] == 0).all()
    assert (r.dual >= 0).all()
    if p.loss != "squared_hinge":
        assert (r.dual <= c).all()
    if p.fit_intercept:
        assert abs(r.dual @ p.y) <= 10 * n * EPS * r.dual.sum()
    else:
        assert r.intercept == 0
    # What is added up for w, for the margins, and for the dual's terms.
    size_w = np.abs(p.X).T @ r.dual / (p.alpha * n)
    # What a b leaves behind that was larger once may be all there is in a column.
    assert (np.abs(r.w - p.X.T @ (r.dual * p.y) / (p.alpha * n)) <= 1e-13 * (size_w + size_w.max())).all()
    size_m = np.abs(p.X) @ (np.abs(r.w) + size_w) + abs(r.intercept)
    ridge = p.alpha * float(np.abs(r.w) @ size_w)
    # A margin's rounding counts by the loss's slope there.
    margins = p.y * (p.X @ r.w + r.intercept)
    steep = np.abs(losses.slope(p.loss, margins)) + 2 * EPS * size_m
    terms = r.dual.mean() + (r.dual[used] ** 2 / c[used]).sum() / n + c.mean()
    rounding = max(20, 4 * n**0.5) * EPS * (np.mean(c * steep * size_m) + ridge + terms + r.objective)
    inside = np.zeros(n)
    inside[used] = c[used] * np.minimum(r.dual[used] / c[used], losses.domain(p.loss)[1])
    primal = reference.primal(p.loss, p.alpha, p.X, p.y, r.w, r.intercept, c)
    bound = reference.dual(p.loss, p.alpha, p.X, p.y, inside, c)
    assert abs(r.objective - primal) <= rounding
    assert abs(r.gap - max(0, primal - bound)) <= rounding
    assert primal - bound >= -rounding
    return primal, bound, rounding


def fixed(examples):
    return settings(
        max_examples=examples, derandomize=True, deadline=None, database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["coordinate", "newton"])
@fixed(175)
@given(
    p=problems(),
    tol=st.sampled_from([1e-2, 1e-3, 1e-5, 1e-8]),
    max_iter=st.sampled_from([1, 2, 5, 30, 200, 1000]),
)
def test_the_certificate_covers_the_distance_to_the_optimum(solver, p, tol, max_iter):
    other = "newton" if solver == "coordinate" else "coordinate"
    best = p.solve(other, 1e-10, 300)
    lowest, highest_bound, rounding = check(p, best)
    r = p.solve(solver, tol, max_iter)
    primal, bound, more = check(p, r)
    assert r.solver == solver
    assert 1 <= r.n_iter <= max_iter
    assert r.gap <= tol * r.objective or r.n_iter == max_iter or solver == "newton"
    assert r.gap >= primal - lowest - more - rounding
    assert bound <= lowest + more + rounding
    assert primal >= highest_bound - more - rounding


@fixed(25)
@given(p=problems(scales=(0.1, 1.0), alphas=(1e-2, 1.0, 100.0), kinds=("none",)))
def test_tame_problems_are_solved_alike_by_both_methods(p):
    # A loss that goes to 0 without an end has no optimum; nor are weights of 1e-6 quick, or columns of 1e-4.
    assume(np.abs(p.X).max() < 100 and abs(p.y.sum()) < len(p.y))
    ours = p.solve("coordinate", 1e-7, 20000)
    theirs = p.solve("newton", 1e-10, 200)
    for r, tol in ((ours, 1e-7), (theirs, 1e-9)):
        _, _, rounding = check(p, r)
        assert r.gap <= tol * r.objective + rounding
    far = np.linalg.norm(ours.w - theirs.w)
    assert p.alpha / 2 * far**2 <= 2 * (ours.gap + theirs.gap) + 1e-14


@fixed(200)
@given(p=problems(scales=(1e-8, 1e-4, 1.0)))
def test_newtons_method_ends_at_the_optimum(p):
    r = p.solve("newton", 1e-9, 200)
    check(p, r)
    assert r.gap <= 1e-9 * r.objective + 1e-14  # what rounding leaves


@fixed(15)
@given(p=problems(), other_alpha=st.sampled_from([1e-6, 1e-2, 10.0]))
def test_the_certificate_of_a_run_from_anywhere(p, other_alpha):
    first = p._replace(alpha=other_alpha).solve("coordinate", 1e-3, 20)
    best = p.solve("newton", 1e-10, 300)
    lowest, _, rounding = check(p, best)
    for solver in ("coordinate", "newton"):
        r = p.solve(solver, 1e-4, 20, start=(first.dual, 5.0))
        primal, bound, more = check(p, r)
        assert r.gap >= primal - lowest - more - rounding
        assert bound <= lowest + more + rounding


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["coordinate", "newton"])
@fixed(5000)
@given(p=problems(scales=(1e-4, 1.0)), tol=st.sampled_from([1e-2, 1e-3, 1e-5, 1e-8]))
def test_sums_in_long_doubles_give_the_stated_gap(solver, p, tol):
    r = p.solve(solver, tol, 50)
    c = np.ones(len(p.y)) if p.weights is None else p.weights / p.weights.mean()
    X, w, b, c, alpha = (np.asarray(part, np.longdouble) for part in (p.X, r.w, r.dual, c, p.alpha))
    above = reference.gap(p.loss, alpha, X, p.y, b, w, r.intercept, c) - r.gap
    assert above <= 1e-12 * np.mean(c * losses.value(p.loss, np.zeros(len(c))))


@pytest.mark.parametrize("loss", LOSSES)
def test_digits_lost_to_a_start_far_away_are_made_up_for(loss):
    X, y, alpha = np.array([[1.3e4], [0.7e4]]), np.array([1, 1]), 1e-6
    start = np.ones(2), 0.0  # stands for a w of 1e10, and the optimum is 1e-4
    options = {"solver": "coordinate", "fit_intercept": False, "random_state": 0}
    r = sdca(X, y, loss=loss, alpha=alpha, start=start, tol=1e-3, **options)
    assert r.gap <= 1e-3 * r.objective
    np.testing.assert_allclose(r.w, X.T @ (r.dual * y) / (alpha * 2), rtol=1e-14)
