"""Pictures drawn by Matplotlib, which is imported only where one is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os.path import splitext

from .errors import USAGE, AppError
from .files import check_file, replace_file

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
SHORT = 5e-5, 2e7  # an axis between them has labels without exponents: 0.0001, 1,000,000


def check_picture(path: str) -> None:
    """Find out before the work whether a picture can be drawn and written."""
    with figure(None, (1, 1)) as sheet:
        _format_of(path, sheet)
    check_file(path)


def _format_of(path: str, sheet) -> str:
    ending = splitext(path)[1][1:].lower()
    if ending not in sheet.canvas.get_supported_filetypes():
        raise AppError(f"{path}: no format of pictures; name it with .png, .svg or .pdf", USAGE)
    return ending


@contextmanager
def figure(path: str | None, size: tuple[float, float]) -> Iterator:
    """Give a figure of `size` inches to draw on, and write it in one go; None draws for nothing."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise AppError("pictures need matplotlib: pip install fastsvm[plot]") from error

    # A word is not a formula, whatever dollars it holds.
    with rc_context({"text.parse_math": False}):
        sheet = Figure(figsize=size, dpi=150, layout="constrained")
        yield sheet
        if path is not None:
            try:
                content = content_of(sheet, _format_of(path, sheet))
            except ValueError as error:
                raise AppError(f"{path}: {error}; name the picture with .png, .svg or .pdf") from error
            replace_file(path, content)


def content_of(sheet, format: str) -> bytes:
    """Return a figure, while it is given, as the bytes of a file."""
    for ax in sheet.axes:
        for axis in (ax.xaxis, ax.yaxis):
            _label_plainly(axis)
    picture = BytesIO()
    sheet.savefig(picture, format=format)
    return picture.getvalue()


def _label_plainly(axis) -> None:
    """Label a logarithmic axis that has Matplotlib's own labels by numbers: powers of ten are formulas."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

    if isinstance(axis.get_major_formatter(), LogFormatterSciNotation):
        low, high = axis.get_view_interval()
        if type(axis.get_major_locator()) is LogLocator:
            axis.set_major_locator(LogLocator(subs=_steps(high / low)))
        is_short = low > SHORT[0] and high < SHORT[1]
        axis.set_major_formatter(_digits if is_short else _with_exponent)
        axis.set_minor_formatter(NullFormatter())


def _steps(times: float) -> tuple[float, ...]:
    """Return where in a decade there are labels, of an axis that ends at so many times its beginning."""
    if times < 5:
        return (1, 1.5, 2, 3, 5, 7)
    return (1, 2, 5) if times < 200 else (1,)


def _digits(x: float, _=None) -> str:
    return f"{x:,.12g}"


def _with_exponent(x: float, _=None) -> str:
    factor, exponent = f"{x:.6e}".split("e")
    return f"{float(factor):g}e{int(exponent)}"
