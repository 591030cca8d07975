"""Choose the strength of the regularisation by trying a whole path of them on texts left out."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import ConvergenceWarning, sdca_path

from ...common.errors import AppError
from ...common.folds import plain_folds, split, stratified_folds

Fold = tuple[np.ndarray, np.ndarray]
Labelled = tuple[list[str], list[str]]

FEW = 2000  # more texts than these are halved, not cut in five, to choose alpha

# Accuracy settles long before the optimum is reached; the worst of a path need not be solved at all.
LOOSE = 0.01
MAX_EPOCHS = 200


@dataclass(frozen=True)
class Choice:
    """How a recipe did at each alpha; rows of `scores` and `gaps` are alphas, columns are folds.

    Attributes
    ----------
    alpha : float
        That of the best mean score; the largest of equals.
    alphas : ndarray of shape (n_alphas,), decreasing
    scores : ndarray of shape (n_alphas, n_folds)
        Accuracy on the texts each fold leaves out.
    gaps : ndarray of shape (n_alphas, n_folds)
        Relative duality gap of each fit; of several labels, the largest.
    n_tried : int
        Texts tried, over all folds.
    """

    alpha: float
    alphas: np.ndarray
    scores: np.ndarray
    gaps: np.ndarray
    n_tried: int


def choose_alpha(
    X: csr_matrix,
    y: Sequence[str],
    folds: Iterable[Fold],
    *,
    weighting=None,
    selection=None,
    loss: str = "hinge",
    fit_intercept: bool = False,
    alphas: Sequence[float] | None = None,
    n_alphas: int = 16,
    eps: float = 1e-5,
    tol: float = LOOSE,
    seed: int = 0,
    advance: Callable[[], object] = lambda: None,
) -> Choice:
    """Try a recipe at every alpha; whatever learns from labels sees the training rows of a fold only.

    Alphas are those for all rows; where a fold trains on a share of them, it gets alpha divided by that
    share. So what a text weighs against the regularisation, 1 / (alpha n), LIBLINEAR's C, is the same: its
    best value depends less on the number of texts than that of alpha.

    Parameters
    ----------
    X : CSR matrix
        Counts. A column's rows need not be in order.
    y : sequence of str
        Labels, two or more.
    folds : iterable of (rows to train on, rows to try)
        `k_folds` and `inner_folds` make them.
    weighting, selection : transformers that are not fitted, optional
        Columns are selected first, by their counts, and then weighted: what a saved model does. Both are
        copied for each fold.
    loss, fit_intercept, tol : as in `fastsvm.sdca_path`
    alphas : sequence of float, optional
        By default `n_alphas` from the largest that matters to the first fold down to `eps` times that, in
        three digits.
    seed : int
        Seed of the solver.
    advance : callable
        Called after each fold.

    Returns
    -------
    Choice
    """
    y = np.unique(y, return_inverse=True)[1]
    options = {"loss": loss, "fit_intercept": fit_intercept, "random_state": seed}
    scores, gaps, n_tried = [], [], 0
    for train, test in folds:
        X_train, X_test = X[train], X[test]
        if selection is not None:
            chosen = deepcopy(selection).fit(X_train, y[train])
            X_train, X_test = chosen.transform(X_train), chosen.transform(X_test)
        X_train, X_test = (part.astype(np.float32, copy=False) for part in (X_train, X_test))
        if weighting is not None:
            weights = deepcopy(weighting).fit(X_train, y[train])
            X_train, X_test = weights.transform(X_train), weights.transform(X_test)
        share = len(train) / len(y)
        if alphas is None:
            grid = share * _largest(X_train, y[train], options) * np.geomspace(1, eps, n_alphas)
            alphas = [float(f"{alpha:.3g}") for alpha in grid]  # what is shown is what was used
        own = np.divide(alphas, share)
        predicted, gap = _path(X_train, y[train], X_test, own, {**options, "tol": tol})
        scores.append((predicted == y[test]).mean(axis=1))
        gaps.append(gap)
        n_tried += len(test)
        advance()
    alphas, scores = np.sort(alphas)[::-1], np.transpose(scores)
    best = int(scores.mean(axis=1).argmax())
    return Choice(float(alphas[best]), alphas, scores, np.transpose(gaps), n_tried)


def k_folds(y: Sequence[str], k: int, seed: int) -> list[Fold]:
    """Split rows into `k` folds of like labels, or where a label is too rare for that, of any."""
    rarest = min(np.unique(y, return_counts=True)[1])
    return stratified_folds(y, k, seed) if rarest >= k else plain_folds(len(y), k, seed)


def inner_folds(y: np.ndarray, seed: int) -> list:
    """Return what alpha is chosen by: parts of the training texts, none if no two labels are in two parts."""
    counts = np.unique(y, return_counts=True)[1]
    if np.count_nonzero(counts > 1) < 2:
        return []
    k = 2 if len(y) > FEW else 5
    folds = k_folds(y, k if min(counts) == 1 else min(k, *counts), seed)
    return [(train, test) for train, test in folds if len(set(y[train])) > 1]


def split_texts(texts: list[str], labels: list[str], holdout: float, seed: int) -> tuple[Labelled, Labelled]:
    """Split into training and test texts; the order in the file, sorted or shuffled, changes nothing."""
    order = sorted(range(len(texts)), key=lambda i: (labels[i], texts[i]))
    parts = np.arange(len(order)), []
    if holdout > 0:
        counts = Counter(labels).values()
        n_test = int(np.ceil(holdout * len(texts)))
        even = min(counts) >= 2 and min(n_test, len(texts) - n_test) >= len(counts)
        try:
            parts = split(len(order), holdout, seed, [labels[i] for i in order] if even else None)
        except ValueError as error:
            raise AppError(
                f"{len(texts)} texts are too few for --holdout {holdout:g}; try --holdout 0"
            ) from error
    train, test = (([texts[order[i]] for i in part], [labels[order[i]] for i in part]) for part in parts)
    return train, test


def _largest(X, y: np.ndarray, options: dict) -> float:
    """Return the largest alpha that matters to any label."""
    once = {"n_alphas": 1, "max_iter": 1, **options}
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return max(float(sdca_path(X, y == label, **once).alphas[0]) for label in _positives(y))


def _path(X, y: np.ndarray, X_test, alphas, options: dict) -> tuple[np.ndarray, np.ndarray]:
    """Return the label predicted for each test row at each alpha, and the largest gap at each alpha.

    One label at a time, whose weights are dropped before the next: thousands of labels take no more room.
    """
    labels = np.unique(y)
    # Of two labels, the second is predicted where its decision is above 0; of more, the highest wins.
    best = np.full((len(alphas), X_test.shape[0]), 0.0 if len(labels) == 2 else -np.inf, X.dtype)
    predicted = np.full(best.shape, labels[0])
    gaps = np.zeros(len(alphas))
    for label in _positives(y):
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # the gaps say it
            path = sdca_path(X, y == label, alphas, max_iter=MAX_EPOCHS, **options)
        decision = np.array([X_test @ coef for coef in path.coefs]) + path.intercepts[:, np.newaxis]
        higher = decision > best
        best[higher], predicted[higher] = decision[higher], label
        np.maximum(gaps, path.dual_gaps / path.objectives, out=gaps)
    return predicted, gaps


def _positives(y: np.ndarray) -> np.ndarray:
    """Return the labels that have a problem of their own: the second of two, or each of several."""
    labels = np.unique(y)
    return labels[1:] if len(labels) <= 2 else labels
