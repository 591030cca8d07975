"""Arrays that begin at a multiple of 64 bytes: where they begin may change the last bits of BLAS's sums."""

import math

import numpy as np

from ._kernel import address

LINE = 64  # bytes of a cache line, and of the widest registers


def empty(shape, dtype):
    """As `numpy.empty`."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    room = np.empty(size + LINE, np.uint8)
    return np.ndarray(shape, dtype, room, -address(room) % LINE)


def copy(values, dtype):
    """A copy of an array, in C order."""
    out = empty(values.shape, dtype)
    out[...] = values
    return out


def take(values, which):
    """The rows `values[which]` of an array, for an array of row numbers."""
    out = empty((len(which), *values.shape[1:]), values.dtype)
    return np.take(values, which, axis=0, out=out, mode="clip")  # the default mode would need a copy
