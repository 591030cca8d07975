"""scikit-learn's SelectKBest, with the scores computed in one pass over the counts."""

from functools import cached_property

import numpy as np
import sklearn.feature_selection
from scipy import sparse, special
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils.warnings import warn_user
from ..fitting.labels import known_labels
from ..solvers._input import as_csr
from ..text.selection import SCORES, highest


class SelectKBest(sklearn.feature_selection.SelectKBest):
    """scikit-learn's SelectKBest, faster for CSR matrices with `f_classif` and `chi2`.

    Parameters, attributes and scores are scikit-learn's; `pvalues_` are computed when they are first read.
    For dense arrays and other scores, where fastsvm is no faster, scikit-learn is used without a warning.

    Examples
    --------
    >>> from sklearn.feature_selection import chi2
    >>> from fastsvm.drop_in import CountVectorizer, SelectKBest
    >>> counts = CountVectorizer().fit_transform(["a fine pen", "a fine cup", "a dull cup", "a dull pen"])
    >>> SelectKBest(chi2, k=2).fit(counts, [1, 1, 0, 0]).pvalues_.round(2).tolist()
    [1.0, 0.16, 0.16, 1.0]
    """

    def fit(self, X, y=None):  # noqa: D102 (inherited)
        self._validate_params()
        vars(self).pop("pvalues_", None)
        score = getattr(self.score_func, "__name__", "")
        known = score in SCORES and self.score_func is getattr(sklearn.feature_selection, score)
        if not known or y is None or not sparse.issparse(X) or X.format != "csr":
            return super().fit(X, y)
        y = known_labels(y)
        checked, labels = validate_data(self, as_csr(X), y, accept_sparse="csr", multi_output=True)
        classes, codes = np.unique(labels, return_inverse=True)
        negative = score == "chi2" and checked.nnz and checked.data.min() < 0
        n, n_classes = len(labels), len(classes)
        if negative or n_classes < 2 or type_of_target(labels) not in ("binary", "multiclass"):
            return super().fit(X, y)  # which may raise an error
        self._check_params(checked, labels)
        self.scores_ = SCORES[score](checked, codes.astype(np.int32), n_classes)
        self._freedom = (n_classes - 1,) if score == "chi2" else (n_classes - 1, n - n_classes)
        constant = np.flatnonzero(~np.isfinite(self.scores_))
        if score == "f_classif" and len(constant) and not np.nan_to_num(self.scores_).all():
            warn_user(f"Features {constant} are constant.")
        return self

    @cached_property
    def pvalues_(self):  # noqa: D102 (scikit-learn's attribute, which its own `fit` sets)
        tail = special.chdtrc if len(self._freedom) == 1 else special.fdtrc
        return tail(*self._freedom, self.scores_)

    def _get_support_mask(self):
        check_is_fitted(self)
        return (
            highest(self.scores_, self.k) if self.scores_.dtype.kind == "f" else super()._get_support_mask()
        )
