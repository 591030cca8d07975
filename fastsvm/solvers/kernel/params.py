"""The parameters of kernel machines; see `fastsvm.solvers.params`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from .._input import as_limit
from ..losses import LOSSES
from ..params import Fields, Params

if TYPE_CHECKING:
    from ..annotations import ArrayLike, ClassWeight, EstimatorSeed

MAX_ITER = {"max_iter": partial(as_limit, "max_iter")}  # -1: no limit


class KernelSDCAFields(Fields):
    """The parameters of dual coordinate ascent on kernel machines; as in `fastsvm.KernelSDCAClassifier`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    loss: str = "hinge"
    alpha: float = 1e-4
    fit_intercept: bool = False
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    max_iter: int = -1
    tol: float | None = 1e-3
    class_weight: ClassWeight = None
    cache_size: float = 1024
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class KernelSDCAParams(KernelSDCAFields, Params):
    """The checked form of `KernelSDCAFields`."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"loss": LOSSES}
    OWN_CHECKS: ClassVar[Mapping[str, Callable[[Any], Any]]] = MAX_ITER


class KernelPegasosFields(Fields):
    """The parameters of sub-gradient steps on kernel machines; as in `fastsvm.KernelPegasosClassifier`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    alpha: float = 1e-4
    n_iter: int | None = None
    gamma: str | float = "scale"
    degree: int = 3
    coef0: float = 0.0
    class_weight: ClassWeight = None
    cache_size: float = 1024
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class KernelPegasosParams(KernelPegasosFields, Params):
    """The checked form of `KernelPegasosFields`."""

    is_dual: ClassVar[bool] = False


class KernelSDCACVFields(Fields):
    """The parameters for choosing gamma and alpha; as in `fastsvm.KernelSDCAClassifierCV`."""

    kernel: str | Callable[..., ArrayLike] = "rbf"
    _: KW_ONLY
    loss: str = "hinge"
    gammas: ArrayLike | None = None
    alphas: ArrayLike | None = None
    degree: int = 3
    coef0: float = 0.0
    cv: object = None
    scoring: str | Callable[..., float] | None = None
    max_iter: int = -1
    tol: float | None = 1e-3
    class_weight: ClassWeight = None
    cache_size: float = 1024
    n_jobs: int | None = None
    verbose: bool = False
    random_state: EstimatorSeed = None
