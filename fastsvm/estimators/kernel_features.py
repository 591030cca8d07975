"""Features whose dot products approximate a kernel, for more rows than a kernel matrix allows."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.linalg import lapack, solve_triangular
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from .._utils.sparse import as_dense
from .._utils.threads import in_threads, one_blas_thread
from ..fitting.fit import all_or_nothing
from ..solvers import as_rows
from ..solvers._input import canonical, one_of, positive
from ..solvers.kernel._values import GivenKernel, gamma_of
from ..solvers.params import CHECKS
from .base import threads_of, validated

if TYPE_CHECKING:
    from ..solvers.annotations import Callable, EstimatorSeed

# The kernels that are Fourier transforms of a density, with functions that draw from it.
DIRECTIONS = {
    "rbf": lambda random, shape, gamma: np.sqrt(2 * gamma) * random.normal(size=shape),
    "laplacian": lambda random, shape, gamma: gamma * random.standard_cauchy(size=shape),
}
METHOD_KERNELS = {
    "nystroem": ("rbf", "poly", "linear", "sigmoid", "laplacian", "chi2", "precomputed"),
    "random": tuple(DIRECTIONS),
}

BLOCK_VALUES = 1 << 21  # kernel values at a time
ROWS_A_CENTRE = 16  # their mean may replace the centre

# The smallest squared distance of a centre from the span of the others, as a share of the largest.
RANK_TOL = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-12}


@dataclass(eq=False, repr=False)
class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features whose dot products approximate a kernel: z(x).z(x') is about K(x, x').

    A linear classifier on these features approximates the kernel machine, at a cost that grows with the
    number of rows instead of its square::

        make_pipeline(KernelFeatures(n_components=1024), SDCAClassifier(alpha=..., fit_intercept=False))

    has the objective of ``KernelSDCAClassifier(alpha=...)``, with the approximate kernel.

    Parameters
    ----------
    kernel : {"rbf", "poly", "linear", "sigmoid", "laplacian", "chi2", "precomputed"} or callable, \
            default="rbf"
        exp(-gamma ||x - z||^2); (gamma x.z + coef0)^degree; x.z; tanh(gamma x.z + coef0);
        exp(-gamma ||x - z||_1); exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j)) for values >= 0. "precomputed":
        X is the matrix of kernel values against the rows of the fit. A callable takes two matrices and
        returns the values, of shape (len(X), len(Z)).
    method : {"nystroem", "random"}, default="nystroem"
        "nystroem": project onto the span of `n_components` centres; best if few centres span the rows.
        "random": random Fourier features, cos(w.x + b), for "rbf" and "laplacian"; its columns are cheaper,
        but more columns are needed.
    n_components : int, default=512
        The number of columns. "nystroem" makes fewer if there are fewer rows, or if centres lie in the span
        of the others.
    gamma : "scale", "auto" or float > 0, default="scale"
        "scale": 1 / (n_features * X.var()); "auto": 1 / n_features; as in SVC.
    degree : int > 0, default=3
        The exponent of "poly".
    coef0 : float, default=0.0
        The constant in "poly" and "sigmoid".
    n_jobs : int or None, default=None
        Number of threads; -1: all processors. Any number gives the same result.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.

    Attributes
    ----------
    gamma_ : float
    components_ : ndarray or CSR array of shape (n_features_out, n_features), of X's dtype
        The centres, or the directions w of the random features; for "precomputed" the kernel values among
        the centres.
    component_indices_ : ndarray of shape (n_features_out,), int
        With method="nystroem": the row that each centre is, or was before it moved to a mean.
    factor_ : ndarray of shape (n_features_out, n_features_out), of X's dtype
        With method="nystroem": the lower triangular L of K(components_, components_) = L L'; z(x) is
        L^-1 K(components_, x).
    offsets_ : ndarray of shape (n_features_out,), of X's dtype
        With method="random": the b of z(x) = sqrt(2 / n_features_out) cos(components_ x + b).
    n_features_in_, feature_names_in_ : as in scikit-learn

    See Also
    --------
    sklearn.kernel_approximation.Nystroem : its centres are rows, its factor a singular value decomposition.
    sklearn.kernel_approximation.RBFSampler : the same features as "random" with "rbf".

    Notes
    -----
    The centres are random rows. For "rbf" and "laplacian" with dense rows, a step of k-means on 16 rows per
    centre then moves each centre to the mean of its nearest rows [2]_. The centres of a CSR matrix stay
    sparse rows. The result is dense, float32 if fitted on float32 and float64 otherwise; `transform` needs
    some tens of MiB more per thread.

    For a kernel that is not positive semidefinite ("sigmoid", and "poly" with a negative `coef0`), only
    centres on which it is positive definite are used.

    References
    ----------
    .. [1] Williams & Seeger, Using the Nyström method to speed up kernel machines, NIPS 2000. Rahimi & Recht,
       Random features for large-scale kernel machines, NIPS 2007.
    .. [2] Zhang, Tsang & Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import scale
    >>> from fastsvm import KernelFeatures, SDCAClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> features = KernelFeatures(n_components=100, random_state=0)
    >>> model = make_pipeline(features, SDCAClassifier(alpha=1e-3, random_state=0)).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.97
    True
    """

    kernel: str | Callable = "rbf"
    _: KW_ONLY
    method: str = "nystroem"
    n_components: int = 512
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    n_jobs: int | None = None
    random_state: EstimatorSeed = None

    @all_or_nothing
    def fit(self, X, y=None):
        """Choose centres or directions.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows. For kernel="precomputed", the matrix of K(x_i, x_j) for all rows x_i and x_j.
        y : ignored
            Not used; scikit-learn's pipelines pass it.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On invalid parameters, a kernel that the method does not support, NaN or infinite values, or
            kernel values that overflow.
        """
        self._check_params()
        X = self._validated(X, [np.float64, np.float32], reset=True)
        random = check_random_state(self.random_state)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"kernel='precomputed' needs the matrix of all K(x_i, x_j); X is of shape {X.shape}."
            )
        self.gamma_ = gamma_of(self.gamma, X)
        for name in ("factor_", "offsets_", "component_indices_"):
            vars(self).pop(name, None)
        with one_blas_thread:
            (self._fit_random if self.method == "random" else self._fit_centres)(X, random)
        return self

    def _check_params(self):
        one_of("method", self.method, METHOD_KERNELS)
        if not callable(self.kernel):
            one_of("kernel", self.kernel, METHOD_KERNELS["nystroem"])
        if self.kernel not in METHOD_KERNELS[self.method] and not (
            callable(self.kernel) and self.method == "nystroem"
        ):
            raise ValueError(
                f"method={self.method!r} does not support kernel {self.kernel!r}, only "
                f"{', '.join(map(repr, METHOD_KERNELS[self.method]))}; use method='nystroem'."
            )
        positive("n_components", self.n_components, kind=int)
        for name in ("gamma", "degree", "coef0"):
            CHECKS[name](getattr(self, name))

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _validated(self, X, dtype, reset):
        X = validated(self, X, reset=reset, dtype=dtype)
        # A squared distance may be four times the longest row's square.
        if 4 * as_rows(X).longest > np.finfo(X.dtype).max and not self._precomputed:
            raise ValueError(f"X has values too large for {X.dtype}: scale X, or pass it as float64.")
        if sparse.issparse(X):
            X = canonical(X)
            if X.indices.dtype != np.int32 and max(X.nnz, X.shape[1]) < 2**31:  # "laplacian" needs int32
                X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
        return X

    def _fit_random(self, X, random):
        shape = X.shape[1], self.n_components
        directions = DIRECTIONS[self.kernel](random, shape, self.gamma_)
        self.components_ = np.ascontiguousarray(directions.T, X.dtype)
        self.offsets_ = random.uniform(0, 2 * np.pi, size=self.n_components).astype(X.dtype)

    def _fit_centres(self, X, random):
        centres, indices = _choose_centres(X, self.n_components, random, self.kernel in DIRECTIONS)
        if self._precomputed:
            centres = as_dense(centres[:, indices])
            values = centres.astype(np.float64)
        else:
            values = self._values(centres.astype(np.float64), centres.astype(np.float64))
        largest = values.diagonal().max()
        if not np.isfinite(values).all() or largest <= 0:
            what = "is nowhere positive" if largest <= 0 else "overflows"
            raise ValueError(
                f"The {self.kernel} kernel {what}; scale the columns, or change gamma, degree or coef0."
            )
        # A pivoted Cholesky factorisation: the centre that adds most is next, until no centre adds anything.
        factor, order, rank, _ = lapack.dpstrf(values, lower=1, tol=RANK_TOL[X.dtype] * largest)
        order = order[:rank] - 1
        components = centres[np.ix_(order, order)] if self._precomputed else centres[order]
        self.component_indices_ = indices[order]
        self.components_ = sparse.csr_array(components) if sparse.issparse(X) else components
        self.factor_ = np.ascontiguousarray(np.tril(factor[:rank, :rank]), X.dtype)

    def _values(self, A, B):
        if callable(self.kernel):
            return GivenKernel(self.kernel, A)._values(A, B)
        parameters = {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(A, B, metric=self.kernel, filter_params=True, **parameters)

    def transform(self, X):
        """Compute the features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows x. For kernel="precomputed", the matrix of K(x, x_i) for all rows x_i of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            The features, of the dtype of `components_`.

        Raises
        ------
        ValueError
            On NaN or infinite values, or another number of columns.
        """
        check_is_fitted(self)
        X = self._validated(X, self.components_.dtype, reset=False)
        features = np.empty((X.shape[0], self._n_features_out), X.dtype)
        of_rows = self._of_directions if hasattr(self, "offsets_") else self._of_centres

        def fill(part):
            features[part] = of_rows(X[part])

        parts = list(gen_batches(X.shape[0], max(1, BLOCK_VALUES // self._n_features_out)))
        with one_blas_thread:
            in_threads(fill, parts, threads_of(self.n_jobs))
        return features

    def _of_directions(self, rows):
        features = safe_sparse_dot(rows, self.components_.T)
        features += self.offsets_
        np.cos(features, out=features)
        features *= np.sqrt(2 / self._n_features_out)
        return features

    def _of_centres(self, rows):
        if self._precomputed:
            values = as_dense(rows[:, self.component_indices_])
        else:
            values = self._values(rows, self.components_).astype(self.components_.dtype, copy=False)
        return solve_triangular(self.factor_, values.T, lower=True, overwrite_b=True, check_finite=False).T

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "components_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _choose_centres(X, n_centres, random, by_distance):
    """Return random rows, or means of their nearest rows if X is dense and that helps; and their numbers."""
    n_rows = X.shape[0]
    if n_centres >= n_rows:
        return X, np.arange(n_rows)
    which = random.permutation(n_rows)[: ROWS_A_CENTRE * n_centres]
    first = which[:n_centres]
    if sparse.issparse(X) or not by_distance:
        return X[first], first
    rows = X[which]
    groups = _nearest_centres(rows, rows[:n_centres])
    return _group_means(rows, groups, n_centres), first[np.unique(groups)]


def _nearest_centres(rows, centres):
    """Return the number of the nearest centre for each row."""
    middle = centres.mean(axis=0)  # distances stay the same, with more digits
    centres = centres - middle
    sizes = np.square(centres).sum(axis=1) / 2
    parts = gen_batches(len(rows), max(1, BLOCK_VALUES // len(centres)))
    return np.concatenate([np.argmax((rows[part] - middle) @ centres.T - sizes, axis=1) for part in parts])


def _group_means(rows, groups, n_groups):
    """Return the mean of each group that has rows."""
    members = sparse.csc_array(
        (np.ones_like(groups, rows.dtype), groups, np.arange(len(rows) + 1)), shape=(n_groups, len(rows))
    )
    counts = members.sum(axis=1)
    return (members @ rows)[counts > 0] / counts[counts > 0, np.newaxis]
