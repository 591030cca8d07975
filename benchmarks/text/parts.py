"""The vectoriser and the choice of terms against scikit-learn's, in one process."""

from functools import partial

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.feature_selection import SelectKBest, chi2, f_classif

from fastsvm.text import BagOfWords, HashedBagOfWords, SelectTerms

from ..common import aligned, alternate, cpu, spread, wall
from ..machine import pin

K = 5000
SCORES = {"f_classif": f_classif, "chi2": chi2}
NGRAMS = {"1": (1, 1), "1-2": (1, 2)}


def vectorise(options, corpora):
    """Fit and transform: CPU time of one thread; of more threads the time on the clock."""
    table, record = [["corpus", "tokens", "n-grams", "", "scikit-learn, ms", "fastsvm, ms", "times"]], []
    threaded = [
        ["corpus", "tokens", "n-grams", "", "1 thread, ms", f"{options.threads} threads, ms", "times"]
    ]
    for corpus, tokens, ngrams in _cases(corpora):
        what = corpus.name, tokens, ngrams
        theirs, ours = makers(tokens, NGRAMS[ngrams])
        peer, model = theirs.words(), ours.words()
        same(peer.fit_transform(corpus.texts), model.fit_transform(corpus.texts))
        if peer.vocabulary_ != model.vocabulary_:
            raise SystemExit(f"{what}: the vocabularies differ")
        same(peer.transform(corpus.texts), model.transform(corpus.texts))
        same(theirs.hashes().transform(corpus.texts), ours.hashes().transform(corpus.texts))
        for task, functions in (
            ("fit", [partial(_fit, kind.words, corpus.texts) for kind in (theirs, ours)]),
            ("transform", [partial(each.transform, corpus.texts) for each in (peer, model)]),
            ("hash", [partial(kind.hashes().transform, corpus.texts) for kind in (theirs, ours)]),
        ):
            _compare(table, record, (*what, task), functions, options.rounds)
        if options.threads > 1:
            pin(options.core, options.threads)
            several = makers(tokens, NGRAMS[ngrams], options.threads)[1]
            again = several.words()
            same(model.fit_transform(corpus.texts), again.fit_transform(corpus.texts))
            for task, functions in (
                ("fit", [partial(_fit, kind.words, corpus.texts) for kind in (ours, several)]),
                ("transform", [partial(each.transform, corpus.texts) for each in (model, again)]),
            ):
                _compare(threaded, record, (*what, task), functions, options.rounds, options.threads)
            pin(options.core, 1)
    print("CPU time, one thread [range]; fit is fit_transform, hash HashingVectorizer's transform")
    print(aligned(table), flush=True)
    if options.threads > 1:
        print("\nfastsvm, wall-clock time")
        print(aligned(threaded), flush=True)
    return record


def select(options, corpora):
    """The fit of SelectTerms against that of SelectKBest: CPU time, the same support."""
    table, record = [["corpus", "tokens", "n-grams", "", "scikit-learn, ms", "fastsvm, ms", "times"]], []
    for corpus, tokens, ngrams in _cases(corpora):
        counts = makers(tokens, NGRAMS[ngrams])[0].words().fit_transform(corpus.texts)
        for score, function in SCORES.items():
            peer, ours = SelectKBest(function, k=K), SelectTerms(K, score=score)
            fits = [partial(each.fit, counts, corpus.labels) for each in (peer, ours)]
            if not np.array_equal(*(fit().get_support() for fit in fits)):
                raise SystemExit(f"{corpus.name}, {ngrams}, {score}: the supports differ")
            _compare(table, record, (corpus.name, tokens, ngrams, score), fits, options.rounds)
    print(f"CPU time [range] of the choice of {K} terms")
    print(aligned(table), flush=True)
    return record


class Makers:
    """What makes a vectoriser of words and one of hashes."""

    def __init__(self, words, hashes):
        self.words, self.hashes = words, hashes


def makers(tokens, ngrams, threads=1):
    """scikit-learn's and ours, for the same texts."""
    pattern = {"token_pattern": r"\S+"} if tokens == "split" else {}
    analyzer = {"analyzer": "split"} if tokens == "split" else {}
    theirs = {"ngram_range": ngrams, **pattern}
    ours = {"ngram_range": ngrams, "n_jobs": threads, **analyzer}
    return (
        Makers(partial(CountVectorizer, **theirs), partial(HashingVectorizer, **theirs)),
        Makers(partial(BagOfWords, **ours), partial(HashedBagOfWords, **ours)),
    )


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


def _fit(make, texts):
    make().fit_transform(texts)


def _compare(table, record, what, functions, rounds, threads=1):
    """Time two functions; add a row to the table and to the record."""
    slow, quick = alternate(functions, rounds, cpu if threads == 1 else wall)
    times = slow / quick
    table.append([*what, *(spread(t, 1e3).strip() for t in (slow, quick)), spread(times).strip()])
    row = dict(zip(("corpus", "tokens", "ngrams", "task"), what, strict=True))
    row |= {"threads": threads, "first": slow.tolist(), "second": quick.tolist()}
    record.append({**row, "times": float(np.median(times))})
