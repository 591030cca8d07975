"""The study of "Multiclass Classification with Pegasos": kernels on handwritten digits, over a grid.

Intervals are Student's over the folds, whose test digits are all different; settings are compared fold by
fold, on the same draws of rows.
"""

import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...common.folds import stratified_folds
from ...common.printing import many
from ...common.statistics import mean_interval, wilson_interval
from ..data.public_sets import usps_or_small_digits
from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import TEN_COLORS
from ..report.claim_judging import Statistic, above, below, judge, mean, spelled
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Report, Table
from .plain_kernel_pegasos import gaussian_matrix, naive, vectorised

# What is tried: kernels, numbers of steps and strengths of the document.
POLYNOMIALS = {
    f"degree {n}": {"kernel": "poly", "gamma": 1.0, "coef0": 1.0, "degree": n} for n in (2, 3, 4, 7)
}
GAUSSIANS = {f"gamma {g:g}": {"kernel": "rbf", "gamma": 1 / (2 * g)} for g in (0.25, 0.75, 2.0)}
KERNELS = POLYNOMIALS | GAUSSIANS
LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
GRID_STEPS = (1000, 5000, 10_000, 25_000, 50_000)
FOLDS = 5
# What the document leaves to further research: lower lambda, higher gamma.
WIDER = {f"gamma {g:g}": {"kernel": "rbf", "gamma": 1 / (2 * g)} for g in (2.0, 4.0, 8.0, 16.0)}
WIDER_LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5)

USPS_SHAPE = 9298, 256
MEMORY_ROWS = 300  # that are measured; memory grows with their square
RACE_ROWS, RACE_G, RACE_ALPHA = 1000, 2.0, 1e-4
IMPLEMENTATIONS = ("naive", "vectorised", "compiled")
COMPONENTS = 40  # of PCA, that t-SNE starts from
SAMPLES = 3  # of each digit, in a picture
TICKS = (0.5, 1, 2, 3, 5, 7, 10, 20, 50)  # per cent, of the scale of colours

Cell = tuple[str, int, float]  # kernel, T and lambda

# The document's best.
BEST_POLYNOMIAL: Cell = ("degree 3", 50_000, 1.0)
BEST_GAUSSIAN: Cell = ("gamma 2", 25_000, 1e-5)
DOCUMENT_ERRORS = {"degree 3": 0.0265, "degree 4": 0.027, "gamma 2": 0.027}

NO_EFFECT = 0.002  # of an error: about a standard error of the best ones, on USPS's 9,298 digits
GROUPED = 0.9  # of the digits lie next to the same digit
MUCH = 10  # times as fast
ROUNDED = 0.05  # of a number of bytes
LINEAR = (0.8, 1.2)  # exponents of T
SEVERE = 10  # times as many of one digit as of another
POINTS = spelled("+.2f", " points", 100)
OTHERS = "These are other digits; it needs USPS (--data)."


@dataclass(frozen=True)
class Size:
    """How much is done.

    Attributes
    ----------
    steps : tuple of int
        Values of T, increasing.
    rows : int or None
        At most so many digits; None: all.
    plane_rows, plane_steps : int
        Digits that t-SNE gets, and its iterations.
    race_steps : tuple of int
        Values of T for the comparison of implementations, increasing.
    repeats : int
        How often each implementation is timed.
    """

    steps: tuple[int, ...] = GRID_STEPS
    rows: int | None = None
    plane_rows: int = 4000
    plane_steps: int = 500
    race_steps: tuple[int, ...] = (10, 25, 50, 100, 250, 500, 1000)
    repeats: int = 3


WHOLE = Size()
QUICK = Size(steps=GRID_STEPS[:3], rows=2000, plane_rows=500, plane_steps=300, race_steps=(10, 25, 50, 100))


def run(context: Context) -> Report:
    """Run the study."""
    size = QUICK if context.quick else WHOLE
    X, y, usps, words = read_digits(context.data, size.rows)
    key = {"X": X, "y": y, "seed": context.seed}
    seeds = range(context.seed, context.seed + (context.runs or 1))
    grids = kernel_grids(context, X, y, size, seeds, KERNELS, LAMBDAS)
    is_wider = context.grid == "wider"
    wider = kernel_grids(context, X, y, size, seeds, WIDER, WIDER_LAMBDAS) if is_wider else {}
    kept = {"steps": size.race_steps, "repeats": size.repeats}
    compute = partial(race_implementations, X, y, size, context.seed)
    race = context.part("race", compute, total=size.repeats, **key, **kept)
    kept = {"rows": size.plane_rows, "steps": size.plane_steps}
    plane = context.part("plane", partial(tsne_plane, X, y, size, context), **key, **kept)
    found = KernelErrors(size.steps, {name: grid["error"] for name, grid in grids.items()})
    claims = [
        *data_claims(y, plane, race, size, memory(X)),
        *error_claims(found, usps),
        *lambda_claims(found),
        *step_claims(found, {name: grid["seconds"].mean(axis=0) for name, grid in grids.items()}),
        *([wider_claim(found, wider)] if wider else []),
    ]
    return Report(
        title="Ten digits: kernel Pegasos over a grid",
        document="G. Cerizza, Multiclass Classification with Pegasos (University of Milan)",
        data=words,
        settings={
            "kernels": ", ".join(KERNELS),
            "lambda": ", ".join(f"{each:g}" for each in LAMBDAS),
            "T": ", ".join(f"{each:,}" for each in size.steps),
            "folds": f"{FOLDS}, stratified, {many(len(seeds), 'time')}",
        },
        claims=claims,
        figures=kernel_figures(X, y, size, grids, race, plane, wider),
        tables=kernel_tables(size, grids, race),
    )


def read_digits(folder: str | None, most: int | None) -> tuple[np.ndarray, np.ndarray, bool, str]:
    """Return USPS from a folder, or scikit-learn's digits where there is none.

    Parameters
    ----------
    folder : str or None
    most : int or None
        Of more rows than this, a stratified sample.

    Returns
    -------
    X : ndarray of shape (n, side * side) and dtype float32
        Ink from 0 to 1.
    y : ndarray of shape (n,) and dtype int
    usps : bool
        Whether they are all digits of USPS, so that errors compare with the document's.
    words : str
        What they are, for the report.
    """
    X, y, usps = usps_or_small_digits(folder)
    X, side = X.astype(np.float32, copy=False), round(X.shape[1] ** 0.5)
    name = "USPS" if usps else "scikit-learn's digits"
    absent = "" if usps or folder is None else " The folder of the data has no usps.npz."
    size = f"{len(y):,} images of {side} x {side} pixels"
    if most is not None and len(y) > most:
        from sklearn.model_selection import train_test_split

        X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=0)
        size, usps = f"{most:,} of the {size}", False
    return X, y, usps, f"{name}, {size}.{absent}"


# What is measured


def kernel_grids(
    context: Context, X, y, size: Size, seeds: range, kernels: dict[str, dict], lambdas: tuple[float, ...]
) -> dict[str, Arrays]:
    """Measure each kernel over all strengths and numbers of steps; each is a part of its own.

    Parameters
    ----------
    context : Context
    X, y : ndarray
    size : Size
    seeds : range
        A cross-validation for each.
    kernels : dict of str to dict
        By name, parameters of :class:`fastsvm.KernelPegasosClassifier`.
    lambdas : tuple of float

    Returns
    -------
    dict of str to dict
        By kernel, error and seconds (CPU time of the steps, for all classes): ndarrays of shape
        (n_lambdas, n_steps, n_folds), the folds of all seeds.
    """
    key = {"X": X, "y": y, "steps": size.steps, "seeds": [*seeds], "lambdas": lambdas}
    found = {}
    for name, kernel in kernels.items():
        compute = partial(measure_kernel, X, y, kernel, lambdas, size.steps, seeds, context.threads)
        total = len(lambdas) * FOLDS * len(seeds)
        found[name] = context.part("grid", compute, total=total, kernel=kernel, **key)
    return found


def measure_kernel(X, y, kernel, lambdas, steps, seeds, threads: int, advance: Advance) -> Arrays:
    """Measure one kernel: a value of `kernel_grids`; `advance` is called after each fold and strength."""
    from fastsvm import kernel_pegasos_grid

    options = {"kernels": [kernel], "alphas": lambdas, "n_iters": steps, "n_jobs": threads}
    options["progress"] = lambda *_: advance()
    runs = [
        kernel_pegasos_grid(X, y, cv=stratified_folds(y, FOLDS, seed), random_state=seed, **options)[0]
        for seed in seeds
    ]
    return {name: np.concatenate([run[name] for run in runs], axis=-1) for name in ("error", "seconds")}


def race_implementations(X, y, size: Size, seed: int, advance: Advance) -> Arrays:
    """Time three implementations on the problem of one class, with a gaussian kernel.

    Returns
    -------
    dict
        seconds: CPU time of the first steps, kernel values included, of the naive, the vectorised and the
        compiled one, ndarray of shape (3, n_steps, repeats).
    """
    from fastsvm import KernelPegasosClassifier

    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:RACE_ROWS]
    X, signs = np.ascontiguousarray(X[rows]), np.where(y[rows] == np.bincount(y).argmax(), 1, -1)
    compiled = KernelPegasosClassifier(gamma=1 / (2 * RACE_G), alpha=RACE_ALPHA, n_jobs=1, random_state=seed)
    seconds = np.empty((3, len(size.race_steps), size.repeats))
    for repeat in range(size.repeats):
        order = rng.integers(len(signs), size=size.race_steps[-1])
        seconds[0, :, repeat] = _seconds_at(naive(X, signs, order, RACE_ALPHA, RACE_G), size.race_steps)
        seconds[1, :, repeat] = _seconds_at(vectorised(X, signs, order, RACE_ALPHA, RACE_G), size.race_steps)
        for k, steps in enumerate(size.race_steps):
            start = time.process_time()
            compiled.set_params(n_iter=steps).fit(X, signs)
            seconds[2, k, repeat] = time.process_time() - start
        advance()
    return {"seconds": seconds}


def _seconds_at(run: Iterator, steps: tuple[int, ...]) -> list[float]:
    """Return the CPU time of a run at some of its steps."""
    start = time.process_time()
    return [time.process_time() - start for t, _ in enumerate(run, start=1) if t in steps]


def memory(X: np.ndarray) -> dict[str, float]:
    """Measure the kernel matrix and the tensor of all differences; gigabytes, scaled to the size of USPS."""
    rows, (n, d) = np.ascontiguousarray(X[:MEMORY_ROWS], np.float32), USPS_SHAPE
    larger = (n / len(rows)) ** 2 / 1e9
    tracemalloc.start()
    tensor = rows[:, None] - rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrix = gaussian_matrix(rows, RACE_G)
    return {"matrix": matrix.nbytes * larger, "tensor": peak * larger * d / tensor.shape[-1]}


def tsne_plane(X, y, size: Size, context: Context, _: Advance) -> Arrays:
    """Project a sample of the digits by t-SNE, and look at the nearest neighbour of each in the plane.

    Returns
    -------
    dict
        points : ndarray of shape (m, 2)
        labels : ndarray of shape (m,) and dtype int
        nearest : ndarray of shape (m,) and dtype bool
            Whether the nearest point is the same digit.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    from sklearn.neighbors import NearestNeighbors
    from threadpoolctl import threadpool_limits

    seed, threads = context.seed, context.threads
    rows = np.random.default_rng(seed).permutation(len(y))[: size.plane_rows]
    labels = y[rows]
    reduced = PCA(min(COMPONENTS, X.shape[1]), random_state=seed).fit_transform(X[rows])
    with threadpool_limits(threads):  # its gradient would take all
        points = TSNE(max_iter=size.plane_steps, random_state=seed, n_jobs=threads).fit_transform(reduced)
    near = NearestNeighbors(n_neighbors=1).fit(points).kneighbors(return_distance=False)
    return {"points": points, "labels": labels, "nearest": labels[near[:, 0]] == labels}


# Claims


class KernelErrors:
    """The test errors of the grid.

    Parameters
    ----------
    steps : tuple of int
        The values of T.
    of : dict of str to ndarray of shape (n_lambdas, n_steps, n_folds)
        By kernel.
    """

    def __init__(self, steps: tuple[int, ...], of: dict[str, np.ndarray]):
        self.steps, self.of = steps, of

    def at(self, cell: Cell) -> np.ndarray:
        """Return the errors of a cell, fold by fold."""
        kernel, steps, alpha = cell
        return self.of[kernel][LAMBDAS.index(alpha), self.steps.index(steps)]

    def best(self, kernels) -> Cell:
        """Return the cell of some kernels with the lowest mean."""
        lowest = {}
        for kernel in kernels:
            means = self.of[kernel].mean(axis=-1)
            alpha, step = np.unravel_index(means.argmin(), means.shape)
            lowest[kernel, self.steps[step], LAMBDAS[alpha]] = means.min()
        return min(lowest, key=lowest.__getitem__)

    def effect(self, kernel: str) -> np.ndarray:
        """Return how much the error differs between the worst and the best lambda, on average over T."""
        errors = self.of[kernel]
        means = errors.mean(axis=-1)
        worst, best = means.argmax(axis=0), means.argmin(axis=0)
        return np.mean([errors[worst[t], t] - errors[best[t], t] for t in range(len(self.steps))], axis=0)

    def missing(self, steps: int) -> str:
        """Return why nothing is measured at so many steps, or ""."""
        return "" if steps in self.steps else f"It takes {steps:,} steps; run without --quick."


def points(values: np.ndarray) -> str:
    """Write errors as percentage points."""
    return f"{100 * values.mean():+.2f}"


# fmt: off
def data_claims(y, plane: Arrays, race: Arrays, size: Size, bytes_of: dict[str, float]) -> list[Claim]:
    """Judge the claims on the digits, the plane, the implementations and their memory."""
    counts = np.unique(y, return_counts=True)[1]
    nearest, labels = plane["nearest"], plane["labels"]
    shares = {label: nearest[labels == label].mean() for label in np.unique(labels)}
    worst = min(shares, key=shares.__getitem__)
    grouped = Statistic(nearest.mean(), *wilson_interval(int(nearest.sum()), len(nearest)))
    plain, vector, compiled = race["seconds"][:, -1]  # at the most steps
    faster = Statistic(*np.exp(mean(np.log(plain / vector))))
    return [
        judge("The classes are not severely imbalanced", "figure 2",
              judging.fixed(counts.max() / counts.min()), below(SEVERE),
              lambda s: f"the most frequent digit occurs {s.value:.1f} times as often as the rarest"),
        judge("t-SNE shows ten groups that are clearly apart", "figure 3", grouped, above(GROUPED),
              lambda s: f"{spelled('.1f', ' %', 100)(s)} of the digits lie next to one of their kind; "
                        f"fewest of {worst}, {100 * shares[worst]:.1f} %",
              why=f"Groups are apart where surely more than {100 * GROUPED:.0f} % do."),
        judge("Vectorised sums and a kernel matrix make training much faster", "figure 4", faster,
              above(MUCH), lambda s: f"{spelled('.0f', ' times as fast')(s)} at T {size.race_steps[-1]:,}; "
                                     f"compiled {np.median(plain / compiled):.0f} times",
              why=f"Much is more than {MUCH} times; the kernel matrix costs the same at any T."),
        *(judge(f"{words} takes {theirs:g} GB", f"{theirs:g} GB, section 2.3", judging.fixed(bytes_of[name]),
                judging.meets(theirs * (1 - ROUNDED), theirs * (1 + ROUNDED)), lambda s: f"{s.value:.3g} GB",
                why=f"{MEMORY_ROWS} rows of float32, scaled to 9,298; within {100 * ROUNDED:g} %.")
          for words, theirs, name in (("The kernel matrix of all digits", 0.34, "matrix"),
                                      ("The tensor of all differences", 87, "tensor"))),
    ]


def error_claims(found: KernelErrors, usps: bool) -> list[Claim]:
    """Judge the errors that the document gives."""
    return [_judge_error(found, usps, *row) for row in (
        ("The best polynomial is of degree 3, at T 50,000 and lambda 1, with an error of 2.65 %",
         "2.65 %, figure 6", 0.0265, BEST_POLYNOMIAL),
        ("Degree 4 is very close, with 2.7 %", "2.7 %, figure 7", 0.027, found.best(["degree 4"])),
        ("The best gaussian is of gamma 2, at T 25,000 and lambda 1e-5, with an error of 2.7 %",
         "2.7 %, figure 11", 0.027, BEST_GAUSSIAN),
        ("At T 1,000 the gaussian of gamma 2 has some 7.0 % already",
         "7.0 %, figure 11", 0.070, (BEST_GAUSSIAN[0], 1000, BEST_GAUSSIAN[2])),
    )]


def _judge_error(found: KernelErrors, usps: bool, words: str, theirs: str, value: float, cell: Cell) -> Claim:
    if found.missing(cell[1]):
        return judge(words, theirs, found.missing(cell[1]), above(0))
    best, better = found.best(POLYNOMIALS if cell[0] in POLYNOMIALS else GAUSSIANS), ""
    place = "{}, T {:,}, lambda {:g}".format
    if cell in (BEST_POLYNOMIAL, BEST_GAUSSIAN) and best != cell:
        better = f"; the best of its kind is {100 * found.at(best).mean():.2f} % at {place(*best)}"
    claim = judge(words, theirs, mean(100 * found.at(cell)), judging.reaches(100 * value, unit=" %"),
                  lambda s: f"{spelled('.2f', ' %')(s)} at {place(*cell)}{better}")
    return claim if usps else judging.untested(claim, OTHERS)


def lambda_claims(found: KernelErrors) -> list[Claim]:
    """Judge the claims on lambda and on degree 7."""
    worse = found.of["degree 7"] - found.of["degree 2"]
    by_steps = {f"{steps:,}": worse[:, t].mean(axis=0) for t, steps in enumerate(found.steps)}
    cells = worse.mean(axis=-1) > 0
    lowest = [found.of[name].mean(axis=-1).min(axis=0) for name in ("degree 7", "degree 2")]
    gains = {(name, t): mean(found.of[name][-1, t] - found.of[name][0, t])
             for name in GAUSSIANS for t in range(len(found.steps))}
    lower = sum(gain.value > 0 for gain in gains.values())
    surely = sum(gain.low > 0 for gain in gains.values())
    return [
        _judge_effect(found, "Lambda matters little, but for degree 2", "figures 5 to 8", "degree 2",
                      [name for name in POLYNOMIALS if name != "degree 2"]),
        judge("Degree 7 does not depend on lambda at all", "figure 8",
              mean(found.effect("degree 7")), below(NO_EFFECT),
              lambda s: f"{POINTS(s)} between the best and the worst lambda",
              why=f"No effect is one below {100 * NO_EFFECT:.1f} points."),
        judge("Degree 7 is worse than degree 2 at every T", "figures 5 and 8",
              {steps: mean(each) for steps, each in by_steps.items()}, above(0),
              ours=f"worse in {cells.sum()} of {cells.size} cells; points by T, mean over lambda: "
                   f"{', '.join(map(points, by_steps.values()))}; of the best lambdas: "
                   f"{', '.join(map(points, lowest[0] - lowest[1]))}",
              why="The mean over lambda, at every T."),
        _judge_effect(found, "Lambda hardly matters at gamma 0.25 and 0.75, and much at 2", "figures 9 to 11",
                      "gamma 2", ["gamma 0.25", "gamma 0.75"]),
        judge("With gaussians a low lambda is better, at every gamma and T", "figures 9 to 11", gains,
              above(0), ours=f"lambda {LAMBDAS[0]:g} has a lower error than {LAMBDAS[-1]:g} in {lower} "
                             f"of {len(gains)} rows, surely in {surely}",
              why="In all of them."),
    ]


def _judge_effect(found: KernelErrors, words: str, theirs: str, sensitive: str, others: list[str]) -> Claim:
    """Judge whether lambda matters little for some kernels, compared with a sensitive one."""
    effects = {name: found.effect(name) for name in (sensitive, *others)}
    cases = {name: mean(effects[sensitive] / 2 - effects[name]) for name in others}
    cases[sensitive] = mean(effects[sensitive] - NO_EFFECT)
    parts = [f"{name} {100 * effect.mean():.2f}" for name, effect in effects.items()]
    return judge(words, theirs, cases, above(0),
                 ours=f"points between the best and the worst lambda: {', '.join(parts)}",
                 why=f"Little is surely less than half of what {sensitive} has.")


def step_claims(found: KernelErrors, seconds: dict[str, np.ndarray]) -> list[Claim]:
    """Judge the claims on the best settings, their numbers of steps, and time.

    Parameters
    ----------
    found : KernelErrors
    seconds : dict of str to ndarray of shape (n_steps, n_folds)
        By kernel.
    """
    (gaussian, early, low), (polynomial, late, high) = BEST_GAUSSIAN, BEST_POLYNOMIAL
    few = {f"T {steps:,}": found.at((polynomial, steps, high)) - found.at((gaussian, steps, low))
           for steps in found.steps if steps < late}
    better = gains = found.missing(late)
    sooner = ""
    if not better:
        better = mean(found.at(BEST_GAUSSIAN) - found.at(BEST_POLYNOMIAL))
        fall = [found.at((kernel, early, alpha)) - found.at((kernel, late, alpha))
                for kernel, alpha in ((gaussian, low), (polynomial, high))]
        gains = mean(fall[1] - fall[0])
        sooner = (f"from T 25,000 to 50,000 the gaussian gains {POINTS(mean(fall[0]))}, the polynomial "
                  f"{POINTS(mean(fall[1]))}")
    fastest = np.min([seconds[name] for name in GAUSSIANS], axis=0)
    slowest = np.max([seconds[name] for name in POLYNOMIALS], axis=0)
    ratios = fastest.mean(axis=-1) / slowest.mean(axis=-1)
    exponents = {name: mean(np.polyfit(np.log(found.steps), np.log(each), 1)[0])
                 for name, each in seconds.items()}
    return [
        judge("The best polynomial is better than the best gaussian, by little", "2.65 and 2.7 %", better,
              above(0), lambda s: f"the document's best gaussian has {POINTS(s)}"),
        judge("Up to T 25,000 the best gaussian setting is better than the best polynomial one",
              "figures 6 and 11", {steps: mean(each) for steps, each in few.items()}, above(0),
              ours="the polynomial's error is higher by, in points: "
                   + ", ".join(f"{steps} {points(each)}" for steps, each in few.items())),
        judge("The gaussian reaches its lowest error with half the steps of the polynomial", "25,000, 50,000",
              gains, above(0), ours=sooner, why="What the polynomial gains more."),
        judge("Training takes longer with a gaussian than with a polynomial, at every T", "figure 12",
              {f"{steps:,}": mean(each) for steps, each in zip(found.steps, fastest - slowest, strict=True)},
              above(0), ours=f"the fastest gaussian takes {ratios.min():.1f} to {ratios.max():.1f} times as "
                             "long as the slowest polynomial",
              why="The fastest gaussian less the slowest polynomial, seconds, at each T."),
        judge("The time grows about linearly with T", "figure 12", exponents, judging.inside(*LINEAR),
              ours=f"exponents of T: {', '.join(f'{name} {s.value:.2f}' for name, s in exponents.items())}",
              why=f"About linear is surely from {LINEAR[0]} to {LINEAR[1]}, for each kernel. Here a step "
                  "without a loss costs next to nothing, and the document's as much as any."),
    ]


def wider_claim(found: KernelErrors, wider: dict[str, Arrays]) -> Claim:
    """Judge what the document leaves to further research; each fold is told by the cells of the others."""
    errors = {name: grid["error"] for name, grid in wider.items()}
    theirs, ours = (
        chosen_errors(np.concatenate([each.reshape(-1, each.shape[-1]) for each in of]))
        for of in ([found.of[name] for name in GAUSSIANS], errors.values())
    )
    best = [f"{name} {100 * each.mean(axis=-1).min():.2f} %" for name, each in errors.items()]
    return judge("Lower lambda and higher gamma lower the error of the gaussians", "section 4",
                 mean(theirs - ours), above(0), POINTS,
                 why="The document's gaussians less wider ones, each at the best cell of the other folds. "
                     f"Lowest means: {', '.join(best)}.")


def chosen_errors(errors: np.ndarray) -> np.ndarray:
    """Return the error of each fold at the cell with the lowest mean of the other folds."""
    others = errors.sum(axis=-1, keepdims=True) - errors
    return np.take_along_axis(errors, others.argmin(axis=0)[None], axis=0)[0]


# Figures


def kernel_figures(
    X, y, size: Size, grids: dict[str, Arrays], race: Arrays, plane: Arrays, wider: dict[str, Arrays]
) -> list[Figure]:
    """Return the figures, in the order of the document."""
    return [
        Figure("sample", "A sample of the digits", f"{SAMPLES} of each, drawn at random; the label is above.",
               partial(_draw_sample, X=X, y=y), (8.0, 3.4), source="figure 1", shows_data=True),
        Figure("counts", "How often each digit occurs", "The share of all digits is above each bar.",
               partial(_draw_counts, y=y), (6.4, 3.6), source="figure 2"),
        Figure("plane", "The digits in the plane of t-SNE",
               f"{len(plane['points']):,} digits, each label at the median of its own. The axes have no "
               "unit.",
               partial(_draw_plane, points=plane["points"], labels=plane["labels"]), (6.4, 5.7),
               source="figure 3"),
        Figure("race", "Three implementations of one binary classifier",
               f"{RACE_ROWS:,} rows, gaussian kernel, with its values; medians.",
               partial(_draw_race, size=size, seconds=race["seconds"]), (6.4, 4.2), source="figure 4"),
        *_error_maps(grids, size.steps, LAMBDAS, [f"figure {number}" for number in range(5, 12)]),
        *_error_maps(wider, size.steps, WIDER_LAMBDAS, ["section 4"] * len(wider), "wider"),
        Figure("time", "Training time against the number of steps",
               "CPU seconds of the steps for all ten classes of a fold, mean over lambda, without the "
               "kernel's values.",
               partial(_draw_times, grids=grids, steps=size.steps), (6.4, 4.8), source="figure 12"),
    ]


def _error_maps(grids, steps, lambdas, sources: list[str], prefix: str = "errors") -> list[Figure]:
    errors = {name: 100 * grid["error"].mean(axis=-1).T for name, grid in grids.items()}
    low, high = (pick(map(pick, map(np.ravel, errors.values())), default=1) for pick in (min, max))
    return [
        Figure(f"{prefix}_{name.replace(' ', '_').replace('.', '')}",
               f"Test error of the {'polynomial' if name in POLYNOMIALS else 'gaussian'} kernel, {name}",
               "Per cent, mean of the folds; the best cell has a frame. All kernels have one scale of "
               "colours.",
               partial(_draw_errors, cells=cells, title=f"{name}; framed: the best", ends=(low, high),
                       steps=steps, lambdas=lambdas),
               (6.0, 3.6), source=source)
        for source, (name, cells) in zip(sources, errors.items(), strict=True)
    ]
# fmt: on


def sample_rows(y: np.ndarray) -> np.ndarray:
    """Draw some rows of each digit: all digits once, then all again."""
    rng = np.random.default_rng(0)
    return np.stack([rng.choice(np.flatnonzero(y == each), SAMPLES) for each in np.unique(y)], axis=1).ravel()


def _draw_sample(sheet, X, y) -> None:
    rows, side = sample_rows(y), round(X.shape[1] ** 0.5)
    for ax, row in zip(sheet.subplots(SAMPLES, len(rows) // SAMPLES).flat, rows, strict=True):
        ax.imshow(X[row].reshape(side, side), cmap="gray_r", vmin=0, vmax=1)
        ax.set(title=str(y[row]), frame_on=False, xticks=(), yticks=())


def _draw_counts(sheet, y) -> None:
    ax, (labels, counts) = sheet.subplots(), np.unique(y, return_counts=True)
    bars = ax.bar(labels, counts, color=charts.BLUE)
    ax.bar_label(bars, [f"{count / len(y):.1%}" for count in counts], fontsize=8, padding=2)
    ax.set(title="how often each digit occurs", xlabel="digit", ylabel="images", xticks=labels)


def _draw_plane(sheet, points: np.ndarray, labels: np.ndarray) -> None:
    ax = sheet.subplots()
    size = float(np.clip(12_000 / len(labels), 3, 16))
    for label, colour in zip(np.unique(labels), TEN_COLORS, strict=True):
        own = points[labels == label]
        ax.scatter(*own.T, s=size, color=colour, linewidths=0, antialiased=False)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": colour}
        ax.text(*np.median(own, axis=0), str(label), ha="center", va="center", fontsize=12, bbox=box)
    ax.set(title="the digits by t-SNE", xlabel="first coordinate", ylabel="second coordinate", aspect="equal")


def _draw_race(sheet, size: Size, seconds: np.ndarray) -> None:
    ax = sheet.subplots()
    for name, runs, colour in zip(IMPLEMENTATIONS, seconds, TEN_COLORS, strict=False):
        charts.draw_band(ax, size.race_steps, charts.median_band(runs.T, 0), colour, name, "o-")
    charts.name_band(ax, f"range of {size.repeats} runs")
    _name_steps(ax, size.race_steps)
    ax.set(title="one binary classifier", ylabel="CPU time, seconds")
    ax.legend()


def _draw_times(sheet, grids: dict[str, Arrays], steps: tuple[int, ...]) -> None:
    ax = sheet.subplots()
    for (name, grid), colour in zip(grids.items(), TEN_COLORS, strict=False):
        seconds, line = grid["seconds"].mean(axis=0), "o-" if name in GAUSSIANS else "o--"
        charts.draw_band(ax, steps, charts.mean_band(seconds).clip(seconds.min() / 10), colour, name, line)
    charts.name_band(ax, "95 % interval of the mean")
    _name_steps(ax, steps)
    ax.set(title="ten classes, without the kernel's values", ylabel="CPU time of a fold, seconds")
    ax.legend()


def _name_steps(ax, steps: tuple[int, ...]) -> None:
    ax.set(**charts.LOG_LOG, xlabel="steps T", xticks=steps, xticklabels=[f"{each:,}" for each in steps])


def _draw_errors(sheet, cells: np.ndarray, title: str, ends: tuple[float, float], steps, lambdas) -> None:
    """Draw the errors of a kernel as numbers on colours, with a frame around the least."""
    ax, (low, high) = sheet.subplots(), ends
    image = ax.imshow(cells, norm="log", vmin=low, vmax=high, cmap="viridis_r", aspect="auto")
    for (row, column), value in np.ndenumerate(cells):
        color = "white" if image.norm(value) > 0.5 else "black"
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", color=color, fontsize=9)
    row, column = np.unravel_index(cells.argmin(), cells.shape)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * 0.45
    ax.plot(*np.add(corners, (column, row)).T, color=charts.VERMILION, linewidth=2)
    ax.set(title=title, xlabel="lambda", xticks=range(len(lambdas)), xticklabels=[f"{a:g}" for a in lambdas])
    ax.set(ylabel="steps T", yticks=range(len(steps)), yticklabels=[f"{n:,}" for n in steps])
    ticks = [tick for tick in TICKS if low <= tick <= high]
    sheet.colorbar(image, ax=ax, label="test error, per cent", ticks=ticks, format="{x:g}")


# fmt: off
def kernel_tables(size: Size, grids: dict[str, Arrays], race: Arrays) -> list[Table]:
    """Return the tables."""
    return [
        Table("best", "The best cell of each kernel",
              "Test error, mean of the folds with its 95 % interval.",
              ("kernel", "T", "lambda", "error", "from", "to", "document"),
              [[name, *_best_cell(grid["error"], size), DOCUMENT_ERRORS.get(name)]
               for name, grid in grids.items()]),
        Table("implementations", "Three implementations of one binary classifier", "CPU seconds, medians.",
              ("T", *IMPLEMENTATIONS),
              [[steps, *np.median(race["seconds"][:, k], axis=1).tolist()]
               for k, steps in enumerate(size.race_steps)],
              source="figure 4"),
        Table("grid", "The whole grid", "Error and CPU seconds of the steps, of every fold.",
              ("kernel", "lambda", "T", "fold", "error", "seconds"),
              [[name, LAMBDAS[a], size.steps[t], fold, float(error), float(grid["seconds"][a, t, fold])]
               for name, grid in grids.items() for (a, t, fold), error in np.ndenumerate(grid["error"])],
              shown=False, source="figures 5 to 12"),
    ]
# fmt: on


def _best_cell(errors: np.ndarray, size: Size) -> list[object]:
    mean = errors.mean(axis=-1)
    alpha, step = np.unravel_index(mean.argmin(), mean.shape)
    return [size.steps[step], LAMBDAS[alpha], float(mean.min()), *mean_interval(errors[alpha, step].tolist())]
