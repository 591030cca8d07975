"""Fuzz what every solver lets in: sparse matrices whose parts do not fit together, or hold what is no number.

A matrix that is not sound is refused (by every door: tests/hostile/test_matrices.py); one that is has the
optimum of the same numbers in a dense array.
"""

import warnings
from contextlib import suppress
from itertools import pairwise

import numpy as np
from scipy import sparse

from fastsvm.solvers import as_rows, sdca
from fuzzing import Choices, main

KINDS = [np.int32, np.int64, np.uint32, np.int8, np.uint64, np.float64, np.bool_, object, np.complex128]
NUMBERS = [0, 1, -1, 2, 7, 8, 127, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63)]
VALUES = [0.0, -0.0, 1.0, -1.5, 1e-320, 1e30, 1e153, 1e155, 1e308, np.inf, -np.inf, np.nan]
SEEDS = [
    bytes([r, c, 0, *range(3 * k, 3 * k + 40)]) for k, (r, c) in enumerate([(1, 1), (4, 5), (8, 3), (20, 40)])
]
SEEDS += [bytes([5, 4, 0, *(37 * k * j % 256 for j in range(60))]) for k in range(1, 12)]


def target(data):
    choices = Choices(data)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        X = matrix(choices)
        dense = as_dense(X)
        try:
            as_rows(X)
        except (ValueError, TypeError):
            return
        assert dense is not None, "let in, though it is not sound"
        compare(X, dense, choices)


def matrix(choices):
    """A CSR matrix, perhaps with a few parts of it exchanged afterwards."""
    n_rows, n_columns, n_edits = 1 + choices.below(32), 1 + choices.below(48), choices.below(4)
    lengths = [k % (n_columns + 1) % 5 for k in choices.take(n_rows).ljust(n_rows, b"\1")]
    indptr, n = np.cumsum([0, *lengths]), sum(lengths)
    steps = np.frombuffer(choices.take(n).ljust(n, b"\3"), np.uint8).astype(np.int64)
    X = sparse.csr_array((n_rows, n_columns), dtype=choices.pick([np.float64, np.float32]))
    kind = choices.pick(KINDS[:2])
    X.data = (steps % 7 - 2.5).astype(X.dtype)
    X.indices, X.indptr = (steps % n_columns).astype(kind), indptr.astype(kind)
    for _ in range(n_edits):
        edit(X, choices)
    return X


def edit(X, choices):
    name = choices.pick(["data", "indices", "indptr"])
    array, what = getattr(X, name), choices.below(8)
    if what == 0:
        array = array[: choices.below(len(array) + 1)]
    elif what == 1:
        array = array[choices.below(len(array) + 1) :]
    elif what == 2:
        array = array[::-1] if choices.flag() else array[:, None] if array.ndim == 1 else array
    elif what == 3:
        kind = choices.pick(KINDS)
        with np.errstate(all="ignore"), suppress(OverflowError):  # of objects, which are Python's numbers
            array = array.astype(kind)
    elif what == 4:
        array = np.concatenate([array, array])
    elif len(array):
        array = array.copy()
        number = choices.pick(VALUES if name == "data" else NUMBERS)
        with np.errstate(all="ignore"), suppress(OverflowError):
            array[choices.below(len(array))] = np.asarray(number).astype(array.dtype)[()]
    setattr(X, name, array)


def as_dense(X):
    """The matrix as an array, made by the plainest code; None if it is not sound."""
    try:
        arrays = [getattr(X, name) for name in ("data", "indices", "indptr")]
        n_rows, n_columns = X.shape
        if any(array.ndim != 1 for array in arrays) or any(a.dtype.kind not in "iu" for a in arrays[1:]):
            return None
        if arrays[0].dtype.kind not in "fiubO":
            return None
        data, indices, indptr = (array.tolist() for array in arrays)
        if len(indptr) != n_rows + 1 or indptr[0] != 0 or indptr[-1] > min(len(data), len(indices)):
            return None
        dense = np.zeros(X.shape)
        for i, (start, stop) in enumerate(pairwise(indptr)):
            if start > stop or stop > indptr[-1]:
                return None
            for k in range(start, stop):
                if not 0 <= indices[k] < n_columns or not np.isfinite(float(data[k])):
                    return None
                dense[i, indices[k]] += float(data[k])
        return dense
    except (TypeError, ValueError, OverflowError):
        return None


def compare(X, dense, choices):
    y, options = signs(X.shape[0]), {"alpha": choices.pick([1e-2, 1.0, 10.0]), "max_iter": 200}
    options["loss"] = choices.pick(["hinge", "squared_hinge", "log", "smooth_hinge"])
    found = []
    for rows in (X, dense):
        try:
            result = sdca(rows, y, random_state=0, **options)
        except ValueError:
            continue
        assert np.isfinite([result.objective, result.gap]).all() and np.isfinite(result.w).all(), result
        assert result.gap >= 0, result
        found.append(result)
    if len(found) == 2:
        one, two = found
        # Each optimum lies between the objective and what is below it by the gap.
        slack = 1e-9 * (1 + abs(one.objective))
        assert one.objective - one.gap <= two.objective + slack, found
        assert two.objective - two.gap <= one.objective + slack, found


def signs(n):
    return np.where(np.arange(n) % 2, -1, 1)


if __name__ == "__main__":
    main(target, SEEDS)
