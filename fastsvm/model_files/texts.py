"""The fields of vectorisers, their unions and weightings of terms in a model file."""

import numpy as np

from ..text._vocabulary import terms_are_ascending
from ..text.markup import lower_without_markup
from ..text.reading import DEFAULT_PATTERN, PATTERNS, SPLIT_PATTERN
from ..text.terms import Terms
from ..text.weighting import LEARNED
from . import container
from .container import ModelFileError, UnknownStep, one_line, show
from .fields import Array, Codec
from .tables import COLUMNS, N_COLUMNS, nothing

MAX_NGRAM = 16
MAX_WEIGHT = 1e4  # learned weights are logarithms


# Settings of vectorisers: the parameter, and all its values with their JSON -----------------------


def by_themselves(*values):
    """Return values that are the same in JSON."""
    return [(value, value) for value in values]


COUNTING = {
    "ngram_range": (
        "ngram_range",
        [([a, b], (a, b)) for a in range(1, MAX_NGRAM + 1) for b in range(a, MAX_NGRAM + 1)],
    ),
    "lowercase": ("lowercase", by_themselves(False, True)),
    "binary": ("binary", by_themselves(False, True)),
    "dtype": ("dtype", [(name, np.dtype(name).type) for name in ("int32", "int64", "float32", "float64")]),
}
# A pattern in a file could take forever to match, so a file only names one of these, whose time is
# proportional to the text.
WORDS = COUNTING | {"analyzer": ("token_pattern", [("words", DEFAULT_PATTERN), ("split", SPLIT_PATTERN)])}
BAG = COUNTING | {
    "analyzer": ("analyzer", by_themselves("word", "split", "char_wb")),
    "token_pattern": ("token_pattern", by_themselves(*PATTERNS)),
    "stop_words": ("stop_words", by_themselves(None, "english")),
    "strip_accents": ("strip_accents", by_themselves(None, "ascii", "unicode")),
    "preprocessor": ("preprocessor", [("markup", lower_without_markup)]),
    "marks": ("marks", by_themselves(False, True)),
}
OPTIONAL = "preprocessor"  # in the file unless it is None
NOT_KEPT = {"max_df", "min_df", "max_features", "vocabulary", "n_jobs"}
LISTED = "listed"  # stop words in a tensor


class Vectorizer:
    """The codec of a vectoriser: a table of settings, and a vocabulary.

    Parameters
    ----------
    settings : dict of (str, list)
        By their names in files.
    """

    def __init__(self, settings):
        self.settings = settings

    def encode(self, models, name, vectorizer):
        """Return the parameters and the tensors of a vectoriser; `name` is its class in files."""
        given = vectorizer.get_params(deep=False)
        given["dtype"] = np.dtype(given["dtype"]).type
        kept = NOT_KEPT.union(parameter for parameter, _ in self.settings.values())
        for parameter, default in models.class_of(name)().get_params(deep=False).items():
            if parameter not in kept and given[parameter] != default:
                raise not_in_files(name, parameter, given[parameter])
        words = given.get("stop_words")
        if type(words) is list:
            given["stop_words"] = None
        params = {}
        for key, (parameter, values) in self.settings.items():
            value = given.get(parameter)
            found = [written for written, known in values if known == value]
            if found:
                params[key] = found[0]
            elif key != OPTIONAL or value is not None:
                raise not_in_files(name, parameter, value)
        try:
            tensors = self.pack_terms(vectorizer)
        except (AttributeError, ValueError) as error:  # for example not fitted
            raise ModelFileError(f"{name}: {one_line(error)}") from None
        if type(words) is list and words:
            params["stop_words"] = LISTED
            tensors |= container.pack_strings("stop_words", [*dict.fromkeys(words)])
        return params, {}, tensors

    def decode(self, models, name, params, fitted, tensors):
        """Return a vectoriser, or raise a ModelFileError; used tensors are removed from `tensors`."""
        container.check_object(fitted, f"{name} attributes")
        expected = [key for key in self.settings if key in params or key != OPTIONAL]
        container.check_field_names(params, expected, f"{name} parameter")
        settings = {}
        if params.get("stop_words") == LISTED:
            settings["stop_words"] = container.take_strings(tensors, "stop_words")
        for key in expected:
            parameter, values = self.settings[key]
            written = params[key]
            found = [value for known, value in values if type(known) is type(written) and known == written]
            if found:
                settings[parameter] = found[0]
            elif parameter not in settings:
                raise ModelFileError(f"{name} parameters: {key} is {show(written)}, which is invalid")
        cls = models.class_of(name)
        for parameter in settings.keys() - cls().get_params(deep=False).keys():
            if settings.pop(parameter) is not None:  # a plain bag has no stop words and strips no accents
                raise UnknownStep(f"only fastsvm.load_model reads a {name} with {parameter}")
        vectorizer = cls(**settings)
        self.take_terms(vectorizer, tensors)
        return vectorizer

    def n_features_out(self, vectorizer):
        """Return the number of terms."""
        return len(vectorizer.vocabulary_)

    def pack_terms(self, vectorizer):
        """Return the terms as tensors."""
        return container.pack_strings("vocabulary", vectorizer.get_feature_names_out())

    def take_terms(self, vectorizer, tensors):
        """Give a vectoriser its terms."""
        vectorizer.vocabulary = container.take_strings(tensors, "vocabulary")
        vectorizer.get_feature_names_out()  # sets vocabulary_, without fit's warnings


class PackedBag(Vectorizer):
    """The codec of a bag of words, whose terms stay packed."""

    def n_features_out(self, bag):
        return len(bag._packed())

    def pack_terms(self, bag):
        terms = bag._packed()
        offsets = np.concatenate([[0], terms.ends]).astype(np.int64, copy=False)
        return container.pack_array("vocabulary.bytes", terms.content) | {"vocabulary.offsets": offsets}

    def take_terms(self, bag, tensors):
        terms = Terms(*container.take_packed_strings(tensors, "vocabulary"))
        if not terms_are_ascending(terms.content, terms.ends) and len(set(terms.strings())) != len(terms):
            raise ModelFileError("vocabulary: a term occurs twice")
        bag._set_terms(terms)


class BagUnion:
    """The codec of bags side by side, each described like a single bag."""

    def encode(self, models, name, union):
        """Return the bags' parameters and tensors; `name` is the union's class in files."""
        default = models.class_of(name)([]).get_params(deep=False)
        for parameter, value in union.get_params(deep=False).items():
            if parameter != "transformer_list" and value != default[parameter]:
                raise not_in_files(name, parameter, value)
        described, tensors = [], {}
        for step, bag in union.transformer_list:
            if type(bag) is not models.class_of("BagOfWords"):
                raise ModelFileError(f"a file holds no {name} of a {type(bag).__name__}, only of BagOfWords")
            params, _, own = BAG_OF_WORDS.encode(models, "BagOfWords", bag)
            described.append([step, params])
            tensors |= {f"{step}.{key}": array for key, array in own.items()}
        return {"bags": described}, {}, tensors

    def decode(self, models, name, params, fitted, tensors):
        """Return a union, or raise a ModelFileError; used tensors are removed from `tensors`."""
        container.check_object(fitted, f"{name} attributes")
        container.check_object(params, f"{name} parameters", bags=list)

        def bag_of(params, own):
            return BAG_OF_WORDS.decode(models, "BagOfWords", params, {}, own)

        bags = container.decode_steps({"class": "Pipeline", "steps": params["bags"]}, tensors, bag_of)
        return models.class_of(name)(bags)

    def n_features_out(self, union):
        """Return the number of terms of all bags."""
        return sum(BAG_OF_WORDS.n_features_out(bag) for _, bag in union.transformer_list)


def not_in_files(name, parameter, value):
    """Return the error for a parameter that no file can hold."""
    return ModelFileError(f"a file cannot hold a {name} with {parameter}={show(value)}")


def logarithms(name, array):
    """Check that weights may be logarithms of counts."""
    if np.abs(array).max(initial=0) > MAX_WEIGHT:
        raise ModelFileError(f"{name} has values beyond {MAX_WEIGHT:,.0f}, too large for logarithms")


WEIGHTS = Array("weights_", COLUMNS, check=logarithms, when=("weighting", *LEARNED), absent=nothing)
BAG_OF_WORDS = PackedBag(BAG)
CODECS = {  # by the class's name in files
    "CountVectorizer": Vectorizer(WORDS),
    "BagOfWords": BAG_OF_WORDS,
    "FeatureUnion": BagUnion(),
    "TermWeighting": Codec([N_COLUMNS, WEIGHTS]),
}
