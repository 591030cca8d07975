"""The fields of one step in a model file, checked: labels, counts, measures, names."""

import numpy as np

from .container import ModelFileError, show
from .tensors import LABELS, take_tensor, unpack_strings

MAX_LABELS = 1 << 24  # characters of a padded array of labels: one long label widens all the others
MAX_FEATURES = 1 << 24  # of steps without an array of this length
MAX_COUNT = 1 << 62  # steps or epochs; further training counts on, in 64 bits

COUNTS = ("n_iter_", "t_")
MEASURES = ("objective_", "dual_gap_")


def labels_field(kind, tensors):
    """Take the labels of a classifier, whose dtype is of this kind."""
    if kind in ("U", "O"):
        strings = unpack_strings("classes_", tensors)
        if kind == "U" and len(strings) * max(map(len, strings)) > MAX_LABELS:
            raise ModelFileError("classes_: labels too long")
        classes = np.array(strings, dtype=object if kind == "O" else None)
    else:
        classes = take_tensor(tensors, "classes_", LABELS)
        if classes.dtype.kind != kind:
            raise ModelFileError(f"classes_ of type {classes.dtype}, described as {show(kind)}")
    if len(classes) < 2 or not (classes[:-1] < classes[1:]).all():
        raise ModelFileError("classes_ are not two or more labels in ascending order")
    return classes


def count_field(name, value):
    """Return a checked number of steps or epochs."""
    if type(value) is not int or not 0 <= value <= MAX_COUNT:
        raise ModelFileError(f"{name} is {show(value)}")
    return value


def measure_field(name, value, n_rows):
    """Check a number, or a list of as many numbers as rows; return a float or an array."""
    numbers = value if type(value) is list else [value]
    if any(type(number) not in (int, float) for number in numbers):
        raise ModelFileError(f"{name} is {show(value)}")
    if len(numbers) != n_rows:
        raise ModelFileError(f"{name} has {len(numbers)} values, not {n_rows}")
    return np.array(value, dtype=float) if type(value) is list else float(value)


def n_columns_field(what, name, size):
    """Return a checked number of columns."""
    if not 1 <= size <= MAX_FEATURES:
        raise ModelFileError(f"{what} attributes: {name} is {show(size)}")
    return size
