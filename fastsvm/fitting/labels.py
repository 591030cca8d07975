"""Labels to signs, and solutions to coefficients."""

import numpy as np


def signs_of(y, label):
    """+1 where y is the label, -1 elsewhere, as int8."""
    return 2 * (y == label).astype(np.int8) - 1


def as_labels(y, n_rows):
    """Labels as an array, checked to be one for each row."""
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}; X has {n_rows} rows, so it must be ({n_rows},).")
    return y


def as_coefficients(values, dtype):
    """Float64 coefficients in the dtype of X, or a ValueError if they do not fit."""
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=dtype)
    if not np.isfinite(array).all():
        raise ValueError(f"The coefficients are beyond {np.dtype(dtype)}: scale X, or pass it as float64.")
    return array
