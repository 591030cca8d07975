"""objective_ and dual_gap_ are those of the weights that a fit leaves: in long double, at random problems."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp

import fastsvm
from fastsvm import drop_in, fitting
from fastsvm.solvers import LOSSES, sdca
from fastsvm.solvers.losses import as_loss

pytestmark = [pytest.mark.blas, pytest.mark.filterwarnings("ignore")]


def doors(loss, alpha, C):
    """Models of a problem, and what becomes of the intercept in each; "joint": one of all classes."""
    own, once = {"loss": loss, "alpha": alpha, "random_state": 0}, {"max_iter": 200, "random_state": 0}
    kernel = {"kernel": "linear", "alpha": alpha, "random_state": 0}
    yield fastsvm.SDCAClassifier(loss, alpha=alpha, **once), "free"
    yield fitting.SDCA(loss, alpha=alpha, solver="coordinate", tol=1e-5, **once), "free"
    yield fastsvm.SDCAClassifierCV(loss, alphas=[alpha], cv=2, **once), "free"
    yield fastsvm.PegasosClassifier(**own), "free"
    yield fastsvm.PegasosClassifier(**own, certify=True), "free"
    yield fitting.Pegasos(**own, averaging="tail"), "free"
    yield fastsvm.KernelSDCAClassifier(loss=loss, max_iter=2000, **kernel), "none"
    if loss == "hinge":
        yield fastsvm.KernelPegasosClassifier(**kernel), "none"
        yield drop_in.SVC(kernel="linear", C=C), "free"
    else:
        yield fastsvm.ASDCAClassifier(loss, alpha=alpha, **once), "free"
    if loss in ("hinge", "squared_hinge"):
        yield drop_in.LinearSVC(loss=loss, C=C, **once), "regularised"
    if loss == "log":
        yield fastsvm.SDCAClassifier(loss, alpha=alpha, multi_class="multinomial", **once), "joint"
        yield drop_in.LogisticRegression(C=C, **once), "joint"
    if loss != "smooth_hinge":
        yield drop_in.SGDClassifier({"log": "log_loss"}.get(loss, loss), alpha=alpha, **once), "free"


def objectives(X, targets, c, coef, intercept, loss, alpha, kind):
    """P of each problem; `targets` are signs, or of a joint one the numbers of the classes."""
    X, c, coef, b = (np.asarray(part, np.longdouble) for part in (X, c, coef, intercept))
    scores = X @ coef.T + b
    if kind == "joint":
        return alpha / 2 * np.sum(coef**2) + c @ (
            logsumexp(scores, axis=1) - scores[np.arange(len(X)), targets]
        ) / len(X)
    ridge = np.sum(coef**2, axis=1) + (b**2 if kind == "regularised" else 0)
    return alpha / 2 * ridge + c @ as_loss(loss).value(targets.T * scores) / len(X)


def best(X, targets, c, loss, alpha, kind):
    """Weights and intercepts near the optimum of each problem."""
    if kind == "joint":
        model = fitting.SDCA("log", alpha=alpha, multi_class="multinomial", tol=1e-13, max_iter=300)
        return model.fit(X, targets, c).coef_, model.intercept_
    rows = np.column_stack([X, np.ones(len(X))]) if kind == "regularised" else X
    options = {"alpha": alpha, "sample_weight": c, "fit_intercept": kind == "free", "tol": 1e-13}
    found = [sdca(rows, y, loss=loss, max_iter=300, random_state=0, **options) for y in targets]
    w = np.array([each.w for each in found])
    return w[:, : X.shape[1]], w[:, -1] if kind == "regularised" else np.array([r.intercept for r in found])


def measured(seed):
    """By model: dtype, P, how far P is beyond what the gap allows, and how far from objective_."""
    rng = np.random.default_rng(seed)
    n, d, loss = int(rng.integers(12, 100)), int(rng.integers(1, 16)), str(rng.choice(LOSSES))
    X = rng.normal(size=(n, d)) * 10 ** (rng.uniform(-2, 2) + (rng.random() < 0.3) * rng.uniform(-2, 2, d))
    X = (X + rng.choice([0, 0, 0, 10, 3e3, 4e4]) * X.std()) * (rng.random((n, d)) < rng.choice([1, 1, 0.3]))
    y = np.where(X @ rng.normal(size=d) + X.std() * rng.normal(size=n) > 0, 1, 0)
    y[:9] = np.arange(9) % rng.choice([2, 2, 3])
    y[9:] += (y.max() > 1) * rng.integers(0, 2, n - 9)
    c = [np.ones(n), rng.uniform(0.1, 2, n), 10 ** rng.uniform(-5, 5, n)][rng.integers(3)]
    c, alpha, labels = c / c.mean(), float(10 ** rng.uniform(-7, 1) * np.mean(X**2)), np.unique(y)
    for model, kind in doors(loss, alpha, 1 / (alpha * n)):
        dtype = [np.float32, np.float64][rng.integers(2)]
        rows, kind = X.astype(dtype), "free" if kind == "joint" and len(labels) == 2 else kind
        if isinstance(model, drop_in.SVC) and len(labels) > 2:
            continue
        model.fit(rows if seed % 3 else sparse.csr_array(rows), y, sample_weight=c)
        signs = np.array([np.where(y == label, 1, -1) for label in (labels if len(labels) > 2 else [1])])
        coef = getattr(model, "coef_", None)
        if coef is None:
            coef = model.dual_coef_.astype(np.longdouble) @ rows[model.support_]
        coef = coef.toarray() if sparse.issparse(coef) else coef
        given = rows.astype(float), y if kind == "joint" else signs, c
        P, least = (
            objectives(*given, *at, loss, alpha, kind)
            for at in ((coef, model.intercept_), best(*given, loss, alpha, kind))
        )
        off = np.abs(P - model.objective_)
        yield model, dtype.__name__, np.max(P), np.max(P - least - model.dual_gap_), np.max(off)


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(60, 400), marks=pytest.mark.slow)])
def test_the_certificate_is_that_of_what_is_returned(seeds):
    for seed in seeds:
        for model, dtype, P, beyond, off in measured(seed):
            assert beyond <= 1e-9 * P + 1e-15, (seed, model, dtype, P, beyond)
            assert hasattr(model, "kernel") or off <= 1e-9 * P + 1e-15, (seed, model, dtype, P, off)
