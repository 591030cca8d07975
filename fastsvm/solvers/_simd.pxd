"""The loops of _simd.h, chosen by the type of the numbers."""

from ._types cimport int32_t, real


cdef extern from "_simd.h":
    ctypedef struct pair "fastsvm_pair":
        pass
    void pair_zero "FASTSVM_PAIR_ZERO" (pair s) noexcept nogil
    void pair_add "FASTSVM_PAIR_ADD" (pair s, double x0, double x1, double w0, double w1) noexcept nogil
    double pair_sum "FASTSVM_PAIR_SUM" (pair s) noexcept nogil

    double dot_float "fastsvm_dense_dot_float" (const float*, const double*, Py_ssize_t) noexcept nogil
    double dot_double "fastsvm_dense_dot_double" (const double*, const double*, Py_ssize_t) noexcept nogil
    double squares_float "fastsvm_squares_float" (const float*, Py_ssize_t) noexcept nogil
    double squares_double "fastsvm_squares_double" (const double*, Py_ssize_t) noexcept nogil
    void axpy_float "fastsvm_dense_axpy_float" (double, const float*, double*, Py_ssize_t) noexcept nogil
    void axpy_double "fastsvm_dense_axpy_double" (double, const double*, double*, Py_ssize_t) noexcept nogil
    void add_four_float "fastsvm_add_four_float" (
        const double*, const float* const*, double*, Py_ssize_t) noexcept nogil
    void add_four_double "fastsvm_add_four_double" (
        const double*, const double* const*, double*, Py_ssize_t) noexcept nogil
    void block_scores_float "fastsvm_block_scores_float" (
        const float*, const double*, Py_ssize_t, Py_ssize_t, double*) noexcept nogil
    void block_scores_double "fastsvm_block_scores_double" (
        const double*, const double*, Py_ssize_t, Py_ssize_t, double*) noexcept nogil
    void add_rows_float "fastsvm_add_rows_float" (
        const float*, const int32_t*, const double*, Py_ssize_t, double*, Py_ssize_t) noexcept nogil
    void add_rows_double "fastsvm_add_rows_double" (
        const double*, const int32_t*, const double*, Py_ssize_t, double*, Py_ssize_t) noexcept nogil
    Py_ssize_t step_and_choose_float "fastsvm_step_and_choose_float" (
        double, const float*, double*, const double*, const double*, Py_ssize_t, double*) noexcept nogil
    Py_ssize_t step_and_choose_double "fastsvm_step_and_choose_double" (
        double, const double*, double*, const double*, const double*, Py_ssize_t, double*) noexcept nogil
    Py_ssize_t step_of_pair_float "fastsvm_step_of_pair_float" (
        double, const float*, const float*, double*, const double*, const double*, Py_ssize_t, double*,
        double*) noexcept nogil
    Py_ssize_t step_of_pair_double "fastsvm_step_of_pair_double" (
        double, const double*, const double*, double*, const double*, const double*, Py_ssize_t, double*,
        double*) noexcept nogil
    Py_ssize_t partner_float "fastsvm_partner_float" (
        double, double, double, const float*, const double*, const double*, const double*,
        Py_ssize_t) noexcept nogil
    Py_ssize_t partner_double "fastsvm_partner_double" (
        double, double, double, const double*, const double*, const double*, const double*,
        Py_ssize_t) noexcept nogil
    void exp_float "fastsvm_exp_float" (float*, float, float, const float*, Py_ssize_t) noexcept nogil
    void exp_double "fastsvm_exp_double" (double*, double, double, const double*, Py_ssize_t) noexcept nogil
    void log_terms "fastsvm_log_terms" (
        const double*, double, const double*, Py_ssize_t, double*, double*, double*) noexcept nogil
    void clip_terms "fastsvm_clip_terms" (
        const double*, double, const double*, const double*, const double*, Py_ssize_t,
        double, double, double, double*, double*) noexcept nogil


cdef inline double dense_dot(const real* x, const double* w, Py_ssize_t n) noexcept nogil:
    if real is float:
        return dot_float(x, w, n)
    else:
        return dot_double(x, w, n)


cdef inline double squares(const real* x, Py_ssize_t n) noexcept nogil:
    """sum_k x_k^2."""
    if real is float:
        return squares_float(x, n)
    else:
        return squares_double(x, n)


cdef inline void dense_axpy(double a, const real* x, double* w, Py_ssize_t n) noexcept nogil:
    if real is float:
        axpy_float(a, x, w, n)
    else:
        axpy_double(a, x, w, n)


cdef inline void add_four(const double* a, const real* const* x, double* w, Py_ssize_t n) noexcept nogil:
    """w += a_0 x_0 + a_1 x_1 + a_2 x_2 + a_3 x_3."""
    if real is float:
        add_four_float(a, x, w, n)
    else:
        add_four_double(a, x, w, n)


cdef inline void block_scores(
    const real* x, const double* w, Py_ssize_t n, Py_ssize_t rows, double* scores
) noexcept nogil:
    """w.x of adjacent dense rows."""
    if real is float:
        block_scores_float(x, w, n, rows, scores)
    else:
        block_scores_double(x, w, n, rows, scores)


cdef inline void add_rows(
    const real* x, const int32_t* which, const double* a, Py_ssize_t rows, double* z, Py_ssize_t n
) noexcept nogil:
    """z += sum of a_i x_i over the dense rows `which`, counted from x."""
    if real is float:
        add_rows_float(x, which, a, rows, z, n)
    else:
        add_rows_double(x, which, a, rows, z, n)


cdef inline Py_ssize_t step_and_choose(
    double a, const real* x, double* r, const double* up, const double* down, Py_ssize_t n, double* most
) noexcept nogil:
    """r -= a x; the k with the largest max(r_k up_k, -r_k down_k), written to `most` (0 if below)."""
    if real is float:
        return step_and_choose_float(a, x, r, up, down, n, most)
    else:
        return step_and_choose_double(a, x, r, up, down, n, most)


cdef inline Py_ssize_t step_of_pair(
    double a, const real* x, const real* z, double* r, const double* up, const double* down, Py_ssize_t n,
    double* high, double* low
) noexcept nogil:
    """r -= a (x - z); the k with the largest r_k + up_k, or `high`; the smallest r_k + down_k is `low`."""
    if real is float:
        return step_of_pair_float(a, x, z, r, up, down, n, high, low)
    else:
        return step_of_pair_double(a, x, z, r, up, down, n, high, low)


cdef inline Py_ssize_t partner(
    double high, double a, double b, const real* x, const double* r, const double* down, const double* q,
    Py_ssize_t n
) noexcept nogil:
    """A k with the largest (high - r_k - down_k)^2 / (a + q_k - b x_k) for differences > 0; -1 if none is."""
    if real is float:
        return partner_float(high, a, b, x, r, down, q, n)
    else:
        return partner_double(high, a, b, x, r, down, q, n)


cdef inline void exp_row(real* x, real rate, real a, const real* b, Py_ssize_t n) noexcept nogil:
    """x_k <- exp(min(0, rate x_k - a - b_k))."""
    if real is float:
        exp_float(x, rate, a, b, n)
    else:
        exp_double(x, rate, a, b, n)
