"""How fast SDCA, ASDCA and Pegasos converge: orders, projection, lambda, theta and batches.

The document's algorithms have the settings that it names; none has an intercept.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from math import inf

import numpy as np

from fastsvm.fitting import ASDCA, SDCA, Pegasos

from ..race.cost_to_level import TOLERANCE, cost_to_level, level_beyond_an_epoch, paired_ratio
from ..race.given_orders import run_given_order
from ..race.race_curves import FIELDS, Curves, race_curves
from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import BLUE, GREEN, LOG_LOG, PURPLE, VERMILION
from ..report.claim_judging import Statistic, above, below, judge, median, spelled, within
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Table
from .solver_sets import LONG, SIMULATED, WIDE, DataSet

# The four of figures 1 to 3.
VANILLA, PEGASOS, ASDCA_NAME, MINI_BATCH = "SDCA random", "Pegasos", "ASDCA", "mini-batch Pegasos"
FOUR = VANILLA, PEGASOS, ASDCA_NAME, MINI_BATCH
PERMUTATION, CYCLIC = "SDCA permutation", "SDCA cyclic"
ORDERS = VANILLA, PERMUTATION, CYCLIC
PROJECTED, MINI_BATCH_PROJECTED = "Pegasos projected", "mini-batch projected"
PROJECTIONS = {PEGASOS: PROJECTED, MINI_BATCH: MINI_BATCH_PROJECTED}
EVERY = SIMULATED, WIDE, LONG  # kinds of sets

LAMBDAS = 10.0, 1.0, 0.1, 0.01, 0.001  # the document's
PAPER, ASDCA_PAPER = "paper", "ASDCA, the paper's theta"
BATCHES = 1, 2, 8, 32
BATCH_EPOCHS = {SIMULATED: 5, "long-standardised": 2}  # of batches of 1; as many steps of all others
STEP_EPOCHS, LONG_STEPS = 10, 50_000  # of what the document measures at every step; the steps between others
THETAS = 0.001, 0.003, 0.01, 0.03, 0.1, 0.3
LEAST_GAP = 1e-7  # relative gap to which P* is known, and so the least excess that tells anything
CURVE_RUNS = 9  # the interval of a median then leaves out the lowest and the highest
ENOUGH_RUNS = 6  # the fewest that a median has an interval of


@dataclass(frozen=True)
class SetRuns:
    """What was run on a set.

    Attributes
    ----------
    data : DataSet
    curves : Curves
        Of all algorithms, by the hinge.
    thetas : Curves
        ASDCA by its own objective.
    steps : dict of str to ndarray
        The objective by steps.
    lambdas : dict of float to Curves
        Of wide sets.
    batches : dict of str to Curves
        Of some sets, by algorithm.
    """

    data: DataSet
    curves: Curves
    thetas: Curves
    steps: Arrays
    lambdas: dict[float, Curves] = field(default_factory=dict)
    batches: dict[str, Curves] = field(default_factory=dict)

    @cached_property
    def judged(self) -> Curves:
        """The curves, in which ASDCA, with its best theta and with the paper's, is above its own optimum."""
        own = {ASDCA_NAME: best_theta(self.thetas), ASDCA_PAPER: PAPER}
        asdca = {
            name: self.thetas.of[label] | {"excess": self.thetas.excess(label)} for name, label in own.items()
        }
        return Curves(self.curves.of | asdca, self.curves.optimum)


class Results:
    """What was run on all sets.

    Parameters
    ----------
    runs : list of SetRuns
    absent : dict of str to str
        Why there is no set of a kind.
    """

    def __init__(self, runs: list[SetRuns], absent: dict[str, str]):
        self.runs, self.absent = runs, absent

    def of(self, kinds: Collection[str], near: Collection[str] = ()) -> list[tuple[str, Curves]]:
        """Return titles and curves of the sets of some kinds, ASDCA by its own optimum.

        If algorithms are given, only sets on which one of them converges, if slowly.
        """
        some = [(runs.data.title, runs.judged) for runs in self.runs if runs.data.kind in kinds]
        return [
            (title, curves)
            for title, curves in some
            if not near or min(_final_excess(curves, name) for name in near) <= FAR
        ]

    def why_absent(self, kinds: Collection[str]) -> str:
        """Return why there are no sets of some of these kinds, or ""."""
        return "; ".join(reason for kind, reason in self.absent.items() if kind in kinds)


# Experiments

Models = dict[str, SDCA | Pegasos | ASDCA]


def eight_algorithms(alpha: float, batch: int, epochs: int, averaging: str = "last") -> Models:
    """Return the eight algorithms of table 2, by name and in its order; none has an intercept.

    Parameters
    ----------
    alpha : float
        The document's lambda.
    batch : int
        Rows in a batch of ASDCA and of mini-batch Pegasos, drawn anew for each step.
    epochs : int
    averaging : {"last", "tail", "random"}, default="last"
        What is returned: the last iterate, the mean of those of the last half, or one of these; ASDCA
        returns none at random, and is left out then.
    """
    common = {"alpha": alpha, "max_iter": epochs, "fit_intercept": False, "averaging": averaging}
    exact = {**common, "tol": None}
    orders = {"random": VANILLA, "permutation": PERMUTATION, "cyclic": CYCLIC}
    single, batches = {"order": "random", **common}, {"order": "batches", "batch_size": batch}
    asdca = {} if averaging == "random" else {ASDCA_NAME: ASDCA("smooth_hinge", **batches, **exact)}
    return {
        **{name: SDCA("hinge", order=order, solver="coordinate", **exact) for order, name in orders.items()},
        PEGASOS: Pegasos("hinge", **single),
        PROJECTED: Pegasos("hinge", project=True, **single),
        **asdca,
        MINI_BATCH: Pegasos("hinge", **batches, **common),
        MINI_BATCH_PROJECTED: Pegasos("hinge", project=True, **batches, **common),
    }


def curve_runs(context: Context) -> int:
    """Return how often each curve is run."""
    return min(context.runs or CURVE_RUNS, ENOUGH_RUNS if context.quick else CURVE_RUNS)


def grid_runs(context: Context) -> int:
    """Return how often each point of a grid is run."""
    return min(context.runs or ENOUGH_RUNS, ENOUGH_RUNS)


def run_set(data: DataSet, context: Context) -> SetRuns:
    """Run all on a set, or take what is kept of an earlier run; on long sets no projections, as there."""
    shape = data.alpha, data.batch, data.epochs
    models, once, grid = eight_algorithms(*shape), curve_runs(context), grid_runs(context)
    asdca = models[ASDCA_NAME].get_params()
    left_out = PROJECTIONS.values() if data.kind == LONG else ()
    general = {name: model for name, model in models.items() if name not in left_out}
    thetas = {PAPER: "paper"} | {f"{theta:g}": theta for theta in THETAS}
    by_theta = {label: ASDCA(**asdca | {"theta": theta}) for label, theta in thetas.items()}
    lambdas, batches = {}, {}
    for alpha in LAMBDAS if data.kind == WIDE else ():
        four = {name: eight_algorithms(alpha, *shape[1:])[name] for name in FOUR}
        lambdas[alpha] = set_curves(data, four, context, f"lambda-{data.name}-{alpha:g}", grid)
    if data.name in BATCH_EPOCHS:  # for as many steps; each by its own objective
        epochs = BATCH_EPOCHS[data.name]
        by_size = {size: eight_algorithms(data.alpha, size, epochs * size) for size in BATCHES}
        for name, loss in ((ASDCA_NAME, "smooth_hinge"), (MINI_BATCH, "hinge")):
            sizes = {str(size): each[name] for size, each in by_size.items()}
            batches[name] = set_curves(data, sizes, context, f"batches-{data.name}-{loss}", grid, loss)
    return SetRuns(
        data,
        set_curves(data, general, context, f"curves-{data.name}", once),
        set_curves(data, by_theta, context, f"theta-{data.name}", once, "smooth_hinge"),
        step_histories(data, context),
        lambdas,
        batches,
    )


def set_curves(
    data: DataSet, models: Models, context: Context, part: str, runs: int, loss: str = "hinge"
) -> Curves:
    """Run algorithms, measured by the objective of a loss."""
    settings = {
        name: {key: value for key, value in asdict(model).items() if value is not None}
        for name, model in models.items()
    }
    key = {"settings": settings, "X": data.X, "y": data.y, "X_test": data.X_test}
    rows = data.X, data.y, data.X_test, data.y_test
    return race_curves(context, part, models, rows, runs, loss, **key)


def step_histories(data: DataSet, context: Context) -> Arrays:
    """Return the hinge objective of the four algorithms by steps: every one, on long sets every 50,000.

    Each has (points,) values, of one run, as in the document; "every" says how many steps apart.
    """
    every = min(LONG_STEPS, len(data.y)) if data.kind == LONG else 1
    points = (data.epochs if data.kind == LONG else STEP_EPOCHS) * len(data.y) // every
    methods = {VANILLA: "SDCA", PEGASOS: "Pegasos", ASDCA_NAME: "ASDCA", MINI_BATCH: "Pegasos"}
    batches = dict.fromkeys((ASDCA_NAME, MINI_BATCH), data.batch)

    def hinge_objective(w: np.ndarray, intercept: float) -> float:
        return data.alpha / 2 * (w @ w) + np.maximum(0, 1 - data.y * (data.X @ w)).mean()

    def compute(advance: Advance) -> Arrays:
        found = {"every": np.array(every)}
        for name, method in methods.items():
            batch = batches.get(name, 1)
            rows = np.random.default_rng(context.seed).integers(len(data.y), size=(points, every * batch))
            options = {"score": hinge_objective} | ({"batch_size": batch} if batch > 1 else {})
            run = run_given_order(method, data.X, data.y, data.alpha, rows, **options)
            found[name] = np.array([line.score for line in run.history])
            advance()
        return found

    key = {"X": data.X, "y": data.y, "every": every, "points": points, "seed": context.seed}
    return context.part(f"steps-{data.name}", compute, total=len(methods), **key)


def best_theta(grid: Curves) -> str:
    """Return the theta whose median run is the first to come to `TOLERANCE` for good, or ends the lowest."""
    known = {label: np.median(grid.excess(label), axis=0, keepdims=True) for label in grid.of}
    epochs = {
        label: cost_to_level(e, grid.of[label]["visits"][:1], TOLERANCE)[0] for label, e in known.items()
    }
    return min(known, key=lambda label: (epochs[label], known[label][0, -1]))


# Claims

AXES = {"steps": "step", "visits": "row visit", "seconds": "CPU second"}  # a curve's field: one of it
CERTIFIED = 1e-7  # of P*: what the optimum of a comparison is known to
NO_CASE = "No algorithm at issue converges."
ALIKE = 2.0  # times: costs within this factor of each other count as alike
FAR = 1.0  # of P*: orders that all end further above it do not converge, and are not compared
MATTERS = 2.0  # times: an excess that differs by more is a significant effect of the batch
SAME = within(1 / ALIKE, ALIKE)
BEST_THETA = (
    "ASDCA counts to 10 % and 1 % of the optimum of its smooth hinge, with the best theta of its grid."
)
SAME_WORDS = f"Alike: within a factor of {ALIKE:g}."
DECADES = spelled("+.2g", " decades", ends="[{}, {}]")
RISES = "Measured by the sum of the objective's rises from epoch to epoch, in decades; paired differences."


def cost_ratio(
    pair: tuple[Curves, Curves], names: tuple[str, str], axis: str, level: float = TOLERANCE
) -> Statistic:
    """Return how many times as much the first algorithm needs as the second: above 1 it is slower.

    Both are run with the same seeds. What a run needs is what it has spent when it comes for good, until
    its last epoch, to within the level of its least objective; see `paired_ratio`.
    """
    first, second = (curves.excess(name) for curves, name in zip(pair, names, strict=True))
    spent = pair[0].of[names[0]][axis], pair[1].of[names[1]][axis]
    return median(paired_ratio((first, second), spent, level))


def rises(objective: np.ndarray) -> np.ndarray:
    """Return the sum of each run's rises of log10 of the objective: 0 of one that only falls."""
    return np.maximum(0, np.diff(np.log10(objective), axis=1)).sum(axis=1)


# fmt: off
def speed_claims(results: Results) -> list[Claim]:
    """Judge which algorithm, order or lambda converges faster."""
    claim = partial(_judge_ratios, results)
    orders = [(PERMUTATION, VANILLA), (CYCLIC, VANILLA), (CYCLIC, PERMUTATION)]
    return [
        *(claim(f"Plain Pegasos is the slowest of the four on every set, by the {unit}", "figures 1 to 3",
                EVERY, _pairs_of(PEGASOS, slower=True), above(1), [axis], why=_against_batches(results, axis))
          for axis, unit in AXES.items()),
        *(claim(f"On high-dimensional rows mini-batch Pegasos is the fastest, by the {AXES[axis]}",
                "figure 2", [WIDE], _pairs_of(MINI_BATCH), above(1), [axis],
                why=_excess_words(results, [WIDE], [MINI_BATCH, VANILLA]))
          for axis in ("steps", "seconds")),
        claim("With many rows and few columns SDCA and ASDCA are both faster than mini-batch Pegasos",
              "figures 1 and 3", [SIMULATED, LONG], [(MINI_BATCH, VANILLA), (MINI_BATCH, ASDCA_NAME)],
              above(1), ["visits", "seconds"]),
        *(claim(f"On simulated rows ASDCA is the fastest, closely followed by SDCA, by the {AXES[axis]}",
                "figure 1", [SIMULATED],
                [*_pairs_of(ASDCA_NAME), (PEGASOS, VANILLA), (MINI_BATCH, VANILLA)], above(1), [axis])
          for axis in ("steps", "visits")),
        claim("On skin SDCA and ASDCA converge at the same rate", "figure 3",
              [LONG], [(ASDCA_NAME, VANILLA)], SAME, why=SAME_WORDS),
        claim("On high-dimensional rows the random permutation is the slowest order of SDCA", "figure 4",
              [WIDE], [(PERMUTATION, VANILLA), (PERMUTATION, CYCLIC)], above(1),
              why=_excess_words(results, [WIDE], ORDERS), near=ORDERS),
        claim("On high-dimensional rows all three orders converge at almost the same rate", "figure 4",
              [WIDE], orders, SAME, why=SAME_WORDS, near=ORDERS),
        claim("On skin the cyclic order is slower than the two others", "figure 5",
              [LONG], orders[1:], above(1), why=_excess_words(results, [LONG], ORDERS), near=ORDERS),
        claim("On skin the permutation is as fast as draws at random", "figure 5",
              [LONG], orders[:1], SAME, why=SAME_WORDS, near=ORDERS),
        claim("Draws at random are a good default for SDCA", "section 4.3",
              EVERY, [(VANILLA, PERMUTATION), (VANILLA, CYCLIC)], within(-inf, ALIKE),
              why=f"Good: it never needs {ALIKE:g} times what another order needs.", near=ORDERS),
        _judge_cases(results, [LONG], "On skin the permutation varies more than draws at random", "figure 5",
                     {title: _rises_beyond(curves, PERMUTATION, VANILLA)
                      for title, curves in results.of([LONG], ORDERS)}, above(0), DECADES, RISES),
        claim("With and without projection Pegasos converges at the same speed", "figure 6",
              [WIDE], list(PROJECTIONS.items()), SAME,
              why=f"{SAME_WORDS} Sets on which none comes within {100 * FAR:g} % of P* do not count.",
              near=[name for pair in PROJECTIONS.items() for name in pair]),
        _judge_cases(results, [WIDE], "The projection makes convergence smoother", "figure 6",
                     {f"{title}, {plain}": _rises_beyond(curves, projected, plain)
                      for title, curves in results.of([WIDE]) for plain, projected in PROJECTIONS.items()},
                     below(0), DECADES, RISES),
        *_lambda_claims(results),
        claim("SDCA always converges faster than Pegasos", "conclusion", EVERY, [(PEGASOS, VANILLA)],
              above(1), ["visits", "seconds"],
              why="SDCA's draws at random against plain Pegasos, on every set."),
        claim("The mini-batch variants yield better results overall", "conclusion",
              EVERY, [(VANILLA, ASDCA_NAME), (PEGASOS, MINI_BATCH)], above(1),
              why="By the row visit: a variant sees as many rows in an epoch as the plain algorithm."),
    ]


def _lambda_claims(results: Results) -> Iterator[Claim]:
    """Yield the claims on lambda."""
    grids = [(runs.data.title, runs.lambdas) for runs in results.runs if runs.lambdas]
    steps = [
        (f"{title}, {name}", (grid[small], grid[large]), (f"{small:g}", f"{large:g}"), name)
        for title, grid in grids for large, small in pairwise(LAMBDAS) for name in FOUR
    ]
    optima = [(title, [grid[a].optimum for a in LAMBDAS[::-1]]) for title, grid in grids]
    spelled = [f"{title}: {', '.join(f'{p:.2g}' for p in values)}" for title, values in optima]
    theirs = "figures 8 to 11"
    yield _judge_cases(results, [WIDE], "The larger lambda, the faster the convergence", theirs, {
        f"{where}, {small} against {large}": cost_ratio(pair, (name, name), "visits")
        for where, pair, (small, large), name in steps
    }, within(1, inf), judging.show_ratio,
        "Each lambda against the next larger one, by the excess over its own P*; a step may be a draw.")
    yield _judge_cases(results, [WIDE], "The objective that is reached in the end, P*, grows with lambda",
                       theirs, {
        f"{title}, {large:g} against {small:g}": _ratio_of_optima(more, less) for title, values in optima
        for (small, large), (less, more) in zip(pairwise(LAMBDAS[::-1]), pairwise(values), strict=True)
    }, above(1), judging.show_ratio,
        f"Certified P* from the least to the largest lambda, {'; '.join(spelled)}.")
    yield _judge_cases(results, [WIDE], "So does the objective after the last epoch of each algorithm",
                       theirs, {
        f"{where}, {large} against {small}": median(
            pair[1].of[name]["primal"][:, -1] / pair[0].of[name]["primal"][:, -1])
        for where, pair, (small, large), name in steps
    }, above(1), judging.show_ratio,
        "Each lambda against the next smaller one, after as many epochs; not all have converged by then.")


def batch_claims(results: Results) -> Iterator[Claim]:
    """Yield the claims on the size of a batch: after as many steps, and after as many rows."""
    known = {f"{runs.data.title}, {name}": grid
             for runs in results.runs for name, grid in runs.batches.items()}
    sizes, times = [str(size) for size in BATCHES], spelled(".2g", " times")
    ends = {where: {size: (grid.excess(size)[:, -1], grid.of[size]["seconds"][:, -1]) for size in sizes}
            for where, grid in known.items()}
    excess, seconds = (
        {f"{where}, {more} against {less}": median(end[more][k] / end[less][k])
         for where, end in ends.items() for less, more in pairwise(sizes)}
        for k in range(2)
    )
    said = ", ".join(sizes)
    yield _judge_cases(results, EVERY, "With a larger batch convergence is better after as many steps",
                       "section 4.2", excess, below(1), times,
                       f"Excess at the end, {said}, larger over smaller.")
    yield _judge_cases(results, EVERY, "At the cost of a higher run time", "section 4.2", seconds, above(1),
                       times, "CPU of as many steps, larger over smaller.")
    yield _judge_cases(results, EVERY,
                       "The batch has a significant effect on convergence, and should be tuned", "conclusion",
                       {where: _spread(grid) for where, grid in known.items()}, above(MATTERS), times,
                       f"After as many rows visited, worst over best excess of the batches {said}.")
# fmt: on


def _pairs_of(name: str, slower: bool = False) -> list[tuple[str, str]]:
    """Return the pairs of an algorithm and the other three; the claim has the first as the slower one."""
    return [(name, other) if slower else (other, name) for other in FOUR if other != name]


def _judge_ratios(
    results: Results,
    words,
    theirs,
    kinds,
    pairs,
    region: judging.Region,
    axes=("visits",),
    *,
    why="",
    near=(),
) -> Claim:
    """Judge a claim on speed; ASDCA with its best theta, and beside it with the paper's.

    Parameters
    ----------
    results : Results
    words, theirs : str
    kinds : collection of str
        Of sets.
    pairs : sequence of (str, str)
        Algorithms: what the first needs as a multiple of what the second needs is judged.
    region : Region
    axes : sequence of str
        What is needed: fields of a curve.
    why : str
    near : collection of str
        Only sets on which one of these algorithms converges.
    """

    def claim(asdca: str, why: str) -> Claim:
        renamed = [[asdca if name == ASDCA_NAME else name for name in pair] for pair in pairs]
        cases = {
            f"{title}, {first} against {second}, to {_percent_text(level)}"
            + (f", by the {AXES[axis]}" if len(axes) > 1 else ""): cost_ratio(
                (c, c), (first, second), axis, level
            )
            for title, c in results.of(kinds, near)
            for first, second in renamed
            for level in _levels(c, first, second)
            for axis in axes
        }
        return _judge_cases(results, kinds, words, theirs, cases, region, judging.show_ratio, why)

    if any(ASDCA_NAME in pair for pair in pairs):
        papers = claim(ASDCA_PAPER, "")
        why += f" {BEST_THETA} With the paper's: {papers.verdict}, {papers.ours.partition(';')[0]}."
    return claim(ASDCA_NAME, why.strip())


def _judge_cases(
    results: Results, kinds, words, theirs, cases, region: judging.Region, show, why: str
) -> Claim:
    absent = results.why_absent(kinds)
    return judge(words, theirs, cases or absent or NO_CASE, region, show, why=why, absent=absent)


def _levels(curves: Curves, *names: str) -> list[float]:
    """Return to which levels two algorithms are compared: ones that no first epoch meets."""
    levels = (10 * TOLERANCE, TOLERANCE) if {ASDCA_NAME, ASDCA_PAPER} & {*names} else (TOLERANCE,)
    excess = [curves.excess(name) for name in names]
    return [*dict.fromkeys(level_beyond_an_epoch(*excess, level=level) for level in levels)]


def _excess_words(results: Results, kinds: Collection[str], names: Collection[str]) -> str:
    """Say how far above P* algorithms end."""
    ends = [
        f"{title}: " + ", ".join(f"{name} {_percent_text(_final_excess(curves, name))}" for name in names)
        for title, curves in results.of(kinds)
    ]
    return f"Excess over P* after the last epoch, {'; '.join(ends)}."


def _against_batches(results: Results, axis: str) -> str:
    """Say what plain Pegasos needs as a multiple of what batches need."""
    found = [cost_ratio((c, c), (PEGASOS, MINI_BATCH), axis).value for _, c in results.of(EVERY)]
    return f"Against mini-batch Pegasos alone it is {min(found):.2g} to {max(found):.2g} times, by set."


def _final_excess(curves: Curves, name: str) -> float:
    return float(np.median(curves.excess(name)[:, -1]))


def _percent_text(share: float) -> str:
    """Write a share with two digits or more."""
    if share < LEAST_GAP:
        return f"< {100 * LEAST_GAP:g} %"
    return f"{100 * share:,.0f} %" if share >= 1 else f"{100 * share:.2g} %"


def _rises_beyond(curves: Curves, name: str, other: str) -> Statistic:
    """Return by how many decades more an algorithm's objective rises than another's, over paired runs."""
    return median(rises(curves.of[name]["primal"]) - rises(curves.of[other]["primal"]))


def _ratio_of_optima(one: float, other: float) -> Statistic:
    """Return how many times as large one least objective is as another, as far as both are certified."""
    ratio = one / other
    return Statistic(ratio, ratio / (1 + CERTIFIED), ratio * (1 + CERTIFIED))


def _spread(grid: Curves) -> Statistic:
    """Return by how much the excess differs between the median-worst and the median-best batch, over runs."""
    epochs = min(grid.of[str(size)]["primal"].shape[1] for size in BATCHES)
    ends = {size: grid.excess(str(size))[:, epochs - 1] for size in BATCHES}
    order = sorted(ends, key=lambda size: np.median(ends[size]))
    return median(ends[order[-1]] / ends[order[0]])


# Figures

MEDIANS = "Lines are medians over the runs."
ROOM = 3.0  # times the highest median: an objective is drawn up to there
NEAR_WORDS = "1 % above the optimum"
SOURCES = {SIMULATED: "figure 1", WIDE: "figure 2", LONG: "figure 3"}
STYLES = {
    VANILLA: (BLUE, "-"),
    PERMUTATION: (VERMILION, "-"),
    CYCLIC: (GREEN, "-"),
    PEGASOS: (VERMILION, "--"),
    PROJECTED: (BLUE, ":"),
    ASDCA_NAME: (GREEN, "-."),
    MINI_BATCH: (PURPLE, ":"),
    MINI_BATCH_PROJECTED: (GREEN, "--"),
}
LABELS = {
    "visits": "rows visited",
    "steps": "steps",
    "seconds": "CPU time of the updates (ms)",
    "excess": "(P - P*) / P*",
    "primal": "objective P",
    "gap": "duality gap",
    "error": "test error (%)",
}
UNITS = {"seconds": 1000, "error": 100}  # that of a label, in that of the runs
LIMITS = 1e-3, 1e3  # of ratios
SHORTER = {"steps": "steps", "visits": "rows visited", "seconds": "CPU time"}


# fmt: off
def convergence_figures(results: Results) -> Iterator[Figure]:
    """Yield the figures: the four algorithms, orders, projection, lambda, theta and batches."""
    for runs in results.runs:
        yield Figure(
            f"four-{runs.data.name}", f"Four algorithms: {runs.data.title}",
            "Above, the objective's excess by steps, by rows visited and by CPU time: the axis decides what "
            "looks slow. Below, the objective of one run as the document has it, "
            f"{_every(runs.steps)}, gap and test error. {MEDIANS}",
            partial(_draw_four, runs=runs), (10.5, 7.0), source=SOURCES[runs.data.kind])
    yield Figure(
        "ratios", "What plain Pegasos needs, as a multiple of what another needs",
        "Right of 1 Pegasos is slower, to 1 % of each one's optimum; ASDCA with its best theta. Medians of "
        "paired runs with 95 % intervals.",
        partial(_draw_ratios, results=results), (10.5, 1.8 + 0.55 * len(results.runs)))
    for kind, source in ((WIDE, "figure 4"), (LONG, "figure 5")):
        if some := [runs for runs in results.runs if runs.data.kind == kind]:
            yield Figure(
                f"orders-{kind}", f"SDCA's orders: {some[0].data.called}",
                f"Each order in a panel of its own, with the medians of the other two dashed. {MEDIANS}",
                partial(_draw_orders, some=some), (10.5, 0.6 + 2.8 * len(some)), source=source)
    if wide := [runs for runs in results.runs if runs.data.kind == WIDE]:
        yield Figure(
            "projection", f"With and without projection: {wide[0].data.called}",
            "Above, one row a step; below, a batch. Weights are projected to the ball of radius "
            f"1/sqrt(lambda). {MEDIANS}",
            partial(_draw_projections, wide=wide), (9.0, 6.6), source="figure 6")
    for runs in wide:
        yield Figure(
            f"lambda-{runs.data.name}", f"Five lambdas: {runs.data.title}",
            f"Above, the objective; below, its excess over the optimum for that lambda. {MEDIANS}",
            partial(_draw_lambdas, grid=runs.lambdas), (11.0, 5.8), source="figures 8 to 11")
    yield Figure(
        "theta", "ASDCA's theta",
        "Excess of the smooth hinge objective, which ASDCA minimises, over its own optimum. The paper's "
        f"theta is the largest with a proof. {MEDIANS}",
        partial(_draw_thetas, results=results), (10.5, 0.8 + 3.2 * -(-len(results.runs) // 3)))
    batches = {f"{name},\n{runs.data.title}": grid
               for runs in results.runs for name, grid in runs.batches.items()}
    yield Figure(
        "batches", "The size of a batch",
        f"Above by steps, below by rows visited; each algorithm by its own optimum. {MEDIANS}",
        partial(_draw_batches, batches=batches), (1.2 + 2.4 * len(batches), 6.4), source="conclusion")
# fmt: on


def _every(steps: Arrays) -> str:
    return "at every step" if steps["every"] == 1 else f"every {steps['every']:,} steps"


def _draw_curves(ax, x: str, y: str, curves: Iterable[tuple], title: str, **axes) -> None:
    """Draw one field against another: of each of (curves, algorithm, label, colour, line) the median."""
    for of, name, label, color, line in curves:
        known = {**of.of[name], "excess": np.maximum(of.excess(name), LEAST_GAP)}
        spent = np.median(known[x] * UNITS.get(x, 1), axis=0)
        charts.draw_band(ax, spent, charts.median_band(known[y] * UNITS.get(y, 1)), color, label, line)
    if y == "excess":
        ax.axhline(0.01, color="0.6", label=NEAR_WORDS)
    charts.name_band(ax)
    ax.set(**LOG_LOG | {"xlabel": LABELS[x], "ylabel": LABELS[y], "title": title} | axes)


def _styled(curves: Curves, names: Iterable[str]) -> list[tuple]:
    return [(curves, name, name, *STYLES[name]) for name in names]


def _graded(curves: Iterable[tuple[Curves, str, str]]) -> list[tuple]:
    """Return curves in colours from dark to light."""
    every = list(curves)
    return [(*one, charts.viridis_color(k, len(every)), "-") for k, one in enumerate(every)]


def _draw_four(sheet, runs: SetRuns) -> None:
    curves, steps = _styled(runs.curves, FOUR), runs.steps
    above, (ax, gap, error) = sheet.subplots(2, 3)
    for each, x in zip(above, AXES, strict=True):
        _draw_curves(each, x, "excess", curves, f"excess by {SHORTER[x]}")
    for name in FOUR:
        points = steps["every"] * np.arange(1, 1 + len(steps[name]))
        ax.plot(points, steps[name], color=STYLES[name][0], linewidth=1)
    ax.axhline(runs.curves.optimum, color="black", linestyle="--", label="P*")
    ends = 0.9 * runs.curves.optimum, ROOM * max(np.median(steps[name]) for name in FOUR)
    ax.set(**LOG_LOG, ylim=ends, xlabel=LABELS["steps"], ylabel=LABELS["primal"])
    ax.set(title=f"objective of one run, {_every(steps)}")
    ax.legend()
    _draw_curves(gap, "visits", "gap", curves, "duality gap")
    _draw_curves(error, "visits", "error", curves, "test error", yscale="linear")
    charts.legend_below(sheet, len(FOUR) + 2)


def _draw_ratios(sheet, results: Results) -> None:
    others = [name for name in FOUR if name != PEGASOS]
    for ax, (axis, unit) in zip(sheet.subplots(1, len(AXES), sharey=True), AXES.items(), strict=True):
        for shift, other in zip((-0.22, 0, 0.22), others, strict=True):
            found = [cost_ratio((c, c), (PEGASOS, other), axis) for _, c in results.of(SOURCES)]
            charts.draw_dots(ax, found, STYLES[other][0], other, shift=shift, limits=LIMITS)
        ax.plot([], [], ">", color="0.4", label="only one of the two gets there")
        ax.axvline(1, color="0.6")
        charts.name_rows(ax, [runs.data.title for runs in results.runs])
        ax.set(xscale="log", xlim=LIMITS, xlabel="Pegasos / other", title=f"by the {unit}")
    charts.legend_below(sheet, len(AXES) + 1)


def _draw_orders(sheet, some: list[SetRuns]) -> None:
    """Draw a panel for each order, with the medians of the others."""
    axes = sheet.subplots(len(some), len(ORDERS), sharex="row", sharey="row", squeeze=False)
    for row, runs in zip(axes, some, strict=True):
        for ax, order in zip(row, ORDERS, strict=True):
            for name in ORDERS:
                if name == order:
                    curves = _styled(runs.curves, [order])
                    _draw_curves(ax, "visits", "excess", curves, f"{order}, {runs.data.scaling}")
                else:
                    excess = np.median(np.maximum(runs.curves.excess(name), LEAST_GAP), axis=0)
                    spent = np.median(runs.curves.of[name]["visits"], axis=0)
                    ax.plot(spent, excess, "--", color=STYLES[name][0], label=name)
    charts.legend_below(sheet, 5)


def _draw_projections(sheet, wide: list[SetRuns]) -> None:
    """Draw a pair in each panel; the legend has both pairs."""
    axes = sheet.subplots(len(PROJECTIONS), len(wide), squeeze=False)
    for row, pair in zip(axes, PROJECTIONS.items(), strict=True):
        for ax, runs in zip(row, wide, strict=True):
            curves = _styled(runs.curves, pair)
            _draw_curves(ax, "steps", "excess", curves, f"{pair[0]}, {runs.data.scaling}")
    for name in MINI_BATCH, MINI_BATCH_PROJECTED:
        axes[0, 0].plot([], [], STYLES[name][1], color=STYLES[name][0], label=name)
    charts.legend_below(sheet, 3)


def _draw_lambdas(sheet, grid: dict[float, Curves]) -> None:
    axes = sheet.subplots(2, len(FOUR), sharex=True, sharey="row")
    for row, y in zip(axes, ("primal", "excess"), strict=True):
        for ax, name in zip(row, FOUR, strict=True):
            curves = _graded((grid[alpha], name, f"lambda {alpha:g}") for alpha in LAMBDAS)
            _draw_curves(ax, "visits", y, curves, name)
    axes[0, 0].plot([], [], color="0.6", label=NEAR_WORDS)  # the legend is that of the first panel
    charts.legend_below(sheet, len(LAMBDAS) + 2)


def _draw_thetas(sheet, results: Results) -> None:
    for ax, runs in zip(charts.panels(sheet, len(results.runs), 3), results.runs, strict=True):
        labels = [label for label in runs.thetas.of if label != PAPER]
        curves = _graded((runs.thetas, label, f"theta {label}") for label in labels)
        papers = runs.thetas, PAPER, "the paper's theta", "black", "--"
        _draw_curves(ax, "visits", "excess", [*curves, papers], runs.data.title)
    charts.legend_below(sheet, 5)


def _draw_batches(sheet, batches: dict[str, Curves]) -> None:
    axes = sheet.subplots(2, len(batches), squeeze=False)
    for row, x in zip(axes, ("steps", "visits"), strict=True):
        for ax, (title, grid) in zip(row, batches.items(), strict=True):
            curves = _graded((grid, label, f"batch {label}") for label in grid.of)
            _draw_curves(ax, x, "excess", curves, title)
    charts.legend_below(sheet, 6)


# fmt: off
def solver_tables(results: Results, claims: list[Claim], accuracy: Table) -> list[Table]:
    """Return all tables."""
    return [
        Table("sets", "Data sets", "The batch is that of ASDCA and mini-batch Pegasos.",
              ("set", "training rows", "test rows", "features", "lambda", "batch", "epochs"),
              [[runs.data.title, len(runs.data.y), len(runs.data.y_test), runs.data.X.shape[1],
                runs.data.alpha, runs.data.batch, runs.data.epochs] for runs in results.runs],
              source="table 1"),
        accuracy,
        Table("ends", "After the last epoch",
              "Medians over the runs. Excess: (P - P*) / P*, with the 95 % interval of its median.",
              ("set", "algorithm", "objective", "excess", "from", "to", "gap", "test error", "CPU seconds"),
              [[runs.data.title, name, _last(of, "primal"), *median(runs.curves.excess(name)[:, -1]),
                _last(of, "gap"), _last(of, "error"), _last(of, "seconds")]
               for runs in results.runs for name, of in runs.curves.of.items()]),
        Table("lambda", "Five lambdas", "Medians over the runs with 95 % intervals.",
              ("set", "lambda", "algorithm", "P*", "objective at the end", "from", "to"),
              [[runs.data.name, alpha, solver, curves.optimum, *median(of["primal"][:, -1])]
               for runs in results.runs for alpha, curves in runs.lambdas.items()
               for solver, of in curves.of.items()],
              source="figures 8 to 11"),
        Table("theta", "ASDCA's theta",
              "(P - P*) / P* of the smooth hinge objective; the best is the first to come to 1 % for good.",
              ("set", "theta", "excess at the end", "from", "to", "best"),
              [[runs.data.name, label, *median(runs.thetas.excess(label)[:, -1]),
                "yes" if label == best_theta(runs.thetas) else ""]
               for runs in results.runs for label in runs.thetas.of]),
        Table("curves", "All curves", "Medians over the runs.", ("set", "algorithm", "epoch", *FIELDS),
              [[runs.data.name, name, epoch + 1, *(float(np.median(of[key][:, epoch])) for key in FIELDS)]
               for runs in results.runs for name, of in runs.curves.of.items()
               for epoch in range(of["primal"].shape[1])],
              shown=False, source="figures 1 to 6"),
        Table("comparisons", "All comparisons", "What each verdict rests on.",
              ("claim", "comparison", "value", "from", "to", "verdict"),
              [[claim.words, *case] for claim in claims for case in claim.cases],
              shown=False),
    ]
# fmt: on


def _last(runs: Arrays, key: str) -> float:
    return float(np.median(runs[key][:, -1]))
