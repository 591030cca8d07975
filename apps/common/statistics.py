"""How far a measured number can be trusted."""

from __future__ import annotations


def wilson_interval(successes: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval of a proportion, 95 % by default."""
    p = successes / n
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    return max(0.0, centre - half), min(1.0, centre + half)
