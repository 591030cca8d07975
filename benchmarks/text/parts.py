"""The vectoriser and the choice of terms against scikit-learn's, in one process."""

from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.feature_selection import SelectKBest, chi2, f_classif

from fastsvm.text import BagOfWords, HashedBagOfWords, SelectTerms

from ..common import aligned, alternate, spread

K = 5000
SCORES = {"f_classif": f_classif, "chi2": chi2}
HEAD = ["corpus", "tokens", "n-grams", "", "scikit-learn, ms", "fastsvm, ms", "times"]
NGRAMS = {"1": (1, 1), "1-2": (1, 2)}


def vectorise(options, corpora):
    """Fit and transform: CPU time of one thread."""
    table, record = [HEAD], []
    for corpus, tokens, ngrams in _cases(corpora):
        what = corpus.name, tokens, ngrams
        peer, model = theirs(CountVectorizer, tokens, ngrams), ours(BagOfWords, tokens, ngrams)
        hashers = theirs(HashingVectorizer, tokens, ngrams), ours(HashedBagOfWords, tokens, ngrams)
        same(peer.fit_transform(corpus.texts), model.fit_transform(corpus.texts))
        if peer.vocabulary_ != model.vocabulary_:
            raise SystemExit(f"{what}: the vocabularies differ")
        same(peer.transform(corpus.texts), model.transform(corpus.texts))
        same(*(each.transform(corpus.texts) for each in hashers))
        for task, functions in (
            ("fit", [partial(clone(each).fit_transform, corpus.texts) for each in (peer, model)]),
            ("transform", [partial(each.transform, corpus.texts) for each in (peer, model)]),
            ("hash", [partial(each.transform, corpus.texts) for each in hashers]),
        ):
            _compare(table, record, (*what, task), functions, options.rounds)
    print("CPU time, one thread [range]; fit is fit_transform, hash HashingVectorizer's transform")
    print(aligned(table), flush=True)
    return record


def select(options, corpora):
    """The fit of SelectTerms against that of SelectKBest: CPU time, the same support."""
    table, record = [HEAD], []
    for corpus, tokens, ngrams in _cases(corpora):
        counts = theirs(CountVectorizer, tokens, ngrams).fit_transform(corpus.texts)
        for score, function in SCORES.items():
            kinds = SelectKBest(function, k=K), SelectTerms(K, score=score)
            fits = [partial(each.fit, counts, corpus.labels) for each in kinds]
            if not np.array_equal(*(fit().get_support() for fit in fits)):
                raise SystemExit(f"{corpus.name}, {ngrams}, {score}: the supports differ")
            _compare(table, record, (corpus.name, tokens, ngrams, score), fits, options.rounds)
    print(f"CPU time [range] of the choice of {K} terms")
    print(aligned(table), flush=True)
    return record


def theirs(kind, tokens, ngrams):
    """A vectoriser of scikit-learn."""
    return kind(ngram_range=NGRAMS[ngrams], **({"token_pattern": r"\S+"} if tokens == "split" else {}))


def ours(kind, tokens, ngrams):
    """One of fastsvm that cuts texts in the same way."""
    return kind(ngram_range=NGRAMS[ngrams], n_jobs=1, analyzer="split" if tokens == "split" else "word")


def same(expected, found):
    """Stop unless two sparse matrices are the same, in whatever order a row's columns are."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        raise SystemExit(f"{found.dtype} {found.shape} instead of {expected.dtype} {expected.shape}")
    expected, found = expected.sorted_indices(), found.sorted_indices()
    for part in "indptr", "indices", "data":
        if not np.array_equal(getattr(expected, part), getattr(found, part)):
            raise SystemExit(f"two matrices of shape {found.shape} differ in their {part}")


def _cases(corpora):
    for corpus in corpora:
        for tokens in dict.fromkeys(("words", corpus.tokens)):
            for ngrams in NGRAMS:
                yield corpus, tokens, ngrams


def _compare(table, record, what, functions, rounds):
    """Time two functions; add a row to the table and to the record."""
    slow, quick = alternate(functions, rounds)
    times = slow / quick
    table.append([*what, *(spread(t, 1e3).strip() for t in (slow, quick)), spread(times).strip()])
    row = dict(zip(("corpus", "tokens", "ngrams", "task"), what, strict=True))
    row |= {"first": slow.tolist(), "second": quick.tolist()}
    record.append({**row, "times": float(np.median(times))})
