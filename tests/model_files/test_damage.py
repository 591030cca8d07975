"""Damaged and hostile model files: one line of ModelFileError, or a model that works."""

import json
import pickle
import struct
import warnings
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from fastsvm import (
    KernelFeatures,
    KernelPegasosClassifier,
    KernelSDCAClassifier,
    ModelFileError,
    PegasosClassifier,
    PerceptronClassifier,
    SDCAClassifier,
    load_model,
    save_model,
)
from fastsvm.fitting import Calibration
from fastsvm.text import BagOfWords, TermWeighting, TextScorer, lower_without_markup
from model_files import put, read, refuses

TEXTS = ["a fine pen", "a dull, dull pen", "fine ink in a pen", "no ink, dull", "ink, ink", "Übermut tut"]
PROBE = ["fine, fine ink", "", "dull übermut NO \U0001f600"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 4))
TWO, THREE = np.array(["neg", "pos"])[np.arange(12) % 2], np.array(["a", "b", "ç"])[np.arange(12) % 3]


def calibrated():
    model = make_pipeline(BagOfWords(stop_words=["quick"]), TermWeighting(), SDCAClassifier("log", alpha=0.1))
    model.fit(TEXTS, TWO[:6])
    model[-1].calibration_ = Calibration(np.ones(1), np.zeros(1))
    return model


def named():
    model = make_pipeline(StandardScaler(), PCA(3, random_state=0), PegasosClassifier(max_iter=2)).fit(X, TWO)
    model[0].feature_names_in_ = np.array(["größe", "𝒳", "c", "d"], dtype=object)
    return model


MODELS = {
    "words": lambda: make_pipeline(CountVectorizer(), SDCAClassifier("log", alpha=0.1)).fit(TEXTS, TWO[:6]),
    "bag": calibrated,
    "markup": lambda: make_pipeline(BagOfWords(preprocessor=lower_without_markup), SDCAClassifier()).fit(
        TEXTS, TWO[:6]
    ),
    "union": lambda: make_pipeline(
        FeatureUnion([("words", BagOfWords()), ("characters", BagOfWords(analyzer="char_wb"))]),
        PerceptronClassifier(class_weight={"a": 1.0, "b": 2.0, "ç": 2.0}),
    ).fit(TEXTS, THREE[:6]),
    "image": named,
    "numbers": lambda: PerceptronClassifier().fit(X, np.arange(12) % 2 + 1),
    "truth": lambda: PerceptronClassifier().fit(X, np.arange(12) % 2 > 0),
    "kernel": lambda: KernelSDCAClassifier(alpha=10, random_state=0).fit(X[:8], THREE[:8]),
    "sparse kernel": lambda: KernelSDCAClassifier(alpha=10).fit(sparse.csr_array(X[:8]), THREE[:8]),
    "pegasos": lambda: KernelPegasosClassifier(kernel="poly", random_state=0).fit(X, np.arange(12.0) % 2),
    "features": lambda: make_pipeline(
        KernelFeatures(n_components=8, random_state=0), SDCAClassifier(alpha=0.1)
    ).fit(X, TWO),
    "random": lambda: KernelFeatures(method="random", n_components=8, random_state=0).fit(X),
}


@cache
def good(name):
    """Return the bytes of a good file."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        items = np.arange(10, dtype=np.uint8).reshape(2, 5)
        save_model(MODELS[name](), Path(folder, "m"), {"training_items": items} if name == "bag" else None)
        return Path(folder, "m").read_bytes()


# Any damage ----------------------------------------------------------------------------------------------

VALUES = st.sampled_from(
    [
        *(None, True, 0, 1, -1, 2, 9, 2**31, 2**62, 0.0, 0.5, -0.0, 1e308, "", "word", "x" * 999, "\x1b[31m"),
        *("log", "hinge", "split", "float32", "rbf", "U", "i", "b", "balanced", "__class__", "random"),
        *([], [[]], [1, 2], {}, {"a": 1}),
    ]
)
NUMBERS = st.sampled_from(
    [0, 1, -1, 2, 255, 2**31, 2**63 - 1, -(2**63), 0.5, 1e-300, 3.4e38, 1.7e308, np.inf, np.nan]
)
TYPES = [np.float32, np.float64, np.int64, np.uint8, np.int32, np.bool_, np.float16, np.uint64]
SHAPES = [(-1,), (-1, 1), (1, -1), (1, 1, -1)]


def places(value):
    """Yield each object or list within a JSON value, with each of its keys."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def edit_field(document, draw):
    parent, key = draw(st.sampled_from([*places(document)]))
    if draw(st.integers(0, 5)) == 0:
        del parent[key]
    elif isinstance(parent, dict) and draw(st.integers(0, 7)) == 0:
        parent[draw(st.sampled_from(["tol", "n_jobs", "steps", "class", "more"]))] = deepcopy(draw(VALUES))
    else:
        parent[key] = deepcopy(draw(VALUES))


def edit_tensor(tensors, draw):
    if not tensors:
        return
    name = draw(st.sampled_from(sorted(tensors)))
    array = tensors[name]
    match draw(st.sampled_from(["drop", "type", "cut", "double", "shape", "copy", "number", "number"])):
        case "drop":
            del tensors[name]
        case "type":
            tensors[name] = array.astype(draw(st.sampled_from(TYPES)))
        case "cut" if array.ndim:
            tensors[name] = array[: draw(st.integers(0, len(array)))].copy()
        case "double" if array.ndim:
            tensors[name] = np.concatenate([array, array])
        case "shape":
            tensors[name] = array.reshape(draw(st.sampled_from(SHAPES)))
        case "copy":
            tensors[draw(st.sampled_from(["more", f"{name}.T", name.partition(".")[2] or "x"]))] = array
        case "number" if array.size:
            tensors[name] = array.copy()
            place = draw(st.integers(0, array.size - 1))
            tensors[name].flat[place] = np.asarray(draw(NUMBERS)).astype(array.dtype)


@st.composite
def damaged(draw, content):
    """Files with fields or tensors changed, with other bytes, or without an end."""
    kind = draw(st.sampled_from(["fields", "fields", "tensors", "tensors", "both", "bytes", "end"]))
    if kind == "end":
        return content[: draw(st.integers(0, len(content) - 1))]
    if kind == "bytes":
        changed = bytearray(content)
        for _ in range(draw(st.integers(1, 3))):
            changed[draw(st.integers(0, len(content) - 1))] ^= draw(st.integers(1, 255))
        return bytes(changed)
    document, tensors = read(content)
    for _ in range(draw(st.integers(1, 3))):
        if kind != "tensors":
            edit_field(document, draw)
        if kind != "fields":
            edit_tensor(tensors, draw)
    return put(document, tensors)


def loaded(load, path):
    """Return the model; None if it is refused, in one line that names the file."""
    try:
        return load(path)
    except ModelFileError as error:
        message = str(error)
        assert message.startswith(f"{path}: "), message
        assert message.isprintable(), message
        assert len(message) < 300 + len(str(path)), message
        return None


def results(model, inputs):
    """Return a model's results as bytes, or its message if it cannot have any."""
    method = next((m for m in ("decision_function", "transform") if hasattr(model, m)), "predict")
    try:
        found = getattr(model, method)(inputs)
    except ValueError as error:
        return str(error)
    return (found.toarray() if sparse.issparse(found) else found).tobytes()


def check_harmless(content, path):
    """Check that both readers refuse a file, or that its model predicts and is saved alike."""
    path.write_bytes(content)
    model, scorer = loaded(load_model, path), loaded(TextScorer.load, path)
    if model is None:
        assert scorer is None
        return
    width = getattr(model[0] if hasattr(model, "steps") else model, "n_features_in_", None)
    if width is not None and width > 100:
        return
    inputs = PROBE if width is None else np.linspace(-2, 2, 3 * width).reshape(3, width)
    expected = results(model, inputs)
    if scorer is not None:
        assert results(scorer, inputs) == expected
    again = path.with_name("again")
    save_model(model, again)
    assert results(load_model(again), inputs) == expected


USUAL = {"deadline": None, "suppress_health_check": [*HealthCheck]}


AT_LENGTH = pytest.param({"max_examples": 1500, "derandomize": False}, marks=pytest.mark.fuzz)


@pytest.mark.parametrize("more", [{"max_examples": 100, "derandomize": True}, AT_LENGTH], ids=str)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_any_damage_is_refused_or_harmless(name, more, path):
    @settings(database=None, **USUAL, **more)
    @given(damaged(good(name)))
    def check(content):
        with np.errstate(all="ignore"):
            check_harmless(content, path)

    check()


# A case for each check of a field ------------------------------------------------------------------------

GONE = object()
FIELDS = [
    ("bag", "schema", 4, "its schema is 4, but this fastsvm reads 3; train it again"),
    ("bag", "about", GONE, "'about' is missing"),
    ("bag", "about", [], "about is [], not of type dict"),
    ("bag", "more", 1, "'more' is unexpected"),
    ("numbers", "model.class", "os.system", "unknown class 'os.system'"),
    ("kernel", "model.class", "KernelPegasosClassifier", "parameter 'n_iter' is missing"),
    ("bag", "model.steps", "steps", "steps is 'steps', not of type list"),
    ("bag", "model.steps.1", "x", "not a name and an object"),
    ("bag", "model.steps", [["x", {}]] * 18, "a pipeline of 18 steps"),
    ("bag", "2.params.alpha", -0.1, "alpha must be"),
    ("bag", "2.params.n_jobs", 1025, "parameter n_jobs is 1025"),
    ("bag", "2.params.random_state", -1, "parameter random_state is -1"),
    ("bag", "2.params.class_weight", [["pos"]], "class_weight is not a list of pairs"),
    ("bag", "2.params.class_weight", [["pos", 1.0]] * 2, "class_weight: a label occurs twice"),
    ("bag", "2.fitted.predict", 1, "attribute 'predict' is unexpected"),
    ("bag", "2.fitted.n_iter_", 2**62 + 1, "n_iter_ is 4611686018427387905"),
    ("bag", "2.fitted.objective_", [1.0, 2.0], "objective_ has 2 values, not 1"),
    ("numbers", "fitted.classes_", "u", "classes_ is of type int64, but described as 'u'"),
    ("words", "0.params.ngram_range", [2, 1], "ngram_range is [2, 1]"),
    ("bag", "0.params.ngram_range", [1, 10**9], "ngram_range is [1, 1000000000]"),
    ("bag", "0.params.token_pattern", "(a+)+$", "token_pattern is '(a+)+$'"),
    ("markup", "0.params.preprocessor", "murkup", "preprocessor is 'murkup'"),
    ("union", "0.params.bags", {}, "bags is {}, not of type list"),
    ("bag", "1.fitted.n_features_in_", 3, "weights_ is of shape (8,), not (3,)"),
    ("image", "0.params.with_mean", 1, "with_mean is 1, not of type bool"),
    ("image", "0.fitted.n_features_in_", 2**62, f"n_features_in_ is {2**62}"),
    ("image", "0.fitted.mean_", [0.0], "'mean_' is unexpected"),
    ("kernel", "params.kernel", "precomputed", "with kernel='precomputed', only with linear, poly"),
    ("kernel", "fitted.gamma_", 0.0, "gamma_ is 0.0"),
    ("kernel", "fitted.n_features_in_", 3, "support_vectors_ is of shape (8, 4), not (8, 3)"),
    ("random", "params.method", "nystroem", "'factor_' is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "place", "value", "reason"), FIELDS)
def test_a_field_that_cannot_be_right(name, place, value, reason, path):
    document, tensors = read(good(name))
    parent, *keys = document, *place.split(".")
    if keys[0].isdigit():  # a step of the pipeline
        parent, keys = document["model"]["steps"][int(keys[0])][1], keys[1:]
    elif keys[0] in ("params", "fitted"):
        parent = document["model"]
    *keys, last = [int(key) if key.isdigit() else key for key in keys]
    for key in keys:
        parent = parent[key]
    if value is GONE:
        del parent[last]
    else:
        parent[last] = value
    refuses(path, put(document, tensors), reason)


def set_at(place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


def of(values, dtype=None):
    return lambda array: np.array(values, dtype or array.dtype)


def text(content):
    return lambda array: np.frombuffer(content, np.uint8)


VOCABULARY, LABELS = "bagofwords.vocabulary", "sdcaclassifier.classes_"


def strings(name, content, offsets):
    return {f"{name}.bytes": text(content), f"{name}.offsets": of(offsets)}


TENSORS = [  # the file, changes of its tensors, the reason
    ("bag", {"sdcaclassifier.coef_": None}, "tensor 'coef_' is missing"),
    ("bag", {"sdcaclassifier.other": of([1.0], float)}, "tensor 'other' is unexpected"),
    ("bag", {"sdcaclassifier.coef_": lambda a: np.vstack([a, a])}, "coef_ is of shape (2, 8), not (1, 8)"),
    ("bag", {"sdcaclassifier.coef_": lambda a: a[:, 1:]}, "does not take the"),
    ("bag", {"sdcaclassifier.squares_": of([[1.0]], float)}, "squares_ is of shape (1, 1), not (1, 8)"),
    ("bag", {f"{LABELS}.offsets": of([0, 6])}, "not have two or more labels in ascending order"),
    ("bag", {f"{LABELS}.offsets": of([-6, 3, 6])}, "offsets do not span the 6 bytes"),
    ("bag", {f"{LABELS}.offsets": of([0, 2**62, 6])}, "offsets decrease"),
    ("bag", {f"{LABELS}.bytes": text(b"neg\xff\xfe!")}, "invalid UTF-8"),
    ("bag", {"training_items": lambda a: a.view(np.int8)}, "training_items is of type int8"),
    ("bag", {"training_items": lambda a: a[:, :4]}, "training_items is of type uint8 and shape (2, 4)"),
    ("bag", strings(LABELS, "néo".encode() + b"xx", [0, 2, 6]), "invalid UTF-8"),
    ("bag", strings(LABELS, b"aa", [0, 1, 2]), "a string occurs twice"),
    ("bag", strings(VOCABULARY, b"aab", [0, 1, 2, 3]), "a term occurs twice"),
    ("bag", strings(VOCABULARY, b"ab", [0, 1, 2]), "does not take the 2 features that it gets"),
    ("words", {"countvectorizer.vocabulary.bytes": lambda a: a * 0 + ord("a")}, "a string occurs twice"),
    ("bag", {"termweighting.weights_": lambda a: a[:-1]}, "weights_ is of shape (7,), not (8,)"),
    ("bag", {"termweighting.weights_": lambda a: a + 1e5}, "weights_ has values beyond 10,000"),
    ("numbers", {"classes_": of([2, 1])}, "ascending order"),
    ("numbers", {"classes_": of([1, 2], np.uint8)}, "classes_ is of type uint8, but described as 'i'"),
    ("image", {"standardscaler.scale_": set_at(-1, 0.0)}, "scale_ has values that are not positive"),
    ("image", {"standardscaler.var_": set_at(-1, -1e-300)}, "var_ has negative values"),
    ("image", strings("standardscaler.feature_names_in_", b"abc", [0, 1, 2, 3]), "3 feature names for 4"),
    ("kernel", {"dual_coef_": lambda a: a[:, 1:]}, "dual_coef_ is of shape (3, 7), not (3, 8)"),
    ("kernel", {"support_": lambda a: a[1:]}, "support_ is of shape (7,), not (8,)"),
    ("kernel", {"support_": set_at(0, -1)}, "support_ is not a list of row numbers in ascending order"),
    ("kernel", {"support_": set_at(1, 0)}, "support_ is not a list of row numbers in ascending order"),
    ("sparse kernel", {"support_vectors_.indices": set_at(0, -1)}, "must be 32 column numbers from 0 to 3"),
    ("sparse kernel", {"support_vectors_.indices": set_at(4, 3)}, "not in ascending order"),
    ("sparse kernel", {"support_vectors_.indptr": set_at(0, 1)}, "indptr does not span the 32 values"),
    ("sparse kernel", {"support_vectors_.indptr": set_at(-1, 2**63 - 1)}, "indptr does not span"),
    ("sparse kernel", {"support_vectors_.indptr": set_at(1, 5)}, "not in ascending order"),
    ("features", {"kernelfeatures.factor_": set_at((0, 7), 1e-300)}, "factor_ is not lower triangular"),
    ("features", {"kernelfeatures.factor_": set_at((7, 7), 0.0)}, "factor_ is not lower triangular"),
    ("features", {"kernelfeatures.factor_": lambda a: a[:7, :7]}, "factor_ is of shape (7, 7), not (8, 8)"),
    ("random", {"offsets_": lambda a: a[:7]}, "offsets_ is of shape (7,), not (8,)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "reason"), TENSORS)
def test_a_tensor_that_cannot_be_right(name, changes, reason, path):
    document, tensors = read(good(name))
    for tensor, change in changes.items():
        if change is None:
            del tensors[tensor]
        else:
            tensors[tensor] = np.ascontiguousarray(change(tensors.get(tensor)))
    refuses(path, put(document, tensors), reason)


@pytest.mark.parametrize("name", MODELS)
def test_every_tensor_has_its_type_and_rank_and_finite_numbers(name, path):
    document, tensors = read(good(name))
    tensors.pop("training_items", None)  # is nothing of the model
    for key, array in tensors.items():
        if not key.endswith("classes_"):  # which may be of any type
            refuses(path, put(document, tensors | {key: array.astype(np.float16)}), "is of type float16")
        refuses(path, put(document, tensors | {key: array[None].copy()}), "dimensions, not")
        if array.dtype.kind == "f":
            refuses(path, put(document, tensors | {key: array * np.nan}), "has values that are not finite")


# What changes of a good file do not reach ----------------------------------------------------------------


def raw(header, data=b""):
    """Write a safetensors file by hand, as the library would not write it."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(header)) + header + data


EMPTY = {"dtype": "F64", "shape": [0, 2**63], "data_offsets": [0, 0]}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a safetensors file, or damaged"),
        (b"#!/bin/sh\nrm -rf ~\n", "not a safetensors file, or damaged"),
        (save({"weight": np.ones((2, 3))}, {"format": "pt"}), "not a fastsvm model"),
        (raw({"__metadata__": None}), "not a fastsvm model"),
        (put({}, {}, format="np"), "'format' is unexpected"),
        (struct.pack("<Q", 2**64 - 1) + b"{}", "damaged"),
        (raw(b" " * (1 << 25) + b"{}"), "header too large"),
        (raw(b"[" * 10**6), "damaged"),
        (raw(b'{"__metadata__":{"fastsvm":"1","fastsvm":"2"}}'), "a key occurs twice"),
        (raw(b'{"__metadata__":{"fastsvm":"\xff"}}'), "damaged"),
        (raw({"a": EMPTY}), "beyond 64 bits"),
        (raw({"a": {**EMPTY, "shape": [0, 2**62]}}), "impossible shape"),
        (raw({"a": {**EMPTY, "dtype": "BF16", "shape": [0]}}), "is of type BF16"),
        (raw({"a": {**EMPTY, "shape": [2], "data_offsets": [0, 8]}}, b"12345678"), "damaged"),
        (put("null", {}), "unknown schema None"),
        (put('{"schema": 1} {}', {}), "damaged metadata"),
        (put('{"schema": 1, "schema": 1}', {}), "a key occurs twice"),
        (put('{"schema": NaN}', {}), "not finite"),
        (put('{"schema": 1e999}', {}), "not finite"),
        (put('{"schema": ' + "9" * 10**6 + "}", {}), "beyond 64 bits"),
        (put("[" * 10**5 + "]" * 10**5, {}), "nested too deeply"),
        (put({**read(good("bag"))[0], "model": {"class": "Pipeline", "steps": []}}, {}), "no steps"),
    ],
    ids=range(22),
)
def test_files_that_are_not_models(content, reason, path):
    refuses(path, content, reason)


def test_a_pickle_is_never_opened(path):
    class Boom:
        def __reduce__(self):
            return pytest.fail, ("a pickle was opened",)

    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        refuses(path, pickle.dumps([Boom()] * 50, protocol), "not a safetensors file, or damaged")


def test_steps_must_fit_each_other(path):
    document, tensors = read(good("image"))
    document["model"]["steps"].append(document["model"]["steps"].pop(0))
    refuses(path, put(document, tensors), "step 'standardscaler' does not take the 0 features")
    document, tensors = read(good("bag"))
    document["model"]["steps"][1] = ["outer", {"class": "Pipeline", "steps": []}]
    refuses(path, put(document, tensors), "'params' is missing")


@pytest.mark.parametrize("name", ["a__b", "a.b", "a\nb", "steps", "?"])
def test_names_that_steps_cannot_have(name, path):
    document, tensors = read(good("bag"))
    document["model"]["steps"][1][0] = name
    tensors[f"{name}.weights_"] = tensors.pop("termweighting.weights_")
    refuses(path, put(document, tensors), f"step named {name!r}")


def test_views_of_components(path):
    """The file names one view of an array, which the reader undoes."""
    document, tensors = read(good("image"))
    [name] = [name for name in tensors if "components_" in name]
    components = load_components(path, good("image"))
    del tensors[name]
    flipped = {"pca.components_.flipud": components[::-1].copy()}
    assert np.array_equal(load_components(path, put(document, tensors | flipped)), components)
    both = flipped | {"pca.components_": components.copy()}
    refuses(path, put(document, tensors | both), "is unexpected")
    refuses(path, put(document, tensors | {"pca.components_.fliplr": components.copy()}), "is missing")


def load_components(path, content):
    path.write_bytes(content)
    return load_model(path)[1].components_


def test_one_long_label_does_not_fill_the_memory(path):
    """An array of a million labels as wide as the longest would take 2 TB."""
    document, tensors = read(good("bag"))
    labels = [f"{number:06}" for number in range(10**5)] + ["x" * 10**6]
    tensors[f"{LABELS}.bytes"] = np.frombuffer("".join(labels).encode(), np.uint8)
    tensors[f"{LABELS}.offsets"] = np.cumsum([0, *map(len, labels)])
    refuses(path, put(document, tensors), "labels are too long")


def test_a_cache_beyond_all_memory_is_harmless(path):
    document, tensors = read(good("pegasos"))
    document["model"]["params"]["cache_size"] = 1e308
    check_harmless(put(document, tensors), path)


def test_bytes_that_are_no_booleans(path):
    assert good("truth").endswith(b"\0\1"), "booleans come last in the file"
    refuses(path, good("truth")[:-1] + b"\2", "neither true nor false")
