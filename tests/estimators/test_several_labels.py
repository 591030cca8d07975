"""Several labels per row, for all linear classifiers, plain ones too, which are read from their packages."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import fastsvm
from fastsvm import SDCAClassifier, SDCAClassifierCV, certify, fitting, model_files
from fastsvm.fitting import Calibration, LabelSets
from fastsvm.fitting.prediction import LinearPrediction
from fastsvm.solvers._input import as_random
from fastsvm.text import OwnRatios

FOUND = [getattr(room, name) for room in (fastsvm, fitting) for name in room.__all__]
LINEAR = [kind for kind in FOUND if isinstance(kind, type) and issubclass(kind, LinearPrediction)]
FILED = [kind for kind in LINEAR if kind is not SDCAClassifierCV]
every = pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
pytestmark = pytest.mark.filterwarnings("ignore::fastsvm.fitting.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 6))
Y = (X[:, :3] + RNG.normal(size=(150, 3)) > [0, 0.8, 1.5]).astype(int)
ONE_SIDED = np.column_stack([Y, np.zeros(150, int), np.ones(150, int)])
NAMES = np.array(["cheap", "fast", "good"])


def made(kind, **options):
    usual = {"random_state": 0, "alphas": [0.01], "alpha": 0.01, "max_iter": 20}
    known = kind().get_params()
    return kind(**{name: value for name, value in (usual | options).items() if name in known})


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("kind", FILED, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_each_label_is_a_problem_of_its_own(kind, class_weight):
    """To the last bit for the first label: it has the seed of a single one."""
    weights = RNG.random(150) + 0.5
    for k in range(3):
        model = made(kind, class_weight=class_weight).fit(X, np.roll(Y, -k, axis=1), weights)
        alone = made(kind, class_weight=class_weight).fit(X, Y[:, k], weights)
        assert model.coef_.shape == (3, 6)
        assert model.coef_[0].tolist() == alone.coef_[0].tolist()
        assert model.intercept_[0] == alone.intercept_[0]
        for name in {"objective_", "dual_gap_"} & set(vars(alone)):
            assert getattr(model, name)[0] == getattr(alone, name)


@every
def test_predictions_are_of_the_form_of_y(kind):
    dense = made(kind).fit(X, Y)
    assert dense.classes_.tolist() == [0, 1, 2]
    scores = dense.decision_function(X)
    for form in (Y.tolist(), Y.astype(bool), sparse.csr_matrix(Y), sparse.csc_array(Y.astype(float))):
        model = made(kind).fit(X, form)
        found = model.predict(X)
        assert sparse.issparse(found) == sparse.issparse(form)
        assert (model.decision_function(X) == scores).all()
        given = found.toarray() if sparse.issparse(found) else found
        assert given.dtype == int
        assert given.tolist() == (scores > 0).astype(int).tolist()
        if hasattr(model, "score"):
            assert model.score(X, form) == accuracy_score(Y, given)
    model.thresholds_[1] = np.median(scores[:, 1])
    assert model.predict(X)[:, [1]].sum() == 75
    pair = made(kind).fit(X, Y[:, :2])
    assert pair.decision_function(X).shape == (150, 2)
    assert made(kind).fit(X, Y[:, 0]).predict(X).tolist() == pair.fit(X, Y[:, 0]).predict(X).tolist()


@pytest.mark.parametrize("weights", [None, "balanced"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_it_is_the_optimum_of_one_vs_rest(form, weights):
    alpha, options = 0.01, {"fit_intercept": False, "class_weight": weights}
    ours = SDCAClassifier("squared_hinge", alpha=alpha, tol=1e-9, **options).fit(X, form(Y))
    svc = LinearSVC(C=1 / (alpha * 150), dual=False, tol=1e-10, **options)
    theirs = OneVsRestClassifier(svc).fit(X, form(Y))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert type(ours.predict(X)) is type(theirs.predict(X))
    np.testing.assert_allclose(certify(ours, X, form(Y)).objective, ours.objective_, rtol=1e-12)


@every
@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
def test_a_label_of_no_row_or_of_all_is_constant(kind, loss):
    with pytest.warns(UserWarning, match="No row or every row has the label 3 and 1 more"):
        model = made(kind, loss=loss, max_iter=100).fit(X, ONE_SIDED)
    scores = model.decision_function(X)
    assert (scores[:, 3] < 0).all()
    assert (scores[:, 4] > 0).all()
    if "SDCA" in kind.__name__:
        assert (model.coef_[3:] == 0).all()
        assert model.dual_gap_[3:].tolist() == [0, 0]
    if getattr(model, "loss", None) == "log":
        np.testing.assert_allclose(model.predict_proba(X), expit(scores), atol=1e-12)


@pytest.mark.filterwarnings("ignore:No row or every row has the label 3")
def test_alpha_is_chosen_on_folds_that_may_lack_a_label():
    rare = np.column_stack([Y, np.arange(150) == 0]).astype(int)
    options = {"loss": "squared_hinge", "tol": 1e-8, "random_state": 0}
    folds, alphas = list(KFold(3).split(X)), [0.1, 0.001]
    for y in rare, sparse.csr_array(rare):
        model = SDCAClassifierCV(alphas=alphas, cv=folds, scoring="f1_micro", **options).fit(X, y)
        for row, alpha in zip(model.scores_, alphas, strict=True):
            for score, (train, test) in zip(row, folds, strict=True):
                fit = SDCAClassifier(alpha=alpha, **options).fit(X[train], rare[train])
                assert score == pytest.approx(f1_score(rare[test], fit.predict(X[test]), average="micro"))
        assert model.cv_dual_gaps_.shape == (2, 3, 4)
    subset = SDCAClassifierCV(alphas=alphas, cv=3, class_weight="balanced", **options).fit(X, rare)
    assert subset.score(X, rare) == accuracy_score(rare, subset.predict(X))
    grids = (SDCAClassifierCV(n_alphas=2, cv=3, **options).fit(X, y).alphas_ for y in (Y, ONE_SIDED))
    np.testing.assert_array_equal(*grids)


@pytest.mark.parametrize("kind", FILED, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_file_keeps_thresholds_and_calibration(kind, tmp_path):
    plain = kind.__module__.startswith("fastsvm.fitting")
    sets = LabelSets(sparse.csr_array(Y[:, :2]), NAMES[:2]) if plain else Y[:, :2]
    model, save = made(kind, tol=1e-3).fit(X, sets), model_files.save_plain if plain else fastsvm.save_model
    model.thresholds_[:] = 0.5, -0.5
    model.calibration_ = Calibration.fit(model.decision_function(X), sets, model.classes_)
    save(model, tmp_path / "model")
    again = (model_files.load_plain if plain else fastsvm.load_model)(tmp_path / "model")
    assert again.classes_.tolist() == model.classes_.tolist()
    assert (again.predict(X) != model.predict(X)).sum() == 0
    assert sparse.issparse(again.predict(X)) == plain
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    for k, scores in enumerate(model.decision_function(X).T):
        alone = Calibration.fit(scores, Y[:, k], [0, 1]).probabilities(scores)[:, 1]
        np.testing.assert_allclose(again.predict_proba(X)[:, k], alone, rtol=1e-6)


@pytest.mark.parametrize("kind", FILED, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_fits_that_go_on(kind, tmp_path):
    model = made(kind, warm_start=True, max_iter=100).fit(X, Y)
    epochs = model.n_iter_
    assert model.fit(X, Y).n_iter_ <= epochs
    two = made(kind, warm_start=True).fit(X, Y[:, 0])
    assert two.fit(X, Y[:, :2]).coef_.shape == (2, 6)  # of labels now, no longer of classes
    if kind.__name__ in ("SDCA", "SDCAClassifier"):
        first, again = (made(kind).fit(X, Y, checkpoint=tmp_path / "kept") for _ in range(2))
        np.testing.assert_allclose(again.coef_, first.coef_, atol=1e-3)
        with pytest.raises(ValueError, match="checkpoint is of another fit: its y"):
            made(kind).fit(X, 1 - Y, checkpoint=tmp_path / "kept")
    if hasattr(model, "partial_fit"):
        batches = made(kind).partial_fit(X[:70], Y[:70]).partial_fit(X[70:], sparse.csr_array(Y[70:]))
        assert f1_score(Y, batches.predict(X).toarray(), average="micro") > 0.5
        with pytest.raises(ValueError, match="y has one label per row, but earlier calls had several"):
            batches.partial_fit(X, Y[:, 0], [0, 1, 2])
        held = LabelSets(Y).held_out(0.1, np.random.default_rng(as_random(0).randint(2**31 - 1, size=1)))
        early = made(kind, max_iter=1, early_stopping=True).fit(X, Y)
        assert held.sum() == 15
        assert early.coef_.tolist() == made(kind, max_iter=1).fit(X[~held], Y[~held]).coef_.tolist()


def test_what_a_label_has_to_itself():
    counts = sparse.csr_array((X > 0.5).astype(np.float32))
    ratios = OwnRatios().fit(counts, Y)
    for k, own in enumerate(ratios.ratios):
        np.testing.assert_array_equal(own, OwnRatios().fit(counts, Y[:, k]).ratios[0])
    model = fitting.SDCA(class_weight={"fast": 3}, tol=1e-9, alpha=0.01)
    model.fit(X, LabelSets(Y, NAMES), keep_dual=False)
    assert not hasattr(model, "dual_coef_")
    alone = fitting.SDCA(class_weight={1: 3}, tol=1e-9, alpha=0.01).fit(X, Y[:, 1])
    np.testing.assert_allclose(model.coef_[1], alone.coef_[0], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (SDCAClassifier(), Y + 1, r"y\[0, 0\] is (1|2)|of 0 and 1"),
        (SDCAClassifier("log", multi_class="multinomial"), Y, "for several labels use 'ovr'"),
        (fastsvm.KernelSDCAClassifier(), Y, r"OneVsRestClassifier\(KernelSDCAClassifier\(\)\)"),
        (fitting.KernelSDCA(), Y, "y has shape"),
        (fitting.SDCA(), Y[:9], "9 rows; X has 150 rows"),
        (fitting.SDCA(), sparse.csr_array(Y[:, :1]), "two columns or more"),
        (SDCAClassifier(class_weight={7: 2.0, 0: 1.0}), Y, "label 7"),
    ],
)
def test_what_is_refused(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    for names in NAMES[::-1], NAMES[:2]:
        with pytest.raises(ValueError, match="3 labels in ascending order"):
            LabelSets(Y, names)
