import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import reference
from fastsvm import SDCAClassifier, certify
from fastsvm.solvers.multinomial_solver import MultinomialProblem, MultinomialSolver
from fastsvm.solvers.params import SDCAParams
from fastsvm.solvers.run import Watcher, run
from pairs import linear_pairs

pytestmark = pytest.mark.blas


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return np.ascontiguousarray(X[:300] / 16), y[:300]


def multinomial(**options):
    return SDCAClassifier("log", multi_class="multinomial", **options)


@pytest.mark.parametrize(*linear_pairs(layout=[np.asarray, sparse.csr_array], alpha=[0.1, 1e-4]))
def test_the_certificate_is_that_of_the_reference(digits, fit_intercept, weighted, dtype, layout, alpha):
    X, y = digits[0].astype(dtype), digits[1]
    c = reference.weights(np.random.default_rng(0), len(y)) if weighted else None
    problem = MultinomialProblem(layout(X), y, 10, c)
    params = SDCAParams("log", alpha=alpha, fit_intercept=fit_intercept, max_iter=100)
    wide = X.astype(float)

    class Check(Watcher):
        def after(self, solver):
            p = solver.point
            primal, dual, imbalance = reference.multinomial_primal_dual(wide, y, p.w, p.intercept, alpha, c)
            assert p.primal == pytest.approx(primal, rel=1e-12)
            assert p.gap == pytest.approx(primal - max(dual, 0), rel=1e-6, abs=1e-12)
            assert not fit_intercept or np.abs(imbalance).max() < 1e-12

    p = run(MultinomialSolver(problem, params), tol=1e-9, watchers=[Check()])
    assert p.gap <= 1e-9 * p.objective
    np.testing.assert_allclose(p.dual @ wide / (alpha * len(y)), p.w, atol=np.sqrt(2 * p.gap / alpha) + 1e-9)
    optimum = LogisticRegression(
        C=1 / (alpha * len(y)), tol=1e-10, max_iter=10**5, fit_intercept=fit_intercept
    )
    optimum.fit(wide, y, c)
    theirs = reference.multinomial_primal_dual(wide, y, optimum.coef_, optimum.intercept_, alpha, c)[0]
    assert p.objective - p.gap <= theirs * (1 + 1e-12)
    assert p.objective <= theirs * (1 + 1e-9)


def test_probabilities_warm_start_and_certificate(digits):
    X, y = digits
    for rows in (X, sparse.csr_array(X)):
        model = multinomial(alpha=0.01, tol=1e-6, class_weight="balanced").fit(rows, y)
        scores = np.exp(model.decision_function(rows))
        np.testing.assert_allclose(model.predict_proba(rows), scores / scores.sum(axis=1, keepdims=True))
        proof = certify(model, rows, y)
        assert proof.gap_at_least <= model.dual_gap_ + 1e-12
        assert proof.gap <= 2 * model.dual_gap_ + 1e-9
        assert "all" in repr(proof)
        assert model.set_params(warm_start=True).fit(rows, y).n_iter_ == 1


def test_weights_far_too_large_are_no_singular_system(digits):
    """All probabilities are 0 or 1: no change of the intercepts would bend anything."""
    X, y = digits
    problem = MultinomialProblem(X, y, 10)
    dual = np.where(y == np.arange(10)[:, np.newaxis], 0.9, -0.1)
    solver = MultinomialSolver(problem, SDCAParams("log", alpha=1e-9, max_iter=5), (dual, np.zeros(10)))
    first = solver.begin()
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        assert run(solver, 1e-3).objective < first / 10


def test_two_classes_are_binary_log_loss(digits):
    X, y = digits[0], digits[1] < 5
    assert np.array_equal(
        multinomial(random_state=0).fit(X, y).coef_, SDCAClassifier("log", random_state=0).fit(X, y).coef_
    )


def test_a_class_without_weight_gets_no_probability(digits):
    X, y = digits
    model = multinomial(alpha=0.01, class_weight={3: 0.0}).fit(X, y)
    assert model.predict_proba(X)[:, 3].max() == pytest.approx(0, abs=1e-200)
    assert model.dual_gap_ <= 1e-3 * model.objective_


def test_rows_beyond_single_precision(digits):
    X, y = digits
    plain = multinomial(alpha=0.01, tol=1e-8).fit(X, y)
    model = multinomial(alpha=1e78, tol=1e-8).fit(X * 1e40, y)
    np.testing.assert_allclose(model.coef_ * 1e40, plain.coef_, rtol=1e-3, atol=1e-3)
    shifted = multinomial(alpha=0.01, tol=1e-6).fit(X + 1e4, y)
    assert shifted.dual_gap_ <= 1e-6 * shifted.objective_


@pytest.mark.parametrize(
    "options", [{"loss": "hinge"}, {"order": "cyclic"}, {"averaging": "tail"}, {"solver": "coordinate"}]
)
def test_what_multinomial_has_not(options, digits):
    with pytest.raises(ValueError, match="multi_class='multinomial'"):
        SDCAClassifier(**{"loss": "log", "multi_class": "multinomial", **options}).fit(*digits)


def test_no_checkpoint(digits, tmp_path):
    with pytest.raises(ValueError, match="use 'ovr'"):
        multinomial().fit(*digits, checkpoint=tmp_path / "file")


def test_probabilities_of_0_are_no_singular_matrix():
    """Of weights over 16 decades, where alpha is tiny: `numpy.linalg.solve` raised."""
    rng = np.random.default_rng(1095)
    n, d, k = rng.integers(6, 60), rng.integers(1, 6), rng.integers(3, 6)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-6, 6) + rng.choice([0, 1e3, 1e6])
    y = rng.integers(0, k, n)
    y[:k], c = np.arange(k), 10 ** rng.uniform(-8, 8, n)
    model = multinomial(alpha=10 ** rng.uniform(-12, 2) * np.mean(X**2), max_iter=50).fit(X, y, c)
    assert model.dual_gap_ <= 1e-3 * model.objective_
