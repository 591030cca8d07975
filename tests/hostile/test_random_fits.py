"""No certificate promises more than the truth: random fits against what another solver finds.

By hand, as many as there is time for: python tests/hostile/test_random_fits.py 10000 [first seed]
"""

import sys
import warnings

import numpy as np
import pytest
from scipy import optimize, sparse

import reference
from fastsvm import ASDCAClassifier, PegasosClassifier, SDCAClassifier, certify
from fastsvm.solvers.losses import LOSSES, slope

pytestmark = pytest.mark.blas

ROUNDING = 1e-9  # relative, of sums of few terms


def random_case(rng):
    """X, signs, weights and the options of a fit, of any kind that is likely to hurt."""
    n, d = int(rng.integers(2, 80)), int(rng.integers(1, 30))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 3)
    if rng.random() < 0.3:
        X *= 10.0 ** rng.uniform(-3, 3, size=d)  # columns of other sizes
    if rng.random() < 0.3:
        X = X[rng.integers(n, size=n)]  # repeated rows
    if rng.random() < 0.3:
        X *= rng.random(X.shape) < 0.2
    if rng.random() < 0.2:
        X += 100 * np.abs(X).max()  # far from the origin
    y = np.where(X @ rng.normal(size=d) > np.median(X @ rng.normal(size=d)), 1, -1)
    y = np.where(rng.random(n) < 0.1, -y, y)
    y[:2] = 1, -1
    weights = rng.exponential(size=n) * (rng.random(n) < 0.8) if rng.random() < 0.4 else None
    if weights is not None and not weights.any():
        weights = None
    if rng.random() < 0.3:
        X = X.astype(np.float32)
    options = {
        "loss": str(rng.choice(LOSSES)),
        "alpha": 10.0 ** rng.uniform(-8, 3),
        "fit_intercept": bool(rng.random() < 0.5),
    }
    return (sparse.csr_array(X) if rng.random() < 0.5 else X), y, weights, options


def random_model(rng, options):
    """One of the estimators, at a tolerance of any size."""
    seed = int(rng.integers(2**31))
    goals = {
        "tol": 10.0 ** rng.uniform(-8, -0.5),
        "max_iter": int(rng.integers(1, 300)),
        "random_state": seed,
    }
    kind = rng.choice(["coordinate", "newton", "accelerated", "pegasos"], p=[0.4, 0.3, 0.1, 0.2])
    if kind == "accelerated" and options["loss"] != "hinge":
        return ASDCAClassifier(**options, **goals)
    if kind == "pegasos" and options["loss"] in ("hinge", "log"):
        return PegasosClassifier(**options, max_iter=5, project=bool(rng.random() < 0.5), random_state=seed)
    return SDCAClassifier(**options, **goals, solver="newton" if kind == "newton" else "coordinate")


def lowest_found(X, y, weights, start, loss, alpha, fit_intercept):
    """The lowest P that SciPy's L-BFGS finds from a few starts; any P is above the optimum."""
    X = (X.toarray() if sparse.issparse(X) else X).astype(float)
    c = np.ones(len(y)) if weights is None else weights

    def value(v):
        w, b = v[:-1], v[-1] * fit_intercept
        pulls = c * slope(loss, y * (X @ w + b)) * y / len(y)
        slopes = np.append(alpha * w + X.T @ pulls, pulls.sum() * fit_intercept)
        return reference.primal(loss, alpha, X, y, w, b, weights), slopes

    found = [value(start)[0]]
    for point in (start, np.zeros_like(start)):
        found.append(
            optimize.minimize(value, point, jac=True, method="L-BFGS-B", options={"maxiter": 200}).fun
        )
    return min(found)


def check(seed):
    """Fit one case: the bound is below whatever is found, and the objective that of the coefficients."""
    rng = np.random.default_rng(seed)
    X, y, weights, options = random_case(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = random_model(rng, options).fit(X, y, weights)
        proof = certify(model, X, y, sample_weight=weights, max_iter=20, random_state=0)
    # The certificate is that of the float64 solution, which coefficients of float32 only round.
    start = np.append(model.coef_[0], model.intercept_[0]).astype(float)
    with np.errstate(over="ignore"):
        lowest = lowest_found(X, y, weights, start, **options)
    assert np.isfinite([model.objective_, model.dual_gap_, proof.gap]).all(), seed
    assert model.dual_gap_ >= 0, seed
    sizes = np.abs(X) @ np.abs(start[:-1]) + np.abs(start[-1])  # margins are sums of terms that may cancel
    slack = ROUNDING * (model.objective_ + lowest) + 16 * np.finfo(float).eps * (1 + sizes.max())
    assert model.objective_ - model.dual_gap_ <= lowest + slack, (
        f"seed {seed}: the bound is above what was found"
    )
    assert proof.bound <= lowest + slack, f"seed {seed}: certify's bound is above what was found"
    assert lowest <= proof.objective + slack, f"seed {seed}: the objective is not that of the coefficients"


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (20, 40))])
def test_no_certificate_is_below_the_truth(first):
    for seed in range(first, first + 20):
        check(seed)


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + int(sys.argv[1])):
        check(seed)
    print(f"{sys.argv[1]} fits: no bound above what another solver found")
