"""Draws of training and test images, and what is measured on them."""

from functools import partial
from time import thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import SDCA, Pegasos

from ...common.statistics import confusion
from ..data.public_sets import public_set_at_hand
from ..frame.study_context import Arrays, Context

LABELS = (5, 6)
ALPHA, EPOCHS = 1.0, 20  # lambda and T of the document
N_TRAIN, N_TEST = 100, 300  # of a class; the document's

METHODS = {
    "Pegasos": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS),
    "Pegasos, no intercept": partial(Pegasos, alpha=ALPHA, max_iter=EPOCHS, fit_intercept=False),
    "SDCA": partial(SDCA, alpha=ALPHA, tol=1e-3),
}
EPOCHS_TRIED = (1, 2, 5, 10, 20, 40, 80)  # epochs at which Pegasos is tried


class Digits(NamedTuple):
    """Images of the two digits.

    Attributes
    ----------
    X : ndarray of shape (n, side * side)
        Ink from 0 to 1.
    y : ndarray of shape (n,)
        Of `LABELS`.
    n_train, n_test : int
        Images of a class that are drawn.
    original : bool
        Whether they are of the document's kind.
    words : str
        What they are, one sentence.
    """

    X: np.ndarray
    y: np.ndarray
    n_train: int
    n_test: int
    original: bool
    words: str

    @property
    def side(self) -> int:
        """Pixels of a row of an image."""
        return round(self.X.shape[1] ** 0.5)


def read_digits(folder: str | None) -> Digits:
    """Return the 5s and 6s of USPS, or of scikit-learn's digits where there is no USPS."""
    found = public_set_at_hand("usps", folder)
    if found is not None:
        X, y = found
        n_train, n_test, name = N_TRAIN, N_TEST, "USPS, 16 by 16 pixels"
        note = "The document says MNIST, but of 16 by 16 pixels; which of them it drew is unknown"
    else:
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        X, n_train, n_test, name = X / 16, 80, 80, "scikit-learn's digits, 8 by 8 pixels"
        note = "They are other images than the document's"
        if folder is not None:
            note += ", for the folder of the data has no usps.npz"
    two = np.isin(y, LABELS)
    X, y = np.ascontiguousarray(X[two]), y[two]
    counts = " and ".join(f"{np.sum(y == label):,} {label}s" for label in LABELS)
    words = f"{counts} of {name}. A draw has {n_train} of each to train on and {n_test} to test on. {note}."
    return Digits(X, y, n_train, n_test, found is not None, words)


def draw(digits: Digits, seed: int, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and those to test on, as many of each class."""
    rng = np.random.default_rng((seed, run))
    n = digits.n_train + digits.n_test
    rows = np.array([rng.choice(np.flatnonzero(digits.y == label), n, replace=False) for label in LABELS])
    return rows[:, : digits.n_train].ravel(), rows[:, digits.n_train :].ravel()


def wrong(tables: np.ndarray) -> np.ndarray:
    """Return how many images got the other's label, of confusion tables in the last two axes."""
    return tables[..., 0, 1] + tables[..., 1, 0]


def error_rates(context: Context, digits: Digits, runs: int) -> Arrays:
    """Fit each method on each draw.

    Returns
    -------
    dict
        train, test : (methods, runs, 2, 2), confusion tables. seconds : (methods, runs), CPU of a fit.
        coef : (methods, d), mean weights. steps : (len(EPOCHS_TRIED), runs), test errors of Pegasos after so
        many epochs.
    """

    def compute() -> Arrays:
        train, test = (np.zeros((len(METHODS), runs, 2, 2), int) for _ in range(2))
        seconds, coef = np.zeros((len(METHODS), runs)), np.zeros((len(METHODS), digits.X.shape[1]))
        steps = np.zeros((len(EPOCHS_TRIED), runs))
        with context.stage("draws", total=runs) as advance:
            for run in range(runs):
                here, there = draw(digits, context.seed, run)
                for k, method in enumerate(METHODS.values()):
                    model = method(random_state=run)
                    start = thread_time()
                    model.fit(digits.X[here], digits.y[here])
                    seconds[k, run] = thread_time() - start
                    coef[k] += model.coef_[0] / runs
                    train[k, run] = confusion(digits.y[here], model.predict(digits.X[here]), LABELS)
                    test[k, run] = confusion(digits.y[there], model.predict(digits.X[there]), LABELS)
                for k, epochs in enumerate(EPOCHS_TRIED):
                    model = Pegasos(alpha=ALPHA, max_iter=epochs, random_state=run)
                    model.fit(digits.X[here], digits.y[here])
                    steps[k, run] = np.mean(model.predict(digits.X[there]) != digits.y[there])
                advance()
        return {"train": train, "test": test, "seconds": seconds, "coef": coef, "steps": steps}

    key = {"X": digits.X, "y": digits.y, "runs": runs, "seed": context.seed}
    return context.part("draws", compute, **key)
