"""A row of X as every kernel reads it: values, columns (NULL when dense), count."""

from ._prefetch cimport prefetch
from ._simd cimport dense_axpy, dense_dot, pair, pair_add, pair_sum, pair_zero
from ._types cimport head, index, int8_t, int32_t, int64_t, real


cdef enum:
    WIDE = 16  # the shortest dense row that is worth a call
    AHEAD = 4  # rows between a prefetch and its use
    PREFETCHED = 32  # values of a row that are prefetched; the processor itself continues from there


cdef struct Layout:
    # Where rows start: CSR offsets of either width, or the fixed length of a dense row.
    const int32_t* narrow
    const int64_t* wide
    Py_ssize_t length


cdef inline Py_ssize_t row_start(const Layout* layout, Py_ssize_t i) noexcept nogil:
    if layout.narrow != NULL:
        return layout.narrow[i]
    if layout.wide != NULL:
        return <Py_ssize_t>layout.wide[i]
    return i * layout.length


cdef class Rows:
    cdef Layout layout
    cdef readonly object unchecked_values, unchecked_columns, indptr, norms, pages
    cdef readonly Py_ssize_t n_rows, n_columns, n_values, threads
    cdef readonly bint dense, checked
    cdef double largest_norm


cpdef (double, double) sums_by_sign(const int8_t[::1] signs, const double[::1] dual) noexcept nogil


cdef inline const index* columns_of(Rows rows, const index[::1] columns) noexcept:
    """The first column, or NULL for dense rows."""
    return NULL if rows.dense else head(columns)


cdef inline const index* shift(const index* columns, Py_ssize_t start) noexcept nogil:
    return columns + start if columns != NULL else NULL


cdef inline void prefetch_row(
    const Layout* layout, const real* x, const index* j, const int32_t* order, Py_ssize_t k, Py_ssize_t n
) noexcept nogil:
    """Prefetch the row that is AHEAD places after place k in an order of n rows."""
    cdef Py_ssize_t start, stop
    if k + AHEAD >= n:
        return
    start = row_start(layout, order[k + AHEAD])
    stop = min(row_start(layout, order[k + AHEAD] + 1), start + PREFETCHED)
    while start < stop:  # a cache line of 64 bytes holds at least 8 values
        prefetch(x + start)
        if j != NULL:
            prefetch(j + start)
        start += 8


cdef inline double dot(const real* x, const index* j, Py_ssize_t n, const double* w) noexcept nogil:
    # Four sums: without -ffast-math the compiler may not split one.
    cdef pair s, t
    cdef double total = 0
    cdef Py_ssize_t k = 0
    pair_zero(s)
    pair_zero(t)
    if j == NULL and n >= WIDE:
        return dense_dot(x, w, n)
    if j == NULL:
        while k + 4 <= n:
            pair_add(s, x[k], x[k + 1], w[k], w[k + 1])
            pair_add(t, x[k + 2], x[k + 3], w[k + 2], w[k + 3])
            k += 4
        while k < n:
            total += x[k] * w[k]
            k += 1
    else:
        while k + 4 <= n:
            pair_add(s, x[k], x[k + 1], w[j[k]], w[j[k + 1]])
            pair_add(t, x[k + 2], x[k + 3], w[j[k + 2]], w[j[k + 3]])
            k += 4
        while k < n:
            total += x[k] * w[j[k]]
            k += 1
    return pair_sum(s) + pair_sum(t) + total


cdef inline void axpy(double a, const real* x, const index* j, Py_ssize_t n, double* w) noexcept nogil:
    cdef Py_ssize_t k
    if j == NULL and n >= WIDE:
        dense_axpy(a, x, w, n)
    elif j == NULL:
        for k in range(n):
            w[k] += a * x[k]
    else:
        for k in range(n):
            w[j[k]] += a * x[k]


cdef inline double axpy_growth(
    double a, const real* x, const index* j, Py_ssize_t n, double* w
) noexcept nogil:
    """`axpy`, and by how much it changes ||w||^2 (exact for repeated columns too)."""
    cdef double growth = 0, change
    cdef double* target
    cdef Py_ssize_t k
    for k in range(n):
        target = w + (j[k] if j != NULL else k)
        change = a * x[k]
        growth += change * (2 * target[0] + change)
        target[0] += change
    return growth
