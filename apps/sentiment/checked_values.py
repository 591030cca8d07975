"""Checks of parameter values, from Python or from a command line: each function checks and returns a value.

A function raises ValueError with a message that is printed after the name of the parameter.
"""

import codecs
import math
import re
from collections.abc import Callable, Iterable, Mapping

from ..common.limits import LEAST_STRENGTH, MOST_STRENGTH

STRENGTHS = f"from {LEAST_STRENGTH:g} to {MOST_STRENGTH:g}"


class OneOf:
    """A check that a value is one of some names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __call__(self, value: object) -> str:
        """Return the name."""
        if value not in self.names:
            raise ValueError(f"{value!r} is not one of {', '.join(map(repr, self.names))}")
        return value


class WholeNumber:
    """A check that a value is a whole number in a range; without `most`, there is no upper limit."""

    def __init__(self, least: int, most: int | None = None) -> None:
        self.least, self.most = least, most

    def __call__(self, value: object) -> int:
        """Return the number."""
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        is_whole = number is not None and not isinstance(value, bool)
        is_whole = is_whole and (isinstance(value, str) or number == value)
        if not is_whole or number < self.least or (self.most is not None and number > self.most):
            ends = f"of at least {self.least}" if self.most is None else f"from {self.least} to {self.most}"
            raise ValueError(f"{value!r} is not a whole number {ends}")
        return number


def _checked_number(value: object, fits: Callable[[float], bool], wanted: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or not fits(number):
        raise ValueError(f"{value!r} is not {wanted}")
    return number


def _checked_strength(value: object, wanted: str) -> float:
    return _checked_number(value, lambda x: LEAST_STRENGTH <= x <= MOST_STRENGTH, wanted)


positive_count = WholeNumber(1, 2**31 - 1)


def share_below_one(value: object) -> float:
    """Check a number from 0 to 1, and not 1 itself."""
    return _checked_number(value, lambda x: 0 <= x < 1, "a number from 0 to below 1")


def count_or_all(value: object) -> int | None:
    """Check a whole number of at least 1; ``all`` and None give None."""
    return None if value is None or value == "all" else positive_count(value)


def strength_or_auto(value: object) -> float | str:
    """Check a strength of the regularisation, or ``auto``."""
    return value if value == "auto" else _checked_strength(value, f"auto or a number {STRENGTHS}")


def length_range(value: object) -> tuple[int, int] | None:
    """Check a range of lengths: ``"A-B"``, ``(A, B)``, or B for 1 to B, at most 9; ``none`` gives None."""
    if value is None or value == "none":
        return None
    text = "-".join(map(str, value)) if isinstance(value, Iterable) and not isinstance(value, str) else value
    match = re.fullmatch(r"(?:([1-9])-)?([1-9])", str(text))
    if not match or int(match[1] or 1) > int(match[2]):
        raise ValueError(f"{value!r} is not a number from 1 to 9, a range such as 1-2, or none")
    return int(match[1] or 1), int(match[2])


def label_weights(value: object) -> str | tuple[tuple[str, float], ...] | None:
    """Check ``balanced``, or label weights: a dict, pairs, or strings such as ``spam=5``."""
    if not value:
        return None
    given = [value] if isinstance(value, str) else value.items() if isinstance(value, Mapping) else value
    given = list(given)
    if given == ["balanced"]:
        return "balanced"
    if "balanced" in given:
        raise ValueError("give balanced or label weights, not both")
    pairs = tuple(map(_label_weight, given))
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a label has two weights; give each label one weight")
    return pairs


def _label_weight(value: object) -> tuple[str, float]:
    label, weight = "", value
    if isinstance(value, str):
        label, _, weight = value.rpartition("=")
    elif isinstance(value, Iterable) and len(pair := tuple(value)) == 2:
        label, weight = pair
    if not isinstance(label, str) or not label:
        raise ValueError(f"{value!r} is neither balanced nor LABEL=W, such as spam=5")
    return label, _checked_strength(weight, f"a weight {STRENGTHS} for {label!r}")


def costs(value: str) -> tuple[float, float]:
    """Check `FP:FN`, two numbers above 0."""
    number = r"(\d+\.?\d*|\.\d+)"
    match = re.fullmatch(f"{number}:{number}", value)
    if not match or not (float(match[1]) and float(match[2])):
        raise ValueError(f"{value!r} is not two numbers above 0, such as 1:5")
    return float(match[1]), float(match[2])


def probability_band(value: str) -> tuple[float, float]:
    """Check a range of probabilities: `A-B`, or `P` for (0, P)."""
    number = r"(0?\.\d+|0|1|1\.0*)"
    match = re.fullmatch(f"(?:{number}-)?{number}", value)
    low, high = (float(match[1] or 0), float(match[2])) if match else (1.0, 0.0)
    if not low < high or (match[1] and low == 0):
        raise ValueError(f"{value!r} is neither a probability nor a range such as 0.4-0.6")
    return low, high


def encoding(value: object) -> str:
    """Check that Python knows a text encoding; return its usual name."""
    try:
        "".encode(value)
        return codecs.lookup(value).name
    except (LookupError, ValueError, TypeError):
        told = f"{value!r} is not a text encoding; examples are cp1252, latin-1, utf-16 and gb18030"
        raise ValueError(told) from None
