"""Malformed sparse matrices at every public door: a ValueError, never a signal and never a result.

The cases run in another process, which may die without taking the test along; in no fork of this one, whose
other threads (those of pytest-xdist) may hold the locks of a sanitizer's malloc.
"""

import json
import subprocess
import sys
import warnings
from copy import deepcopy
from functools import cache
from subprocess import PIPE

import numpy as np
import pytest
from scipy import sparse

import fastsvm
from fastsvm import solvers, text

N, D = 120, 40


@cache
def drawn():
    rng = np.random.default_rng(0)
    X = sparse.random_array((N, D), density=0.2, random_state=rng, format="csr")
    X.data = np.ceil(5 * X.data)
    return X, np.where(np.arange(N) % 3 == 0, 1, -1)


def clean():
    """A CSR matrix of counts, with columns in order, and signs; each time another copy."""
    X, y = drawn()
    y = y.copy()
    y.setflags(write=False)  # nobody writes to it
    return X.copy(), y


def replaced(**arrays):
    """A mutation that puts other arrays in the place of a matrix' own."""

    def mutate(X):
        for name, change in arrays.items():
            setattr(X, name, change(getattr(X, name)))
        return X

    return mutate


def at(place, value):
    """A change of one item."""

    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return change


def as_type(dtype):
    return lambda array: array.astype(dtype)


def reshaped(shape):
    def mutate(X):
        X._shape = shape
        return X

    return mutate


def other(format, **arrays):
    """A mutation of the matrix in another format."""
    return lambda X: replaced(**arrays)(X.asformat(format))


def lil_without(name):
    def mutate(X):
        X = X.tolil()
        getattr(X, name)[0] = getattr(X, name)[0][:-1]
        return X

    return mutate


MALFORMED = {
    "indices empty": replaced(indices=lambda a: a[:0]),
    "indices long": replaced(indices=lambda a: np.append(a, [0, 0])),
    "indices too large": replaced(indices=at(17, D)),
    "indices far too large": replaced(indices=at(17, 2**31 - 1)),
    "indices very negative": replaced(indices=at(0, -(2**31))),
    "indices int64 too large": replaced(indices=lambda a: at(5, 2**40)(a.astype(np.int64))),
    "indices uint64 wrapped": replaced(indices=lambda a: at(5, 2**64 - 1)(a.astype(np.uint64))),
    "indices of floats": replaced(indices=as_type(float)),
    "indices of NaN": replaced(indices=lambda a: at(3, np.nan)(a.astype(float))),
    "indices of objects": replaced(indices=as_type(object)),
    "indices two-dimensional": replaced(indices=lambda a: a[:, None]),
    "indices a list": replaced(indices=lambda a: a.tolist()),
    "data empty": replaced(data=lambda a: a[:0]),
    "data two-dimensional": replaced(data=lambda a: a[:, None]),
    "indptr short": replaced(indptr=lambda a: a[:-1]),
    "indptr long": replaced(indptr=lambda a: np.append(a, a[-1])),
    "indptr empty": replaced(indptr=lambda a: a[:0]),
    "indptr beyond in the middle": replaced(indptr=at(50, 10**6)),
    "indptr far beyond": replaced(indptr=at(-1, 2**31 - 1)),
    "indptr decreasing": replaced(indptr=lambda a: a[np.r_[0:30, 31, 30, 32 : len(a)]]),
    "indptr negative": replaced(indptr=at(10, -5)),
    "indptr not from 0": replaced(indptr=at(0, 1)),
    "indptr from below": replaced(indptr=at(0, -1)),
    "indptr of floats": replaced(indptr=as_type(float)),
    "too few rows said": reshaped((N - 1, D)),
    "too many rows said": reshaped((N + 1, D)),
    "too few columns said": reshaped((N, D - 3)),
    "NaN": replaced(data=at(7, np.nan)),
    "infinity": replaced(data=at(7, np.inf)),
    "csc, indices too large": other("csc", indices=at(9, N)),
    "csc, indptr beyond": other("csc", indptr=at(-1, 10**6)),
    "bsr, indices too large": other("bsr", indices=at(9, 10**6)),
    "bsr, data short": other("bsr", data=lambda a: a[:-1]),
    "coo, row too large": lambda X: replaced(row=at(9, N))(X.tocoo()),
    "coo, col negative": lambda X: replaced(col=at(9, -1))(X.tocoo()),
    "coo, data short": other("coo", data=lambda a: a[:-1]),
    "dia, data short": other("dia", data=lambda a: a[:-1]),
    "lil, rows short": lil_without("rows"),
    "lil, data short": lil_without("data"),
}

LEGITIMATE = {
    "int64 indices": replaced(indices=as_type(np.int64), indptr=as_type(np.int64)),
    "mixed indices": replaced(indices=as_type(np.int64)),
    "int16 indices": replaced(indices=as_type(np.int16)),
    "read-only": lambda X: [array.setflags(write=False) for array in (X.data, X.indices, X.indptr)] and X,
    "room at the end": replaced(
        indices=lambda a: np.append(a, [99, 99]), data=lambda a: np.append(a, [5.0, 5.0])
    ),
    "big-endian": replaced(data=as_type(">f8"), indices=as_type(">i4")),
    "strided": replaced(data=lambda a: np.repeat(a, 2)[::2], indices=lambda a: np.repeat(a, 2)[::2]),
    "csc": lambda X: X.tocsc(),
    "coo": lambda X: X.tocoo(),
    "bsr": lambda X: X.tobsr((1, 1)),
    "dia": lambda X: X.todia(),
    "lil": lambda X: X.tolil(),
    "dok": lambda X: X.todok(),
    "matrix": lambda X: sparse.csr_matrix(X),
}

CLASSIFIERS = {
    "SDCA": lambda: fastsvm.SDCAClassifier(alpha=0.01, solver="coordinate", random_state=0),
    "Newton": lambda: fastsvm.SDCAClassifier(alpha=0.01, solver="newton", random_state=0),
    "SDCA log": lambda: fastsvm.SDCAClassifier("log", alpha=0.01, n_jobs=2, random_state=0),
    "ASDCA": lambda: fastsvm.ASDCAClassifier(alpha=0.01, random_state=0),
    "Pegasos": lambda: fastsvm.PegasosClassifier(alpha=0.01, random_state=0),
    "perceptron": lambda: fastsvm.PerceptronClassifier(random_state=0),
    "SDCA CV": lambda: fastsvm.SDCAClassifierCV(n_alphas=2, cv=2, random_state=0),
    "kernel SDCA": lambda: fastsvm.KernelSDCAClassifier(alpha=0.01, random_state=0),
    "kernel Pegasos": lambda: fastsvm.KernelPegasosClassifier("laplacian", alpha=0.01, random_state=0),
    "kernel CV": lambda: fastsvm.KernelSDCAClassifierCV(gammas=[0.1], alphas=[0.01], cv=2, random_state=0),
}
TRANSFORMERS = {
    "Nystroem": lambda: fastsvm.KernelFeatures(n_components=5, random_state=0),
    "random features": lambda: fastsvm.KernelFeatures(method="random", n_components=5, random_state=0),
    "nb": lambda: text.TermWeighting("nb"),
    "tfidf": lambda: text.TermWeighting("tfidf"),
    "f_classif": lambda: text.SelectTerms(5),
    "chi2": lambda: text.SelectTerms(5, "chi2"),
}


def doors():
    """Every way in: a name, and a function of X and y."""
    for solve in (solvers.sdca, solvers.pegasos, solvers.perceptron, solvers.asdca):
        yield solve.__name__, lambda X, y, solve=solve: solve(X, y, random_state=0).w
    for solve in (solvers.kernel_sdca, solvers.kernel_pegasos):
        yield solve.__name__, lambda X, y, solve=solve: solve(X, y, random_state=0).dual_coef
    yield "sdca_path", lambda X, y: fastsvm.sdca_path(X, y, n_alphas=3, random_state=0).coefs
    w = np.ones(D)
    yield "certify", lambda X, y: fastsvm.certify(w, X, y, loss="hinge", alpha=0.01, random_state=0)[3:6]
    yield "certify LIBLINEAR's", lambda X, y: fastsvm.certify(fitted_liblinear(), X, y, random_state=0)[3:6]
    grid = {"kernels": [{"gamma": 0.1}], "alphas": [0.01], "n_iters": [50], "cv": 2, "random_state": 0}
    yield "kernel_pegasos_grid", lambda X, y: fastsvm.kernel_pegasos_grid(X, y, **grid)["error"]
    for name, make in CLASSIFIERS.items():
        yield f"{name}, fit", lambda X, y, make=make: make().fit(X, y).objective_
        yield f"{name}, scores", lambda X, y, make=make: fitted(make).decision_function(X)
        yield f"{name}, predict", lambda X, y, make=make: fitted(make).predict(X)
        if hasattr(make(), "partial_fit"):
            yield f"{name}, partial_fit", lambda X, y, make=make: continued(make, X, y)
    yield "f_classif, inverse", lambda X, y: dense(selects_all().inverse_transform(X))
    yield "SDCA log, proba", lambda X, y: fitted(CLASSIFIERS["SDCA log"]).predict_proba(X)
    for name, make in TRANSFORMERS.items():
        yield f"{name}, fit", lambda X, y, make=make: dense(make().fit(X, y).transform(clean()[0]))
        yield f"{name}, transform", lambda X, y, make=make: dense(fitted(make).transform(X))


def continued(make, X, y):
    return deepcopy(fitted(make)).partial_fit(X, y).decision_function(clean()[0])


def selects_all():
    return fitted(lambda: text.SelectTerms("all"))


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@cache
def fitted(make):
    return make().fit(*clean())


@cache
def fitted_liblinear():
    from sklearn.svm import LinearSVC

    return LinearSVC(C=1, random_state=0).fit(*clean())


DOORS = dict(doors())


def said_by(door, mutate):
    """What a door says of a malformed matrix: "refused: ...", "failed: ..." or "accepted"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = clean()
        try:
            door(mutate(X), y)
        except ValueError as error:
            return f"refused: {error}"
        except BaseException as error:
            return f"failed: {error!r}"
    return "accepted"


@pytest.fixture(scope="module")
def knock():
    """`said_by` in a process of its own, which is begun anew where it dies."""

    def begun():
        return subprocess.Popen([sys.executable, "-P", __file__], stdin=PIPE, stdout=PIPE, text=True)

    def knock(door, case):
        nonlocal process
        print(json.dumps([door, case]), file=process.stdin, flush=True)
        if answer := process.stdout.readline():
            return json.loads(answer)
        with process:  # waits for it
            pass
        status, process = process.returncode, begun()
        return f"died of signal {-status}"

    process = begun()
    yield knock
    with process:
        pass


# Predictions are made of scores.
PREDICTS = {name for name in DOORS if name.endswith(", predict") and name != "SDCA, predict"}


MOST_DOORS = [pytest.param(name, marks=[pytest.mark.slow] * (name in PREDICTS)) for name in DOORS]


@pytest.mark.parametrize("name", MOST_DOORS)
def test_malformed_matrices_are_refused(knock, name):
    said = {case: knock(name, case) for case in MALFORMED}
    if name == "f_classif, inverse":  # like scikit-learn's, it puts any values in their places
        del said["NaN"], said["infinity"]
    assert {case: told for case, told in said.items() if not told.startswith("refused")} == {}
    if name not in ("f_classif, transform", "chi2, transform"):  # what scikit-learn says of NaN has lines
        assert [told for told in said.values() if "\n" in told or len(told) > 300] == []


# Those behind which rows come to a kernel in a way of their own.
OTHER_ROWS = ("sdca", "kernel_sdca", "SDCA, predict", "nb, transform", "f_classif, fit")


ALL_ROWS = [pytest.param(name, marks=[pytest.mark.slow] * (name not in OTHER_ROWS)) for name in DOORS]


@pytest.mark.parametrize("name", ALL_ROWS)
def test_legitimate_matrices_are_taken_as_they_are(name):
    X, y = clean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = DOORS[name](X, y)
        for case, mutate in LEGITIMATE.items():
            found = DOORS[name](mutate(clean()[0]), y)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8, err_msg=case)


if __name__ == "__main__":
    for line in sys.stdin:
        name, case = json.loads(line)
        print(json.dumps(said_by(DOORS[name], MALFORMED[case])), flush=True)
