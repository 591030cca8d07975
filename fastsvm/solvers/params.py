"""The parameters of the solvers: a class for each method, and a check for each name.

A name has the same meaning and the same check in a function, an estimator and a model file.
Models inherit only the fields. A fit works on a checked copy of them:

>>> SDCAParams("log", alpha=1).checked().alpha
1.0
>>> SDCAParams(alpha=0).checked()
Traceback (most recent call last):
ValueError: alpha must be a positive number; got 0: without a penalty there is no certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import numpy as np

from ._input import as_alpha, as_first_averaged, finite, flag, one_of, order_of, positive, with_square
from .losses import LOSSES, PEGASOS_LOSSES, SMOOTH_LOSSES, Loss, as_loss

if TYPE_CHECKING:
    from typing import Self

    from .annotations import ArrayLike, ClassWeight, EstimatorSeed

USUAL_PROGRESS, USUAL_PATIENCE = 1e-3, 5  # of early stopping: the `tol` and the number of epochs
AS_GIVEN = "given"  # the rows in the order of X
KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")


def count_of(name: str) -> Callable[[Any], int]:
    """Return a check for a parameter that must be a positive integer."""
    return partial(positive, name, kind=int)


def optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a check that also accepts None."""
    return lambda value: None if value is None else check(value)


def as_max_iter(value: Any) -> int:
    """`max_iter` as an int, or a ValueError."""
    if isinstance(value, (int, np.integer)) and value == -1:
        raise ValueError("max_iter must be a positive integer; got -1: give a large number.")
    return int(positive("max_iter", value, kind=int))


def as_theta(theta: Any) -> str | float:
    """`theta` of ASDCA, or a ValueError."""
    if isinstance(theta, str) and theta == "paper":
        return theta
    number = isinstance(theta, (int, float, np.integer, np.floating)) and not isinstance(theta, bool)
    if not number or not 0 < theta <= 1:
        raise ValueError(f"theta must be 'paper' or a number above 0 and at most 1; got {theta!r}.")
    return float(theta)


def as_pegasos_intercept(value: Any) -> bool | str:
    """`fit_intercept` of Pegasos, or a ValueError."""
    return value if isinstance(value, str) and value in INTERCEPTS else flag("fit_intercept", value)


def as_validation_fraction(value: Any) -> float:
    """`validation_fraction` as a number between 0 and 1, or a ValueError."""
    if positive("validation_fraction", value) >= 1:
        raise ValueError(f"validation_fraction must be below 1; got {value!r}.")
    return float(value)


def as_l1_ratio(value: Any) -> float:
    """`l1_ratio` as a number from 0 to 1, or a ValueError."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise ValueError(f"l1_ratio must be from 0 to 1; got {value!r}.")
    return float(value)


def as_kernel(value: Any) -> Any:
    """`kernel`, or a ValueError."""
    return value if callable(value) else one_of("kernel", value, (*KERNELS, "precomputed"))


def as_gamma(value: Any) -> str | float:
    """`gamma` of kernels, or a ValueError."""
    return one_of("gamma", value, ("scale", "auto")) if isinstance(value, str) else positive("gamma", value)


def as_verbose(value: Any) -> int:
    """`verbose`, or a ValueError."""
    if not isinstance(value, (int, np.bool_, np.integer)) or value < 0:
        raise ValueError(f"verbose must be True, False or a non-negative integer; got {value!r}.")
    return int(value)


SWITCHES = (
    *("fit_intercept", "sgd_init", "project", "certify", "warm_start", "early_stopping", "shuffle", "trace"),
)
PENALTIES = ("l2", "l1", "elasticnet")
L1_LOSSES = ("squared_hinge", "log")  # smooth, with second derivatives that describe their bend
INTERCEPTS = ("search", "same_step")  # of Pegasos, besides True and False

CHECKS: dict[str, Callable[[Any], Any]] = {
    "alpha": as_alpha,
    "average_from": as_first_averaged,
    "batch_size": count_of("batch_size"),
    "cache_size": partial(positive, "cache_size"),
    "coef0": partial(finite, "coef0"),
    "degree": count_of("degree"),
    "gamma": as_gamma,
    "hinge_width": partial(with_square, "hinge_width"),
    "kernel": as_kernel,
    "l1_ratio": as_l1_ratio,
    "max_iter": as_max_iter,
    "n_iter": optional(count_of("n_iter")),
    "n_iter_no_change": optional(count_of("n_iter_no_change")),
    "theta": as_theta,
    "tol": optional(partial(positive, "tol")),
    "validation_fraction": as_validation_fraction,
    "verbose": as_verbose,
    **{name: partial(flag, name) for name in SWITCHES},
}
"""The function that checks and converts each parameter. Others are checked where they are used."""


# Parameters of scikit-learn's classifiers, and what to do here.
OTHERWISE = {
    "C": "use alpha = 1 / (C n) for n rows, or the classes of fastsvm.drop_in",
    "penalty": "the penalty is l2; SDCAClassifier and fastsvm.drop_in support others",
    "dual": "leave it out, or use the classes of fastsvm.drop_in",
    "kernel": "use KernelSDCAClassifier or KernelPegasosClassifier",
    "learning_rate": "leave it out, or use the classes of fastsvm.drop_in",
    "average": "use averaging",
}


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """Return the names of a class's parameters, sorted."""
    return tuple(sorted(signature(kind).parameters))


@dataclass_transform(eq_default=False)
class Fields:
    """The base class of parameters: each subclass is a dataclass with its own or inherited fields.

    Editors and type checkers, which read the class itself, therefore see the parameters of a model.

    Attributes
    ----------
    _params : the subclass of `Params` that checks the fields; models define it
    """

    _params: ClassVar[type[Params]]

    def __init_subclass__(cls, init: bool = True, **options: Any) -> None:  # `init` is for type checkers
        super().__init_subclass__(**options)
        dataclass(init=Fields in cls.__bases__, eq=False, repr=False)(cls)  # others inherit `__init__`

    if not TYPE_CHECKING:  # type checkers read `__init__`, as `inspect.signature` does: it comes before this

        def __new__(cls, *args, **params):
            """Name the replacements for parameters of scikit-learn's classifiers."""
            for name in params.keys() - set(parameter_names(cls)):
                hint = f": {OTHERWISE[name]}" if name in OTHERWISE else ""
                raise TypeError(f"{cls.__name__} has no parameter {name!r}{hint}.")
            return super().__new__(cls)


class Params:
    """The parameters that a fit reads: checked fields, and values derived from them.

    Attributes
    ----------
    CHOICES : dict of name to the allowed words
    OWN_CHECKS : dict of name to its check, where it differs from the one in `CHECKS`
    """

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    OWN_CHECKS: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    is_dual: ClassVar[bool] = True
    """Whether the method moves dual variables: it then reads the norms of rows, and keeps the duals."""

    relative_weights: ClassVar[bool] = True
    """Whether the weights of rows are divided by their mean."""

    loss: str = "hinge"
    alpha: Any = None
    tol: float | None = None

    @property
    def loss_entry(self) -> Loss:
        """The loss, with its width."""
        return as_loss(self.loss, getattr(self, "hinge_width", 1.0))

    @property
    def gap_tol(self) -> float | None:
        """The relative gap at which to stop; None if `tol` is None or does not refer to a gap."""
        return self.tol if self.is_dual else None

    @classmethod
    def of(cls, source: object, **other: Any) -> Self:
        """Return the parameters that are attributes of an object, checked.

        Parameters
        ----------
        source : object
            Such parameters, or a model. A field without an attribute gets its default.
        **other
            Replacements for the source's values. Other names are ignored: a function passes its `locals()`.

        Raises
        ------
        ValueError
            Names the first invalid parameter.
        """
        copy = object.__new__(cls)
        for name, default, check in _FIELDS.get(cls) or _fields_of(cls):
            value = other[name] if name in other else getattr(source, name, default)
            if value is not default and check is not None:  # defaults pass
                value = check(value)
            setattr(copy, name, value)
        copy.check_together()
        return copy

    def checked(self, **other: Any) -> Self:
        """Return a checked copy, with the parameters in `other` replaced."""
        return self.of(self, **other)

    def check_together(self) -> None:
        """Raise a ValueError if the parameters, each of which is valid, cannot be combined."""


Field = tuple[str, Any, Callable[[Any], Any] | None]
_FIELDS: dict[type, list[Field]] = {}


def _fields_of(cls: type[Params]) -> list[Field]:
    """Return the name, default and check of each field; they are determined once."""

    def check_of(name: str) -> Callable[[Any], Any] | None:
        if name == "order":
            return partial(order_of, names=cls.CHOICES[name])
        if name in cls.CHOICES:
            return partial(one_of, name, allowed=cls.CHOICES[name])
        return cls.OWN_CHECKS.get(name, CHECKS.get(name))

    _FIELDS[cls] = [(field.name, field.default, check_of(field.name)) for field in fields(cls)]  # type: ignore[arg-type]
    return _FIELDS[cls]


class SDCAFields(Fields):
    """The parameters of dual coordinate ascent and Newton's method; as in `fastsvm.SDCAClassifier`."""

    loss: str = "hinge"
    _: KW_ONLY
    hinge_width: float = 1.0
    alpha: float = 1e-4
    penalty: str = "l2"
    l1_ratio: float = 0.5
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    order: str | ArrayLike = "permutation"
    averaging: str = "last"
    average_from: int | None = None
    sgd_init: bool = False
    solver: str = "auto"
    multi_class: str = "ovr"
    class_weight: ClassWeight = None
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class SDCAParams(SDCAFields, Params):
    """The checked form of `SDCAFields`."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "loss": LOSSES,
        "penalty": PENALTIES,
        "order": ("permutation", "random", "cyclic"),
        "averaging": ("last", "tail", "random"),
        "solver": ("auto", "coordinate", "newton"),
        "multi_class": ("ovr", "multinomial"),
    }

    @property
    def l1_share(self) -> float:
        """The weight of ||w||_1, as a share of alpha."""
        return {"l2": 0.0, "l1": 1.0}.get(self.penalty, self.l1_ratio)

    def check_together(self) -> None:  # noqa: D102 (inherited)
        if self.penalty != "l2":
            self._check_l1()
        if self.multi_class == "ovr":
            return
        if self.loss != "log":
            raise ValueError(f"multi_class='multinomial' needs loss='log'; got {self.loss!r}.")
        if self.solver == "coordinate":
            raise ValueError("multi_class='multinomial' uses Newton's method: leave solver at 'auto'.")
        if other := self.not_for_newton():
            raise ValueError(f"multi_class='multinomial' does not support {other}; leave it at its default.")

    def penalty_of(self, w: np.ndarray, alpha: float | None = None) -> float:
        """The penalty at these weights, with the given alpha if there is one."""
        alpha = self.alpha if alpha is None else alpha
        ridge = alpha / 2 * (1 - self.l1_share) * float(w @ w)
        return ridge + alpha * self.l1_share * float(np.abs(w).sum()) if self.l1_share else ridge

    def _check_l1(self) -> None:
        """Raise a ValueError if another parameter does not support an l1 penalty."""
        if self.loss not in L1_LOSSES:
            raise ValueError(
                f"penalty={self.penalty!r} needs loss='squared_hinge' or 'log'; got {self.loss!r}."
            )
        if other := self.not_for_newton():
            raise ValueError(f"penalty={self.penalty!r} does not support {other}; leave it at its default.")
        for name, usual in ("solver", "auto"), ("multi_class", "ovr"):
            if getattr(self, name) != usual:
                raise ValueError(f"penalty={self.penalty!r} needs {name}={usual!r}, the default.")

    def not_for_newton(self) -> str | None:
        """Return the name of a parameter that only coordinate steps support, if one is not at its default."""
        usual = isinstance(self.order, str) and self.order == "permutation"
        given = {"order": not usual, "averaging": self.averaging != "last", "sgd_init": self.sgd_init}
        return next((name for name in given if given[name]), None)


class SDCACVFields(Fields):
    """The parameters for choosing alpha; as in `fastsvm.SDCAClassifierCV`."""

    loss: str = "hinge"
    _: KW_ONLY
    alphas: ArrayLike | None = None
    n_alphas: int = 10
    eps: float = 1e-4
    penalty: str = "l2"
    l1_ratio: float = 0.5
    cv: object = None
    scoring: str | Callable[..., float] | None = None
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    verbose: bool = False
    random_state: EstimatorSeed = None


class PegasosFields(Fields):
    """The parameters of stochastic sub-gradient steps; as in `fastsvm.PegasosClassifier`."""

    loss: str = "hinge"
    _: KW_ONLY
    alpha: float = 1e-4
    max_iter: int = 20
    fit_intercept: bool | str = True
    batch_size: int = 1
    order: str | ArrayLike = "permutation"
    project: bool = False
    averaging: str = "last"
    average_from: int | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    tol: float | None = None
    shuffle: bool = True
    class_weight: ClassWeight = None
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    certify: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class PegasosParams(PegasosFields, Params):
    """The checked form of `PegasosFields`."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "loss": PEGASOS_LOSSES,
        "order": ("permutation", "random", "batches"),
        "averaging": ("last", "tail", "random"),
    }
    OWN_CHECKS: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "fit_intercept": as_pegasos_intercept,
        "n_iter_no_change": count_of("n_iter_no_change"),
    }

    is_dual: ClassVar[bool] = False

    @property
    def patience(self) -> int | None:
        """The number of epochs without progress that ends a fit; None: progress is not checked."""
        return self.n_iter_no_change if self.early_stopping or self.tol is not None else None

    def check_together(self) -> None:  # noqa: D102 (inherited)
        if self.patience is not None and self.averaging == "random":
            raise ValueError(
                "averaging='random' draws from the second half of max_iter epochs, so it cannot stop early."
            )
        if not (self.shuffle or (isinstance(self.order, str) and self.order == "permutation")):
            raise ValueError(f"shuffle=False keeps the order of the rows: leave out order={self.order!r}.")


class PerceptronFields(Fields):
    """The parameters of the perceptron; as in `fastsvm.PerceptronClassifier`."""

    _: KW_ONLY
    max_iter: int = 10
    tol: float | None = 1e-3
    n_iter_no_change: int | None = None
    averaging: str = "last"
    fit_intercept: bool = True
    early_stopping: bool = False
    validation_fraction: float = 0.1
    shuffle: bool = True
    class_weight: ClassWeight = None
    warm_start: bool = False
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class PerceptronParams(PerceptronFields, Params):
    """The checked form of `PerceptronFields`."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"averaging": ("last", "all")}

    loss = "perceptron"
    relative_weights: ClassVar[bool] = False
    is_dual: ClassVar[bool] = False

    @property
    def patience(self) -> int | None:
        """The number of epochs without progress that ends a fit; None: progress is not checked."""
        return self.n_iter_no_change or (USUAL_PATIENCE if self.early_stopping else None)


class ASDCAFields(Fields):
    """The parameters of accelerated mini-batch SDCA; as in `fastsvm.ASDCAClassifier`."""

    loss: str = "smooth_hinge"
    _: KW_ONLY
    hinge_width: float = 1.0
    alpha: float = 1e-4
    max_iter: int = 1000
    tol: float | None = 1e-3
    fit_intercept: bool = True
    batch_size: int = 8
    theta: str | float = "paper"
    order: str | ArrayLike = "permutation"
    averaging: str = "last"
    average_from: int | None = None
    class_weight: ClassWeight = None
    n_jobs: int | None = None
    trace: bool = False
    verbose: bool = False
    random_state: EstimatorSeed = None


class ASDCAParams(ASDCAFields, Params):
    """The checked form of `ASDCAFields`."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "loss": SMOOTH_LOSSES,
        "order": ("permutation", "batches"),
        "averaging": ("last", "tail", "random"),
    }
