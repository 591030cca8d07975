"""The classifier on whole clusters of this machine: certificates, kills, a scheduler that goes away."""

import importlib

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("distributed")

import dask.array as da
from dask import delayed

import fastsvm
from fastsvm.dask import ClusterError, SDCAClassifier, place, workers
from fastsvm.dask.sdca_rounds import SDCARounds

pytestmark = pytest.mark.blas

ALPHA = 1e-2


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((1200, 60), density=0.1, random_state=rng, format="csr")
    scores = X @ rng.normal(size=(60, 3)) + 0.3 * rng.normal(size=(1200, 3))
    return X, np.array(["blue", "green", "red"])[scores.argmax(axis=1)]


def chunked(*parts):
    """A dask array whose numbers of rows are not known."""
    shape, like = (np.nan, *parts[0].shape[1:]), {"dtype": parts[0].dtype, "meta": parts[0][:0]}
    chunks = [da.from_delayed(delayed(part), shape, **like) for part in parts]
    return da.concatenate(chunks, allow_unknown_chunksizes=True)


def in_chunks(array, step=200):
    return chunked(*(array[first : first + step] for first in range(0, array.shape[0], step)))


def at_round(monkeypatch, number, action):
    """Do something in the middle of a fit, before its so many-th round; with the driver as argument."""
    plain = SDCARounds._run_round

    def watched(self):
        if self.n_rounds == number:
            action(self)
        plain(self)

    monkeypatch.setattr(SDCARounds, "_run_round", watched)


@pytest.mark.slow
def test_three_classes_on_two_workers(client, rows, tmp_path):
    X, y = rows
    model = SDCAClassifier(alpha=0.1, passes=1, class_weight="balanced", random_state=0)
    model.fit(in_chunks(X), in_chunks(y))
    local = fastsvm.SDCAClassifier(alpha=0.1, class_weight="balanced", tol=1e-6, random_state=0).fit(X, y)
    assert (model.dual_gap_ <= 1e-3 * model.objective_).all()
    assert (model.objective_ - model.dual_gap_ <= local.objective_).all()
    assert (local.objective_ - local.dual_gap_ <= model.objective_).all()
    chunks = da.from_array(X.toarray(), chunks=(100, 25))
    found = model.predict(chunks)
    assert isinstance(found, da.Array)
    fastsvm.save_model(model.to_local(), tmp_path / "model.safetensors")
    loaded = fastsvm.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(found.compute(), loaded.predict(X))
    np.testing.assert_allclose(model.decision_function(chunks).compute(), loaded.decision_function(X))
    assert model.score(in_chunks(X), in_chunks(y)) == (found.compute() == y).mean()


@pytest.mark.slow
def test_placed_rows_serve_a_path_of_alphas(client, rows):
    X, y = rows
    data = place(in_chunks(X), in_chunks(y == "red"), in_chunks(np.ones(len(y)) / 2), client=client)
    model = SDCAClassifier(alpha=1e-1, tol=1e-5, random_state=0, warm_start=True).fit(data)
    first = model.n_rounds_
    assert model.fit(data).n_rounds_ < first
    model.set_params(alpha=ALPHA).fit(data)
    local = fastsvm.SDCAClassifier(alpha=ALPHA, tol=1e-6, random_state=0)
    local.fit(X, y == "red", np.ones(len(y)) / 2)
    assert model.objective_ == pytest.approx(local.objective_, rel=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_a_killed_worker_costs_progress_only(client, rows, monkeypatch, kill, loss):
    X, y = rows
    data = place(in_chunks(X), in_chunks(y == "red"), client=client)
    at_round(monkeypatch, 3, lambda run: kill(client, run.shards.places[0]))
    model = SDCAClassifier(loss, alpha=ALPHA, random_state=0).fit(data)
    assert model.n_lost_ == 1
    assert model.dual_gap_ <= 1e-3 * model.objective_
    local = fastsvm.SDCAClassifier(loss, alpha=ALPHA, tol=1e-6, random_state=0).fit(X, y == "red")
    assert model.objective_ - model.dual_gap_ <= local.objective_ <= model.objective_ * (1 + 1e-6)


@pytest.mark.slow
def test_a_chunk_that_cannot_be_read_is_no_lost_worker(client, rows):
    X, y = rows
    # A function that workers can import, wherever they were started.
    bad = da.from_delayed(delayed(np.load)("no_such_chunk.npy"), (1200, 60), dtype=X.dtype, meta=X[:0])
    with pytest.raises(FileNotFoundError, match=r"no_such_chunk\.npy"):
        place(bad, da.from_array(y, chunks=1200), client=client)


@pytest.mark.slow
def test_chunks_that_end_workers_are_named(rows, own_cluster, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("import numpy\n\ndef block(n):\n    return numpy.ones((n, 60))\n")
    monkeypatch.setattr(workers, "PATIENCE", 1)
    with own_cluster(1) as (_, client):
        monkeypatch.syspath_prepend(tmp_path)
        block = importlib.import_module("only_here").block
        bad = da.from_delayed(delayed(block)(1200), (1200, 60), dtype=float)
        with pytest.raises(ClusterError, match=r"load their rows.* or a module"):
            place(bad, da.from_array(rows[1], chunks=1200), client=client)


@pytest.mark.slow
def test_chunks_may_be_empty(client, rows):
    """Those of one of the workers are all."""
    X, y = rows[0].toarray(), (rows[1] == "red").astype(float)

    def parted(array):
        return chunked(array[:0], array, array[:0], array[:0])

    data = place(parted(X), parted(y))
    assert (len(data.shards), data.shape) == (1, X.shape)
    model = SDCAClassifier(alpha=0.1).fit(data)
    assert model.dual_gap_ <= 1e-3 * model.objective_
    X[700, 5] = np.nan
    with pytest.raises(ValueError, match="within the chunks of a worker"):
        place(parted(X), parted(y))
    with pytest.raises(ValueError, match="no rows"):
        place(parted(X[:0]), parted(y[:0]))


def test_what_cannot_be_placed(rows):
    X, y = rows
    chunks = da.from_array(X.toarray(), chunks=(400, 60))
    with pytest.raises(ValueError, match="must be dask arrays; got a ndarray"):
        place(chunks, y)
    with pytest.raises(ValueError, match="3 chunks of rows, but y or sample_weight has 6"):
        place(chunks, in_chunks(y))
    with pytest.raises(ValueError, match="two dimensions"):
        place(chunks[:, 0], in_chunks(y))
    with pytest.raises(ValueError, match=r"passes must be at most 1; got 1\.5"):
        SDCAClassifier(passes=1.5).fit(chunks, chunks[:, 0])
