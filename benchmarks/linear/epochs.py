"""What an epoch costs: of SDCA against a pass of row dots, of Pegasos against one of SGDClassifier."""

from functools import partial

import numpy as np
from sklearn.linear_model import SGDClassifier

from fastsvm import PegasosClassifier, solvers
from fastsvm.solvers._input import as_state
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.params import PerceptronParams
from fastsvm.solvers.perceptron_solver import PerceptronSolver

from ..common import alternate, spread

EPOCHS = 40


def sdca(name, data, rounds):
    """An epoch of SDCA without shrinking against a pass of row dots, in random and in natural order."""
    one, six = (partial(solvers.sdca, data.X, data.y, max_iter=k, tol=None, random_state=0) for k in (1, 6))
    t_one, t_six, shuffled, natural = alternate([one, six, *_passes(data, rounds)], rounds)
    later = (t_six - t_one) / 5
    kinds = {"first epoch": t_one, "later epochs": later, "dots, random order": shuffled}
    for kind, times in (kinds | {"dots, natural order": natural}).items():
        print(f"{name:14s}{kind:20s}{spread(times, 1e3)} ms  {spread(later / times)}", flush=True)


def _passes(data, rounds):
    """Functions that multiply every row by w, in random order and in the natural one.

    The first is the perceptron's kernel with labels such that it never makes a mistake.
    """
    w = np.random.default_rng(0).normal(size=data.X.shape[1])
    problem = Problem(data.X, np.where(data.X @ w > 0, 1, -1))
    order = np.random.default_rng(1).permuted(np.tile(np.arange(problem.n), (rounds + 1, 1)), axis=1)
    params = PerceptronParams(fit_intercept=False, max_iter=rounds + 1)
    run = PerceptronSolver(problem, params, as_state(0), order=order)
    run.resume({"w": w, "intercept": 1e-300})  # empty rows are no mistakes either

    def shuffled():
        run.run_epoch()
        run.done += 1

    return shuffled, lambda: problem.mean_loss(w, 0.0, "hinge")


def pegasos(name, data, rounds):
    """An epoch of Pegasos against one of SGDClassifier: no intercept, by whole fits and at the margin."""
    shared = {"alpha": 1e-4, "fit_intercept": False, "tol": None, "random_state": 0}
    kinds = SGDClassifier, PegasosClassifier
    models = [kind(max_iter=n, **shared) for n in (EPOCHS, 3 * EPOCHS) for kind in kinds]
    few, many = alternate([partial(m.fit, data.X, data.y) for m in models], rounds).reshape(2, 2, -1)
    for kind, times in ("whole fit", few / EPOCHS), ("marginal", (many - few) / (2 * EPOCHS)):
        peer, ours = times
        print(f"{name:14s}{kind:20s}{spread(ours, 1e3)} ms  {spread(peer / ours)}", flush=True)
