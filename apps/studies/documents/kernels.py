"""The study of "Multiclass Classification with Pegasos": kernels on handwritten digits, over a grid.

The document's Gaussian kernel is exp(-||x - z||^2 / (2 gamma)): its gamma is 1 / (2 gamma) of the classifier.
Intervals of errors are Student's over the folds, which share no test digit; settings are compared fold by
fold, on the same draws of rows.
"""

import math
from collections.abc import Iterable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from fastsvm import KernelPegasosClassifier, kernel_pegasos_grid

from ...common.folds import stratified_folds
from ..data.public_sets import usps_or_small_digits
from ..report import charts
from ..report.charts import TEN_COLORS
from ..report.study import Advance, Arrays, Context, Figure, Findings, Measured, Runs, array_hash
from ..report.verdicts import Cases, Found, claims_of, exactly, mean, median, share

TITLE = "Ten digits: kernel Pegasos over a grid"
DOCUMENT = "G. Cerizza, Multiclass Classification with Pegasos (University of Milan)"

Kernel = dict[str, Any]  # parameters of KernelPegasosClassifier
Cell = tuple[str, int, float]  # kernel, T and lambda
Errors = dict[Cell, np.ndarray]  # of each fold


# The document's grid.
POLYNOMIAL = {"kernel": "poly", "gamma": 1.0, "coef0": 1.0}
POLYNOMIALS = {f"degree {n}": POLYNOMIAL | {"degree": n} for n in (2, 3, 4, 7)}
GAUSSIANS = {f"gamma {gamma:g}": {"kernel": "rbf", "gamma": 1 / (2 * gamma)} for gamma in (0.25, 0.75, 2.0)}
KERNELS = POLYNOMIALS | GAUSSIANS
LAMBDAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
STEPS = (1000, 5000, 10_000, 25_000, 50_000)
FOLDS = 5
# The document's best settings.
BEST_POLYNOMIAL: Cell = ("degree 3", 50_000, 1.0)
BEST_GAUSSIAN: Cell = ("gamma 2", 25_000, 1e-5)

WAYS = "naive", "vectorised", "compiled"  # of the implementation
RACE, RACE_ALPHAS = "gamma 2", (1e-4,) * 6  # kernel, and lambda of each run, that time all ways
RACE_STEPS = (10, 25, 50, 100, 250, 500, 1000)
NAIVE_STEPS = (5, 10, 20)  # on the rows of a fold
CHUNK_VALUES = 1 << 19  # differences held at once: 2 MiB of float32; larger chunks are slower
USPS_ROWS, USPS_PIXELS, MEMORY_ROWS = 9298, 256, 300  # memory grows with the square of the rows
COMPONENTS, PLANE_STEPS = 40, 500  # of PCA, and the iterations of t-SNE that start from them
SAMPLES = 3  # of each digit, in a picture

# Values of T, and the largest numbers of digits: in all, for t-SNE and for the race.
WHOLE = STEPS, None, None, 1000
QUICK = STEPS[:3], 2000, 500, 200


# The document's implementations, of one class


def kernel_value(x: np.ndarray, z: np.ndarray, kernel: Kernel) -> float:
    """Return the kernel's value of two rows."""
    if kernel["kernel"] == "poly":
        return (1 + float(x @ z)) ** kernel["degree"]
    difference = x - z
    return math.exp(-kernel["gamma"] * float(difference @ difference))


def kernel_matrix(X: np.ndarray, kernel: Kernel) -> np.ndarray:
    """Return all values at once: from a product, or from the differences of all rows in chunks."""
    if kernel["kernel"] == "poly":
        return (1 + X @ X.T) ** kernel["degree"]
    rows = max(1, CHUNK_VALUES // X.size)
    parts = (X[start : start + rows, None, :] - X for start in range(0, len(X), rows))
    return np.concatenate([np.exp(-kernel["gamma"] * np.einsum("ijk,ijk->ij", each, each)) for each in parts])


def naive(X: np.ndarray, y: np.ndarray, order: np.ndarray, alpha: float, kernel: Kernel) -> Iterator:
    """Run algorithm 1 with two loops and a kernel value at a time.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        -1 or 1.
    order : ndarray of shape (T,) and dtype int
        The rows that are visited.
    alpha : float
        lambda.
    kernel : dict

    Yields
    ------
    ndarray of shape (n,)
        After each step, how often each row was visited with a loss; always the same array.
    """
    counts = np.zeros(len(y))
    for t, s in enumerate(order, start=1):
        total = 0.0
        for j in range(len(y)):
            total += counts[j] * y[j] * kernel_value(X[j], X[s], kernel)
        if y[s] * total / (alpha * t) < 1:
            counts[s] += 1
        yield counts


def vectorised(K: np.ndarray, y: np.ndarray, order: np.ndarray, alpha: float) -> Iterator:
    """Run algorithm 1 with NumPy's sums on a kernel matrix; parameters and results as of `naive`."""
    counts = np.zeros(len(y))
    for t, s in enumerate(order, start=1):
        if y[s] * ((counts * y) @ K[s]) / (alpha * t) < 1:
            counts[s] += 1
        yield counts


# What is measured


def measure(context: Context) -> Measured:
    """Measure the digits, the implementations, and the grid, in the order of the document."""
    steps, most, plane_rows, race_rows = QUICK if context.quick else WHOLE
    runs, seed = Runs(), context.seed
    X, y, usps, words = read_digits(context.data, most)
    compute = partial(tsne_plane, X, y, plane_rows, seed, context.threads)
    plane = context.part("plane", compute, X=X, y=y, most=plane_rows, seed=seed)
    for name in "next", "group":
        runs.add("plane", "", name, value=plane[name])
    runs.add("digits", value=[np.bincount(y)])
    some = np.random.default_rng(seed).permutation(len(y))[:race_rows]
    add_times(runs, "race", RACE, context, X[some], y[some] == 0, RACE_ALPHAS, RACE_STEPS, RACE_STEPS)
    few, larger = X[:MEMORY_ROWS], (USPS_ROWS / MEMORY_ROWS) ** 2 / 1e9
    runs.add("memory", "", "matrix", value=kernel_matrix(few, KERNELS[RACE]).nbytes * larger)
    larger *= USPS_PIXELS / X.shape[1]
    runs.add("memory", "", "differences", value=(few[:, None] - few).nbytes * larger)
    seeds = range(seed, seed + (context.runs or 1))
    folds = [fold for each in seeds for fold in stratified_folds(y, FOLDS, each)]
    add_grid(runs, context, X, y, steps, folds)
    train = folds[0][0]
    for name in KERNELS:
        add_times(runs, "time", name, context, X[train], y[train], LAMBDAS, steps, NAIVE_STEPS)
    shown = np.stack([np.flatnonzero(y == label)[:SAMPLES] for label in np.unique(y)], axis=1).ravel()
    gammas = [f"{name} is {kernel['gamma']:.3g}" for name, kernel in GAUSSIANS.items()]
    gamma, folded = "the document's gamma is 1 / (2 gamma) of the classifier", f"{len(folds)}, stratified"
    settings = {gamma: ", ".join(gammas), "folds": folded}
    pictures = {"sample": (X[shown], y[shown]), "plane": (plane["points"], plane["labels"])}
    return Measured(words, ["usps"] * usps, settings, {"digits": array_hash(X, y)}, runs, pictures)


def read_digits(folder: str | None, most: int | None) -> tuple[np.ndarray, np.ndarray, bool, str]:
    """Return USPS from a folder, or scikit-learn's digits where there is none.

    Parameters
    ----------
    folder : str or None
    most : int or None
        If there are more rows, a sample of this size is taken.

    Returns
    -------
    X : ndarray of shape (n, side * side) and dtype float32
        Ink from 0 to 1.
    y : ndarray of shape (n,) and dtype int
    usps : bool
        Whether they are all digits of USPS, so that errors are comparable with the document's.
    words : str
        A description for the page.
    """
    X, y, usps = usps_or_small_digits(folder)
    X, side = X.astype(np.float32, copy=False), round(X.shape[1] ** 0.5)
    name = "USPS" if usps else "scikit-learn's digits"
    words = f"{name}, {len(y):,} images of {side} x {side} pixels."
    if folder and not usps:
        words += " The folder of --data has no usps.npz."
    if most and len(y) > most:
        rows = np.random.default_rng(0).permutation(len(y))[:most]
        X, y, usps, words = X[rows], y[rows], False, f"{most:,} of {words}"
    return X, y, usps, words


def tsne_plane(X, y, most: int | None, seed: int, threads: int, _: Advance) -> Arrays:
    """Project digits by t-SNE, and find the nearest point and median of each in the plane.

    Returns
    -------
    dict
        points : (m, 2). labels : (m,). next : (m,), whether the nearest point is the same digit.
        group : (m,), whether the nearest of the ten medians belongs to the same digit.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    from sklearn.neighbors import NearestNeighbors
    from threadpoolctl import threadpool_limits

    rows = np.random.default_rng(seed).permutation(len(y))[:most]
    X, y = X[rows], y[rows]
    reduced = PCA(min(COMPONENTS, X.shape[1]), random_state=seed).fit_transform(X)
    with threadpool_limits(threads):  # its gradient would use all threads
        points = TSNE(max_iter=PLANE_STEPS, random_state=seed, n_jobs=threads).fit_transform(reduced)
    near = NearestNeighbors(n_neighbors=1).fit(points).kneighbors(return_distance=False)[:, 0]
    medians = np.array([np.median(points[y == label], axis=0) for label in np.unique(y)])
    groups = NearestNeighbors(n_neighbors=1).fit(medians).kneighbors(points, return_distance=False)[:, 0]
    return {"points": points, "labels": y, "next": y[near] == y, "group": np.unique(y)[groups] == y}


def add_times(runs: Runs, experiment: str, name: str, context, X, y, alphas, steps, naive_steps) -> None:
    """Add the CPU seconds of a kernel, with its values, for all classes; a part."""
    compute = partial(time_kernel, X, y, name, alphas, steps, naive_steps, context.seed)
    key = {"X": X, "y": y, "kernel": name, "alphas": alphas, "steps": steps, "naive_steps": naive_steps}
    for way, seconds in context.part("time", compute, total=len(alphas), seed=context.seed, **key).items():
        counts = naive_steps if way == "naive" else steps[: seconds.shape[1]]
        runs.add(experiment, "", way, name, steps=[counts], seconds=seconds)


def time_kernel(X, y, name: str, alphas, steps, naive_steps, seed: int, advance: Advance) -> Arrays:
    """Time the implementations, a run for each lambda; with several classes, each run takes another.

    Returns
    -------
    dict
        vectorised : (n_lambdas, n_steps). For RACE also naive : (n_lambdas, n_naive_steps), and
        compiled : (n_lambdas, n_steps) for two classes, (1, n_steps) for more.
    """
    from threadpoolctl import threadpool_limits

    rng, labels, kernel = np.random.default_rng(seed), np.unique(y), KERNELS[name]
    classes = len(labels) if len(labels) > 2 else 1
    found: dict[str, list] = {way: [] for way in (WAYS if name == RACE else WAYS[1:2])}
    with threadpool_limits(1):
        start = process_time()
        K = kernel_matrix(X, kernel)
        values = process_time() - start
        for run, alpha in enumerate(alphas):
            order = rng.integers(len(y), size=steps[-1])
            signs = np.where(y == labels[run % len(labels)], 1, -1)
            seconds = seconds_at(vectorised(K, signs, order, alpha), steps)
            found["vectorised"].append(values + classes * seconds)
            if name == RACE:
                plain = naive(X, signs, order[: naive_steps[-1]], alpha, kernel)
                found["naive"].append(classes * seconds_at(plain, naive_steps))
            if name == RACE and (classes == 1 or run == 0):
                found["compiled"].append([fit_seconds(X, y, kernel, alpha, n_iter, run) for n_iter in steps])
            advance()
    return found


def seconds_at(run: Iterator, steps: tuple[int, ...]) -> np.ndarray:
    """Return the CPU time of a run at some of its steps."""
    start = process_time()
    return np.array([process_time() - start for t, _ in enumerate(run, start=1) if t in steps])


def fit_seconds(X, y, kernel: Kernel, alpha: float, n_iter: int, seed: int) -> float:
    """Return the CPU time of a fit."""
    model = KernelPegasosClassifier(**kernel, alpha=alpha, n_iter=n_iter, n_jobs=1, random_state=seed)
    start = process_time()
    model.fit(X, y)
    return process_time() - start


def add_grid(runs: Runs, context: Context, X, y, steps, folds) -> None:
    """Add the errors of all kernels over all lambdas and numbers of steps; each kernel is a part."""
    key = {"X": X, "y": y, "steps": steps, "lambdas": LAMBDAS, "folds": len(folds), "seed": context.seed}
    for name, kernel in KERNELS.items():
        compute = partial(cross_validate, X, y, kernel, LAMBDAS, steps, folds, context)
        found = context.part("grid", compute, total=len(LAMBDAS) * len(folds), kernel=kernel, **key)
        for alpha, error, seconds in zip(LAMBDAS, found["error"], found["seconds"], strict=True):
            runs.add("grid", "", name, f"{alpha:g}", steps=[steps], error=error, seconds=seconds)


def cross_validate(X, y, kernel, lambdas, steps, folds, context: Context, advance: Advance) -> Arrays:
    """Return error, and CPU seconds of the steps of all classes: (n_lambdas, n_folds, n_steps)."""
    options = {"kernels": [kernel], "alphas": lambdas, "n_iters": steps, "random_state": context.seed}
    options |= {"n_jobs": context.threads, "progress": lambda *_: advance()}
    grid = kernel_pegasos_grid(X, y, cv=folds, **options)[0].swapaxes(1, 2)
    return {"error": grid["error"], "seconds": grid["seconds"]}


# What is made of it


def read_errors(runs: Runs) -> Errors:
    """Return the test errors of the grid by cell."""
    return {
        (key.solver, int(T), float(key.setting)): error
        for key, fields in runs.select("grid").items()
        for T, error in zip(fields["steps"][0], fields["error"].T, strict=True)
    }


def best(errors: Errors, kernels: Iterable[str], steps: int | None = None) -> Cell:
    """Return the cell of some kernels, and of one or all numbers of steps, with the lowest mean."""
    cells = [cell for cell in errors if cell[0] in kernels and steps in (None, cell[1])]
    return min(cells, key=lambda cell: errors[cell].mean())


def best_errors(errors: Errors, kernels: Iterable[str], steps: int | None = None) -> np.ndarray:
    """Return the errors of the best cell."""
    return errors[best(errors, kernels, steps)]


def named(errors: Errors, *cells: Cell) -> Cases:
    """Return the errors of cells, by their names."""
    return {"{}, T {:,}, lambda {:g}".format(*cell): mean(errors[cell]) for cell in cells}


def findings(measured: Measured) -> Findings:
    """Judge the claims, in the order of the document, and draw."""
    runs = measured.runs
    errors = read_errors(runs)
    found = digit_claims(runs) | lambda_claims(errors) | time_claims(runs)
    if BEST_POLYNOMIAL in errors:
        found |= best_claims(errors)
    else:
        missing = Found(f"The claim needs {STEPS[-1]:,} steps; run without --quick.")
        found |= {claim.name: missing for claim in claims_of("kernels") if claim.name not in found}
    return Findings(found, figures(measured, errors))


def digit_claims(runs: Runs) -> dict[str, Found]:
    """Return the findings on the digits and on the implementations: sections 1 and 2."""
    counts = runs["digits", "", "", ""]["value"]
    next_to, group = (share(runs["plane", "", name, ""]["value"][:, 0]) for name in ("next", "group"))
    plain, vector, compiled = (runs["race", "", way, RACE]["seconds"] for way in WAYS)
    faster = {f"T {T:,}": median(plain[:, t] / vector[:, t]) for t, T in enumerate(RACE_STEPS)}
    most, last = faster.popitem()
    wider = {f"compiled, {most}": median(plain[:, -1] / compiled[:, -1])} | faster
    gigabytes = {key.solver: exactly(fields["value"].item()) for key, fields in runs.select("memory").items()}
    return {
        "balance": Found({"": exactly(counts.max() / counts.min())}),
        "plane": Found({"next to the same digit": next_to, "nearest to its own median": group}),
        "race": Found({most: last}, wider),
        **{name: Found({"": amount}) for name, amount in gigabytes.items()},
    }


def lambda_claims(errors: Errors) -> dict[str, Found]:
    """Return the findings on lambda and on degree 7: figures 5 to 11."""
    effects, worse, over_all, low = {kernel: [] for kernel in KERNELS}, {}, {}, {}
    for T in sorted({T for _, T, _ in errors}):
        rows = {kernel: np.array([errors[kernel, T, alpha] for alpha in LAMBDAS]) for kernel in KERNELS}
        for kernel, row in rows.items():
            means = row.mean(axis=1)
            effects[kernel].append(row[means.argmax()] - row[means.argmin()])
        less = best_errors(errors, ["degree 7"], T) - best_errors(errors, ["degree 2"], T)
        worse[f"T {T:,}, best lambda"] = mean(less)
        for words, average, cases in ("median", np.median, worse), ("mean", np.mean, over_all):
            less = average(rows["degree 7"], axis=0) - average(rows["degree 2"], axis=0)
            cases[f"T {T:,}, {words} over lambdas"] = mean(less)
        for kernel in GAUSSIANS:
            low[f"{kernel}, T {T:,}"] = mean(rows[kernel][-3:].mean(axis=0) - rows[kernel][:3].mean(axis=0))
    effect = {kernel: np.mean(each, axis=0) for kernel, each in effects.items()}
    return {
        "lambda-polynomials": Found(below_half(effect, "degree 2", "degree 3", "degree 4", "degree 7")),
        "lambda-degree-7": Found({"": mean(effect["degree 7"])}),
        "degree-7": Found(worse, over_all),
        "lambda-gaussians": Found(below_half(effect, "gamma 2", "gamma 0.25", "gamma 0.75")),
        "low-lambda": Found(low),
    }


def below_half(effects: Arrays, sensitive: str, *others: str) -> Cases:
    """Return how far the effects of lambda are below half of the effect on a sensitive kernel."""
    return {kernel: mean(effects[sensitive] / 2 - effects[kernel]) for kernel in others}


def best_claims(errors: Errors) -> dict[str, Found]:
    """Return the findings on the document's best settings: section 3 and its conclusions."""
    (polynomial, late, high), (gaussian, early, low) = BEST_POLYNOMIAL, BEST_GAUSSIAN
    few, few_best = {}, {}
    for T in STEPS[:-1]:
        few[f"T {T:,}"] = mean(errors[polynomial, T, high] - errors[gaussian, T, low])
        less = best_errors(errors, POLYNOMIALS, T) - best_errors(errors, GAUSSIANS, T)
        few_best[f"T {T:,}, our best"] = mean(less)
    less = mean(errors[BEST_GAUSSIAN] - errors[BEST_POLYNOMIAL])
    our_less = mean(best_errors(errors, GAUSSIANS) - best_errors(errors, POLYNOMIALS))
    gains = errors[polynomial, early, high] - errors[BEST_POLYNOMIAL]
    gains_less = errors[BEST_GAUSSIAN] - errors[gaussian, late, low]
    return {
        "degree-3": Found(named(errors, BEST_POLYNOMIAL)),
        "best-degree": Found(worse_than(errors, "degree 3", POLYNOMIALS)),
        "degree-4": Found(named(errors, best(errors, ["degree 4"]))),
        "gamma-2": Found(named(errors, BEST_GAUSSIAN), named(errors, best(errors, GAUSSIANS))),
        "best-gamma": Found(worse_than(errors, "gamma 2", GAUSSIANS)),
        "early": Found(named(errors, (gaussian, 1000, low)), named(errors, best(errors, GAUSSIANS, 1000))),
        "best-kind": Found({"the document's best": less}, {"our best": our_less}),
        "few-steps": Found(few, few_best),
        "half-the-steps": Found({"": mean(gains - gains_less)}),
    }


def worse_than(errors: Errors, kernel: str, kind: Iterable[str]) -> Cases:
    """Return by how much the best cells of the other kernels are worse than the best cell of one."""
    least = best_errors(errors, [kernel])
    return {name: mean(best_errors(errors, [name]) - least) for name in kind if name != kernel}


def time_claims(runs: Runs) -> dict[str, Found]:
    """Return the findings on the time: figure 12."""
    steps = runs["time", "", "vectorised", RACE]["steps"][0]
    theirs = {name: runs["time", "", "vectorised", name]["seconds"] for name in KERNELS}
    own = {name: np.empty((0, len(steps))) for name in KERNELS}
    for key, fields in runs.select("grid").items():
        own[key.solver] = np.vstack([own[key.solver], fields["seconds"]])
    words = "compiled, without the kernel's values, "
    return {
        "gaussian-slower": Found(times_as_long(theirs, steps), times_as_long(own, steps, words)),
        "linear": Found(late_steps(theirs, steps), late_steps(own, steps, "compiled, ")),
    }


def times_as_long(seconds: Arrays, steps: np.ndarray, words: str = "") -> Cases:
    """Compare the fastest Gaussian with the slowest polynomial, at each T."""
    fastest = np.min([seconds[name] for name in GAUSSIANS], axis=0)
    slowest = np.max([seconds[name] for name in POLYNOMIALS], axis=0)
    return {f"{words}T {T:,.0f}": median(fastest[:, t] / slowest[:, t]) for t, T in enumerate(steps)}


def late_steps(seconds: Arrays, steps: np.ndarray, words: str = "") -> Cases:
    """Compare the time of a step between the second half of the values of T and the first half."""
    ends, found = [0, len(steps) // 2, -1], {}
    for name, each in seconds.items():
        early, late = (np.diff(each[:, ends]) / np.diff(steps[ends])).T
        found[words + name] = median(late / early)
    return found


# Figures


def figures(measured: Measured, errors: Errors) -> list[Figure]:
    """Return the figures, in the order of the document."""
    runs = measured.runs
    drawn = [
        Figure("counts", partial(draw_counts, runs=runs), (6.4, 3.6)),
        Figure("race", partial(draw_ways, runs=runs, experiment="race"), (6.4, 4.2)),
    ]
    if measured.pictures:
        sample, plane = measured.pictures["sample"], measured.pictures["plane"]
        drawn.insert(0, Figure("sample", partial(draw_sample, sample=sample), (8.0, 3.4), shows_data=True))
        drawn.insert(2, Figure("plane", partial(draw_plane, plane=plane), (6.4, 5.7)))
    for kernel in KERNELS:
        file, words = f"errors_{kernel}".replace(" ", "_").replace(".", ""), f"errors_{kernel.split()[0]}"
        draw = partial(draw_errors, errors=errors, kernel=kernel)
        drawn.append(Figure(file, draw, (6.0, 3.6), words, kernel))
    drawn.append(Figure("time", partial(draw_times, runs=runs), (6.4, 4.6)))
    drawn.append(Figure("ways", partial(draw_ways, runs=runs, experiment="time"), (6.4, 4.2)))
    return drawn


def draw_sample(sheet, sample: tuple[np.ndarray, np.ndarray]) -> None:
    """Draw images of each digit."""
    axes = sheet.subplots(SAMPLES, len(sample[1]) // SAMPLES).flat
    for ax, row, label in zip(axes, *sample, strict=True):
        side = round(len(row) ** 0.5)
        ax.imshow(row.reshape(side, side), cmap="gray_r", vmin=0, vmax=1)
        ax.set(title=str(label), frame_on=False, xticks=(), yticks=())


def draw_counts(sheet, runs: Runs) -> None:
    """Draw how often each digit occurs."""
    ax, counts = sheet.subplots(), runs["digits", "", "", ""]["value"][0]
    bars = ax.bar(range(len(counts)), counts, color=charts.BLUE)
    ax.bar_label(bars, [f"{share:.1f} %" for share in 100 * counts / counts.sum()], fontsize=8, padding=2)
    ax.set(title="how often each digit occurs", xlabel="digit", ylabel="images", xticks=range(10))
    ax.yaxis.set_major_formatter("{x:,.0f}")


def draw_plane(sheet, plane: tuple[np.ndarray, np.ndarray]) -> None:
    """Draw the plane of t-SNE, with each label in the middle of its digits."""
    ax, (points, labels) = sheet.subplots(), plane
    for label, colour in zip(np.unique(labels), TEN_COLORS, strict=True):
        own = points[labels == label]
        ax.scatter(*own.T, s=4, color=colour, linewidths=0, antialiased=False)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": colour}
        ax.text(*np.median(own, axis=0), str(label), ha="center", va="center", fontsize=12, bbox=box)
    ax.set(title="the digits by t-SNE", xlabel="first coordinate", ylabel="second coordinate", aspect="equal")


def draw_ways(sheet, runs: Runs, experiment: str) -> None:
    """Draw the time of the three implementations by steps."""
    ax = sheet.subplots()
    for way, colour in zip(WAYS, TEN_COLORS, strict=False):
        run = runs[experiment, "", way, RACE]
        charts.draw_band(ax, run["steps"][0], charts.median_band(run["seconds"], 0), colour, way, "o-")
        if experiment == "time" and way == "naive":  # each naive step costs the same
            ends = run["steps"][0, -1], runs[experiment, "", "compiled", RACE]["steps"][0, -1]
            seconds = np.median(run["seconds"][:, -1]) * np.array([1, ends[1] / ends[0]])
            ax.plot(ends, seconds, ":", color=colour, label="naive, for more steps (computed)")
    if experiment == "race":
        charts.name_band(ax, "range of runs")
    ax.set(**charts.LOG_LOG, title=f"implementations, {RACE}", xlabel="steps T", ylabel="CPU time, seconds")
    ax.legend()


def draw_times(sheet, runs: Runs) -> None:
    """Draw the time of the document's code by steps, of all kernels."""
    ax = sheet.subplots()
    for name, colour, marker in zip(KERNELS, TEN_COLORS, "osv^DPX", strict=False):
        run, line = runs["time", "", "vectorised", name], marker + ("-" if name in GAUSSIANS else "--")
        ax.plot(run["steps"][0], run["seconds"].mean(axis=0), line, color=colour, label=name)
    ax.set(title="kernel matrix, and the steps of ten classes", xlabel="steps T", ylabel="CPU time, seconds")
    ax.set(ylim=(0, None), xticks=run["steps"][0])
    ax.xaxis.set_major_formatter("{x:,.0f}")
    charts.legend_below(sheet, 4)


def draw_errors(sheet, errors: Errors, kernel: str) -> None:
    """Draw the errors of a kernel as numbers on colours; the lowest have frames."""
    _, steps, lambdas = (sorted(set(each)) for each in zip(*errors, strict=True))
    means = {cell: 100 * each.mean() for cell, each in errors.items()}
    cells = np.array([[means[kernel, T, alpha] for alpha in lambdas] for T in steps])
    ax, least, low, high = sheet.subplots(), f"{cells.min():.2f}", min(means.values()), max(means.values())
    image = ax.imshow(cells, norm="log", vmin=low, vmax=high, cmap="viridis_r", aspect="auto")
    framed = np.char.mod("%.2f", cells) == least
    framed &= np.ptp(cells, axis=1, keepdims=True) > 0  # where lambda matters
    for (row, column), value in np.ndenumerate(cells):
        color = "white" if image.norm(value) > 0.5 else "black"
        frame = {"facecolor": "none", "edgecolor": charts.VERMILION} if framed[row, column] else None
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", color=color, fontsize=9, bbox=frame)
    words = "; framed: the lowest" if framed.any() else ""
    ax.set(title=f"{kernel}{words}", xlabel="lambda", ylabel="steps T")
    ax.set(xticks=range(len(lambdas)), xticklabels=[f"{alpha:g}" for alpha in lambdas])
    ax.set(yticks=range(len(steps)), yticklabels=[f"{T:,}" for T in steps])
    sheet.colorbar(image, ax=ax, label="test error, per cent", ticks=(1, 2, 3, 5, 7, 10, 20), format="{x:g}")
