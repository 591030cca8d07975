"""What a page has beside the counts: the cells that deserve a look most, confusions, and files to name."""

import heapq
from collections import Counter
from typing import NamedTuple

from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, FoundCell, ImageFindings
from ..jobs.cell_classification import CellClassification

MAX_NAMED_FILES = 1_000
LOW_SCORE = 0.9  # of a label that deserves a look


class ReportCell(NamedTuple):
    """A cell with its number in the order they came.

    `odds` is how much likelier the best label is than the known one; 0 where that is not known.
    """

    number: int
    file: str
    truth: str | None
    found: FoundCell
    odds: float = 0.0

    @property
    def comparable(self) -> bool:
        """Whether the cell has a label, and a known one."""
        return self.truth is not None and not self.is_undecided

    @property
    def mistake(self) -> bool:
        """Whether the label is known to be wrong."""
        return self.comparable and self.truth != self.found.label

    @property
    def is_undecided(self) -> bool:
        """Whether no class has a score that is high enough."""
        return self.found.label == UNCLASSIFIED

    @property
    def is_unsure(self) -> bool:
        """Whether it has a label, with a probability that is low."""
        return bool(self.found.probabilities) and not self.is_undecided and self.found.score < LOW_SCORE

    @property
    def doubt(self) -> tuple:
        """What to sort by: the undecided first, then the least sure."""
        return not self.is_undecided, self.found.score, self.number

    @property
    def surprise(self) -> float:
        """How much the cell deserves a look: the surest of the mistakes, the least sure of the others."""
        return self.found.score if self.mistake else -self.found.score


class ReportTally:
    """The cells to show, at most `limit`, the confusions of all, and the first files of each kind.

    Parameters
    ----------
    count : CellClassification
        It has counted an image before that is added here.
    limit : int

    Attributes
    ----------
    unsure, known_without_cell : int
        Cells with a low score, and images with a known label and no white cell.
    confusion : Counter
        How often each truth got each label.
    empty, flagged, problems : list of (str, str)
        Files, and what there is to say about them.
    """

    def __init__(self, count: CellClassification, limit: int) -> None:
        self.count = count
        self.unsure = self.known_without_cell = 0
        self.confusion: Counter[tuple[str, str]] = Counter()
        self.empty: list[tuple[str, str]] = []
        self.flagged: list[tuple[str, str]] = []
        self.problems: list[tuple[str, str]] = []
        self._limit = limit
        self._heap: list[tuple] = []  # the cell that deserves it least on top

    def add(self, found: ImageFindings) -> None:
        """Take an image and its cells."""
        if found.problem is not None:
            _name(self.problems, found.file, found.problem)
        elif not found.cells:
            if not found.unmeasured:
                _name(self.empty, found.file, found.truth or "")
            self.known_without_cell += found.truth is not None
        if found.flags:
            _name(self.flagged, found.file, ", ".join(found.flags))
        first = self.count.cells - len(found.cells) + 1
        for number, cell in enumerate(found.cells, start=first):
            self._add_cell(ReportCell(number, found.file, found.truth, cell, self._odds(found.truth, cell)))

    def _odds(self, truth: str | None, cell: FoundCell) -> float:
        classes = self.count.model.classes
        if truth not in classes or not cell.probabilities:
            return 0.0
        return max(cell.probabilities) / max(cell.probabilities[classes.index(truth)], 1e-300)

    def _add_cell(self, cell: ReportCell) -> None:
        if cell.comparable:
            self.confusion[cell.truth, cell.found.label] += 1
        self.unsure += cell.is_unsure
        push = heapq.heappush if len(self._heap) < self._limit else heapq.heappushpop
        push(self._heap, (cell.mistake, cell.is_undecided, cell.surprise, -cell.number, cell))

    @property
    def shown(self) -> list[ReportCell]:
        """The cells on the page, in the order they came."""
        return sorted(cell for *_, cell in self._heap)

    def to_teach(self) -> list[ReportCell]:
        """Return the cells on the page, first those that would teach most.

        These are the contradicted known labels, then the cells in doubt. Where most images with cells have
        unfamiliar ones it is the likeliest of each class in turn: of 298 cells of another laboratory ten of
        each class were among the first 42, by doubt among the first 105, and by chance among 129.
        """
        rest = sorted(self.shown, key=lambda cell: cell.doubt)
        first = sorted((c for c in rest if c.odds > 1), key=lambda c: -c.odds)
        if 2 * self.count.flags[UNFAMILIAR] > self.count.with_cell and all(
            c.found.probabilities for c in rest
        ):
            likeliest = [
                sorted(rest, key=lambda cell: -cell.found.probabilities[k])
                for k in range(len(self.count.model.classes))
            ]
            rest = [cell for turn in zip(*likeliest, strict=True) for cell in turn]
        return list({cell.number: cell for cell in [*first, *rest]}.values())

    @property
    def mistakes(self) -> Counter[tuple[str, str]]:
        """How often each truth was taken for each other label."""
        return Counter({pair: n for pair, n in self.confusion.items() if pair[0] != pair[1]})


def _name(files: list[tuple[str, str]], file: str, remark: str) -> None:
    """Name a file, unless many are named."""
    if len(files) < MAX_NAMED_FILES:
        files.append((file, remark))
