"""Numbers of steps: how many an error takes, whether what is proven suffices, and stops at random."""

from itertools import product

import numpy as np

from fastsvm._utils.thread_pool import Threads
from fastsvm.fitting import SDCA

from ...race.given_orders import run_given_order
from ...report.study_report import Arrays, Context
from .solver_sets import simulated

ROWS = 375, 1500, 6000, 24_000  # simulated; two thirds of them are trained on
ALPHAS = 0.1, 0.01, 0.001
EPSILONS = 0.1, 0.03, 0.01, 0.003  # of P itself
STEP_COUNTS = tuple(int(steps) for steps in 2 ** np.arange(5, 18.5, 0.5) // 2 * 2)
DRAWS, QUICK_DRAWS, SEEDS = 6, 2, 3  # of rows; of the steps on each
METHODS = "Pegasos", "SDCA"
STOPS, STOP_STEPS, STOP_BATCH, DELTA = 200, 10_000, 8, 0.05


def averaged_run(method: str, X, y, alpha: float, steps: int, seed: int):
    """Draw rows at random, and return the average of the last half of the steps."""
    order = np.random.default_rng(seed).integers(len(y), size=(2, -(-steps // 2)))
    return run_given_order(method, X, y, alpha, order, averaging="tail")


def proven_steps(n: int, alpha: float, epsilon: float) -> int:
    """Return the T of section 2.4, for rows of norm 1 at most and L = 1."""
    first = max(0, int(np.ceil(n * np.log(max(0.5 * alpha * n, 1)))))
    return int(np.ceil(first + n + 5 / (alpha * epsilon)))


def lowest(X, y, alpha: float) -> float:
    """Return the least hinge objective."""
    best = SDCA("hinge", alpha=alpha, tol=1e-6, max_iter=10_000, fit_intercept=False).fit(X, y)
    return best.objective_ - best.dual_gap_


def steps_needed(excess: np.ndarray) -> np.ndarray:
    """Return from which of `STEP_COUNTS` on an excess stays within each of `EPSILONS`; infinite if never."""
    counts = [len(excess) - int(np.argmax((excess > epsilon)[::-1])) for epsilon in EPSILONS]
    within = [excess.max() <= epsilon for epsilon in EPSILONS]
    padded = np.append(STEP_COUNTS, np.inf)
    return padded[np.where(within, 0, counts)]


def rates(context: Context) -> Arrays:
    """Measure steps on simulated rows of several sizes.

    Returns
    -------
    dict
        needed : (draws, methods, rows, alphas, epsilons), steps until the mean excess over seeds stays below
        epsilon. n : (rows,). gaps : (draws, rows, alphas, epsilons), the gap of SDCA after `proven_steps` as
        a multiple of epsilon, rows of norm 1 at most.
    """
    draws = QUICK_DRAWS if context.quick else DRAWS
    cells = [*product(range(len(ROWS)), range(len(ALPHAS)))]

    def measure(place):
        draw, (row, a) = place
        data, alpha = simulated(context.seed + draw, ROWS[row]), ALPHAS[a]
        X, y = data.X, data.y
        least = lowest(X, y, alpha)
        found = [
            np.mean([[averaged_run(method, X, y, alpha, steps, seed).objective - least
                      for steps in STEP_COUNTS]
                     for seed in range(SEEDS)], axis=0)
            for method in METHODS
        ]  # fmt: skip
        short = X / np.linalg.norm(X, axis=1).max()
        gaps = [averaged_run("SDCA", short, y, alpha, proven_steps(len(y), alpha, epsilon), 0).gap / epsilon
                for epsilon in EPSILONS]  # fmt: skip
        return [steps_needed(excess) for excess in found], gaps

    def compute() -> Arrays:
        places = [*product(range(draws), cells)]
        with context.stage("rates", len(places)) as advance, Threads(context.threads) as pool:
            found = []
            for one in pool.map(measure, places):
                found.append(one)
                advance()
        shape = draws, len(ROWS), len(ALPHAS)
        needed = np.array([one[0] for one in found]).reshape(*shape, len(METHODS), -1)
        return {
            "needed": np.moveaxis(needed, 3, 1),
            "gaps": np.array([one[1] for one in found]).reshape(*shape, -1),
            "n": np.array([2 * rows // 3 for rows in ROWS]),
        }

    key = {"rows": ROWS, "alphas": ALPHAS, "epsilons": EPSILONS, "steps": STEP_COUNTS}
    return context.part("rates", compute, draws=draws, seed=context.seed, **key)


def random_stops(context: Context) -> Arrays:
    """Stop mini-batch Pegasos at random steps on simulated rows, with lambda = 1/n.

    Returns
    -------
    dict
        excess : (`STOPS`,), P - P* of the last iterate. bound : (), that of section 3.3. optimum : ().
    """

    def compute() -> Arrays:
        data = simulated(context.seed)
        least, rng = lowest(data.X, data.y, data.alpha), np.random.default_rng(context.seed)
        excess = []
        for steps in rng.integers(1, STOP_STEPS + 1, size=STOPS):
            order = rng.integers(len(data.y), size=(1, steps * STOP_BATCH))
            run = run_given_order("Pegasos", data.X, data.y, data.alpha, order, batch_size=STOP_BATCH)
            excess.append(run.objective - least)
        c = 4 * np.linalg.norm(data.X, axis=1).max() ** 2
        bound = 42 * c * np.log(STOP_STEPS / DELTA) / (data.alpha * STOP_STEPS)
        return {"excess": np.array(excess), "bound": np.array(bound), "optimum": np.array(least)}

    return context.part("stops", compute, stops=STOPS, steps=STOP_STEPS, seed=context.seed)
