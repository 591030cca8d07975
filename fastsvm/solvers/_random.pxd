"""Random integers from a 64-bit state that the caller holds."""

from ._types cimport int32_t, uint32_t, uint64_t


cdef inline uint64_t draw64(uint64_t* state) noexcept nogil:
    """SplitMix64 (Steele, Lea & Flood 2014)."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t draw_below(uint64_t bound, uint64_t* state) noexcept nogil:
    """Uniform on 0 ... bound - 1, without bias, for bound < 2**32 (Lemire 2019)."""
    cdef uint64_t product = (draw64(state) >> 32) * bound
    cdef uint64_t short_of
    if <uint32_t>product < bound:
        short_of = ((<uint64_t>1 << 32) - bound) % bound
        while <uint32_t>product < short_of:
            product = (draw64(state) >> 32) * bound
    return product >> 32


cdef inline void fisher_yates(int32_t* items, Py_ssize_t n, uint64_t* state) noexcept nogil:
    """Permute the items uniformly."""
    cdef Py_ssize_t k, other
    for k in range(n - 1, 0, -1):
        other = <Py_ssize_t>draw_below(k + 1, state)
        items[k], items[other] = items[other], items[k]
