"""Changes of w as they are sent: float32, and only where there are any, if that is less."""

from typing import NamedTuple

import numpy as np


class Packed(NamedTuple):
    """An array of float32, or its non-zeros.

    Attributes
    ----------
    values : ndarray of float32
    columns : ndarray of int32, where they are; None for all
    size : int, of the array
    """

    values: np.ndarray
    columns: np.ndarray | None
    size: int

    @property
    def n_bytes(self):
        """Bytes to send."""
        return self.values.nbytes + (0 if self.columns is None else self.columns.nbytes)

    def unpack(self):
        """Return the array, as float64."""
        if self.columns is None:
            return self.values.astype(np.float64)
        out = np.zeros(self.size)
        out[self.columns] = self.values
        return out


def pack(array):
    """Return an array Packed, each number rounded to float32; what the rounding left out is the caller's."""
    values = array.astype(np.float32)
    columns = np.flatnonzero(values)
    if 2 * len(columns) < len(values):
        return Packed(values[columns], columns.astype(np.int32), len(values))
    return Packed(values, None, len(values))
