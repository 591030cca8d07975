"""Curves with bands, and estimates with intervals, as all pictures of the study have them."""

from collections.abc import Collection, Sequence

import numpy as np

from ...common.figures import OKABE_ITO
from ..frame.claim_judging import Statistic
from ..output import drawing as output
from .document_solvers import (
    ASDCA_NAME,
    CYCLIC,
    MINI_BATCH,
    MINI_BATCH_PROJECTED,
    PEGASOS,
    PERMUTATION,
    PROJECTED,
    VANILLA,
)
from .solver_experiments import LEAST, Curves

BAND = 0.1, 0.5, 0.9
STYLES = {
    VANILLA: ("blue", "-"),
    PERMUTATION: ("sky blue", "--"),
    CYCLIC: ("orange", "-."),
    PEGASOS: ("vermilion", "--"),
    PROJECTED: ("orange", "-."),
    ASDCA_NAME: ("green", "-."),
    MINI_BATCH: ("purple", ":"),
    MINI_BATCH_PROJECTED: ("sky blue", "-."),
}
X_LABELS = {"visits": "rows visited", "steps": "steps", "seconds": "CPU time of the updates (ms)"}


def style_of(name: str) -> dict[str, object]:
    """Return the colour and the line of an algorithm."""
    colour, line = STYLES[name]
    return {"color": OKABE_ITO[colour], "linestyle": line}


def ramp(number: int, count: int) -> tuple[float, ...]:
    """Return one of `count` colours from dark to light, told apart with any colour vision."""
    import matplotlib

    return matplotlib.colormaps["viridis"](0.9 * number / max(count - 1, 1))


def shown(curves: Curves, name: str, axis: str) -> np.ndarray:
    """Return what runs have spent after each epoch, in the unit of the axis' label."""
    return curves.of[name][axis] * (1000 if axis == "seconds" else 1)


def draw_curve(ax, x: np.ndarray, y: np.ndarray, **style: object) -> None:
    """Draw the median over runs, in a band of the 10th to the 90th percentile.

    Parameters
    ----------
    ax : matplotlib Axes
    x, y : ndarray of shape (n_runs, n_epochs)
    **style
        Of the line; the band has its colour.
    """
    low, middle, high = np.quantile(y, BAND, axis=0)
    place = np.median(x, axis=0)
    ax.plot(place, middle, linewidth=1.5, **style)
    ax.fill_between(place, low, high, color=style["color"], alpha=0.18, linewidth=0)


def draw_excess(ax, curves: Curves, names: Collection[str], axis: str) -> None:
    """Draw how far algorithms are above the least objective, against one of the axes; both logarithmic."""
    for name in names:
        draw_curve(
            ax,
            shown(curves, name, axis),
            np.maximum(curves.excess(name), LEAST),
            label=name,
            **style_of(name),
        )
    ax.set(xscale="log", yscale="log", xlabel=X_LABELS[axis], ylabel="(P - P*) / P*")
    ax.axhline(0.01, color="0.6", linewidth=0.8, zorder=0)
    tidy(ax)


def draw_estimates(
    ax, estimates: Sequence[Statistic], places: np.ndarray, limits: tuple[float, float], **style
):
    """Draw points with intervals from left to right; what is beyond the limits is a triangle at the edge."""
    least, most = limits
    found = np.clip(np.array(estimates), least, most)
    ax.hlines(places, found[:, 1], found[:, 2], color=style["color"], linewidth=1.5)
    for marker, chosen in (
        ("o", (found[:, 0] > least) & (found[:, 0] < most)),
        ("<", found[:, 0] <= least),
        (">", found[:, 0] >= most),
    ):
        if chosen.any():  # an empty line that is not clipped has no extent, and takes the layout's
            ax.plot(
                found[chosen, 0], places[chosen], marker, color=style["color"], markersize=5, clip_on=False
            )
    ax.plot([], [], "o-", color=style["color"], markersize=5, label=style["label"])


def tidy(ax) -> None:
    """Take the box away."""
    output.tidy(ax, None)
    ax.tick_params(labelsize=8)
    ax.minorticks_off()  # they take most of the time of a picture
