"""The top words of a model: tables for people, records for --json and --csv, and a picture."""

import sys
from itertools import zip_longest

from ...common.csv_quoting import csv_writer
from ...common.errors import AppError
from ...common.matplotlib_figures import figure
from ...common.printing import print_line, print_table, printable, shortened
from ..measures.prediction import TRAIN_AGAIN
from ..measures.term_effects import TopWords

WORDS, CHARACTERS = "words__", "chars__"  # what a vectorizer of both puts before its terms
FOR, AGAINST = "#2b7a78", "#c8553d"
LARGEST_DRAWN = 1e300  # of axes with more on both sides the length is no number


def shown_term(term: str) -> str:
    """Return a term for people.

    Beside words, a piece has dots where its word goes on: `…ing`, `un…`, `…o…`; `bad (characters)` is all of
    its word. Where there are characters alone, a blank at its ends is a sign of its own.
    """
    if term.startswith(WORDS):
        return term.removeprefix(WORDS)
    piece = term.removeprefix(CHARACTERS)
    if piece != term and piece.strip(" "):
        if piece[0] == piece[-1] == " ":
            return f"{piece.strip(' ')} (characters)"
        return f"{'' if piece[0] == ' ' else '…'}{piece.strip(' ')}{'' if piece[-1] == ' ' else '…'}"
    inner = piece.strip(" ")
    start = len(piece) - len(piece.lstrip(" ")) if inner else len(piece)
    return "␣" * start + inner + "␣" * (len(piece) - start - len(inner))


def top_words_record(sides: list[TopWords]) -> dict:
    """Return what `explain MODEL --json` prints."""
    return {"words": {side.label: [item._asdict() for item in side.words] for side in sides}}


def print_top_words_csv(sides: list[TopWords]) -> None:
    """Print a CSV table of all words."""
    rows = ((side.label, *item) for side in sides for item in side.words)
    csv_writer(sys.stdout)(("label", "word", "weight"), *rows)


def print_top_words(sides: list[TopWords], abreast: int = 3) -> None:
    """Print the top words of each label, a pair of columns each; the second of two labels comes first."""
    sides = sides[::-1] if len(sides) == 2 else sides
    for start in range(0, len(sides), abreast):
        if start:
            print_line("")
        group = sides[start : start + abreast]
        header, columns = [], []
        for side in group:
            header += [side.label, "weight"]
            columns += [
                [shown_term(item.word) for item in side.words],
                [f"{item.weight:+.4f}" for item in side.words],
            ]
        print_table(header, zip_longest(*columns, fillvalue=""), text_columns=range(0, len(header), 2))


def plot_top_words(sides: list[TopWords], path: str) -> None:
    """Write a picture of the top words."""
    if any(abs(item.weight) > LARGEST_DRAWN for side in sides for item in side.words):
        raise AppError(f"{path}: weights beyond {LARGEST_DRAWN:g} cannot be drawn; {TRAIN_AGAIN}")
    with figure(path, size_of_top_words(sides)) as sheet:
        draw_top_words(sheet, sides)


def size_of_top_words(sides: list[TopWords]) -> tuple[float, float]:
    """Return the inches that a picture of the top words takes."""
    panels, rows, columns = _word_panels(sides)
    bars = max(sum(len(side.words) for side in panel) for panel in panels)
    return 7.0 if columns == 1 else 3.6 * columns, 0.6 + rows * (0.6 + 0.21 * bars)


def draw_top_words(sheet, sides: list[TopWords]) -> None:
    """Draw the weights of each label's top words as horizontal bars.

    Two labels share one pair of axes, since they share one weight for each word; more have a panel each.
    """
    panels, rows, columns = _word_panels(sides)
    # Bars of one length are of one weight, in every panel.
    axes = sheet.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        _word_bars(ax, panel)
    for i, ax in enumerate(axes):
        if i >= len(panels):
            ax.set_axis_off()
        elif i + columns >= len(panels):  # nothing is below it
            ax.tick_params(axis="x", labelbottom=True)
    said = "weight of a word or phrase"
    if len(sides) == 2:
        said = f"weight: above 0 for “{sides[1].label}”, below 0 for “{sides[0].label}”"
    sheet.supxlabel(said, fontsize=10)


def _word_panels(sides: list[TopWords]) -> tuple[list[list[TopWords]], int, int]:
    """Return what shares axes, and in how many rows and columns these stand."""
    panels = [sides[::-1]] if len(sides) == 2 else [[side] for side in sides]
    columns = min(len(panels), 3)
    return panels, -(-len(panels) // columns), columns


def _word_bars(ax, panel: list[TopWords]) -> None:
    start = 0
    ticks = []
    for side, color in zip(panel, (FOR, AGAINST), strict=False):
        # From the largest weight at the top to the smallest, so a side below 0 is turned around.
        words = sorted(side.words, key=lambda item: -item.weight)
        places = range(start, start + len(words))
        ax.barh(places, [item.weight for item in words], color=color, height=0.75, label=side.label)
        ticks += [printable(shown_term(item.word)) for item in words]
        start += len(words)
    ax.set_yticks(range(start), ticks, fontsize=8)
    ax.invert_yaxis()
    ax.margins(y=0.01)
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.grid(axis="x", color="0.9")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if len(panel) == 1:
        ax.set_title(shortened(panel[0].label, 30))
    else:
        high, low = panel
        ax.set_title(f"The words that speak most for “{high.label}” and for “{low.label}”")
