"""The common parts of the drop-in vectorisers."""

from sklearn.feature_extraction.text import CountVectorizer

from ..text.reading import MAX_N, PATTERNS


class AsInScikitLearn:
    """A base class placed before fastsvm's vectoriser, which hides what scikit-learn's does not have."""

    n_jobs = None
    analyzers: tuple[str, ...] = ("word", "char", "char_wb")
    build_analyzer = CountVectorizer.build_analyzer
    build_tokenizer = CountVectorizer.build_tokenizer


def missing_code(vectorizer, analyzers=AsInScikitLearn.analyzers):
    """Return the setting that fastsvm's compiled code does not support.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
    analyzers : tuple of str
        The compiled analyzers.

    Returns
    -------
    str
        "" if nothing is missing, or if the caller's own function tokenises the texts.
    """
    analyzer, last = vectorizer.analyzer, vectorizer.ngram_range[-1]
    if callable(analyzer) or vectorizer.tokenizer is not None:
        return ""
    if analyzer not in analyzers:
        return f"the analyzer {analyzer!r}"
    if analyzer != "word":
        return ""
    if vectorizer.token_pattern not in PATTERNS:
        return f"the token_pattern {vectorizer.token_pattern!r}"
    return f"n-grams of {last} words" if last > MAX_N else ""
