"""X, checked once, and the passes over X that all solvers share."""


import cython
import numpy as np

from .._utils.memory import Pages
from libc.math cimport isfinite

from ._losses cimport Loss, dual_term
from ._simd cimport squares
from ._types cimport head, index, int8_t, int32_t, int64_t, real, uint64_t

# Values that one call of an epoch's kernel may read: some tenths of a second, so that Ctrl-C acts soon.
EPOCH_VALUES = 1 << 24
# The same for a memory-mapped X, whose values stay in memory until the call ends.
MAPPED_VALUES = 1 << 22
# Values that a thread reads at a time in the passes that can be shared.
PASS_VALUES = 1 << 20
# Larger squared norms might make sums of products overflow in double precision.
LONGEST = 1e200

cdef enum:
    INDEX_BLOCK = 4096  # indices checked without a branch


@cython.final
cdef class Rows:
    """The rows of a CSR matrix or of a C-contiguous array, without a copy.

    Parameters
    ----------
    values : ndarray of shape (n_values,), float32 or float64
    columns : ndarray of shape (n_values,), int32 or int64; of shape (0,) when the rows are dense
    indptr : ndarray of shape (n_rows + 1,), int32 or int64, checked by `as_csr`; None when the rows are dense
    shape : (n_rows, n_columns)
    threads : int, default=1
        Number of threads for the checks.
    norms : bool, default=False
        Compute `squared_norms` in the same pass, not in an extra pass later. If X is memory-mapped, the pass
        is made when it is first needed, unless a solver calls `check` for rows before their first visit.

    Attributes
    ----------
    values, columns : ndarrays, checked
    checked : bool
        Whether all rows are checked; kernels must not use the columns of others.
    dense : bool
        Whether rows are dense; the columns are then not read.
    longest : float
        The largest ||x_i||^2, without summing repeated columns.
    mapped : bool
        Whether values or columns are in a memory-mapped file, whose pages are released after use.

    Raises
    ------
    ValueError
        If a column does not exist, a value is NaN or infinite, or a row's norm overflows; also later, if rows
        are checked later.
    """

    def __init__(self, values, columns, indptr, shape, threads=1, norms=False):
        cdef const int32_t[::1] narrow
        cdef const int64_t[::1] wide
        self.n_rows, self.n_columns = shape
        self.unchecked_values, self.unchecked_columns, self.indptr = values, columns, indptr
        self.threads = threads
        self.n_values = values.shape[0]
        self.dense = indptr is None
        self.pages = [pages for pages in (Pages.of(values), Pages.of(columns)) if pages is not None]
        if self.n_rows >= 2**31:
            raise ValueError(f"X has {self.n_rows} rows; at most 2147483647 are supported.")
        if self.dense:
            self.layout.length = self.n_columns
        elif indptr.dtype == np.int32:
            narrow = indptr
            self.layout.narrow = &narrow[0]
        else:
            wide = indptr
            self.layout.wide = &wide[0]
        self.norms = np.empty(self.n_rows if norms else 0)
        if not (norms and self.pages):
            self.require_checked()

    def require_checked(self):
        """Check all rows, unless they have been checked."""
        if not self.checked:
            map_chunks(self, self.check, self.threads)
            self.checked = True

    def check(self, first, last):
        """Check rows first to last, and compute their norms."""
        values, columns = self.unchecked_values, self.unchecked_columns
        # Used only if columns do not increase, and if some repeat.
        bits, scratch = np.zeros(self.n_columns // 64 + 1, np.uint64), np.zeros(self.n_columns)
        bad, longest = _check(self, values, columns, self.norms, bits, scratch, first, last)
        if bad >= 0:
            raise ValueError(_what_is_wrong(self, values, columns, bad))
        self.largest_norm = max(self.largest_norm, longest)

    def all_were_checked(self):
        """Record that `check` has been called for all rows."""
        self.checked = True

    @property
    def values(self):
        """The values, row by row."""
        self.require_checked()
        return self.unchecked_values

    @property
    def columns(self):
        """The columns of the values, of shape (0,) if the rows are dense."""
        self.require_checked()
        return self.unchecked_columns

    @property
    def matrix(self):
        """The first arguments of every kernel."""
        return self, self.values, self.columns

    @property
    def longest(self):
        """The largest ||x_i||^2."""
        self.require_checked()
        return self.largest_norm

    @property
    def n_bytes(self):
        """The number of bytes of values and columns."""
        return self.unchecked_values.nbytes + self.unchecked_columns.nbytes

    def chunk_rows(self, values=None):
        """Return how many rows hold about so many values; by default, as many as one call may read."""
        usual = MAPPED_VALUES if self.pages else EPOCH_VALUES
        return max(1, (values or usual) * self.n_rows // max(1, self.n_values))

    @property
    def mapped(self):
        """Whether X, or a part of it, is in a memory-mapped file."""
        return bool(self.pages)

    def will_need(self, Py_ssize_t first, Py_ssize_t last):
        """Prefetch rows first to last, if they are memory-mapped."""
        for pages in self.pages:
            pages.will_need(row_start(&self.layout, first), row_start(&self.layout, last))

    def release(self):
        """Release the memory of memory-mapped rows."""
        for pages in self.pages:
            pages.release()

    def squared_norms(self):
        """||x_i||^2, float64 of shape (n_rows,); computed once."""
        if not len(self.norms):
            self.norms = np.empty(self.n_rows)
            self.checked = False
        self.require_checked()
        return self.norms


def map_chunks(Rows rows, function, threads=1):
    """Return function(first, last) for each chunk of rows; the chunks do not depend on `threads`."""
    step = rows.chunk_rows(PASS_VALUES)
    firsts = range(0, rows.n_rows, step)
    lasts = [min(first + step, rows.n_rows) for first in firsts]
    if rows.pages:
        function = _passing(rows, function, step)
    if threads == 1 or len(firsts) == 1:
        return list(map(function, firsts, lasts))
    from .._utils.thread_pool import Threads

    with Threads(threads) as pool:
        return list(pool.map(function, firsts, lasts))


def _passing(Rows rows, function, step):
    """Wrap the function, to release the rows that it has read and prefetch the rows of the next step."""

    def visit(first, last):
        rows.will_need(last, min(last + step, rows.n_rows))
        result = function(first, last)
        rows.release()
        return result

    return visit


cdef double limit = LONGEST


cdef inline bint is_inside(
    const index* j, Py_ssize_t n, Py_ssize_t n_columns, bint* increasing
) noexcept nogil:
    """Whether all columns exist, and increase; without branches, so that the loop vectorises."""
    cdef int unordered = 0
    cdef Py_ssize_t k
    for k in range(1, n):
        unordered |= j[k] <= j[k - 1]
    increasing[0] = not unordered
    if unordered or n == 0:
        return are_below(j, n, n_columns)
    return j[0] >= 0 and j[n - 1] < n_columns


cdef inline bint are_below(const index* j, Py_ssize_t n, Py_ssize_t bound) noexcept nogil:
    """Whether all indices are in 0 ... bound - 1; in their own width, so that the loop vectorises."""
    cdef index bits = 0, largest = -1
    cdef Py_ssize_t k
    for k in range(n):
        bits |= j[k]  # negative 0 if any is
        largest = max(largest, j[k])
    return bits >= 0 and largest < bound


cdef inline bint has_repeats(const index* j, Py_ssize_t n, uint64_t* bits) noexcept nogil:
    """Whether a column occurs twice, in any order. `bits` has one bit per column: zeros, left as zeros."""
    cdef uint64_t repeated = 0, word, bit
    cdef Py_ssize_t k
    for k in range(n):
        bit = <uint64_t>1 << (j[k] & 63)
        word = bits[j[k] >> 6]
        repeated |= word & bit
        bits[j[k] >> 6] = word | bit
    for k in range(n):
        bits[j[k] >> 6] = 0
    return repeated != 0


cdef inline double merged_norm(const real* x, const index* j, Py_ssize_t n, double* scratch) noexcept nogil:
    """||x||^2 with repeated columns added first, through `scratch` (zeros, left as zeros)."""
    cdef double total
    cdef Py_ssize_t k
    axpy(1, x, j, n, scratch)
    total = dot(x, j, n, scratch)
    for k in range(n):
        scratch[j[k]] = 0
    return total


def _check(
    Rows rows, const real[::1] values, const index[::1] columns, double[::1] norms, uint64_t[::1] bits,
    double[::1] scratch, Py_ssize_t first, Py_ssize_t last,
):
    """The first bad row of a range, or -1, and the largest squared norm; fill in `norms`."""
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, start, stop
    cdef bint increasing = True
    cdef double norm, longest = 0
    with nogil:
        for i in range(first, last):
            start, stop = row_start(&rows.layout, i), row_start(&rows.layout, i + 1)
            if j != NULL and not is_inside(j + start, stop - start, rows.n_columns, &increasing):
                break
            norm = squares(x + start, stop - start)
            if not norm <= limit:  # NaN is not
                break
            longest = max(longest, norm)
            if norms.shape[0]:
                norms[i] = norm
                if not increasing and has_repeats(j + start, stop - start, &bits[0]):
                    norms[i] = merged_norm(x + start, j + start, stop - start, &scratch[0])
        else:
            i = -1
    return i, longest


def _what_is_wrong(Rows rows, const real[::1] values, const index[::1] columns, Py_ssize_t i):
    """Describe the first bad value or column of row i in one line."""
    cdef Py_ssize_t k, start = row_start(&rows.layout, i)
    for k in range(start, row_start(&rows.layout, i + 1)):
        column = k - start if rows.dense else columns[k]
        if not 0 <= column < rows.n_columns:
            return f"X has a value in column {column} of row {i}; it has columns 0 to {rows.n_columns - 1}."
        if not isfinite(values[k]):
            kind = "NaN" if values[k] != values[k] else "infinity"
            return f"X contains {kind} at row {i}, column {column}; impute it or remove the row."
    return f"Row {i} of X is too long: its sum of squares is above {LONGEST:g}. Scale X."


def bad_offset(const index[::1] indptr, Py_ssize_t n_values):
    """The first i for which indptr[i] to indptr[i + 1] is no range in `n` values, or -1; it starts at 0."""
    cdef const index* offsets = &indptr[0]
    cdef Py_ssize_t i, n = indptr.shape[0] - 1
    cdef int backward = 0
    with nogil:
        for i in range(n):
            backward |= offsets[i + 1] < offsets[i]
        if not backward and offsets[n] <= n_values:
            i = -1
        else:
            i = 0
            while offsets[i] <= offsets[i + 1] <= n_values:
                i += 1
    return i


def bad_index(const index[::1] indices, Py_ssize_t n, Py_ssize_t bound):
    """Return the place of the first of n indices outside 0 ... bound - 1, or -1."""
    cdef const index* j = head(indices)
    cdef Py_ssize_t first = 0
    with nogil:
        while first < n and are_below(j + first, min(INDEX_BLOCK, n - first), bound):
            first += INDEX_BLOCK
        if first >= n:
            first = -1
        else:
            while 0 <= j[first] < bound:
                first += 1
    return first


def _primal_from_dual(
    Rows rows, const real[::1] values, const index[::1] columns, const int8_t[::1] signs,
    const double[::1] dual, double positive, double negative, double[::1] w,
    Py_ssize_t first, Py_ssize_t last,
):
    cdef const real* x = head(values)
    cdef const index* j = columns_of(rows, columns)
    cdef Py_ssize_t i, start
    cdef double a
    with nogil:
        for i in range(first, last):
            a = positive * dual[i] if signs[i] > 0 else -negative * dual[i]
            if a != 0:
                start = row_start(&rows.layout, i)
                axpy(a, x + start, shift(j, start), row_start(&rows.layout, i + 1) - start, &w[0])


# An unregularised intercept makes sum_i b_i y_i = 0 a constraint of the dual. Nearly feasible dual variables
# are made feasible by factors `positive` and `negative` for the rows of either sign, without a copy.


def primal_from_dual(Rows rows, signs, dual, double rate, double positive=1, double negative=1):
    """rate * sum_i b_i y_i x_i, float64 of size n_columns; chunks of rows with b_i = 0 are not read."""
    w = np.zeros(rows.n_columns)
    step = rows.chunk_rows()

    def add(first, last):
        _primal_from_dual(*rows.matrix, signs, dual, rate * positive, rate * negative, w, first, last)

    visit = _passing(rows, add, step)
    for first in range(0, rows.n_rows, step):
        last = min(first + step, rows.n_rows)
        if dual[first:last].any():
            visit(first, last)
    return w


def dual_sum(
    const int8_t[::1] signs, const double[::1] dual, const double[::1] weights, Loss loss,
    double positive=1, double negative=1,
):
    """sum_i c_i psi(b_i / c_i) over the rows with c_i > 0."""
    cdef const double* weight = head(weights)
    cdef Py_ssize_t i
    cdef double total = 0, b
    with nogil:
        for i in range(dual.shape[0]):
            b = dual[i] * (positive if signs[i] > 0 else negative)
            if weight == NULL:
                total += dual_term(loss, b)
            elif weight[i] > 0:
                total += weight[i] * dual_term(loss, b / weight[i])
    return total


cpdef (double, double) sums_by_sign(const int8_t[::1] signs, const double[::1] dual) noexcept nogil:
    """The sums of b_i over the rows of sign +1 and of sign -1."""
    cdef double positive = 0, negative = 0
    cdef Py_ssize_t i
    for i in range(dual.shape[0]):
        if signs[i] > 0:
            positive += dual[i]
        else:
            negative += dual[i]
    return positive, negative


def take_from_few_rows(
    const int8_t[::1] signs, const double[::1] dual, bint positive, double part, double share,
    double[::1] taken,
):
    """Take `part` of the sum of the b_i of one sign, as a `share` of each of the first rows."""
    cdef double total = 0, excess, before = 0
    cdef Py_ssize_t i, last = -1
    with nogil:
        for i in range(dual.shape[0]):
            if (signs[i] > 0) == positive and dual[i] > 0:
                total += dual[i]
        excess, total = part * total, 0
        for i in range(dual.shape[0]):
            if (signs[i] > 0) == positive and dual[i] > 0:
                before, last = total, i
                taken[i] = share * dual[i]
                total += taken[i]
                if total >= excess:
                    break
        if last >= 0:
            taken[last] = max(0.0, min(excess - before, dual[last]))
