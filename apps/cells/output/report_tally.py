"""What the page shows: counts of everything, and the cells that deserve a look most."""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..finding.findings import UNCLASSIFIED, CellCounts, FoundCell, ImageFindings

FILES_NAMED = 1_000


@dataclass(frozen=True)
class ReportAbout:
    """Facts on a page besides the findings.

    Attributes
    ----------
    title : str
        The heading.
    model : str, optional
        The name of the model that classified the cells.
    classes : sequence of str
        The labels of the model.
    limits : str
        The known limits of the model.
    served : bool
        Whether `review` serves the page: then its labels can be corrected.
    """

    title: str
    model: str | None = None
    classes: Sequence[str] = field(default=())
    limits: str = ""
    served: bool = False

    def choices(self, labels: Iterable[str | None]) -> list[str]:
        """Return the labels to choose from: the classes, other labels that were found, and unclassified."""
        found = {label for label in labels if label is not None}
        if not found:
            return []
        return [*self.classes, *sorted(found - {*self.classes, UNCLASSIFIED}), UNCLASSIFIED]


class ReportCell(NamedTuple):
    """A cell with its number in the order they came; `source` is where its picture is, if not in it."""

    number: int
    file: str
    truth: str | None
    found: FoundCell
    source: str | None = None

    @property
    def mistake(self) -> bool:
        """Whether the label is known to be wrong."""
        return self.comparable and self.truth != self.found.label

    @property
    def comparable(self) -> bool:
        """Whether the cell has a label, and a known one."""
        return self.truth is not None and self.found.label not in (None, UNCLASSIFIED)

    @property
    def score(self) -> float | None:
        """The score, if it is a number at all."""
        score = self.found.score
        return None if score is None or math.isnan(score) else float(score)

    @property
    def surprise(self) -> float:
        """How much the cell deserves a look: the surest of the mistakes, the least sure of the others."""
        score = self.score or 0.0
        return score if self.mistake else -score


@dataclass
class ReportFiles:
    """Files of which all are counted and the first few named."""

    count: int = 0
    names: list[tuple[str, str]] = field(default_factory=list)

    def add(self, file: str, remark: str = "") -> None:
        """Count a file, and name it with what there is to say about it."""
        self.count += 1
        if len(self.names) < FILES_NAMED:
            self.names.append((file, remark))


class ReportTally(CellCounts):
    """Counts of everything, and of the cells those to show, at most `limit`.

    Parameters
    ----------
    limit : int
    classes : iterable of str
        Labels to count from 0.
    source : str, optional
        The address of a cell's picture, with {} for its number; by default pictures are in the page.
    """

    def __init__(self, limit: int, classes: Iterable[str] = (), source: str | None = None) -> None:
        super().__init__("", classes)
        self._source = source
        self.known_without_cell = 0
        self.confusion: Counter[tuple[str, str]] = Counter()  # truth, label
        self.empty, self.problems, self.flagged = ReportFiles(), ReportFiles(), ReportFiles()
        self._limit = limit
        self._heap: list[tuple] = []  # the cell that deserves it least on top

    def add(self, found: ImageFindings) -> None:
        """Count an image and its cells."""
        super().add(found)
        if found.problem is not None:
            self.problems.add(found.file, found.problem)
        elif not found.cells:
            self.empty.add(found.file, found.truth or "")
            self.known_without_cell += found.truth is not None
        if found.flags:
            self.flagged.add(found.file, ", ".join(found.flags))
        first = self.cells - len(found.cells) + 1
        for number, cell in enumerate(found.cells, start=first):
            source = self._source and self._source.format(number)
            self._add_cell(ReportCell(number, found.file, found.truth, cell, source))

    def _add_cell(self, cell: ReportCell) -> None:
        if cell.comparable:
            self.confusion[cell.truth, cell.found.label] += 1
        push = heapq.heappush if len(self._heap) < self._limit else heapq.heappushpop
        push(self._heap, (cell.mistake, cell.surprise, -cell.number, cell))

    @property
    def shown(self) -> list[ReportCell]:
        """The cells on the page, in the order they came."""
        return sorted(cell for *_, cell in self._heap)

    @property
    def mistakes(self) -> Counter[tuple[str, str]]:
        """How often each truth was taken for each other label."""
        return Counter({pair: n for pair, n in self.confusion.items() if pair[0] != pair[1]})
