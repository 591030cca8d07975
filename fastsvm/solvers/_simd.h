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
#define FASTSVM_FOR(instructions) __attribute__((target_clones(instructions, "default"), unused))
#elif defined(FASTSVM_VECTORS)
#define FASTSVM_FOR(instructions) __attribute__((unused))
#else
#define FASTSVM_FOR(instructions)
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
#define FASTSVM_DOUBLES(x) (*(const fastsvm_wide *) (x))
#define FASTSVM_FLOATS(x) __builtin_convertvector(*(const fastsvm_wide_float *) (x), fastsvm_wide)
#endif

#define FASTSVM_REAL float
#define FASTSVM_NAME(name) fastsvm_##name##_float
#define FASTSVM_LOAD FASTSVM_FLOATS
#include "_simd_dense.h"
#undef FASTSVM_REAL
#undef FASTSVM_NAME
#undef FASTSVM_LOAD
#define FASTSVM_REAL double
#define FASTSVM_NAME(name) fastsvm_##name##_double
#define FASTSVM_LOAD FASTSVM_DOUBLES
#include "_simd_dense.h"

/* x_k <- exp(min(0, rate x_k - a - b_k)). */
#ifdef FASTSVM_VECTORS
typedef float fastsvm_floats __attribute__((vector_size(32)));
typedef int32_t fastsvm_ints __attribute__((vector_size(32)));

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
    u = (fastsvm_floats) (((fastsvm_ints) p + ((fastsvm_ints) t << 23)) & seen);
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

#endif
