"""The certified linear classifier for rows on a cluster's workers."""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..estimators.base import LinearClassifier
from ..estimators.callbacks import TaskCallbacks, with_callbacks
from ..estimators.linear import SDCAClassifier as LocalSDCAClassifier
from ..fitting.engine import solve_independent
from ..fitting.fit import all_or_nothing, as_fit, warn_if_linear_fit_is_short
from ..fitting.labels import Targets, as_coefficients, weights_of_counts
from ..fitting.linear import SDCA as LocalSDCA
from ..fitting.prediction import require_predict_proba
from ..solvers._input import as_random, positive
from ..solvers.params import Fields, SDCAParams
from .placing import Placed, place
from .sdca_rounds import PASSES, SDCARounds
from .shards import predicted_rows

if TYPE_CHECKING:
    from ..solvers.annotations import ClassWeight, EstimatorSeed

OF_ROUNDS = ("n_rounds_", "n_bytes_", "n_lost_")  # attributes that local estimators lack
PREDICTING = ("classes_", "coef_", "intercept_", "n_features_in_", "calibration_", "squares_")


class SDCAClassifier(LinearClassifier, Fields):
    """`fastsvm.SDCAClassifier` for rows that lie on a Dask cluster's workers, with the same certificate.

    It minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    over the rows x_i of all workers, with labels y_i (1 for the class, -1 for the rest), weights c_i (1 by
    default), n the number of rows and phi the `loss`. The fit stops when the duality gap proves that P is
    within `tol` (relative) of its minimum. Rows and dual variables stay on the workers; each round sends
    float32 changes of w. If a worker is lost, another worker takes over its rows, and their dual variables
    start from 0 again. The certificate remains valid.

    Parameters
    ----------
    loss, hinge_width, alpha : as in `fastsvm.SDCAClassifier`
        The parameters of the objective.
    max_iter : int, default=1000
        Maximum number of epochs: passes over all rows, in one round or several.
    tol, fit_intercept, class_weight : as in `fastsvm.SDCAClassifier`
        The stopping criterion, the intercept b0 and the weights c_i.
    passes : float, default=0.5
        How many passes over its rows each worker makes per round, at most 1. Smaller values need more rounds,
        but fewer epochs if alpha is small.
    warm_start : bool, default=False
        Start from the dual variables of the last fit, if it had the same `Placed` data.
    trace, verbose, random_state : as in `fastsvm.SDCAClassifier`
        What is measured and printed, and the seed.
    client : distributed.Client, default=None
        The client; by default the one created last. It is not pickled with the estimator.

    Attributes
    ----------
    classes_, coef_, intercept_, objective_, dual_gap_, n_iter_, history_, n_features_in_ : as in
        `fastsvm.SDCAClassifier`; `history_` has the seconds of the driver
    n_rounds_ : int
        Number of rounds, summed over the classes.
    n_bytes_ : int
        Bytes sent and received, summed over the classes.
    n_lost_ : int
        Number of times that the part of a lost worker was computed again.

    References
    ----------
    Ma, Smith, Jaggi, Jordan, Richtarik & Takac, Adding vs. averaging in distributed primal-dual
    optimization, ICML 2015.

    Examples
    --------
    >>> from dask.distributed import Client                                # doctest: +SKIP
    >>> client = Client("tcp://scheduler:8786")                            # doctest: +SKIP
    >>> model = SDCAClassifier(alpha=1e-5).fit(X, y)                       # doctest: +SKIP
    >>> save_model(model.to_local(), "model.safetensors")                  # doctest: +SKIP
    """

    _takes_several = False

    loss: str = "hinge"
    _: KW_ONLY
    hinge_width: float = 1.0
    alpha: float = 1e-4
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    passes: float = PASSES
    warm_start: bool = False
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None
    client: object = None

    def __getstate__(self):
        """Return the state without the client and the placed rows, for copies and pickles."""
        return {**super().__getstate__(), "client": None, "_fitted_data": None}

    def __sklearn_clone__(self):
        return super(SDCAClassifier, copy(self)).__sklearn_clone__().set_params(client=self.client)

    @all_or_nothing
    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Fit from scratch, or with `warm_start` from the last fit to the same `Placed` data.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), or Placed
            Dense chunks or CSR matrices; see `place`. A `Placed` contains y and weights.
        y : dask array of shape (n_samples,)
            The label of each row.
        sample_weight : dask array of shape (n_samples,), default=None
            Weight of each row's loss; 1 for all by default.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            On invalid parameters or rows, a single class, or labels or weights passed with a `Placed`.
        ClusterError
            If the connection to the scheduler is lost, or no worker is left.
        """
        params = SDCAParams.of(self)
        if positive("passes", self.passes) > 1:
            raise ValueError(f"passes must be at most 1; got {self.passes!r}.")
        if isinstance(X, Placed) and not (y is None and sample_weight is None):
            raise ValueError("Placed rows contain labels and weights: leave out y and sample_weight.")
        data = X if isinstance(X, Placed) else place(X, y, sample_weight, client=self.client)
        again = self.warm_start and getattr(self, "_fitted_data", None) is data
        starts = self.intercept_ if again else None
        targets, runs = Targets(None, data.classes), []
        classes, labels = targets.classes, targets.labels
        seeds = as_random(self.random_state).randint(2**31 - 1, size=len(labels))
        class_weight = _weights_by_label(self.class_weight, classes, data)

        def make(k, threads):
            rounds = SDCARounds(
                data.shards,
                data.summaries,
                params,
                positive=labels[k],
                class_weight=class_weight,
                seed=int(seeds[k]),
                passes=self.passes,
                start=None if starts is None else float(starts[k]),
            )
            runs.append(rounds)
            return rounds

        self.n_features_in_ = data.shape[1]
        tasks = TaskCallbacks.of(self, X, y, sample_weight, self.max_iter)
        if tasks is not None:
            tasks.start(labels, classes)
        results = solve_independent(
            [(label, partial(make, k)) for k, label in enumerate(labels)],
            tol=self.tol,
            trace=self.trace or self.verbose or tasks is not None,
            verbose=self.verbose,
            watchers_of=None if tasks is None else lambda k: [tasks.watcher(k)],
        )
        coef = as_coefficients(np.vstack([result.w for result in results]), data.dtype)
        fit = as_fit(targets, results, coef, self.tol, () if tasks is None else tasks.stopped)
        fit.set_attributes(self)
        self._fitted_data = data if self.warm_start else None
        counts = [(run.n_rounds, run.sent + run.received, run.lost) for run in runs]
        self.n_rounds_, self.n_bytes_, self.n_lost_ = map(sum, zip(*counts, strict=True))
        if tasks is not None:
            tasks.finish()
        warn_if_linear_fit_is_short(fit, params, None, self._warning)
        return self

    def to_local(self):
        """Return the fitted `fastsvm.SDCAClassifier` without a cluster, for model files.

        It has no ``dual_coef_``: the dual variables stay on the workers.

        Returns
        -------
        fastsvm.SDCAClassifier
            The estimator, with the same weights, intercepts and certificate.
        """
        check_is_fitted(self)
        given = self.get_params()
        local = LocalSDCAClassifier(**{k: given[k] for k in LocalSDCAClassifier().get_params() if k in given})
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_") and name not in OF_ROUNDS:
                setattr(local, name, value)
        return local

    def decision_function(self, X):
        """Return the scores of X; lazily, chunk by chunk, for a dask array.

        Parameters
        ----------
        X : dask array, array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        dask array or ndarray of shape (n_samples,) or, for more than two classes, (n_samples, n_classes)
            Scores; with two classes, a positive score means the second.
        """
        return self._by_chunks("decision_function", X)

    def predict(self, X):
        """Return the class with the highest score; lazily, chunk by chunk, for a dask array.

        Parameters
        ----------
        X : as in `decision_function`
            The rows.

        Returns
        -------
        dask array or ndarray of shape (n_samples,), of the labels' dtype
            The predicted label of each row.
        """
        return self._by_chunks("predict", X)

    @available_if(require_predict_proba)
    def predict_proba(self, X):
        """Return class probabilities, for the log loss; lazily, chunk by chunk, for a dask array.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        dask array or ndarray of shape (n_samples, n_classes)
        """
        return self._by_chunks("predict_proba", X)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy on X and y, computed immediately (not lazily).

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
            The rows.

        Returns
        -------
        float
            The accuracy.
        """
        from dask import compute

        found, y, sample_weight = compute(self.predict(X), y, sample_weight)
        return float(accuracy_score(y, found, sample_weight=sample_weight))

    def _by_chunks(self, method, X):
        from dask import delayed
        from dask.array import Array

        local = self.to_local()
        if not isinstance(X, Array):
            return getattr(local, method)(X)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has the shape {X.shape}, but the model was fitted to {self.n_features_in_} features."
            )
        row = sparse.csr_matrix((1, self.n_features_in_), dtype=self.coef_.dtype)
        none = getattr(local, method)(row)[:0]
        plain = LocalSDCA(loss=local.loss)  # so that workers need not import scikit-learn
        vars(plain).update({name: vars(local)[name] for name in PREDICTING if name in vars(local)})
        return X.rechunk({1: -1}).map_blocks(
            predicted_rows,
            model=delayed(plain, pure=True),
            method=method,
            none=none,
            meta=none,
            **({"drop_axis": 1} if none.ndim == 1 else {"chunks": (X.chunks[0], none.shape[1:])}),
        )


def _weights_by_label(class_weight, classes, data):
    """Return the weight of the rows of each class, by its label; None if all are 1."""
    if class_weight is None:
        return None
    labels = classes.tolist()
    found = weights_of_counts(class_weight, classes, [data.counts[label] for label in labels])
    return dict(zip(labels, found.tolist(), strict=True))
