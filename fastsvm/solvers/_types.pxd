"""The number types that every kernel is compiled for."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t


ctypedef fused real:
    float
    double

ctypedef fused index:
    int32_t
    int64_t

ctypedef fused count:
    int32_t
    int64_t
    float
    double

ctypedef fused scalar:
    int8_t
    int32_t
    int64_t
    float
    double


cdef enum:
    SHORT = 1 << 14  # items of a pass that takes less time than getting the lock back from another thread


cdef inline const scalar* head(const scalar[::1] array) noexcept:
    """Return a pointer to the first element, or NULL if there is none."""
    return &array[0] if array is not None and array.shape[0] else NULL
