"""Loops of the kernel machines that are written for several numbers at a time."""

from ._types cimport real


cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    /* x_k <- exp(min(0, rate x_k - a - b_k)). */
    #if defined(__GNUC__) || defined(__clang__)
    #if !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
    #define FASTSVM_WITH_AVX2 __attribute__((target_clones("avx2", "default"), unused))
    #else
    #define FASTSVM_WITH_AVX2 __attribute__((unused))
    #endif
    typedef float fastsvm_floats __attribute__((vector_size(32)));
    typedef int32_t fastsvm_ints __attribute__((vector_size(32)));
    /* The polynomial is that of Moshier's Cephes library (expf), good to two units in the last place. Adding
       1.5 * 2^23 rounds, and leaves the power of 2 in the last bits. */
    #define FASTSVM_EXP(x, b) do {                                                                     \
        fastsvm_floats z = rate * (x) - a - (b), t, m, p;                                              \
        fastsvm_ints seen = z > -87.0f;                                                                \
        z = (fastsvm_floats) ((fastsvm_ints) z & (z < 0));                                             \
        t = z * 1.44269504f + 12582912.0f;                                                             \
        m = t - 12582912.0f;                                                                           \
        z = z - m * 0.693359375f + m * 2.12194440e-4f;                                                 \
        p = ((((1.9875691500e-4f * z + 1.3981999507e-3f) * z + 8.3334519073e-3f) * z                   \
              + 4.1665795894e-2f) * z + 1.6666665459e-1f) * z + 5.0000001201e-1f;                      \
        p = p * z * z + z + 1.0f;                                                                      \
        (x) = (fastsvm_floats) (((fastsvm_ints) p + ((fastsvm_ints) t << 23)) & seen);                 \
    } while (0)
    FASTSVM_WITH_AVX2 static void fastsvm_exp_float(
        float *x, float rate, float a, const float *b, Py_ssize_t n)
    {
        fastsvm_floats u, v;
        for (; n >= 8; n -= 8, x += 8, b += 8) {
            memcpy(&u, x, 32);
            memcpy(&v, b, 32);
            FASTSVM_EXP(u, v);
            memcpy(x, &u, 32);
        }
        memset(&u, 0, 32);
        memset(&v, 0, 32);
        memcpy(&u, x, n * 4);
        memcpy(&v, b, n * 4);
        FASTSVM_EXP(u, v);
        memcpy(x, &u, n * 4);
    }
    #else
    static void fastsvm_exp_float(float *x, float rate, float a, const float *b, Py_ssize_t n)
    {
        for (Py_ssize_t k = 0; k < n; k++) {
            float z = rate * x[k] - a - b[k];
            x[k] = expf(z < 0 ? z : 0);
        }
    }
    #endif
    static void fastsvm_exp_double(double *x, double rate, double a, const double *b, Py_ssize_t n)
    {
        for (Py_ssize_t k = 0; k < n; k++) {
            double z = rate * x[k] - a - b[k];
            x[k] = exp(z < 0 ? z : 0);
        }
    }
    """
    void exp_float "fastsvm_exp_float" (float*, float, float, const float*, Py_ssize_t) noexcept nogil
    void exp_double "fastsvm_exp_double" (double*, double, double, const double*, Py_ssize_t) noexcept nogil


cdef inline void exp_row(real* x, real rate, real a, const real* b, Py_ssize_t n) noexcept nogil:
    """x_k <- exp(min(0, rate x_k - a - b_k))."""
    if real is float:
        exp_float(x, rate, a, b, n)
    else:
        exp_double(x, rate, a, b, n)


# Four rows at a time: the scores are read and written once, not four times.
cdef extern from *:
    """
    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
    #define FASTSVM_WITH_FMA __attribute__((target_clones("fma", "default"), unused))
    #else
    #define FASTSVM_WITH_FMA
    #endif
    #define FASTSVM_ADD_FOUR(real)                                                                     \
    FASTSVM_WITH_FMA static void fastsvm_add_four_##real(                                              \
        const double *a, const real *const *x, double *w, Py_ssize_t n)                                \
    {                                                                                                  \
        const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];                                       \
        const real *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];                                     \
        for (Py_ssize_t k = 0; k < n; k++)                                                             \
            w[k] += (a0 * x0[k] + a1 * x1[k]) + (a2 * x2[k] + a3 * x3[k]);                             \
    }
    FASTSVM_ADD_FOUR(float)
    FASTSVM_ADD_FOUR(double)
    """
    void add_four_float "fastsvm_add_four_float" (
        const double*, const float* const*, double*, Py_ssize_t) noexcept nogil
    void add_four_double "fastsvm_add_four_double" (
        const double*, const double* const*, double*, Py_ssize_t) noexcept nogil


cdef inline void add_four(const double* a, const real* const* x, double* w, Py_ssize_t n) noexcept nogil:
    """w += a_0 x_0 + a_1 x_1 + a_2 x_2 + a_3 x_3."""
    if real is float:
        add_four_float(a, x, w, n)
    else:
        add_four_double(a, x, w, n)
