/* Loops over dense rows of FASTSVM_REAL numbers; _simd.h includes it for each kind. Sums are of four and more,
   since without -ffast-math the compiler may not split one. */

#ifdef FASTSVM_VECTORS

FASTSVM_FOR("fma") static double FASTSVM_NAME(dense_dot)(
    const FASTSVM_REAL *x, const double *w, Py_ssize_t n)
{
    fastsvm_wide a = {0, 0, 0, 0}, b = a, c = a, d = a;
    double total = 0;
    Py_ssize_t k = 0;
    for (; k + 16 <= n; k += 16) {
        a += FASTSVM_LOAD(x + k) * FASTSVM_DOUBLES(w + k);
        b += FASTSVM_LOAD(x + k + 4) * FASTSVM_DOUBLES(w + k + 4);
        c += FASTSVM_LOAD(x + k + 8) * FASTSVM_DOUBLES(w + k + 8);
        d += FASTSVM_LOAD(x + k + 12) * FASTSVM_DOUBLES(w + k + 12);
    }
    for (; k < n; k++)
        total += x[k] * w[k];
    a = (a + b) + (c + d);
    return total + ((a[0] + a[1]) + (a[2] + a[3]));
}

/* Squared norms are also those of sparse rows, whose results are not to depend on the processor. */
static double FASTSVM_NAME(squares)(const FASTSVM_REAL *x, Py_ssize_t n)
{
    fastsvm_wide a = {0, 0, 0, 0}, b = a;
    double total = 0;
    Py_ssize_t k = 0;
    for (; k + 8 <= n; k += 8) {
        a += FASTSVM_LOAD(x + k) * FASTSVM_LOAD(x + k);
        b += FASTSVM_LOAD(x + k + 4) * FASTSVM_LOAD(x + k + 4);
    }
    for (; k < n; k++)
        total += (double) x[k] * x[k];
    a += b;
    return total + ((a[0] + a[1]) + (a[2] + a[3]));
}

FASTSVM_FOR("fma") static void FASTSVM_NAME(dense_axpy)(
    double a, const FASTSVM_REAL *x, double *w, Py_ssize_t n)
{
    Py_ssize_t k = 0;
    for (; k + 4 <= n; k += 4)
        *(fastsvm_wide *) (w + k) += a * FASTSVM_LOAD(x + k);
    for (; k < n; k++)
        w[k] += a * x[k];
}

#else

static double FASTSVM_NAME(dense_dot)(const FASTSVM_REAL *x, const double *w, Py_ssize_t n)
{
    double a = 0, b = 0;
    Py_ssize_t k = 0;
    for (; k + 2 <= n; k += 2)
        a += x[k] * w[k], b += x[k + 1] * w[k + 1];
    return k < n ? a + b + x[k] * w[k] : a + b;
}

static double FASTSVM_NAME(squares)(const FASTSVM_REAL *x, Py_ssize_t n)
{
    double total = 0;
    for (Py_ssize_t k = 0; k < n; k++)
        total += (double) x[k] * x[k];
    return total;
}

static void FASTSVM_NAME(dense_axpy)(double a, const FASTSVM_REAL *x, double *w, Py_ssize_t n)
{
    for (Py_ssize_t k = 0; k < n; k++)
        w[k] += a * x[k];
}

#endif

/* Four rows at a time: the scores are read and written once, not four times. */
FASTSVM_FOR("fma") static void FASTSVM_NAME(add_four)(
    const double *a, const FASTSVM_REAL *const *x, double *w, Py_ssize_t n)
{
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const FASTSVM_REAL *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    for (Py_ssize_t k = 0; k < n; k++)
        w[k] += (a0 * x0[k] + a1 * x1[k]) + (a2 * x2[k] + a3 * x3[k]);
}

/* Scores w.x of rows that lie one after the other, read in that order: memory is slower in any other. The last
   columns are read with the ones before them, which count nothing then. */
FASTSVM_FOR("avx512f", "fma") static void FASTSVM_NAME(block_scores)(
    const FASTSVM_REAL *x, const double *w, Py_ssize_t n, Py_ssize_t rows, double *scores)
{
    Py_ssize_t i = 0, k;
#ifdef FASTSVM_VECTORS
    const fastsvm_longs lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    for (; n >= 8 && i < rows; i++, x += n) {
        fastsvm_eight a = {0}, b = {0}, last;
        for (k = 0; k + 16 <= n; k += 16) {
            a += FASTSVM_LOAD8(x + k) * *(const fastsvm_eights *) (w + k);
            b += FASTSVM_LOAD8(x + k + 8) * *(const fastsvm_eights *) (w + k + 8);
        }
        for (; k + 8 <= n; k += 8)
            a += FASTSVM_LOAD8(x + k) * *(const fastsvm_eights *) (w + k);
        if (k < n) {
            last = *(const fastsvm_eights *) (w + n - 8);
            b += FASTSVM_LOAD8(x + n - 8) * (fastsvm_eight) ((fastsvm_longs) last & (lanes >= 8 - (n - k)));
        }
        a += b;
        scores[i] = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
    }
#endif
    for (; i < rows; i++, x += n) {
        scores[i] = 0;
        for (k = 0; k < n; k++)
            scores[i] += w[k] * x[k];
    }
}

/* z += sum of a_i x_i over the rows `which` of those at x. The sums of some columns stay in registers. */
FASTSVM_FOR("avx512f", "fma") static void FASTSVM_NAME(add_rows)(
    const FASTSVM_REAL *x, const int32_t *which, const double *a, Py_ssize_t rows, double *z, Py_ssize_t n)
{
    Py_ssize_t i, k = 0;
#ifdef FASTSVM_VECTORS
    for (; k + 32 <= n; k += 32) {
        fastsvm_eight s = {0}, t = {0}, u = {0}, v = {0};
        for (i = 0; i < rows; i++) {
            const FASTSVM_REAL *row = x + which[i] * n + k;
            const double b = a[which[i]];
            s += b * FASTSVM_LOAD8(row);
            t += b * FASTSVM_LOAD8(row + 8);
            u += b * FASTSVM_LOAD8(row + 16);
            v += b * FASTSVM_LOAD8(row + 24);
        }
        *(fastsvm_eights *) (z + k) += s;
        *(fastsvm_eights *) (z + k + 8) += t;
        *(fastsvm_eights *) (z + k + 16) += u;
        *(fastsvm_eights *) (z + k + 24) += v;
    }
    for (; n >= 8 && k < n; k += 8) {
        fastsvm_eight s = {0}, t = {0};
        const Py_ssize_t at = k + 8 <= n ? k : n - 8;
        for (i = 0; i + 2 <= rows; i += 2) {
            s += a[which[i]] * FASTSVM_LOAD8(x + which[i] * n + at);
            t += a[which[i + 1]] * FASTSVM_LOAD8(x + which[i + 1] * n + at);
        }
        if (i < rows)
            s += a[which[i]] * FASTSVM_LOAD8(x + which[i] * n + at);
        s += t;
        for (i = k - at; i < 8; i++)
            z[at + i] += s[i];
    }
#endif
    for (; k < n; k++) {
        double total = 0;
        for (i = 0; i < rows; i++)
            total += a[which[i]] * x[which[i] * n + k];
        z[k] += total;
    }
}

/* r -= a x; returns the first k whose max(r_k up_k, -r_k down_k) is largest, and puts that into most, 0 if none
   is above. */
FASTSVM_FOR("avx512f", "fma") static Py_ssize_t FASTSVM_NAME(step_and_choose)(
    double a, const FASTSVM_REAL *x, double *r, const double *up, const double *down, Py_ssize_t n, double *most)
{
    Py_ssize_t k = 0, found = 0;
    *most = 0;
#ifdef FASTSVM_VECTORS
    fastsvm_eight best = {0}, z, v, w;
    fastsvm_longs at = {0}, now = {0, 1, 2, 3, 4, 5, 6, 7}, better;
    for (; k + 8 <= n; k += 8, now += 8) {
        z = *(fastsvm_eights *) (r + k) - a * FASTSVM_LOAD8(x + k);
        *(fastsvm_eights *) (r + k) = z;
        v = z * *(const fastsvm_eights *) (up + k);
        w = -z * *(const fastsvm_eights *) (down + k);
        better = w > v;
        v = (fastsvm_eight) (((fastsvm_longs) w & better) | ((fastsvm_longs) v & ~better));
        better = v > best;
        best = (fastsvm_eight) (((fastsvm_longs) v & better) | ((fastsvm_longs) best & ~better));
        at = (now & better) | (at & ~better);
    }
    for (Py_ssize_t j = 0; j < 8; j++)
        if (best[j] > *most || (best[j] == *most && at[j] < found))
            *most = best[j], found = at[j];
#endif
    for (; k < n; k++) {
        double one;
        r[k] -= a * x[k];
        one = r[k] > 0 ? r[k] * up[k] : -r[k] * down[k];
        if (one > *most)
            *most = one, found = k;
    }
    return found;
}

/* r -= a (x - z); returns the first k whose r_k + up_k is largest, and puts that into high, and the least
   r_k + down_k into low. up_k is 0 or minus infinity, down_k 0 or infinity. */
FASTSVM_FOR("avx512f", "fma") static Py_ssize_t FASTSVM_NAME(step_of_pair)(
    double a, const FASTSVM_REAL *x, const FASTSVM_REAL *z, double *r, const double *up, const double *down,
    Py_ssize_t n, double *high, double *low)
{
    Py_ssize_t k = 0, found = 0;
    *high = -INFINITY;
    *low = INFINITY;
#ifdef FASTSVM_VECTORS
    fastsvm_eight most = {0}, least, s, v;
    fastsvm_longs at = {0}, now = {0, 1, 2, 3, 4, 5, 6, 7}, better;
    most -= INFINITY;
    least = -most;
    for (; k + 8 <= n; k += 8, now += 8) {
        s = *(fastsvm_eights *) (r + k) - a * (FASTSVM_LOAD8(x + k) - FASTSVM_LOAD8(z + k));
        *(fastsvm_eights *) (r + k) = s;
        v = s + *(const fastsvm_eights *) (up + k);
        better = v > most;
        most = (fastsvm_eight) (((fastsvm_longs) v & better) | ((fastsvm_longs) most & ~better));
        at = (now & better) | (at & ~better);
        v = s + *(const fastsvm_eights *) (down + k);
        better = v < least;
        least = (fastsvm_eight) (((fastsvm_longs) v & better) | ((fastsvm_longs) least & ~better));
    }
    for (Py_ssize_t j = 0; j < 8; j++) {
        if (most[j] > *high || (most[j] == *high && at[j] < found))
            *high = most[j], found = at[j];
        *low = least[j] < *low ? least[j] : *low;
    }
#endif
    for (; k < n; k++) {
        r[k] -= a * ((double) x[k] - z[k]);
        if (r[k] + up[k] > *high)
            *high = r[k] + up[k], found = k;
        *low = r[k] + down[k] < *low ? r[k] + down[k] : *low;
    }
    return found;
}

/* A k with the largest (high - r_k - down_k)^2 / max(a + q_k - b x_k, tiny), of those where the difference is
   positive; -1 if there is none. */
FASTSVM_FOR("avx512f", "fma") static Py_ssize_t FASTSVM_NAME(partner)(
    double high, double a, double b, const FASTSVM_REAL *x, const double *r, const double *down,
    const double *q, Py_ssize_t n)
{
    const double tiny = 1e-12;
    Py_ssize_t k = 0, found = -1;
    double square = 0, bend = 1;
#ifdef FASTSVM_VECTORS
    fastsvm_eight squares = {0}, bends = {0}, d, e, least = {0};
    fastsvm_longs at = {0}, now = {0, 1, 2, 3, 4, 5, 6, 7}, better;
    bends += 1;
    least += tiny;
    for (; k + 8 <= n; k += 8, now += 8) {
        d = high - *(const fastsvm_eights *) (r + k) - *(const fastsvm_eights *) (down + k);
        d = (fastsvm_eight) ((fastsvm_longs) d & (d > 0));
        e = a + *(const fastsvm_eights *) (q + k) - b * FASTSVM_LOAD8(x + k);
        better = e > least;
        e = (fastsvm_eight) (((fastsvm_longs) e & better) | ((fastsvm_longs) least & ~better));
        d *= d;
        better = d * bends > squares * e;
        squares = (fastsvm_eight) (((fastsvm_longs) d & better) | ((fastsvm_longs) squares & ~better));
        bends = (fastsvm_eight) (((fastsvm_longs) e & better) | ((fastsvm_longs) bends & ~better));
        at = (now & better) | (at & ~better);
    }
    for (Py_ssize_t j = 0; j < 8; j++)
        if (squares[j] * bend > square * bends[j])
            square = squares[j], bend = bends[j], found = at[j];
#endif
    for (; k < n; k++) {
        double d = high - r[k] - down[k], e = a + q[k] - b * x[k];
        e = e > tiny ? e : tiny;
        if (d > 0 && d * d * bend > square * e)
            square = d * d, bend = e, found = k;
    }
    return found;
}
