"""Model files of the kernel classifiers: the same bits come out, and nothing else gets in."""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastsvm import (
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    KernelSDCAClassifierCV,
    ModelFileError,
    load_model,
    save_model,
)
from fastsvm.text import BagOfWords, TermWeighting
from model_files import (
    KERNEL_ATTRIBUTES,
    KERNEL_PARAMETERS,
    LABELS,
    SPARSE_ROWS,
    assert_same_predictions,
    assert_saved_alike,
    changed,
    put,
    read,
    refuses_arrays,
    round_trip,
)

X, Y = load_iris(return_X_y=True)

SDCA = partial(KernelSDCAClassifier, alpha=1e-2, tol=0.1, random_state=0)
PEGASOS = partial(KernelPegasosClassifier, alpha=1e-2, n_iter=300, random_state=0)
MODELS = {
    "rbf": SDCA(),
    "rbf, log loss": SDCA(loss="log", gamma="auto", cache_size=0.5, tol=None, max_iter=3),
    "poly": SDCA("poly", gamma=1, coef0=np.float32(0.5), degree=np.int64(2), class_weight="balanced"),
    "linear": SDCA("linear", n_jobs=2),
    "laplacian": SDCA("laplacian", loss="squared_hinge"),
    "pegasos": PEGASOS(),
    "pegasos, sigmoid": PEGASOS("sigmoid", gamma=0.01, n_iter=None, n_jobs=-1),
    "pegasos, laplacian": PEGASOS("laplacian", gamma=np.float64(0.3)),
}
LAYOUTS = {"dense": np.asarray, "sparse": sparse.csr_array, "sparse matrix": sparse.csr_matrix}
FORMS = [(np.asarray, np.float64), (np.asarray, np.float32)]
FORMS += [(sparse.csr_array, np.float64), (sparse.csr_matrix, np.float32)]
CLASSES = LABELS | {"three numbers": np.array([-7, 0, 9])}


def fitted(estimator, classes=CLASSES["three"], layout=np.asarray, dtype=np.float64):
    some = np.flatnonzero(len(classes) > Y)[:: 1 if len(classes) == 2 else 2]
    return clone(estimator).fit(layout(X[some].astype(dtype)), classes[Y[some]])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("layout", "dtype"), FORMS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_round_trip(estimator, layout, dtype, path):
    model = fitted(estimator, layout=layout, dtype=dtype)
    loaded = round_trip(model, path)
    assert type(loaded) is type(model)
    for rows in (layout(X[1::2].astype(dtype)), X[::9], sparse.csr_array(X[::9])):
        assert_same_predictions(model, loaded, rows)
    assert loaded.get_params() == model.get_params()
    for name in ("support_", "dual_coef_", "classes_", "objective_", "dual_gap_"):
        one, other = getattr(model, name), getattr(loaded, name)
        assert (one.tolist(), one.dtype) == (other.tolist(), other.dtype)
    counter = "t_" if isinstance(model, KernelPegasosClassifier) else "n_iter_"
    for name in ("gamma_", "n_features_in_", counter):
        assert getattr(loaded, name) == getattr(model, name)
    assert loaded.support_vectors_.dtype == dtype
    assert sparse.issparse(loaded.support_vectors_) == sparse.issparse(model.support_vectors_)
    assert not hasattr(loaded, "history_")
    assert_saved_alike(loaded, path)


@pytest.mark.parametrize("classes", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("estimator", [SDCA(loss="log"), PEGASOS()], ids=["sdca", "pegasos"])
def test_labels_of_all_kinds(estimator, classes, path):
    model = fitted(estimator, classes)
    loaded = round_trip(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert_same_predictions(model, loaded, X)
    for name in ("objective_", "dual_gap_"):
        assert np.array_equal(getattr(loaded, name), getattr(model, name))
        assert type(getattr(loaded, name)) is type(getattr(model, name))


def test_class_weights(path):
    model = fitted(PEGASOS(class_weight={"a": 2, "b": 0.5, "ç": 1.0}))
    assert round_trip(model, path).class_weight == {"a": 2, "b": 0.5, "ç": 1.0}


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_more_rows_than_are_compared_in_double_precision(layout, path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 6)).astype(np.float32)
    model = PEGASOS(n_iter=1500, cache_size=16).fit(layout(rows), rows[:, 0] * rows[:, 1] > 0)
    assert_same_predictions(model, round_trip(model, path), layout(rows))


def test_columns_in_any_order_and_repeated_ones(path):
    rows = sparse.csr_array((X.ravel(), np.tile([3, 1, 0, 1], len(X)), np.arange(0, 4 * len(X) + 1, 4)))
    rows.resize(len(X), 4)
    model = SDCA().fit(rows, Y)
    loaded = round_trip(model, path)
    assert_same_predictions(model, loaded, rows)
    assert np.array_equal(loaded.support_vectors_.toarray(), model.support_vectors_.toarray())
    assert model.support_vectors_.nnz == 4 * len(model.support_)  # as they were


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_no_support_at_all(layout, path):
    """A row of weight 0 does not pull."""
    model = PEGASOS(n_iter=1).fit(layout(X), Y, sample_weight=np.arange(len(Y)) == 149)
    loaded = round_trip(model, path)
    assert loaded.support_vectors_.shape == (0, 4)
    assert loaded.dual_coef_.shape == (3, 0)
    assert_same_predictions(model, loaded, X)
    for each in (model, loaded):
        each.partial_fit(layout(X[::9]), Y[::9])
    assert_same_predictions(model, loaded, X)


@pytest.mark.parametrize("before", [StandardScaler(), PCA(2, whiten=True, random_state=0)], ids=repr)
@pytest.mark.parametrize("classifier", [SDCA(), PEGASOS()], ids=["sdca", "pegasos"])
def test_at_the_end_of_a_pipeline(before, classifier, path):
    model = make_pipeline(StandardScaler(), clone(before), clone(classifier)).fit(X[::2], Y[::2])
    assert_same_predictions(model, round_trip(model, path), X)


@pytest.mark.parametrize("classifier", [SDCA("linear"), PEGASOS("laplacian")], ids=["sdca", "pegasos"])
def test_after_words(classifier, path):
    texts = ["a fine kettle", "quick and quiet", "a dull knife", "loud, dull, broken"] * 3
    steps = BagOfWords(ngram_range=(1, 2)), TermWeighting("tfidf", norm="l2"), clone(classifier)
    model = make_pipeline(*steps).fit(texts, ["pos", "pos", "neg", "neg"] * 3)
    assert_same_predictions(model, round_trip(model, path), [*texts, "", "never seen", "dull kettle"])


def test_names_of_features(path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    model = SDCA().fit(frame, Y)
    loaded = round_trip(model, path)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert_same_predictions(model, loaded, frame)


def test_a_loaded_one_can_be_fitted_again(path):
    model = fitted(SDCA())
    loaded = round_trip(model, path)
    assert np.array_equal(loaded.fit(X[::3], Y[::3]).dual_coef_, model.fit(X[::3], Y[::3]).dual_coef_)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("first", ["fit", "partial_fit"])
def test_training_goes_on_after_loading(layout, first, path):
    order = np.random.default_rng(0).permutation(len(Y))
    rows, y = layout(X[order]), Y[order]
    model = PEGASOS(gamma=0.2)
    if first == "fit":
        model.fit(rows[:60], y[:60])
    else:
        model.partial_fit(rows[:60], y[:60], classes=[0, 1, 2])
    loaded = round_trip(model, path)
    seen = loaded.support_[-1] + 1  # rows, as far as the file tells
    for start in (60, 90):
        batch = rows[start : start + 30], y[start : start + 30]
        n = len(loaded.support_)
        model.partial_fit(*batch)
        loaded.partial_fit(*batch)
        assert (loaded.t_, loaded.gamma_) == (model.t_, model.gamma_)
        assert loaded.dual_coef_.tobytes() == model.dual_coef_.tobytes()
        assert np.array_equal(loaded.support_[n:] - seen, model.support_[n:] - start)
        assert_same_predictions(model, loaded, rows)
        seen += 30
    assert not hasattr(loaded, "objective_")
    assert_same_predictions(model, round_trip(loaded, path), rows)


# What no file holds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (SDCA(), "the KernelSDCAClassifier is not fitted"),
        (PEGASOS(), "the KernelPegasosClassifier is not fitted"),
        (SDCA(rbf_kernel).fit(X, Y), r"a KernelSDCAClassifier with kernel=<function rbf_kernel.*>; a file"),
        (
            PEGASOS("precomputed").fit(X @ X.T, Y),
            "a KernelPegasosClassifier with kernel='precomputed';",
        ),
        (SDCA("precomputed").fit(X @ X.T, Y).set_params(kernel="rbf"), "whose kernel was changed after fit"),
        (fitted(SDCA()).set_params(kernel="precomputed"), "with kernel='precomputed'"),
        (fitted(SDCA()).set_params(kernel="cosine"), "a file can hold linear, poly, rbf, sigmoid, laplacian"),
        (fitted(SDCA()).set_params(gamma=np.inf), "gamma is inf"),
        (fitted(SDCA()).set_params(n_jobs=1025), "parameter n_jobs is 1025"),
        (KernelSDCAClassifierCV(alphas=[1.0], gammas=[1.0], cv=2).fit(X, Y), "KernelSDCAClassifierCV"),
        (type("Mine", (KernelSDCAClassifier,), {})().fit(X[::5], Y[::5]), "a model file holds no "),
    ],
    ids=range(11),
)
def test_unsavable(model, reason, path):
    with pytest.raises(ModelFileError, match=reason) as caught:
        save_model(model, path)
    assert "\n" not in str(caught.value)
    assert not path.exists()


def test_measures_that_are_not_finite_are_left_out(path):
    model = fitted(SDCA())
    model.dual_gap_ = np.array([0.1, np.inf, 0.1])
    loaded = round_trip(model, path)
    assert not hasattr(loaded, "dual_gap_")
    assert np.array_equal(loaded.objective_, model.objective_)


# Hostile files -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of good files, of three classes, four features and eight rows, each of which pulls."""
    file = tmp_path_factory.mktemp("good") / "model.safetensors"

    def written(estimator, layout):
        save_model(estimator.set_params(alpha=10).fit(layout(X[::20]), CLASSES["three"][Y[::20]]), file)
        return file.read_bytes()

    return {
        "dense": written(SDCA(), np.asarray),
        "sparse": written(SDCA(), sparse.csr_array),
        "pegasos": written(PEGASOS(), np.asarray),
    }


def test_good_files_are_read(path, files):
    for content in files.values():
        path.write_bytes(put(*read(content)))
        assert load_model(path).support_vectors_.shape == (8, 4)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        *KERNEL_PARAMETERS,
        ("kernel", "precomputed", "a KernelSDCAClassifier with kernel='precomputed'; a file can hold"),
        ("loss", "absolute", "loss must be one of"),
        ("loss", True, "parameter loss is True"),
        ("alpha", 0.0, "alpha must be a positive number"),
        ("alpha", None, "alpha must be a positive number"),
        ("alpha", "1", "parameter alpha is '1'"),
        ("max_iter", 0, "max_iter must be"),
        ("max_iter", True, "parameter max_iter is True"),
        ("tol", -1e-3, "tol must be a positive number"),
        ("tol", [], "parameter tol is []"),
        ("class_weight", {"a": 1}, "class_weight is {'a': 1}"),
        ("cache_size", 0, "cache_size must be a positive number"),
        ("cache_size", None, "cache_size must be a positive number"),
        ("cache_size", "1024", "parameter cache_size is '1024'"),
        ("verbose", "yes", "parameter verbose is 'yes'"),
    ],
)
def test_hostile_parameters(name, value, reason, path, files):
    changed(path, files["dense"], lambda node, _: node["params"].update({name: value}), reason)


@pytest.mark.parametrize("value", [0, 2.0, True, "300"])
def test_hostile_steps_to_take(value, path, files):
    reason = "n_iter must be" if value == 0 else f"parameter n_iter is {value!r}"
    changed(path, files["pegasos"], lambda node, _: node["params"].update(n_iter=value), reason)


@pytest.mark.parametrize("file", ["dense", "pegasos"])
def test_missing_parameters_and_attributes(file, path, files):
    node = read(files[file])[0]["model"]
    for name in node["params"]:
        changed(path, files[file], lambda node, _, n=name: node["params"].pop(n), f"'{name}' is missing")
    for name in node["fitted"].keys() - {"objective_", "dual_gap_"}:
        changed(path, files[file], lambda node, _, n=name: node["fitted"].pop(n), f"'{name}' is missing")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        *KERNEL_ATTRIBUTES,
        ("n_features_in_", 3, "support_vectors_ is of shape (8, 4), for 3 features"),
        ("n_iter_", -1, "n_iter_ is -1"),
        ("n_iter_", 2**63 - 1, "n_iter_ is 9223372036854775807"),
        ("n_iter_", True, "not of type int"),
        ("t_", 1, "'t_' is unexpected"),
        ("classes_", "V", "classes_ of type"),
        ("classes_", "i", "classes_ of type"),
        ("classes_", None, "classes_ is None, not of type str"),
        ("objective_", 0.5, "objective_ has 1 values, not 3"),
        ("objective_", [0.5, 0.5], "objective_ has 2 values, not 3"),
        ("objective_", [0.5, 0.5, "0.5"], "objective_ is [0.5, 0.5, '0.5']"),
        ("dual_gap_", None, "dual_gap_ is None"),
        ("dual_gap_", [0.1, 0.1, [0.1]], "dual_gap_ is [0.1, 0.1, [0.1]]"),
        ("history_", [], "'history_' is unexpected"),
    ],
)
def test_hostile_attributes(name, value, reason, path, files):
    if name == "classes_" and value is not None:  # labels as numbers are another tensor

        def change(node, tensors):
            del tensors["classes_.bytes"], tensors["classes_.offsets"]
            tensors["classes_"] = np.arange(3.0)
            node["fitted"]["classes_"] = value

    else:

        def change(node, _):
            node["fitted"][name] = value

    changed(path, files["dense"], change, reason)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (-1, "t_ is -1"),
        (2**62 + 1, "t_ is 4611686018427387905"),
        (300.0, "t_ is 300.0"),
        (None, "t_ is None"),
    ],
)
def test_hostile_steps_taken(value, reason, path, files):
    changed(path, files["pegasos"], lambda node, _: node["fitted"].update(t_=value), reason)


def test_classes_and_coefficients_agree(path, files):
    def two(node, tensors):
        tensors["classes_.bytes"] = tensors["classes_.bytes"][:2].copy()
        tensors["classes_.offsets"] = tensors["classes_.offsets"][:3].copy()
        del node["fitted"]["objective_"], node["fitted"]["dual_gap_"]

    def unordered(_, tensors):
        tensors["classes_.bytes"][:2] = tensors["classes_.bytes"][1::-1].copy()

    def one(_, tensors):
        tensors["classes_.bytes"] = tensors["classes_.bytes"][:1].copy()
        tensors["classes_.offsets"] = tensors["classes_.offsets"][:2].copy()

    changed(path, files["dense"], two, "dual_coef_ of shape (3, 8) does not suit 2 classes")
    for change in (unordered, one):
        changed(path, files["dense"], change, "classes_ are not two or more labels in ascending order")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("dense", "support_"),
        ("dense", "dual_coef_"),
        ("dense", "support_vectors_"),
        ("sparse", "support_vectors_.data"),
        ("sparse", "support_vectors_.indices"),
        ("sparse", "support_vectors_.indptr"),
    ],
)
def test_hostile_arrays(file, name, path, files):
    missing = "support_vectors_" if name.endswith("indptr") else name  # without it, dense ones are looked for
    refuses_arrays(path, files[file], name, "support", missing)


@pytest.mark.parametrize("name", ["dual_coef_", "support_vectors_"])
def test_hostile_shapes(name, path, files):
    good = read(files["dense"])[1][name]
    for array in (good[:, 1:], good[:, :0], good.T):
        change = {name: np.ascontiguousarray(array)}
        changed(path, files["dense"], lambda _, tensors, c=change: tensors.update(c), "of shape")


def test_coefficients_are_of_double_precision(path, files):
    def change(_, tensors):
        tensors["dual_coef_"] = tensors["dual_coef_"].astype(np.float32)

    changed(path, files["dense"], change, "tensor 'dual_coef_' is of type float32")


@pytest.mark.parametrize(("place", "value"), [(0, -1), (0, 1), (1, 0), (7, -(2**31)), (6, 2**31 - 1)])
def test_hostile_support(place, value, path, files):
    def change(_, tensors):
        tensors["support_"][:] = np.arange(8)
        tensors["support_"][place] = value

    changed(path, files["pegasos"], change, "support_ are not row numbers in ascending order")


@pytest.mark.parametrize(("name", "place", "value", "reason"), SPARSE_ROWS)
def test_hostile_sparse_rows(name, place, value, reason, path, files):
    changed(
        path,
        files["sparse"],
        lambda _, tensors: tensors[f"support_vectors_.{name}"].__setitem__(place, value),
        reason,
    )


def test_tensors_that_do_not_belong(path, files):
    for name in ("coef_", "intercept_", "_n_seen", "support_vectors_.data"):
        changed(
            path,
            files["dense"],
            lambda _, tensors, n=name: tensors.update({n: np.ones(3)}),
            f"tensor '{name}' is unexpected",
        )


def test_names_for_fewer_features(path, files):
    def change(_, tensors):
        tensors["feature_names_in_.bytes"] = np.frombuffer(b"abc", np.uint8)
        tensors["feature_names_in_.offsets"] = np.arange(4)

    changed(path, files["dense"], change, "3 feature names for 4 features")


def test_of_another_class(path, files):
    def change(node, _):
        node["class"] = "KernelPegasosClassifier"

    changed(path, files["dense"], change, "KernelPegasosClassifier parameter 'n_iter' is missing")
    for name in ("KernelSDCAClassifierCV", "KernelClassifier"):
        changed(path, files["dense"], lambda node, _, n=name: node.update({"class": n}), "unknown class")


def test_the_classifier_takes_what_the_scaler_gives(path):
    model = make_pipeline(StandardScaler(), SDCA()).fit(X[::5], Y[::5])
    save_model(model, path)

    def change(node, tensors):
        name = "kernelsdcaclassifier.support_vectors_"
        tensors[name] = np.ascontiguousarray(tensors[name][:, 1:])
        node["steps"][1][1]["fitted"]["n_features_in_"] = 3

    changed(path, path.read_bytes(), change, "does not take the 4 features it is given")


@pytest.mark.parametrize("file", ["dense", "sparse"])
def test_damaged_bytes_are_refused_or_harmless(file, path, files):
    """Any byte changed, or the end cut off: an error of ours, or a model that predicts or says why not."""
    rng = np.random.default_rng(0)
    content = files[file]
    for place in rng.choice(len(content), 150, replace=False):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            model = load_model(path)
        except ModelFileError:
            continue
        with np.errstate(all="ignore"), suppress(ValueError):  # kernel values beyond single precision
            assert model.decision_function(X).shape == (len(X), 3)
    for length in rng.choice(len(content), 20, replace=False):
        path.write_bytes(content[:length])
        with pytest.raises(ModelFileError):
            load_model(path)
