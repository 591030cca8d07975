"""Model files: what a good one keeps, and how tampered ones are made and refused."""

import json
from functools import partial

import numpy as np
import pytest
from safetensors.numpy import load, save

from fastsvm import ModelFileError, load_model, save_model
from rounding import assert_close

LABELS = {  # of every kind that a file holds
    "str": np.array(["ja", "nein"]),
    "object": np.array(["ja", "vielleicht: ≥ 50 %"], dtype=object),
    "bool": np.array([False, True]),
    "int8": np.array([-1, 1], dtype=np.int8),
    "uint64": np.array([0, 2**64 - 1], dtype=np.uint64),
    "float": np.array([-1.0, 1.0]),
    "three": np.array(["a", "b", "ç"]),
}

# What is wrong with parameters, attributes and rows that several estimators have: name, value, reason.
KERNEL_PARAMETERS = [
    ("kernel", "cosine", "kernel must be one of"),
    ("kernel", None, "parameter kernel is None"),
    ("kernel", ["rbf"], "parameter kernel is ['rbf']"),
    ("kernel", {"rbf": 1}, "parameter kernel is {'rbf': 1}"),
    ("kernel", 3, "kernel must be one of"),
    ("gamma", "os.system", "gamma must be one of"),
    ("gamma", -1.0, "gamma must be a positive number"),
    ("gamma", None, "parameter gamma is None"),
    ("degree", -1, "degree must be"),
    ("degree", 3.5, "parameter degree is 3.5"),
    ("coef0", None, "coef0 must be a finite number"),
    ("coef0", "0", "parameter coef0 is '0'"),
    ("n_jobs", "2", "parameter n_jobs is '2'"),
    ("n_jobs", 1025, "parameter n_jobs is 1025"),
    ("n_jobs", True, "parameter n_jobs is True"),
    ("random_state", "0", "parameter random_state is '0'"),
    ("degrees", 3, "parameter 'degrees' is unexpected"),
]
KERNEL_ATTRIBUTES = [
    ("gamma_", 0.0, "gamma_ is 0.0"),
    ("gamma_", -1.0, "gamma_ is -1.0"),
    ("gamma_", 1, "gamma_ is 1, not of type float"),
    ("gamma_", "scale", "gamma_ is 'scale', not of type float"),
    ("n_features_in_", 0, "n_features_in_ is 0"),
    ("n_features_in_", 2**40, "n_features_in_ is 1099511627776"),
    ("n_features_in_", 4.0, "not of type int"),
    ("n_features_in_", True, "not of type int"),
]
SPARSE_ROWS = [  # of eight rows of four values: array, place, value, reason
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
]


def round_trip(model, path):
    save_model(model, path)
    return load_model(path)


def assert_same_predictions(one, other, X, digits=1.0):
    """Check that two models predict the same: up to rounding where BLAS is called for arrays that lie apart.

    It is not for texts, and kernel machines lay out all that they multiply.
    """
    exact = isinstance(X, list) or hasattr(one, "support_vectors_")
    same = np.testing.assert_array_equal if exact else partial(assert_close, digits=digits)
    same(one.decision_function(X), other.decision_function(X))
    assert one.decision_function(X).dtype == other.decision_function(X).dtype
    assert np.array_equal(one.predict(X), other.predict(X))
    assert one.predict(X).dtype == other.predict(X).dtype
    if hasattr(one, "predict_proba"):
        same(one.predict_proba(X), other.predict_proba(X))


def assert_saved_alike(loaded, path):
    """Check that a loaded model is saved as the file it came from."""
    again = path.with_name("again.safetensors")
    save_model(loaded, again)
    assert again.read_bytes() == path.read_bytes()


def read(content):
    """Take a model file apart: the JSON and the tensors."""
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["fastsvm"]), load(content)


def put(document, tensors, **metadata):
    text = document if isinstance(document, str) else json.dumps(document)
    return save(tensors, {"fastsvm": text, **metadata})


def refuses(path, content, reason):
    """Check that a file is refused in one line that names it and says why."""
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: "), message
    assert "\n" not in message, message
    assert len(message) < 300 + len(str(path)), message
    assert reason in message, message


def changed(path, good, change, reason):
    """Check that a good file is refused once its description of the model, or its tensors, are changed."""
    document, tensors = read(good)
    change(document["model"], tensors)
    refuses(path, put(document, tensors), reason)


def refuses_arrays(path, good, name, reason, missing, step=""):
    """Check that a tensor may not be missing, of another type, shape (`reason`) or length, or not finite.

    `missing` is the name it is missed by; `step` is what comes before the name in a pipeline's file.
    """
    array = read(good)[1][step + name]

    def refused(other, reason):
        changed(path, good, lambda _, tensors: tensors.update({step + name: other}), reason)

    changed(path, good, lambda _, tensors: tensors.pop(step + name), f"tensor '{missing}' is missing")
    for dtype in {np.int64, np.uint32, np.float16, np.uint8, np.bool_} - {array.dtype.type}:
        refused(array.astype(dtype), f"tensor '{name}' is of type {np.dtype(dtype)}")
    for shape in ((), (1, 1, -1)):
        some = array.reshape(-1)[:1].reshape(shape)
        refused(some, f"'{name}' has {len(shape)} dimensions, not {array.ndim}")
    for other in (array[:-1].copy(), array[:0].copy(), np.concatenate([array, array])):
        refused(other, reason)
    if array.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf):
            other = array.copy()
            other.flat[-1] = value
            refused(other, f"tensor '{name}' has values that are not finite")
