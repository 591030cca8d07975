import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import reference
from fastsvm.solvers import sdca

pytestmark = pytest.mark.blas


@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log"])
def test_the_optimum_is_libs(loss, weighted, alpha, problem):
    X, y = problem
    c = reference.weights(np.random.default_rng(3), len(y)) if weighted else None
    C = 1 / (alpha * len(y))
    if loss == "log":
        peer = LogisticRegression(C=C, fit_intercept=False, tol=1e-12, solver="newton-cg", max_iter=1000)
    else:
        peer = LinearSVC(C=C, loss=loss, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    peer.fit(X.toarray(), y, sample_weight=c)  # which takes no 64-bit indices
    options = {"loss": loss, "alpha": alpha, "fit_intercept": False}
    r = sdca(X, y, sample_weight=c, tol=1e-9, max_iter=10**5, random_state=0, **options)
    theirs = reference.primal(loss, alpha, X, y, peer.coef_[0], 0.0, c)
    assert r.objective == pytest.approx(theirs, rel=1e-6)
    np.testing.assert_allclose(r.w, peer.coef_[0], atol=1e-3 * np.abs(r.w).max())


def test_score_is_called_with_what_would_be_returned(problem):
    seen = []

    def score(w, intercept):
        seen.append((w.copy(), intercept))
        return len(seen)

    r = sdca(*problem, alpha=0.01, max_iter=3, tol=None, random_state=0, score=score, fit_intercept=False)
    assert [epoch.score for epoch in r.history] == [1, 2, 3]
    np.testing.assert_array_equal(seen[-1][0], r.w)
