"""Vectorisers and weightings of texts in model files."""

import numpy as np

from ..text._vocabulary import terms_are_ascending
from ..text.markup import lower_without_markup
from ..text.reading import DEFAULT_PATTERN, PATTERNS, SPLIT_PATTERN
from ..text.terms import Terms
from ..text.weighting import LEARNED
from .codec import Codec, check_transformer, pack_names, take_names
from .container import (
    ModelFileError,
    UnknownStep,
    check_field_names,
    check_object,
    decode_steps,
    one_line,
    show,
)
from .fields import n_columns_field
from .parameters import params_to_json, to_json
from .tensors import FLOATS, native_tensor, pack_strings, take_packed_strings, take_tensor, unpack_strings

MAX_NGRAM = 16

# A pattern in a file could take for ever to match, so a file only names one of these. All PATTERNS take
# time in proportion to the text.
READING = {
    "analyzer": ("word", "split", "char_wb"),
    "token_pattern": tuple(PATTERNS),
    "stop_words": (None, "english", "listed"),
    "strip_accents": (None, "ascii", "unicode"),
}
PREPROCESSORS = {"markup": lower_without_markup}  # by their names in files; most files have none
# The names in files of a ``CountVectorizer``'s two patterns.
ANALYZERS = {"words": DEFAULT_PATTERN, "split": SPLIT_PATTERN}

MAX_WEIGHT = 1e4  # the weights that are learned are logarithms
COUNTS = ("int32", "int64", "float32", "float64")


def check_counting(what, params, **kinds):
    """Check the types of a vectoriser's parameters: the common ones, and its own `kinds`."""
    usual = {"ngram_range": list, "lowercase": bool, "binary": bool, "analyzer": str, "dtype": str}
    check_object(params, f"{what} parameters", **usual, **kinds)


def refuse_parameter(what, name, value):
    """Raise the error of an invalid parameter."""
    raise ModelFileError(f"{what} parameters: {name} is {show(value)}")


def counting(what, params):
    """Return the settings common to all vectorisers, from parameters with checked types."""
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


class CountVectorizerCodec(Codec):
    """scikit-learn's ``CountVectorizer``: its vocabulary, and the settings that find words."""

    kept: tuple[str, ...] = ("ngram_range", "lowercase", "binary", "token_pattern", "dtype", "vocabulary")
    dropped: tuple[str, ...] = ("max_df", "min_df", "max_features")

    def encode(self, vectorizer):
        given = vectorizer.get_params(deep=False)
        for name, default in self.cls().get_params(deep=False).items():
            if name not in self.kept + self.dropped and given[name] != default:
                self._refuse(name, given[name])
        params = {
            "ngram_range": [to_json("ngram_range", n) for n in given["ngram_range"]],
            "lowercase": bool(given["lowercase"]),
            "binary": bool(given["binary"]),
            "dtype": np.dtype(given["dtype"]).name,
        }
        try:
            vocabulary = self._pack_vocabulary(vectorizer)
        except (AttributeError, ValueError) as error:  # not fitted, for one
            raise ModelFileError(f"{self.name}: {one_line(error)}") from None
        more, tensors = self._encode_analyzer(given)
        return params | more, {}, vocabulary | tensors

    def _refuse(self, name, value):
        raise ModelFileError(f"a {self.name} with {name}={show(value)}")

    def _pack_vocabulary(self, vectorizer):
        return pack_strings("vocabulary", vectorizer.get_feature_names_out())

    def _encode_analyzer(self, given):
        patterns = {pattern: name for name, pattern in ANALYZERS.items()}
        if given["token_pattern"] not in patterns:
            self._refuse("token_pattern", given["token_pattern"])
        return {"analyzer": patterns[given["token_pattern"]]}, {}

    def decode(self, params, fitted, tensors):
        what = self.name
        check_object(fitted, f"{what} attributes")
        check_counting(what, params)
        if params["analyzer"] not in ANALYZERS:
            refuse_parameter(what, "analyzer", params["analyzer"])
        vectorizer = self.cls(**counting(what, params), token_pattern=ANALYZERS[params["analyzer"]])
        vectorizer.vocabulary = unpack_strings("vocabulary", tensors)
        vectorizer.get_feature_names_out()  # sets vocabulary_, without fit's warnings
        return vectorizer

    def n_features_out(self, vectorizer):
        return len(vectorizer.vocabulary_)


class BagCodec(CountVectorizerCodec):
    """A ``BagOfWords`` with compiled settings; its terms stay packed."""

    kept = (*CountVectorizerCodec.kept, "analyzer", "stop_words", "strip_accents", "preprocessor", "marks")
    dropped = (*CountVectorizerCodec.dropped, "n_jobs")

    def _pack_vocabulary(self, vectorizer):
        terms = vectorizer._packed()
        return {
            "vocabulary.bytes": native_tensor(terms.content),
            "vocabulary.offsets": np.concatenate([[0], terms.ends]).astype(np.int64, copy=False),
        }

    def _encode_analyzer(self, given):
        tensors, params = {}, {name: given.get(name) for name in READING}
        if type(params["stop_words"]) is list:
            words = list(dict.fromkeys(params["stop_words"]))
            tensors = pack_strings("stop_words", words) if words else {}
            params["stop_words"] = "listed" if words else None
        for name, known in READING.items():
            if params[name] not in known or given.get(name) == "listed":
                self._refuse(name, given[name])
        if (preprocessor := given.get("preprocessor")) is not None:
            names = {function: name for name, function in PREPROCESSORS.items()}
            if preprocessor not in names:
                self._refuse("preprocessor", preprocessor)
            params["preprocessor"] = names[preprocessor]
        return {**params, "marks": bool(given["marks"])}, tensors

    def decode(self, params, fitted, tensors):
        what = self.name
        check_object(fitted, f"{what} attributes")
        optional = {name: type(params.get(name)) for name in ("stop_words", "strip_accents")}
        if "preprocessor" in params:
            optional["preprocessor"] = str
        check_counting(what, params, token_pattern=str, marks=bool, **optional)
        for name, known in READING.items():
            if type(params[name]) not in (str, type(None)) or params[name] not in known:
                refuse_parameter(what, name, params[name])
        settings = {**counting(what, params), **{name: params[name] for name in (*READING, "marks")}}
        if "preprocessor" in params:
            if params["preprocessor"] not in PREPROCESSORS:
                refuse_parameter(what, "preprocessor", params["preprocessor"])
            settings["preprocessor"] = PREPROCESSORS[params["preprocessor"]]
        if settings["stop_words"] == "listed":
            settings["stop_words"] = unpack_strings("stop_words", tensors)
        for name in settings.keys() - self.cls().get_params(deep=False).keys():
            if settings.pop(name) is not None:  # a plain bag has no stop words and strips no accents
                raise UnknownStep(f"only fastsvm.load_model reads a {what} with {name}")
        terms = Terms(*take_packed_strings("vocabulary", tensors))
        if not terms_are_ascending(terms.content, terms.ends) and len(set(terms.strings())) != len(terms):
            raise ModelFileError("vocabulary: a string twice")
        vectorizer = self.cls(**settings)
        vectorizer._set_terms(terms)
        return vectorizer

    def n_features_out(self, vectorizer):
        return len(vectorizer._packed())


class UnionCodec(Codec):
    """Bags side by side; each is described as if it were alone."""

    def __init__(self, cls, bags):
        super().__init__(cls, "FeatureUnion")
        self.bags = bags

    def encode(self, union):
        default = self.cls([]).get_params(deep=False)
        for name, value in union.get_params(deep=False).items():
            if name != "transformer_list" and value != default[name]:
                raise ModelFileError(f"a FeatureUnion with {name}={show(value)}")
        described, tensors = [], {}
        for name, bag in union.transformer_list:
            if type(bag) is not self.bags.cls:
                raise ModelFileError(f"a FeatureUnion of a {type(bag).__name__}, not only of BagOfWords")
            params, _, arrays = self.bags.encode(bag)
            described.append([name, params])
            tensors |= {f"{name}.{key}": array for key, array in arrays.items()}
        return {"bags": described}, {}, tensors

    def decode(self, params, fitted, tensors):
        check_object(fitted, f"{self.name} attributes")
        check_object(params, f"{self.name} parameters", bags=list)
        steps = decode_steps(
            {"class": "Pipeline", "steps": params["bags"]},
            tensors,
            lambda params, own: self.bags.decode(params, {}, own),
        )
        return self.cls(steps)

    def n_features_out(self, union):
        return sum(self.bags.n_features_out(bag) for _, bag in union.transformer_list)


class WeightingCodec(Codec):
    """A ``TermWeighting``: its parameters, and its learned weights, if any."""

    def encode(self, model):
        check_transformer(model, ["weights_", "n_features_in_"])
        if (model.weights_ is not None) != (model.weighting in LEARNED):
            raise ModelFileError("a TermWeighting whose weighting was changed after fit")
        params = params_to_json(model)
        tensors = pack_names(model)
        if model.weights_ is not None:
            tensors["weights_"] = native_tensor(model.weights_)
        return params, {"n_features_in_": int(model.n_features_in_)}, tensors

    def decode(self, params, fitted, tensors):
        what = self.name
        model = self.cls()
        check_field_names(params, model.get_params(deep=False), f"{what} parameter")
        check_object(fitted, f"{what} attributes", n_features_in_=int)
        try:
            model.set_params(**params)._check_params()
        except ValueError as error:
            raise ModelFileError(f"{what}: {one_line(error)}") from None
        model.weights_, n = None, n_columns_field(what, "n_features_in_", fitted["n_features_in_"])
        model.n_features_in_ = n
        if model.weighting in LEARNED:
            model.weights_ = take_tensor(tensors, "weights_", FLOATS)
            if len(model.weights_) != n:
                raise ModelFileError(f"{len(model.weights_)} weights for {n} features")
            if np.abs(model.weights_).max(initial=0) > MAX_WEIGHT:
                raise ModelFileError(f"{what}: weights_ beyond {MAX_WEIGHT:,.0f}, too large for logarithms")
        take_names(model, tensors)
        return model
