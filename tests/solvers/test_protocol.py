"""What all solvers have in common: epochs, certificates, one rule of stopping."""

from dataclasses import replace

import numpy as np
import pytest

from fastsvm.solvers._problem import Problem
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import ASDCAParams, PegasosParams, PerceptronParams, SDCAParams
from fastsvm.solvers.run import Watcher, run

SHARED = {"alpha": 0.01, "max_iter": 200}
LINEAR = {
    "coordinate": SDCAParams("log", solver="coordinate", **SHARED),
    "newton": SDCAParams("log", solver="newton", **SHARED),
    "asdca": ASDCAParams("log", batch_size=4, theta=0.2, **SHARED),
    "pegasos": PegasosParams("log", batch_size=4, **SHARED),
    "perceptron": PerceptronParams(max_iter=200),
}


class Stop(Watcher):
    """It ends a run after some epochs, and notes what was over then."""

    def __init__(self, epochs):
        self.epochs, self.over = epochs, []

    def after(self, solver):
        self.over.append(solver.is_over)
        return solver.done == self.epochs


def made(name, problem, max_iter):
    return make_solver(replace(LINEAR[name], max_iter=max_iter), problem, np.array([1], np.uint64))


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("tol", [None, 1e-3])
@pytest.mark.parametrize("name", LINEAR)
def test_the_last_line_is_the_one_where_it_is_over(name, tol, trace, problem):
    solver, watcher = made(name, Problem(*problem), 30), Stop(None)
    assert solver.solver == name
    assert not solver.is_over
    result = run(solver, tol, trace, watchers=[watcher])
    line = result.history[-1]
    assert (line.epoch, line.primal, line.gap) == (result.n_iter, result.objective, result.gap)
    assert watcher.over == [False] * (len(result.history) - 1) + [True]
    assert not trace or len(result.history) == result.n_iter


@pytest.mark.parametrize("name", LINEAR)
def test_a_fit_that_is_stopped_returns_what_it_has_certified(name, problem):
    p = Problem(*problem)
    result = run(made(name, p, 200), watchers=[Stop(1)])
    [line] = result.history
    assert (line.epoch, line.primal, line.gap) == (1, result.objective, result.gap)
    if name == "perceptron":
        assert line.primal == p.mean_loss(result.w, result.intercept, "perceptron")
    else:
        assert line.primal == pytest.approx(p.primal(result.w, result.intercept, "log", 0.01), rel=1e-12)
        assert abs(p.imbalance(result.dual)) < 1e-9
        bound = p.dual_value(result.dual, p.primal_from_dual(result.dual, 0.01), "log", 0.01)
        assert line.dual == pytest.approx(bound, rel=1e-12)
