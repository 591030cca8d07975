"""Fuzz the loaders of model files: ModelFileError, or a model that predicts, in both alike, and is saved."""

import json
import warnings
from copy import deepcopy

import numpy as np
from safetensors.numpy import load, save
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fastsvm
from fastsvm import ModelFileError, load_model, save_model
from fastsvm.text import BagOfWords, TermWeighting, TextScorer
from fuzzing import Choices, main, scratch

TEXTS = ["a fine pen", "a dull, dull pen", "fine ink in a pen", "no ink, dull", "ink, ink", "Übermut tut"]
PROBE = ["fine, fine ink", "", "dull übermut NO \U0001f600"]
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    2**63 - 1,
    0.5,
    -0.0,
    1e308,
    "",
    "word",
    "\x1b[31m",
    [],
    {},
    [1, 2],
]
VALUES += [
    "log",
    "hinge",
    "split",
    "float32",
    "int64",
    "rbf",
    "poly",
    "scale",
    "U",
    "b",
    "balanced",
    0.0,
    2,
    9,
]
DTYPES = [np.float32, np.float64, np.int64, np.uint8, np.int32, np.bool_, np.float16, np.uint64]
NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**63 - 1, -(2**63), 0.5, -0.0, 1e-300, 3.4e38, 1.7e308, np.inf, np.nan]


def _contents():
    """Files of one small model of each kind."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 2
    classes = np.array(["no", "yes", "ça"])
    sdca = {"max_iter": 20, "random_state": 0}
    models = [
        make_pipeline(BagOfWords(), fastsvm.SDCAClassifier("log", **sdca)).fit(TEXTS, classes[y[:6]]),
        make_pipeline(
            BagOfWords(ngram_range=(1, 2), analyzer="split", dtype=np.float32),
            TermWeighting(),
            fastsvm.PegasosClassifier(random_state=0, max_iter=2),
        ).fit(TEXTS, classes[[0, 1, 2, 0, 1, 2]]),
        make_pipeline(CountVectorizer(), fastsvm.PerceptronClassifier(random_state=0)).fit(TEXTS, y[:6]),
        make_pipeline(
            StandardScaler(), PCA(2), fastsvm.ASDCAClassifier(class_weight={0: 1.0, 1: 2.0}, max_iter=20)
        ).fit(X, y),
        fastsvm.KernelSDCAClassifier(max_iter=20, random_state=0).fit(sparse.csr_array(X * (X > 0)), y > 0),
        fastsvm.KernelPegasosClassifier(kernel="poly", random_state=0).fit(X, y * 2.0),
        make_pipeline(
            fastsvm.KernelFeatures(n_components=3, random_state=0), fastsvm.SDCAClassifier(**sdca)
        ).fit(X, y),
        make_pipeline(
            fastsvm.KernelFeatures(method="random", n_components=3, random_state=0),
            fastsvm.SDCAClassifier(**sdca),
        ).fit(X, y),
    ]
    for model in models:
        path = scratch("model", b"")
        save_model(model, path)
        with open(path, "rb") as file:
            yield file.read()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    FILES = list(_contents())
# A first byte of 0 means that a file follows; else which file to change, and how.
SEEDS = [b"\0" + content for content in FILES]
SEEDS += [bytes([k + 1, *(7 * k + j for j in range(24))]) for k in range(len(FILES))]


def target(data):
    choices = Choices(data)
    which = choices.below(len(FILES) + 1)
    content = edited(FILES[which - 1], choices) if which else choices.rest()
    path = scratch("model", content)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model, scorer = loaded(load_model, path), loaded(TextScorer.load, path)
        if model is not None:
            try_out(model, scorer)


def loaded(load, path):
    try:
        return load(path)
    except ModelFileError as error:
        message = str(error)
        assert message.startswith(path) and message.isprintable() and len(message) < 400, message
        return None


def try_out(model, scorer):
    first = model[0] if hasattr(model, "steps") else model
    inputs = PROBE
    if not isinstance(first, CountVectorizer):
        width = first.n_features_in_
        if width > 100:
            return
        inputs = np.linspace(-2, 2, 3 * width).reshape(3, width)
    method = next((m for m in ("decision_function", "transform") if hasattr(model, m)), None)
    expected = results(model, method, inputs)
    if scorer is not None:
        assert results(scorer, method, inputs) == expected
    again = scratch("again", b"")
    save_model(model, again)
    assert results(load_model(again), method, inputs) == expected


def results(model, method, inputs):
    """What a model says, as bytes; or that it cannot, as promised."""
    try:
        found = getattr(model, method)(inputs)
    except ValueError as error:
        return str(error)
    return (found.toarray() if sparse.issparse(found) else found).tobytes()


# Files that are whole but for a few changes in what they say


def edited(content, choices):
    size = int.from_bytes(content[:8], "little")
    document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["fastsvm"])
    tensors = load(content)
    for _ in range(1 + choices.below(4)):
        if choices.flag():
            edit_json(document, choices)
        else:
            edit_tensor(tensors, choices)
    return save(tensors, {"fastsvm": json.dumps(document)})


def edit_json(node, choices):
    """Change, remove or add one value somewhere in an object."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = choices.pick(keys)
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner or choices.below(8) == 0:
            break
        node = inner
    what = choices.below(8)
    if what == 0:
        del node[key]
    elif what == 1 and isinstance(node, dict):
        node[choices.pick(["tol", "n_jobs", "steps", "class", "more"])] = deepcopy(choices.pick(VALUES))
    else:
        node[key] = deepcopy(choices.pick(VALUES))


def edit_tensor(tensors, choices):
    name = choices.pick(sorted(tensors) or [""])
    if not name:
        return
    array, what = tensors[name], choices.below(8)
    if what == 0:
        del tensors[name]
    elif what == 1:
        tensors[name] = array.astype(choices.pick(DTYPES))
    elif what == 2:
        tensors[name] = array[: choices.below(len(array) + 1)].copy() if array.ndim else array
    elif what == 3:
        tensors[name] = np.concatenate([array, array]) if array.ndim else array
    elif what == 4:
        tensors[name] = array.reshape(choices.pick([(-1,), (-1, 1), (1, -1), (1, 1, -1)]))
    elif what == 5:
        tensors[choices.pick(["more", f"{name}.T", name.partition(".")[2] or "x"])] = array
    elif array.size:
        array = array.copy()
        number = choices.pick(NUMBERS) if what == 6 else choices.below(256)
        with np.errstate(all="ignore"):
            array.flat[choices.below(array.size)] = np.asarray(number).astype(array.dtype)
        tensors[name] = array


if __name__ == "__main__":
    main(target, SEEDS, "safetensors", "json")
