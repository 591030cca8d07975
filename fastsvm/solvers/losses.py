"""The table of losses, in NumPy.

Each loss is a function of the margin m = y (w.x + b0). `dual_term` is psi(b) = -phi*(-b), and for every m
and every b in the domain, phi(m) + b m >= psi(b) (Fenchel-Young); summed over the rows, this is weak duality.
The kernels use `struct`, and have their formulas in `_losses.pxd`, under the same codes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of the table.

    Attributes
    ----------
    name : str
    code : int, its number in `_losses.pxd`
    value, slope : callables, phi(m) and phi'(m) of an array of float64
    dual_term : callable, psi(b) for b in [0, upper]; None for a loss without a dual
    upper : float, the upper bound of the dual variable of a row of weight 1
    curvature : float, -psi'' if psi is quadratic, otherwise None
    lipschitz : float, the Lipschitz constant of the slope; inf if the slope jumps
    straight : bool, whether the loss is a straight line of slope -upper below its bend
    squared_radius : float, alpha ||w||^2 of a ball that contains the optimum for rows of mean weight 1; None:
        twice P(0), which is valid for any loss
    newton : bool, whether `_newton.pyx` has the second derivative, for the hinge of its smoothed form
    width : float, the width of the bend: the smooth hinge's gamma
    with_width : callable, returns the loss with another width; None if the width is fixed
    """

    name: str
    code: int
    value: Callable
    slope: Callable
    dual_term: Callable | None
    upper: float = 1.0
    curvature: float | None = None
    lipschitz: float = math.inf
    straight: bool = False
    squared_radius: float | None = None
    newton: bool = False
    width: float = 1.0
    with_width: Callable | None = None

    @property
    def smooth(self):
        """Whether the slope has no jumps."""
        return self.lipschitz < math.inf

    @cached_property
    def quadratic(self):
        """Whether the dual is quadratic inside its box."""
        return self.curvature is not None

    @cached_property
    def struct(self):
        """The `Loss` struct of `_losses.pxd`, which the kernels use."""
        fields = "code", "width", "upper", "quadratic", "straight"
        return {name: getattr(self, name) for name in fields}

    def uppers(self, weights):
        """The upper bounds of the dual variables of rows with these weights; 0 for weight 0."""
        weights = np.asarray(weights, dtype=float)
        return np.multiply(weights, self.upper, out=np.zeros(weights.shape), where=weights > 0)


def _short_by(m):
    return np.maximum(0, 1 - m)


def _binary_entropy(b):
    p = np.clip(b, 0, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(p > 0, p * np.log(p), 0) - np.where(p < 1, (1 - p) * np.log1p(-p), 0)


def smooth_hinge(width=1.0):
    """max(0, 1-m) with its kink rounded over 1 - width <= m <= 1: (1-m)^2 / (2 width) there."""
    g = width

    def value(m):
        s = _short_by(m)
        return np.where(s >= g, s - g / 2, np.square(np.minimum(s, g)) / (2 * g))

    return Loss(
        "smooth_hinge",
        2,
        value,
        slope=lambda m: -np.clip((1 - m) / g, 0, 1),
        dual_term=lambda b: b - g / 2 * b**2,
        curvature=g,
        lipschitz=1 / g,
        straight=True,
        newton=True,
        width=g,
        with_width=smooth_hinge,
    )


_ENTRIES = (
    Loss(
        "hinge",
        0,
        value=_short_by,
        slope=lambda m: -(m < 1).astype(float),  # the sub-gradient 0 at the kink
        dual_term=lambda b: b,
        curvature=0.0,
        straight=True,
        newton=True,
        squared_radius=1.0,  # alpha/2 ||w||^2 is at most half of P(0) (Pegasos, sec. 2)
    ),
    Loss(
        "squared_hinge",
        1,
        value=lambda m: _short_by(m) ** 2,
        slope=lambda m: -2 * _short_by(m),
        dual_term=lambda b: b - b**2 / 4,
        upper=math.inf,
        curvature=0.5,
        lipschitz=2.0,
        newton=True,
    ),
    smooth_hinge(),
    Loss(
        "log",
        3,
        value=lambda m: np.logaddexp(0, -m),
        slope=lambda m: -np.exp(-np.logaddexp(0, m)),
        dual_term=_binary_entropy,
        lipschitz=0.25,
        newton=True,
    ),
    Loss(
        "modified_huber",
        1,  # the squared hinge, straight where its slope is -upper
        value=lambda m: np.where(m < -1, -4 * m, _short_by(m) ** 2),
        slope=lambda m: -np.minimum(2 * _short_by(m), 4),
        dual_term=lambda b: b - b**2 / 4,
        upper=4.0,
        curvature=0.5,
        lipschitz=2.0,
    ),
    Loss(
        "perceptron",
        4,
        value=lambda m: np.maximum(0, -m),
        slope=lambda m: -(m < 0).astype(float),
        dual_term=None,
    ),
)
TABLE = {entry.name: entry for entry in _ENTRIES}
PEGASOS_LOSSES = tuple(name for name, entry in TABLE.items() if entry.dual_term is not None)
LOSSES = tuple(name for name in PEGASOS_LOSSES if name != "modified_huber")
SMOOTH_LOSSES = tuple(name for name in LOSSES if TABLE[name].smooth)


def as_loss(loss: str | Loss, width: float = 1.0) -> Loss:
    """The loss of a name, with this `width` if it has one; a Loss is returned as it is.

    Raises
    ------
    ValueError
        If the name is not in the table.
    """
    if isinstance(loss, Loss):
        return loss
    if loss not in TABLE:
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}; got {loss!r}.")
    entry = TABLE[loss]
    return entry.with_width(width) if entry.with_width and width != 1 else entry


def value(loss, m):
    """phi(m), elementwise.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "smooth_hinge", "log"} or Loss
    m : array of margins

    Returns
    -------
    ndarray, of the shape of m
    """
    return as_loss(loss).value(np.asarray(m, dtype=float))


def slope(loss, m):
    """phi'(m), elementwise; the sub-gradient 0 at the kink of the hinge, m = 1. Parameters as in `value`."""
    return as_loss(loss).slope(np.asarray(m, dtype=float))


def dual_term(loss, b):
    """psi(b), elementwise; -inf for b outside `domain(loss)`. Parameters as in `value`."""
    b = np.asarray(b, dtype=float)
    low, high = domain(loss)
    return np.where((b >= low) & (b <= high), as_loss(loss).dual_term(b), -np.inf)


def domain(loss):
    """The smallest and the largest b with a finite dual term."""
    return 0.0, as_loss(loss).upper
