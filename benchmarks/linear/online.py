"""The time of an epoch of Pegasos, against one of SGDClassifier.

    python -m benchmarks.linear.online --data DIR

DIR has a9a.svm and sentiment.txt. Contenders alternate in one process, and every figure is a median
with its range. Pin the process to one idle core.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import SGDClassifier

from fastsvm import PegasosClassifier

from ..common import a9a, cpu, sentiment_texts, spread, with_int32
from ..machine import parser_of

EPOCHS, ROUNDS = 40, 11


def sentiment(folder, k=None):
    """Counts of the sentiment corpus, all words or the best k."""
    texts, y = sentiment_texts(folder)
    X = CountVectorizer(token_pattern=r"\S+", dtype=np.float64).fit_transform(texts)
    return with_int32(SelectKBest(k=k).fit_transform(X, y) if k else X), y


def epochs(name, X, y, alpha):
    """A Pegasos epoch against one of SGDClassifier: hinge, no intercept, by whole fits and at the margin."""
    shared = {"alpha": alpha, "fit_intercept": False}
    whole, marginal = [], []
    for seed in range(ROUNDS):
        times = []
        for n in (EPOCHS, 3 * EPOCHS):
            peer = SGDClassifier(max_iter=n, tol=None, random_state=seed, **shared)
            ours = PegasosClassifier(max_iter=n, random_state=seed, **shared)
            times.append([cpu(lambda m=m: m.fit(X, y)) for m in (peer, ours)])
        whole.append(np.array(times[0]) / EPOCHS)
        marginal.append(np.subtract(times[1], times[0]) / (2 * EPOCHS))
    for kind, figures in ("whole fit", whole), ("marginal", marginal):
        peer, ours = np.transpose(figures)
        print(f"{name:20s} {kind:10s} {spread(peer, 1e3)}  {spread(ours, 1e3)}  {spread(peer / ours)}")


def main():
    """Run the command line."""
    folder = parser_of("linear.online", __doc__).parse_args().data
    print("CPU ms an epoch                 SGDClassifier            PegasosClassifier        ratio")
    epochs("a9a", *a9a(folder), 1e-4)
    epochs("sentiment, counts", *sentiment(folder), 0.015)
    epochs("sentiment, k = 5000", *sentiment(folder, 5000), 0.015)


if __name__ == "__main__":
    main()
