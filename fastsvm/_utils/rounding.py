"""Bounds in few digits, rounded so that they stay bounds."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def percent_of_bound(share, upper=True):
    """Return a share in per cent with two digits, rounded up, or down for a lower bound."""
    rounded = Context(prec=2, rounding=ROUND_CEILING if upper else ROUND_FLOOR).create_decimal(
        100 * float(share)
    )
    return f"{float(rounded):.3g} %"
