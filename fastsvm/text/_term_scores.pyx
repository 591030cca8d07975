"""The rows of a CSR matrix of counts: checked, weighted, and added up by class for the scores of terms."""

import cython

from libc.math cimport fabs, log, sqrt

from ..solvers._types cimport count, index, int32_t, int64_t, real

# Scores equal scikit-learn's to the last bit, which a product and a sum joined in one step would not.
cdef extern from *:
    """
    #if defined(__clang__)
    #pragma STDC FP_CONTRACT OFF
    #elif defined(__GNUC__)
    #pragma GCC optimize ("fp-contract=off")
    #endif
    """

ctypedef fused weight:
    float
    double

cdef enum:
    SHORT = 8  # values that NumPy adds one after the other
    BLOCK_VALUES = 128  # values that it adds in eight sums


def has_repeats(const index[::1] columns, const int64_t[::1] offsets, int32_t[::1] seen):
    """Tell whether a row has a repeated column.

    Parameters
    ----------
    columns, offsets : arrays
        The indices and the indptr of a CSR matrix that `as_csr` has checked.
    seen : array of shape (n_columns,)
        Zeros; scratch.

    Returns
    -------
    bool
    """
    cdef Py_ssize_t i, k
    cdef int64_t j
    cdef bint repeated = False
    with nogil:
        for i in range(offsets.shape[0] - 1):
            for k in range(offsets[i], offsets[i + 1]):
                j = columns[k]
                repeated |= seen[j] == i + 1
                seen[j] = <int32_t>(i + 1)
    return repeated


def weigh_terms(
    real[::1] values, const index[::1] columns, const int64_t[::1] offsets, const weight[::1] weights,
    bint binary, bint unit,
):
    """Turn counts into weights, in place.

    Parameters
    ----------
    values, columns, offsets : arrays
        The data, indices and indptr of a CSR matrix, checked.
    weights : array of shape (n_columns,) or (0,)
        The factor of each column, if any.
    binary : bool
        Whether values above 0 become 1, and others 0, beforehand.
    unit : bool
        Whether each row is then scaled to the Euclidean norm 1.
    """
    cdef Py_ssize_t i, k
    cdef bint weighted = weights.shape[0] > 0
    cdef double norm
    cdef real x
    with nogil:
        for i in range(offsets.shape[0] - 1):
            norm = 0
            for k in range(offsets[i], offsets[i + 1]):
                x = values[k]
                if binary:
                    x = x > 0
                if weighted:
                    x = <real>(x * weights[columns[k]])
                values[k] = x
                norm += x * x
            if unit and norm > 0:
                norm = sqrt(norm)
                for k in range(offsets[i], offsets[i + 1]):
                    values[k] = <real>(values[k] / norm)


def add_by_class(
    const count[::1] values, const index[::1] columns, const int64_t[::1] offsets,
    const int32_t[::1] codes, bint binary, double[:, ::1] sums, real[::1] totals,
):
    """Add each row to the sums of its class, and to the sums of all.

    Parameters
    ----------
    values, columns, offsets : arrays
        The data, indices and indptr of a CSR matrix, checked.
    codes : array of shape (n_rows,)
        The class of each row.
    binary : bool
        Whether values above 0 count as 1, and others as 0.
    sums : array of shape (n_columns, n_classes)
        Zeros; becomes the sums by class.
    totals : array of shape (n_columns,)
        Zeros; becomes the sums of all rows.
    """
    cdef Py_ssize_t i, k
    cdef count x
    with nogil:
        for i in range(offsets.shape[0] - 1):
            for k in range(offsets[i], offsets[i + 1]):
                x = values[k]
                if binary:
                    x = x > 0
                sums[columns[k], codes[i]] += <double>x
                totals[columns[k]] += <real>x


def add_squares_by_class(
    const count[::1] values, const index[::1] columns, const int64_t[::1] offsets,
    const int32_t[::1] codes, real[:, :, ::1] sums,
):
    """Add each row, and its squares, to the sums of its class.

    Parameters
    ----------
    values, columns, offsets, codes : arrays
        As for `add_by_class`.
    sums : array of shape (n_columns, n_classes, 2)
        Zeros; becomes sums and sums of squares.
    """
    cdef Py_ssize_t i, k
    cdef real x
    cdef real* pair
    with nogil:
        for i in range(offsets.shape[0] - 1):
            for k in range(offsets[i], offsets[i + 1]):
                x = <real>values[k]
                pair = &sums[columns[k], codes[i], 0]
                pair[0] += x
                pair[1] += x * x


@cython.cdivision(True)
def f_scores(const real[:, :, ::1] sums, const int64_t[::1] sizes, double[::1] scores):
    """Compute the ratios of the variances between and within classes, as scikit-learn's ``f_oneway`` does.

    Parameters
    ----------
    sums : array of shape (n_columns, n_classes, 2)
        What `add_squares_by_class` found.
    sizes : array of shape (n_classes,)
        The rows of each class.
    scores : array of shape (n_columns,)
        Becomes the scores: NaN or infinite if nothing varies.
    """
    cdef Py_ssize_t j, c, n_classes = sizes.shape[0]
    cdef double n = 0, between, within
    cdef real total, squares, s
    for c in range(n_classes):
        n += sizes[c]
    with nogil:
        for j in range(scores.shape[0]):
            total = squares = 0
            between = 0
            for c in range(n_classes):
                s = sums[j, c, 0]
                total += s
                squares += sums[j, c, 1]
                s *= s
                between += s / <double>sizes[c]
            total *= total
            total /= <real>n
            between -= total
            squares -= total
            within = squares - between
            scores[j] = between / (n_classes - 1.0) / (within / (n - n_classes))


@cython.cdivision(True)
def chi2_scores(double[:, ::1] sums, const real[::1] totals, const double[::1] shares, double[::1] scores):
    """Compute the chi-squared distances of a term's sums by class from their expectation.

    Parameters
    ----------
    sums : array of shape (n_columns, n_classes)
        What `add_by_class` found; overwritten.
    totals : array of shape (n_columns,)
        The totals that it found.
    shares : array of shape (n_classes,)
        The share of each class in the rows.
    scores : array of shape (n_columns,)
        Becomes the scores: NaN if a term or a class never occurs.
    """
    cdef Py_ssize_t j, c, n_classes = shares.shape[0]
    cdef double expected, difference
    with nogil:
        for j in range(scores.shape[0]):
            for c in range(n_classes):
                expected = shares[c] * totals[j]
                difference = sums[j, c] - expected
                sums[j, c] = difference * difference / expected
            scores[j] = total_of(&sums[j, 0], n_classes)


cdef double total_of(const double* x, Py_ssize_t n) noexcept nogil:
    """Add numbers in the order in which NumPy does."""
    cdef double[SHORT] parts
    cdef double total = 0
    cdef Py_ssize_t half, k, i
    if n > BLOCK_VALUES:
        half = n // 2
        half -= half % SHORT
        return total_of(x, half) + total_of(x + half, n - half)
    if n < SHORT:
        for k in range(n):
            total += x[k]
        return total
    for i in range(SHORT):
        parts[i] = x[i]
    k = SHORT
    while k + SHORT <= n:
        for i in range(SHORT):
            parts[i] += x[k + i]
        k += SHORT
    total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for i in range(k, n):
        total += x[i]
    return total


@cython.cdivision(True)
def log_ratios(
    const double[:, ::1] sums, const double[::1] totals, const double[::1] by_class, double smoothing,
    Py_ssize_t n_columns, double[::1] ratios,
):
    """Compute naive Bayes log-count ratios: for each term the ratio of a class to all others farthest from 0.

    Parameters
    ----------
    sums, totals : arrays of shape (n, n_classes) and (n,)
        What `add_by_class` found for some columns.
    by_class : array of shape (n_classes,)
        The sums over all columns.
    smoothing : float
        The number added to each count.
    n_columns : int
        The number of all columns.
    ratios : array of shape (n,)
        Becomes the ratios; with two classes, of the second to the first.
    """
    cdef Py_ssize_t j, c, n_classes = sums.shape[1]
    cdef double ratio, inside, outside, all_inside, all_values = 0, every = smoothing * n_columns
    for c in range(n_classes):
        all_values += by_class[c]
    with nogil:
        for j in range(ratios.shape[0]):
            ratios[j] = 0
            for c in range(1 if n_classes == 2 else 0, n_classes):
                all_inside = every + by_class[c]
                inside = (smoothing + sums[j, c]) / all_inside
                outside = (smoothing + totals[j] - sums[j, c]) / (2 * every + all_values - all_inside)
                ratio = log(inside / outside)
                if fabs(ratio) > fabs(ratios[j]):
                    ratios[j] = ratio
