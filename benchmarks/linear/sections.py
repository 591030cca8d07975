"""What else there is to measure than one binary problem at a time."""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.svm import LinearSVC

import fastsvm
from fastsvm.solvers import sdca
from fastsvm.solvers._input import as_state
from fastsvm.solvers._problem import Problem
from fastsvm.solvers.params import PerceptronParams
from fastsvm.solvers.perceptron_solver import PerceptronSolver

from ..common import alternate, cpu, spread
from . import contenders
from .data import load
from .measure import reference

# The cost of an epoch


def epoch(options, names):
    """An epoch of SDCA without shrinking against a pass of row dots, in random and in natural order."""
    heads = "first epoch", "later epochs", "dots, random order", "dots, natural order"
    print(f"{'CPU ms':14s}{''.join(f'{head:32s}' for head in heads)}later/random")
    for name in names:
        data = load(name, options.folder, options.rows)
        one, six = (partial(sdca, data.X, data.y, max_iter=k, tol=None, random_state=0) for k in (1, 6))
        shuffled, natural = _passes(data, options.rounds)
        t_one, t_six, t_shuffled, t_natural = alternate([one, six, shuffled, natural], options.rounds)
        later = (t_six - t_one) / 5
        columns = [spread(t, 1e3).strip() for t in (t_one, later, t_shuffled, t_natural)]
        ratio = np.median(later) / np.median(t_shuffled)
        print(f"{name:14s}{''.join(f'{c:32s}' for c in columns)}{ratio:.2f}", flush=True)


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


# How much better LinearSVC could get


def certify(options, names):
    """The gap that certify proves of a LinearSVC fit, in units of the true one."""
    print(f"{'':14s}{'alpha':8s}{'true':>10s}{'proven':>10s}{'ratio':>8s}{'fit, ms':>10s}{'proof, ms':>10s}")
    for name in names:
        data = load(name, options.folder, options.rows)
        for text in options.alphas or data.alphas:
            alpha = 1 / len(data.y) if text == "1/n" else float(text)
            problem = contenders.Problem(data.X, data.y, "hinge", alpha, intercept=False)
            bound, precision = reference(problem, 4 * options.limit)
            model = LinearSVC(loss="hinge", C=problem.C, fit_intercept=False, random_state=0)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = cpu(lambda m=model, d=data: m.fit(d.X, d.y))
                start = time.process_time()
                found = fastsvm.certify(model, data.X, data.y, random_state=0)
                proof = time.process_time() - start
            w = np.ravel(model.coef_).astype(np.float64)
            true = problem.objective(w, 0.0) / bound - 1
            proven = found.gap / bound
            sure = "" if precision < true / 10 else f"  (optimum known to {precision:.0e})"
            print(
                f"{name:14s}{text:8s}{true:10.2e}{proven:10.2e}{proven / true:8.2f}{1e3 * fit:10.1f}"
                f"{1e3 * proof:10.1f}{sure}",
                flush=True,
            )
