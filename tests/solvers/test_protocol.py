"""What all solvers have in common: epochs, certificates, one rule of stopping."""

from dataclasses import replace

import numpy as np
import pytest
from solvers.test_certificates import Drawn, check
from solvers.test_pegasos import OPTIONS, optimum

import reference
from fastsvm.solvers import LOSSES, asdca, pegasos, sdca
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.losses import PEGASOS_LOSSES, SMOOTH_LOSSES
from fastsvm.solvers.make_solver import make_solver
from fastsvm.solvers.params import ASDCAParams, PegasosParams, PerceptronParams, SDCAParams
from fastsvm.solvers.run import Watcher, run

TAIL, RANDOM = {"averaging": "tail"}, {"averaging": "random"}
CERTIFIED = {
    sdca: (
        LOSSES,
        [
            *({}, {"order": "random"}, {"order": "cyclic"}, {"fit_intercept": True}, TAIL, RANDOM),
            *({"sgd_init": True}, {"sgd_init": True, "order": "random"}),
            *(TAIL | {"sgd_init": True, "fit_intercept": True}, RANDOM | {"fit_intercept": True}),
        ],
    ),
    asdca: (
        SMOOTH_LOSSES,
        [
            {"batch_size": rows, "averaging": kind, "fit_intercept": free}
            for rows in (1, 7, 10**9)  # no more than there are
            for kind in ("last", "tail", "random")
            for free in (False, True)
        ],
    ),
    pegasos: (PEGASOS_LOSSES, [*OPTIONS, {"fit_intercept": "search"}]),
}
CASES = [(solve, loss, o) for solve, (kinds, options) in CERTIFIED.items() for loss in kinds for o in options]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("solve", "loss", "options"), CASES)
def test_the_certificate_is_that_of_what_is_returned(solve, loss, options, weighted, problem):
    X, y = problem
    c = reference.weights(np.random.default_rng(2), len(y)) if weighted else None
    options = {"fit_intercept": False} | options
    shared = {"loss": loss, "alpha": 0.01, "sample_weight": c, "max_iter": 7, "random_state": 0}
    r = solve(X, y, tol=None, trace=True, **shared, **options)
    assert r.n_iter == len(r.history) == 7
    assert r.objective == pytest.approx(reference.primal(loss, 0.01, X, y, r.w, r.intercept, c), rel=1e-12)
    gap = reference.gap(loss, 0.01, X, y, r.dual, r.w, r.intercept, c)  # inf outside of the domain
    assert r.gap == pytest.approx(gap, rel=1e-9)
    assert c is None or (r.dual[c == 0] == 0).all()
    assert abs(r.dual @ y) < 1e-9 if options["fit_intercept"] else r.intercept == 0
    best = optimum(loss, 0.01, X, y, sample_weight=c, fit_intercept=bool(options["fit_intercept"]))
    for epoch in r.history:  # every bound holds, every gap covers the distance to the optimum
        assert epoch.dual <= best + 1e-12 <= epoch.primal + 1e-9
        assert epoch.gap == pytest.approx(epoch.primal - epoch.dual)
    assert loss != "squared_hinge" or solve is asdca or r.history[0].dual > 0  # which b = 0 has
    if solve is sdca:
        check(Drawn(X, X, y, c, loss, 0.01, options["fit_intercept"]), r)


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
