"""scikit-learn's callbacks: what they are told, in which order, and how they stop a fit."""

import importlib
import sys
import warnings

import numpy as np
import pytest
from recorder import Recorder
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import fastsvm.estimators.callbacks
from contracts import made
from fastsvm import SDCAClassifier

callback = pytest.importorskip("sklearn.callback")

ALL = [made("SDCA", alpha=0.1, solver="coordinate"), made("Pegasos"), made("Perceptron")]
KERNEL_ALL = [
    made("KernelSDCA", alpha=1e-4, tol=1e-6, trace=True),
    made("KernelPegasos", n_iter=1000),
]
each = pytest.mark.parametrize("estimator", ALL, ids=str)


@each
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_epochs_are_tasks_of_their_class(estimator, n_jobs, iris):
    recorder = Recorder()
    model = clone(estimator).set_params(n_jobs=n_jobs).set_callbacks(recorder).fit(*iris)
    hooks = recorder.hooks
    assert [hooks[0][0], hooks[1][0], hooks[-2][0], hooks[-1][0]] == ["setup", "begin", "end", "teardown"]
    assert len(recorder.ended("fit")) == 1
    classes = sorted(recorder.ended("class"), key=lambda task: task[0].task_id)
    assert [task[0].task_name for task in classes] == [f"class {label}" for label in model.classes_]
    for k, (context, *_) in enumerate(classes):
        assert context.parent is hooks[1][1]
        assert context.max_subtasks == model.max_iter
        epochs = [task for task in recorder.ended("epoch") if task[0].parent is context]
        assert [task[0].task_id for task in epochs] == list(range(len(model.history_[k])))
        open_tasks = [h[1] for h in hooks if h[0] == "begin" and h[1].parent is context]
        assert open_tasks == [task[0] for task in epochs]
    assert len(recorder.ended("epoch")) == sum(len(history) for history in model.history_)
    for trace in (False, True):  # where nobody looks, many epochs are a call of the kernel
        np.testing.assert_array_equal(model.coef_, clone(estimator).set_params(trace=trace).fit(*iris).coef_)


@each
def test_two_classes_are_one_level(estimator, problem):
    recorder = Recorder()
    model = clone(estimator).set_callbacks(recorder).fit(*problem)
    epochs = recorder.ended("epoch")
    assert [task[0].parent for task in epochs] == [recorder.hooks[0][1]] * model.n_iter_
    assert recorder.ended("class") == []
    scores = [task[2].score(*problem) for task in epochs]
    assert scores[-1] == model.score(*problem) == recorder.ended("fit")[0][2].score(*problem)
    assert len(set(scores)) > 1
    np.testing.assert_array_equal(epochs[-1][2].coef_, model.coef_)


def test_what_an_epoch_is_told(iris):
    X, y = iris
    recorder, weights = Recorder(), np.linspace(0.5, 1, len(y))
    model = clone(ALL[0]).set_callbacks(recorder).fit(X.astype(np.float32), y, sample_weight=weights)
    for context, (seen, target, metadata), fitted in recorder.ended("epoch"):
        label = model.classes_[context.parent.task_id]
        assert seen.dtype == fitted.coef_.dtype == np.float32
        np.testing.assert_array_equal(target, y == label)
        assert metadata["sample_weight"] is weights
        assert fitted.predict(X).dtype == bool
    context, (_, target, _), fitted = recorder.ended("fit")[0]
    np.testing.assert_array_equal(target, y)
    np.testing.assert_array_equal(fitted.predict(X), model.predict(X))


def test_a_class_that_was_not_stopped_still_warns(iris):
    recorder = Recorder(stop=lambda context: context.parent and context.parent.task_id == 1)
    model = SDCAClassifier(alpha=1e-4, tol=1e-9, solver="coordinate", max_iter=3, random_state=0)
    model.set_callbacks(recorder)
    with pytest.warns(ConvergenceWarning, match="after 3 epochs"):
        model.fit(*iris)
    assert [len(history) for history in model.history_] == [3, 1, 3]


@pytest.mark.parametrize("estimator", KERNEL_ALL, ids=str)
@pytest.mark.parametrize("labels", [2, 3])
def test_epochs_of_kernel_machines_are_tasks_of_all_classes(estimator, labels, iris):
    X, y = iris
    y = y if labels == 3 else y == "versicolor"
    recorder, weights = Recorder(), np.linspace(0.5, 1, len(y))
    model = clone(estimator).set_callbacks(recorder).fit(X, y, sample_weight=weights)
    hooks = recorder.hooks
    assert [hooks[0][0], hooks[1][0], hooks[-2][0], hooks[-1][0]] == ["setup", "begin", "end", "teardown"]
    histories = model.history_ if labels == 3 else [model.history_]
    epochs = recorder.ended("epoch")
    assert [task[0].task_id for task in epochs] == list(range(max(map(len, histories))))
    assert len(epochs) > 2
    assert all(task[0].parent is hooks[1][1] for task in epochs)
    most = hooks[1][1].max_subtasks
    assert most is None if getattr(estimator, "max_iter", 0) == -1 else len(epochs) <= most
    assert all(task[1][0] is epochs[0][1][0] and task[1][2]["sample_weight"] is weights for task in epochs)
    scores = [task[2].decision_function(X) for task in epochs]
    np.testing.assert_array_equal(scores[-1], model.decision_function(X))
    assert abs(scores[0] - scores[-1]).max() > 1e-3
    unwatched = clone(estimator).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.dual_coef_, unwatched.dual_coef_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    ("estimator", "epochs"),
    [
        *((SDCAClassifier(alpha=1e-4, tol=1e-30, solver="coordinate", random_state=0), n) for n in (1, 5)),
        (SDCAClassifier(alpha=1e-4, tol=1e-30, solver="newton"), 1),
        *((estimator, 2) for estimator in KERNEL_ALL),
    ],
    ids=str,
)
def test_a_stopped_fit_has_the_certificate_of_what_it_returns(estimator, epochs, labels, n_jobs, iris):
    X, y = iris
    y = y if labels == 3 else y == "versicolor"
    recorder = Recorder(stop=lambda context: context.task_name == "epoch" and context.task_id == epochs - 1)
    model = clone(estimator).set_params(n_jobs=n_jobs).set_callbacks(recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X, y)
    assert getattr(model, "t_", epochs * len(y)) == epochs * len(y)
    scores = model.decision_function(X).reshape(len(y), -1).T
    linear = hasattr(model, "coef_")
    if linear:
        assert model.n_iter_ == epochs
        assert np.abs(model.dual_coef_.sum(axis=1)).max() < 1e-9
    norms = model.coef_**2 if linear else model.dual_coef_ * scores[:, model.support_]
    ridge = model.alpha / 2 * norms.sum(axis=1)
    targets = np.where(y == model.classes_[-len(scores) :, None], 1, -1)
    primal = ridge + np.maximum(0, 1 - targets * scores).mean(axis=1)
    dual = model.alpha * np.abs(model.dual_coef_).sum(axis=1) - ridge
    np.testing.assert_allclose(model.objective_, np.squeeze(primal), rtol=1e-12 if linear else 1e-6)
    if not hasattr(model, "t_"):  # kernel Pegasos, whose dual variables are smaller ones
        np.testing.assert_allclose(model.dual_gap_, np.squeeze(primal - dual), rtol=1e-4, atol=1e-12)
        assert np.any(model.dual_gap_ > model.tol * model.objective_)
    for k, history in enumerate(model.history_ if labels == 3 else [model.history_]):
        assert history["primal"][-1] == np.atleast_1d(model.objective_)[k]
        assert history["gap"][-1] == np.atleast_1d(model.dual_gap_)[k]


def test_scoring_monitor(problem, iris):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = clone(ALL[0]).set_callbacks(monitor).fit(*problem)
    scores = [row["accuracy"] for row in monitor.get_logs().data]
    assert len(scores) == model.n_iter_ + 1
    assert scores[0] == scores[-1] == model.score(*problem)
    model.set_params(n_jobs=2).fit(*iris)
    rows = monitor.get_logs().data
    assert len(rows) == 1 + 3 + sum(len(history) for history in model.history_)
    setosa = [row["accuracy"] for row in rows if row["task_id_path"] == (0, 0)]
    assert setosa == [1.0]


def test_older_scikit_learn_has_no_callbacks(monkeypatch, iris):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    try:
        old = importlib.reload(fastsvm.estimators.callbacks)
        assert not hasattr(old.CallbackSupportMixin, "set_callbacks")

        class Old(old.CallbackSupportMixin):
            @old.with_callbacks
            def fit(self, X, y):
                """Fit."""
                return old.TaskCallbacks.of(self, X, y, None, [1], 10), X, y

        assert Old().fit(1, y=2) == (None, 1, 2)
        assert Old.fit.__doc__ == "Fit."
    finally:
        monkeypatch.undo()
        importlib.reload(fastsvm.estimators.callbacks)
