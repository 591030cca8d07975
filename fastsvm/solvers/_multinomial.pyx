"""The passes of multinomial log loss: scores of all classes, softmax, and sums for gradients."""

from libc.math cimport exp, log

from ._rows cimport Rows, axpy, columns_of, row_start
from ._types cimport head, index, int32_t, real


def add_scores(
    Rows rows, const real[::1] values, const index[::1] columns, const double[:, ::1] coef,
    double[:, ::1] scores, Py_ssize_t first, Py_ssize_t last,
):
    """Add coef^T x_i to the scores of rows first to last; X is CSR."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, k, n_classes = coef.shape[1]
    with nogil:
        for i in range(first, last):
            for k in range(row_start(&rows.layout, i), row_start(&rows.layout, i + 1)):
                axpy(x[k], &coef[j[k], 0], <const int32_t*>NULL, n_classes, &scores[i, 0])


def add_rows(
    Rows rows, const real[::1] values, const index[::1] columns, const double[:, ::1] factors,
    double[:, ::1] total, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t first, Py_ssize_t last,
):
    """Add sum_i x_i factors_i^T of rows first to last, for classes begin to end; X is CSR."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, k
    with nogil:
        for i in range(first, last):
            for k in range(row_start(&rows.layout, i), row_start(&rows.layout, i + 1)):
                axpy(x[k], &factors[i, begin], <const int32_t*>NULL, end - begin, &total[j[k], begin])


def softmax(
    const double[:, ::1] scores, const int32_t[::1] places, const double[::1] weights, double[:, ::1] likely,
):
    """Write the probabilities of each row; return 1/n sum_i c_i (log sum_k exp(s_ik) - s_iy)."""
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i, k, n = scores.shape[0], n_classes = scores.shape[1]
    cdef double total = 0, largest, mass
    cdef const double* s
    cdef double* p
    with nogil:
        for i in range(n):
            s, p = &scores[i, 0], &likely[i, 0]
            largest, mass = s[0], 0
            for k in range(1, n_classes):
                largest = max(largest, s[k])
            for k in range(n_classes):
                p[k] = exp(s[k] - largest)
                mass += p[k]
            for k in range(n_classes):
                p[k] /= mass
            total += (largest - s[places[i]] + log(mass)) * (1 if weight == NULL else weight[i])
    return total / n


def curve(
    const double[:, ::1] likely, const double[:, ::1] change, const double[::1] weights, double[:, ::1] out,
):
    """c_i times the derivative of softmax along the change of the scores."""
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i, k, n = likely.shape[0], n_classes = likely.shape[1]
    cdef double mean, c
    with nogil:
        for i in range(n):
            c, mean = 1 if weight == NULL else weight[i], 0
            for k in range(n_classes):
                mean += likely[i, k] * change[i, k]
            for k in range(n_classes):
                out[i, k] = c * likely[i, k] * (change[i, k] - mean)
