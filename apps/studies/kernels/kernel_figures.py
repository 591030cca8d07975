"""The figures of the study of kernels."""

import numpy as np

from ..frame.study_context import Arrays
from ..frame.study_report import Figure
from ..output.study_charts import Bars, Curve, Panel, Pixels, chart, mean_band, median_band, panel_rows
from ..output.study_colors import TEN_COLORS
from ..race.median_plot import BandKey
from .kernel_digits import Digits
from .kernel_grid import GAUSSIANS, KERNELS, LAMBDAS, POLYNOMIALS, RACE_ROWS, WIDER_LAMBDAS, Size

SAMPLES = 3  # of each digit
TICKS = (0.5, 1, 2, 3, 5, 7, 10, 20, 50)  # per cent, of the scale of colours
IMPLEMENTATIONS = ("naive", "vectorised", "compiled")


# fmt: off
def kernel_figures(
    digits: Digits, size: Size, grids: dict[str, Arrays], race: Arrays, plane: Arrays,
    wider: dict[str, Arrays],
) -> list[Figure]:
    """Return the figures, in the order of the document."""
    sample = sample_rows(digits.y)
    labels, counts = np.unique(digits.y, return_counts=True)
    shares = [f"{count / len(digits.y):.1%}" for count in counts]
    return [
        Figure("sample", "A sample of the digits", f"{SAMPLES} of each, drawn at random; the label is above.",
               chart(*_digit_panels(digits, sample, [str(digits.y[row]) for row in sample], len(labels))),
               size=(8.0, 3.4), source="figure 1", shows_data=True),
        Figure("counts", "How often each digit occurs", "The share of all digits is above each bar.",
               chart([Panel(Bars(labels, counts, notes=shares), title="how often each digit occurs",
                            xlabel="digit", ylabel="images", xticks=labels)]),
               size=(6.4, 3.6), source="figure 2"),
        Figure("plane", "The digits in the plane of t-SNE",
               f"{len(plane['points']):,} digits, each label at the median of its own. The axes have no "
               "unit.",
               chart([Panel(TSNEGroups(plane["points"], plane["labels"]), aspect="equal",
                            title="the digits by t-SNE",
                            xlabel="first coordinate", ylabel="second coordinate")]),
               size=(6.4, 5.7), source="figure 3"),
        Figure("race", "Three implementations of one binary classifier",
               f"{RACE_ROWS:,} rows, gaussian kernel, with its values; medians.",
               chart([Panel(*(Curve(size.race_steps, median_band(seconds.T, 0), colour, name, "o-")
                              for name, seconds, colour in zip(IMPLEMENTATIONS, race["seconds"], TEN_COLORS,
                                                               strict=False)),
                            BandKey(f"range of {size.repeats} runs"), legend=True,
                            title="one binary classifier", ylabel="CPU time, seconds",
                            **_steps_axis(size.race_steps))]),
               size=(6.4, 4.2), source="figure 4"),
        *_error_maps(grids, size.steps, LAMBDAS, [f"figure {number}" for number in range(5, 12)]),
        *_error_maps(wider, size.steps, WIDER_LAMBDAS, ["section 4"] * len(wider), "wider"),
        Figure("time", "Training time against the number of steps",
               "CPU seconds of the steps for all ten classes of a fold, mean over lambda, without the "
               "kernel's values.",
               chart([Panel(*(_time_curve(name, grid["seconds"].mean(axis=0), size.steps)
                              for name, grid in grids.items()),
                            BandKey("95 % interval of the mean"), legend=True,
                            title="ten classes, without the kernel's values",
                            ylabel="CPU time of a fold, seconds", **_steps_axis(size.steps))]),
               size=(6.4, 4.8), source="figure 12"),
    ]


def _error_maps(grids, steps, lambdas, sources: list[str], prefix: str = "errors") -> list[Figure]:
    errors = {name: 100 * grid["error"].mean(axis=-1).T for name, grid in grids.items()}
    low, high = (pick(map(pick, map(np.ravel, errors.values())), default=1) for pick in (min, max))
    style = {"norm": "log", "vmin": low, "vmax": high, "cmap": "viridis_r", "aspect": "auto"}
    bar = {"label": "test error, per cent", "ticks": [tick for tick in TICKS if low <= tick <= high],
           "format": "{x:g}"}
    axes = {"xlabel": "lambda", "xticks": range(len(lambdas)), "xticklabels": [f"{a:g}" for a in lambdas],
            "ylabel": "steps T", "yticks": range(len(steps)), "yticklabels": [f"{n:,}" for n in steps]}
    return [
        Figure(f"{prefix}_{name.replace(' ', '_').replace('.', '')}",
               f"Test error of the {'polynomial' if name in POLYNOMIALS else 'gaussian'} kernel, {name}",
               "Per cent, mean of the folds; the best cell has a frame. All kernels have one scale of "
               "colours.",
               chart([Panel(Pixels(cells, ".2f", style), title=f"{name}; framed: the best", **axes)],
                     colorbar=bar),
               size=(6.0, 3.6), source=source)
        for source, (name, cells) in zip(sources, errors.items(), strict=True)
    ]
# fmt: on


def sample_rows(y: np.ndarray) -> np.ndarray:
    """Draw some rows of each digit: all digits once, then all again."""
    rng = np.random.default_rng(0)
    return np.stack([rng.choice(np.flatnonzero(y == each), SAMPLES) for each in np.unique(y)], axis=1).ravel()


def _digit_panels(digits: Digits, rows: np.ndarray, titles: list[str], columns: int) -> list[list[Panel]]:
    style = {"cmap": "gray_r", "vmin": 0, "vmax": 1}
    images = digits.X[rows].reshape(-1, digits.side, digits.side)
    panels = [
        Panel(Pixels(image, options=style), title=title, frame_on=False, xticks=(), yticks=())
        for image, title in zip(images, titles, strict=True)
    ]
    return panel_rows(panels, columns)


def _steps_axis(steps: tuple[int, ...]) -> dict[str, object]:
    ticks = {"xticks": steps, "xticklabels": [f"{each:,}" for each in steps]}
    return {"xscale": "log", "yscale": "log", "xlabel": "steps T", **ticks}


def _time_curve(name: str, seconds: np.ndarray, steps: tuple[int, ...]) -> Curve:
    values = mean_band(seconds).clip(seconds.min() / 10)
    colour = TEN_COLORS[[*KERNELS].index(name)]
    return Curve(steps, values, colour, name, "o-" if name in GAUSSIANS else "o--")


class TSNEGroups:
    """Points of ten labels, each label at the median of its own."""

    def __init__(self, points: np.ndarray, labels: np.ndarray):
        self.points, self.labels = points, labels

    def draw(self, ax) -> None:
        """Draw them."""
        size = float(np.clip(12_000 / len(self.labels), 3, 16))
        for label, colour in zip(np.unique(self.labels), TEN_COLORS, strict=True):
            points = self.points[self.labels == label]
            ax.scatter(*points.T, s=size, color=colour, linewidths=0, antialiased=False)
            box = {"boxstyle": "round", "facecolor": "white", "edgecolor": colour}
            x, y = np.median(points, axis=0)
            ax.text(x, y, str(label), ha="center", va="center", fontsize=12, bbox=box)
