"""Points in the plane: how often Pegasos is right, how long it takes, and its surface as the steps go."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from time import thread_time
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import Pegasos

from ....common.folds import random_split
from ...data.public_sets import public_set_at_hand
from ...report.study_report import Context

RUNS, FEW_RUNS = 20, 5
HOLDOUT = 0.2
N_OVERLAP = 200
APART = 1.75  # from the centre of a cloud to the line between both, in standard deviations: 4 % lie beyond it
PASSES = 10  # as many steps for each training point, as for the texts
ALPHA = 0.01
WIDTH = 0.1  # g of the gaussian exp(-||x - z||^2 / (2 g)), of standardised points
FRAMES = 24
GRID = (90, 80)  # points of a surface, across and up
MARGIN = 0.15  # of the points' range that a surface shows beyond them


Points = tuple[np.ndarray, np.ndarray]  # and their signs


@dataclass(frozen=True)
class Plane:
    """A method on a set of points.

    Attributes
    ----------
    name, title : str
    points : callable
        Takes the number of a run.
    method : Linear or Gaussian
    is_fresh : bool
        Whether each run has points of its own, or another split of the same.
    is_articles : bool
        Whether the article had the same points.
    """

    name: str
    title: str
    points: Callable[[int], Points]
    method: "Linear | Gaussian"
    is_fresh: bool = False
    is_articles: bool = False


@dataclass(frozen=True)
class Surfaces:
    """What was found in a plane.

    Attributes
    ----------
    plane : Plane
    n_train, n_test : int
    accuracies, seconds : ndarray of shape (n_runs,)
        On the points held out; CPU seconds of a fit.
    X, y, rows : ndarray of shape (n, 2), (n,), (n_train,)
        The points of the first run, as they are fitted, and which of them are trained on.
    steps : ndarray of shape (n_frames,)
    fields : ndarray of shape (n_frames, n_up, n_across)
        Scores after so many steps, divided by the largest there.
    across, up : ndarray
        Where.
    shown : ndarray of shape ()
        Accuracy of the last surface on the points held out.
    """

    plane: Plane
    n_train: int
    n_test: int
    accuracies: np.ndarray
    seconds: np.ndarray
    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    steps: np.ndarray
    fields: np.ndarray
    across: np.ndarray
    up: np.ndarray
    shown: np.ndarray


def run_planes(context: Context) -> list[Surfaces | str]:
    """Do all that is done in the plane; why not, for points that are not there."""
    wanted = planes(context.data)
    with context.stage("planes", total=len(wanted)) as advance:
        return [
            plane if isinstance(plane, str) else _plane_surfaces(plane, context, advance) for plane in wanted
        ]


def _plane_surfaces(plane: Plane, context: Context, advance: Callable[[], None]) -> Surfaces:
    runs, seed = context.runs or (FEW_RUNS if context.quick else RUNS), context.seed
    X, y = plane.points(seed)
    settings = {"passes": PASSES, "alpha": ALPHA, "width": WIDTH, "frames": FRAMES, "grid": GRID}
    key = {"X": X, "y": y, "runs": runs, "seed": seed, "apart": APART, **settings}
    arrays = context.part(f"plane-{plane.name}", partial(_measure_plane, plane, runs, seed), **key)
    advance()
    n_train, n_test = arrays.pop("sizes").tolist()
    return Surfaces(plane, n_train, n_test, **arrays)


def planes(data: str | None) -> list[Plane | str]:
    """Return the methods on their points, from the folder or without one on two moons."""
    overlap = [
        Plane(name, f"{title}, linear with overlap", overlapping_points, Linear(loss), is_fresh=True)
        for name, title, loss in (("overlap-svm", "SVM", "hinge"), ("overlap-logistic", "Logistic", "log"))
    ]
    return [*overlap, _plane_of_set(data, "flame", (153, 87)), _plane_of_set(data, "jain", (276, 97))]


def _plane_of_set(data: str | None, name: str, sizes: tuple[int, int]) -> Plane | str:
    if data is None:
        title = f"Kernel SVM, two moons of {sizes[0]} and {sizes[1]}"
        return Plane(name, title, lambda _: moon_points(sizes), Gaussian(WIDTH))
    found = public_set_at_hand(name, data)
    if found is None:
        return f"The folder of the data has no {name}.csv."
    X, y = found
    points = X.astype(float), np.where(y == y[0], 1, -1)
    return Plane(name, f"Kernel SVM, {name}", lambda _: points, Gaussian(WIDTH), is_articles=True)


def overlapping_points(seed: int) -> Points:
    """Draw two round clouds of as many points, which a line through 0 tells apart but for an overlap."""
    random = np.random.default_rng(seed)
    y = np.repeat([1, -1], N_OVERLAP // 2)
    direction = np.array([1, 1]) / np.sqrt(2)
    return random.normal(size=(N_OVERLAP, 2)) + APART * y[:, None] * direction, y


def moon_points(sizes: tuple[int, int]) -> Points:
    """Return two moons of so many points."""
    from sklearn.datasets import make_moons

    X, y = make_moons(sizes, noise=0.15, random_state=0)
    return X, np.where(y == 0, 1, -1)


class Linear(NamedTuple):
    """Pegasos without intercept, by its loss."""

    loss: str

    def fit(self, X: np.ndarray, y: np.ndarray, seed: int):
        """Return a classifier after all steps."""
        return self._new_model(seed).fit(X, y)

    def grow(self, X: np.ndarray, y: np.ndarray, steps: Sequence[int], seed: int) -> Iterator:
        """Yield a classifier after each number of steps."""
        drawn = np.random.default_rng(seed).integers(len(y), size=steps[-1])
        model = self._new_model(seed)
        for begin, end in pairwise((0, *steps)):
            rows = drawn[begin:end]  # visited in any order: they are random
            yield model.partial_fit(X[rows], y[rows], classes=[-1, 1])

    def _new_model(self, seed: int):
        draws = {"order": "random", "max_iter": PASSES, "random_state": seed}
        return Pegasos(self.loss, alpha=ALPHA, fit_intercept=False, **draws)


class Gaussian(NamedTuple):
    """Kernel Pegasos with a gaussian of this width."""

    width: float

    def fit(self, X: np.ndarray, y: np.ndarray, seed: int):
        """Return a classifier after all steps."""
        return self._new_model(PASSES * len(y), seed).fit(X, y)

    def grow(self, X: np.ndarray, y: np.ndarray, steps: Sequence[int], seed: int) -> Iterator:
        """Yield a classifier after each number of steps; all draw the same rows first."""
        for n_steps in steps:
            yield self._new_model(n_steps, seed).fit(X, y)

    def _new_model(self, n_steps: int, seed: int):
        from fastsvm import KernelPegasosClassifier

        draws = {"n_iter": n_steps, "random_state": seed}
        return KernelPegasosClassifier("rbf", gamma=1 / (2 * self.width), alpha=ALPHA, **draws)


def _measure_plane(plane: Plane, runs: int, seed: int) -> dict[str, np.ndarray]:
    """Fit each run's split, and the first run's after fewer steps too."""
    accuracies, seconds = [], []
    for number in range(seed, seed + runs):
        X, y, train, test = _split_plane(plane, number)
        if number == seed:
            plane.method.fit(X[train], y[train], seed)  # what the first fit of a process pays for is nobody's
        start = thread_time()
        model = plane.method.fit(X[train], y[train], number)
        seconds.append(thread_time() - start)
        accuracies.append(np.mean(model.predict(X[test]) == y[test]))
    return {
        "accuracies": np.array(accuracies),
        "seconds": np.array(seconds),
        "sizes": np.array([len(train), len(test)]),
        **plane_evolution(plane, seed),
    }


def _split_plane(plane: Plane, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the points of a run, standardised by those to train on unless they are about 0 by themselves."""
    X, y = plane.points(number)
    train, test = random_split(len(y), HOLDOUT, number)
    if not plane.is_fresh:
        X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    return X, y, train, test


def plane_evolution(plane: Plane, seed: int) -> dict[str, np.ndarray]:
    """Return the scores all over the plane after 1, 2, ... up to all steps: fields of `Surfaces`."""
    X, y, train, test = _split_plane(plane, seed)
    steps = np.unique(np.geomspace(1, PASSES * len(train), FRAMES).round().astype(int))
    low, high = X.min(axis=0), X.max(axis=0)
    beyond = MARGIN * (high - low)
    across, up = (np.linspace(a, b, n) for a, b, n in zip(low - beyond, high + beyond, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    fields = []
    for model in plane.method.grow(X[train], y[train], steps.tolist(), seed):
        field = model.decision_function(grid)
        fields.append(field.reshape(*GRID[::-1]) / np.abs(field).max())
    shown = np.mean(model.predict(X[test]) == y[test])
    found = {"X": X, "y": y, "rows": train, "steps": steps, "fields": np.array(fields)}
    return {**found, "across": across, "up": up, "shown": np.array(shown)}
