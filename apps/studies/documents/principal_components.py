"""Principal components of images, from the inner products of all of them: each split costs little then."""

import numpy as np
from scipy.linalg import eigvalsh
from scipy.linalg.blas import dsyrk
from scipy.sparse.linalg import eigsh

COLUMNS = 2048  # of the rows, taken at a time: as float64 they are eight times as large


Projection = tuple[np.ndarray, np.ndarray, np.ndarray]  # what `project` returns


def whitened(projection: Projection) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts with a variance of 1 over the training rows: scikit-learn's ``PCA(whiten=True)``."""
    train, test, singular = projection
    scale = (len(train) - 1) ** 0.5 / singular
    return train * scale, test * scale


def inner_products(rows: np.ndarray, scale: float) -> np.ndarray:
    """Return the inner products of all pairs of `rows` of uint8, times ``scale ** 2``, without rounding."""
    n, d = rows.shape
    products = np.zeros((n, n), order="F")
    for first in range(0, d, COLUMNS):
        columns = rows[:, first : first + COLUMNS].astype(np.float64)
        products = dsyrk(1.0, columns.T, beta=1.0, c=products, trans=1, overwrite_c=True)
    products += np.triu(products, 1).T  # only the upper half was computed
    products *= scale**2
    return products


def project(products: np.ndarray, train: np.ndarray, test: np.ndarray, k: int) -> Projection:
    """Return rows on the first `k` components of those to train on.

    Parameters
    ----------
    products : ndarray of shape (n, n)
        Of all rows.
    train, test : ndarray
        Row numbers.
    k : int
        Fewer than rows to train on.

    Returns
    -------
    train, test : ndarray of shape (n_train, k), (n_test, k)
        Coordinates, centred by the training rows.
    singular : ndarray of shape (k,)
        Of the centred training rows, falling.
    """
    centred, means = _centred(products, train)
    values, vectors = eigsh(centred, k, v0=np.ones(len(train)))
    values, vectors = values[::-1], vectors[:, ::-1]
    singular = np.sqrt(values)
    across = products[np.ix_(test, train)]
    across -= across.mean(axis=1, keepdims=True)
    across -= means - means.mean()
    return vectors * singular, across @ (vectors / singular), singular


def singular_values(products: np.ndarray, train: np.ndarray, k: int) -> np.ndarray:
    """Return the `k` largest singular values of the centred training rows, falling.

    In float32, in half the time: those above a thousandth of the first have three digits.
    """
    n = len(train)
    centred = _centred(products, train)[0].astype(np.float32)
    values = eigvalsh(centred, subset_by_index=[n - k, n - 1], overwrite_a=True)
    return np.sqrt(np.maximum(values[::-1], 0))


def components(rows: np.ndarray, scale: float, projection: Projection) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the training rows, and their components.

    Parameters
    ----------
    rows : ndarray of shape (n_train, d) and dtype uint8
        Those that `projection` is of; their values are `scale` times these.

    Returns
    -------
    mean : ndarray of shape (d,)
    axes : ndarray of shape (k, d)
        Of length 1.
    """
    mean = rows.mean(axis=0) * scale
    # The coordinates are centred: the mean takes no part in the product.
    train, _, singular = projection
    weights = (train / singular**2).astype(np.float32)
    axes = np.concatenate(
        [
            weights.T @ rows[:, first : first + COLUMNS].astype(np.float32)
            for first in range(0, rows.shape[1], COLUMNS)
        ],
        axis=1,
    )
    return mean, axes * np.float32(scale)


def _centred(products: np.ndarray, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the inner products of the centred training rows, and each row's mean before that."""
    centred = products[np.ix_(train, train)]
    means = centred.mean(axis=0)
    centred -= means
    centred -= means[:, None] - means.mean()
    return centred, means
