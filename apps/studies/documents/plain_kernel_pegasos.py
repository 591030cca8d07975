"""Pegasos of one class as the document writes it: plainly, and with its two improvements.

Both take the steps of :class:`fastsvm.KernelPegasosClassifier`, if they visit the same rows.
"""

import math
from collections.abc import Iterator

import numpy as np

CHUNK_VALUES = 1 << 19  # differences that are held at once: 2 MiB of float32; larger chunks are slower


def naive(X: np.ndarray, y: np.ndarray, order: np.ndarray, alpha: float, g: float) -> Iterator[np.ndarray]:
    """Run algorithm 1 with two loops and a kernel value at a time.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        -1 or 1.
    order : ndarray of shape (T,) and dtype int
        The rows that are visited.
    alpha : float
        lambda.
    g : float
        Of the gaussian kernel exp(-||x - z||^2 / (2 g)).

    Yields
    ------
    ndarray of shape (n,) and dtype int
        After each step how often each row was visited with a loss; the same array always.
    """
    counts = np.zeros(len(y), int)
    for t, s in enumerate(order, start=1):
        total = 0.0
        for j in range(len(y)):
            total += counts[j] * y[j] * _gaussian(X[j], X[s], g)
        if y[s] * total / (alpha * t) < 1:
            counts[s] += 1
        yield counts


def _gaussian(x: np.ndarray, z: np.ndarray, g: float) -> float:
    difference = x - z
    return math.exp(-(difference @ difference) / (2 * g))


def vectorised(
    X: np.ndarray, y: np.ndarray, order: np.ndarray, alpha: float, g: float
) -> Iterator[np.ndarray]:
    """Run algorithm 1 with NumPy's sums on a kernel matrix; parameters and results as of `naive`."""
    K = gaussian_matrix(X, g)
    counts = np.zeros(len(y), int)
    for t, s in enumerate(order, start=1):
        if y[s] * ((counts * y) @ K[s]) / (alpha * t) < 1:
            counts[s] += 1
        yield counts


def gaussian_matrix(X: np.ndarray, g: float) -> np.ndarray:
    """Return the kernel matrix from the differences of all rows, in chunks of rows."""
    rows = max(1, CHUNK_VALUES // X.size)
    parts = []
    for start in range(0, len(X), rows):
        differences = X[start : start + rows, None, :] - X
        parts.append(np.exp(-(differences**2).sum(axis=2) / (2 * g)))
    return np.concatenate(parts)
