"""Which method `sdca` takes."""

import numpy as np
import pytest
from scipy import sparse

from fastsvm.solvers import sdca

pytestmark = pytest.mark.blas


def wide(n_columns):
    rng = np.random.default_rng(0)
    X = sparse.random_array((40, n_columns), density=0.2, random_state=rng, format="csr")
    return X, np.where(rng.random(40) < 0.5, 1, -1)


def test_newton_for_few_columns_where_steps_would_crawl(problem):
    X, y = problem
    assert sdca(X, y, alpha=1e-5, random_state=0).solver == "newton"
    assert sdca(X, y, alpha=1.0, random_state=0).solver == "coordinate"
    assert sdca(X, y, alpha=1.0, tol=1e-6, random_state=0).solver == "newton"
    assert sdca(X[:, :20], y, alpha=1.0, random_state=0).solver == "newton"
    assert sdca(X, y, alpha=1e-5, tol=None, max_iter=2, random_state=0).solver == "coordinate"
    assert sdca(X, y, alpha=1e-5, averaging="tail", max_iter=2, random_state=0).solver == "coordinate"
    assert sdca(*wide(400), alpha=1e-5, random_state=0).solver == "coordinate"


@pytest.mark.parametrize("option", [{"averaging": "tail"}, {"sgd_init": True}, {"order": "cyclic"}])
def test_newton_has_no_order_of_rows(option, problem):
    with pytest.raises(ValueError, match=f"solver='newton' does not support {next(iter(option))}"):
        sdca(*problem, solver="newton", **option)


def test_newton_refuses_systems_too_large():
    with pytest.raises(ValueError, match="supports at most 5000 columns; X has 5001"):
        sdca(*wide(5001), solver="newton")
