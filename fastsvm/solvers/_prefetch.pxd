"""A hint to the processor that memory will soon be read."""

cdef extern from "_prefetch.h":
    void prefetch "FASTSVM_PREFETCH" (const void* address) noexcept nogil
