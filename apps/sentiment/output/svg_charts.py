"""SVG charts inside a page: they take the colours of the page, also in dark mode and in print.

They have only classes and presentation attributes, since the policy of the page allows no other styles.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from ...common.printing import printable

QUARTERS = ((0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1, "1"))
ENDS = ((0, "0"), (1, "1"))

Points = Iterable[tuple[float, float]]


class ChartFrame(NamedTuple):
    """The size of a picture and the sides of its frame, in the units of its letters."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int


LARGE_CHART = ChartFrame(380, 310, 60, 372, 10, 262)
STRIP = ChartFrame(380, 116, 60, 372, 10, 68)  # below a large one
PANEL = ChartFrame(190, 172, 20, 184, 6, 150)  # one of many


class Axis(NamedTuple):
    """The name of an axis, its two ends, and the ticks that have labels."""

    label: str
    low: float = 0.0
    high: float = 1.0
    ticks: Sequence[tuple[float, str]] = QUARTERS


class Chart:
    """A frame with two axes, to draw into.

    Parameters
    ----------
    description : str
        What the chart shows, for readers who do not see it.
    x, y : Axis
    frame : ChartFrame, default=LARGE_CHART
    """

    def __init__(self, description: str, x: Axis, y: Axis, frame: ChartFrame = LARGE_CHART) -> None:
        self._description, self._x, self._y, self._frame = description, x, y, frame
        self._drawn: list[str] = []

    def line(self, points: Points, style: str = "curve") -> None:
        """Draw a line; neighbours that would be the same point of the picture are drawn once."""
        places = [f"{round(2 * x) / 2:g},{round(2 * y) / 2:g}" for x, y in map(self._chart_position, points)]
        kept = [place for i, place in enumerate(places) if i == 0 or place != places[i - 1]]
        self._drawn.append(f'<polyline class="{style}" points="{" ".join(kept)}"/>')

    def dots(self, points: Points) -> None:
        """Draw a dot at each point."""
        for x, y in map(self._chart_position, points):
            self._drawn.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')

    def bars(self, points: Points, width: float) -> None:
        """Draw a bar from the x axis to each point; its width is measured along the x axis."""
        width *= (self._frame.right - self._frame.left) / (self._x.high - self._x.low)
        for x, y in map(self._chart_position, points):
            size = f'width="{width:.1f}" height="{self._frame.bottom - y:.1f}"'
            self._drawn.append(f'<rect class="bar" x="{x - width / 2:.1f}" y="{y:.1f}" {size}/>')

    def whiskers(self, ranges: Iterable[tuple[float, float, float]]) -> None:
        """Draw a range of y at each x."""
        for x, low, high in ranges:
            (place, bottom), (_, top) = self._chart_position((x, low)), self._chart_position((x, high))
            ends = "".join(f"M{place - 4:.1f} {y:.1f}h8" for y in (bottom, top))
            self._drawn.append(f'<path class="whisker" d="M{place:.1f} {bottom:.1f}V{top:.1f}{ends}"/>')

    def __html__(self) -> str:
        """Return the SVG element, for a template."""
        axes = [self._x_tick(*tick) for tick in self._x.ticks]
        axes += [self._y_tick(*tick) for tick in self._y.ticks]
        width, height, left, right, top, bottom = self._frame
        across, up = (left + right) / 2, (top + bottom) / 2
        parts = "\n".join([*axes, *self._drawn])
        if self._x.label:
            place = f'x="{across:g}" y="{height - 8}" text-anchor="middle"'
            parts += f"\n<text {place}>{_svg_text(self._x.label)}</text>"
        if self._y.label:
            place = f'x="12" y="{up:g}" text-anchor="middle" transform="rotate(-90 12 {up:g})"'
            parts += f"\n<text {place}>{_svg_text(self._y.label)}</text>"
        box = f'viewBox="0 0 {width} {height}"'
        return f"""<svg class="chart" {box} role="img" aria-label="{_svg_text(self._description)}">
{parts}
<path class="frame" d="M{left} {top}V{bottom}H{right}"/>
</svg>"""

    def _chart_position(self, point: tuple[float, float]) -> tuple[float, float]:
        axes = zip(point, (self._x, self._y), strict=True)
        across, up = ((value - axis.low) / (axis.high - axis.low) for value, axis in axes)
        _, _, left, right, top, bottom = self._frame
        return left + across * (right - left), bottom - up * (bottom - top)

    def _x_tick(self, value: float, name: str) -> str:
        x, bottom = self._chart_position((value, self._y.low))[0], self._frame.bottom
        mark = f'<path class="tick" d="M{x:.1f} {bottom}v5"/>'
        return f'{mark}<text x="{x:.1f}" y="{bottom + 19}" text-anchor="middle">{_svg_text(name)}</text>'

    def _y_tick(self, value: float, name: str) -> str:
        y, left = self._chart_position((self._x.low, value))[1], self._frame.left
        mark = f'<path class="grid" d="M{left} {y:.1f}H{self._frame.right}"/>'
        return f'{mark}<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{_svg_text(name)}</text>'


def round_axis(label: str, low: float, high: float, most: float = float("inf"), format: str = "{:g}") -> Axis:
    """Return an axis from a round number to a round number, with four to eight ticks.

    Parameters
    ----------
    label : str
    low, high : float
        The range that the axis must contain; `low` < `high`.
    most : float, optional
        The largest possible end of the axis, not below `high`.
    format : str, optional
        Format of the numbers at the ticks, as for `str.format`.
    """
    step = 10.0 ** floor(log10((high - low) / 2))
    step = next(s for s in (step / 2, step, 2 * step, 5 * step) if (high - low) / s <= 6)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = [i * step for i in range(first, last + 1) if i * step <= most * (1 + 1e-9)]
    named = [(tick, format.format(round(tick, 12))) for tick in ticks]
    return Axis(label, ticks[0], min(last * step, most), named)


def line_chart(
    description: str,
    x: Axis,
    y: Axis,
    points: Sequence[tuple[float, float]],
    guide: Points = (),
    intervals: Sequence[tuple[float, float]] | None = None,
    frame: ChartFrame = LARGE_CHART,
) -> Chart:
    """Draw a line, a dashed `guide` to compare it with and, if `intervals` is a list, dots with these."""
    chart = Chart(description, x, y, frame)
    if guide:
        chart.line(guide, "guide")
    if intervals:
        chart.whiskers((x, *ends) for (x, _), ends in zip(points, intervals, strict=True))
    chart.line(points)
    if intervals is not None:
        chart.dots(points)
    return chart


def learning_curve_chart(
    sizes: Sequence[int], scores: Sequence[float], intervals: Sequence[tuple[float, float]], metric: str
) -> Chart:
    """Draw how a score grows with the number of texts.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of training texts, increasing.
    scores : sequence of float
        In [0, 1].
    intervals : sequence of (float, float)
        The interval of each score, or empty.
    metric : str
        What the scores are.
    """
    ends = [*scores, *(end for pair in intervals for end in pair)]
    low, high = min(ends), max(ends)
    points = list(zip(sizes, scores, strict=True))
    told = "; ".join(f"{size:,}: {score:.3f}" for size, score in points)
    told = f"Learning curve, {metric} by the number of training texts. {told}"
    x = round_axis("training texts", 0, max(sizes), format="{:,.0f}")
    y = round_axis(metric, min(low, high - 0.02), high, 1.0)
    return line_chart(told, x, y, points, intervals=intervals)


def _svg_text(value: str) -> str:
    return escape(printable(value))
