/* Loops over several numbers at a time, in GNU C's vectors; plain C where the compiler has none.
   On x86-64 the dynamic linker chooses AVX and FMA where the processor has them (GCC and glibc). */

#ifndef FASTSVM_SIMD_H
#define FASTSVM_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define FASTSVM_VECTORS
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define FASTSVM_FOR(...) __attribute__((target_clones(__VA_ARGS__, "default"), unused))
#elif defined(FASTSVM_VECTORS)
#define FASTSVM_FOR(...) __attribute__((unused))
#else
#define FASTSVM_FOR(...)
#endif

#ifdef FASTSVM_VECTORS
#define FASTSVM_ALONE __restrict__
#else
#define FASTSVM_ALONE
#endif

/* Two sums in one register of the plainest x86-64 and ARM; compilers do not pair gathered values. */
#ifdef FASTSVM_VECTORS
typedef double fastsvm_pair __attribute__((vector_size(16)));
#define FASTSVM_PAIR_ADD(s, x0, x1, w0, w1) ((s) += (fastsvm_pair){x0, x1} * (fastsvm_pair){w0, w1})
#define FASTSVM_PAIR_SUM(s) ((s)[0] + (s)[1])
#define FASTSVM_PAIR_ZERO(s) ((s) = (fastsvm_pair){0, 0})
#else
typedef struct { double a, b; } fastsvm_pair;
#define FASTSVM_PAIR_ADD(s, x0, x1, w0, w1) ((s).a += (x0) * (w0), (s).b += (x1) * (w1))
#define FASTSVM_PAIR_SUM(s) ((s).a + (s).b)
#define FASTSVM_PAIR_ZERO(s) ((s).a = 0, (s).b = 0)
#endif

/* Dense rows, of float and of double. */
#ifdef FASTSVM_VECTORS
typedef double fastsvm_wide __attribute__((vector_size(32), aligned(8), may_alias));
typedef float fastsvm_wide_float __attribute__((vector_size(16), aligned(4), may_alias));
typedef double fastsvm_eight __attribute__((vector_size(64)));
typedef double fastsvm_eights __attribute__((vector_size(64), aligned(8), may_alias));
typedef float fastsvm_eight_floats __attribute__((vector_size(32), aligned(4), may_alias));
typedef int64_t fastsvm_longs __attribute__((vector_size(64)));
typedef uint64_t fastsvm_bits __attribute__((vector_size(64)));  /* which overflow without harm */
#define FASTSVM_DOUBLES(x) (*(const fastsvm_wide *) (x))
#define FASTSVM_FLOATS(x) __builtin_convertvector(*(const fastsvm_wide_float *) (x), fastsvm_wide)
#endif

#define FASTSVM_REAL float
#define FASTSVM_NAME(name) fastsvm_##name##_float
#define FASTSVM_LOAD FASTSVM_FLOATS
#define FASTSVM_LOAD8(x) __builtin_convertvector(*(const fastsvm_eight_floats *) (x), fastsvm_eight)
#include "_simd_dense.h"
#undef FASTSVM_REAL
#undef FASTSVM_NAME
#undef FASTSVM_LOAD
#undef FASTSVM_LOAD8
#define FASTSVM_REAL double
#define FASTSVM_NAME(name) fastsvm_##name##_double
#define FASTSVM_LOAD FASTSVM_DOUBLES
#define FASTSVM_LOAD8(x) (*(const fastsvm_eights *) (x))
#include "_simd_dense.h"

/* x_k <- exp(min(0, rate x_k - a - b_k)). */
#ifdef FASTSVM_VECTORS
typedef float fastsvm_floats __attribute__((vector_size(32)));
typedef int32_t fastsvm_ints __attribute__((vector_size(32)));
typedef uint32_t fastsvm_float_bits __attribute__((vector_size(32)));

/* Of n <= 8 numbers. The polynomial is that of Moshier's Cephes library (expf), good to two units in the last
   place. Adding 1.5 * 2^23 rounds, and leaves the power of 2 in the last bits. */
static inline __attribute__((always_inline)) void fastsvm_exp_some(
    float *x, float rate, float a, const float *b, Py_ssize_t n)
{
    fastsvm_floats u = {0}, v = {0}, z, t, m, p;
    fastsvm_ints seen;
    memcpy(&u, x, n * 4);
    memcpy(&v, b, n * 4);
    z = rate * u - a - v;
    seen = z > -87.0f;
    z = (fastsvm_floats) ((fastsvm_ints) z & (z < 0));
    t = z * 1.44269504f + 12582912.0f;
    m = t - 12582912.0f;
    z = z - m * 0.693359375f + m * 2.12194440e-4f;
    p = ((((1.9875691500e-4f * z + 1.3981999507e-3f) * z + 8.3334519073e-3f) * z
          + 4.1665795894e-2f) * z + 1.6666665459e-1f) * z + 5.0000001201e-1f;
    p = p * z * z + z + 1.0f;
    u = (fastsvm_floats) ((fastsvm_float_bits) p + ((fastsvm_float_bits) t << 23));
    u = (fastsvm_floats) ((fastsvm_ints) u & seen);
    memcpy(x, &u, n * 4);
}

FASTSVM_FOR("avx2") static void fastsvm_exp_float(float *x, float rate, float a, const float *b, Py_ssize_t n)
{
    for (; n >= 8; n -= 8, x += 8, b += 8)
        fastsvm_exp_some(x, rate, a, b, 8);
    fastsvm_exp_some(x, rate, a, b, n);
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

static void fastsvm_exp_double(
    double *x, double rate, double a, const double *b, Py_ssize_t n)
{
    for (Py_ssize_t k = 0; k < n; k++) {
        double z = rate * x[k] - a - b[k];
        x[k] = exp(z < 0 ? z : 0);
    }
}

/* The log loss of the margins z_k = m_k + t d_k: log(1 + exp(-z)), b = 1 / (1 + exp(z)) and b (1 - b). */
#ifdef FASTSVM_VECTORS

/* Of n <= 8 margins. e = exp(-|z|) is a power of 2 times a Taylor polynomial, good to the last place;
   log(1 + e) = 2 artanh(e / (2 + e)), whose series is cut where 3^-34 / 35 of it is left. */
static inline __attribute__((always_inline)) void fastsvm_log_some(
    const double *m, double t, const double *d, Py_ssize_t n, double *loss, double *b, double *h)
{
    fastsvm_eight z = {0}, u = {0}, a, r, p, e, small, large;
    fastsvm_longs below;
    memcpy(&z, m, n * 8);
    memcpy(&u, d, n * 8);
    z += t * u;
    below = ~(z >= 0);  /* the loss of NaN is NaN */
    a = (fastsvm_eight) ((fastsvm_longs) z & INT64_MAX);
    u = a * -1.4426950408889634 + 0x1.8p52;
    r = (0x1.8p52 - u) * 6.93147180369123816490e-01 - a + (0x1.8p52 - u) * 1.90821492927058770002e-10;
    p = r * (1 / 6227020800.) + 1 / 479001600.;
    p = (((p * r + 1 / 39916800.) * r + 1 / 3628800.) * r + 1 / 362880.) * r + 1 / 40320.;
    p = (((p * r + 1 / 5040.) * r + 1 / 720.) * r + 1 / 120.) * r + 1 / 24.;
    p = (((p * r + 1 / 6.) * r + 0.5) * r + 1) * r + 1;
    e = (fastsvm_eight) (((fastsvm_bits) p + ((fastsvm_bits) u << 52)) & (fastsvm_bits) (a < 708));
    large = 1 / (1 + e);
    small = e * large;
    if (b != NULL) {
        p = (fastsvm_eight) (((fastsvm_longs) large & below) | ((fastsvm_longs) small & ~below));
        memcpy(b, &p, n * 8);
        p = small * large;
        memcpy(h, &p, n * 8);
    }
    if (loss != NULL) {
        u = e / (2 + e);
        r = u * u;
        p = (((r * (1 / 33.) + 1 / 31.) * r + 1 / 29.) * r + 1 / 27.) * r + 1 / 25.;
        p = (((p * r + 1 / 23.) * r + 1 / 21.) * r + 1 / 19.) * r + 1 / 17.;
        p = (((p * r + 1 / 15.) * r + 1 / 13.) * r + 1 / 11.) * r + 1 / 9.;
        p = (((p * r + 1 / 7.) * r + 1 / 5.) * r + 1 / 3.) * r + 1;
        p = 2 * u * p + (fastsvm_eight) ((fastsvm_longs) a & below);
        memcpy(loss, &p, n * 8);
    }
}

FASTSVM_FOR("avx512f", "fma") static void fastsvm_log_terms(
    const double *m, double t, const double *d, Py_ssize_t n, double *loss, double *b, double *h)
{
    for (; n > 0; n -= 8, m += 8, d += 8) {
        if (n >= 8)
            fastsvm_log_some(m, t, d, 8, loss, b, h);
        else
            fastsvm_log_some(m, t, d, n, loss, b, h);
        loss = loss != NULL ? loss + 8 : NULL;
        b = b != NULL ? b + 8 : NULL;
        h = b != NULL ? h + 8 : NULL;
    }
}
#else
static void fastsvm_log_terms(
    const double *m, double t, const double *d, Py_ssize_t n, double *loss, double *b, double *h)
{
    for (Py_ssize_t k = 0; k < n; k++) {
        double z = m[k] + t * d[k], e = exp(-fabs(z));
        if (b != NULL)
            b[k] = (z < 0 ? 1 : e) / (1 + e), h[k] = e / (1 + e) / (1 + e);
        if (loss != NULL)
            loss[k] = log1p(e) + (z < 0 ? -z : 0);
    }
}
#endif

/* Of the margins z_k = m_k + t d_k: b = clip(o_k + s c_k penalty (1 - z_k), 0, top c_k), and where it is not
   clipped h = s c_k, elsewhere 0. c may be NULL. Without branches: which piece a row is on is random. */
FASTSVM_FOR("avx512f", "fma") static void fastsvm_clip_terms(
    const double *m, double t, const double *d, const double *o, const double *c, Py_ssize_t n,
    double s, double penalty, double top, double *FASTSVM_ALONE b, double *FASTSVM_ALONE h)
{
    for (Py_ssize_t k = 0; k < n; k++) {
        double weight = c != NULL ? c[k] : 1, slant = s * weight, most = top * weight;
        double z = o[k] + slant * penalty * (1 - (m[k] + t * d[k]));
        h[k] = (z > 0) & (z <= most) ? slant : 0;
        z = z > 0 ? z : 0;
        b[k] = z < most ? z : most;
    }
}

#endif
