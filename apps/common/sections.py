"""A result as sections of lines and tables, for a terminal and for a page.

An app turns a result into sections once. `tell` shows them in a terminal, and `sections_page` as HTML, with
explanations and figures. `--json` prints the result itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from .errors import DONE, Skipped
from .printing import note_skipped, print_json, print_line, print_table

ABREAST = 3  # tables side by side in a terminal
SHADES = 10  # of a cell, in style.css

# A sentence, or its parts. Every second part is a name, which keeps its writing direction on a page.
Line = str | tuple[str, ...]


class Fact(NamedTuple):
    """A number: `accuracy 0.91 on 400 texts` in a terminal; on a page the value stands out."""

    name: str
    value: str
    more: str = ""


class Table(NamedTuple):
    """Rows of cells as text.

    Attributes
    ----------
    columns : sequence of str
    rows : sequence of sequences of str
    words : container of int
        The columns of words. The others have numbers, aligned to the right.
    shades : sequence of sequences of str, optional
        For each row and each column but the first, the class of style.css that colours the cell of a page.
    bars : sequence of float, optional
        For each row, the length of a bar that a page draws after the first column, in percent.
    colors : sequence of str, optional
        Colours of the bars.
    left_out : str
        What the table has besides these rows.
    kind : {"claims", ""}
        "claims": each row has a verdict, a claim and evidence, which a phone shows one below the other.
    folded : str
        The line that a page shows until the reader unfolds the table; "" shows the table.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[int] = (0,)
    shades: Sequence[Sequence[str]] = ()
    bars: Sequence[float] = ()
    colors: Sequence[str] = ()
    left_out: str = ""
    kind: str = ""
    folded: str = ""


class Figure(NamedTuple):
    """What a page draws under a caption: anything that has `__html__`, and tables too wide for a terminal."""

    caption: Line
    drawings: Sequence[object]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and its content, in this order.

    Attributes
    ----------
    title : str
        Empty for what a terminal prints without a heading.
    about : sequence of Line
        Explanations of the numbers, which only a page shows.
    facts : sequence of Fact
    lines : sequence of Line
    tables : sequence of Table
        Several stand side by side.
    figures : callable, optional
        Returns the figures; only a page calls it.
    layout : {"pair", "panels", "list", "figures", "whole", ""}
        How a page arranges the figures: beside the tables, many small ones in a grid, as a list, large ones
        in up to two columns, without captions, or as wide as the page.
    command : str
        A command line to copy.
    """

    title: str = ""
    about: Sequence[Line] = ()
    facts: Sequence[Fact] = ()
    lines: Sequence[Line] = ()
    tables: Sequence[Table] = ()
    figures: Callable[[], Iterable[Figure]] | None = None
    layout: str = "pair"
    command: str = ""

    @property
    def id(self) -> str:
        """The place on a page."""
        return self.title.lower().replace(" ", "-")

    @property
    def sentences(self) -> list[str]:
        """What a terminal prints above the tables."""
        facts = [f"{fact.name} {fact.value}{fact.more}" for fact in self.facts]
        return [*facts, *("".join(line) for line in self.lines), *filter(None, [self.command])]


def tell(json: bool, record: dict[str, object], sections: Iterable[Section], *skipped: Skipped) -> int:
    """Print the result of a command, after what it left out, and return its exit code."""
    code = max(map(note_skipped, skipped), default=DONE)
    if json:
        print_json(record)
    else:
        print_sections(sections)
    return code


def print_sections(sections: Iterable[Section]) -> None:
    """Print what has lines or tables, with an empty line between two sections."""
    shown = [section for section in sections if section.sentences or section.tables]
    for number, section in enumerate(shown):
        if number:
            print_line("")
        if section.title:
            print_line(section.title, "bold")
        for sentence in section.sentences:
            print_line(sentence)
        if section.title and section.sentences and section.tables:
            print_line("")
        _print_tables(section.tables)


def _print_tables(tables: Sequence[Table]) -> None:
    for start in range(0, len(tables), ABREAST):
        if start:
            print_line("")
        group = tables[start : start + ABREAST]
        columns: list[str] = []
        words: list[int] = []
        for table in group:
            words += [len(columns) + j for j in table.words]
            columns += table.columns
        blanks = [("",) * len(table.columns) for table in group]
        rows = [
            [cell for row, blank in zip(each, blanks, strict=True) for cell in row or blank]
            for each in zip_longest(*(table.rows for table in group))
        ]
        print_table(columns, rows, words)
        for table in group:
            if table.left_out:
                print_line(f"... and {table.left_out}")


def time_section(seconds: Mapping[str, float]) -> Section:
    """Return how long each stage took."""
    stages = [*seconds.items(), ("total", sum(seconds.values()))]
    rows = [(stage, f"{value:.2f}") for stage, value in stages]
    return Section(title="Time", tables=[Table(("stage", "seconds"), rows)])


def confusion_table(
    labels: Sequence[str],
    counts: Sequence[Sequence[int]],
    beside: Sequence[tuple[str, Sequence[str]]] = (),
) -> Table:
    """Return the confusion table: rows are true labels, columns are predicted labels.

    A page colours a cell by the square root of its share of the row, so that rare mistakes are visible.
    `beside` has the names and texts of further columns.
    """
    rows, shades = [], []
    for i, (label, row) in enumerate(zip(labels, counts, strict=True)):
        rows.append((label, *(f"{n:,}" for n in row), *(texts[i] for _, texts in beside)))
        levels = [round(SHADES * (n / max(sum(row), 1)) ** 0.5) for n in row]
        of_counts = [f"{'right' if i == j else 'wrong'}-{level}" for j, level in enumerate(levels)]
        shades.append([*of_counts, *[""] * len(beside)])
    return Table(("true \\ predicted", *labels, *(name for name, _ in beside)), rows, shades=shades)
