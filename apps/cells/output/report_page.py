"""The report: one HTML page to check by eye what was found and how it was classified."""

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import NamedTuple

from ...common.html_pages import data_uri, macros, sections_page
from ...common.printing import many, more, percent, shortened
from ...common.sections import Fact, Figure, Section, Table, confusion_table
from ...common.statistics import wilson_interval
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR, FoundCell, ImageFindings
from ..finding.image_scale import scale_words
from ..jobs.cell_classification import CellClassification
from .cell_drawing import PALETTE, color_of
from .cell_tables import NAME_LETTERS, count_section, groups_sections, missed_line

MAX_NAMED_FILES = 1_000
LOW_SCORE = 0.9  # of a label that deserves a look
MAX_CELLS = 2_000  # cells with a picture and a row
CONFUSION_LABELS = 20
MISTAKE_KINDS, MISTAKE_PICTURES = 12, 8
NO_DEVICE = (
    "This is not a medical device. A program found and classified the cells; look at the pictures before you "
    "rely on the numbers."
)
TAIL_LETTERS = 13  # letters of a file's name that are always shown


class ReportCell(NamedTuple):
    """A cell with its number, in the order of the images.

    `odds` is the probability of the best label over that of the known one, or over that of all others if the
    model lacks the known one; 0 if none is known.
    """

    number: int
    file: str
    truth: str | None
    found: FoundCell
    odds: float = 0.0

    @property
    def comparable(self) -> bool:
        """Whether the cell has a label and a known label."""
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
    def doubt(self) -> tuple:
        """The sort key that puts undecided cells first, then low scores."""
        return not self.is_undecided, self.found.score, self.number

    @property
    def surprise(self) -> float:
        """How much the cell deserves a look: mistakes with a high score, others with a low one."""
        return self.found.score if self.mistake else -self.found.score


class ReportTally:
    """The cells to show, at most `limit`, the confusions of all, and the first files of each kind.

    Parameters
    ----------
    count : CellClassification
        Counts each image before it is added here.
    limit : int

    Attributes
    ----------
    unsure, known_without_cell : int
        Cells with a low score, and images with a known label and no white cell.
    confusion, without_label : Counter
        How often each truth got each label, and how often none.
    empty, flagged, problems : list of (str, str)
        Files, and what there is to say about them.
    """

    def __init__(self, count: CellClassification, limit: int) -> None:
        self.count = count
        self.unsure = self.known_without_cell = 0
        self.confusion: Counter[tuple[str, str]] = Counter()
        self.without_label: Counter[str] = Counter()
        self.empty: list[tuple[str, str]] = []
        self.flagged: list[tuple[str, str]] = []
        self.problems: list[tuple[str, str]] = []
        self._limit = limit
        self._heap: list[tuple] = []  # on top, the cell that least deserves a place

    def add(self, found: ImageFindings) -> None:
        """Add an image and its cells."""
        if found.problem is not None:
            _name(self.problems, found.file, found.problem)
        elif not found.cells:
            if not found.unmeasured:
                _name(self.empty, found.file, found.truth or "")
            self.known_without_cell += found.truth is not None
        if found.flags:
            _name(self.flagged, found.file, ", ".join(found.flags))
        first = self.count.cells - len(found.cells) + 1
        for k, cell in enumerate(found.cells):
            truth = found.truth if k == 0 else None
            self._add_cell(ReportCell(first + k, found.file, truth, cell, self._odds(truth, cell)))

    def _odds(self, truth: str | None, cell: FoundCell) -> float:
        classes, odds = self.count.model.classes, cell.probabilities
        if truth is None or not odds:
            return 0.0
        known = odds[classes.index(truth)] if truth in classes else 1 - max(odds)  # at most, of no class
        return max(odds) / max(known, 1e-300)

    def _add_cell(self, cell: ReportCell) -> None:
        if cell.comparable:
            self.confusion[cell.truth, cell.found.label] += 1
        elif cell.truth is not None:
            self.without_label[cell.truth] += 1
        is_unsure = bool(cell.found.probabilities) and cell.found.score < LOW_SCORE
        self.unsure += is_unsure and not cell.is_undecided
        push = heapq.heappush if len(self._heap) < self._limit else heapq.heappushpop
        push(self._heap, (cell.mistake, cell.is_undecided, cell.surprise, -cell.number, cell))

    @property
    def shown(self) -> list[ReportCell]:
        """The cells on the page, in the order they came."""
        return sorted(cell for *_, cell in self._heap)

    def to_teach(self) -> list[ReportCell]:
        """Return the cells on the page, first those that would teach most.

        These are cells whose known label is contradicted, then cells in doubt. If most images with cells are
        unfamiliar, it is the likeliest cell of each class in turn: of 291 cells of another laboratory, ten of
        each class were among the first 57, ordered by doubt among the first 91, and at random among 122.
        """
        rest = sorted(self.shown, key=lambda cell: cell.doubt)
        first = sorted((c for c in rest if c.odds > 1), key=lambda c: -c.odds)
        is_unfamiliar = 2 * self.count.flags[UNFAMILIAR] > self.count.with_cell
        if is_unfamiliar and all(cell.found.probabilities for cell in rest):
            n = len(self.count.model.classes)
            likeliest = [sorted(rest, key=lambda cell: -cell.found.probabilities[k]) for k in range(n)]
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


# The page


def report_page(tally: ReportTally, adapt: str = "", more: Sequence[str] = ()) -> str:
    """Return the page of a tally.

    Parameters
    ----------
    tally : ReportTally
    adapt : str
        The command that learns from corrections, if `review` serves the page; then labels can be corrected.
    more : sequence of str
        Labels to choose from, beside the classes of the model.
    """
    count, shown, served = tally.count, tally.shown, bool(adapt)

    def source_of(cell: ReportCell) -> str:
        return f"{cell.number}.jpg" if served else data_uri(cell.found.thumbnail, "image/jpeg")

    known = {"color_of": color_of, "source_of": source_of, "ends_of": _ends, "score_of": _score}
    parts = macros(__package__, "cells.html", served=served, **known)

    def gallery() -> Iterator[Figure]:
        scores = [cell.found.score for cell in shown]
        labels = sorted(Counter(cell.found.label for cell in shown).items())
        ordered = tally.to_teach() if served else sorted(shown, key=lambda cell: cell.doubt)
        choices = [*count.model.classes, UNCLASSIFIED]
        labels_said = json.dumps({"choices": choices, "more": [*more], "palette": PALETTE})
        filters = {"labels": labels, "low": min(scores), "high": max(scores)}
        filters["mistakes"] = any(cell.mistake for cell in shown)
        yield Figure("", [parts.gallery(ordered, choices, labels_said, filters, adapt)])

    cells = [
        Section(title="Cells", lines=_left_out(tally, shown), figures=gallery, layout="whole"),
        _cells_section(shown),
    ] * bool(shown)
    head, first = _head(tally, served), []
    if served:  # the cells to judge are on the first screen
        first, cells = [cells[0], replace(head, title="About the images", about=())], cells[1:]
        head = Section(about=head.about)
    sections = [
        *first,
        count_section(count, title="Differential count", grows=served),
        *groups_sections(count, MAX_NAMED_FILES),
        _trust_section(tally),
        *_agreement_sections(tally),
        *([] if served else _mistakes_sections(tally, shown, parts)),  # `review` opens with them
        *cells,
        *_files_section("Images unlike the training images", "unlike in", tally.flagged, count.n_flagged),
        *_files_section("Images without a white cell", "known label", tally.empty, count.without_cell),
        *_files_section("Images with problems", "problem", tally.problems, count.skipped.count),
    ]
    heading = "Correct the labels: " if served else "White cells: ", count.source, ""
    return sections_page(heading, head, sections, "cells served" if served else "cells")


def _head(tally: ReportTally, served: bool) -> Section:
    """Return the text below the title: what the page is, what to beware of, and how much there is."""
    count = tally.count
    advice = count.advice("above") if served else count.advice()
    notices = [*filter(None, [missed_line(count, count.look)])]
    notices += [f"{advice[:1].upper()}{advice[1:]}"] * bool(advice) + [NO_DEVICE]
    if count.too_good:
        notices.append(f"{count.too_good[:1].upper()}{count.too_good[1:]}.")
    rare = {"images too dark or without contrast": count.unmeasured, "images skipped": count.skipped.count}
    facts = {
        "white cells": count.cells,
        "images": count.images + count.skipped.count,
        "images without a white cell": count.without_cell,
        "images unlike the training images": count.n_flagged,
        **{name: n for name, n in rare.items() if n},
        **{f"{kind}s": n for kind, n in count.others.items()},
    }
    device = " · not a medical device" if served else ""  # where the notices come later
    about = "model ", count.model.name, f" · fastsvm {version('fastsvm')}{device}"
    return Section(about=[about], lines=notices, facts=[Fact(name, f"{n:,}") for name, n in facts.items()])


def _trust_section(tally: ReportTally) -> Section:
    count, model = tally.count, tally.count.model
    lines = []
    if count.cells and not count.flags[UNFAMILIAR]:
        lines.append("The cells are like those that the model has learned from.")
    undecided = [many(count.undecided, "undecided cell")] * bool(count.undecided)
    unsure = [f"{many(tally.unsure, 'label')} with a score below {LOW_SCORE}"] * bool(tally.unsure)
    lines.append(f"Cells to look at: {', and '.join([*undecided, *unsure]) or 'none'}.")
    if count.cells:
        lines.append(f"Scale: a white cell is taken to be {scale_words(count.look.scale)}.")
    if model.about.limits:
        lines.append(f"Known limits of this model: {model.about.limits}")
    return Section(title="Before you use the count", lines=lines)


def _agreement_sections(tally: ReportTally) -> list[Section]:
    """Return the error with its interval, and the confusion table; nothing if no label is known."""
    n, undecided = tally.confusion.total(), tally.without_label.total()
    if not n + undecided:
        return []
    wrong = tally.mistakes.total()
    lines = ["The known label of an image is for its largest cell, or the central one if it was cut out."]
    known = {truth for truth, _ in tally.confusion} | tally.without_label.keys()
    if strange := sorted(known - {*tally.count.model.classes}):
        given = sum(k for (truth, _), k in tally.confusion.items() if truth in strange)
        told = f". Any label that the model gives is wrong there: {many(given, 'cell')}."
        lines.append(("Not classes of the model: ", ", ".join(strange), told))
    if undecided:
        lines.append(f"Not counted: {many(undecided, 'unclassified cell')} with a known label.")
    if unknown := tally.count.cells - n - undecided:
        lines.append(f"Not counted: {many(unknown, 'cell')} without a known label.")
    if empty := tally.known_without_cell:
        lines.append(f"Not counted: {many(empty, 'labelled image')} in which no white cell was found.")
    labels = sorted({label for pair in tally.confusion for label in pair})
    facts, tables = [], []
    if n:
        low, high = (percent(bound) for bound in wilson_interval(wrong, n))
        told = f" ({wrong:,} of {n:,} cells; 95 % interval {low} to {high}, if the cells are independent)"
        facts.append(Fact("error", percent(wrong / n), told))
    if len(labels) > CONFUSION_LABELS:
        lines.append(f"No confusion table: more than {CONFUSION_LABELS} labels.")
    elif n:
        counts = [[tally.confusion[truth, label] for label in labels] for truth in labels]
        totals = [sum(row) for row in counts]
        errors = [percent(1 - row[k] / of) if (of := totals[k]) else "" for k, row in enumerate(counts)]
        beside = ("all", [f"{of:,}" for of in totals]), ("error", errors)
        tables.append(confusion_table(labels, counts, beside))
    return [Section(title="Agreement with the known labels", facts=facts, lines=lines, tables=tables)]


def _mistakes_sections(tally: ReportTally, shown: Sequence[ReportCell], parts) -> list[Section]:
    """Return each kind of mistake with its cells of highest score."""
    kinds = sorted(tally.mistakes.items(), key=lambda item: (-item[1], item[0]))
    if not kinds:
        return []
    wrong = sorted((cell for cell in shown if cell.mistake), key=lambda cell: (-cell.surprise, cell.number))

    def pictures() -> Iterator[Figure]:
        for kind, n in kinds[:MISTAKE_KINDS]:
            cells = [cell for cell in wrong if (cell.truth, cell.found.label) == kind][:MISTAKE_PICTURES]
            yield Figure(("", kind[0], " taken for ", kind[1], f": {n:,}"), [parts.tiles(cells)])

    about = f"The most frequent kinds first, each with up to {MISTAKE_PICTURES} cells of the highest scores."
    rest = [n for _, n in kinds[MISTAKE_KINDS:]]
    lines = [f"{many(sum(rest), 'mistake')} of {many(len(rest), 'other kind')} are not shown."] * bool(rest)
    return [Section(title="Mistakes", about=[about], lines=lines, figures=pictures, layout="list")]


def _left_out(tally: ReportTally, shown: Sequence[ReportCell]) -> list[str]:
    """Return which cells are on the page, if not all are."""
    left_out = tally.count.cells - len(shown)
    if not left_out:
        return []
    mistakes = sum(cell.mistake for cell in shown)
    kept = "those with the lowest scores"
    if mistakes == len(shown):
        kept = f"{mistakes:,} of the {tally.mistakes.total():,} mistakes, highest scores first"
    elif mistakes:
        kept = f"all {many(mistakes, 'mistake')}, and of the others {kept}"
    told = f"{len(shown):,} of {tally.count.cells:,} cells are on this page: {kept}."
    return [f"{told} {many(left_out, 'cell')} left out; all are in the CSV output."]


def _cells_section(shown: Iterable[ReportCell]) -> Section:
    rows = []
    for cell in shown:
        file, box = shortened(cell.file, NAME_LETTERS, keep="end"), "{}, {}, {} × {}".format(*cell.found.box)
        labels = cell.found.label, _score(cell), cell.truth or ""
        rows.append((f"{cell.number}", file, *labels, box, f"{cell.found.area:,}"))
    columns = "No.", "File", "Label", "Score", "Known label", "Box: x, y, width × height", "Area in pixels"
    return Section(title="Table of cells", tables=[Table(columns, rows, words=(1, 2, 4, 5))])


def _files_section(title: str, remark: str, named: Sequence[tuple[str, str]], n: int) -> list[Section]:
    rows = [(shortened(file, NAME_LETTERS, keep="end"), told) for file, told in named]
    left_out = more(n - len(rows), "file", " in the CSV output")
    table = Table(("file", remark), rows, words=(0, 1), left_out=left_out)
    return [Section(title=title, tables=[table])] * bool(rows)


def _ends(file: str) -> list[str]:
    """Return the parts of a file's name; files of one series differ at their ends, which are always shown."""
    name = file.rpartition("/")[2]
    return [part for part in (name[:-TAIL_LETTERS], name[-TAIL_LETTERS:]) if part]


def _score(cell: ReportCell) -> str:
    score = cell.found.score
    return f"{score:.3f}" if abs(score) < 10_000 else f"{score:.3g}"
