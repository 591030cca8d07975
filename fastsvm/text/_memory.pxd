"""C arrays that grow, and functions whose names differ between compilers and systems."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, realloc

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define FASTSVM_LOWEST(word) __builtin_ctzll(word)
    #else
    static int fastsvm_lowest(unsigned long long word)
    {
        int bit = 0;
        while (!((word >> bit) & 1)) bit++;
        return bit;
    }
    #define FASTSVM_LOWEST(word) fastsvm_lowest(word)
    #endif
    #define FASTSVM_MOST ((Py_ssize_t) 4294967280)  /* items that 32 bits can number */
    #if defined(__linux__)
    #include <sys/mman.h>
    /* Tables of many megabytes are read in no order: pages of 2 MB spare most address translations. */
    #define FASTSVM_HUGE(address, size) do {                                                        \\
        uintptr_t start_ = ((uintptr_t) (address) + 4095) & ~(uintptr_t) 4095;                      \\
        uintptr_t stop_ = ((uintptr_t) (address) + (size)) & ~(uintptr_t) 4095;                     \\
        if ((size) >= ((size_t) 1 << 22) && stop_ > start_)                                         \\
            (void) madvise((void *) start_, stop_ - start_, 14 /* MADV_HUGEPAGE */);                \\
    } while (0)
    #else
    #define FASTSVM_HUGE(address, size) ((void) (address))
    #endif
    """
    const Py_ssize_t MOST "FASTSVM_MOST"
    int lowest_bit "FASTSVM_LOWEST" (uint64_t word) noexcept nogil  # of a word that is not 0
    void use_huge_pages "FASTSVM_HUGE" (void* address, size_t size) noexcept nogil


cdef inline void* zeros(size_t n, size_t size) noexcept nogil:
    """Allocate a table of zeros for random access; NULL if there is no memory."""
    cdef void* table = calloc(n, size)
    if table != NULL:
        use_huge_pages(table, n * size)
    return table


cdef inline int reserve(void** array, Py_ssize_t* capacity, Py_ssize_t wanted, size_t size) noexcept nogil:
    """Make room for `wanted` items in all; -1 if there is no memory, with the array unchanged."""
    cdef Py_ssize_t larger
    cdef void* moved
    if wanted <= capacity[0]:
        return 0
    larger = max(wanted, capacity[0] + capacity[0] // 2, 64)
    moved = realloc(array[0], larger * size)
    if moved == NULL:
        return -1
    array[0] = moved
    capacity[0] = larger
    return 0


cdef enum:  # error codes of the kernels
    NO_MEMORY = -1
    TOO_LONG = -2  # a document
    TOO_MANY = -3  # items to number


cdef inline int check(int code, str too_many) except -1:
    """Raise the exception of an error code; `too_many` is the message for TOO_MANY."""
    if code == NO_MEMORY:
        raise MemoryError
    if code == TOO_LONG:
        raise ValueError("a document of 4 GB or more; cut it into several")
    if code == TOO_MANY:
        raise ValueError(f"more than 4,294,967,280 {too_many}")
    return 0
