"""scikit-learn's Perceptron, compiled."""

import numpy as np
import sklearn.linear_model

from .. import fitting
from ..solvers._input import as_random
from ..solvers.params import PerceptronParams
from .linear_fits import StartedFits

# Parameters with the same meaning in fastsvm's Perceptron.
SHARED = ("max_iter", "n_iter_no_change", "early_stopping", "validation_fraction", "shuffle")
SHARED += ("fit_intercept", "n_jobs")


class Perceptron(StartedFits, sklearn.linear_model.Perceptron):
    """scikit-learn's Perceptron, compiled.

    The parameters, the attributes and the stopping rule are scikit-learn's. With sparse rows, the intercept
    takes the same steps as with dense rows; scikit-learn's steps are shorter. `partial_fit` sets the
    coefficients to the average of the iterates, which is more accurate than the last iterate. scikit-learn's
    own code handles penalties, and in `partial_fit` also class weights and an `eta0` other than 1.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm.drop_in import Perceptron
    >>> X, y = load_digits(return_X_y=True)
    >>> Perceptron().fit(X, y).score(X, y) > 0.9
    True
    """

    def _missing(self, is_batch):
        if self.penalty is not None:
            return "a penalty"
        return "eta0 other than 1 in partial_fit" if is_batch and self.eta0 != 1 else ""

    def _batch_params(self, X, **options):
        return PerceptronParams(averaging="all", fit_intercept=self.fit_intercept, **options).checked(), None

    def _fit_of(self, X):
        starts = np.atleast_2d(self.coef_) / self.eta0, self.intercept_ / self.eta0

        def fit(y, weights, which):
            model = fitting.Perceptron(
                **{name: getattr(self, name) for name in SHARED},
                tol=self.tol or None,
                verbose=bool(self.verbose),
                random_state=as_random(self.random_state).randint(2**31 - 1),
            ).fit(X, y, weights, coef_init=starts[0][which], intercept_init=starts[1][which])
            found = {name: self.eta0 * getattr(model, name) for name in ("coef_", "intercept_", "objective_")}
            return found | {"n_iter_": model.n_iter_}

        return fit
