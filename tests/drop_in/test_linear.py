"""The linear drop-in classes against scikit-learn's own, fitted tightly."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.svm
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import scale
from sklearn.utils import compute_class_weight

from fastsvm import certify, drop_in
from fastsvm.drop_in import FallbackWarning, patching
from pairs import pairs

TIGHT = {"max_iter": 100_000, "tol": 1e-10}
PHI = {
    "hinge": lambda m: np.maximum(0, 1 - m),
    "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
    "log_loss": lambda m: np.logaddexp(0, -m),
    "modified_huber": lambda m: np.where(m < -1, -4 * m, np.maximum(0, 1 - m) ** 2),
}
TIGHTLY = {
    "LinearSVC": {"max_iter": 100_000, "tol": 1e-6, "random_state": 0},
    "LogisticRegression": {"tol": 1e-8, "max_iter": 1000},
    "SGDClassifier": {  # scikit-learn's steps are short, and those of the second half are averaged
        **{"alpha": 0.1, "max_iter": 1500, "tol": None, "random_state": 0},
        **{"learning_rate": "constant", "eta0": 0.003, "average": 140_000},
    },
    "SVC": {"kernel": "linear", "tol": 1e-5},
}


def rows(n_classes):
    X, y = (load_breast_cancer if n_classes == 2 else load_iris)(return_X_y=True)
    return scale(X), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize(
    "name", [name for name in drop_in.__all__ if hasattr(getattr(drop_in, name), "decision_function")]
)
def test_labels_that_fit_takes_are_scored(name):
    """Python's bools in an array of objects, which scikit-learn's accuracy takes for no labels."""
    X, y = rows(2)
    y = (y == "a").astype(object)
    assert getattr(drop_in, name)().fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LinearSVC", {"C": 0.1, "intercept_scaling": 2, "class_weight": "balanced", "random_state": 0}),
        ("LinearSVC", {"C": 0.3, "loss": "hinge", "class_weight": {"a": 3}, "random_state": 0}),
        ("LogisticRegression", {"C": 0.1, "class_weight": "balanced"}),
        ("LogisticRegression", {"C": 10}),
    ],
)
def test_the_solution_is_scikit_learns(n_classes, fit_intercept, name, options):
    X, y = rows(n_classes)
    weights = np.random.default_rng(0).uniform(0, 2, len(y))
    module = sklearn.svm if name == "LinearSVC" else sklearn.linear_model
    theirs = getattr(module, name)(**options, **TIGHT, fit_intercept=fit_intercept).fit(X, y, weights)
    ours = getattr(drop_in, name)(**options, fit_intercept=fit_intercept).fit(X, y, weights)
    assert np.abs(ours.coef_ - theirs.coef_).max() < 1e-3 * np.abs(theirs.coef_).max()
    assert np.abs(ours.intercept_ - theirs.intercept_).max() < 1e-3 * (1 + np.abs(theirs.intercept_).max())
    assert ours.coef_.shape == theirs.coef_.shape
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.995
    assert np.all(ours.dual_gap_ <= 1e-8 * np.asarray(ours.objective_))


def problems():
    """The classifiers of the package that have an objective, each with its losses that are compiled."""
    for ours, theirs in patching._pairs():
        if is_classifier(ours()) and ours.__name__ in TIGHTLY:
            losses = theirs._parameter_constraints.get("loss", [])
            names = set().union(*(each.options for each in losses)) & PHI.keys()
            for loss in sorted(names or {"hinge" if "SVC" in ours.__name__ else "log_loss"}):
                yield f"{ours.__name__} {loss}", (ours, theirs, {"loss": loss} if names else {}, PHI[loss])


@pytest.mark.parametrize(
    *pairs(
        problem=dict(problems()),
        class_weight={"none": None, "dict": {"b": 3}, "balanced": "balanced"},
        weighing=["none", "random", "zeros"],
    )
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_are_those_of_scikit_learns_objective(problem, class_weight, weighing):
    """At both solutions scikit-learn's objective is the same, and `certify` finds ours near its optimum."""
    ours, theirs, loss, phi = problem
    X, y = rows(2)
    X, y, rng = X[::3, ::5], y[::3], np.random.default_rng(0)
    c = {"none": np.ones(len(y)), "random": rng.uniform(0.1, 3, len(y)) * np.where(y == "a", 5, 1)}.get(
        weighing, rng.integers(0, 2, len(y)) * np.where(y == "a", 5.0, 1)
    )
    options = loss | {"class_weight": class_weight, **TIGHTLY[ours.__name__]}
    models = [kind(**options).fit(X, y, sample_weight=c) for kind in (ours, theirs)]
    counted = {"sample_weight": c} if ours in (drop_in.LinearSVC, drop_in.LogisticRegression) else {}
    by_class = compute_class_weight(class_weight, classes=np.array(["a", "b"]), y=y, **counted)
    weights, sign = c * by_class[(y == "b").astype(int)], np.where(y == "b", 1, -1)
    ridge = 0.1 * len(y) if ours is drop_in.SGDClassifier else 1.0
    found = [
        ridge / 2 * ((m.coef_**2).sum() + (m.intercept_[0] ** 2 if ours is drop_in.LinearSVC else 0))
        + weights @ phi(sign * m.decision_function(X))
        for m in models
    ]
    assert found[0] == pytest.approx(found[1], rel=0.02 if ours is drop_in.SGDClassifier else 1e-4)
    assert certify(models[0], X, y, sample_weight=c).relative_gap <= 2e-3


def test_class_weights_leave_the_rest_alone():
    X, y = rows(3)
    model = drop_in.SGDClassifier(alpha=0.01, class_weight={"b": 2}, random_state=0).fit(X, y)
    alone = drop_in.SGDClassifier(alpha=0.01, class_weight={True: 2}, random_state=0).fit(X, y == "b")
    assert np.abs(model.coef_[1] - alone.coef_[0]).max() < 0.01
    assert model.n_iter_ > 0
    assert drop_in.Perceptron(class_weight="balanced").fit(X, y).score(X, y) > 0.8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("class_weight", [None, {"b": 2}, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_perceptron_has_scikit_learns_weights(n_classes, class_weight):
    """From zero, from a start and from the last fit, with the rows in their order."""
    X, y = rows(n_classes)
    options = {"shuffle": False, "max_iter": 3, "tol": None, "eta0": 0.5, "class_weight": class_weight}
    ours, theirs = (room.Perceptron(**options) for room in (drop_in, sklearn.linear_model))
    shape = (1 if n_classes == 2 else 3, X.shape[1])
    coef, intercept = np.random.default_rng(0).normal(size=shape), np.ones(shape[0])
    weights = np.random.default_rng(0).integers(0, 4, len(y)) * np.where(y == "a", 5.0, 1)
    starts = {"coef_init": coef, "intercept_init": intercept}
    for start in ({}, starts, {"coef_init": coef}, {"sample_weight": weights}):
        for warm in (False, True):
            for model in (ours, theirs):
                model.set_params(warm_start=warm).fit(X, y, **({} if warm else start))
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
            np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
    with pytest.raises(ValueError, match="does not match"):
        ours.fit(X, y, coef_init=np.ones((2, 2)))


@pytest.mark.parametrize(
    ("estimator", "missing"),
    [
        (drop_in.LinearSVC(multi_class="crammer_singer"), "Crammer and Singer's loss"),
        (drop_in.LogisticRegression(C=np.inf), "a fit without a penalty"),
        (drop_in.SGDClassifier("perceptron"), "the perceptron loss"),
        (drop_in.SGDClassifier(early_stopping=True), "early stopping"),
        (drop_in.Perceptron(penalty="l2"), "a penalty"),
        (drop_in.SVC(C=np.inf, kernel="linear", max_iter=1000), "infinite C"),
        (drop_in.SVC(kernel="poly", degree=0), "a polynomial kernel of degree 0"),
    ],
    ids=str,
)
def test_what_fastsvm_lacks_scikit_learn_does(estimator, missing, monkeypatch):
    X, y = rows(3)
    estimator.objective_ = estimator.dual_gap_ = 0.0  # of an earlier fit
    with pytest.warns(FallbackWarning, match=f"does not support {missing}; scikit-learn's .* is used"):
        assert estimator.fit(X, y).score(X, y) > 0.3
    assert not {"objective_", "dual_gap_"} & {*vars(estimator)}
    monkeypatch.setenv("FASTSVM_STRICT", "1")
    with pytest.raises(NotImplementedError, match=f"does not support {missing}.*Unset FASTSVM_STRICT"):
        estimator.fit(X, y)


def learned(model, X, y, **options):
    """The model after batches of 50 rows, in their order."""
    for part in (slice(start, start + 50) for start in range(0, len(y), 50)):
        model.partial_fit(X[part], y[part], np.unique(y), **{name: options[name][part] for name in options})
    return model


BATCHED = [
    *(("SGDClassifier", {"loss": loss}) for loss in ("hinge", "log_loss", "modified_huber")),
    ("SGDClassifier", {"loss": "squared_hinge", "alpha": 0.1}),
    ("Perceptron", {}),
]


@pytest.mark.parametrize("n_classes", [2, 10])
@pytest.mark.parametrize(("name", "options"), BATCHED)
@pytest.mark.filterwarnings("error::fastsvm.drop_in.FallbackWarning")
def test_batches_are_learned_as_well_as_by_scikit_learn(n_classes, name, options):
    X, y = rows(2) if n_classes == 2 else load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    ours, theirs = (
        learned(getattr(room, name)(**options, random_state=0), X, y)
        for room in (drop_in, sklearn.linear_model)
    )
    assert ours.score(X, y) >= theirs.score(X, y) - 0.01
    assert (ours.t_, ours.n_iter_) == (theirs.t_, theirs.n_iter_) == (len(y) + 1, 1)
    assert ours.coef_.shape == theirs.coef_.shape
    assert not hasattr(ours, "objective_")


@pytest.mark.parametrize(("name", "options"), [each for each in BATCHED if "alpha" not in each[1]])
def test_the_steps_on_batches_are_scikit_learns(name, options):
    """The last of them, of which the average over all is returned."""
    X, y = rows(2)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours, theirs = (
        learned(getattr(room, name)(**options, shuffle=False), X, y, sample_weight=weights)
        for room in (drop_in, sklearn.linear_model)
    )
    [state] = ours._states
    np.testing.assert_allclose(state["w"] * state.get("scale", 1), theirs.coef_[0], rtol=1e-6)
    np.testing.assert_allclose(state["intercept"], theirs.intercept_[0], rtol=1e-6)


def test_batches_go_on_from_a_fit_which_forgets_them():
    X, y = rows(2)
    for model in drop_in.SGDClassifier(alpha=1e-2, random_state=0), drop_in.Perceptron(random_state=0):
        expected, before, t = model.fit(X, y).coef_, model.score(X, y), model.t_
        assert learned(model, X, y).score(X, y) > before - 0.02
        assert model.t_ == t + len(y)
        assert np.array_equal(model.fit(X, y).coef_, expected)
        assert not hasattr(model, "_states")
    with pytest.raises(ValueError, match="needs classes"):
        drop_in.SGDClassifier().partial_fit(X, y)


@pytest.mark.parametrize(
    "options", [{"class_weight": {"a": 2}}, {"learning_rate": "constant"}, {"penalty": "elasticnet"}]
)
def test_what_batches_lack_scikit_learn_does(options):
    X, y = rows(2)
    model = learned(drop_in.SGDClassifier(), X, y).set_params(**options)
    with pytest.warns(FallbackWarning, match="fastsvm does not support .* in partial_fit"):
        assert learned(model, X, y).score(X, y) > 0.9


@pytest.mark.parametrize("n_classes", [2, 3])
def test_callbacks_see_each_epoch(n_classes):
    monitor = pytest.importorskip("sklearn.callback").ScoringMonitor(scoring="accuracy")
    X, y = rows(n_classes)
    model = drop_in.LogisticRegression().set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs().data_as_pandas
    assert log["task_name"].tolist() == ["fit", *["lbfgs-iter"] * model.n_iter_[0]]
    assert log["accuracy"].iloc[-1] == model.score(X, y)
    with pytest.warns(FallbackWarning, match="callbacks with solvers other than"):
        model.set_params(solver="newton-cg").fit(X, y)
