"""Pictures of a model."""

from __future__ import annotations

from ..common.errors import AppError
from ..common.output import printable
from .pipeline import Side

FOR, AGAINST = "#2b7a78", "#c8553d"


def plot_top_words(sides: list[Side], path: str) -> None:
    """Draw the weights of each label's top words as horizontal bars.

    Two labels share one pair of axes, since they share one weight for each word; more have a panel each.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise AppError("pictures need matplotlib: pip install fastsvm[plot]") from error

    panels = [sides[::-1]] if len(sides) == 2 else [[side] for side in sides]
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    bars = max(sum(len(side.words) for side in panel) for panel in panels)
    # A word is not a formula, whatever dollars it holds.
    with rc_context({"text.parse_math": False}):
        size = (7.0 if columns == 1 else 3.6 * columns, rows * (1.2 + 0.21 * bars))
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for ax, panel in zip(axes, panels, strict=False):
            _bars(ax, panel)
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        try:
            figure.savefig(path)
        except ValueError as error:
            raise AppError(f"{path}: {error}; name the picture with .png, .svg or .pdf") from error


def _bars(ax, panel: list[Side]) -> None:
    start = 0
    ticks = []
    for side, color in zip(panel, (FOR, AGAINST), strict=False):
        # From the largest weight at the top to the smallest, so a side below 0 is turned around.
        words = sorted(side.words, key=lambda item: -item.weight)
        places = range(start, start + len(words))
        ax.barh(places, [item.weight for item in words], color=color, height=0.75, label=side.label)
        ticks += [printable(item.word) for item in words]
        start += len(words)
    ax.set_yticks(range(start), ticks, fontsize=8)
    ax.invert_yaxis()
    ax.margins(y=0.01)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel("word")
    if len(panel) == 1:
        ax.set_title(panel[0].label)
        ax.set_xlabel("weight")
    else:
        high, low = panel
        ax.set_title(f"The words that speak most for “{high.label}” and for “{low.label}”")
        ax.set_xlabel(f"weight: above 0 for “{high.label}”, below 0 for “{low.label}”")
