"""Charts as SVG inside a page: they take its colours, in the dark and on paper too.

Nothing but classes and presentation attributes: the page's policy allows no style of their own.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...common.html import text

WIDTH, HEIGHT = 380, 310
LEFT, RIGHT, TOP, BOTTOM = 52, 372, 10, 262  # the sides of the frame
SERIES = 8  # colours and dashes to tell lines apart, in page.css
QUARTERS = ((0, "0"), (0.25, ".25"), (0.5, ".5"), (0.75, ".75"), (1, "1"))

Points = Iterable[tuple[float, float]]


class Axis(NamedTuple):
    """What an axis says, where it begins and ends, and the ticks that it names."""

    label: str
    low: float = 0.0
    high: float = 1.0
    ticks: Sequence[tuple[float, str]] = QUARTERS


class Chart:
    """A frame with two axes, to draw into.

    Parameters
    ----------
    description : str
        What the chart shows, for those who do not see it.
    x, y : Axis
    """

    def __init__(self, description: str, x: Axis, y: Axis) -> None:
        self._description, self._x, self._y = description, x, y
        self._drawn: list[str] = []

    def line(self, points: Points, style: str = "series-0") -> None:
        """Draw a line; of neighbours that would be the same point of the picture only one is kept."""
        places = [f"{round(2 * x) / 2:g},{round(2 * y) / 2:g}" for x, y in map(self._place, points)]
        kept = [place for i, place in enumerate(places) if i == 0 or place != places[i - 1]]
        self._drawn.append(f'<polyline class="{style}" points="{" ".join(kept)}"/>')

    def dots(self, points: Points) -> None:
        """Draw a dot at each point."""
        for x, y in map(self._place, points):
            self._drawn.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')

    def bars(self, points: Points, width: float) -> None:
        """Draw a bar from the x axis to each point; its width is measured along the x axis."""
        width *= (RIGHT - LEFT) / (self._x.high - self._x.low)
        for x, y in map(self._place, points):
            size = f'width="{width:.1f}" height="{BOTTOM - y:.1f}"'
            self._drawn.append(f'<rect class="bar" x="{x - width / 2:.1f}" y="{y:.1f}" {size}/>')

    def whiskers(self, ranges: Iterable[tuple[float, float, float]]) -> None:
        """Draw at each x a range of y."""
        for x, low, high in ranges:
            (place, bottom), (_, top) = self._place((x, low)), self._place((x, high))
            ends = "".join(f"M{place - 4:.1f} {y:.1f}h8" for y in (bottom, top))
            self._drawn.append(f'<path class="whisker" d="M{place:.1f} {bottom:.1f}V{top:.1f}{ends}"/>')

    def svg(self) -> str:
        """Return the element."""
        axes = [self._x_tick(*tick) for tick in self._x.ticks] + [
            self._y_tick(*tick) for tick in self._y.ticks
        ]
        across, up = (LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2
        parts = "\n".join([*axes, *self._drawn])
        box = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
        return f"""<svg class="chart" {box} role="img" aria-label="{text(self._description)}">
{parts}
<path class="frame" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>
<text x="{across:g}" y="{HEIGHT - 8}" text-anchor="middle">{text(self._x.label)}</text>
<text x="12" y="{up:g}" text-anchor="middle" transform="rotate(-90 12 {up:g})">{text(self._y.label)}</text>
</svg>"""

    def _place(self, point: tuple[float, float]) -> tuple[float, float]:
        across, up = (
            (value - axis.low) / (axis.high - axis.low)
            for value, axis in zip(point, (self._x, self._y), strict=True)
        )
        return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)

    def _x_tick(self, value: float, name: str) -> str:
        x = self._place((value, self._y.low))[0]
        mark = f'<path class="tick" d="M{x:.1f} {BOTTOM}v5"/>'
        return f'{mark}<text x="{x:.1f}" y="{BOTTOM + 19}" text-anchor="middle">{text(name)}</text>'

    def _y_tick(self, value: float, name: str) -> str:
        y = self._place((self._x.low, value))[1]
        mark = f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
        return f'{mark}<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text(name)}</text>'


def sample(series: int) -> str:
    """Return a short piece of a line, for a table that names it."""
    return (
        '<svg class="sample" viewBox="0 0 36 8" aria-hidden="true">'
        f'<polyline class="series-{series}" points="0,4 36,4"/></svg>'
    )
