"""The estimators on shards in this process: callbacks, progress, what they check."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

pytest.importorskip("distributed")

import dask.array as da

from fastsvm.dask import PegasosClassifier, Placed, SDCAClassifier
from fastsvm.fitting.rounds import Serial

ESTIMATORS = [
    SDCAClassifier(alpha=1e-2, tol=1e-30, max_iter=9, random_state=0),
    PegasosClassifier(alpha=1e-2, max_iter=9, random_state=0),
]
each = pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)


class Watch:
    """Writes down the tasks that have ended, with their fitted estimators, and stops after some epochs."""

    def __init__(self, epochs):
        self.epochs, self.ended = epochs, []

    def setup(self, estimator, context):
        pass

    teardown = setup

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.ended.append((context.task_name, context.task_id, fitted_estimator))
        return context.task_name == "epoch" and context.task_id == self.epochs - 1


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 30), density=0.2, random_state=rng, format="csr")
    return X, (X @ rng.normal(size=(30, 3))).argmax(axis=1)


@each
@pytest.mark.parametrize("n_classes", [2, 3])
def test_callbacks_end_a_fit(rows, model, n_classes):
    pytest.importorskip("sklearn.callback")
    X, y = rows
    y = np.minimum(y, n_classes - 1)
    watch = Watch(4)
    model = type(model)(**model.get_params()).set_callbacks(watch)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(Placed(Serial.split(X, y, 3)))
    assert model.n_iter_ == 4
    epochs = [fitted for name, _, fitted in watch.ended if name == "epoch"]
    assert len(epochs) == 4 * (n_classes if n_classes > 2 else 1)
    np.testing.assert_array_equal(epochs[-1].coef_[0], model.coef_[-1])
    names = {name for name, *_ in watch.ended}
    assert names == {"fit", "epoch", *(f"class {k}" for k in range(n_classes) if n_classes > 2)}
    history = model.history_ if n_classes > 2 else [model.history_]
    assert [line.epoch for line in history[0]] == [1, 2, 3, 4]
    assert history[-1][-1].gap == np.atleast_1d(model.dual_gap_)[-1]


@each
def test_progress_is_shown(rows, model, capsys):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    data = Placed(Serial.split(rows[0], rows[1] == 1, 2))
    model = type(model)(**model.get_params()).set_params(max_iter=3, verbose=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_callbacks(callback.ProgressBar()).fit(data)
    shown = capsys.readouterr().out
    assert f"{type(model).__name__} - fit" in shown
    assert "True: epoch    3  objective" in shown


def test_a_fit_that_stops_short_says_so(rows):
    model = SDCAClassifier(alpha=1e-4, tol=1e-9, max_iter=2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(Placed(Serial.split(rows[0], rows[1] == 1, 2)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SDCAClassifier(passes=1.5), r"passes must be at most 1; got 1\.5"),
        (SDCAClassifier("absolute"), "loss must be"),
        (PegasosClassifier("squared_hinge"), "loss must be"),
        (PegasosClassifier(averaging="random"), "averaging must be"),
        (PegasosClassifier(batch_size=0), "batch_size must be"),
    ],
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(da.zeros((4, 2)), da.zeros(4))


def test_one_class_is_too_few(rows):
    with pytest.raises(ValueError, match=r"y has one class only \(7\)"):
        SDCAClassifier().fit(Placed(Serial.split(rows[0], np.full(200, 7), 2)))
