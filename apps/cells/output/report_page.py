"""The report: one HTML page to check by eye what was found and how it was classified."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import NamedTuple

from ...common.html_pages import data_uri, render
from ...common.printing import many, percent
from ...common.statistics import wilson_interval
from ..finding.findings import UNCLASSIFIED, UNFAMILIAR
from .cell_drawing import color_of
from .report_tally import LOW_SCORE, ReportAbout, ReportCell, ReportTally

MAX_CELLS = 2_000  # cells with a picture and a row
CONFUSION_LABELS = 20
MISTAKE_KINDS, MISTAKE_PICTURES = 12, 8
TAIL_LETTERS = 13  # letters of a file's name that are always seen


class _Column(NamedTuple):
    head: str
    content: Callable[[ReportCell], str | None]
    key: Callable[[ReportCell], float | None] | None = None  # of a column of numbers


COLUMNS = (
    _Column("No.", lambda cell: f"{cell.number}", lambda cell: cell.number),
    _Column("File", lambda cell: cell.file),
    _Column("Label", lambda cell: cell.found.label),
    _Column("Score", lambda cell: _score(cell.found.score), lambda cell: cell.score),
    _Column("Known label", lambda cell: cell.truth),
    _Column("Box: x, y, width × height", lambda cell: "{}, {}, {} × {}".format(*cell.found.box)),
    _Column("Area in pixels", lambda cell: f"{cell.found.area:,}", lambda cell: cell.found.area),
)


def report_page(tally: ReportTally, about: ReportAbout) -> str:
    """Return the page of what was counted."""
    shown = tally.shown
    choices = about.choices(tally.labels if tally.cells else ())
    kinds = sorted(tally.mistakes.items(), key=lambda item: (-item[1], item[0]))
    return render(
        __package__,
        "cells.html",
        served=about.served,
        kind="cells",
        title=about.title,
        version=version("fastsvm"),
        about=about,
        tally=tally,
        facts=_facts(tally),
        counts=_counts(tally, bool(choices)),
        errors=_errors(tally),
        most_labels=CONFUSION_LABELS,
        mistakes=[] if about.served else _mistakes(kinds[:MISTAKE_KINDS], shown),  # `review` opens with them
        most_pictures=MISTAKE_PICTURES,
        other_kinds=[count for _, count in kinds[MISTAKE_KINDS:]],
        shown=shown,
        ordered=tally.to_teach() if about.served else sorted(shown, key=lambda cell: cell.doubt),
        low_score=LOW_SCORE,
        n_unfamiliar=tally.flags[UNFAMILIAR],
        left_out=tally.cells - len(shown),
        kept=_kept(tally, shown),
        filters=_filters(shown),
        choices=choices,
        choices_json=json.dumps(choices),
        columns=[column for column in COLUMNS if any(map(column.content, shown))],
        index=lambda label: choices.index(label) if label in choices else "",
        color_of=color_of,
        source_of=_source,
        ends_of=_ends,
        shown_score=_score,
        for_script=_number_for_script,
    )


def _facts(tally: ReportTally) -> list[tuple[str, int]]:
    return [
        ("white cells", tally.cells),
        ("images", tally.images + tally.problems.count),
        ("images without a white cell", tally.without_cell),
        *([("images too dark or without contrast", tally.unmeasured)] if tally.unmeasured else []),
        ("images with problems", tally.problems.count),
        *((f"{kind}s", n) for kind, n in tally.others.items()),
    ]


def _counts(tally: ReportTally, has_choices: bool) -> list[dict]:
    """Return the differential count; empty if cells were only located."""
    if not tally.labels.keys() - {None}:
        return []
    most = max(*tally.labels.values(), 1)
    rows = []
    for label in _sorted({*tally.labels, *([UNCLASSIFIED] if has_choices else [])}):
        n = tally.labels.get(label, 0)
        row = {"label": label, "n": n, "share": percent(n / max(tally.cells, 1)), "width": 100 * n / most}
        row["interval"] = "-".join(f"{bound:.1f}" for bound in tally.interval(label) or ())
        rows.append({**row, "hidden": label == UNCLASSIFIED and not n})
    return rows


def _errors(tally: ReportTally) -> dict:
    """Return the error with its interval, and the confusion table; empty if no label is known."""
    if not (n := tally.confusion.total()):
        return {}
    wrong = tally.mistakes.total()
    error, low, high = (100 * share for share in (wrong / n, *wilson_interval(wrong, n)))
    truths, labels = (sorted(set(names)) for names in zip(*tally.confusion, strict=True))
    rows = []
    for truth in truths:
        cells = [(label, tally.confusion[truth, label]) for label in labels]
        of = sum(count for _, count in cells)
        rows.append((truth, cells, of, percent((of - tally.confusion[truth, truth]) / of)))
    too_many = len({*truths, *labels}) > CONFUSION_LABELS
    found = {"n": n, "wrong": wrong, "error": error, "low": low, "high": high, "rows": rows}
    return {**found, "unknown": tally.cells - n, "labels": None if too_many else labels}


def _mistakes(kinds: Sequence, shown: Sequence[ReportCell]) -> list[tuple]:
    """Return each kind of mistake with its surest cells."""
    wrong = sorted((cell for cell in shown if cell.mistake), key=lambda cell: (-cell.surprise, cell.number))
    return [
        (*kind, count, [c for c in wrong if (c.truth, c.found.label) == kind][:MISTAKE_PICTURES])
        for kind, count in kinds
    ]


def _kept(tally: ReportTally, shown: Sequence[ReportCell]) -> str:
    """Return which cells are on the page, if not all are."""
    mistakes = sum(cell.mistake for cell in shown)
    if mistakes and mistakes == len(shown):
        return f"{mistakes:,} of the {tally.mistakes.total():,} mistakes, the surest"
    has_scores = any(cell.score is not None for cell in shown)
    others = "those with the lowest scores" if has_scores else "the first"
    return f"all {many(mistakes, 'mistake')}, and of the others {others}" if mistakes else others


def _filters(shown: Sequence[ReportCell]) -> dict:
    """Return the labels, scores and mistakes to filter by; empty if there is no choice."""
    counts = Counter(cell.found.label for cell in shown)
    scores = {cell.score for cell in shown if cell.score is not None and math.isfinite(cell.score)}
    mistakes = any(cell.mistake for cell in shown)
    if len(counts) < 2 and len(scores) < 2 and not mistakes:
        return {}
    return {
        "labels": [(label, counts[label]) for label in _sorted(counts)],
        "scores": scores,
        "mistakes": mistakes,
    }


# Small pieces


def _source(cell: ReportCell) -> str | None:
    """Return the address of a cell's picture."""
    if cell.source is None and cell.found.thumbnail is not None:
        return data_uri(cell.found.thumbnail, "image/jpeg")
    return cell.source


def _ends(file: str) -> list[str]:
    """Return the parts of a file's name; files of one series differ at their ends, which are always seen."""
    name = file.rpartition("/")[2]
    return [part for part in (name[:-TAIL_LETTERS], name[-TAIL_LETTERS:]) if part]


def _sorted(labels: Iterable[str | None]) -> list[str | None]:
    """Return labels by name, and None last."""
    return sorted(labels, key=lambda label: (label is None, label or ""))


def _score(score: float | None) -> str:
    if score is None:
        return ""
    return f"{score:.3f}" if abs(score) < 10_000 else f"{score:.3g}"


def _number_for_script(number: float | None) -> str:
    return "" if number is None else repr(float(number)).removesuffix(".0").replace("inf", "Infinity")
