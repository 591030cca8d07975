"""What is measured: errors over the grid, times of three implementations, memory, the plane of t-SNE."""

import time
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np

from ...common.folds import stratified_folds
from ..frame.study_context import Arrays
from .kernel_digits import Digits
from .kernel_grid import FOLDS, MEMORY_ROWS, RACE_ALPHA, RACE_G, RACE_ROWS, USPS_SHAPE, Size
from .plain_kernel_pegasos import gaussian_matrix, naive, vectorised

COMPONENTS = 40  # of PCA, that t-SNE starts from


def grid(
    digits: Digits,
    kernel: dict,
    lambdas: tuple[float, ...],
    steps: tuple[int, ...],
    seeds: range,
    threads: int,
    advance: Callable[[], None],
) -> Arrays:
    """Measure one kernel over all strengths and numbers of steps.

    Parameters
    ----------
    digits : Digits
    kernel : dict
        Parameters of :class:`fastsvm.KernelPegasosClassifier`.
    lambdas : tuple of float
    steps : tuple of int
    seeds : range
        A cross-validation for each.
    threads : int
    advance : callable
        Called after each fold and strength.

    Returns
    -------
    dict
        error and seconds (CPU time of the steps, for all classes): ndarrays of shape
        (n_lambdas, n_steps, n_folds), the folds of all seeds.
    """
    from fastsvm import kernel_pegasos_grid

    runs = [
        kernel_pegasos_grid(
            digits.X,
            digits.y,
            kernels=[kernel],
            alphas=lambdas,
            n_iters=steps,
            cv=stratified_folds(digits.y, FOLDS, seed),
            n_jobs=threads,
            random_state=seed,
            progress=lambda *_: advance(),
        )[0]
        for seed in seeds
    ]
    return {name: np.concatenate([run[name] for run in runs], axis=-1) for name in ("error", "seconds")}


def race(X: np.ndarray, y: np.ndarray, size: Size, seed: int, advance: Callable[[], None]) -> Arrays:
    """Time three implementations on the problem of one class, with a gaussian kernel.

    Returns
    -------
    dict
        seconds: CPU time of the first steps, kernel values included, of the naive, the vectorised and the
        compiled one, ndarray of shape (3, n_steps, repeats).
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:RACE_ROWS]
    X, signs = np.ascontiguousarray(X[rows]), np.where(y[rows] == np.bincount(y).argmax(), 1, -1)
    seconds = np.empty((3, len(size.race_steps), size.repeats))
    for repeat in range(size.repeats):
        order = rng.integers(len(signs), size=size.race_steps[-1])
        seconds[0, :, repeat] = _seconds_at(naive(X, signs, order, RACE_ALPHA, RACE_G), size.race_steps)
        seconds[1, :, repeat] = _seconds_at(vectorised(X, signs, order, RACE_ALPHA, RACE_G), size.race_steps)
        seconds[2, :, repeat] = [_compiled_seconds(X, signs, steps, seed) for steps in size.race_steps]
        advance()
    return {"seconds": seconds}


def _seconds_at(run: Iterator, steps: tuple[int, ...]) -> list[float]:
    """Return the CPU time of a run at some of its steps."""
    start = time.process_time()
    return [time.process_time() - start for t, _ in enumerate(run, start=1) if t in steps]


def _compiled_seconds(X: np.ndarray, signs: np.ndarray, steps: int, seed: int) -> float:
    from fastsvm import KernelPegasosClassifier

    model = KernelPegasosClassifier(
        gamma=1 / (2 * RACE_G), alpha=RACE_ALPHA, n_iter=steps, n_jobs=1, random_state=seed
    )
    start = time.process_time()
    model.fit(X, signs)
    return time.process_time() - start


def memory(X: np.ndarray) -> Arrays:
    """Measure the kernel matrix and the tensor of all differences; gigabytes, scaled to the size of USPS."""
    rows, (n, d) = np.ascontiguousarray(X[:MEMORY_ROWS], np.float32), USPS_SHAPE
    larger = (n / len(rows)) ** 2 / 1e9
    tracemalloc.start()
    tensor = rows[:, None] - rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrix = gaussian_matrix(rows, RACE_G)
    return {
        "matrix": np.array(matrix.nbytes * larger),
        "tensor": np.array(peak * larger * d / tensor.shape[-1]),
    }


def plane(X: np.ndarray, y: np.ndarray, size: Size, seed: int, threads: int) -> Arrays:
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

    rows = np.random.default_rng(seed).permutation(len(y))[: size.plane_rows]
    labels = y[rows]
    reduced = PCA(min(COMPONENTS, X.shape[1]), random_state=seed).fit_transform(X[rows])
    with threadpool_limits(threads):  # its gradient would take all
        points = TSNE(max_iter=size.plane_steps, random_state=seed, n_jobs=threads).fit_transform(reduced)
    near = NearestNeighbors(n_neighbors=1).fit(points).kneighbors(return_distance=False)
    return {"points": points, "labels": labels, "nearest": labels[near[:, 0]] == labels}
