import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from fastsvm import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.pegasos_solver import PegasosSolver
from rounding import assert_close

pytestmark = pytest.mark.blas

ALL = [
    SDCAClassifier(alpha=0.01, random_state=0),
    SDCAClassifier("log", alpha=0.01, random_state=0),
    ASDCAClassifier(alpha=0.01, random_state=0),
    PegasosClassifier(alpha=0.01, random_state=0),
    PegasosClassifier("log", alpha=0.01, averaging="tail", random_state=0),
    PerceptronClassifier(averaging="all", random_state=0),
]
ONLINE = [e for e in ALL if hasattr(e, "partial_fit")]
each = pytest.mark.parametrize("estimator", ALL, ids=str)
each_online = pytest.mark.parametrize("estimator", ONLINE, ids=str)


@each
def test_one_against_the_rest(estimator, iris):
    X, y = iris
    model = clone(estimator).fit(X, y)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)
    assert model.score(X, y) > 0.85
    setosa = clone(estimator).fit(X, y == "setosa")  # the same problem, from another seed
    np.testing.assert_allclose(model.coef_[0], setosa.coef_[0], atol=0.5)
    assert len(model.history_) == 3
    assert model.objective_.shape == (3,)


@each
def test_binary_with_any_labels(estimator, problem):
    X, y = problem
    expected = clone(estimator).fit(X, y).coef_
    assert expected.shape == (1, 30)
    for low, high in (("neg", "pos"), (0, 1), (False, True), (2.0, 3.0)):
        labels = np.where(y > 0, high, low)
        model = clone(estimator).fit(X, labels)
        np.testing.assert_array_equal(model.coef_, expected)
        assert set(model.predict(X)) == {low, high}
        above = model.decision_function(X) > 0
        np.testing.assert_array_equal(model.predict(X) == high, above)
    objects = np.where(y > 0, "pos", "neg").astype(object)
    assert clone(estimator).fit(X, objects).predict(X).dtype == object


@each
@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_types_and_layouts(estimator, real, problem):
    X, y = problem
    X = X.astype(real)
    expected = clone(estimator).fit(X, y)
    assert expected.coef_.dtype == expected.intercept_.dtype == real
    assert expected.decision_function(X).dtype == real
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    layouts = [wide, X.tocsc(), X.tocoo(), sparse.csr_matrix(X), X.toarray(), np.asfortranarray(X.toarray())]
    for other in layouts:
        model = clone(estimator).fit(other, y)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(model.decision_function(other), expected.decision_function(X), atol=1e-4)


@each
def test_class_weight_is_a_sample_weight(estimator, iris):
    X, y = iris
    by_label = {"setosa": 0.5, "versicolor": 2.0, "virginica": 1.0}
    weights = np.array([by_label[label] for label in y])
    own = np.linspace(0.5, 1.5, len(y))
    expected = clone(estimator).fit(X, y, sample_weight=weights * own)
    model = clone(estimator).set_params(class_weight=by_label).fit(X, y, sample_weight=own)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)


@each
def test_balanced_weights_find_the_rare_class(estimator):
    X, y = make_blobs([950, 50], centers=[[-0.7, 0], [0.7, 0]], random_state=0)
    recall = [
        (clone(estimator).set_params(class_weight=weight).fit(X, y).predict(X[y == 1]) == 1).mean()
        for weight in (None, "balanced")
    ]
    assert recall[1] > recall[0]
    assert recall[1] > 0.6


@each
def test_threads_do_not_change_the_result(estimator, iris):
    models = [clone(estimator).set_params(n_jobs=n).fit(*iris) for n in (None, 2, -1)]
    for model in models[1:]:
        assert_close(model.coef_, models[0].coef_)


@each
def test_pickling_and_cross_validation(estimator, iris):
    X, y = iris
    model = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_close(again.decision_function(X), model.decision_function(X))
    assert cross_val_score(make_pipeline(StandardScaler(), clone(estimator)), X, y).mean() > 0.8
    search = GridSearchCV(clone(estimator), {"max_iter": [5, 50]}, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(X, y)
    assert search.best_score_ > 0.8
    calibrated = CalibratedClassifierCV(clone(estimator), ensemble=False).fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_sdca_is_linear_svc_and_logistic_regression(iris):
    X, y = iris
    C = 1 / (0.01 * len(y))
    model = SDCAClassifier("squared_hinge", alpha=0.01, tol=1e-9, max_iter=10**5, fit_intercept=False)
    peer = LinearSVC(C=C, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).coef_, peer.coef_, atol=1e-4)
    model = SDCAClassifier("log", alpha=0.01, tol=1e-10, max_iter=10**5)
    for k, label in enumerate(np.unique(y)):
        peer = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(X, y == label)
        model.fit(X, y)
        np.testing.assert_allclose(model.coef_[k], peer.coef_[0], atol=1e-3)
        np.testing.assert_allclose(model.intercept_[k], peer.intercept_[0], atol=1e-3)


def test_dual_coef_is_svcs(iris):
    X, y = iris
    model = SDCAClassifier(alpha=0.01, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ X, model.coef_, rtol=1e-9, atol=1e-12)
    assert np.abs(model.dual_coef_).max() <= 1 / (0.01 * len(y)) * (1 + 1e-12)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0, atol=1e-9)
    positive = model.dual_coef_[0] > 0
    assert (y[positive] == "setosa").all()


def test_probabilities(iris, problem):
    X, y = problem
    model = SDCAClassifier("log", alpha=0.01, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-model.decision_function(X))))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    p = clone(model).fit(*iris).predict_proba(iris[0])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    far = clone(model).fit(*iris)
    far.coef_, far.intercept_ = np.zeros((3, 4)), np.full(3, -1e4)
    np.testing.assert_allclose(far.predict_proba(iris[0]), 1 / 3)
    for estimator in (SDCAClassifier(), PerceptronClassifier()):
        assert not hasattr(estimator, "predict_proba")
        with pytest.raises(AttributeError):
            estimator.predict_proba(X)


@each_online
def test_partial_fit_continues(estimator, problem):
    X, y = problem
    model = clone(estimator)
    for _ in range(30):
        for part in np.array_split(np.arange(len(y)), 4):
            model.partial_fit(X[part], y[part], classes=[-1, 1])
    assert model.n_iter_ == 120
    assert model.score(X, y) > clone(estimator).fit(X, y).score(X, y) - 0.05
    assert not hasattr(model, "dual_gap_")
    if isinstance(model, PegasosClassifier):
        assert model.t_ == 30 * len(y)


@each_online
def test_partial_fit_after_fit_starts_there(estimator, problem):
    X, y = problem
    fitted = clone(estimator).fit(X, y)
    before = fitted.coef_.copy()
    fitted.partial_fit(X[:1], y[:1])
    assert np.abs(fitted.coef_ - before).max() < 0.5 * np.abs(before).max()
    again = pickle.loads(pickle.dumps(fitted)).partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, fitted.partial_fit(X, y).coef_)
    restarted = fitted.fit(X, y)
    np.testing.assert_array_equal(restarted.coef_, before)


def test_one_pass_of_partial_fit_is_one_epoch(problem):
    X, y = problem
    for averaging in ("last", "tail"):
        model = PegasosClassifier(alpha=0.1, averaging=averaging, random_state=0).partial_fit(
            X, y, classes=[-1, 1]
        )
        seed = np.random.RandomState(0).randint(2**31 - 1, size=1)[0]
        run = PegasosSolver(
            Problem(X, y), loss="hinge", alpha=0.1, fit_intercept=True, max_iter=1, batch_size=1,
            order="permutation", project=False, averaging="last", random=np.array([seed], np.uint64),
        )  # fmt: skip
        run.run_epoch()
        if averaging == "last":
            np.testing.assert_allclose(model.coef_[0], run.output()[0], rtol=1e-12)
        else:
            assert np.abs(model.coef_[0] - run.output()[0]).max() > 1e-6


def test_partial_fit_draws_an_iterate_of_the_second_half_and_goes_on_from_the_last(problem):
    model = PegasosClassifier(alpha=0.1, averaging="random", random_state=1)
    for k in range(1, 4):
        model.partial_fit(*problem, classes=[-1, 1])
        [state] = model._states
        assert model.t_ == state["t"] == 200 * k
        assert np.abs(model.coef_[0] - state["scale"] * state["w"]).max() > 1e-6


@each_online
def test_partial_fit_refuses_what_it_cannot_do(estimator, problem):
    X, y = problem
    with pytest.raises(ValueError, match="needs classes"):
        clone(estimator).partial_fit(X, y)
    model = clone(estimator).partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="label 2, which is not among classes"):
        model.partial_fit(X, np.where(y > 0, 2, -1))
    with pytest.raises(ValueError, match="earlier calls had"):
        model.partial_fit(X, y, classes=[-1, 1, 2])
    with pytest.raises(ValueError, match="'balanced' needs all of y"):
        clone(estimator).set_params(class_weight="balanced").partial_fit(X, y, classes=[-1, 1])


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SDCAClassifier("huber"), r"loss must be one of 'hinge'.*; got 'huber'"),
        (PegasosClassifier("squared_hinge"), r"loss must be one of 'hinge', 'log'; got"),
        (ASDCAClassifier("hinge"), r"loss must be one of .*; got 'hinge'"),
        (ASDCAClassifier(batch_size=0), "batch_size must be a positive integer"),
        (ASDCAClassifier(theta=1.5), r"theta must be 'paper' or a number above 0 and at most 1; got 1\.5"),
        (ASDCAClassifier(theta="auto"), "theta must be .*; got 'auto'"),
        (ASDCAClassifier(order="random"), "order must be one of 'permutation', 'batches'"),
        (ASDCAClassifier(averaging="random"), "averaging must be one of 'last', 'tail'"),
        (SDCAClassifier(tol=0), "tol must be a positive number; got 0"),
        (SDCAClassifier(order="sorted"), "order must be one of"),
        (SDCAClassifier(averaging=True), "averaging must be one of"),
        (PegasosClassifier(batch_size=0), "batch_size must be a positive integer"),
        (PegasosClassifier(order="rows"), "order must be one of"),
        (PegasosClassifier(averaging="mean"), "averaging must be one of"),
        (SDCAClassifier(fit_intercept="no"), "fit_intercept must be True or False; got 'no'"),
        (PegasosClassifier(project=1), "project must be True or False; got 1"),
        (PerceptronClassifier(averaging="tail"), "averaging must be one of 'last', 'all'"),
        (PerceptronClassifier(max_iter=2.5), "max_iter must be a positive integer; got 2.5"),
    ],
    ids=lambda p: str(p)[:40],
)
def test_bad_parameters_are_named(estimator, message, problem):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*problem)


def test_a_fit_that_stops_short_says_so(problem):
    with pytest.warns(
        ConvergenceWarning, match=r"after 2 epochs at a relative duality gap of .*tol=0.001: raise"
    ):
        model = SDCAClassifier(max_iter=2, solver="coordinate", random_state=0).fit(*problem)
    assert model.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SDCAClassifier(max_iter=2, tol=None, solver="coordinate", random_state=0).fit(*problem)
        SDCAClassifier(alpha=0.1, random_state=0).fit(*problem)


def test_histories(problem, capsys):
    for trace in (True, False):
        sdca = SDCAClassifier(alpha=0.1, trace=trace, random_state=0).fit(*problem)
        if trace:
            assert [e.epoch for e in sdca.history_] == list(range(1, sdca.n_iter_ + 1))
        assert sdca.history_[-1].epoch == sdca.n_iter_
        assert sdca.history_[-1].gap == sdca.dual_gap_
        assert sdca.history_[-1].primal == sdca.objective_
    assert [e.epoch for e in PegasosClassifier().fit(*problem).history_] == [20]
    assert len(PegasosClassifier(trace=True).fit(*problem).history_) == 20
    assert capsys.readouterr().out == ""
    PegasosClassifier(verbose=True, max_iter=3).fit(*problem)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[2].startswith("1: epoch    3  objective ")


def test_sorted_input_is_no_worse(problem):
    X, y = problem
    order = np.argsort(y, kind="stable")
    for estimator in ALL:
        scores = [
            np.mean(
                [clone(estimator).set_params(random_state=s).fit(X[r], y[r]).score(X, y) for s in range(5)]
            )
            for r in (order, np.random.default_rng(0).permutation(len(y)))
        ]
        assert abs(scores[0] - scores[1]) < 0.03


@pytest.mark.slow
@each
def test_memory_beyond_x_is_small(estimator):
    """A fit holds less than 5 % of X on top of it: no copy."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((40000, 3000), density=0.025, random_state=rng, dtype=np.float32, format="csr")
    y = np.where(rng.random(40000) > 0.5, 1, -1)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    model = clone(estimator).set_params(max_iter=1)
    if hasattr(model, "tol"):
        model.tol = None
    clone(model).fit(X, y)  # what a process loads and asks of its libraries once is no fit's
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.05 * size


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_fit(n_jobs):
    program = f"""
        import numpy as np
        from fastsvm import SDCAClassifier
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20000, 200)), rng.integers(0, 3, 20000)
        model = SDCAClassifier(alpha=1e-7, solver="coordinate", max_iter=10**6, n_jobs={n_jobs})
        print("fitting", flush=True)
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("fitted" if hasattr(model, "coef_") else "unfitted", flush=True)
    """
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "fitting\n"
        time.sleep(1)
        os.kill(child.pid, signal.SIGINT)  # or it would go on for hours
        assert child.stdout.readline() == "unfitted\n"
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
