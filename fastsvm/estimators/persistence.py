"""Fitted models in safetensors files: arrays as tensors, settings as JSON, and never a pickle.

The file's metadata has one key, ``"fastsvm"``, whose value is a JSON object::

    {"schema": 1, "version": "0.1.0", "model": NODE}

where ``NODE`` is ``{"class": ..., "params": {...}, "fitted": {...}}``, or for a pipeline
``{"class": "Pipeline", "steps": [[name, NODE], ...]}``. Tensors are named after the attribute they hold,
in a pipeline with the step's name before it: ``classifier.coef_``. A list of strings is a pair of tensors,
``.bytes`` (UTF-8, end to end) and ``.offsets`` (where each begins, and where the last ends). An array of a
transformer that lies in memory by columns or upside down is stored as that other view of it, ``.T`` or
``.flipud``, and loaded so: products take as long as before. A CSR array is three tensors, ``.data``,
``.indices`` and ``.indptr``.

A reader trusts nothing in the file: the class is looked up in a closed table, names of fields and tensors
must be exactly the expected ones (but a file may lack parameters of the training that are newer than it is),
and every type, shape, offset and value is checked before it is used.
"""

import json
import math
import os
from importlib.metadata import version
from itertools import chain, pairwise

import numpy as np
from safetensors.numpy import save
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from ..model_files.container import (
    FLOATS,
    KEY,
    MAX_HEADER,
    OFFSETS,
    SCHEMA,
    VIEWS,
    ModelFileError,
    check_node,
    check_width,
    decode_steps,
    described,
    fields,
    is_pipeline,
    line,
    named_errors,
    native,
    open_model,
    pack,
    same_names,
    show,
    take,
    take_view,
    unpack,
    view,
    write_model,
)
from ..model_files.fields import COUNTS, MEASURES, count, feature_names, labels, linear, measure, n_columns
from ..model_files.text import (
    READING,
    bag,
    check_counting,
    counting,
    refuse_parameter,
    weighting,
)
from ..solvers.kernel._values import KERNELS
from ..text import BagOfWords, TermWeighting
from ..text.reading import DEFAULT_PATTERN, SPLIT_PATTERN
from ..text.weighing import LEARNED
from .kernel import KernelPegasosClassifier, KernelSDCAClassifier
from .kernel_features import KernelFeatures
from .linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier

__all__ = ["ModelFileError", "load_model", "save_model"]

# What a ``KernelFeatures`` of each method has beside its components.
BESIDE_COMPONENTS = {"nystroem": "factor_", "random": "offsets_"}

# The types of a kernel machine's `support_` and `dual_coef_`.
ROW_NUMBERS = (np.dtype("<i4"),)
COEFFICIENTS = (np.dtype("<f8"),)

# How a file names the two patterns of a ``CountVectorizer`` that it may have.
ANALYZERS = {"words": DEFAULT_PATTERN, "split": SPLIT_PATTERN}

# Parameters that classifiers have got since the first files were written, which lack them: the default holds.
# None of them matters to a prediction.
LATER = ("certify", "solver", "trace", "warm_start")

MAX_JOBS = 1024  # threads that a file may ask for; predictions of kernel machines start them

# What may be given for a parameter whose default is of that type; `_check_params` knows the rest.
LIKE = {
    bool: (bool, int),
    int: (int,),
    float: (float, int, type(None)),
    str: (str, float, int),
    type(None): (int, type(None)),
}


def save_model(model, path):
    """Write a fitted model to a safetensors file.

    The file is complete or not there at all: it is written beside `path` under another name, flushed to
    the disk and then renamed, so that whatever goes wrong leaves an earlier file at `path` as it was.

    Parameters
    ----------
    model : estimator
        A fitted :class:`SDCAClassifier`, :class:`ASDCAClassifier`, :class:`PegasosClassifier`,
        :class:`PerceptronClassifier`, :class:`KernelSDCAClassifier` or :class:`KernelPegasosClassifier`, a
        :class:`KernelFeatures`, a :class:`fastsvm.text.BagOfWords` or scikit-learn ``CountVectorizer`` with
        a vocabulary, a :class:`fastsvm.text.TermWeighting`, a scikit-learn ``StandardScaler`` or ``PCA``,
        or a scikit-learn ``Pipeline`` of these.
    path : str or path-like
        Where to write. An existing file is replaced.

    Raises
    ------
    ModelFileError
        If the model is of another class, is not fitted, or has settings that a file cannot hold: a
        callable, a kernel matrix that was precomputed, a token pattern that is not one of those that
        ``BagOfWords`` compiles, a ``CountVectorizer``'s stop words, data frames as output.
    OSError
        If the file cannot be written.

    Notes
    -----
    What predictions need is kept exactly: the parameters, ``coef_`` and ``intercept_`` in their precision
    (of a kernel machine ``support_vectors_``, ``support_``, ``dual_coef_`` and ``gamma_``), ``classes_``,
    ``feature_names_in_``, and with them ``n_iter_``, ``t_``, ``objective_`` and ``dual_gap_`` as far as
    they are finite. What only training needs is not: a linear classifier's ``dual_coef_``, ``history_``,
    the averages of ``partial_fit``, a random generator given as `random_state` (an integer is kept), a
    vectorizer's limits on document frequency and its `n_jobs`, a pipeline's cache. A ``CountVectorizer``
    comes back with its vocabulary as one that was given, a ``BagOfWords`` with it as one that was learned.

    Scores of texts and of kernel machines are then the same to the last bit. Those of dense rows, and what
    a ``PCA`` or ``KernelFeatures`` gives, are so up to rounding: BLAS's sums may depend on where arrays lie
    in memory.

    A ``StandardScaler`` forgets how many samples it has seen: its ``partial_fit`` starts anew. Of a ``PCA``
    stay `whiten`, ``components_``, ``mean_`` and ``explained_variance_``; `n_components` is then the integer
    ``n_components_``, whether it was a number, a share of the variance, ``"mle"`` or None.
    """
    try:
        content = _to_bytes(model)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: the model cannot be saved: {error}") from None
    write_model(path, content)


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
        A fitted model that predicts as the saved one did.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model, or was written by a later version with another layout.
    OSError
        If the file cannot be read.
    """
    with named_errors(path):
        return _decode(*open_model(path))


# The file ------------------------------------------------------------------------------------------------


def _to_bytes(model):
    node, tensors = _encode(model)
    text = json.dumps({"schema": SCHEMA, "version": version("fastsvm"), "model": node}, allow_nan=False)
    if len(text) > MAX_HEADER // 2:
        raise ModelFileError("its parameters are too large")
    _decode(
        described(text), dict(tensors)
    )  # what is written can be read: the reader's checks are the writer's
    return save(tensors, {KEY: text})


def _pack_names(model):
    return pack("feature_names_in_", model.feature_names_in_) if hasattr(model, "feature_names_in_") else {}


def _set_names(model, names):
    """Give a model the names of its features, if there are any."""
    if names is not None:
        model.feature_names_in_ = names


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
            raise ModelFileError(f"{self.cls.__name__}: {line(error)}") from None
        more, tensors = self._encode_analyzer(given)
        return params | more, {}, vocabulary | tensors

    def _refuse(self, name, value):
        raise ModelFileError(f"a {self.cls.__name__} with {name}={show(value)}")

    def _pack_vocabulary(self, vectorizer):
        return pack("vocabulary", vectorizer.get_feature_names_out())

    def _encode_analyzer(self, given):
        patterns = {pattern: name for name, pattern in ANALYZERS.items()}
        if given["token_pattern"] not in patterns:
            self._refuse("token_pattern", given["token_pattern"])
        return {"analyzer": patterns[given["token_pattern"]]}, {}

    def decode(self, params, fitted, tensors):
        what = self.cls.__name__
        fields(fitted, f"{what} attributes")
        check_counting(what, params)
        if params["analyzer"] not in ANALYZERS:
            refuse_parameter(what, "analyzer", params["analyzer"])
        vectorizer = self.cls(**counting(what, params), token_pattern=ANALYZERS[params["analyzer"]])
        vectorizer.vocabulary = unpack("vocabulary", tensors)
        vectorizer.get_feature_names_out()  # sets vocabulary_, without fit's warnings
        return vectorizer

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
            "vocabulary.bytes": native(terms.content),
            "vocabulary.offsets": np.concatenate([[0], terms.ends]).astype(np.int64, copy=False),
        }

    def _encode_analyzer(self, given):
        tensors, params = {}, {name: given[name] for name in READING}
        if type(params["stop_words"]) is list:
            words = list(dict.fromkeys(params["stop_words"]))
            tensors = pack("stop_words", words) if words else {}
            params["stop_words"] = "listed" if words else None
        for name, known in READING.items():
            if params[name] not in known or given[name] == "listed":
                self._refuse(name, given[name])
        return params, tensors

    def decode(self, params, fitted, tensors):
        settings, terms = bag(params, fitted, tensors)
        vectorizer = self.cls(**settings)
        vectorizer._set_terms(terms)
        vectorizer.fixed_vocabulary_ = False
        return vectorizer

    def n_features_out(self, vectorizer):
        return len(vectorizer._packed())


class _TermWeightingCodec:
    """A ``TermWeighting``: its parameters, and the weights that it has learned, if any."""

    cls = TermWeighting

    def encode(self, model):
        _check_transformer(model, ["weights_", "n_features_in_"])
        if (model.weights_ is not None) != (model.weighting in LEARNED):
            raise ModelFileError("a TermWeighting whose weighting was changed after fit")
        params = {name: _to_json(name, value) for name, value in model.get_params(deep=False).items()}
        tensors = _pack_names(model)
        if model.weights_ is not None:
            tensors["weights_"] = native(model.weights_)
        return params, {"n_features_in_": int(model.n_features_in_)}, tensors

    def decode(self, params, fitted, tensors):
        found = weighting(params, fitted, tensors)
        model = self.cls(**found.settings._asdict())
        model.weights_, model.n_features_in_ = found.weights_, found.n_features_in_
        _set_names(model, found.names)
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
        raise ModelFileError(f"a {name} with set_output(transform={show(output)})")


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
                tensors |= view(name, getattr(model, name))
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        what = self.cls.__name__
        fields(params, f"{what} parameters", **dict.fromkeys(self.switches, bool))
        fields(fitted, f"{what} attributes", **dict.fromkeys(self.sizes, int))
        model = self.cls(**params)
        for name, size in fitted.items():
            setattr(model, name, n_columns(what, name, size))
        for name in self.shapes:
            setattr(model, name, self._array(name, model, tensors))
        _set_names(model, feature_names(tensors, model.n_features_in_))
        return model

    def _array(self, name, model, tensors):
        wanted = name not in self.optional or getattr(model, self.optional[name])
        if not wanted and not any(name + suffix in tensors for suffix in VIEWS):
            return None
        shape = tuple(getattr(model, size) for size in self.shapes[name])
        array = take_view(tensors, name, FLOATS, len(shape))
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


class _ClassifierCodec:
    """What codecs of classifiers share: parameters, classes, how the training ended."""

    def __init__(self, cls):
        self.cls = cls

    def encode(self, model):
        params = {name: _to_json(name, value) for name, value in model.get_params(deep=False).items()}
        fitted = {name: _to_json(name, vars(model)[name]) for name in COUNTS if name in vars(model)}
        for name in MEASURES:
            if np.isfinite(vars(model).get(name, np.nan)).all():
                fitted[name] = np.asarray(vars(model)[name]).tolist()
        fitted["classes_"] = model.classes_.dtype.kind
        if model.classes_.dtype.kind in "UO":
            tensors = pack("classes_", model.classes_.tolist())
        else:
            tensors = {"classes_": native(model.classes_)}
        return params, fitted, tensors | _pack_names(model)

    def _check_fitted(self, model, attribute):
        if not hasattr(model, attribute):
            raise ModelFileError(f"the {self.cls.__name__} is not fitted")

    def n_features_out(self, model):
        return 0


class _LinearCodec(_ClassifierCodec):
    """A linear classifier, and its weights."""

    def encode(self, model):
        self._check_fitted(model, "coef_")
        params, fitted, tensors = super().encode(model)
        tensors |= {"coef_": native(model.coef_), "intercept_": native(model.intercept_)}
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        model = self.cls()
        defaults = model.get_params(deep=False)
        later = {name: defaults[name] for name in LATER if name in defaults}
        same_names(later | params, defaults, f"{self.cls.__name__} parameter")
        _check_and_set(model, params)
        found = linear(self.cls.__name__, fitted, tensors)
        model.classes_, model.coef_, model.intercept_ = found.classes_, found.coef_, found.intercept_
        model.n_features_in_ = model.coef_.shape[1]
        _set_names(model, found.names)
        vars(model).update(found.summary)
        return model


class _KernelCodec(_ClassifierCodec):
    """A kernel machine with a kernel that has a name, its support and coefficients."""

    def __init__(self, cls, counter):
        super().__init__(cls)
        self.counter = counter  # which of COUNTS it has

    def encode(self, model):
        self._check_fitted(model, "dual_coef_")
        self._check_kernel(model)
        if not hasattr(model, "support_vectors_"):
            raise ModelFileError(f"a {self.cls.__name__} whose kernel was changed after fit")
        params, fitted, tensors = super().encode(model)
        fitted |= {name: _to_json(name, getattr(model, name)) for name in ("gamma_", "n_features_in_")}
        tensors |= {name: native(getattr(model, name)) for name in ("support_", "dual_coef_")}
        return params, fitted, tensors | _pack_rows("support_vectors_", model.support_vectors_)

    def _check_kernel(self, model):
        if model.kernel not in KERNELS:
            what = f"a {self.cls.__name__} with kernel={show(model.kernel)}"
            raise ModelFileError(f"{what}; a file can hold {', '.join(KERNELS)}")

    def decode(self, params, fitted, tensors):
        what = self.cls.__name__
        model = self.cls()
        same_names(params, model.get_params(deep=False), f"{what} parameter")
        _check_and_set(model, params)
        self._check_kernel(model)
        measures = {name: fitted[name] for name in MEASURES if name in fitted}
        kinds = {"classes_": str, "gamma_": float, "n_features_in_": int, self.counter: int}
        fields({name: fitted[name] for name in fitted if name not in measures}, f"{what} attributes", **kinds)
        model.classes_ = labels(fitted["classes_"], tensors)
        n_rows = 1 if len(model.classes_) == 2 else len(model.classes_)
        for name, value in measures.items():
            setattr(model, name, measure(name, value, n_rows))
        setattr(model, self.counter, count(self.counter, fitted[self.counter]))
        model.gamma_ = _gamma(what, fitted)
        model.n_features_in_ = n_columns(what, "n_features_in_", fitted["n_features_in_"])
        model.support_vectors_ = _take_rows("support_vectors_", tensors, model.n_features_in_, at_least=0)
        model.support_ = take(tensors, "support_", ROW_NUMBERS)
        model.dual_coef_ = take(tensors, "dual_coef_", COEFFICIENTS, ndim=2)
        n_support = model.support_vectors_.shape[0]
        if model.dual_coef_.shape != (n_rows, n_support):
            raise ModelFileError(
                f"dual_coef_ of shape {model.dual_coef_.shape} does not suit {len(model.classes_)} classes"
                f" and {n_support} support vectors"
            )
        if len(model.support_) != n_support:
            raise ModelFileError(f"support_ has {len(model.support_)} rows, for {n_support} support vectors")
        if (model.support_ < 0).any() or (model.support_[:-1] >= model.support_[1:]).any():
            raise ModelFileError("support_ are not row numbers in ascending order")
        _set_names(model, feature_names(tensors, model.n_features_in_))
        return model


class _KernelFeaturesCodec:
    """A ``KernelFeatures``: parameters, and centres with their factor, or directions with their offsets."""

    cls = KernelFeatures

    def encode(self, model):
        _check_transformer(model, ["components_", "gamma_", "n_features_in_"])
        array = BESIDE_COMPONENTS[model.method]
        if not hasattr(model, array):
            raise ModelFileError("a KernelFeatures whose method was changed after fit")
        params = {name: _to_json(name, value) for name, value in model.get_params(deep=False).items()}
        fitted = {"gamma_": float(model.gamma_), "n_features_in_": int(model.n_features_in_)}
        tensors = _pack_rows("components_", model.components_) | {array: native(getattr(model, array))}
        return params, fitted, tensors | _pack_names(model)

    def decode(self, params, fitted, tensors):
        what = self.cls.__name__
        model = self.cls()
        same_names(params, model.get_params(deep=False), f"{what} parameter")
        _check_and_set(model, params)
        fields(fitted, f"{what} attributes", gamma_=float, n_features_in_=int)
        model.gamma_ = _gamma(what, fitted)
        model.n_features_in_ = n_columns(what, "n_features_in_", fitted["n_features_in_"])
        model.components_ = _take_rows("components_", tensors, model.n_features_in_)
        array = BESIDE_COMPONENTS[model.method]
        setattr(model, array, self._array(array, tensors, model.components_))
        _set_names(model, feature_names(tensors, model.n_features_in_))
        return model

    def _array(self, name, tensors, components):
        ndim = 2 if name == "factor_" else 1
        array = take(tensors, name, (components.dtype,), ndim)
        if array.shape != components.shape[:1] * ndim:
            raise ModelFileError(f"{name} of shape {array.shape} for {components.shape[0]} components")
        if name == "factor_" and (np.triu(array, 1).any() or not (array.diagonal() > 0).all()):
            raise ModelFileError("factor_ is not lower triangular with a positive diagonal")
        return array

    def n_features_out(self, model):
        return model.components_.shape[0]


def _gamma(what, fitted):
    if fitted["gamma_"] <= 0:
        raise ModelFileError(f"{what} attributes: gamma_ is {show(fitted['gamma_'])}")
    return fitted["gamma_"]


CODECS = {
    codec.cls.__name__: codec
    for codec in (
        _CountVectorizerCodec(),
        _BagOfWordsCodec(),
        _TermWeightingCodec(),
        _ScalerCodec(),
        _PCACodec(),
        _KernelFeaturesCodec(),
        _LinearCodec(SDCAClassifier),
        _LinearCodec(ASDCAClassifier),
        _LinearCodec(PegasosClassifier),
        _LinearCodec(PerceptronClassifier),
        _KernelCodec(KernelSDCAClassifier, "n_iter_"),
        _KernelCodec(KernelPegasosClassifier, "t_"),
    )
}


def _check_and_set(model, params):
    """Give a model the parameters of a file, checked."""
    defaults = model.get_params(deep=False)
    params = {name: _from_json(name, value, defaults[name]) for name, value in params.items()}
    try:
        model.set_params(**params)._check_params()
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{type(model).__name__}: {line(error)}") from None


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
    raise ModelFileError(f"{name} is {show(value)}")


def _from_json(name, value, default):
    """Turn JSON into a constructor parameter."""
    if name == "class_weight":
        return value if value in (None, "balanced") else _class_weight(value)
    kind = float if name == "cache_size" else type(default)  # the default just happens to be whole
    if type(value) not in LIKE[kind] or (value is not None and not _in_range(name, value)):
        raise ModelFileError(f"parameter {name} is {show(value)}")
    return value


def _in_range(name, value):
    """Tell whether joblib, or NumPy's random generators, would take a number."""
    if name == "n_jobs":
        return value != 0 and value <= MAX_JOBS
    return name != "random_state" or 0 <= value < 2**32


def _class_weight(pairs):
    if type(pairs) is not list:
        raise ModelFileError(f"class_weight is {show(pairs)}")
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) in (list, dict):
            raise ModelFileError("class_weight is not a list of pairs, label and weight")
        if type(pair[1]) not in (int, float):
            raise ModelFileError(f"class_weight of {show(pair[0])} is {show(pair[1])}")
    weights = dict(pairs)
    if len(weights) != len(pairs):
        raise ModelFileError("class_weight: a label twice")
    return weights


# Rows, dense or sparse -----------------------------------------------------------------------------------


def _pack_rows(name, rows):
    """Turn an array or a CSR matrix into tensors, with columns in order and none repeated."""
    if not sparse.issparse(rows):
        return {name: native(rows)}
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return {
        f"{name}.data": native(rows.data),
        f"{name}.indices": rows.indices.astype(np.int64),
        f"{name}.indptr": rows.indptr.astype(np.int64),
    }


def _take_rows(name, tensors, n_columns, at_least=1):
    """Take an array or a CSR array: at least so many rows, of so many columns."""
    if f"{name}.indptr" not in tensors:
        rows = take(tensors, name, FLOATS, ndim=2)
        if len(rows) < at_least or rows.shape[1] != n_columns:
            raise ModelFileError(f"{name} is of shape {rows.shape}, for {n_columns} features")
        return rows
    data = take(tensors, f"{name}.data", FLOATS)
    columns, offsets = (take(tensors, f"{name}.{part}", OFFSETS) for part in ("indices", "indptr"))
    spans = len(offsets) > at_least and offsets[0] == 0 and offsets[-1] == len(data)
    if not spans or (offsets[:-1] > offsets[1:]).any():
        raise ModelFileError(f"{name}: indptr does not span the {len(data)} values")
    if len(columns) != len(data) or ((columns < 0) | (columns >= n_columns)).any():
        raise ModelFileError(f"{name}: indices are not {len(data)} columns below {n_columns}")
    rises = np.diff(columns) > 0
    starts = offsets[1:-1]
    rises[starts[(starts > 0) & (starts < len(data))] - 1] = True  # from one row to the next
    if not rises.all():
        raise ModelFileError(f"{name}: indices of a row are not in ascending order")
    narrow = np.int32 if len(data) < 2**31 else np.int64
    parts = data, columns.astype(narrow), offsets.astype(narrow)
    return sparse.csr_array(parts, shape=(len(offsets) - 1, n_columns))


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
    if not is_pipeline(node):
        model = _decode_step(node, tensors)
        same_names(tensors, (), "tensor")
        return model
    steps = decode_steps(node, tensors, _decode_step)
    for (_, first), (name, second) in pairwise(steps):
        given = CODECS[type(first).__name__].n_features_out(first)
        check_width(name, getattr(second, "n_features_in_", None), given)
    return Pipeline(steps)


def _encode_step(model):
    cls = type(model)
    if cls.__name__ not in CODECS or CODECS[cls.__name__].cls is not cls:
        raise ModelFileError(f"a model file holds no {cls.__module__}.{cls.__qualname__}")
    params, fitted, tensors = CODECS[cls.__name__].encode(model)
    return {"class": cls.__name__, "params": params, "fitted": fitted}, tensors


def _decode_step(node, tensors):
    check_node(node)
    if node["class"] not in CODECS:
        raise ModelFileError(f"unknown class {show(node['class'])}")
    return CODECS[node["class"]].decode(node["params"], node["fitted"], tensors)
