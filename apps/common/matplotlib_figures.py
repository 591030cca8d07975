"""Pictures drawn by Matplotlib, which is imported only when a picture is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from math import ceil, floor, log10
from os.path import splitext

from .errors import AppError
from .files import replace_file

# Okabe and Ito's colours, told apart with any colour vision.
OKABE_ITO = {
    "blue": "#0072b2",
    "vermilion": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "orange": "#e69f00",
    "sky blue": "#56b4e9",
    "yellow": "#f0e442",
}
# Positions of labels in a decade, for axes whose end is less than a factor times their beginning.
TICK_STEPS = ((5, (1, 1.5, 2, 3, 5, 7)), (200, (1, 2, 5)), (200, (1, 3)))
PLAIN_RANGE = 5e-5, 2e7  # an axis between them has labels without exponents: 0.0001, 1,000,000


@contextmanager
def figure(path: str | None, size: tuple[float, float]) -> Iterator:
    """Yield a figure of `size` inches to draw on, and write it atomically; for None, write nothing."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise AppError('pictures need matplotlib: pip install "fastsvm[plot]"') from error

    # Dollars in a word do not make a formula, and the numbers on an axis have no common offset.
    with rc_context({"text.parse_math": False, "axes.formatter.useoffset": False}):
        sheet = Figure(figsize=size, dpi=150, layout="constrained")
        yield sheet
        if path is not None:
            try:
                content = figure_bytes(sheet, splitext(path)[1][1:].lower())
            except ValueError as error:
                raise AppError(f"{path}: {error}; name the picture with .png, .svg or .pdf") from error
            replace_file(path, content)


def figure_bytes(sheet, format: str) -> bytes:
    """Return a figure, inside the context of `figure`, as the bytes of a file."""
    for ax in sheet.axes:
        for axis in (ax.xaxis, ax.yaxis):
            _label_plainly(axis)
    picture = BytesIO()
    sheet.savefig(picture, format=format)
    return picture.getvalue()


def _label_plainly(axis) -> None:
    """Label a logarithmic axis with plain numbers instead of Matplotlib's powers of ten, as formulas."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

    if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
        low, high = sorted(axis.get_view_interval())
        is_plain = low > PLAIN_RANGE[0] and high < PLAIN_RANGE[1]
        spelling = _plain_tick_label if is_plain else _exponent_tick_label
        if type(axis.get_major_locator()) is LogLocator:
            axis.set_major_locator(LogLocator(subs=_log_tick_steps(axis, low, high, spelling)))
        axis.set_major_formatter(spelling)
        axis.set_minor_formatter(NullFormatter())


def _log_tick_steps(axis, low: float, high: float, spelling) -> tuple[float, ...]:
    """Return the positions of labels in a decade of a logarithmic axis: as many as suit its range and fit."""
    font = axis.get_major_ticks(1)[0].label1.get_fontsize() / 72 * axis.figure.dpi  # pixels
    size = axis.axes.get_window_extent()
    is_across = axis.axis_name == "x"
    room = (size.width if is_across else size.height) / log10(high / low)  # of a decade
    for steps in (step for times, step in TICK_STEPS if high < times * low):
        places = [k + log10(step) for k in range(floor(log10(low)), ceil(log10(high))) for step in steps]
        inside = [place for place in places if log10(low) <= place <= log10(high)]
        sizes = [len(spelling(10**place)) * 0.6 + 0.4 if is_across else 1.2 for place in inside]
        if all(
            room * (end - begin) >= font * (one + other) / 2
            for (begin, one), (end, other) in pairwise(zip(inside, sizes, strict=True))
        ):
            return steps
    return (1,)


def _plain_tick_label(x: float, _=None) -> str:
    return f"{x:,.12g}"


def _exponent_tick_label(x: float, _=None) -> str:
    factor, exponent = f"{x:.6e}".split("e")
    return f"{float(factor):g}e{int(exponent)}"
