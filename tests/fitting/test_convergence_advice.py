"""The advice of a fit that stopped short."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MaxAbsScaler, scale

from fastsvm import (
    ConvergenceWarning,
    KernelSDCAClassifier,
    KernelSDCAClassifierCV,
    SDCAClassifier,
    SDCAClassifierCV,
    sdca_path,
)
from fastsvm.fitting import convergence_advice as advice
from fastsvm.fitting.convergence_advice import convergence_advice

pytestmark = pytest.mark.blas

RNG = np.random.default_rng(0)
SCALED = scale(load_breast_cancer().data)
TEXT = sparse.random_array((400, 300), density=0.05, random_state=RNG, format="csr")
COUNTS = sparse.csr_array(TEXT)
COUNTS.data = RNG.geometric(0.6, TEXT.nnz).astype(float)
COUNTS.data[COUNTS.indices < 3] *= 40


def with_column(X, factor):
    X = X.copy()
    if sparse.issparse(X):
        X.data[X.indices == 5] *= factor
    else:
        X[:, 5] *= factor
    return X


@pytest.mark.parametrize("chunk", [7, 1 << 18])
@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (SCALED, "raise max_iter, alpha or tol; the columns of X are scaled well"),
        (1e-3 * SCALED, "raise max_iter"),
        (with_column(SCALED, 1e-4), "raise max_iter"),
        (
            with_column(SCALED, 1e4),
            r"columns .* \(column 5 has values of about 1e\+04, half .* of 1 or less\)",
        ),
        (with_column(SCALED, 1e4).astype(np.float32), "column 5 .* scale X with StandardScaler, or raise"),
        (load_breast_cancer().data, "differ much in size .column 23 .* StandardScaler"),
        (256 * np.abs(SCALED), r"values of X are large \(about 2\.6e\+02\); scale X with StandardScaler"),
        (TEXT, "raise max_iter"),
        (MaxAbsScaler().fit_transform(COUNTS), "raise max_iter"),
        (COUNTS, r"column [012] .*TfidfTransformer"),
        (with_column(TEXT, 1e4), "column 5 .*MaxAbsScaler"),
        (0 * TEXT, "all values of X are 0"),
        (np.zeros((3, 2)), "all values of X are 0"),
    ],
    ids=lambda p: p[:30] if isinstance(p, str) else None,
)
def test_what_is_wrong_with_the_scale(X, expected, chunk, monkeypatch):
    monkeypatch.setattr(advice, "CHUNK_VALUES", chunk)
    said = convergence_advice(X)
    assert re.search(expected, said), said


def fitting(kind, *args, **options):
    return lambda X, y, **more: kind(*args, **options, **more).fit(X, y)


WIDE = RNG.normal(size=(500, 400))  # more columns than Newton's method takes
MATRIX = rbf_kernel(SCALED[:90])
FEW = {"alphas": [1.0, 1e-6], "cv": 3}
ADVICE = "raise max_iter, alpha or tol"


@pytest.mark.parametrize(
    ("fit", "X", "where", "advice"),
    [
        (fitting(SDCAClassifier, solver="coordinate"), with_column(SCALED, 1e4), "", ".*StandardScaler"),
        (fitting(KernelSDCAClassifier), SCALED[:90], "", f"{ADVICE}; the columns of X are scaled well"),
        (fitting(KernelSDCAClassifier, "precomputed"), MATRIX, "", rf"{ADVICE}\.$"),
        (fitting(KernelSDCAClassifier, "poly"), 1e3 * SCALED[:90], "", ".*scale X with"),
        (fitting(SDCAClassifierCV, **FEW), WIDE, " at alpha=1e-06", ADVICE),
        (fitting(KernelSDCAClassifierCV, gammas=[0.1], **FEW), SCALED, " at alpha=1e-06", ADVICE),
        (partial(sdca_path, alphas=[0.1, 1e-4]), WIDE, " at alpha=0.0001", ADVICE),
    ],
    ids=range(7),
)
def test_a_fit_that_stops_short_says_so_once(fit, X, where, advice):
    y = np.arange(len(X)) % 3 > 0 if isinstance(fit, partial) else np.resize(["a", "b", "c"], len(X))
    said = (
        rf"^Stopped{where} after 2 epochs at a relative duality gap of [0-9.e+-]+, above tol=1e-09: {advice}"
    )
    with pytest.warns(ConvergenceWarning, match=said) as caught:
        fit(X, y, max_iter=2, tol=1e-9)
    assert len(caught) == 1
    assert "\n" not in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(X, y, max_iter=2, tol=None)


STALLED = "more steps gain nothing, so raise tol or alpha"


# Newton's method stalls at some 1e-9, far from as many epochs as it might make.
HARD = {"alpha": 1e-9, "tol": 1e-14, "max_iter": 10**7, "random_state": 0}


@pytest.mark.parametrize("max_iter", [1, 10**7])
@pytest.mark.parametrize(
    "fit",
    [
        lambda y, **options: SDCAClassifier(**options).fit(SCALED, y),
        lambda y, alpha, **options: SDCAClassifierCV(alphas=[alpha], cv=2, **options).fit(SCALED, y),
        lambda y, alpha, **options: sdca_path(SCALED, y, [alpha], **options),
    ],
    ids=["fit", "cross-validation", "path"],
)
def test_max_iter_is_to_be_raised_only_where_it_was_reached(fit, max_iter):
    with pytest.warns(ConvergenceWarning) as caught:
        fit(load_breast_cancer().target, **HARD | {"max_iter": max_iter})
    [said] = [str(warning.message) for warning in caught]
    assert ("raise max_iter" in said) == (max_iter == 1)
    assert (STALLED in said) == (max_iter > 1)
