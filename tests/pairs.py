"""Fewer tests of many parameters: each value with each of every other parameter, not all with all."""

import re
from itertools import combinations, product

import numpy as np
import pytest


def pairs(**axes):
    """Return what `parametrize` takes: the whole product, in which what adds no new pair of values is slow.

    A mistake is mostly one of a value, or of two together. An axis is a list, or a dict from names to values.
    """
    values = [axis if isinstance(axis, dict) else {named(v): v for v in axis} for axis in axes.values()]
    assert [*map(len, values)] == [*map(len, axes.values())], "two values of one name; give a dict"
    rows = [*product(*values)]
    met = [{*combinations(enumerate(row), 2)} for row in rows]
    missing, quick = set().union(*met), set()
    while missing:
        best = max(range(len(rows)), key=lambda i: len(met[i] & missing))
        quick.add(best)
        missing -= met[best]
    params = []
    for i, row in enumerate(rows):
        chosen = [of[name] for of, name in zip(values, row, strict=True)]
        params.append(pytest.param(*chosen, id="-".join(row), marks=() if i in quick else pytest.mark.slow))
    return ",".join(axes), params


def linear_pairs(**more):
    """`pairs` of what every linear problem may have, and of more."""
    axes = {"fit_intercept": [False, True], "weighted": [False, True], "dtype": [np.float32, np.float64]}
    return pairs(**axes, **more)


def slow_but(quick, rows):
    """Return rows for `parametrize`, of which all but the quick ones are for the slow tests."""
    slow = pytest.mark.slow
    values = [(row, row if isinstance(row, tuple) else (row,)) for row in rows]
    return [row if row in quick else pytest.param(*parts, marks=slow) for row, parts in values]


def named(value):
    # An address differs from process to process, and pytest-xdist compares the names.
    return getattr(value, "__name__", None) or re.sub(r" at 0x\w+", "", str(value))
