"""The linear classifiers whose rows lie on a cluster."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from ..estimators.linear import PegasosClassifier as LocalPegasosClassifier
from ..estimators.linear import SDCAClassifier as LocalSDCAClassifier
from ..fitting.pegasos_rounds import PegasosRounds
from ..fitting.rounds import PASSES
from ..fitting.sdca_rounds import SDCARounds
from ..solvers import LOSSES
from ..solvers._input import one_of
from ..solvers.losses import PEGASOS_LOSSES
from .base import ClusterClassifier

if TYPE_CHECKING:
    from ..solvers.annotations import ClassWeight, EstimatorSeed

__all__ = ["PegasosClassifier", "SDCAClassifier"]


@dataclass(eq=False, repr=False)
class SDCAClassifier(ClusterClassifier):
    """`fastsvm.SDCAClassifier` for rows that lie on a Dask cluster's workers, with the same certificate.

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    over the rows of all workers, and stops when the duality gap proves that P is within `tol` (relative) of
    its optimum. Rows and dual variables stay where they are; in each round float32 changes of w travel. A
    worker that is lost costs the progress of its rows, which another one takes over: the certificate holds
    all the same.

    Parameters
    ----------
    loss, hinge_width, alpha, tol, fit_intercept, class_weight, trace, verbose, random_state : as in
        `fastsvm.SDCAClassifier`
    max_iter : int, default=1000
        Most epochs: passes over all rows, in one round or several.
    passes : float, default=0.5
        Over its rows that each worker makes in a round, at most 1. Less needs fewer passes in all where alpha
        is small, and more rounds.
    warm_start : bool, default=False
        Start from the last fit's dual variables, if it was to the same `Placed` data.
    client : distributed.Client, default=None
        By default the one that was made last. Not pickled with the estimator.

    Attributes
    ----------
    classes_, coef_, intercept_, objective_, dual_gap_, n_iter_, history_, n_features_in_ : as in
        `fastsvm.SDCAClassifier`; the seconds of `history_` are those of the driver
    n_rounds_ : int
        Rounds, of all classes.
    n_bytes_ : int
        What was sent and received, of all classes.
    n_lost_ : int
        How many times a worker's part had to start again.

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

    _local, _rounds = LocalSDCAClassifier, SDCARounds

    @property
    def _tol(self):
        return self.tol

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, LOSSES)

    def _options(self):
        return {"hinge_width": self.hinge_width}

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        self.solver_ = results[0].solver


@dataclass(eq=False, repr=False)
class PegasosClassifier(ClusterClassifier):
    """`fastsvm.PegasosClassifier` for rows that lie on a Dask cluster's workers, certified as it is.

    Minimises, for each class against the rest::

        P(w, b0) = alpha/2 ||w||^2 + 1/n sum_i c_i phi(y_i (w.x_i + b0))

    over the rows of all workers. In each round every worker makes Pegasos' steps on its own rows, all of them
    from the same w, and the driver takes the mean of where they end. Dual variables that the steps build up
    give a certificate, summed over the workers, looser than SDCA's. A worker that is lost has no say in that
    round; another one takes over its rows.

    Parameters
    ----------
    loss, alpha, max_iter, fit_intercept, class_weight, trace, verbose, random_state : as in
        `fastsvm.PegasosClassifier`
    batch_size : int, default=1
        Rows a step of each worker.
    project : bool, default=False
        Keep w in the ball that holds the optimum, at the end of each round.
    averaging : {"last", "tail"}, default="last"
        Return the last round's w, or the mean over the second half of the rounds.
    passes : float, default=0.5
        Over its rows that each worker makes in a round, at most 1.
    client : distributed.Client, default=None
        By default the one that was made last. Not pickled with the estimator.

    Attributes
    ----------
    classes_, coef_, intercept_, objective_, dual_gap_, n_iter_, history_, n_features_in_ : as in
        `fastsvm.PegasosClassifier`; the seconds of `history_` are those of the driver
    t_ : int
        Steps taken, of all workers.
    n_rounds_, n_bytes_, n_lost_ : int
        As in `SDCAClassifier`.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter, Math. Program. 127 (2011). Stich, Local SGD converges fast and
    communicates little, ICLR 2019.

    Examples
    --------
    >>> model = PegasosClassifier(alpha=1e-4, max_iter=5).fit(X, y)        # doctest: +SKIP
    """

    loss: str = "hinge"
    _: KW_ONLY
    alpha: float = 1e-4
    max_iter: int = 20
    fit_intercept: bool = True
    batch_size: int = 1
    project: bool = False
    averaging: str = "last"
    class_weight: ClassWeight = None
    passes: float = PASSES
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None
    client: object = None

    _local, _rounds = LocalPegasosClassifier, PegasosRounds

    def _check_params(self):
        super()._check_params()
        one_of("loss", self.loss, PEGASOS_LOSSES)
        one_of("averaging", self.averaging, ("last", "tail"))

    def _options(self):
        return {"batch_size": self.batch_size, "project": self.project, "averaging": self.averaging}

    def _set_results(self, results, X, y):
        super()._set_results(results, X, y)
        steps = (-(-part.shape[0] // self.batch_size) for part in X.described)
        self.t_ = self.n_iter_ * sum(steps)
