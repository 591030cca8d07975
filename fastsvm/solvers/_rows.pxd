"""A row of X as every kernel reads it: values, columns (NULL when dense), count."""

from ._types cimport head, index, int32_t, int64_t, real


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    /* The empty asm is a side effect: GCC drops calls of functions that do nothing but prefetch. */
    #define FASTSVM_PREFETCH(address) do { __builtin_prefetch(address); __asm__ volatile (""); } while (0)
    typedef double fastsvm_pair __attribute__((vector_size(16)));
    #define FASTSVM_PAIR_ADD(s, x0, x1, w0, w1) ((s) += (fastsvm_pair){x0, x1} * (fastsvm_pair){w0, w1})
    #define FASTSVM_PAIR_SUM(s) ((s)[0] + (s)[1])
    #define FASTSVM_PAIR_ZERO(s) ((s) = (fastsvm_pair){0, 0})
    #else
    #define FASTSVM_PREFETCH(address) ((void) (address))
    typedef struct { double a, b; } fastsvm_pair;
    #define FASTSVM_PAIR_ADD(s, x0, x1, w0, w1) ((s).a += (x0) * (w0), (s).b += (x1) * (w1))
    #define FASTSVM_PAIR_SUM(s) ((s).a + (s).b)
    #define FASTSVM_PAIR_ZERO(s) ((s).a = 0, (s).b = 0)
    #endif
    """
    void prefetch "FASTSVM_PREFETCH" (const void* address) noexcept nogil

    # Two sums in one register of the plainest x86-64 and ARM; compilers do not pair gathered values.
    ctypedef struct pair "fastsvm_pair":
        pass
    void pair_zero "FASTSVM_PAIR_ZERO" (pair s) noexcept nogil
    void pair_add "FASTSVM_PAIR_ADD" (pair s, double x0, double x1, double w0, double w1) noexcept nogil
    double pair_sum "FASTSVM_PAIR_SUM" (pair s) noexcept nogil


# Dense rows are read four numbers at a time; on x86-64 the dynamic linker chooses AVX and FMA where
# the processor has them (GCC and glibc; elsewhere the compiler makes do with the plainest instructions).
# Squared norms are also those of sparse rows, whose results are not to depend on the processor.
cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
    #define FASTSVM_CLONED __attribute__((target_clones("fma", "default"), unused))
    #elif defined(__GNUC__) || defined(__clang__)
    #define FASTSVM_CLONED __attribute__((unused))
    #endif
    #if defined(__GNUC__) || defined(__clang__)
    typedef double fastsvm_wide __attribute__((vector_size(32), aligned(8), may_alias));
    typedef float fastsvm_wide_float __attribute__((vector_size(16), aligned(4), may_alias));
    #define FASTSVM_DOUBLES(x) (*(const fastsvm_wide *) (x))
    #define FASTSVM_FLOATS(x) __builtin_convertvector(*(const fastsvm_wide_float *) (x), fastsvm_wide)
    #define FASTSVM_DENSE(real, LOAD)                                                                  \
    FASTSVM_CLONED static double fastsvm_dense_dot_##real(                                             \
        const real *x, const double *w, Py_ssize_t n)                                                  \
    {                                                                                                  \
        fastsvm_wide a = {0, 0, 0, 0}, b = a, c = a, d = a;                                            \
        double total = 0;                                                                              \
        Py_ssize_t k = 0;                                                                              \
        for (; k + 16 <= n; k += 16) {                                                                 \
            a += LOAD(x + k) * FASTSVM_DOUBLES(w + k);                                                 \
            b += LOAD(x + k + 4) * FASTSVM_DOUBLES(w + k + 4);                                         \
            c += LOAD(x + k + 8) * FASTSVM_DOUBLES(w + k + 8);                                         \
            d += LOAD(x + k + 12) * FASTSVM_DOUBLES(w + k + 12);                                       \
        }                                                                                              \
        for (; k < n; k++)                                                                             \
            total += x[k] * w[k];                                                                      \
        a = (a + b) + (c + d);                                                                         \
        return total + ((a[0] + a[1]) + (a[2] + a[3]));                                                \
    }                                                                                                  \
    static double fastsvm_squares_##real(const real *x, Py_ssize_t n)                                  \
    {                                                                                                  \
        fastsvm_wide a = {0, 0, 0, 0}, b = a;                                                          \
        double total = 0;                                                                              \
        Py_ssize_t k = 0;                                                                              \
        for (; k + 8 <= n; k += 8) {                                                                   \
            a += LOAD(x + k) * LOAD(x + k);                                                            \
            b += LOAD(x + k + 4) * LOAD(x + k + 4);                                                    \
        }                                                                                              \
        for (; k < n; k++)                                                                             \
            total += (double) x[k] * x[k];                                                             \
        a += b;                                                                                        \
        return total + ((a[0] + a[1]) + (a[2] + a[3]));                                                \
    }                                                                                                  \
    FASTSVM_CLONED static void fastsvm_dense_axpy_##real(                                              \
        double a, const real *x, double *w, Py_ssize_t n)                                              \
    {                                                                                                  \
        Py_ssize_t k = 0;                                                                              \
        for (; k + 4 <= n; k += 4)                                                                     \
            *(fastsvm_wide *) (w + k) += a * LOAD(x + k);                                              \
        for (; k < n; k++)                                                                             \
            w[k] += a * x[k];                                                                          \
    }
    FASTSVM_DENSE(float, FASTSVM_FLOATS)
    FASTSVM_DENSE(double, FASTSVM_DOUBLES)
    #else
    #define FASTSVM_DENSE(real)                                                                        \
    static double fastsvm_dense_dot_##real(const real *x, const double *w, Py_ssize_t n)               \
    {                                                                                                  \
        double a = 0, b = 0;                                                                           \
        Py_ssize_t k = 0;                                                                              \
        for (; k + 2 <= n; k += 2)                                                                     \
            a += x[k] * w[k], b += x[k + 1] * w[k + 1];                                                \
        return k < n ? a + b + x[k] * w[k] : a + b;                                                    \
    }                                                                                                  \
    static double fastsvm_squares_##real(const real *x, Py_ssize_t n)                                  \
    {                                                                                                  \
        double total = 0;                                                                              \
        for (Py_ssize_t k = 0; k < n; k++)                                                             \
            total += (double) x[k] * x[k];                                                             \
        return total;                                                                                  \
    }                                                                                                  \
    static void fastsvm_dense_axpy_##real(double a, const real *x, double *w, Py_ssize_t n)            \
    {                                                                                                  \
        for (Py_ssize_t k = 0; k < n; k++)                                                             \
            w[k] += a * x[k];                                                                          \
    }
    FASTSVM_DENSE(float)
    FASTSVM_DENSE(double)
    #endif
    """
    double dense_dot_float "fastsvm_dense_dot_float" (
        const float*, const double*, Py_ssize_t) noexcept nogil
    double dense_dot_double "fastsvm_dense_dot_double" (
        const double*, const double*, Py_ssize_t) noexcept nogil
    double squares_float "fastsvm_squares_float" (const float*, Py_ssize_t) noexcept nogil
    double squares_double "fastsvm_squares_double" (const double*, Py_ssize_t) noexcept nogil
    void dense_axpy_float "fastsvm_dense_axpy_float" (
        double, const float*, double*, Py_ssize_t) noexcept nogil
    void dense_axpy_double "fastsvm_dense_axpy_double" (
        double, const double*, double*, Py_ssize_t) noexcept nogil


cdef enum:
    WIDE = 16  # the shortest dense row worth a call
    AHEAD = 4  # rows between a prefetch and its use
    PREFETCHED = 32  # values fetched of a row; the processor itself goes on from there


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
    cdef readonly object values, columns, indptr, norms
    cdef readonly Py_ssize_t n_rows, n_columns, n_values
    cdef readonly bint dense
    cdef readonly double longest


cdef inline const index* columns_of(Rows rows, const index[::1] columns) noexcept:
    """First column, or NULL of dense rows."""
    return NULL if rows.dense else head(columns)


cdef inline const index* shift(const index* columns, Py_ssize_t start) noexcept nogil:
    return columns + start if columns != NULL else NULL


cdef inline void prefetch_row(
    const Layout* layout, const real* x, const index* j, const int32_t* order, Py_ssize_t k, Py_ssize_t n
) noexcept nogil:
    """Ask for the row that is AHEAD of position k in an order of n rows."""
    cdef Py_ssize_t start, stop
    if k + AHEAD >= n:
        return
    start = row_start(layout, order[k + AHEAD])
    stop = min(row_start(layout, order[k + AHEAD] + 1), start + PREFETCHED)
    while start < stop:  # a cache line of 64 bytes holds 8 doubles, or more of what is smaller
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
        if real is float:
            return dense_dot_float(x, w, n)
        else:
            return dense_dot_double(x, w, n)
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


cdef inline double squares(const real* x, Py_ssize_t n) noexcept nogil:
    """sum_k x_k^2."""
    if real is float:
        return squares_float(x, n)
    else:
        return squares_double(x, n)


cdef inline void axpy(double a, const real* x, const index* j, Py_ssize_t n, double* w) noexcept nogil:
    cdef Py_ssize_t k
    if j == NULL and n >= WIDE:
        if real is float:
            dense_axpy_float(a, x, w, n)
        else:
            dense_axpy_double(a, x, w, n)
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
