"""What a study is given, and what it ends with: claims with verdicts, figures and tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from fastsvm._utils.thread_pool import Threads

from ...common.cache import Cache
from ...common.progress import UNWATCHED, Stages

Arrays = dict[str, np.ndarray]
Advance = Callable[[], None]  # to call after each step of a stage


@dataclass(frozen=True)
class Context:
    """How a study is to run.

    Attributes
    ----------
    data : str or None
        Folder with the documents' data sets; None: what comes with the package or with scikit-learn.
    runs : int or None
        Repetitions; None: the document's own number, or few where `quick`.
    seed : int
    quick : bool
        Small enough for all five studies to end within four minutes.
    parts : Cache
        Keeps the parts that are finished, so that an interrupted study resumes.
    threads : int
    stage : Stages
        Times, and shows, the stages.
    taken_up : list of str
        The parts that an earlier run had.
    grid : {"document", "wider"}
        Of the study of kernels.
    """

    data: str | None = None
    runs: int | None = None
    seed: int = 0
    quick: bool = False
    parts: Cache = field(default_factory=lambda: Cache(None))
    threads: int = 1
    stage: Stages = field(default=UNWATCHED)
    taken_up: list[str] = field(default_factory=list)
    grid: str = "document"

    def part(
        self, name: str, compute: Callable[[Advance], Arrays], *, total: int = 0, **key: object
    ) -> Arrays:
        """Return the arrays that `compute` returns, from the file of an earlier run with the same `key`.

        Parameters
        ----------
        name : str
            Of the part, a file name, and of the stage in which it is computed.
        compute : callable
            It is given what to call after each step.
        total : int
            How many steps there are, if it tells.
        **key
            All that the arrays depend on: settings, seeds, the data; arrays count by their content. The
            version of fastsvm is added.
        """
        known = self.parts.find(name, part=name, **key)
        if known is not None:
            self.taken_up.append(name)
            return known

        def arrays() -> Arrays:
            with self.stage(name, total or None) as advance:
                return {each: np.asarray(values) for each, values in compute(advance).items()}

        return self.parts.get(name, arrays, part=name, **key)

    def in_threads(self, work: Callable[[Any], Any], items: Iterable, advance: Advance) -> list:
        """Return what work makes of each item, in their order."""
        found = []
        with Threads(self.threads) as pool:
            for one in pool.map(work, items):
                found.append(one)
                advance()
        return found


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
