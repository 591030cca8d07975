"""Every classifier on three sets: the table of docs/measurements/solvers.md.

    python -m benchmarks.which --data DIR

DIR has a9a.svm, imdb_10k.tsv and usps.npz. Five random splits, 80 to 20, one thread. Seconds are CPU
time of the fit, the median; errors are means over the splits. Excess is (P - P*) / P*, the largest over
the classes, the median over the splits, of those that minimise the hinge; P* is its optimum, certified to
1e-6. The linear ones have an intercept.
"""

from functools import partial

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import fastsvm
from fastsvm.text import BagOfWords, TermWeighting

from .common import a9a, cpu, imdb_texts, usps
from .machine import parser_of

SPLITS = 5


def film_reviews(folder):
    """Tf-idf of words."""
    texts, y = imdb_texts(folder)
    return TermWeighting("tfidf", norm="l2").fit_transform(BagOfWords(min_df=2).fit_transform(texts)), y


def contenders(alpha, kernel_alpha):
    """The classifiers by what the table calls them."""
    return {
        "SDCA": fastsvm.SDCAClassifier(alpha=alpha),
        "SDCA, coordinate steps": fastsvm.SDCAClassifier(alpha=alpha, solver="coordinate"),
        "SDCA, tol 1e-6": fastsvm.SDCAClassifier(alpha=alpha, tol=1e-6),
        "SDCA, log": fastsvm.SDCAClassifier("log", alpha=alpha),
        "ASDCA, 50 epochs": fastsvm.ASDCAClassifier(alpha=alpha, max_iter=50),
        "Pegasos, 20 epochs": fastsvm.PegasosClassifier(alpha=alpha, averaging="tail"),
        "Perceptron": fastsvm.PerceptronClassifier(),
        "KernelSDCA, rbf": fastsvm.KernelSDCAClassifier(alpha=kernel_alpha, tol=1e-2),
        "KernelPegasos, rbf": fastsvm.KernelPegasosClassifier(alpha=kernel_alpha),
        "512 KernelFeatures, SDCA": make_pipeline(
            fastsvm.KernelFeatures(n_components=512),
            fastsvm.SDCAClassifier(alpha=kernel_alpha, fit_intercept=False, tol=1e-2),
        ),
    }


def objective(model, X, y, alpha):
    """The hinge's objective of each class, from the weights."""
    coef, intercept = np.asarray(model.coef_, float), np.asarray(model.intercept_, float)
    labels = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    margins = np.where(y[:, None] == labels, 1, -1) * (X @ coef.T + intercept)
    return alpha / 2 * (coef**2).sum(axis=1) + np.maximum(0, 1 - margins).mean(axis=0)


def row(name, X, y, alpha, kernels):
    """Print a line for each classifier on one set."""
    kernel_alpha = 1 / (10 * 0.8 * len(y))
    for label in contenders(alpha, kernel_alpha):
        if not kernels and "ernel" in label:
            continue
        seconds, errors, excess = [], [], []
        for seed in range(SPLITS):
            train, test, y_train, y_test = train_test_split(
                X, y, test_size=0.2, random_state=seed, stratify=y
            )
            model = contenders(alpha, kernel_alpha)[label]
            model.set_params(**{key: seed for key in model.get_params() if key.endswith("random_state")})
            seconds.append(cpu(partial(model.fit, train, y_train)))
            errors.append(np.mean(model.predict(test) != y_test))
            if label.startswith(("SDCA", "Pegasos")) and "log" not in label:
                best = fastsvm.SDCAClassifier(alpha=alpha, tol=1e-6, random_state=9).fit(train, y_train)
                least = objective(best, train, y_train, alpha)
                excess.append(max(objective(model, train, y_train, alpha) / least - 1))
        shown = f"{max(np.median(excess), 0):.1e}" if excess else ""
        print(
            f"| {name} | {label} | {np.median(seconds):.3g} | {np.mean(errors):.4f} | {shown} |", flush=True
        )


if __name__ == "__main__":
    folder = parser_of("which", __doc__).parse_args().data
    row("film reviews", *film_reviews(folder), 1e-4, False)
    row("USPS", *usps(folder), 1e-4, True)
    row("a9a", *a9a(folder), 1e-4, True)
