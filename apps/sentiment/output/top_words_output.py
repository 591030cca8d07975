"""The top words of a model: tables for people, records for --json and --csv, and a picture."""

import sys
from collections.abc import Sequence

from ...common.csv_quoting import csv_writer
from ...common.errors import AppError
from ...common.matplotlib_figures import figure
from ...common.printing import more, printable, shortened
from ...common.sections import Section, Table
from ..measures.prediction import TRAIN_AGAIN
from ..measures.term_effects import shown_term

TopWords = dict[str, list[tuple[str, float]]]  # of each label its words and their weights

FOR, AGAINST = "#2b7a78", "#c8553d"
LARGEST_DRAWN = 1e300  # with larger weights on both sides, the length of an axis would be infinite


def top_words_record(words: TopWords) -> dict:
    """Return what `explain MODEL --json` prints."""
    records = {}
    for label, rows in words.items():
        records[label] = [{"word": word, "weight": weight} for word, weight in rows]
    return {"words": records}


def print_top_words_csv(words: TopWords) -> None:
    """Print a CSV table of all words."""
    rows = ((label, *row) for label, rows in words.items() for row in rows)
    csv_writer(sys.stdout)(("label", "word", "weight"), *rows)


def top_words_section(words: TopWords, title: str = "", labels: Sequence[str] = ()) -> Section:
    """Return a table of the words of each label, or of some labels; the second of two labels comes first."""
    shown = labels or ([*words][::-1] if len(words) == 2 else [*words])
    most = max((abs(weight) for label in shown for _, weight in words[label]), default=0.0)
    form = "{:+.4f}" if most < 1e4 else "{:+.2e}"
    tables = []
    for label in shown:
        rows = [(shown_term(word), form.format(weight)) for word, weight in words[label]]
        bars = [100 * abs(weight) / most for _, weight in words[label]]
        tables.append(Table((label, "weight"), rows, bars=bars))
    left = more(len(words) - len(shown), "label", " not shown.")
    return Section(title=title, lines=[*filter(None, [left])], tables=tables)


def plot_top_words(words: TopWords, path: str) -> None:
    """Write a picture of the top words."""
    if any(abs(weight) > LARGEST_DRAWN for rows in words.values() for _, weight in rows):
        raise AppError(f"{path}: weights beyond {LARGEST_DRAWN:g} cannot be drawn; {TRAIN_AGAIN}")
    with figure(path, size_of_top_words(words)) as sheet:
        draw_top_words(sheet, words)


def size_of_top_words(words: TopWords) -> tuple[float, float]:
    """Return the size of a picture of the top words in inches."""
    panels, rows, columns = _word_panels(words)
    bars = max(sum(map(len, panel.values())) for panel in panels)
    return 7.0 if columns == 1 else 3.6 * columns, 0.6 + rows * (0.6 + 0.21 * bars)


def draw_top_words(sheet, words: TopWords) -> None:
    """Draw the weights of each label's top words as horizontal bars.

    Two labels share one panel, since they share one weight per word; more labels have one panel each.
    """
    panels, rows, columns = _word_panels(words)
    # Bars of the same length have the same weight in every panel.
    axes = sheet.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        _word_bars(ax, panel)
    for i, ax in enumerate(axes):
        if i >= len(panels):
            ax.set_axis_off()
        elif i + columns >= len(panels):  # nothing is below it
            ax.tick_params(axis="x", labelbottom=True)
    said = "weight of a word or phrase"
    if len(words) == 2:
        low, high = words
        said = f"weight: above 0 for “{high}”, below 0 for “{low}”"
    sheet.supxlabel(said, fontsize=10)


def _word_panels(words: TopWords) -> tuple[list[TopWords], int, int]:
    """Return the panels, and in how many rows and columns they stand."""
    panels = [{label: rows} for label, rows in words.items()]
    if len(words) == 2:
        panels = [dict(reversed(words.items()))]
    columns = min(len(panels), 3)
    return panels, -(-len(panels) // columns), columns


def _word_bars(ax, panel: TopWords) -> None:
    start = 0
    ticks = []
    for (label, rows), color in zip(panel.items(), (FOR, AGAINST), strict=False):
        # From the largest weight at the top to the smallest, so a side below 0 is turned around.
        rows = sorted(rows, key=lambda row: -row[1])
        places = range(start, start + len(rows))
        ax.barh(places, [weight for _, weight in rows], color=color, height=0.75, label=label)
        ticks += [printable(shown_term(word)) for word, _ in rows]
        start += len(rows)
    ax.set_yticks(range(start), ticks, fontsize=8)
    ax.invert_yaxis()
    ax.margins(y=0.01)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if len(panel) == 1:
        ax.set_title(shortened(*panel, 30))
    else:
        high, low = panel
        ax.set_title(f"The words that speak most for “{high}” and for “{low}”")
