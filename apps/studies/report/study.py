"""What a study is given, and what it makes of its runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fastsvm._utils.thread_pool import Threads

from ...common.cache import Cache
from ...common.progress import UNWATCHED, Stages
from .verdicts import Found

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


class Figure(NamedTuple):
    """A picture of a study, drawn when it is written; `documents/captions.csv` has its words.

    Attributes
    ----------
    name : str
        Of the file, without its ending.
    draw : callable
        Draws on a `matplotlib.figure.Figure` (of `common.matplotlib_figures.figure`), axes labelled with
        units; or returns the bytes of a picture itself, with `ending` (a GIF, a contact sheet) set.
    size : (float, float)
        Inches.
    words : str, default=""
        The name in captions.csv, if several figures share their words; "": the figure's.
    subject : str, default=""
        The text for "{}" in the title and the caption.
    ending : str, default="png"
    shows_data : bool, default=False
        Whether it shows images or texts of the data themselves, which the docs leave out.
    """

    name: str
    draw: Callable[[Any], bytes | None]
    size: tuple[float, float] = (7.0, 4.5)
    words: str = ""
    subject: str = ""
    ending: str = "png"
    shows_data: bool = False

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.{self.ending}"


class Table(NamedTuple):
    """A table of a study: one CSV file, and shown on the page; `documents/captions.csv` has its words.

    Attributes
    ----------
    name : str
    header : sequence of str
    rows : sequence of sequences
        Numbers as numbers: the page that shows them chooses the digits.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence]

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.csv"


class Findings(NamedTuple):
    """What a study makes of its runs.

    Attributes
    ----------
    found : mapping of str to Found
        By the name of the claim in `documents/claims.csv`, of all claims.
    figures, tables : sequence
    """

    found: Mapping[str, Found]
    figures: Sequence[Figure]
    tables: Sequence[Table] = ()
