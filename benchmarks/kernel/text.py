"""Film reviews, sparse rows: accuracy, time and memory."""

from functools import partial

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from ..common import aligned, imdb_texts, memory_added, spread
from .contenders import Contender, chosen, sdca, svc, timed

ROWS = 4000
LINEAR, RBF = {"C": 1}, {"C": 3, "gamma": 1}  # rows are of length 1
CONTENDERS = (
    Contender("fastsvm SDCA, linear", partial(sdca, kernel="linear", alpha=1 / ROWS)),
    Contender("SVC, linear", partial(svc, kernel="linear", **LINEAR)),
    Contender("LinearSVC", partial(LinearSVC, loss="hinge", **LINEAR)),
    Contender("fastsvm SDCA, rbf", partial(sdca, gamma=RBF["gamma"], alpha=1 / (RBF["C"] * ROWS))),
    Contender("SVC, rbf", partial(svc, **RBF)),
)


def text(options):
    """Fit 4,000 rows of tf-idf and predict as many others."""
    words, y = imdb_texts(options.data)
    words, words_new, y, y_new = train_test_split(words, y, train_size=ROWS, test_size=ROWS, random_state=0)
    vectoriser = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    X, X_new = vectoriser.fit_transform(words), vectoriser.transform(words_new)
    print(f"{ROWS:,} x {X.shape[1]:,}, {X.nnz / ROWS:.0f} values per row; predicted are {ROWS:,} others")
    contenders = chosen(CONTENDERS, options.contenders)
    figures = {c.name: {"fit": [], "predict": []} for c in contenders}
    for c in contenders:
        of, model = figures[c.name], c.make().fit(X[:100], y[:100])
        of["memory"] = memory_added(lambda model=model: model.fit(X, y))
        of["accuracy"] = float(model.score(X_new, y_new))
    for _ in range(1 if options.quick else 3):
        for c in contenders:
            times = timed(c.make(), X, y, X_new)
            figures[c.name]["fit"].append(times.fit)
            figures[c.name]["predict"].append(times.predict)
    rows = [["", "accuracy", "fit, CPU s", "predict, CPU s", "memory of a fit, MB"]]
    for name, of in figures.items():
        times = [spread(of[task]).strip() for task in ("fit", "predict")]
        rows.append([name, f"{of['accuracy']:.4f}", *times, f"{of['memory'] / 1e6:.0f}"])
    print(aligned(rows))
    return figures
