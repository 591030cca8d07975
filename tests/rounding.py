"""What BLAS computes is equal only up to rounding: sums depend on the processor and on where arrays lie."""

import numpy as np


def assert_close(one, other, *, scale=0.0, digits=1.0):
    """Check arrays that differ by no more than rounding.

    Parameters
    ----------
    one, other : arrays
    scale : float
        The size of what was added and subtracted, if that is more than the largest value.
    digits : float
        The share of the digits that must be the same, but for the last three.
    """
    one, other = np.asarray(one), np.asarray(other)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    if other.dtype.kind != "f":
        np.testing.assert_array_equal(one, other)
        return
    allowed = 1000 * np.finfo(other.dtype).eps ** digits
    np.testing.assert_allclose(one, other, rtol=0, atol=allowed * np.abs(other).max(initial=scale))
