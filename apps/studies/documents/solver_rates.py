"""Numbers of steps: how many an error takes, whether what is proven suffices, and stops at random."""

from itertools import product

import numpy as np

from fastsvm.fitting import SDCA

from ...common.statistics import wilson_interval
from ..race.given_orders import run_given_order
from ..report import charts
from ..report.claim_judging import Statistic, above, alike, judge, mean, spelled, within
from ..report.study_report import Advance, Arrays, Claim, Context, Figure
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

    places = [*product(range(draws), cells)]

    def compute(advance: Advance) -> Arrays:
        found = context.in_threads(measure, places, advance)
        shape = draws, len(ROWS), len(ALPHAS)
        needed = np.array([one[0] for one in found]).reshape(*shape, len(METHODS), -1)
        return {
            "needed": np.moveaxis(needed, 3, 1),
            "gaps": np.array([one[1] for one in found]).reshape(*shape, -1),
            "n": np.array([2 * rows // 3 for rows in ROWS]),
        }

    key = {"rows": ROWS, "alphas": ALPHAS, "epsilons": EPSILONS, "steps": STEP_COUNTS}
    return context.part("rates", compute, total=len(places), draws=draws, seed=context.seed, **key)


def random_stops(context: Context) -> Arrays:
    """Stop mini-batch Pegasos at random steps on simulated rows, with lambda = 1/n.

    Returns
    -------
    dict
        excess : (`STOPS`,), P - P* of the last iterate. bound : (), that of section 3.3. optimum : ().
    """

    def compute(advance: Advance) -> Arrays:
        data = simulated(context.seed)
        least, rng = lowest(data.X, data.y, data.alpha), np.random.default_rng(context.seed)
        excess = []
        for steps in rng.integers(1, STOP_STEPS + 1, size=STOPS):
            order = rng.integers(len(data.y), size=(1, steps * STOP_BATCH))
            run = run_given_order("Pegasos", data.X, data.y, data.alpha, order, batch_size=STOP_BATCH)
            excess.append(run.objective - least)
            advance()
        c = 4 * np.linalg.norm(data.X, axis=1).max() ** 2
        bound = 42 * c * np.log(STOP_STEPS / DELTA) / (data.alpha * STOP_STEPS)
        return {"excess": np.array(excess), "bound": np.array(bound), "optimum": np.array(least)}

    return context.part("stops", compute, total=STOPS, stops=STOPS, steps=STOP_STEPS, seed=context.seed)


# Claims and the figure

SLOPE, RATIO, SHARE = spelled(".2f"), spelled(".2g", " times"), spelled(".3f")
FLAT = 0.15  # an exponent of n within this of 0: no growth
GOOD = 0.1  # of P*: what a good solution is within


def rate_claims(rates: Arrays, stops: Arrays) -> list[Claim]:
    """Judge the claims on numbers of steps."""
    log = np.log(np.minimum(rates["needed"], 2 * STEP_COUNTS[-1]))  # (draws, methods, rows, alphas, epsilons)
    logs = np.meshgrid(np.log(rates["n"]), -np.log(ALPHAS), -np.log(EPSILONS), indexing="ij")
    both = np.log(rates["n"][:, None, None] + 1 / np.multiply.outer(ALPHAS, EPSILONS))
    slopes = np.array([[_slopes(of_method, *logs) for of_method in draw] for draw in log])
    together = np.array([_slopes(draw[1], both)[0] for draw in log])
    many = log[:, 1, -1, 0] - log[:, 0, -1, 0]  # SDCA's over Pegasos', most rows, strongest lambda
    precise = log[:, 0, 0, -1] - log[:, 1, 0, -1]
    n, least = rates["n"], rates["n"][0]
    inside = [stops["excess"] <= stops["bound"], stops["excess"] <= GOOD * stops["optimum"]]
    better = inside[1].reshape(-1, 2).any(axis=1)
    times = float(stops["bound"] / np.median(stops["excess"]))
    most = within(-np.inf, 1 + FLAT)
    at_most = "fitted over lambda, epsilon and n."

    def ratio(logs: np.ndarray) -> Statistic:
        return Statistic(*np.exp(mean(logs)))

    return [
        judge("Pegasos needs O(1/(lambda epsilon)) steps to an excess of epsilon", "section 2.3",
              {"power of 1/lambda": mean(slopes[:, 0, 1]), "power of 1/epsilon": mean(slopes[:, 0, 2])},
              most, SLOPE, why=f"Powers {at_most}"),
        judge("And its steps do not depend on the number of rows", "section 2.3", mean(slopes[:, 0, 0]),
              alike(FLAT), lambda s: f"they grow with n to the power {SLOPE(s)}, n {least:,} to {n[-1]:,}"),
        judge("SDCA needs O(n + 1/(lambda epsilon)) steps", "section 2.3", mean(together), most,
              lambda s: f"they grow with n + 1/(lambda epsilon) to the power {SLOPE(s)}",
              why=f"The power {at_most}"),
        judge("So on many rows with a strong lambda Pegasos needs fewer steps", "section 2.3",
              {f"epsilon {epsilon:g}": ratio(many[:, k]) for k, epsilon in enumerate(EPSILONS)}, above(1),
              lambda s: f"SDCA takes {RATIO(s)} as many",
              why=f"n {n[-1]:,}, lambda {ALPHAS[0]:g}; SDCA's over those of Pegasos."),
        judge("For accurate solutions SGD is slow: on few rows with a weak lambda SDCA needs fewer steps",
              "section 2.3", ratio(precise[:, -1]), above(1), lambda s: f"Pegasos takes {RATIO(s)} as many",
              why=f"n {least:,}, epsilon {EPSILONS[-1]:g}, lambda {ALPHAS[-1]:g}."),
        judge("T0 + n + 5/(lambda epsilon) steps of SDCA bring the expected gap to epsilon", "section 2.4",
              {f"n {n[r]:,}, lambda {alpha:g}, epsilon {epsilon:g}": mean(rates["gaps"][:, r, a, e])
               for r in range(len(ROWS)) for a, alpha in enumerate(ALPHAS)
               for e, epsilon in enumerate(EPSILONS)},
              within(-np.inf, 1), lambda s: f"a gap of {SHARE(s)} epsilon",
              why="Rows scaled to norm 1 at most, L = 1, T0 = max(0, n log(lambda n / 2)), the average of "
                  "the last half; the mean gap over epsilon, in every case."),
        judge("In half of the cases Pegasos stopped at random is within 42 c ln(T/delta) / (lambda T)",
              "section 3.3", _share(inside[0]), above(0.5),
              lambda s: f"{SHARE(s)} of {len(inside[0])} stops; the bound is {times:,.0f} times the median "
                        "excess",
              why=f"Simulated rows, lambda 1/n, T {STOP_STEPS:,}, batches of {STOP_BATCH}, delta {DELTA:g}, "
                  "c = 4 R^2."),
        judge("After two attempts one is likely to have a good solution", "section 3.3", _share(better),
              above(0.5), lambda s: f"{SHARE(s)} of {len(better)} pairs, {inside[1].mean():.3f} of stops",
              why=f"Good is within {100 * GOOD:g} % of P*."),
    ]  # fmt: skip


def _share(holds: np.ndarray) -> Statistic:
    return Statistic(float(holds.mean()), *wilson_interval(int(holds.sum()), len(holds)))


def _slopes(logs: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """Return the least-squares powers of some quantities, all given as logarithms."""
    columns = np.column_stack([*(np.ravel(each) for each in of), np.ones(logs.size)])
    return np.linalg.lstsq(columns, logs.ravel(), rcond=None)[0][:-1]


def rate_figure(rates: Arrays) -> Figure:
    """Return the figure of the numbers of steps."""

    def draw(sheet) -> None:
        for a, ax in enumerate(sheet.subplots(1, len(ALPHAS), sharey=True)):
            for m, (method, color) in enumerate((("Pegasos", charts.VERMILION), ("SDCA", charts.BLUE))):
                for e, line in ((0, "o-"), (len(EPSILONS) - 1, "s--")):
                    steps = np.exp(charts.mean_band(np.log(rates["needed"][:, m, :, a, e]).T))
                    label = f"{method}, epsilon {EPSILONS[e]:g}"
                    charts.draw_band(ax, rates["n"], steps, color, label, line)
            ax.plot(rates["n"], rates["n"], ":", color="0.5", label="n")
            ax.set(**charts.LOG_LOG, xlabel="rows n", ylabel="steps", title=f"lambda {ALPHAS[a]:g}")
        charts.legend_below(sheet, 5)

    words = (
        "Simulated rows, average of the last half of the steps. Pegasos needs as many whatever n is; SDCA "
        f"needs n and more where lambda is strong. Means over {len(rates['needed'])} draws of rows; "
        "bands of 95 %."
    )
    title = "Steps to an excess of epsilon, by the number of rows"
    return Figure("rates", title, words, draw, (10.5, 4.4), source="section 2.3")
