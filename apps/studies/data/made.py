"""Data sets that are drawn at random."""

import numpy as np

__all__ = ["make_overlap", "make_simulated"]


def make_simulated(n_samples=1000, n_features=10, *, random_state=None):
    """Draw the classes that a linear score with noise tells apart.

    ``y = sign(x.beta + e)``, where x, beta and e are standard normal; the columns of X are standardised
    afterwards, and beta is scaled with them, so that it orders the rows as before.

    Parameters
    ----------
    n_samples, n_features : int
    random_state : int, Generator or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features) and dtype float32
        Every column has mean 0 and standard deviation 1.
    y : ndarray of shape (n_samples,) and dtype int
        -1 or 1.
    beta : ndarray of shape (n_features,) and dtype float64
        The true coefficients.

    Notes
    -----
    After the simulated set of S. Ouillade and S. Vengathesa Sarma, who compare Pegasos, SDCA and ASDCA on it
    (ENSAE, 2017).

    Examples
    --------
    >>> from fastsvm_apps.studies.data import make_simulated
    >>> X, y, beta = make_simulated(random_state=0)
    >>> X.shape, beta.shape
    ((1000, 10), (10,))
    """
    rng = np.random.default_rng(random_state)
    beta = rng.standard_normal(n_features)
    X = rng.standard_normal((n_samples, n_features))
    y = np.where(X @ beta + rng.standard_normal(n_samples) > 0, 1, -1)
    spread = X.std(axis=0)
    return ((X - X.mean(axis=0)) / spread).astype(np.float32), y, beta * spread


def make_overlap(n_samples=200, *, distance=3.5, random_state=None):
    """Draw two round clouds in the plane that overlap a little.

    Parameters
    ----------
    n_samples : int, default=200
        Half of them of each class; an odd one is of class 1.
    distance : float, default=3.5
        Between the centres, in standard deviations of a cloud. No classifier errs less often than the
        normal distribution beyond half of it: 4.0 % by default.
    random_state : int, Generator or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2) and dtype float32
        Rows in random order.
    y : ndarray of shape (n_samples,) and dtype int
        -1 or 1.

    Examples
    --------
    >>> from fastsvm_apps.studies.data import make_overlap
    >>> X, y = make_overlap(random_state=0)
    >>> X.shape, int((y == 1).sum())
    ((200, 2), 100)
    """
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.where(np.arange(n_samples) < n_samples // 2, -1, 1))
    X = rng.standard_normal((n_samples, 2)) + np.outer(y, [distance / 8**0.5] * 2)
    return X.astype(np.float32), y
