"""Fits that are killed and go on from their checkpoint."""

import os

import numpy as np
import pytest
from scipy import sparse

from fastsvm import SDCAClassifier
from fastsvm._utils.atomic import held
from fastsvm.fitting import SDCA, checkpoint
from fastsvm.io import MatrixWriter, load
from fastsvm.solvers import _solver
from fastsvm.solvers.losses import as_loss
from fastsvm.solvers.sdca_solver import SDCASolver

pytestmark = pytest.mark.blas

TOL = 1e-3
OPTIONS = [
    {},
    {"loss": "squared_hinge", "fit_intercept": False},
    {"loss": "log", "class_weight": {0: 3.0}, "n_jobs": 2},
    {"order": "random", "sgd_init": True},
    {"solver": "newton", "tol": 1e-6},
]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A path, which is written whenever it can be."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", np.inf)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    return tmp_path / "fit.ckpt"


@pytest.fixture
def kill(monkeypatch):
    """Kill what writes a checkpoint for the n-th time, once it has."""
    write = checkpoint.Checkpoint._write_file

    def after(n):
        left = [n]

        def write_and_die(self):
            write(self)
            left[0] -= 1
            if not left[0]:
                raise Killed

        monkeypatch.setattr(checkpoint.Checkpoint, "_write_file", write_and_die)

    yield after
    monkeypatch.undo()


def made(n=150, d=20, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, d)) / 2
    y = rng.integers(classes, size=n)
    return sparse.csr_matrix(centres[y] + rng.normal(size=(n, d))), y


def close(model, other):
    """Whether two fits' objectives differ by no more than their gaps allow."""
    return np.all(abs(model.objective_ - other.objective_) <= np.maximum(model.dual_gap_, other.dual_gap_))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("classes", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_a_fit_that_is_killed_again_and_again_ends_certified(options, classes, file, kill):
    X, y = made(classes=classes)
    options = {"alpha": 0.1, "tol": TOL, "random_state": 0, "solver": "coordinate"} | options
    model, whole = SDCAClassifier(**options), SDCAClassifier(**options).fit(X, y)
    deaths = 0
    while not hasattr(model, "coef_"):
        kill(2 + deaths)  # the first write makes the file
        try:
            model.fit(X, y, checkpoint=file)
        except Killed:
            deaths += 1
            assert not hasattr(model, "coef_")
        assert deaths < 100
    assert deaths
    assert np.all(model.dual_gap_ <= model.tol * model.objective_)
    assert close(model, whole)
    margins = (2 * (y[:, None] == np.unique(y)[-len(model.coef_) :]) - 1) * (
        X @ model.coef_.T + model.intercept_
    )
    weights = np.where(y == 0, 3.0, 1.0) if "class_weight" in options else np.ones(len(y))
    losses = np.array([as_loss(model.loss).value(m) @ weights / weights.sum() for m in margins.T])
    np.testing.assert_allclose(model.objective_, losses + 0.05 * (model.coef_**2).sum(axis=1), rtol=1e-9)


@pytest.mark.parametrize("solver", ["coordinate", "newton"])
def test_what_was_done_before_is_not_done_again(solver, file, kill, monkeypatch):
    X, y = made()
    model = SDCA(alpha=0.1, tol=TOL, random_state=0, solver=solver, trace=True)
    kill(5 if solver == "coordinate" else 2)
    with pytest.raises(Killed):
        model.fit(X, y, checkpoint=file)
    monkeypatch.undo()
    model.fit(X, y, checkpoint=file)
    epochs = model.history_[0]["epoch"]
    assert epochs[0] > 1 or solver == "newton"
    assert epochs[-1] <= model.n_iter_
    done, objective = model.n_iter_, model.objective_
    monkeypatch.setattr(_solver.Solver, "advance", lambda self: pytest.fail("an epoch of a fit that is done"))
    model.fit(X, y, checkpoint=file)
    assert model.n_iter_ == done
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-12)
    assert file.stat().st_size < 3 * 8 * len(y) + 2000


def test_who_goes_on_may_want_another_accuracy(file):
    X, y = made()
    SDCA(alpha=0.1, tol=0.1, random_state=0).fit(X, y, checkpoint=file)
    model = SDCA(alpha=0.1, tol=3e-4, random_state=5, n_jobs=2).fit(X, y, checkpoint=file)
    assert np.all(model.dual_gap_ <= 3e-4 * model.objective_)


def test_rows_on_disk_in_the_midst_of_an_epoch(tmp_path, file, kill, monkeypatch):
    X, y = made(1500, classes=2)
    with MatrixWriter(tmp_path / "X", dtype=np.float64) as writer:
        writer.append(X, y)
        writer.finish()
    stored, labels = load(tmp_path / "X")
    monkeypatch.setattr(SDCASolver, "slices", lambda self, order, **_: np.array_split(order, 7))
    kill(4)  # the first makes the file
    model = SDCA(alpha=0.1, tol=1e-4, random_state=0)
    with pytest.raises(Killed):
        model.fit(stored, labels, checkpoint=file)
    with np.load(file) as kept:
        assert 0 < np.count_nonzero(kept["dual.0"]) <= 3 * 215
    monkeypatch.undo()
    model.fit(stored, labels, checkpoint=file)
    assert model.dual_gap_ <= 1e-4 * model.objective_
    SDCA(alpha=0.1).fit(X, y.astype(float), checkpoint=file)  # the same rows, in memory


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"alpha": 1e-3}, "its alpha is 0.1, here it is 0.001"),
        ({"loss": "log"}, "its loss is hinge, here it is log"),
        ({"fit_intercept": False}, "its fit_intercept is True"),
        ({"class_weight": "balanced"}, "its weights is None"),
        ("X", "its X is checksum"),
        ("y", "its y is checksum"),
        ("rows", "its rows is 150, here it is 149"),
        ("classes", "its classes is"),
    ],
    ids=str,
)
def test_a_checkpoint_of_another_fit_is_refused_and_stays(changed, message, file):
    X, y = made()
    model = SDCAClassifier(alpha=0.1, tol=1e-2).fit(X, y, checkpoint=file)
    before = file.read_bytes()
    if changed == "X":
        X = X.copy()
        X.data[7] += 1e-9
    elif changed == "y":
        y = np.roll(y, 1)
    elif changed == "rows":
        X, y = X[1:], y[1:]
    elif changed == "classes":
        y = y + 1
    else:
        model.set_params(**changed)
    with pytest.raises(ValueError, match=message) as error:
        model.fit(X, y, checkpoint=file)
    assert str(error.value).startswith(f"{file}: the checkpoint is of another fit")
    assert "\n" not in str(error.value)
    assert file.read_bytes() == before


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "pickle", "array"])
def test_what_is_no_checkpoint_is_refused_and_stays(damage, file):
    X, y = made()
    model = SDCA(alpha=0.1).fit(X, y, checkpoint=file)
    content = bytearray(file.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[len(content) // 2] ^= 1
    elif damage == "other":
        content = b"a text"
    with open(file, "wb") as out:
        if damage == "pickle":
            np.savez(out, about=np.array([{}], object))
        elif damage == "array":
            np.save(out, np.zeros(3))
        else:
            out.write(content)
    before = file.read_bytes()
    with pytest.raises(ValueError, match="the file is not a checkpoint, or damaged; remove it"):
        model.fit(X, y, checkpoint=file)
    assert file.read_bytes() == before


def test_a_full_disk_does_not_end_a_fit(file, monkeypatch):
    X, y = made()
    write, calls = checkpoint.write_arrays, []

    def full(path, *content):
        calls.append(path)
        if len(calls) > 1:
            raise OSError(28, "No space left on device", path)
        write(path, *content)

    monkeypatch.setattr(checkpoint, "write_arrays", full)
    with pytest.warns(RuntimeWarning, match=r"fit.ckpt: the checkpoint cannot be written \(No space"):
        model = SDCA(alpha=0.1).fit(X, y, checkpoint=file)
    assert np.all(model.dual_gap_ <= 1e-3 * model.objective_)


def test_where_it_cannot_be_written_is_said_at_once(tmp_path, monkeypatch):
    X, y = made()
    monkeypatch.setattr(SDCASolver, "run_epoch", lambda self: pytest.fail("an epoch"))
    with pytest.raises(OSError, match=os.path.basename(tmp_path)):
        SDCA().fit(X, y, checkpoint=tmp_path / "nowhere" / "fit.ckpt")
    with held(tmp_path / "fit.ckpt"), pytest.raises(BlockingIOError, match="another process"):
        SDCA().fit(X, y, checkpoint=tmp_path / "fit.ckpt")
    with pytest.raises(ValueError, match="leave averaging at 'last'"):
        SDCA(averaging="tail").fit(X, y, checkpoint=tmp_path / "fit.ckpt")
