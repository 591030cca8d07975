"""Model files: save and load, take apart and put together, and check that one is refused."""

import json
from functools import partial

import numpy as np
import pytest
from safetensors.numpy import load, save
from scipy import sparse

from fastsvm import ModelFileError, load_model, save_model
from fastsvm.model_files.registry import codec_of
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


def round_trip(model, path):
    save_model(model, path)
    return load_model(path)


def assert_round_trip(model, path, *inputs, digits=1.0):
    """Check that what comes out of a file is what went in, with the same results; return it."""
    loaded = round_trip(model, path)
    assert_same_model(model, loaded)
    for X in inputs:
        assert_same_predictions(model, loaded, X, digits)
    assert_saved_alike(loaded, path)
    return loaded


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


def assert_same_model(one, other):
    """Check that a loaded model has the parameters of the saved one, and the fields of its table."""
    assert type(other) is type(one)
    for (_, ours), (_, theirs) in zip(*(getattr(m, "steps", [("", m)]) for m in (one, other)), strict=True):
        assert type(theirs) is type(ours)
        assert getattr(theirs, "n_features_in_", None) == getattr(ours, "n_features_in_", None)
        codec = codec_of(type(ours).__name__)
        if switches := getattr(codec, "switches", ()):
            assert all(getattr(theirs, name) == getattr(ours, name) for name in switches)
        elif hasattr(codec, "fields"):
            assert theirs.get_params() == ours.get_params()
        if hasattr(ours, "get_feature_names_out"):
            assert list(theirs.get_feature_names_out()) == list(ours.get_feature_names_out())
        for field in getattr(codec, "fields", ()):
            assert_same_field(getattr(ours, field.name, None), getattr(theirs, field.name, None))


def assert_same_field(one, other):
    assert sparse.issparse(other) == sparse.issparse(one)
    one, other = (value.toarray() if sparse.issparse(value) else value for value in (one, other))
    assert isinstance(other, type(one.item() if isinstance(one, np.generic) else one))
    if isinstance(one, np.ndarray):
        assert other.dtype == one.dtype
    np.testing.assert_array_equal(other, one)


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
