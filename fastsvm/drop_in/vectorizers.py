"""What scikit-learn's vectorisers have here in common."""

from sklearn.feature_extraction.text import CountVectorizer

from ..text.reading import MAX_N, PATTERNS


class AsInScikitLearn:
    """For a vectoriser of fastsvm, the next base class: without what it has beyond scikit-learn's."""

    n_jobs = None
    analyzers: tuple[str, ...] = ("word", "char", "char_wb")
    build_analyzer = CountVectorizer.build_analyzer
    build_tokenizer = CountVectorizer.build_tokenizer


def missing_code(vectorizer, analyzers=AsInScikitLearn.analyzers):
    """Return which setting needs code that fastsvm has not.

    Parameters
    ----------
    vectorizer : CountVectorizer or HashingVectorizer
    analyzers : tuple of str
        Those that are compiled.

    Returns
    -------
    str
        "" if nothing is missing, or if a function of the caller's own cuts the texts.
    """
    analyzer, last = vectorizer.analyzer, vectorizer.ngram_range[-1]
    if callable(analyzer) or vectorizer.tokenizer is not None:
        return ""
    if analyzer not in analyzers:
        return f"compiled analyzer {analyzer!r}"
    if analyzer != "word":
        return ""
    if vectorizer.token_pattern not in PATTERNS:
        return f"compiled token_pattern {vectorizer.token_pattern!r}"
    return f"compiled n-grams of {last} words" if last > MAX_N else ""
