"""Stopping early, starting from a solution, and rows in their order."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import scale

import reference
from fastsvm import (
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    certify,
    fitting,
    load_model,
    save_model,
)
from fastsvm.fitting.labels import held_out
from fastsvm.fitting.prediction import winners
from fastsvm.solvers._input import as_random
from fastsvm.solvers._problem import Problem
from fastsvm.solvers._progress import Progress

pytestmark = pytest.mark.blas

BOTH = [PegasosClassifier(random_state=0), PerceptronClassifier(random_state=0)]


def by_name(model):
    return type(model).__name__


def test_progress_is_what_scikit_learn_counts():
    values = [1.0, 0.5, 0.499, 0.48, 0.4799, 0.4798, 0.3]
    progress, stalled = Progress(0.01, 2), []
    for value in values:
        progress.add(value, None)
        stalled.append(progress.stalled)
    assert stalled == [0, 0, 1, 0, 1, 2, 0]
    progress, ends = Progress(None, 1), Progress(0.0, None)
    for value in (1.0, 2.0, 2.0):
        progress.add(value, None)
        ends.add(value, None)
    assert not progress.over
    assert not ends.over


def test_rows_held_out_have_the_last_word():
    rows, signs = np.array([[1.0], [-1.0], [2.0]]), np.array([1, 1, -1])
    for weights, error in ((None, 2 / 3), (np.array([2.0, 1, 1]), 0.5)):
        progress = Progress(0.01, 1)
        progress.validation = Problem(rows, signs, weights)
        progress.add(None, lambda: (np.array([1.0]), 0.0))
        assert progress.least == pytest.approx(error)


def test_a_share_of_each_label_is_held_out():
    y = np.array(["a"] * 50 + ["b"] * 10 + ["c"])
    held = held_out(y, 0.2, np.random.default_rng(0))
    assert [held[y == label].sum() for label in "abc"] == [10, 2, 0]
    with pytest.raises(ValueError, match=r"validation_fraction=0\.01 of 61 rows"):
        held_out(y, 0.01, np.random.default_rng(0))


@pytest.mark.parametrize("model", BOTH, ids=by_name)
def test_early_stopping_stops_and_learns_from_the_others_alone(model):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    stopped = clone(model).set_params(early_stopping=True, max_iter=500).fit(X, y)
    assert 5 < stopped.n_iter_ < 500
    held = held_out(y, 0.1, np.random.default_rng(as_random(0).randint(2**31 - 1, size=1)))
    alone = clone(model).set_params(max_iter=stopped.n_iter_).fit(X[~held], y[~held])
    assert np.array_equal(stopped.coef_, alone.coef_)
    if by_name(model) == "PegasosClassifier":
        assert stopped.t_ == alone.t_ == stopped.n_iter_ * (~held).sum()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "log", "modified_huber"])
def test_it_stops_where_the_loss_does_and_errs_as_little_as_sgd(loss):
    X, y = load_breast_cancer(return_X_y=True)
    X, theirs = scale(X), {"log": "log_loss"}.get(loss, loss)
    ours = PegasosClassifier(loss, tol=1e-3, max_iter=1000, averaging="tail", random_state=0)
    scores = [ours.fit(X[::2], y[::2]).score(X[1::2], y[1::2])]
    assert ours.n_iter_ < 1000
    scores.append(SGDClassifier(theirs, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]))
    assert scores[0] > scores[1] - 0.02


@pytest.mark.parametrize("model", BOTH, ids=by_name)
def test_rows_in_their_order(model, problem):
    X, y = problem
    ordered = clone(model).set_params(shuffle=False, max_iter=3).fit(X, y)
    order = np.tile(np.arange(len(y)), (3, 1))
    if by_name(model) == "PegasosClassifier":
        w, b0 = reference.pegasos(X.toarray(), y, order, alpha=1e-4, fit_intercept=True)
    else:
        w, b0, _ = reference.perceptron(X.toarray(), y, order)
    np.testing.assert_allclose(ordered.coef_[0], w, rtol=1e-9, atol=1e-9)
    assert ordered.intercept_[0] == pytest.approx(b0)
    assert np.array_equal(ordered.coef_, clone(ordered).set_params(random_state=1).fit(X, y).coef_)


@pytest.mark.parametrize("model", BOTH, ids=by_name)
def test_fits_go_on(model, problem):
    X, y = problem
    long = clone(model).set_params(max_iter=6, shuffle=False).fit(X, y)
    short = clone(long).set_params(max_iter=3, warm_start=True).fit(X, y).fit(X, y)
    np.testing.assert_allclose(short.coef_, long.coef_, rtol=1e-9, atol=1e-12)
    assert getattr(short, "t_", None) == getattr(long, "t_", None)
    assert short.objective_ == pytest.approx(long.objective_)
    cold = clone(long).set_params(max_iter=3)
    given = clone(cold).fit(X, y, coef_init=short.coef_, intercept_init=short.intercept_[0])
    assert not np.array_equal(given.coef_, cold.fit(X, y).coef_)
    X3 = X[:, :7]
    assert np.array_equal(short.fit(X3, y).coef_, cold.fit(X3, y).coef_)  # other columns: from zero


@pytest.mark.parametrize("model", BOTH, ids=by_name)
def test_a_pickle_between_batches_changes_nothing(model, problem, tmp_path):
    """A file of `save_model` has the averages only, as the guide says."""
    X, y = problem
    model = clone(model).set_params(averaging="tail" if by_name(model) == "PegasosClassifier" else "all")
    kept, pickled, saved = clone(model), clone(model), clone(model)
    for batch in (slice(0, 40), slice(40, 80), slice(80, 120)):
        kept.partial_fit(X[batch], y[batch], classes=np.unique(y))
        pickled = pickle.loads(pickle.dumps(pickled.partial_fit(X[batch], y[batch], classes=np.unique(y))))
        save_model(
            saved.partial_fit(X[batch], y[batch], classes=np.unique(y)), tmp_path / "model.safetensors"
        )
        saved = load_model(tmp_path / "model.safetensors")
    assert np.array_equal(pickled.coef_, kept.coef_)
    assert not np.allclose(saved.coef_, kept.coef_)


@pytest.mark.parametrize(
    ("params", "start", "message"),
    [
        ({"validation_fraction": 1.0}, {}, "validation_fraction must be below 1"),
        ({"early_stopping": 1}, {}, "early_stopping must be"),
        ({"early_stopping": True, "averaging": "random"}, {}, "so it cannot stop early"),
        ({"shuffle": False, "order": "random"}, {}, "leave out order='random'"),
        ({}, {"coef_init": np.ones(3)}, r"coef_init must have the shape \(1, 30\); got \(3,\)"),
        ({}, {"intercept_init": [np.nan]}, "intercept_init must be finite"),
    ],
)
def test_what_is_refused(params, start, message, problem):
    with pytest.raises(ValueError, match=message):
        PegasosClassifier(**params).fit(*problem, **start)


def test_batches_cannot_stop_early(problem):
    with pytest.raises(ValueError, match="early_stopping=True needs all rows"):
        PegasosClassifier(early_stopping=True).partial_fit(*problem, classes=[-1, 1])


def test_modified_huber_is_certified(problem):
    for model in (
        PegasosClassifier("modified_huber", alpha=0.01, certify=True, random_state=0),
        SGDClassifier("modified_huber", alpha=0.01, random_state=0),
    ):
        model.fit(*problem)
        proof = certify(model, *problem, random_state=0)
        assert 0 < proof.gap <= 2 * proof.gap_at_least


@pytest.mark.parametrize("model", [*BOTH, SDCAClassifier(random_state=0)], ids=by_name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_weights_predict_the_same(model, n_classes, problem, tmp_path):
    X, y = problem
    y = np.where(X[:, [0]].toarray().ravel() > 0.5, 2, y) if n_classes == 3 else y
    fitted = clone(model).fit(X, y)
    fitted.coef_[:, ::2] = 0
    dense, scores = fitted.coef_, fitted.decision_function(X)
    assert fitted.sparsify() is fitted
    assert sparse.issparse(fitted.coef_)
    assert fitted.coef_.nnz <= dense.size / 2
    for rows in (X, X.toarray(), X[:1]):
        np.testing.assert_allclose(fitted.decision_function(rows), scores[: rows.shape[0]], rtol=1e-10)
    assert np.array_equal(fitted.predict(X), fitted.classes_[winners(scores)])
    save_model(fitted, tmp_path / "model")
    assert np.array_equal(load_model(tmp_path / "model").coef_, dense)
    holed = X.copy()
    holed.indices[0], holed.data[0] = 0, np.nan
    with pytest.raises(ValueError, match="row 0"):
        fitted.decision_function(holed)
    if n_classes == 2 and by_name(model) == "SDCAClassifier":
        assert certify(fitted, X, y).objective == certify(fitted.densify(), X, y).objective
    assert np.array_equal(fitted.densify().coef_, dense)
    if by_name(model) != "SDCAClassifier":
        again = fitted.sparsify().set_params(warm_start=True).fit(X, y)
        assert isinstance(again.coef_, np.ndarray)


@pytest.mark.parametrize("cls", [PegasosClassifier, fitting.Pegasos])
def test_only_what_is_fitted_has_sparse_weights(cls):
    for change in ("sparsify", "densify"):
        with pytest.raises(AttributeError, match="not fitted yet"):
            getattr(cls(), change)()


def test_batches_follow_sparse_weights(problem):
    model, other = (PegasosClassifier(random_state=0).fit(*problem) for _ in range(2))
    assert np.array_equal(model.sparsify().partial_fit(*problem).coef_, other.partial_fit(*problem).coef_)
