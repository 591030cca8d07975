"""Bounds in few digits, rounded so that they stay bounds."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def rounded_bound(bound, digits, upper):
    """Return a bound with so many digits, rounded up, or down for a lower bound."""
    context = Context(prec=digits, rounding=ROUND_CEILING if upper else ROUND_FLOOR)
    return float(context.create_decimal(f"{bound:.12g}"))


def percent_of_bound(share, upper=True):
    """Return a share in per cent with two digits, rounded up, or down for a lower bound."""
    return f"{rounded_bound(100 * share, 2, upper):.3g} %"
