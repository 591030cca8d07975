"""Which method `sdca` takes."""

import pkgutil
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from fastsvm import SDCAClassifier, solvers
from fastsvm.solvers import losses, sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import SDCAParams

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


@pytest.mark.parametrize(("loss", "long", "short"), [("hinge", 0, 0), ("squared_hinge", 0, 1), ("log", 1, 1)])
def test_newton_for_smooth_losses_of_many_rows(loss, long, short):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(33_000, 33))
    y = np.where(dense[:, 0] > 0, 1, -1)
    X = sparse.csr_array(np.where(np.arange(33) < 5, dense, 0.0))
    kinds = ["coordinate", "newton"]
    assert sdca(dense, y, loss=loss, alpha=0.1, random_state=0).solver == kinds[long]
    assert sdca(X, y, loss=loss, alpha=0.1, random_state=0).solver == kinds[short]
    assert sdca(X[:3200], y[:3200], loss=loss, alpha=0.1, random_state=0).solver == "coordinate"


@pytest.mark.parametrize("solver", ["coordinate", "newton"])
def test_the_solver_asked_for_is_taken(solver, problem):
    model = SDCAClassifier(alpha=0.1, solver=solver, random_state=0).fit(*problem)
    assert model.solver_ == solver
    assert model.dual_gap_ <= 1e-3 * model.objective_


@pytest.mark.parametrize("option", [{"averaging": "tail"}, {"sgd_init": True}, {"order": "cyclic"}])
def test_newton_has_no_order_of_rows(option, problem):
    with pytest.raises(ValueError, match=f"solver='newton' has no {next(iter(option))}"):
        sdca(*problem, solver="newton", **option)


def test_newton_refuses_systems_too_large():
    with pytest.raises(ValueError, match="each of X's 5001 columns; it takes up to 5000"):
        sdca(*wide(5001), solver="newton")


def test_newton_takes_only_losses_with_a_second_derivative(problem):
    loss = replace(losses.TABLE["log"], name="new", newton=False)

    def solver_of(loss, solver):
        params = SDCAParams(loss, alpha=1e-5, fit_intercept=False, max_iter=5, solver=solver)
        return make_solver(params, Problem(*problem), np.ones(1, np.uint64)).solver

    with pytest.raises(ValueError, match="solver='newton' does not support the loss 'new'"):
        solver_of(loss, "newton")
    assert solver_of(loss, "auto") == "coordinate"
    assert solver_of("log", "auto") == "newton"


def test_no_module_has_the_name_of_a_public_function():
    found = {name: getattr(solvers, name) for name in solvers.__all__}
    assert [name for name, value in found.items() if isinstance(value, ModuleType)] == []
    files = {name.name for name in pkgutil.iter_modules(solvers.__path__)}
    files |= {name.name for name in pkgutil.iter_modules([f"{solvers.__path__[0]}/kernel"])}
    assert not files & set(found)
