"""Fitted models in safetensors files: arrays as tensors, settings as JSON, and never a pickle.

The file's metadata has one key, ``"fastsvm"``, whose value is a JSON object::

    {"schema": 1, "version": "0.1.0", "model": NODE}

where ``NODE`` is ``{"class": ..., "params": {...}, "fitted": {...}}``, or for a pipeline
``{"class": "Pipeline", "steps": [[name, NODE], ...]}``. Tensors are named after the attribute they hold,
in a pipeline with the step's name before it: ``classifier.coef_``. A list of strings is a pair of tensors,
``.bytes`` (UTF-8, end to end) and ``.offsets`` (where each begins, and where the last ends). An array of a
transformer that lies in memory by columns or upside down is stored as that other view of it, ``.T`` or
``.flipud``: the last bits of a product depend on it.

A reader trusts nothing in the file: the class is looked up in a closed table, names of fields and tensors
must be exactly the expected ones (but a file may lack parameters of the training that are newer than it is),
and every type, shape, offset and value is checked before it is used.
"""

import contextlib
import json
import math
import os
import re
import reprlib
import secrets
import stat
from importlib.metadata import version
from itertools import chain, pairwise

import numpy as np
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from .linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
from .text import BagOfWords, TermWeighting
from .text._terms import are_ascending
from .text.reading import DEFAULT_PATTERN, PATTERNS, SPLIT_PATTERN
from .text.terms import Terms

__all__ = ["ModelFileError", "load_model", "save_model"]

SCHEMA = 1
KEY = "fastsvm"
MAX_HEADER = 1 << 24  # bytes of JSON; real models have a few hundred
MAX_STEPS = 16
MAX_NGRAM = 16
MAX_LABELS = 1 << 24  # characters of a padded array of labels: one long label widens all the others
MAX_FEATURES = 1 << 24  # of a transformer; a scaler that does nothing has no array to show for them

# A pattern stored in a file could be one that takes for ever to match; the file only names one of these.
# These, and all of PATTERNS, take time in proportion to the text.
ANALYZERS = {"words": DEFAULT_PATTERN, "split": SPLIT_PATTERN}
READING = {
    "analyzer": ("word", "split"),
    "token_pattern": tuple(PATTERNS),
    "stop_words": (None, "english", "listed"),
    "strip_accents": (None, "ascii", "unicode"),
}
COUNTS = ("int32", "int64", "float32", "float64")

# The file's names of the types a tensor may have, in its byte order.
TYPES = {
    **{"BOOL": "?", "F16": "<f2", "F32": "<f4", "F64": "<f8"},
    **{"I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8"},
    **{"U8": "<u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"},
}
LABELS = tuple(map(np.dtype, TYPES.values()))
FLOATS = (np.dtype("<f4"), np.dtype("<f8"))
OFFSETS = (np.dtype("<i8"),)
BYTES = (np.dtype("u1"),)

# Views of an array by what their names end with; each undoes itself.
VIEWS = {"": np.asarray, ".T": np.transpose, ".flipud": np.flipud}

# Parameters that classifiers have got since the first files were written, which lack them: the default holds.
# None of them matters to a prediction.
LATER = ("certify", "solver", "trace", "warm_start")

# What may be given for a parameter whose default is of that type; `_check_params` knows the rest.
LIKE = {
    bool: (bool, int),
    int: (int,),
    float: (float, int, type(None)),
    str: (str, float, int),
    type(None): (int, type(None)),
}


class ModelFileError(ValueError):
    """A model that cannot be stored in a file, or a file from which no model can be read."""


def save_model(model, path):
    """Write a fitted model to a safetensors file.

    The file is complete or not there at all: it is written beside `path` under another name, flushed to
    the disk and then renamed, so that whatever goes wrong leaves an earlier file at `path` as it was.

    Parameters
    ----------
    model : estimator
        A fitted :class:`SDCAClassifier`, :class:`ASDCAClassifier`, :class:`PegasosClassifier` or
        :class:`PerceptronClassifier`, a :class:`fastsvm.text.BagOfWords` or scikit-learn ``CountVectorizer``
        with a vocabulary, a :class:`fastsvm.text.TermWeighting`, a scikit-learn ``StandardScaler`` or
        ``PCA``, or a scikit-learn ``Pipeline`` of these.
    path : str or path-like
        Where to write. An existing file is replaced.

    Raises
    ------
    ModelFileError
        If the model is of another class, is not fitted, or has settings that a file cannot hold: a
        callable, a token pattern that is not one of those that ``BagOfWords`` compiles, a
        ``CountVectorizer``'s stop words, data frames as output.
    OSError
        If the file cannot be written.

    Notes
    -----
    What predictions need is kept exactly: the parameters, ``coef_`` and ``intercept_`` in their precision,
    ``classes_``, ``feature_names_in_``, and with them ``n_iter_``, ``t_``, ``objective_`` and ``dual_gap_``
    as far as they are finite. What only training needs is not: ``dual_coef_``, ``history_``, the averages
    of ``partial_fit``, a random generator given as `random_state` (an integer is kept), a vectorizer's
    limits on document frequency and its `n_jobs`, a pipeline's cache. A ``CountVectorizer`` comes back with
    its vocabulary as one that was given, a ``BagOfWords`` with it as one that was learned.

    A ``StandardScaler`` and a ``PCA`` transform, and transform back, to the very same bits. The scaler
    forgets how many samples it has seen: its ``partial_fit`` starts anew. Of the PCA stay `whiten`,
    ``components_``, ``mean_`` and ``explained_variance_``; `n_components` is then the integer
    ``n_components_``, whether it was a number, a share of the variance, ``"mle"`` or None.
    """
    try:
        content = _to_bytes(model)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: the model cannot be saved: {error}") from None
    _write_atomically(path, content)


def load_model(path):
    """Read a model from a file that :func:`save_model` wrote.

    Nothing in the file is executed or imported, so a file from a stranger can be opened safely; what the
    model then predicts is as trustworthy as the stranger.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : estimator
        A fitted model that predicts exactly as the saved one did.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model, or was written by a later version with another layout.
    OSError
        If the file cannot be read.
    """
    try:
        return _from_bytes(_read(path))
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None


# The file ------------------------------------------------------------------------------------------------


def _to_bytes(model):
    node, tensors = _encode(model)
    text = json.dumps({"schema": SCHEMA, "version": version("fastsvm"), "model": node}, allow_nan=False)
    if len(text) > MAX_HEADER // 2:
        raise ModelFileError("its parameters are too large")
    _from_text(text, dict(tensors))  # what is written can be read: the reader's checks are the writer's
    return save(tensors, {KEY: text})


def _from_bytes(content):
    header, tensors = _open(content)
    metadata = header.get("__metadata__") or {}
    if KEY not in metadata:
        raise ModelFileError("a safetensors file, but not a fastsvm model")
    _fields(metadata, "metadata", **{KEY: str})
    return _from_text(metadata[KEY], tensors)


def _from_text(text, tensors):
    document = _parse(text)
    _check_schema(document)
    _fields(document, "model description", schema=int, version=str, model=dict)
    return _decode(document["model"], tensors)


def _open(content):
    """Split a safetensors file into its header, parsed, and its tensors."""
    size = int.from_bytes(content[:8], "little")
    if size > MAX_HEADER:
        raise ModelFileError("not a safetensors file, or damaged (header too large)")
    try:
        tensors = deserialize(content)
    except SafetensorError as error:
        reason = _line(error).removeprefix("Error while deserializing: ")
        raise ModelFileError(f"not a safetensors file, or damaged ({reason})") from None
    header = _parse(str(content[8 : 8 + size], "utf-8"))
    return header, {name: _array(name, **tensor) for name, tensor in tensors}


def _array(name, dtype, shape, data):
    if dtype not in TYPES:
        raise ModelFileError(f"tensor {_show(name)} is of type {dtype}")
    try:
        return np.frombuffer(data, TYPES[dtype]).reshape(shape)
    except ValueError:  # dimensions beyond what NumPy counts, beside a dimension of 0
        raise ModelFileError(f"tensor {_show(name)} has an impossible shape") from None


def _check_schema(document):
    schema = document.get("schema") if type(document) is dict else None
    if type(schema) is not int or schema < 1:
        raise ModelFileError(f"unknown schema {_show(schema)}")
    if schema > SCHEMA:
        raise ModelFileError(
            f"written by a later fastsvm (schema {schema}, this one reads up to {SCHEMA}); upgrade fastsvm"
        )


def _read(path):
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # a pipe or a device may never end
        raise ModelFileError("not a regular file")
    with open(path, "rb") as file:
        return file.read(status.st_size)


def _write_atomically(path, content):
    target = os.path.realpath(path)  # a link stays a link
    temporary = os.path.join(os.path.dirname(target), f".fastsvm-{secrets.token_hex(8)}.tmp")
    try:
        mode = _mode(target)
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:  # Ctrl-C included
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None  # not the temporary name
        raise


def _mode(target):
    """Tell the permissions of a file to be written, before the umask."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return 0o666
    if not stat.S_ISREG(status.st_mode):  # /dev/null, say, must not be replaced
        raise ModelFileError(f"{target}: not a regular file")
    return stat.S_IMODE(status.st_mode)  # what was private stays private


# JSON ----------------------------------------------------------------------------------------------------


def _parse(text):
    """Parse JSON as the standard has it: no NaN, no number beyond 64 bits, no key twice."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=_finite,
        )
    except RecursionError:
        raise ModelFileError("damaged metadata (nested too deeply)") from None
    except ValueError as error:
        raise ModelFileError(f"damaged metadata ({error})") from None


def _unique(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key twice in one object")
    return result


def _integer(digits):
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError("an integer beyond 64 bits")
    return int(digits)


def _finite(digits):
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def _fields(value, what, /, **kinds):
    """Check that a JSON object has exactly these fields, each of its type."""
    if type(value) is not dict:
        raise ModelFileError(f"{what} is not an object")
    _same_names(value, kinds, f"{what}: field")
    for name, kind in kinds.items():
        if type(value[name]) is not kind:
            raise ModelFileError(f"{what}: {name} is {_show(value[name])}, not of type {kind.__name__}")


def _same_names(found, expected, what):
    for name in expected:
        if name not in found:
            raise ModelFileError(f"{what} {_show(name)} is missing")
    for name in found:
        if name not in expected:
            raise ModelFileError(f"{what} {_show(name)} is unexpected")


def _show(value):
    """Show a value of unknown origin on one short line."""
    shorten = reprlib.Repr()
    shorten.maxstring = shorten.maxother = 60
    return _line(shorten.repr(value))


def _line(text):
    """Keep a message to one line without control characters, some of which a terminal would obey."""
    return "".join(c if c.isprintable() else " " for c in str(text))[:200]


# Tensors -------------------------------------------------------------------------------------------------


def _take(tensors, name, dtypes, ndim=1):
    """Remove one tensor from those still to be read, and check its type and rank."""
    if name not in tensors:
        raise ModelFileError(f"tensor {_show(name)} is missing")
    array = tensors.pop(name)
    if array.dtype not in dtypes:
        raise ModelFileError(f"tensor {_show(name)} is of type {array.dtype}")
    if array.ndim != ndim:
        raise ModelFileError(f"tensor {_show(name)} has {array.ndim} dimensions, not {ndim}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ModelFileError(f"tensor {_show(name)} has values that are not finite")
    if array.dtype.kind == "b" and (array.view("u1") > 1).any():
        raise ModelFileError(f"tensor {_show(name)} has values that are neither true nor false")
    return array


def _take_view(tensors, name, dtypes, ndim):
    """Take the tensor of an array, and lay it out as `_view` found it."""
    suffix = next((suffix for suffix in VIEWS if name + suffix in tensors), "")
    return VIEWS[suffix](_take(tensors, name + suffix, dtypes, ndim))


def _view(name, array):
    """Turn an array into the tensor of that view of it which is in C order, if there is one."""
    suffix = next((suffix for suffix, view in VIEWS.items() if _goes_forward(view(array))), "")
    return {name + suffix: _native(VIEWS[suffix](array))}


def _goes_forward(array):
    """Tell whether an array lies row after row and, in each, value after value, with or without gaps."""
    return all(stride > 0 for stride in array.strides) and all(a >= b for a, b in pairwise(array.strides))


def _native(array):
    """Lay an array out as safetensors wants it: C order, this machine's byte order."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def _pack(name, strings):
    """Turn strings into the two tensors that hold them."""
    for string in strings:
        if not isinstance(string, str):
            raise ModelFileError(f"{name} has {_show(string)}, which is not a string")
    try:
        encoded = [string.encode() for string in strings]
    except UnicodeEncodeError:
        raise ModelFileError(f"{name} has a string that is not valid Unicode") from None
    return {
        f"{name}.bytes": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.offsets": np.cumsum([0, *map(len, encoded)], dtype=np.int64),
    }


def _unpack(name, tensors):
    """Take the two tensors of a list of strings, and return the list: unlike strings, at least one."""
    strings = _take_packed(name, tensors).strings()
    if len(set(strings)) != len(strings):
        raise ModelFileError(f"{name}: a string twice")
    return strings


def _take_packed(name, tensors):
    """Take the two tensors of a list of strings as they are, when it is sure that they are strings."""
    content = _take(tensors, f"{name}.bytes", BYTES)
    offsets = _take(tensors, f"{name}.offsets", OFFSETS)
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(content):
        raise ModelFileError(f"{name}: offsets do not span the {len(content)} bytes")
    if (offsets[:-1] > offsets[1:]).any():
        raise ModelFileError(f"{name}: offsets decrease")
    inner = content[offsets[offsets < len(content)]]
    try:
        content.tobytes().decode()
        whole = not (inner & 0xC0 == 0x80).any()  # no character is cut in two
    except UnicodeDecodeError:
        whole = False
    if not whole:
        raise ModelFileError(f"{name}: invalid UTF-8")
    return Terms(content, offsets[1:])


def _pack_names(model):
    return _pack("feature_names_in_", model.feature_names_in_) if hasattr(model, "feature_names_in_") else {}


def _unpack_names(model, tensors):
    """Give a model the names of its features, if there are any."""
    if "feature_names_in_.bytes" in tensors:
        names = _unpack("feature_names_in_", tensors)
        if len(names) != model.n_features_in_:
            raise ModelFileError(f"{len(names)} feature names for {model.n_features_in_} features")
        model.feature_names_in_ = np.array(names, dtype=object)


# Codecs: encode(object) -> params, fitted, tensors; decode(params, fitted, tensors) -> object --------------
# and n_features_out(object) -> what it gives to the next step of a pipeline


class _CountVectorizerCodec:
    """scikit-learn's ``CountVectorizer``, as far as it is words, their order, and how to find them."""

    cls = CountVectorizer
    kept = ("ngram_range", "lowercase", "binary", "token_pattern", "dtype", "vocabulary")
    dropped = ("max_df", "min_df", "max_features")

    def encode(self, vectorizer):
        given = vectorizer.get_params(deep=False)
        for name, default in self.cls().get_params(deep=False).items():
            if name not in self.kept + self.dropped and given[name] != default:
                self._refuse(name, given[name])
        params = {
            "ngram_range": [_to_json("ngram_range", n) for n in given["ngram_range"]],
            "lowercase": bool(given["lowercase"]),
            "binary": bool(given["binary"]),
            "dtype": np.dtype(given["dtype"]).name,
        }
        try:
            vocabulary = self._pack_vocabulary(vectorizer)
        except (AttributeError, ValueError) as error:  # not fitted, for one
            raise ModelFileError(f"{self.cls.__name__}: {_line(error)}") from None
        more, tensors = self._encode_analyzer(given)
        return params | more, {}, vocabulary | tensors

    def _refuse(self, name, value):
        raise ModelFileError(f"a {self.cls.__name__} with {name}={_show(value)}")

    def _pack_vocabulary(self, vectorizer):
        return _pack("vocabulary", vectorizer.get_feature_names_out())

    def _encode_analyzer(self, given):
        patterns = {pattern: name for name, pattern in ANALYZERS.items()}
        if given["token_pattern"] not in patterns:
            self._refuse("token_pattern", given["token_pattern"])
        return {"analyzer": patterns[given["token_pattern"]]}, {}

    def decode(self, params, fitted, tensors):
        _fields(fitted, f"{self.cls.__name__} attributes")
        more = self._decode_analyzer(params, tensors)
        ngrams = params["ngram_range"]
        if [type(n) for n in ngrams] != [int, int] or not 1 <= ngrams[0] <= ngrams[1] <= MAX_NGRAM:
            self._refuse_field("ngram_range", ngrams)
        if params["dtype"] not in COUNTS:
            self._refuse_field("dtype", params["dtype"])
        vectorizer = self.cls(
            ngram_range=tuple(ngrams),
            lowercase=params["lowercase"],
            binary=params["binary"],
            dtype=np.dtype(params["dtype"]).type,
            **more,
        )
        self._set_vocabulary(vectorizer, tensors)
        return vectorizer

    def _check_fields(self, params, **kinds):
        usual = {"ngram_range": list, "lowercase": bool, "binary": bool, "analyzer": str, "dtype": str}
        _fields(params, f"{self.cls.__name__} parameters", **usual, **kinds)

    def _refuse_field(self, name, value):
        raise ModelFileError(f"{self.cls.__name__} parameters: {name} is {_show(value)}")

    def _decode_analyzer(self, params, _):
        self._check_fields(params)
        if params["analyzer"] not in ANALYZERS:
            self._refuse_field("analyzer", params["analyzer"])
        return {"token_pattern": ANALYZERS[params["analyzer"]]}

    def _set_vocabulary(self, vectorizer, tensors):
        vectorizer.vocabulary = _unpack("vocabulary", tensors)
        vectorizer.get_feature_names_out()  # sets vocabulary_, without fit's warnings

    def n_features_out(self, vectorizer):
        return len(vectorizer.vocabulary_)


class _BagOfWordsCodec(_CountVectorizerCodec):
    """A ``BagOfWords`` with settings that are compiled; its terms stay packed on their way."""

    cls = BagOfWords
    kept = (*_CountVectorizerCodec.kept, "analyzer", "stop_words", "strip_accents")
    dropped = (*_CountVectorizerCodec.dropped, "n_jobs")

    def _pack_vocabulary(self, vectorizer):
        terms = vectorizer._packed()
        return {
            "vocabulary.bytes": _native(terms.content),
            "vocabulary.offsets": np.concatenate([[0], terms.ends]).astype(np.int64, copy=False),
        }

    def _encode_analyzer(self, given):
        tensors, params = {}, {name: given[name] for name in READING}
        if type(params["stop_words"]) is list:
            words = list(dict.fromkeys(params["stop_words"]))
            tensors = _pack("stop_words", words) if words else {}
            params["stop_words"] = "listed" if words else None
        for name, known in READING.items():
            if params[name] not in known or given[name] == "listed":
                self._refuse(name, given[name])
        return params, tensors

    def _decode_analyzer(self, params, tensors):
        optional = {name: type(params.get(name)) for name in ("stop_words", "strip_accents")}
        self._check_fields(params, token_pattern=str, **optional)
        for name, known in READING.items():
            if type(params[name]) not in (str, type(None)) or params[name] not in known:
                self._refuse_field(name, params[name])
        settings = {name: params[name] for name in READING}
        if settings["stop_words"] == "listed":
            settings["stop_words"] = _unpack("stop_words", tensors)
        return settings

    def _set_vocabulary(self, vectorizer, tensors):
        terms = _take_packed("vocabulary", tensors)
        if not are_ascending(terms.content, terms.ends) and len(set(terms.strings())) != len(terms):
            raise ModelFileError("vocabulary: a string twice")
        vectorizer._set_terms(terms)
        vectorizer.fixed_vocabulary_ = False

    def n_features_out(self, vectorizer):
        return len(vectorizer._packed())


class _TermWeightingCodec:
    """A ``TermWeighting``: its parameters, and the weights that it has learned, if any."""

    cls = TermWeighting
    learned = ("tfidf", "nb")

    def encode(self, model):
        _check_transformer(model, ["weights_", "n_features_in_"])
        if (model.weights_ is not None) != (model.weighting in self.learned):
            raise ModelFileError("a TermWeighting whose weighting was changed after fit")
        params = {name: _to_json(name, value) for name, value in model.get_params(deep=False).items()}
        tensors = _pack_names(model)
        if model.weights_ is not None:
            tensors["weights_"] = _native(model.weights_)
        return params, {"n_features_in_": int(model.n_features_in_)}, tensors

    def decode(self, params, fitted, tensors):
        what = "TermWeighting"
        _same_names(params, self.cls().get_params(deep=False), f"{what} parameter")
        _fields(fitted, f"{what} attributes", n_features_in_=int)
        model = self.cls(**params)
        try:
            model._check_params()
        except ValueError as error:
            raise ModelFileError(f"{what}: {_line(error)}") from None
        model.n_features_in_ = _size(what, "n_features_in_", fitted["n_features_in_"])
        model.weights_ = None
        if model.weighting in self.learned:
            model.weights_ = _take(tensors, "weights_", FLOATS)
            if len(model.weights_) != model.n_features_in_:
                raise ModelFileError(f"{len(model.weights_)} weights for {model.n_features_in_} features")
        _unpack_names(model, tensors)
        return model

    def n_features_out(self, model):
        return model.n_features_in_


def _check_transformer(model, attributes):
    """Check that a transformer is fitted, and that it gives arrays."""
    name = type(model).__name__
    if not all(hasattr(model, attribute) for attribute in attributes):
        raise ModelFileError(f"the {name} is not fitted")
    output = getattr(model, "_sklearn_output_config", {}).get("transform") or "default"
    if output != "default":
        raise ModelFileError(f"a {name} with set_output(transform={_show(output)})")


def _size(what, name, size):
    """Return a number of columns, checked."""
    if not 1 <= size <= MAX_FEATURES:
        raise ModelFileError(f"{what} attributes: {name} is {_show(size)}")
    return size


class _TransformerCodec:
    """A transformer of scikit-learn that is a few switches, and arrays whose shapes agree."""

    positive = ("scale_",)
    not_negative = ("var_", "explained_variance_")

    def __init__(self, cls, switches, shapes, optional=()):
        self.cls = cls
        self.switches = switches
        self.shapes = shapes  # of each array, the attributes that say how long it is
        self.sizes = list(dict.fromkeys(chain(*shapes.values())))
        self.optional = dict(optional)  # arrays that need not be there, each with the switch that wants it

    def encode(self, model):
        _check_transformer(model, [*self.sizes, *self.shapes])
        params = {name: bool(getattr(model, name)) for name in self.switches}
        fitted = {name: int(getattr(model, name)) for name in self.sizes}
        tensors = _pack_names(model)
        for name in self.shapes:
            if getattr(model, name) is not None:
                tensors |= _view(name, getattr(model, name))
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        what = self.cls.__name__
        _fields(params, f"{what} parameters", **dict.fromkeys(self.switches, bool))
        _fields(fitted, f"{what} attributes", **dict.fromkeys(self.sizes, int))
        model = self.cls(**params)
        for name, size in fitted.items():
            setattr(model, name, _size(what, name, size))
        for name in self.shapes:
            setattr(model, name, self._array(name, model, tensors))
        _unpack_names(model, tensors)
        return model

    def _array(self, name, model, tensors):
        wanted = name not in self.optional or getattr(model, self.optional[name])
        if not wanted and not any(name + suffix in tensors for suffix in VIEWS):
            return None
        shape = tuple(getattr(model, size) for size in self.shapes[name])
        array = _take_view(tensors, name, FLOATS, len(shape))
        if array.shape != shape:
            raise ModelFileError(f"{name} is of shape {array.shape}, not {shape}")
        if name in self.positive and not (array > 0).all():
            raise ModelFileError(f"{name} has values that are not positive")
        if name in self.not_negative and not (array >= 0).all():
            raise ModelFileError(f"{name} has negative values")
        return array

    def n_features_out(self, model):
        return model.n_features_in_


class _PCACodec(_TransformerCodec):
    """A PCA; what it was told about the number of its components has become that number."""

    def __init__(self):
        shapes = {
            "mean_": ("n_features_in_",),
            "components_": ("n_components_", "n_features_in_"),
            "explained_variance_": ("n_components_",),
        }
        super().__init__(PCA, ("whiten",), shapes)

    def decode(self, params, fitted, tensors):
        model = super().decode(params, fitted, tensors)
        return model.set_params(n_components=model.n_components_)

    def n_features_out(self, model):
        return model.n_components_


class _ScalerCodec(_TransformerCodec):
    """A StandardScaler, which has only the arrays that it needs."""

    def __init__(self):
        switches = ("copy", "with_mean", "with_std")
        arrays = {"mean_": "with_mean", "scale_": "with_std", "var_": "with_std"}
        super().__init__(StandardScaler, switches, dict.fromkeys(arrays, ("n_features_in_",)), arrays)


class _LinearCodec:
    """A linear classifier: parameters, weights, classes, and how the training ended."""

    counts = ("n_iter_", "t_")
    measures = ("objective_", "dual_gap_")

    def __init__(self, cls):
        self.cls = cls

    def encode(self, model):
        if not hasattr(model, "coef_"):
            raise ModelFileError(f"the {self.cls.__name__} is not fitted")
        params = {name: _to_json(name, value) for name, value in model.get_params(deep=False).items()}
        fitted = {name: _to_json(name, vars(model)[name]) for name in self.counts if name in vars(model)}
        for name in self.measures:
            if np.isfinite(vars(model).get(name, np.nan)).all():
                fitted[name] = np.asarray(vars(model)[name]).tolist()
        tensors = {"coef_": _native(model.coef_), "intercept_": _native(model.intercept_)}
        fitted["classes_"] = model.classes_.dtype.kind
        if model.classes_.dtype.kind in "UO":
            tensors |= _pack("classes_", model.classes_.tolist())
        else:
            tensors["classes_"] = _native(model.classes_)
        return params, fitted, tensors | _pack_names(model)

    def decode(self, params, fitted, tensors):
        model = self.cls()
        defaults = model.get_params(deep=False)
        later = {name: defaults[name] for name in LATER if name in defaults}
        _same_names(later | params, defaults, f"{self.cls.__name__} parameter")
        self._check_and_set(model, params)
        model.classes_ = _decode_classes(fitted.get("classes_"), tensors)
        n_rows = 1 if len(model.classes_) == 2 else len(model.classes_)
        model.coef_ = _take(tensors, "coef_", FLOATS, ndim=2)
        model.intercept_ = _take(tensors, "intercept_", FLOATS)
        if len(model.coef_) != n_rows or len(model.intercept_) != n_rows or model.coef_.shape[1] < 1:
            raise ModelFileError(
                f"coef_ of shape {model.coef_.shape} and intercept_ of shape {model.intercept_.shape}"
                f" do not suit {len(model.classes_)} classes"
            )
        model.n_features_in_ = model.coef_.shape[1]
        _unpack_names(model, tensors)
        for name in fitted.keys() - {"classes_"}:
            if name in self.counts:
                setattr(model, name, _count(name, fitted[name]))
            elif name in self.measures:
                setattr(model, name, _measure(name, fitted[name], n_rows))
            else:
                raise ModelFileError(f"{self.cls.__name__} attribute {_show(name)} is unexpected")
        return model

    def _check_and_set(self, model, params):
        defaults = model.get_params(deep=False)
        params = {name: _from_json(name, value, defaults[name]) for name, value in params.items()}
        try:
            model.set_params(**params)._check_params()
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"{self.cls.__name__}: {_line(error)}") from None

    def n_features_out(self, model):
        return 0


CODECS = {
    codec.cls.__name__: codec
    for codec in (
        _CountVectorizerCodec(),
        _BagOfWordsCodec(),
        _TermWeightingCodec(),
        _ScalerCodec(),
        _PCACodec(),
        _LinearCodec(SDCAClassifier),
        _LinearCodec(ASDCAClassifier),
        _LinearCodec(PegasosClassifier),
        _LinearCodec(PerceptronClassifier),
    )
}


def _to_json(name, value):
    """Turn a constructor parameter into JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if name == "class_weight" and isinstance(value, dict):
        return [[_to_json("a label", label), _to_json(name, weight)] for label, weight in value.items()]
    if name == "random_state" and type(value) is not int:
        return None
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    raise ModelFileError(f"{name} is {_show(value)}")


def _from_json(name, value, default):
    """Turn JSON into a constructor parameter."""
    if name == "class_weight":
        return value if value in (None, "balanced") else _class_weight(value)
    if type(value) not in LIKE[type(default)]:
        raise ModelFileError(f"parameter {name} is {_show(value)}")
    return value


def _class_weight(pairs):
    if type(pairs) is not list:
        raise ModelFileError(f"class_weight is {_show(pairs)}")
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) in (list, dict):
            raise ModelFileError("class_weight is not a list of pairs, label and weight")
        if type(pair[1]) not in (int, float):
            raise ModelFileError(f"class_weight of {_show(pair[0])} is {_show(pair[1])}")
    weights = dict(pairs)
    if len(weights) != len(pairs):
        raise ModelFileError("class_weight: a label twice")
    return weights


def _count(name, value):
    if type(value) is not int or value < 0:
        raise ModelFileError(f"{name} is {_show(value)}")
    return value


def _measure(name, value, n_rows):
    """Check a number, or where there are several rows a list of as many, and turn a list into an array."""
    numbers = value if type(value) is list else [value]
    if any(type(number) not in (int, float) for number in numbers):
        raise ModelFileError(f"{name} is {_show(value)}")
    if len(numbers) != n_rows:
        raise ModelFileError(f"{name} has {len(numbers)} values, not {n_rows}")
    return np.array(value, dtype=float) if type(value) is list else float(value)


def _decode_classes(kind, tensors):
    if kind in ("U", "O"):
        labels = _unpack("classes_", tensors)
        if kind == "U" and len(labels) * max(map(len, labels)) > MAX_LABELS:
            raise ModelFileError("classes_: labels too long")
        classes = np.array(labels, dtype=object if kind == "O" else None)
    else:
        classes = _take(tensors, "classes_", LABELS)
        if classes.dtype.kind != kind:
            raise ModelFileError(f"classes_ of type {classes.dtype}, said to be {_show(kind)}")
    if len(classes) < 2 or not (classes[:-1] < classes[1:]).all():
        raise ModelFileError("classes_ are not two or more labels in ascending order")
    return classes


# Models --------------------------------------------------------------------------------------------------


def _encode(model):
    """Turn a model into JSON and tensors."""
    if type(model) is not Pipeline:
        return _encode_step(model)
    if getattr(model, "transform_input", None) is not None:
        raise ModelFileError("a Pipeline with transform_input")
    nodes, tensors = [], {}
    for name, step in model.steps:
        node, arrays = _encode_step(step)
        nodes.append([name, node])
        tensors |= {f"{name}.{key}": array for key, array in arrays.items()}
    return {"class": "Pipeline", "steps": nodes}, tensors


def _decode(node, tensors):
    """Turn JSON and tensors back into a model; no tensor may be left over."""
    if node.get("class") != "Pipeline":
        model = _decode_step(node, tensors)
        _same_names(tensors, (), "tensor")
        return model
    _fields(node, "pipeline", **{"class": str, "steps": list})
    if len(node["steps"]) > MAX_STEPS:
        raise ModelFileError(f"a pipeline of {len(node['steps'])} steps")
    steps = []
    for entry in node["steps"]:
        if type(entry) is not list or [type(part) for part in entry] != [str, dict]:
            raise ModelFileError("a step of the pipeline is not a name and an object")
        name, step = entry
        own = [key for key in tensors if key.startswith(f"{name}.")]
        arrays = {key.removeprefix(f"{name}."): tensors.pop(key) for key in own}
        steps.append((name, _decode_step(step, arrays)))
        _same_names(arrays, (), f"step {_show(name)}: tensor")
    _same_names(tensors, (), "tensor")
    _check_steps(steps)
    return Pipeline(steps)


def _encode_step(model):
    cls = type(model)
    if cls.__name__ not in CODECS or CODECS[cls.__name__].cls is not cls:
        raise ModelFileError(f"a model file holds no {cls.__module__}.{cls.__qualname__}")
    params, fitted, tensors = CODECS[cls.__name__].encode(model)
    return {"class": cls.__name__, "params": params, "fitted": fitted}, tensors


def _decode_step(node, tensors):
    _fields(node, "model description", **{"class": str, "params": dict, "fitted": dict})
    if node["class"] not in CODECS:
        raise ModelFileError(f"unknown class {_show(node['class'])}")
    return CODECS[node["class"]].decode(node["params"], node["fitted"], tensors)


def _check_steps(steps):
    """Check the names of a pipeline's steps, and that each takes what the one before it gives."""
    names = [name for name, _ in steps]
    if not names or len(set(names)) != len(names):
        raise ModelFileError("a pipeline without steps, or with two of the same name")
    for name in names:
        if not re.fullmatch(r"[\w-]{1,100}", name) or "__" in name or name in ("steps", "memory", "verbose"):
            raise ModelFileError(f"a pipeline step named {_show(name)}")
    for (_, first), (name, second) in pairwise(steps):
        given = CODECS[type(first).__name__].n_features_out(first)
        if getattr(second, "n_features_in_", None) != given:
            raise ModelFileError(f"step {_show(name)} does not take the {given} features it is given")
