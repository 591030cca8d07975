"""The pictures of the study."""

from collections.abc import Sequence

import numpy as np

from ...common.figures import OKABE_ITO
from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Figure
from .kernel_digits import Digits
from .kernel_grid import GAUSSIANS, KERNELS, LAMBDAS, POLYNOMIALS, RACE_ROWS, Size

SAMPLES = 3  # of each digit
WORST = 24  # digits
COLUMNS = 8
TICKS = (0.5, 1, 2, 3, 5, 7, 10, 20, 50)  # per cent, of the scale of colours
IMPLEMENTATIONS = ("naive", "vectorised", "compiled")
# Their yellow is too pale for points and lines on white.
COLOURS = [*(code for name, code in OKABE_ITO.items() if name != "yellow"), "#000000"]
TEN_COLOURS = [*COLOURS, "#999999", "#999933", "#882255"]
LINES = dict(zip(KERNELS, COLOURS, strict=True))


def figures(
    digits: Digits, size: Size, grids: dict[str, Arrays], race: Arrays, plane: Arrays, wrong: Arrays
) -> list[Figure]:
    """Return the pictures, in the order of the document."""
    errors = {name: grid["error"].mean(axis=-1) for name, grid in grids.items()}
    return [
        Figure(
            "sample",
            "A sample of the digits",
            f"{SAMPLES} of each, drawn at random; the label is above.",
            lambda sheet: _sample(sheet, digits),
            size=(8.0, 3.4),
            source="figure 1",
            shows_data=True,
        ),
        Figure(
            "counts",
            "How often each digit occurs",
            "The share of all digits is above each bar.",
            lambda sheet: _counts(sheet, digits.y),
            size=(6.4, 3.6),
            source="figure 2",
        ),
        Figure(
            "plane",
            "The digits in the plane of t-SNE",
            f"{len(plane['points']):,} digits, each label at the median of its own. The axes have no unit.",
            lambda sheet: _plane(sheet, plane),
            size=(6.4, 5.7),
            source="figure 3",
        ),
        Figure(
            "race",
            "Three implementations of one binary classifier",
            f"{RACE_ROWS:,} rows, gaussian kernel, with its values; median and range of {size.repeats} runs.",
            lambda sheet: _race(sheet, race["seconds"], size.race_steps),
            size=(6.4, 4.2),
            source="figure 4",
        ),
        *_maps(errors, size.steps),
        Figure(
            "time",
            "Training time against the number of steps",
            "CPU seconds of the steps for all ten classes of a fold, mean over lambda, without the kernel's "
            "values; bands are 95 % intervals of the mean over folds.",
            lambda sheet: _time(sheet, grids, size.steps),
            size=(6.4, 4.8),
            source="figure 12",
        ),
        Figure(
            "worst",
            "The most confident mistakes",
            "Of the document's best polynomial, by the lead of the wrong digit's score over the right one's. "
            "Above each: what it was taken for, and what it is.",
            lambda sheet: _worst(sheet, digits, wrong),
            size=(8.0, 4.2),
            shows_data=True,
        ),
    ]


def _sample(sheet, digits: Digits) -> None:
    rng = np.random.default_rng(0)
    classes = np.unique(digits.y)
    rows = np.stack([rng.choice(np.flatnonzero(digits.y == label), SAMPLES) for label in classes], axis=1)
    _images(sheet, digits, rows.ravel(), [str(digits.y[row]) for row in rows.ravel()], len(classes))


def _worst(sheet, digits: Digits, wrong: Arrays) -> None:
    rows = worst_rows(digits, wrong)[:WORST]
    labels = [f"{wrong['predicted'][row]} for {digits.y[row]}" for row in rows]
    _images(sheet, digits, rows, labels, COLUMNS)


def worst_rows(digits: Digits, wrong: Arrays) -> np.ndarray:
    """Return the rows of the mistakes, the most confident first."""
    rows = np.flatnonzero(wrong["predicted"] != digits.y)
    return rows[np.argsort(-wrong["lead"][rows], kind="stable")]


def _images(sheet, digits: Digits, rows: np.ndarray, labels: Sequence[str], columns: int) -> None:
    panels = sheet.subplots(-(-len(rows) // columns), columns, squeeze=False).ravel()
    for axes in panels:
        axes.set_axis_off()
    for axes, row, label in zip(panels, rows, labels, strict=False):
        axes.imshow(digits.X[row].reshape(digits.side, digits.side), cmap="gray_r", vmin=0, vmax=1)
        axes.set_title(label, fontsize=9)


def _counts(sheet, y: np.ndarray) -> None:
    axes = sheet.subplots()
    labels, counts = np.unique(y, return_counts=True)
    bars = axes.bar(labels, counts, color=OKABE_ITO["blue"])
    axes.bar_label(bars, [f"{count / len(y):.1%}" for count in counts], fontsize=8)
    axes.set(xlabel="digit", ylabel="images", xticks=labels)
    axes.spines[["top", "right"]].set_visible(False)


def _plane(sheet, plane: Arrays) -> None:
    axes, size = sheet.subplots(), float(np.clip(12_000 / len(plane["labels"]), 3, 16))
    for label, colour in zip(np.unique(plane["labels"]), TEN_COLOURS, strict=True):
        points = plane["points"][plane["labels"] == label]
        axes.scatter(*points.T, s=size, color=colour, linewidths=0, antialiased=False)
        axes.annotate(
            str(label),
            np.median(points, axis=0),
            ha="center",
            va="center",
            fontsize=12,
            bbox={"boxstyle": "round", "facecolor": "white", "edgecolor": colour},
        )
    axes.set(xlabel="first coordinate", ylabel="second coordinate", aspect="equal")


def _race(sheet, seconds: np.ndarray, steps: Sequence[int]) -> None:
    axes = sheet.subplots()
    for name, measured, colour in zip(IMPLEMENTATIONS, seconds, OKABE_ITO.values(), strict=False):
        axes.fill_between(steps, measured.min(axis=1), measured.max(axis=1), color=colour, alpha=0.25)
        axes.plot(steps, np.median(measured, axis=1), color=colour, marker="o", markersize=4, label=name)
    axes.set(yscale="log", ylabel="CPU time, seconds")
    _steps_below(axes, steps)
    axes.legend(frameon=False)
    axes.grid(color="gainsboro", linewidth=0.6)


def _steps_below(axes, steps: Sequence[int]) -> None:
    axes.set(xscale="log", xlabel="steps T")
    axes.set_xticks(steps, [f"{each:,}" for each in steps])
    axes.xaxis.minorticks_off()


def _maps(errors: dict[str, np.ndarray], steps: Sequence[int]) -> list[Figure]:
    every = 100 * np.concatenate([cells.ravel() for cells in errors.values()])
    return [
        Figure(
            f"errors_{name.replace(' ', '_').replace('.', '')}",
            f"Test error of the {'polynomial' if name in POLYNOMIALS else 'gaussian'} kernel, {name}",
            "Per cent, mean of the folds; the best cell has a frame. All kernels have one scale of colours.",
            lambda sheet, cells=cells: _map(sheet, 100 * cells.T, steps, (every.min(), every.max())),
            size=(6.0, 3.4),
            source=f"figure {number}",
        )
        for number, (name, cells) in enumerate(errors.items(), start=5)
    ]


def _map(sheet, cells: np.ndarray, steps: Sequence[int], ends: tuple[float, float]) -> None:
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    norm, axes = LogNorm(*ends), sheet.subplots()
    image = axes.imshow(cells, norm=norm, cmap="viridis_r", aspect="auto")
    for (row, column), value in np.ndenumerate(cells):
        colour = "white" if norm(value) > 0.5 else "black"
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=9)
    row, column = np.unravel_index(cells.argmin(), cells.shape)
    frame = {"fill": False, "color": OKABE_ITO["vermilion"], "linewidth": 2}
    axes.add_patch(Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, **frame))
    axes.set(xlabel="lambda", ylabel="steps T")
    axes.set_xticks(range(len(LAMBDAS)), [f"{each:g}" for each in LAMBDAS])
    axes.set_yticks(range(len(steps)), [f"{each:,}" for each in steps])
    ticks = [tick for tick in TICKS if ends[0] <= tick <= ends[1]]
    bar = sheet.colorbar(image, label="test error, per cent", ticks=ticks, format="{x:g}")
    bar.ax.minorticks_off()


def _time(sheet, grids: dict[str, Arrays], steps: Sequence[int]) -> None:
    axes = sheet.subplots()
    for name, grid in grids.items():
        seconds = grid["seconds"].mean(axis=0)  # (steps, folds)
        ends = np.array([mean_interval(row.tolist()) for row in seconds]).clip(seconds.min() / 10)
        style = "-" if name in GAUSSIANS else "--"
        axes.fill_between(steps, *ends.T, color=LINES[name], alpha=0.2)
        axes.plot(steps, seconds.mean(axis=1), style, color=LINES[name], marker="o", markersize=4, label=name)
    axes.set(yscale="log", ylabel="CPU time of a fold, seconds")
    _steps_below(axes, steps)
    axes.legend(frameon=False, ncols=2)
    axes.grid(color="gainsboro", linewidth=0.6)
