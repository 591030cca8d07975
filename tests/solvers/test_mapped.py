"""Memory-mapped matrices: windows of rows, and what is in memory."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

from contracts import LINEAR, estimators
from fastsvm import SDCAClassifier, SDCAClassifierCV
from fastsvm._utils.memory import Pages
from fastsvm.io import MatrixWriter, load
from fastsvm.solvers import _mapped_rows, _order, _rows, _windows, as_rows, sdca

pytestmark = pytest.mark.blas


@pytest.fixture
def small_windows(monkeypatch):
    """Windows of 4 segments of some rows, however small X is."""
    monkeypatch.setattr(_order, "CACHE_BYTES", 0)
    for module in (_windows, _mapped_rows):
        monkeypatch.setattr(module, "SEGMENT_BYTES", 1 << 10)
        monkeypatch.setattr(module, "TOGETHER", 4)


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    """X in memory and on disk, rows sorted by class."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 500)
    X = rng.normal(size=(1000, 30)) * (rng.random((1000, 30)) < 0.3) + 0.1 * y[:, np.newaxis]
    X = sparse.csr_matrix(X)
    folder = tmp_path_factory.mktemp("mapped") / "X"
    with MatrixWriter(folder, dtype=np.float64) as writer:
        writer.append(X, y)
        writer.finish()
    return X, load(folder).X, y


def test_only_what_is_mapped_for_reading_has_pages(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(10000.0))
    assert Pages.of(np.load(tmp_path / "a.npy", mmap_mode="r")[5:]) is not None
    assert Pages.of(np.load(tmp_path / "a.npy", mmap_mode="c")) is None  # changes would be lost
    assert Pages.of(np.load(tmp_path / "a.npy")) is None
    array = np.load(tmp_path / "a.npy", mmap_mode="r")
    pages = Pages.of(array[5:])
    pages.will_need(0, 9995)
    pages.release()
    assert array.sum() == 9999 * 5000


def test_windows_are_permutations_of_rows_from_all_over(problem, small_windows):
    _, mapped, y = problem
    windows = _windows.Windows(as_rows(mapped), y.astype(np.int8))
    kept = np.flatnonzero(np.random.default_rng(1).random(1000) < 0.5).astype(np.int32)
    for rows in (None, kept):
        everything = np.arange(1000, dtype=np.int32) if rows is None else rows
        orders = []
        for _ in range(2):
            order = np.empty(len(everything), np.int32)
            windows.shuffle(rows, order, np.array([len(orders)], np.uint64))
            assert sorted(order) == list(everything)
            assert windows.ends[-1] == len(order)
            orders.append(order.tolist())
            first = order[: windows.ends[0]]
            segments = np.unique(first // windows._step)
            assert len(segments) <= 4  # all their rows, and no others
            assert set(first) == {i for i in everything if i // windows._step in segments}
            if rows is None:  # sorted by class; not so the windows
                shares = [np.mean(y[window] > 0) for window in np.split(order, windows.ends[:-1])]
                assert shares == [0.5] * 125
        assert orders[0] != orders[1]


KINDS = [
    ("hinge", False),
    pytest.param("hinge", True, marks=pytest.mark.slow),
    pytest.param("log", False, marks=pytest.mark.slow),
    ("log", True),
]


@pytest.mark.parametrize(("loss", "intercept"), KINDS)
def test_the_certificate_is_as_in_memory(problem, small_windows, loss, intercept):
    X, mapped, y = problem
    options = {"loss": loss, "fit_intercept": intercept, "alpha": 1e-2, "tol": 1e-4, "random_state": 0}
    inside = sdca(X, y, solver="coordinate", **options)
    outside = sdca(mapped, y, solver="coordinate", **options)
    assert outside.gap <= 1e-4 * outside.objective
    assert abs(outside.objective - inside.objective) <= inside.gap + outside.gap
    newton = sdca(mapped, y, solver="newton", **options)
    assert abs(newton.objective - inside.objective) <= inside.gap + newton.gap


@pytest.mark.parametrize("model", estimators(LINEAR, multi_class="multinomial"), ids=str)
def test_estimators_take_it_as_it_is(problem, small_windows, model):
    X, mapped, y = problem
    assert np.mean(model.fit(mapped, y).predict(mapped) == y) > 0.7
    assert np.mean(model.fit(X, y).predict(X) == y) > 0.7


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_an_epoch_or_a_look_is_one_pass_and_no_other_is_made(problem, small_windows, monkeypatch, loss):
    mapped, y = problem[1:]
    monkeypatch.setattr(
        _rows, "PASS_VALUES", 300
    )  # passes read ahead: not their first part, nor rows left out
    read, own = [], Pages.will_need

    def will_need(pages, first, last):
        read.append(last - first)
        own(pages, first, last)

    monkeypatch.setattr(Pages, "will_need", will_need)
    found = sdca(mapped, y, loss=loss, alpha=0.1, tol=1e-2, solver="coordinate", random_state=0)
    passes = found.n_iter + len(found.history)
    assert passes - 0.2 < sum(read) / (2 * mapped.nnz) <= passes


def test_threads_change_nothing(problem, small_windows):
    mapped, y = problem[1], np.arange(1000) % 3
    model = SDCAClassifier(alpha=0.1, solver="coordinate", random_state=0)
    one, two = (clone(model).set_params(n_jobs=n).fit(mapped, y) for n in (1, 2))
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-12)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=1e-12)


@pytest.mark.parametrize("what", ["column", "value"])
def test_what_is_bad_is_found_before_it_is_visited(problem, small_windows, tmp_path, what):
    X, _, y = problem
    with MatrixWriter(tmp_path / "X", dtype=np.float64) as writer:
        writer.append(X, y)
        writer.finish()
    path = tmp_path / "X" / {"column": "indices.npy", "value": "data.npy"}[what]
    damaged = np.load(path, mmap_mode="r+")
    damaged[X.indptr[678]] = {"column": 10**8, "value": np.inf}[what]
    damaged.flush()
    mapped = load(tmp_path / "X").X
    rows = as_rows(mapped, norms=True)
    assert not rows.checked
    with pytest.raises(ValueError, match="row 678"):
        rows.values  # noqa: B018
    for weights in (None, (np.arange(1000) != 678).astype(float)):
        with pytest.raises(ValueError, match="row 678"):
            sdca(mapped, y, sample_weight=weights, solver="coordinate", random_state=0)
    with pytest.raises(ValueError, match="row 678"):
        SDCAClassifier(random_state=0).fit(mapped, np.arange(1000) % 3)


def test_an_alpha_that_is_too_small_is_refused_after_the_first_epoch(problem, small_windows):
    mapped, y = problem[1:]
    with pytest.raises(ValueError, match="alpha=1e-99 is too small"):
        sdca(mapped, y, alpha=1e-99, solver="coordinate", random_state=0)


def test_a_dense_file_is_taken_too(problem, small_windows, tmp_path):
    X, _, y = problem
    np.save(tmp_path / "X.npy", X.toarray())
    dense = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = SDCAClassifier(alpha=1e-3, solver="coordinate", random_state=0).fit(dense, y)
    assert model.dual_gap_ <= 1e-3 * model.objective_
    assert model.solver_ == "coordinate"


@pytest.mark.parametrize("dense", [False, True])
def test_scores_are_of_blocks_and_as_in_memory(problem, small_windows, tmp_path, dense):
    X, mapped, _ = problem
    if dense:
        np.save(tmp_path / "X.npy", X.toarray())
        X, mapped = X.toarray(), np.load(tmp_path / "X.npy", mmap_mode="r")
    assert 1 < len([*_mapped_rows.row_blocks(mapped)]) < 100
    assert next(_mapped_rows.row_blocks(X)) is X
    model = SDCAClassifier(alpha=1e-3, random_state=0).fit(X, np.arange(1000) % 3)
    np.testing.assert_allclose(model.decision_function(mapped), model.decision_function(X), rtol=1e-12)


def test_a_bad_value_is_placed_in_all_of_the_rows(small_windows, tmp_path):
    model = SDCAClassifier(random_state=0).fit(np.eye(3), [0, 1, 1])
    X = np.zeros((4000, 3))
    X[3210, 2] = np.nan
    np.save(tmp_path / "X.npy", X)
    with pytest.raises(ValueError, match=r"row 3210, column 2"):
        model.predict(np.load(tmp_path / "X.npy", mmap_mode="r"))


@pytest.mark.parametrize("cv", [KFold(4), StratifiedKFold(4), ShuffleSplit(2, random_state=0)], ids=str)
def test_folds_of_a_file_are_scored_as_in_memory(problem, small_windows, cv):
    X, mapped, y = problem
    y = y[np.arange(len(y)) * 7 % len(y)]  # no fold is without a class
    model = SDCAClassifierCV(alphas=[1e-1, 1e-2], cv=cv, tol=1e-6, scoring="roc_auc", random_state=0)
    inside, outside = (clone(model).fit(rows, y) for rows in (X, mapped))
    np.testing.assert_allclose(outside.scores_, inside.scores_, atol=1e-3)
    np.testing.assert_allclose(outside.cv_objectives_, inside.cv_objectives_, rtol=2e-6)


FROM_DISK = """
import resource, sys
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from fastsvm import ASDCAClassifier, SDCAClassifier, SDCAClassifierCV, certify, sdca_path
from fastsvm.io import load

def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

X, y = load(sys.argv[1])
size = X.data.nbytes + X.indices.nbytes
before = peak()
resource.setrlimit(resource.RLIMIT_DATA, (before + size // 5,) * 2)
exec(sys.argv[2])
print(size, peak() - before)
"""
CALLS = [
    """model = SDCAClassifier(alpha=1e-5, tol=1e-2, random_state=0).fit(X, y)
assert (model.predict(X) == y).mean() > 0.9 and model.dual_gap_ <= 1e-2 * model.objective_""",
    """model = SDCAClassifierCV(alphas=[1e-4, 1e-5], cv=2, tol=1e-2, random_state=0).fit(X, y)
assert model.scores_.min() > 0.9""",
    """rows, held, y_rows, y_held = train_test_split(X, y, shuffle=False)
assert SDCAClassifier(alpha=1e-5, tol=1e-2, random_state=0).fit(rows, y_rows).score(held, y_held) > 0.9""",
    "assert cross_val_score(SDCAClassifier(alpha=1e-5, tol=1e-2), X, y, cv=KFold(2)).min() > 0.9",
    "assert certify(X[:1].toarray()[0], X, y, loss='hinge', alpha=1e-3, tol=1e-2).relative_gap > 0",
    """import warnings; warnings.simplefilter("ignore")
ASDCAClassifier(alpha=1e-4, max_iter=2, random_state=0).fit(X, y)""",
    "assert sdca_path(X, y, n_alphas=2, tol=1e-2, random_state=0).coefs.shape[0] == 2",
    "load(sys.argv[1], verify=True)",
]


@pytest.fixture(scope="module")
def stored_rows(tmp_path_factory):
    """A folder of 500 MB."""
    folder, rng = tmp_path_factory.mktemp("stored") / "X", np.random.default_rng(0)
    n, width, values = 5000, 20_000, 300
    with MatrixWriter(folder) as writer:
        for _ in range(42):
            columns = np.sort(rng.integers(0, width, (n, values)), axis=1)
            y = rng.integers(0, 2, n)
            columns[:, 0] = y  # two columns that tell the class
            data = np.full(columns.size, values**-0.5, np.float32)
            offsets = np.arange(0, columns.size + 1, values)
            X = sparse.csr_matrix((data, columns.ravel().astype(np.int32), offsets), (n, width))
            writer.append(X, y)
        writer.finish()
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_takes_a_fraction_of_the_matrix(stored_rows, call):
    """500 MB are worked on in a quarter of that: private memory, mapped pages, windows and all.

    Cross-validation, which keeps dual variables and scores of folds, may take a third.
    """
    command = [sys.executable, "-c", FROM_DISK, stored_rows, call]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, growth = map(float, done.stdout.split())
    assert growth <= size / (3 if "cv=" in call else 4)
