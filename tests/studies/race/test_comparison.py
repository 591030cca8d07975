"""What a comparison measures is what each fit would have measured by itself."""

import csv

import numpy as np
import pytest
from scipy import sparse

import reference
from fastsvm import (
    ASDCAClassifier,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    fitting,
)
from fastsvm_apps.studies.race import compare, compare_solvers, solver_contender
from rounding import assert_close

pytestmark = pytest.mark.blas

N, D = 120, 15
MODELS = {
    "sdca": SDCAClassifier(alpha=0.02, max_iter=4),
    "last": SDCAClassifier("log", alpha=0.02, max_iter=3, fit_intercept=False),
    "tail": SDCAClassifier(alpha=0.02, max_iter=4, averaging="tail", sgd_init=True),
    "drawn": SDCAClassifier("smooth_hinge", hinge_width=0.3, alpha=0.02, max_iter=4, averaging="random"),
    "pegasos": PegasosClassifier(alpha=0.02, max_iter=5, batch_size=7, averaging="tail", class_weight={1: 2}),
    "asdca": ASDCAClassifier("squared_hinge", alpha=0.02, max_iter=3),
    "perceptron": PerceptronClassifier(max_iter=3, averaging="all"),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.6)
    return X, (X @ rng.normal(size=D) + 0.5 * rng.normal(size=N) > 0.2).astype(int)


def of(c, label, run):
    return c.table[(c.table["solver"] == label) & (c.table["run"] == run)]


def fitted(model, X, y, seed):
    model = type(model)(**model.get_params()).set_params(random_state=seed, trace=True)
    if "tol" in model.get_params():
        model.set_params(tol=None)
    if "solver" in model.get_params():
        model.set_params(solver="coordinate")
    return model.fit(X, y)


@pytest.mark.parametrize("layout", [np.asarray, np.float32, sparse.csr_array])
def test_a_run_is_a_fit_with_its_seed(data, layout):
    X, y = layout(data[0]), data[1]
    c = compare(MODELS, X, y, runs=3, random_state=5, X_test=X, y_test=y)
    for label, model in MODELS.items():
        lines, fit = of(c, label, 2), fitted(model, X, y, seed=7)
        assert lines["epoch"].tolist() == [*range(1, model.max_iter + 1)]
        kept = 1e-7 * (X.dtype == np.float32)  # a fit's last line is of coef_, which float32 rounds
        for end, off in (slice(-1), 0), (slice(-1, None), kept):
            primal, gap = (fit.history_[name][end] for name in ("primal", "gap"))
            np.testing.assert_allclose(lines["primal"][end], primal, rtol=1e-12 + off)
            np.testing.assert_allclose(lines["gap"][end], gap, rtol=1e-9, atol=1e-14 + off)
        np.testing.assert_allclose(c.coef[label][2], fit.coef_[0], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(c.intercept[label][2], fit.intercept_[0], rtol=1e-6, atol=1e-9)
        assert lines["error"][-1] == pytest.approx(1 - fit.score(X, y))
        assert (np.diff(lines["seconds"]) > 0).all()


def test_inside_epochs_runs_are_measured_and_not_changed(data):
    X, y = data
    models = MODELS | {"sgd": SDCAClassifier(alpha=2.0, max_iter=2, fit_intercept=False)}
    plain, c = (compare(models, X, y, runs=2, X_test=X, y_test=y, parts=parts) for parts in (1, 8))
    inside = c.table["epoch"] < 1
    for name in set(plain.table.dtype.names) - {"seconds"}:
        np.testing.assert_array_equal(c.table[~inside][name], plain.table[name])
    assert of(c, "pegasos", 0)["visits"][:6].tolist() == [21, 35, 49, 63, 91, N]  # whole batches of 7
    assert of(c, "pegasos", 0)["steps"][:3].tolist() == [3, 5, 7]
    assert of(c, "sgd", 0)["visits"].tolist() == [15, 30, 45, 60, 90, 144, 264]  # a fifth is visited twice
    assert all((np.diff(of(c, label, run)["seconds"]) > 0).all() for label in models for run in range(2))
    steps = compare({"pegasos": MODELS["pegasos"]}, X, y, runs=1, every=5).table["steps"]
    assert steps.tolist() == np.add.outer(18 * np.arange(5), [5, 10, 15, 18]).ravel().tolist()
    # Modified SGD takes the rows seen for all of them: w is as long as it is in the end.
    assert of(c, "sgd", 1)["primal"][4] < 1.02 * of(c, "sgd", 1)["primal"][-1]


def test_several_classes_each_against_the_rest(data):
    X = data[0]
    y = np.array(["b", "c", "a"])[np.argmax(X[:, :3], axis=1)]
    models = {"sdca": MODELS["sdca"], "pegasos": fitting.Pegasos(alpha=0.02, max_iter=2)}
    c = compare(models, X, y, runs=2, X_test=X[:50], y_test=y[:50])
    fit = fitted(models["sdca"], X, y, seed=1)
    last = of(c, "sdca", 1)[-1]
    assert last["primal"] == pytest.approx(fit.objective_.mean(), rel=1e-12)
    assert last["error"] == pytest.approx(1 - fit.score(X[:50], y[:50]))
    assert last["visits"] == last["steps"] == 3 * 4 * N
    np.testing.assert_allclose(c.coef["sdca"][1], fit.coef_, rtol=1e-9, atol=1e-12)
    assert c.intercept["pegasos"].shape == (2, 3)


def test_one_loss_measures_all(data):
    X, y = data
    models = {label: MODELS[label] for label in ("sdca", "tail", "asdca", "perceptron")}
    models["steep"] = SDCAClassifier("squared_hinge", alpha=0.02, max_iter=3)
    c = compare(models, X, y, runs=2, loss="hinge")
    signs = 2 * y - 1
    for label in models:
        primal = reference.primal("hinge", 0.02, X, signs, c.coef[label][1], c.intercept[label][1])
        assert of(c, label, 1)["primal"][-1] == pytest.approx(primal, rel=1e-12)
    optimum = c.optimum["sdca"]
    assert set(c.optimum.values()) == {optimum}
    bounded = ~np.isnan(c.table["gap"])
    bound = c.table["primal"][bounded] - c.table["gap"][bounded]
    assert (bound <= optimum * (1 + 1e-6)).all()  # also of dual variables that the loss had to clip
    assert (c.excess >= 0).all()
    np.testing.assert_allclose(c.excess * optimum + optimum, c.table["primal"])


def test_neither_threads_nor_memory_change_the_result(data, monkeypatch):
    monkeypatch.setattr(solver_contender, "PART", 256)
    one = compare(MODELS, *data, runs=5, X_test=data[0], y_test=data[1])
    two = compare(MODELS, *data, runs=5, X_test=data[0], y_test=data[1], n_jobs=2)
    monkeypatch.setattr(compare_solvers, "MEMORY", 1)
    alone = compare(MODELS, *data, runs=5, X_test=data[0], y_test=data[1])
    for other in (two, alone):
        for name in set(one.table.dtype.names) - {"seconds"}:
            known = one.table[name] == one.table[name]
            np.testing.assert_array_equal(known, other.table[name] == other.table[name])
            assert_close(one.table[name][known], other.table[name][known])
        for label in MODELS:
            assert_close(one.coef[label], other.coef[label])


def test_a_table_is_written_and_drawn(data, tmp_path):
    c = compare({"a": MODELS["sdca"], "perceptron": MODELS["perceptron"]}, *data, runs=3)
    c.to_csv(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(c.table)
    assert [float(line["primal"]) for line in lines] == c.table["primal"].tolist()
    assert lines[-1]["gap"] == lines[-1]["error"] == ""
    assert c.plot("epoch", "primal").lines[0].get_xdata().tolist() == [1, 2, 3, 4]


def test_what_is_wrong_is_said(data):
    for change, message in (
        ({"solvers": {}}, "with at least one"),
        ({"solvers": {"a": "sdca"}}, r"solvers\['a'\] must be SDCA, Pegasos, ASDCA or a perceptron"),
        ({"random_state": None}, "the first of the seeds"),
        ({"loss": "hinge", "solvers": {"a": PerceptronClassifier()}}, "no alpha for its objective"),
        ({"X_test": np.ones((2, D)), "y_test": [0, 5]}, "the label 5, which is not in y"),
    ):
        with pytest.raises(ValueError, match=message):
            compare(**{"solvers": {"sdca": MODELS["sdca"]}, "X": data[0], "y": data[1], "runs": 1} | change)
