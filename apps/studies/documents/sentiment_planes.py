"""The article on Pegasos, in the plane: how often it is right, how long it takes, its surface as steps go."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import pairwise
from textwrap import fill
from time import thread_time

import numpy as np

from fastsvm.fitting import Pegasos

from ...common.folds import random_split
from ..data.public_sets import public_set_at_hand
from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import BLUE, VERMILION
from ..report.claim_judging import Statistic, judge, mean, spelled
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Report, Table

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

OTHER_OVERLAP = "The article's points are unknown; ours have an overlap of their own."
MOONS = "These are two moons, not the article's points."
SIDES = ("#f8d9c8", "#cfe3f2")  # vermilion and blue, pale
STILLS = 6
COLOURS = 32  # of a frame
PACE, PAUSE = 250, 2500  # milliseconds that a frame is seen, and the last one

Points = tuple[np.ndarray, np.ndarray]  # and their signs


@dataclass(frozen=True)
class Plane:
    """A method on a set of points, and what the article says of it.

    Attributes
    ----------
    name, title : str
    words : str
        How a sentence on it begins.
    accuracy, seconds : float
        The article's, on the points held out and of a fit.
    loss : str
        Of linear Pegasos, for which each run has points of its own; "" for the gaussian kernel, for which
        each run has another split of the same points.
    points : callable or str
        Takes the number of a run. A string: why there are none.
    is_articles : bool
        Whether the article had the same points.
    """

    name: str
    title: str
    words: str
    accuracy: float
    seconds: float
    loss: str
    points: Callable[[int], Points] | str
    is_articles: bool = False


def add_planes(report: Report, context: Context) -> None:
    """Do all that is done in the plane."""
    known = planes(context.data)
    found: list[tuple[Plane, Arrays]] = []
    runs = context.runs or (FEW_RUNS if context.quick else RUNS)
    for plane in known:
        if not isinstance(plane.points, str):
            found.append((plane, measure_plane(plane, context, runs)))
    report.data += f" In the plane: {'; '.join(plane.title for plane, _ in found)}."
    report.settings |= {
        "plane": f"{runs} runs, 80 % trained on, {PASSES} steps a point, lambda {ALPHA:g}",
        "overlap": f"200 points, two clouds {2 * APART:g} standard deviations apart, no intercept",
        "gaussian": f"exp(-||x - z||² / (2 · {WIDTH:g})), standardised points",
    }
    report.claims += plane_claims(known, found)
    report.figures += surface_figures(found)
    report.tables.append(_plane_table(found))


def planes(data: str | None) -> list[Plane]:
    """Return the methods on their points, from the folder or without one on two moons."""
    overlap = "SVM, linear with overlap", "The SVM on 200 points, linear with overlap,", 0.95, 0.024, "hinge"
    same = "Logistic, linear with overlap", "Logistic regression on the same points", 0.975, 0.027, "log"
    return [
        Plane("overlap-svm", *overlap, overlapping_points),
        Plane("overlap-logistic", *same, overlapping_points),
        _plane_of_set(data, "flame", (153, 87), 0.958, 2.09),
        _plane_of_set(data, "jain", (276, 97), 1.0, 5.1),
    ]


def _plane_of_set(
    data: str | None, name: str, sizes: tuple[int, int], accuracy: float, seconds: float
) -> Plane:
    stated = f"Kernel Pegasos on {name}", accuracy, seconds, ""
    if data is None:
        title = f"Kernel SVM, two moons of {sizes[0]} and {sizes[1]}"
        return Plane(name, title, *stated, lambda _: moon_points(sizes))
    found = public_set_at_hand(name, data)
    if found is None:
        return Plane(name, "", *stated, f"The folder of the data has no {name}.csv.")
    X, y = found
    points = X.astype(float), np.where(y == y[0], 1, -1)
    return Plane(name, f"Kernel SVM, {name}", *stated, lambda _: points, is_articles=True)


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


# Experiments


def new_model(loss: str, n_steps: int, seed: int):
    """Return Pegasos without intercept; without a loss that of the gaussian kernel, with so many steps."""
    if loss:
        draws = {"order": "random", "max_iter": PASSES, "random_state": seed}
        return Pegasos(loss, alpha=ALPHA, fit_intercept=False, **draws)
    from fastsvm import KernelPegasosClassifier

    gamma = 1 / (2 * WIDTH)
    return KernelPegasosClassifier("rbf", gamma=gamma, alpha=ALPHA, n_iter=n_steps, random_state=seed)


def growing_models(loss: str, X: np.ndarray, y: np.ndarray, steps: Sequence[int], seed: int) -> Iterator:
    """Yield a classifier after each number of steps; all draw the same rows first."""
    if not loss:
        for n_steps in steps:
            yield new_model(loss, n_steps, seed).fit(X, y)
        return
    drawn, model = np.random.default_rng(seed).integers(len(y), size=steps[-1]), new_model(loss, 0, seed)
    for begin, end in pairwise((0, *steps)):
        rows = drawn[begin:end]  # visited in any order: they are random
        yield model.partial_fit(X[rows], y[rows], classes=[-1, 1])


def measure_plane(plane: Plane, context: Context, runs: int) -> Arrays:
    """Fit each run's split, and the first run's after fewer steps too.

    Returns
    -------
    dict
        accuracies, seconds : (runs,), on the points held out, and CPU of a fit. sizes : points to train on
        and held out. X, y, rows : the points of the first run, as they are fitted, and which of them are
        trained on. steps, fields : (frames,), (frames, up, across), scores after so many steps, divided by
        the largest there. across, up : where. shown : accuracy of the last surface on the points held out.
    """
    seed = context.seed

    def compute(advance: Advance) -> Arrays:
        accuracies, seconds = [], []
        for number in range(seed, seed + runs):
            X, y, train, test = _split_plane(plane, number)
            n_steps = PASSES * len(train)
            if number == seed:  # what the first fit of a process pays for is nobody's
                new_model(plane.loss, n_steps, seed).fit(X[train], y[train])
            start = thread_time()
            model = new_model(plane.loss, n_steps, number).fit(X[train], y[train])
            seconds.append(thread_time() - start)
            accuracies.append(np.mean(model.predict(X[test]) == y[test]))
            advance()
        measured = {"accuracies": np.array(accuracies), "seconds": np.array(seconds)}
        return {**measured, "sizes": np.array([len(train), len(test)]), **plane_evolution(plane, seed)}

    X, y = plane.points(seed)
    settings = {"passes": PASSES, "alpha": ALPHA, "width": WIDTH, "frames": FRAMES, "grid": GRID}
    key = {"X": X, "y": y, "runs": runs, "seed": seed, "apart": APART, **settings}
    return context.part(f"plane-{plane.name}", compute, total=runs, **key)


def _split_plane(plane: Plane, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the points of a run, standardised by those to train on unless they are about 0 by themselves."""
    X, y = plane.points(number)
    train, test = random_split(len(y), HOLDOUT, number)
    if not plane.loss:
        X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    return X, y, train, test


def plane_evolution(plane: Plane, seed: int) -> Arrays:
    """Return the scores all over the plane after 1, 2, ... up to all steps."""
    X, y, train, test = _split_plane(plane, seed)
    steps = np.unique(np.geomspace(1, PASSES * len(train), FRAMES).round().astype(int))
    low, high = X.min(axis=0), X.max(axis=0)
    beyond = MARGIN * (high - low)
    across, up = (np.linspace(a, b, n) for a, b, n in zip(low - beyond, high + beyond, GRID, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    fields = []
    for model in growing_models(plane.loss, X[train], y[train], steps.tolist(), seed):
        field = model.decision_function(grid)
        fields.append(field.reshape(*GRID[::-1]) / np.abs(field).max())
    shown = np.mean(model.predict(X[test]) == y[test])
    found = {"X": X, "y": y, "rows": train, "steps": steps, "fields": np.array(fields)}
    return {**found, "across": across, "up": up, "shown": np.array(shown)}


# Claims


def plane_claims(known: Sequence[Plane], found: Sequence[tuple[Plane, Arrays]]) -> list[Claim]:
    """Judge accuracy and time of each plane."""
    claims, measured = [], {plane.name: arrays for plane, arrays in found}
    for plane in known:
        claims += _judge_plane(plane, measured.get(plane.name))
    svm, logistic = (measured[name]["accuracies"] for name in ("overlap-svm", "overlap-logistic"))
    words = "Logistic regression beats the SVM on points with overlap"
    why = f"Paired differences on {len(svm)} sets of ours, the same for both."
    return [
        *claims,
        judge(words, "97.5 %, 95 %", mean(logistic - svm), judging.above(0), spelled("+.3f"), why=why),
    ]


def _judge_plane(plane: Plane, found: Arrays | None) -> list[Claim]:
    percent, seconds = f"{100 * plane.accuracy:g} %", plane.seconds
    time = f"{1e3 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"
    right = f"{plane.words} is right on {percent} of the points held out", percent
    fast = f"{plane.words} trains in {time}", time
    regions = judging.reaches(plane.accuracy, less=False), judging.reaches(1e3 * seconds, unit=" ms")
    if found is None:
        why = str(plane.points)
        return [judge(*words, why, region) for words, region in zip((right, fast), regions, strict=True)]
    runs = f"{len(found['accuracies'])} {'sets' if plane.loss else 'splits'}"
    claims = [
        judge(*right, accuracy_of(plane, found), regions[0], lambda s: f"{spelled('.3f')(s)}, {runs}"),
        judge(*fast, judging.of_a_draw(1e3 * found["seconds"]), regions[1],
              lambda s: f"{s.value:.2g} ms of CPU (95 % of the fits to {s.high:.2g} ms), "
                        f"{found['steps'][-1]:,} steps each"),
    ]  # fmt: skip
    if plane.is_articles:
        return claims
    if plane.loss:
        return [judging.untested(claims[0], OTHER_OVERLAP), claims[1]]
    return [judging.untested(claim, MOONS) for claim in claims]


def accuracy_of(plane: Plane, found: Arrays) -> Statistic:
    """Return the mean accuracy with its interval, within what can be."""
    values, sizes = found["accuracies"], found["sizes"].tolist()
    s = mean(values) if plane.loss else judging.over_splits(values, sizes)
    return s._replace(low=max(s.low, 0.0), high=min(s.high, 1.0))


# Figures and the table


# fmt: off
def surface_figures(found: Sequence[tuple[Plane, Arrays]]) -> list[Figure]:
    """Return decision surfaces as they end, as they grow, and moving."""
    kinds = [
        ("linear", "Lines", "figures svm_ov, lr_ov", [each for each in found if each[0].loss]),
        ("gaussian", "Curves of kernel machines", "figures svm_flame, svm_jain",
         [each for each in found if not each[0].loss]),
    ]
    return [
        Figure("surfaces", "Decision surfaces",
               "Each side of the line has the colour of its label, as the last step leaves it. Dots are "
               "trained on, crosses are held out.",
               partial(_draw_last_surfaces, found=found), (9.0, 0.5 + 3.6 * -(-len(found) // 2)),
               source="figures ov, pov, pflame, pjain, povl"),
        *(Figure(f"steps-{kind}", f"{said} as the steps go",
                 f"After some of the steps: {STILLS} of the pictures of each animation.",
                 partial(_draw_stills, found=those), (12.0, 0.7 + 2.4 * len(those)), source=source)
          for kind, said, source, those in kinds if those),
        *(Figure(f"animation-{plane.name}", f"{plane.title}: step by step",
                 "After 1 step, 2 steps and so on; each picture has 1.4 times the steps of the one before.",
                 partial(_animated_gif, plane, arrays), (3.6, 3.3), ending="gif")
          for plane, arrays in found),
    ]
# fmt: on


def _draw_sides(ax, found: Arrays, frame: int) -> list:
    """Draw the two sides of a classifier after some of the steps, and the line between them."""
    across, up, field = found["across"], found["up"], found["fields"][frame]
    drawn = [ax.contourf(across, up, field, levels=(-2, 0, 2), colors=SIDES)]
    if field.min() < 0 < field.max():
        drawn.append(ax.contour(across, up, field, levels=(0,), colors="0.15", linewidths=1.2))
    return drawn


def _draw_surface(ax, plane: Plane, found: Arrays, frame: int, size: float, title: str) -> None:
    _draw_sides(ax, found, frame)
    held_out = np.ones(len(found["y"]), bool)
    held_out[found["rows"]] = False
    for those, marker, said in ((~held_out, "o", "trained on"), (held_out, "x", "held out")):
        for sign, colour, side in ((1, BLUE, "first label"), (-1, VERMILION, "second label")):
            points = found["X"][those & (found["y"] == sign)]
            ax.plot(*points.T, marker, color=colour, label=f"{side}, {said}", markersize=size)
    unit = "a cloud's standard deviations" if plane.loss else "standard deviations"
    ax.set(xlabel=f"x ({unit})", ylabel=f"y ({unit})", title=title)
    ax.set(xlim=found["across"][[0, -1]], ylim=found["up"][[0, -1]])


def _draw_last_surfaces(sheet, found: Sequence[tuple[Plane, Arrays]]) -> None:
    for ax, (plane, arrays) in zip(charts.panels(sheet, len(found), 2), found, strict=True):
        held_out = int(arrays["sizes"][1])
        n_right = round(float(arrays["shown"]) * held_out)
        _draw_surface(ax, plane, arrays, -1, 4, f"{plane.title}: right on {n_right} of {held_out}")
    charts.legend_below(sheet, 4)


def _draw_stills(sheet, found: Sequence[tuple[Plane, Arrays]]) -> None:
    axes = sheet.subplots(len(found), STILLS, sharey="row", squeeze=False)
    for row, (plane, arrays) in zip(axes, found, strict=True):
        frames = np.linspace(0, len(arrays["steps"]) - 1, STILLS).round().astype(int).tolist()
        for ax, frame in zip(row, frames, strict=True):
            _draw_surface(ax, plane, arrays, frame, 2, f"step {arrays['steps'][frame]:,}")
            ax.set(xlabel=fill(ax.get_xlabel(), 24), ylabel=fill(f"{plane.title}: y", 24))
    charts.legend_below(sheet, 4)


def _animated_gif(plane: Plane, found: Arrays, sheet) -> bytes:
    """Draw every frame, and return them as a GIF; axes, which take most of the time, are drawn once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas, ax, frames = FigureCanvasAgg(sheet), sheet.subplots(), []
    _draw_surface(ax, plane, found, -1, 3, plane.title)
    words = ax.text(0.02, 0.98, "", va="top", fontsize=9, transform=ax.transAxes)
    canvas.draw()
    for frame, n_steps in enumerate(found["steps"]):
        words.set_text(f"step {n_steps:,} of {found['steps'][-1]:,}")
        for artist in (*_draw_sides(ax, found, frame), *ax.lines, words):
            ax.draw_artist(artist)
        frames.append(Image.fromarray(np.array(canvas.buffer_rgba())[..., :3]))
    palette = frames[-1].quantize(COLOURS)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    buffer = BytesIO()
    times = [PACE] * (len(frames) - 1) + [PAUSE]
    options = {"save_all": True, "duration": times, "loop": 0, "optimize": True}
    frames[0].save(buffer, "GIF", append_images=frames[1:], **options)
    return buffer.getvalue()


# fmt: off
def _plane_table(found: Sequence[tuple[Plane, Arrays]]) -> Table:
    rows = []
    for plane, arrays in found:
        low, middle, high = (1e3 * np.percentile(arrays["seconds"], (2.5, 50, 97.5))).tolist()
        accuracies, ends = arrays["accuracies"], accuracy_of(plane, arrays)[1:]
        rows.append([plane.title, len(accuracies), *arrays["sizes"].tolist(), float(accuracies.mean()), *ends,
                     float(accuracies.min()), middle, low, high])
    return Table(
        "planes", "Points in the plane",
        "Mean accuracy with its 95 % interval, and CPU milliseconds of a fit: median, and the middle 95 %.",
        ("points", "runs", "trained on", "held out", "accuracy", "low", "high", "worst", "ms", "ms, 2.5 %",
         "ms, 97.5 %"), rows, source="sections 1 to 3")
# fmt: on
