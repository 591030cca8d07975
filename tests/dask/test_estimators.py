"""The estimators on shards in this process: callbacks, progress, what they check."""

import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

pytest.importorskip("distributed")

import dask.array as da
from recorder import Recorder

from fastsvm.dask import Placed, SDCAClassifier
from local_shards import LocalShards

pytestmark = pytest.mark.blas


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 30), density=0.2, random_state=rng, format="csr")
    return X, (X @ rng.normal(size=(30, 3))).argmax(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_callbacks_end_a_fit(rows, n_classes):
    pytest.importorskip("sklearn.callback")
    X, y = rows
    y = np.minimum(y, n_classes - 1)
    recorder = Recorder(lambda context: context.task_name == "epoch" and context.task_id == 3)
    model = SDCAClassifier(alpha=1e-2, tol=1e-30, max_iter=9, random_state=0).set_callbacks(recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(Placed(LocalShards.split(X, y, 3)))
    assert model.n_iter_ == 4
    epochs = [fitted for _, _, fitted in recorder.ended("epoch")]
    assert len(epochs) == 4 * (n_classes if n_classes > 2 else 1)
    np.testing.assert_array_equal(epochs[-1].coef_[0], model.coef_[-1])
    assert {*recorder.begun()} == {"fit", "epoch", *(f"class {k}" for k in range(n_classes) if n_classes > 2)}
    history = model.history_ if n_classes > 2 else [model.history_]
    assert history[0]["epoch"].tolist() == [1, 2, 3, 4]
    assert history[-1]["gap"][-1] == np.atleast_1d(model.dual_gap_)[-1]


def test_one_class_is_too_few(rows):
    with pytest.raises(ValueError, match=r"y has one class only \(7\)"):
        SDCAClassifier().fit(Placed(LocalShards.split(rows[0], np.full(200, 7), 2)))


def test_chunks_are_predicted_when_they_are_asked_for(rows):
    X, y = rows
    model = SDCAClassifier("log", alpha=1e-2, random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(Placed(LocalShards.split(X, y, 2)))
    dense = X.toarray()
    chunks = da.from_array(dense, chunks=(50, 7))
    local = model.to_local()
    for method in ("predict", "decision_function", "predict_proba", "predict_log_proba"):
        found, expected = getattr(model, method)(chunks), getattr(local, method)(dense)
        assert isinstance(found, da.Array)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(found.compute(scheduler="sync"), expected)
        some = getattr(model, method)(chunks[(chunks[:, 0] > 0) & (chunks[:, 1] > 0)])  # of few chunks
        few = expected[(dense[:, 0] > 0) & (dense[:, 1] > 0)]
        np.testing.assert_allclose(some.compute(scheduler="sync"), few)
        none = getattr(model, method)(chunks[chunks[:, 0] > 99]).compute(scheduler="sync")
        assert (none.shape, none.dtype) == ((0, *expected.shape[1:]), expected.dtype)
    for wrong in (chunks[:, 0], chunks[:, 1:]):
        with pytest.raises(ValueError, match="was fitted to 30 features"):
            model.predict(wrong)


COMPUTE = """
import pickle, sys
found = pickle.load(sys.stdin.buffer).compute(scheduler="sync")
print(found.sum(), "sklearn" in sys.modules)
"""


def test_workers_predict_without_scikit_learn(rows):
    """To import it takes a worker longer than to predict a million rows."""
    X, y = rows
    model = SDCAClassifier(alpha=1e-2, random_state=0).fit(Placed(LocalShards.split(X, y, 2)))
    lazy = model.decision_function(da.from_array(X.toarray(), chunks=(50, 30)))
    done = subprocess.run([sys.executable, "-c", COMPUTE], input=pickle.dumps(lazy), capture_output=True)
    total, imported = done.stdout.decode().split()
    assert float(total) == pytest.approx(model.decision_function(X).sum())
    assert imported == "False"


def test_what_lies_on_workers_is_not_copied(rows):
    client = threading.Lock()  # as a client: nothing that could be copied
    model = SDCAClassifier(alpha=1e-2, warm_start=True, random_state=0, client=client)
    data = Placed(LocalShards.split(*rows, 2))
    data.client = client
    model.fit(data)
    assert clone(model).client is client
    assert clone(model).get_params() == model.get_params()
    copied = pickle.loads(pickle.dumps(model))
    assert copied.client is None
    np.testing.assert_array_equal(copied.predict(rows[0]), model.predict(rows[0]))


def test_labels_and_weights_are_those_that_were_placed(rows):
    X, y = rows
    with pytest.raises(ValueError, match="leave out y and sample_weight"):
        SDCAClassifier().fit(Placed(LocalShards.split(X, y, 2)), y)
    with pytest.raises(ValueError, match="weights are zero"):
        Placed(LocalShards.split(X, y, 2, np.zeros(len(y))))
    with pytest.raises(ValueError, match="must be dask arrays; got a NoneType"):
        SDCAClassifier().fit(da.from_array(X.toarray()))
