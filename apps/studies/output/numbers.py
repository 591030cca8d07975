"""Numbers of a table as text: as many decimals in a column as its largest number needs."""

import math
from collections.abc import Sequence
from numbers import Integral, Real

DIGITS = 4  # of the largest number of a column
LARGE, SMALL = 1e6, 1e-4  # beyond these a column has exponents


def column_texts(values: Sequence[object]) -> list[str]:
    """Return the cells of a column as text; nan and None are empty."""
    sizes = [abs(float(value)) for value in values if _is_fraction(value) and math.isfinite(value)]
    sizes = [size for size in sizes if size]
    if sizes and min(sizes) >= SMALL and max(sizes) < LARGE:
        decimals = max(0, DIGITS - 1 - math.floor(math.log10(max(sizes))))
        spelling = f",.{min(decimals, DIGITS)}f"
    else:
        spelling = f".{DIGITS}g"
    return [_text(value, spelling) for value in values]


def is_number(value: object) -> bool:
    """Tell whether a cell is a number."""
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_fraction(value: object) -> bool:
    return is_number(value) and not isinstance(value, Integral)


def _text(value: object, spelling: str) -> str:
    if value is None or (_is_fraction(value) and math.isnan(value)):
        return ""
    if _is_fraction(value):
        return format(float(value), spelling)
    return format(int(value), ",") if is_number(value) else str(value)
