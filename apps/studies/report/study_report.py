"""What a study is given, and what it ends with: claims with verdicts, figures and tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .study import Advance, Arrays, Context

__all__ = ["Advance", "Arrays", "Context"]


class Verdict(StrEnum):
    """What was found of a claim."""

    HELD = "held"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    UNTESTED = "cannot be tested"


RULES = (
    "Held: the whole 95 % interval of what is measured is where the claim puts it. Refuted: all of it is "
    "elsewhere. Undecided: it crosses the limit. Cannot be tested: data, or enough runs, are not at hand. "
    "A number of a document is held where the interval has it or is all better, and then the row says so. "
    "A claim on several comparisons is as good as the weakest of them."
)


@dataclass(frozen=True)
class Claim:
    """A claim of a document, and what was measured of it.

    Attributes
    ----------
    words : str
        The claim, in short.
    theirs : str
        The document's figure, and where it stands ("figure 4").
    ours : str
        What was measured, with an interval and a unit; "" where nothing was.
    verdict : Verdict
    why : str
        One sentence: what decides, or why it cannot be tested.
    cases : tuple, default=()
        The comparisons that decide: where, value, low, high, and the verdict of each.
    """

    words: str
    theirs: str
    ours: str
    verdict: Verdict
    why: str = ""
    cases: tuple = ()


@dataclass(frozen=True)
class Figure:
    """A picture of a study, drawn when it is written.

    Attributes
    ----------
    name : str
        Of the file, without its ending.
    title, caption : str
        A caption says how to read it, in one or two sentences.
    draw : callable
        Draws on a `matplotlib.figure.Figure` (of `common.matplotlib_figures.figure`), axes labelled with
        units; or returns the bytes of a picture itself, with `ending` (a GIF, a contact sheet) set.
    size : (float, float)
        Inches.
    ending : str, default="png"
    source : str, default=""
        The document's figure or table that it redoes ("figure 2a").
    shows_data : bool, default=False
        Whether it shows images or texts of the data themselves, which the gallery of the docs leaves out.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[Any], bytes | None]
    size: tuple[float, float] = (7.0, 4.5)
    ending: str = "png"
    source: str = ""
    shows_data: bool = False

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.{self.ending}"


@dataclass(frozen=True)
class Table:
    """A table of a study: one CSV file, and shown on the page unless it is long.

    Attributes
    ----------
    name, title, caption : str
    header : sequence of str
    rows : sequence of sequences
        Numbers as numbers: whoever shows them chooses the digits.
    shown : bool, default=True
        Whether the page has it, or only the CSV file.
    source : str, default=""
    """

    name: str
    title: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence]
    shown: bool = True
    source: str = ""

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.csv"


@dataclass
class Report:
    """What a study found.

    Attributes
    ----------
    title : str
    document : str
        Authors, title and year of the document.
    data : str
        What it ran on, one sentence, without a path: it goes into the docs.
    settings : dict
        Names and values that matter, for the page.
    claims, figures, tables : list
    """

    title: str
    document: str
    data: str
    settings: dict[str, object] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
