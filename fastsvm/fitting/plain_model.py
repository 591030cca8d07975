"""The base of models without scikit-learn's contract: parameters, checks of X, and threads."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .._utils import sparse
from .._utils.threads import number_of_threads
from ..solvers._input import as_csr, require_table, with_floats
from ..solvers.params import parameter_names


class Parameters:
    """Reading and setting parameters, as in scikit-learn's BaseEstimator, for plain models."""

    def get_params(self, deep=False):
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=False
            Not used: no parameter has parameters.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **params):
        """Set parameters by name; return the model.

        Parameters
        ----------
        **params : any
            Values by name.

        Returns
        -------
        self
            The model.
        """
        unknown = params.keys() - self.get_params()
        if unknown:
            raise ValueError(f"{type(self).__name__} has no parameter {min(unknown)!r}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self


class PlainModel(Parameters):
    """A model without scikit-learn's contract, which has the parameter `n_jobs`."""

    _params: ClassVar[Any]
    n_jobs: int | None
    n_features_in_: int

    def _checked(self, X: Any, reset: bool = True) -> Any:
        """Return X as CSR or a C-ordered array, of float32 or float64; the solvers check the values.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        reset : bool, default=True
            True: remember the number of columns. False: check it.
        """
        X = with_floats(as_csr(X, columns=not reset))
        if not sparse.issparse(X):
            X = np.asarray(X)
            X = np.ascontiguousarray(X, None if X.dtype in (np.float32, np.float64) else np.float64)
        elif X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        require_table(X, empty=not reset)
        if reset:
            self.n_features_in_ = X.shape[1]
        elif X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but the model was fitted to {self.n_features_in_}."
            )
        return X

    def _threads(self) -> int:
        return number_of_threads(self.n_jobs)
