"""The charts of all studies: panels of curves, dots with intervals, bars, pixels and lines across.

A chart is data: rows of panels, each with its parts and with what Matplotlib's `Axes.set` takes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import numpy as np

from ....common.statistics import mean_interval
from .study_colors import BLUE, VERMILION

LOG_LOG = {"xscale": "log", "yscale": "log"}


class ChartPart(Protocol):
    """What is drawn on a pair of axes."""

    def draw(self, ax: Any) -> None:
        """Draw it."""


@dataclass(frozen=True)
class Curve:
    """A line or points, with a band around them where y has ends.

    Attributes
    ----------
    x : array of n numbers
    y : array of shape (n,), or (n, 3) with value, low and high of each point
    color : str or tuple
    label : str
    line : str
        In Matplotlib's way: "-", "--", "o-", "x".
    options : mapping
        What else `Axes.plot` takes.
    band : str
        The label of the band.
    """

    x: Any
    y: Any
    color: Any
    label: str = ""
    line: str = "-"
    options: Mapping[str, object] = field(default_factory=dict)
    band: str = ""

    def draw(self, ax) -> None:
        """Draw it."""
        values = np.asarray(self.y)
        middle, *ends = values.T if values.ndim == 2 else (values,)
        style = {"markersize": 4, **self.options}
        ax.plot(self.x, middle, self.line, color=self.color, label=self.label, **style)
        if ends:
            ax.fill_between(self.x, *ends, color=self.color, alpha=0.2, linewidth=0, label=self.band)


@dataclass(frozen=True)
class Dots:
    """Numbers with intervals from left to right, one below the other.

    Attributes
    ----------
    estimates : sequence of (value, low, high)
    places : sequence of float
        Where, from the top.
    color, label : str
    limits : (float, float)
        A number at or beyond them is a triangle at the edge.
    notes : sequence of str
        What is written above each dot.
    """

    estimates: Sequence
    places: Sequence[float]
    color: str
    label: str = ""
    limits: tuple[float, float] = (-np.inf, np.inf)
    notes: Sequence[str] = ()

    def draw(self, ax) -> None:
        """Draw them."""
        least, most = self.limits
        found = np.clip(np.array([each[:3] for each in self.estimates]), least, most)
        ax.hlines(self.places, found[:, 1], found[:, 2], color=self.color, linewidth=1.5)
        for value, place in zip(found[:, 0], self.places, strict=True):
            marker = "<" if value <= least else ">" if value >= most else "o"
            ax.plot(value, place, marker, color=self.color, markersize=5, clip_on=False)
        for note, value, place in zip(self.notes, found[:, 0], self.places, strict=False):
            ax.annotate(note, (value, place), (0, 6), textcoords="offset points", ha="center", fontsize=9)
        ax.plot([], [], "o-", color=self.color, markersize=5, label=self.label)


@dataclass(frozen=True)
class Bars:
    """Bars from the bottom up, or from the left with `across`; `notes` are at their ends."""

    places: Sequence
    lengths: Sequence[float]
    color: str | Sequence[str] = BLUE
    label: str = ""
    notes: Sequence[str] = ()
    across: bool = False
    width: float = 0.8

    def draw(self, ax) -> None:
        """Draw them."""
        draw = ax.barh if self.across else ax.bar
        bars = draw(self.places, self.lengths, self.width, color=self.color, label=self.label)
        if self.notes:
            ax.bar_label(bars, self.notes, fontsize=8, padding=2)


@dataclass(frozen=True)
class Pixels:
    """A picture, or a table of numbers as colours.

    Attributes
    ----------
    values : ndarray of two dimensions
    spelling : str
        How the numbers are written into their cells; "" writes none, and frames none.
    options : mapping
        What `Axes.imshow` takes.
    """

    values: np.ndarray
    spelling: str = ""
    options: Mapping[str, object] = field(default_factory=dict)

    def draw(self, ax) -> None:
        """Draw it, with a frame around the least number."""
        image = ax.imshow(self.values, **self.options)
        if not self.spelling:
            return
        for (row, column), value in np.ndenumerate(self.values):
            color, said = "white" if image.norm(value) > 0.5 else "black", format(value, self.spelling)
            ax.text(column, row, said, ha="center", va="center", color=color, fontsize=9)
        row, column = np.unravel_index(self.values.argmin(), self.values.shape)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * 0.45
        ax.plot(*np.add(corners, (column, row)).T, color=VERMILION, linewidth=2)


@dataclass(frozen=True)
class Across:
    """A straight line across a panel where x, or where y, has a value; up to `end`, a strip."""

    axis: str
    value: float
    color: str = "0.6"
    line: str = "-"
    label: str = ""
    end: float | None = None

    def draw(self, ax) -> None:
        """Draw it."""
        draw, strip = (ax.axvline, ax.axvspan) if self.axis == "x" else (ax.axhline, ax.axhspan)
        if self.end is None:
            draw(self.value, color=self.color, linestyle=self.line, linewidth=1.2, label=self.label, zorder=1)
        else:
            strip(self.value, self.end, color=self.color, alpha=0.3, linewidth=0, label=self.label)


class Panel:
    """A pair of axes.

    Parameters
    ----------
    *parts : ChartPart
    legend : bool
        Whether it has a legend of its own.
    **axes
        What `Axes.set` takes: xlabel, yscale, title and so on.
    """

    def __init__(self, *parts: ChartPart, legend: bool = False, **axes: Any):
        self.parts, self.legend, self.axes = parts, legend, axes

    def draw(self, ax) -> None:
        """Draw the parts, then set the axes."""
        for part in self.parts:
            part.draw(ax)
        ax.set(**self.axes)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=9)
        ax.minorticks_off()  # they take most of the time of a picture
        if self.legend:
            ax.legend(frameon=False, fontsize=9)
        if not ax.images:
            ax.grid(color="0.9")
            ax.set_axisbelow(True)
            ax.spines[["top", "right"]].set_visible(False)


def chart(
    *rows: Sequence[Panel], legend: int = 0, colorbar: Mapping[str, object] | None = None, **shared: object
) -> Callable[[Any], None]:
    """Return a function that draws panels on a figure.

    Parameters
    ----------
    *rows : sequence of Panel
        The last may have fewer than the first.
    legend : int
        Columns of a legend below all panels, of what is in the first.
    colorbar : mapping
        What `Figure.colorbar` takes; None draws none.
    **shared
        What `Figure.subplots` takes, as sharex. Shared axes have their labels at the edge alone.
    """

    def draw(sheet) -> None:
        axes = sheet.subplots(len(rows), len(rows[0]), squeeze=False, **shared)
        for ax in axes.flat[sum(map(len, rows)) :]:
            ax.set_axis_off()
        for ax, panel in zip(axes.flat, chain(*rows), strict=False):
            panel.draw(ax)
            if shared.get("sharex") and not ax.get_subplotspec().is_last_row():
                ax.set_xlabel("")
            if shared.get("sharey") and not ax.get_subplotspec().is_first_col():
                ax.set_ylabel("")
        if legend:
            handles = axes[0, 0].get_legend_handles_labels()
            sheet.legend(*handles, loc="outside lower center", ncols=legend, frameon=False, fontsize=9)
        if colorbar is not None:
            bar = sheet.colorbar(axes[0, 0].images[0], ax=[*axes.flat], **colorbar)
            bar.ax.minorticks_off()

    return draw


def panel_rows(panels: Sequence[Panel], columns: int) -> list[Sequence[Panel]]:
    """Cut panels into rows."""
    return [panels[k : k + columns] for k in range(0, len(panels), columns)]


def named_rows(names: Sequence[str]) -> dict[str, object]:
    """Return what names rows of a `Panel`, the first at the top."""
    return {"yticks": range(len(names)), "yticklabels": names, "ylim": (len(names) - 0.5, -0.5)}


def mean_band(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean of each row with its 95 % interval, for a `Curve`."""
    return np.array([(row.mean(), *mean_interval(row.tolist())) for row in np.asarray(rows)])


def median_band(runs: np.ndarray, reach: float) -> np.ndarray:
    """Return the median over runs, in a band that leaves out a share at both ends, for a `Curve`."""
    return np.quantile(runs, (0.5, reach, 1 - reach), axis=0).T


class BandKey:
    """Says in the legend what a band is."""

    def __init__(self, words: str = "10th to 90th percentile of runs"):
        self.words = words

    def draw(self, ax) -> None:
        """Draw nothing but that."""
        ax.fill_between([], [], [], color="0.4", alpha=0.2, linewidth=0, label=self.words)
