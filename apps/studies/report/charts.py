"""The style of the studies' figures, and helpers that Matplotlib lacks."""

from collections.abc import Sequence

import numpy as np

from ...common.matplotlib_figures import OKABE_ITO, figure, figure_bytes
from ...common.statistics import mean_interval
from .study import Figure

BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, _ = OKABE_ITO.values()  # yellow is too pale on white
TEN_COLORS = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY_BLUE, "#000000", "#999999", "#999933", "#882255"]
LOG_LOG = {"xscale": "log", "yscale": "log"}
STYLE = {
    **{"axes.titlesize": 10, "xtick.labelsize": 9, "ytick.labelsize": 9, "legend.fontsize": 9},
    **{"axes.grid": True, "grid.color": "0.9", "axes.axisbelow": True, "legend.frameon": False},
    **{"axes.spines.top": False, "axes.spines.right": False, "lines.markersize": 4},
}


def draw_figure(picture: Figure) -> bytes:
    """Return the picture of a figure as the bytes of a file; shared axes have their labels at the edge."""
    with figure(None, picture.size) as sheet:
        from matplotlib import rc_context

        with rc_context(STYLE):
            content = picture.draw(sheet)
            for ax in sheet.axes:
                ax.minorticks_off()  # they take most of the time of a picture
                if ax.images:
                    ax.grid(visible=False)
                    ax.spines[:].set_visible(True)
                if place := ax.get_subplotspec():
                    if not place.is_last_row() and len(ax.get_shared_x_axes().get_siblings(ax)) > 1:
                        ax.set_xlabel("")
                    if not place.is_first_col() and len(ax.get_shared_y_axes().get_siblings(ax)) > 1:
                        ax.set_ylabel("")
            return content or figure_bytes(sheet, picture.ending)


def draw_band(ax, x, y, color, label: str = "", line: str = "-", **style) -> None:
    """Draw a line, in a band if y has shape (n, 3): the value, low and high of each point."""
    values = np.asarray(y)
    middle, *ends = values.T if values.ndim == 2 else (values,)
    ax.plot(x, middle, line, color=color, label=label, **style)
    if ends:
        ax.fill_between(x, *ends, color=color, alpha=0.2, linewidth=0)


def name_band(ax, words: str = "10th to 90th percentile of runs") -> None:
    """Explain a band in the legend."""
    ax.fill_between([], [], [], color="0.4", alpha=0.2, linewidth=0, label=words)


def legend_below(sheet, columns: int) -> None:
    """Put the legend of the first panel below all panels."""
    handles = sheet.axes[0].get_legend_handles_labels()
    sheet.legend(*handles, loc="outside lower center", ncols=columns)


def mean_band(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return the mean of each row with its 95 % interval, for `draw_band`."""
    return np.array([(row.mean(), *mean_interval(row.tolist())) for row in np.asarray(rows)])


def median_band(runs: np.ndarray, reach: float = 0.1) -> np.ndarray:
    """Return the median over runs, and quantiles that leave out a share at each end, for `draw_band`."""
    return np.quantile(runs, (0.5, reach, 1 - reach), axis=0).T


def viridis_color(number: int, count: int) -> tuple[float, ...]:
    """Return one of `count` colours from dark to light."""
    import matplotlib

    return matplotlib.colormaps["viridis"](0.9 * number / max(count - 1, 1))
