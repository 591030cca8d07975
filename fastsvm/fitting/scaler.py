"""Columns of mean 0 and variance 1."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from .plain_model import Parameters


@dataclass(eq=False, repr=False)
class Scaler(Parameters):
    """Scale dense columns to mean 0 and variance 1, like scikit-learn's StandardScaler without `partial_fit`.

    Parameters
    ----------
    copy : bool, default=True
        False: `transform` may change float arrays in place.
    with_mean, with_std : bool, default=True
        Subtract the mean; divide by the standard deviation.

    Attributes
    ----------
    mean_, scale_, var_ : ndarray of shape (n_features,), float64, or None
    n_features_in_ : int

    Notes
    -----
    The variance takes two passes; the second corrects the rounding error of the first (Chan, Golub & LeVeque,
    Am. Stat. 37, 1983). Columns that are constant up to rounding are not divided.
    """

    _: KW_ONLY
    copy: bool = True
    with_mean: bool = True
    with_std: bool = True

    def fit(self, X, y=None):
        """Learn the means and variances of the columns.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Dense rows.
        y : object, default=None
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted scaler.
        """
        X = np.asarray(X)
        n, self.n_features_in_ = X.shape
        sums = X.sum(axis=0, dtype=np.float64)
        self.mean_ = self.var_ = self.scale_ = None
        mean = sums / n
        if self.with_mean or self.with_std:
            self.mean_ = mean
        if self.with_std:
            centred = X - mean
            correction = centred.sum(axis=0, dtype=np.float64)
            centred **= 2
            self.var_ = (centred.sum(axis=0, dtype=np.float64) - correction**2 / n) / n
            self.scale_ = np.sqrt(self.var_)
            eps = np.finfo(np.float64).eps
            self.scale_[self.var_ <= n * eps * self.var_ + (n * mean * eps) ** 2] = 1.0
        return self

    def transform(self, X):
        """Return X, scaled.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Dense rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The scaled rows: float32 if X is float32, else float64.
        """
        kind = np.float32 if X.dtype == np.float32 else np.float64
        X = X.astype(kind, copy=self.copy)
        if self.with_mean:
            X -= self.mean_.astype(kind)
        if self.with_std:
            X /= self.scale_.astype(kind)
        return X
