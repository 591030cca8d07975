"""Fuzz the vectorisers against scikit-learn's: the same matrix and the same terms, or the same error."""

import warnings

import numpy as np
import sklearn
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from fastsvm.text import BagOfWords, HashedBagOfWords
from fastsvm.text.reading import DEFAULT_PATTERN, SPLIT_PATTERN
from fuzzing import Choices, main

MOST = 1000  # bytes
ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-32-le")
STOP_WORDS = (None, None, "english", ["one", "zwei", "o", ""])
# What one side keeps and the other does not, or lower-cases in a way of its own.
ODD = "İΣſKßŉǰΐﬀ\u0130\u03a3\u0345\u00b2\u2160\u200d\u0301\U0001d7ce\U0001f600_\x1c\x85\u2028\u3000\ud800é"
SEEDS = [
    bytes([k, 3 * k, 7 * k, k]) * 3 + text.encode("utf-8", "surrogatepass")
    for k, text in enumerate(
        [
            "one two two\0Three a one",
            f"{ODD}\0{ODD[::-1]}",
            " ".join(ODD) + "\0one " + "long" * 40,
            "\0".join(f"{c}a{c} {c}" for c in ODD),
            "a b c d e f g h i j k l a b c d\0\0" + "ab " * 40,
        ]
    )
]


def target(data):
    choices = Choices(data)
    options = {
        "lowercase": choices.below(4) > 0,
        "ngram_range": choices.pick([(1, 1), (1, 1), (1, 2), (2, 3), (1, 8), (3, 3)]),
        "strip_accents": choices.pick([None, None, None, None, "ascii", "unicode"]),
        "stop_words": choices.pick(STOP_WORDS),
        "token_pattern": choices.pick([DEFAULT_PATTERN, SPLIT_PATTERN, r"(?u)\b\w+\b", r"[a-z]+"]),
        "analyzer": choices.pick(["word", "word", "split"]),
        "binary": choices.flag(),
        "dtype": choices.pick([np.int64, np.float32, np.float64, np.int32, np.int8]),
    }
    n_jobs = 2 + choices.below(2) if choices.below(32) == 1 else None
    hashed, encoding = choices.below(3) == 1, choices.pick(ENCODINGS)
    errors = choices.pick(["replace", "surrogatepass"])
    limits = choices.take(3)
    try:
        texts = choices.rest()[:MOST].decode(encoding, errors).split("\0")
    except UnicodeDecodeError:
        return
    # The checks of parameters are scikit-learn's for both, and slow.
    with warnings.catch_warnings(), sklearn.config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore")
        if hashed:
            compare_hashed(options, limits, n_jobs, texts)
        else:
            compare_counted(options, limits, n_jobs, texts)


def compare_counted(options, limits, n_jobs, texts):
    choices = Choices(limits)
    options["min_df"] = choices.pick([1, 1, 1, 2, 0.3, 0.0])
    options["max_df"] = choices.pick([1.0, 1.0, 1.0, 2, 0.6])
    options["max_features"] = choices.pick([None, None, None, 1, 5])
    ours, theirs = BagOfWords(**options, n_jobs=n_jobs), CountVectorizer(**usual(options))
    if not same(lambda model: model.fit_transform(texts), ours, theirs):
        return
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.vocabulary_ == theirs.vocabulary_
    same(lambda model: model.transform([*texts[1:], "one", "Two twο", ""]), ours, theirs)


def compare_hashed(options, limits, n_jobs, texts):
    choices = Choices(limits)
    options["n_features"] = choices.pick([2**20, 2, 1, 7, 2**31 - 1])
    options["norm"] = choices.pick([None, "l1", "l2"])
    options["alternate_sign"] = choices.flag()
    if options["norm"]:
        options["dtype"] = np.float64
    ours, theirs = HashedBagOfWords(**options, n_jobs=n_jobs), HashingVectorizer(**usual(options))
    texts = [text.encode("utf-8", "replace").decode() for text in texts]  # scikit-learn refuses surrogates
    same(lambda model: model.transform(texts), ours, theirs)


def usual(options):
    """The options in scikit-learn's words."""
    return (
        options | {"analyzer": "word", "token_pattern": SPLIT_PATTERN}
        if options["analyzer"] == "split"
        else options
    )


def same(make, ours, theirs):
    """Check that both make the same matrix, and return True; or fail alike, and return False."""
    expected, problem = result(make, theirs)
    found, own_problem = result(make, ours)
    assert problem == own_problem, (problem, own_problem)
    if problem is not None:
        return False
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    found.sort_indices()
    expected.sort_indices()
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    return True


def result(make, model):
    try:
        return make(model), None
    except (ValueError, TypeError, UnicodeError) as error:
        return None, (type(error), str(error).replace(type(model).__name__, "the vectoriser"))


if __name__ == "__main__":
    main(target, SEEDS)
