"""Model files of KernelFeatures: the same bits come out, and nothing else gets in."""

import json

import numpy as np
import pytest
from safetensors.numpy import load, save
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastsvm import KernelFeatures, ModelFileError, SDCAClassifier, load_model, save_model

X, Y = load_iris(return_X_y=True)

FEATURES = {
    "rbf": KernelFeatures(n_components=20, random_state=0),
    "all rows": KernelFeatures(n_components=1000, gamma=2, n_jobs=2),
    "poly": KernelFeatures("poly", n_components=9, gamma="auto", degree=2, coef0=np.float32(0.5)),
    "linear": KernelFeatures("linear", n_components=np.int64(3)),
    "sigmoid": KernelFeatures("sigmoid", n_components=30, gamma=0.01, random_state=1),
    "laplacian": KernelFeatures("laplacian", n_components=12, random_state=0),
    "random": KernelFeatures(method="random", n_components=40, random_state=0),
    "random laplacian": KernelFeatures("laplacian", method="random", n_components=40, random_state=0),
}
LAYOUTS = {"dense": np.asarray, "sparse": sparse.csr_array, "sparse matrix": sparse.csr_matrix}


def pipeline(features, dtype=np.float64, layout=np.asarray):
    classifier = SDCAClassifier(alpha=1e-3, tol=0.05, random_state=0)
    return make_pipeline(features, classifier).fit(layout(X.astype(dtype)), Y)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of good files: features of each kind, each with a classifier after it."""
    file = tmp_path_factory.mktemp("good") / "model.safetensors"

    def written(model):
        save_model(model, file)
        return file.read_bytes()

    return {
        "dense": written(pipeline(KernelFeatures(n_components=8, random_state=0))),
        "sparse": written(pipeline(KernelFeatures(n_components=8, random_state=0), layout=sparse.csr_array)),
        "random": written(pipeline(KernelFeatures(method="random", n_components=8, random_state=0))),
    }


def read(content):
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["fastsvm"]), load(content)


def changed(path, content, change, reason):
    """Check that a file with this change is refused, in one line that names it and says why."""
    document, tensors = read(content)
    tensors = {name.removeprefix("kernelfeatures."): array.copy() for name, array in tensors.items()}
    change(document["model"]["steps"][0][1], tensors)
    tensors = {
        name if "." in name and name.startswith("sdca") else f"kernelfeatures.{name}": array
        for name, array in tensors.items()
    }
    path.write_bytes(save(tensors, {"fastsvm": json.dumps(document)}))
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 300 + len(str(path))
    assert reason in message


# Round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", FEATURES.values(), ids=FEATURES)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_round_trip(features, layout, dtype, path):
    model = pipeline(features, dtype, layout)
    save_model(model, path)
    loaded = load_model(path)
    rows = layout(X.astype(dtype))
    assert model.decision_function(rows).tobytes() == loaded.decision_function(rows).tobytes()
    one, other = model[0], loaded[0]
    assert one.transform(rows).tobytes() == other.transform(rows).tobytes()
    assert other.transform(rows).dtype == dtype
    assert other.get_params() == one.get_params()
    for name in ("gamma_", "n_features_in_"):
        assert getattr(other, name) == getattr(one, name)
    assert other.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()
    assert type(other.components_) is type(one.components_)
    again = path.with_name("again.safetensors")
    save_model(loaded, again)
    assert again.read_bytes() == path.read_bytes()


def test_alone_with_names_and_after_a_scaler(path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    features = KernelFeatures(n_components=10, random_state=0).fit(frame)
    save_model(features, path)
    loaded = load_model(path)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert np.array_equal(loaded.transform(frame), features.transform(frame))
    model = make_pipeline(StandardScaler(), features, SDCAClassifier(alpha=0.1)).fit(X, Y)
    save_model(model, path)
    assert np.array_equal(load_model(path).decision_function(X), model.decision_function(X))


def test_a_loaded_one_can_be_fitted_again(path):
    features = KernelFeatures(n_components=10, random_state=0).fit(X)
    save_model(features, path)
    assert np.array_equal(load_model(path).fit(X[::2]).transform(X), features.fit(X[::2]).transform(X))


@pytest.mark.parametrize(
    ("features", "reason"),
    [
        (KernelFeatures(), "the KernelFeatures is not fitted"),
        (KernelFeatures().fit(X).set_params(method="random"), "whose method was changed after fit"),
        (KernelFeatures(method="random").fit(X).set_params(method="nystroem"), "was changed after fit"),
        (KernelFeatures().fit(X).set_params(kernel="cosine"), "kernel must be one of"),
        (KernelFeatures().fit(X).set_params(gamma=np.inf), "gamma is inf"),
        (KernelFeatures().fit(X).set_output(transform="pandas"), "set_output"),
    ],
)
def test_unsavable(features, reason, path):
    with pytest.raises(ModelFileError, match=reason):
        save_model(features, path)
    assert not path.exists()


# Hostile files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("kernel", "cosine", "kernel must be one of"),
        ("kernel", "precomputed", "kernel must be one of"),
        ("kernel", None, "parameter kernel is None"),
        ("kernel", ["rbf"], "parameter kernel is ['rbf']"),
        ("kernel", 3, "kernel must be one of"),
        ("method", "fourier", "method must be one of"),
        ("method", {}, "parameter method is {}"),
        ("n_components", 0, "n_components must be"),
        ("n_components", 8.0, "parameter n_components is 8.0"),
        ("n_components", True, "parameter n_components is True"),
        ("gamma", "os.system", "gamma must be one of"),
        ("gamma", -1.0, "gamma must be a positive number"),
        ("gamma", None, "parameter gamma is None"),
        ("degree", -1, "degree must be"),
        ("degree", 3.5, "parameter degree is 3.5"),
        ("coef0", None, "coef0 must be a finite number"),
        ("coef0", "0", "parameter coef0 is '0'"),
        ("n_jobs", "2", "parameter n_jobs is '2'"),
        ("random_state", "0", "parameter random_state is '0'"),
        ("degrees", 3, "parameter 'degrees' is unexpected"),
    ],
)
def test_hostile_parameters(name, value, reason, path, files):
    changed(path, files["dense"], lambda node, _: node["params"].update({name: value}), reason)


@pytest.mark.parametrize("name", KernelFeatures().get_params())
def test_missing_parameters(name, path, files):
    changed(path, files["dense"], lambda node, _: node["params"].pop(name), f"parameter '{name}' is missing")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("gamma_", 0.0, "gamma_ is 0.0"),
        ("gamma_", -1.0, "gamma_ is -1.0"),
        ("gamma_", 1, "gamma_ is 1, not of type float"),
        ("gamma_", "scale", "gamma_ is 'scale', not of type float"),
        ("n_features_in_", 0, "n_features_in_ is 0"),
        ("n_features_in_", 3, "components_ is of shape (8, 4), for 3 features"),
        ("n_features_in_", 2**40, "n_features_in_ is 1099511627776"),
        ("n_features_in_", 4.0, "not of type int"),
        ("n_features_in_", True, "not of type int"),
        ("other_", 1, "'other_' is unexpected"),
    ],
)
def test_hostile_attributes(name, value, reason, path, files):
    changed(path, files["dense"], lambda node, _: node["fitted"].update({name: value}), reason)


def test_missing_attributes(path, files):
    for name in ("gamma_", "n_features_in_"):
        changed(path, files["dense"], lambda node, _, n=name: node["fitted"].pop(n), f"'{name}' is missing")


def test_arrays_of_another_method(path, files):
    changed(
        path, files["dense"], lambda node, _: node["params"].update(method="random"), "'offsets_' is missing"
    )
    changed(
        path,
        files["random"],
        lambda node, _: node["params"].update(method="nystroem"),
        "'factor_' is missing",
    )
    changed(
        path, files["random"], lambda node, _: node["params"].update(kernel="poly"), "has no kernel 'poly'"
    )
    changed(
        path,
        files["dense"],
        lambda _, tensors: tensors.update(offsets_=np.ones(8)),
        "'offsets_' is unexpected",
    )


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("dense", "components_"),
        ("dense", "factor_"),
        ("sparse", "components_.data"),
        ("sparse", "components_.indices"),
        ("sparse", "components_.indptr"),
        ("sparse", "factor_"),
        ("random", "components_"),
        ("random", "offsets_"),
    ],
)
def test_hostile_arrays(file, name, path, files):
    good = read(files[file])[1][f"kernelfeatures.{name}"]

    def refused(array, reason):
        changed(path, files[file], lambda _, tensors: tensors.update({name: array}), reason)

    short = "components_" if name == "components_.indptr" else name  # without it, dense ones are looked for
    changed(path, files[file], lambda _, tensors: tensors.pop(name), f"tensor '{short}' is missing")
    for dtype in {np.int64, np.float16, np.uint8} - {good.dtype.type}:
        refused(good.astype(dtype), f"tensor '{name}' is of type {np.dtype(dtype)}")
    refused(good.astype(np.float32), "is of type float")  # unlike the other arrays
    for shape in ((), (1, 1, -1)):
        refused(good.reshape(-1)[:1].reshape(shape), f"'{name}' has {len(shape)} dimensions, not {good.ndim}")
    for array in (good[:-1].copy(), good[:0].copy(), np.concatenate([good, good])):
        refused(array, "components")
    if good.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf):
            array = good.copy()
            array.flat[-1] = value
            refused(array, f"tensor '{name}' has values that are not finite")


def test_hostile_factors(path, files):
    for place, value in (((0, 7), 1e-300), ((0, 0), 0.0), ((0, 0), -0.0), ((7, 7), -1.0)):
        changed(
            path,
            files["dense"],
            lambda _, tensors, p=place, v=value: tensors["factor_"].__setitem__(p, v),
            "factor_ is not lower triangular with a positive diagonal",
        )
    changed(
        path,
        files["dense"],
        lambda _, tensors: tensors.update(factor_=np.ascontiguousarray(tensors["factor_"][:7, :7])),
        "factor_ of shape (7, 7) for 8 components",
    )
    changed(
        path,
        files["random"],
        lambda _, tensors: tensors.update(offsets_=tensors["offsets_"][:7].copy()),
        "offsets_ of shape (7,) for 8 components",
    )


@pytest.mark.parametrize(
    ("name", "place", "value", "reason"),
    [
        ("indices", 0, -1, "indices are not 32 columns below 4"),
        ("indices", 0, 4, "indices are not 32 columns below 4"),
        ("indices", 0, 2**62, "indices are not 32 columns below 4"),
        ("indices", 1, 0, "not in ascending order"),
        ("indices", 4, 3, "not in ascending order"),
        ("indptr", 0, 1, "indptr does not span the 32 values"),
        ("indptr", 0, -1, "indptr does not span"),
        ("indptr", -1, 33, "indptr does not span"),
        ("indptr", -1, 2**63 - 1, "indptr does not span"),
        ("indptr", 3, 33, "indptr does not span"),
        ("indptr", 3, -1, "indptr does not span"),
        ("indptr", 1, 5, "not in ascending order"),
    ],
)
def test_hostile_sparse_components(name, place, value, reason, path, files):
    changed(
        path,
        files["sparse"],
        lambda _, tensors: tensors[f"components_.{name}"].__setitem__(place, value),
        reason,
    )


def test_empty_sparse_components(path):
    """Rows without values, the first and last too, are rows; no rows are not."""
    rows = sparse.csr_array(np.array([[0, 0], [1, 2], [0, 0], [0, 3], [0, 0]], dtype=float))
    features = KernelFeatures(gamma=1.0).fit(rows)
    features.components_ = rows
    features.factor_ = np.eye(5)
    save_model(features, path)
    assert np.array_equal(load_model(path).components_.toarray(), rows.toarray())
    features.components_, features.factor_ = rows[:0], np.eye(0)
    with pytest.raises(ModelFileError, match="indptr does not span the 0 values"):
        save_model(features, path)


def test_the_classifier_takes_what_the_features_give(path, files):
    def change(_, tensors):
        name = "sdcaclassifier.coef_"
        tensors[name] = np.ascontiguousarray(tensors[name][:, 1:])

    changed(path, files["dense"], change, "does not take the 8 features it is given")
