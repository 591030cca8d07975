"""Bags of words, their weights and the choice of terms as ONNX nodes.

A bag becomes onnxruntime's Tokenizer, with regular expressions of RE2, and ONNX's TfIdfVectorizer, which
counts.
"""

from itertools import accumulate

import numpy as np

from ..text.reading import PATTERNS, SPLIT_PATTERN

LOCALE = "C.UTF-8"  # the only locale in many containers with more than English letters
# Python's \w and \S; in RE2 they cover ASCII only.
WORD, NO_BLANK = r"[\pL\pN_]", r"[^\t-\r\x1c-\x20\x{85}\pZ]"
MARKED = r"[\pL\pN_\pM\x{200c}\x{200d}]"  # continues a word with `marks`
PAD = " "  # a word that no text has
NEEDED = {"input": "content", "strip_accents": None, "preprocessor": None, "tokenizer": None}


def tfidf(g, model):
    """Add the nodes of `TfidfTransformer`, or of `TfidfVectorizer`, which counts first."""
    values = counts(g, model) if hasattr(model, "vocabulary_") else g.rows()
    return _weigh(g, values, model.sublinear_tf, model.idf_ if model.use_idf else None, model.norm)


def weighed(g, model):
    """Add the nodes of `TermWeighting`."""
    binary = model.weighting in ("binary", "nb")
    norm = "l2" if model.norm == "auto" and model.weighting == "tfidf" else model.norm
    values = _presence(g, g.rows()) if binary else g.rows()
    sublinear = model.sublinear_tf and not binary
    return _weigh(g, values, sublinear, model.weights_, None if norm == "auto" else norm)


def selected(g, model):
    """Add the node of `SelectTerms` and `SelectKBest`."""
    return g("Gather", g.rows(), model.get_support(indices=True), axis=1)


def counts(g, bag):
    """Add the nodes of `BagOfWords` and `CountVectorizer`."""
    _require_simple(bag)
    pattern = SPLIT_PATTERN if bag.analyzer == "split" else bag.token_pattern
    split, least = PATTERNS[pattern]
    texts = g("Reshape", g.operator.inputs[0].full_name, np.array([-1]))
    if bag.lowercase:
        locale = g.container.get_options(bag, {"locale": LOCALE})["locale"]
        lower = {"case_change_action": "LOWER", "is_case_sensitive": 1, "locale": locale}
        texts = g("StringNormalizer", texts, **lower)
    goes_on = MARKED if getattr(bag, "marks", False) else WORD
    word = f"{NO_BLANK}{{{least},}}" if split else f"{WORD}{goes_on}{{{least - 1},}}"
    cutting = {"tokenexp": word, "mincharnum": 1, "mark": 0}
    words = g("Tokenizer", texts, domain="com.microsoft", pad_value=PAD, **cutting)
    terms = [term.split(PAD) for term in bag.get_feature_names_out()]
    by_size = sorted(range(len(terms)), key=lambda column: len(terms[column]))
    sizes, (first, last) = np.bincount([len(term) for term in terms]), bag.ngram_range
    values = g(
        *("TfIdfVectorizer", words),
        mode="TF",
        max_skip_count=0,
        min_gram_length=first,
        max_gram_length=last,
        pool_strings=[word for column in by_size for word in terms[column]],
        ngram_counts=[0, *accumulate(n * sizes[n : n + 1].sum() for n in range(1, last))],
        ngram_indexes=by_size,
    )
    return _presence(g, values) if bag.binary else values


def _require_simple(bag):
    """Raise a NotImplementedError if the nodes would find different words than the bag."""
    name = type(bag).__name__
    for parameter, value in NEEDED.items():
        if getattr(bag, parameter) != value:
            raise NotImplementedError(f"{name}: only {parameter}={value!r} has ONNX nodes.")
    if bag.analyzer != "split" and (bag.analyzer != "word" or bag.token_pattern not in PATTERNS):
        raise NotImplementedError(
            f"{name}: only the analyzers 'word', with a usual token_pattern, and 'split' have ONNX nodes."
        )
    if bag.stop_words is not None and (bag.ngram_range[1] > 1 or bag.fixed_vocabulary_):
        raise NotImplementedError(
            f"{name}: stop words have no ONNX nodes with n-grams or a given vocabulary; leave them out."
        )


def _weigh(g, values, sublinear, weights, norm):
    """Add the nodes that weight counts; the last has the output."""
    if sublinear:
        there = g("Greater", values, g.dtype(0))
        logarithms = g("Log", g("Where", there, values, g.dtype(1)))
        values = g("Add", logarithms, g.cast(there))
    if weights is not None:
        values = g("Mul", values, weights.astype(g.dtype))
    if norm is not None:
        sizes = g.row_sums(g("Abs", values) if norm == "l1" else g("Mul", values, values))
        sizes = sizes if norm == "l1" else g("Sqrt", sizes)
        values = g("Div", values, g("Max", sizes, np.finfo(g.dtype).tiny))
    return values


def _presence(g, values):
    return g.cast(g("Greater", values, g.dtype(0)))
