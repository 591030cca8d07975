"""What a model file says of the steps that make numbers of texts, checked and in plain types."""

from typing import NamedTuple

import numpy as np

from ..text._terms import are_ascending
from ..text.reading import PATTERNS
from ..text.terms import Terms
from ..text.weighing import LEARNED, Weighing
from .container import FLOATS, ModelFileError, fields, line, same_names, show, take, take_packed, unpack
from .fields import feature_names, n_columns

MAX_NGRAM = 16

# A pattern stored in a file could be one that takes for ever to match; the file only names one of these.
# All of PATTERNS take time in proportion to the text.
READING = {
    "analyzer": ("word", "split"),
    "token_pattern": tuple(PATTERNS),
    "stop_words": (None, "english", "listed"),
    "strip_accents": (None, "ascii", "unicode"),
}
MAX_WEIGHT = 1e4  # the weights that are learned are logarithms
COUNTS = ("int32", "int64", "float32", "float64")


class Weights(NamedTuple):
    """A fitted `TermWeighting`: its settings and attributes."""

    settings: Weighing
    weights_: np.ndarray | None
    n_features_in_: int
    names: np.ndarray | None


def check_counting(what, params, **kinds):
    """Check the types of a vectoriser's parameters: those of all, and `kinds` of this one's own."""
    usual = {"ngram_range": list, "lowercase": bool, "binary": bool, "analyzer": str, "dtype": str}
    fields(params, f"{what} parameters", **usual, **kinds)


def refuse_parameter(what, name, value):
    """Raise the error of a parameter that has no meaning."""
    raise ModelFileError(f"{what} parameters: {name} is {show(value)}")


def counting(what, params):
    """Return the settings that all vectorisers have, of parameters whose types were checked."""
    ngrams = params["ngram_range"]
    if [type(n) for n in ngrams] != [int, int] or not 1 <= ngrams[0] <= ngrams[1] <= MAX_NGRAM:
        refuse_parameter(what, "ngram_range", ngrams)
    if params["dtype"] not in COUNTS:
        refuse_parameter(what, "dtype", params["dtype"])
    return {
        "ngram_range": tuple(ngrams),
        "lowercase": params["lowercase"],
        "binary": params["binary"],
        "dtype": np.dtype(params["dtype"]).type,
    }


def bag(params, fitted, tensors):
    """Take the settings of a `BagOfWords`, and its terms, packed."""
    what = "BagOfWords"
    fields(fitted, f"{what} attributes")
    optional = {name: type(params.get(name)) for name in ("stop_words", "strip_accents")}
    check_counting(what, params, token_pattern=str, **optional)
    for name, known in READING.items():
        if type(params[name]) not in (str, type(None)) or params[name] not in known:
            refuse_parameter(what, name, params[name])
    settings = {**counting(what, params), **{name: params[name] for name in READING}}
    if settings["stop_words"] == "listed":
        settings["stop_words"] = unpack("stop_words", tensors)
    terms = Terms(*take_packed("vocabulary", tensors))
    if not are_ascending(terms.content, terms.ends) and len(set(terms.strings())) != len(terms):
        raise ModelFileError("vocabulary: a string twice")
    return settings, terms


def weighting(params, fitted, tensors):
    """Take the settings and attributes of a `TermWeighting`."""
    what = "TermWeighting"
    same_names(params, Weighing._fields, f"{what} parameter")
    fields(fitted, f"{what} attributes", n_features_in_=int)
    settings = Weighing(**params)
    try:
        settings.check()
    except ValueError as error:
        raise ModelFileError(f"{what}: {line(error)}") from None
    n_features = n_columns(what, "n_features_in_", fitted["n_features_in_"])
    weights = None
    if settings.weighting in LEARNED:
        weights = take(tensors, "weights_", FLOATS)
        if len(weights) != n_features:
            raise ModelFileError(f"{len(weights)} weights for {n_features} features")
        if np.abs(weights).max(initial=0) > MAX_WEIGHT:
            raise ModelFileError(f"{what}: weights_ beyond {MAX_WEIGHT:,.0f}, which are no logarithms")
    return Weights(settings, weights, n_features, feature_names(tensors, n_features))
