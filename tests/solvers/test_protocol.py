"""What all solvers have in common: epochs, certificates, one rule of stopping."""

import numpy as np
import pytest

from fastsvm import solvers
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.asdca_solver import ASDCASolver
from fastsvm.solvers.newton_solver import NewtonSolver
from fastsvm.solvers.pegasos_solver import PegasosSolver
from fastsvm.solvers.perceptron_solver import PerceptronSolver
from fastsvm.solvers.sdca_solver import SDCASolver

SHARED = {"loss": "log", "alpha": 0.01, "fit_intercept": True}
SHUFFLED = {"order": "permutation"}
LINEAR = {
    SDCASolver: SHARED | SHUFFLED | {"averaging": "last", "sgd_init": False},
    NewtonSolver: SHARED,
    ASDCASolver: SHARED | SHUFFLED | {"batch_size": 4, "theta": 0.2, "averaging": "last"},
    PegasosSolver: SHARED | SHUFFLED | {"batch_size": 4, "project": False, "averaging": "last"},
    PerceptronSolver: SHUFFLED | {"fit_intercept": True, "averaging": "last"},
}


def make(cls, problem, max_iter=200):
    return cls(problem, max_iter=max_iter, random=np.array([1], np.uint64), **LINEAR[cls])


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("tol", [None, 1e-3])
@pytest.mark.parametrize("cls", LINEAR)
def test_the_last_line_is_the_one_where_it_is_over(cls, tol, trace, problem):
    run = make(cls, Problem(*problem), max_iter=30)
    assert not run.is_over
    over = []
    for line in run.epochs(tol, trace):
        over.append(run.is_over)
        assert (line.epoch, line.primal, line.gap) == (run.done, run.point.primal, run.point.gap)
    assert over == [False] * (len(over) - 1) + [True]
    assert not trace or len(over) == run.done


@pytest.mark.parametrize("cls", LINEAR)
def test_a_fit_that_is_stopped_returns_what_it_has_certified(cls, problem):
    p = Problem(*problem)
    run = make(cls, p)
    next(run.epochs())
    line, point = run.stop(), run.point
    assert (line.epoch, line.primal, line.dual) == (1, point.primal, point.bound)
    if cls is PerceptronSolver:
        assert line.primal == p.mean_loss(point.w, point.intercept, "perceptron")
    else:
        assert line.primal == pytest.approx(p.primal(point.w, point.intercept, "log", 0.01), rel=1e-12)
        assert abs(p.imbalance(point.dual)) < 1e-9
        bound = p.dual_value(point.dual, p.primal_from_dual(point.dual, 0.01), "log", 0.01)
        assert line.dual == pytest.approx(bound, rel=1e-12)


def test_the_public_names_are_functions_and_what_they_return():
    """Solvers and problems, which may change, are imported from their modules."""
    assert set(solvers.__all__) == {
        *("sdca", "asdca", "pegasos", "perceptron", "kernel_sdca", "kernel_pegasos"),
        *("Result", "KernelResult", "Epoch", "LOSSES", "as_rows"),
    }
    assert not any(hasattr(solvers, name) for name in ("SDCASolver", "Problem", "make_gram", "as_csr"))
