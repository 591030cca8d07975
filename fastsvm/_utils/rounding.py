"""Bounds in few digits, rounded so that they stay bounds."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def percent_of_bound(share, upper=True):
    """Return a share in per cent with two digits, rounded up, or down for a lower bound."""
    digits = Context(prec=2, rounding=ROUND_CEILING if upper else ROUND_FLOOR)
    return f"{float(digits.create_decimal(f'{100 * share:.9g}')):.3g} %"
