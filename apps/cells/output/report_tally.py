"""What the page shows: counts of everything, and the cells that deserve a look most."""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..data.image_files import source_name
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, CellCounts, FoundCell, ImageFindings
from ..finding.image_scale import Scale, scale_words
from ..learning.cell_model import CellModel

MAX_NAMED_FILES = 1_000
LOW_SCORE = 0.9  # of a label that deserves a look


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
    scale : str
        How wide a white cell is taken to be, and why.
    tells_familiar : bool
        Whether the model tells cells like those of its training from others.
    adapt : str
        The command that lets the model learn from the corrections.
    """

    title: str
    model: str | None = None
    classes: Sequence[str] = field(default=())
    limits: str = ""
    served: bool = False
    scale: str = ""
    tells_familiar: bool = False
    adapt: str = ""

    def choices(self, labels: Iterable[str | None]) -> list[str]:
        """Return the labels to choose from: the classes, other labels that were found, and unclassified."""
        found = {label for label in labels if label is not None}
        if not found:
            return []
        return [*self.classes, *sorted(found - {*self.classes, UNCLASSIFIED}), UNCLASSIFIED]


def report_about(model: CellModel, sources: Sequence[str], scale: float | Scale) -> ReportAbout:
    """Return the facts on a page about cells that a model classified."""
    title = f"White cells: {source_name(sources)}"
    about = {"limits": model.about.limits, "tells_familiar": model.about.cautious is not None}
    return ReportAbout(title, model.name, model.classes, scale=scale_words(scale), **about)


class ReportCell(NamedTuple):
    """A cell with its number in the order they came.

    `source` is where its picture is, if not in it; `odds` how much likelier the best label is than the known.
    """

    number: int
    file: str
    truth: str | None
    found: FoundCell
    source: str | None = None
    odds: float = 0.0

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
    def is_undecided(self) -> bool:
        """Whether no class has a score that is high enough."""
        return self.found.label == UNCLASSIFIED

    @property
    def is_unsure(self) -> bool:
        """Whether it has a label, with a probability that is low."""
        return bool(self.found.probabilities) and not self.is_undecided and self.found.score < LOW_SCORE

    @property
    def is_contradicted(self) -> bool:
        """Whether another label is likelier than the known one."""
        return self.odds > 1

    @property
    def doubt(self) -> tuple:
        """What to sort by: the undecided first, then the least sure."""
        return not self.is_undecided, self.score is None, self.score or 0.0, self.number

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
        if len(self.names) < MAX_NAMED_FILES:
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
        self._classes, self._source = list(classes), source
        self.unsure = 0
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
            if not found.unmeasured:
                self.empty.add(found.file, found.truth or "")
            self.known_without_cell += found.truth is not None
        if found.flags:
            self.flagged.add(found.file, ", ".join(found.flags))
        first = self.cells - len(found.cells) + 1
        for number, cell in enumerate(found.cells, start=first):
            source = self._source and self._source.format(number)
            odds = self._odds(found.truth, cell)
            self._add_cell(ReportCell(number, found.file, found.truth, cell, source, odds))

    def _odds(self, truth: str | None, cell: FoundCell) -> float:
        """Return how much likelier the likeliest label is than the known one; 0 where that is not known."""
        if truth not in self._classes or not cell.probabilities:
            return 0.0
        known = cell.probabilities[self._classes.index(truth)]
        return max(cell.probabilities) / max(known, 1e-300)

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

    @property
    def unfamiliar(self) -> bool:
        """Whether most images with cells have such unlike those of training."""
        return 2 * self.flags[UNFAMILIAR] > self.with_cell

    def to_teach(self) -> list[ReportCell]:
        """Return the cells on the page, first those that would teach most.

        These are the contradicted known labels, then the cells in doubt. Of unfamiliar cells it is the
        likeliest of each class in turn: of 298 cells of another laboratory ten of each class were among the
        first 42, by doubt among the first 105, and by chance among 129.
        """
        rest = sorted(self.shown, key=lambda cell: cell.doubt)
        first = sorted((c for c in rest if c.is_contradicted), key=lambda c: -c.odds)
        if self.unfamiliar and all(cell.found.probabilities for cell in rest):
            likeliest = [
                sorted(rest, key=lambda cell: -cell.found.probabilities[k]) for k in range(len(self._classes))
            ]
            rest = [cell for turn in zip(*likeliest, strict=True) for cell in turn]
        return list({cell.number: cell for cell in [*first, *rest]}.values())

    @property
    def mistakes(self) -> Counter[tuple[str, str]]:
        """How often each truth was taken for each other label."""
        return Counter({pair: n for pair, n in self.confusion.items() if pair[0] != pair[1]})
