"""Questions about the packed terms of a vocabulary."""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcmp


def are_ascending(const uint8_t[::1] content, const int64_t[::1] ends):
    """Tell whether each term is above the one before it, byte by byte; then none is there twice.

    Parameters
    ----------
    content, ends : arrays
        The terms end to end, and where each ends; the ends must not decrease.

    Returns
    -------
    bool
    """
    cdef Py_ssize_t k, start = 0, middle, end, shorter
    cdef int order
    cdef bint ascending = True
    with nogil:
        for k in range(ends.shape[0] - 1):
            middle, end = ends[k], ends[k + 1]
            shorter = min(middle - start, end - middle)
            order = memcmp(&content[start], &content[middle], shorter) if shorter else 0
            if order > 0 or (order == 0 and end - middle <= middle - start):
                ascending = False
                break
            start = middle
    return ascending
