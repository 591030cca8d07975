"""The report: one HTML page to check by eye what was found and how it was classified."""

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

from ...common import html
from ...common.output import many, percent
from ...common.statistics import wilson_interval
from ..finding.findings import UNCLASSIFIED, ImageFindings
from .drawing import color_of
from .editing import About, crop_button, toolbar
from .tally import NamedFiles, Shown, Tally

LIMIT = 2_000  # cells with a picture and a row
CONFUSION_LABELS = 20
MISTAKE_KINDS, MISTAKE_PICTURES = 12, 8
TAIL = 13  # letters of a file's name that are always seen

_filled = partial(html.filled, __package__)


def write_report(
    path: str | os.PathLike[str], findings: Iterable[ImageFindings], *, limit: int = LIMIT, **about
) -> None:
    """Write a report of what was found.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    findings : iterable of ImageFindings
        Is gone through once; besides counts, only what the page shows is kept.
    limit : int, default=LIMIT
        Cells with a picture and a row in the table: mistakes before others, of the mistakes the surest first,
        of the others the least sure first.
    **about
        As for `About`: `title`, and what is known of the model.
    """
    known = About(**about)
    tally = Tally(limit, known.classes)
    for image in findings:
        tally.add(image)
    html.write_page(path, report_page(tally, known))


def report_page(tally: Tally, about: About) -> str:
    """Return the page of what was counted."""
    names = ("page.css", "page.js", *(["editing.js"] if about.served else []))
    style, *scripts = (html.packaged(__package__, name) for name in names)
    body = _body(tally, about)
    return html.page(about.title, body, style=style, script="".join(scripts), served=about.served)


def _body(tally: Tally, about: About) -> str:
    shown = tally.shown
    choices = about.choices(tally.labels if tally.cells else ())
    sections = [
        ("counts", "Differential count", _counts(tally, choices)),
        ("errors", "Agreement with the known labels", _errors(tally)),
        ("mistakes", "Mistakes", _mistakes(tally, shown)),
        ("cells", "Cells", _gallery(tally, shown, about, choices)),
        ("table", "Table of cells", _table(tally, shown)),
        ("flagged", "Images unlike those it was trained on", _files(tally.flagged, "Unlike in")),
        ("without", "Images without a white cell", _files(tally.empty, "Known label")),
        ("problems", "Images with problems", _files(tally.problems, "Problem")),
    ]
    return f"{_header(tally, about)}\n{html.with_links(sections)}"


def _header(tally: Tally, about: About) -> str:
    origin = [f"model {html.text(about.model)}" if about.model else "", f"fastsvm {version('fastsvm')}"]
    facts = [
        ("images", tally.images + tally.problems.count),
        ("white cells", tally.cells),
        ("images without a white cell", tally.without_cell),
        ("images with problems", tally.problems.count),
        *((f"{kind}s", n) for kind, n in tally.others.items()),
    ]
    limits = _filled("limits", limits=html.text(about.limits)) if about.limits else ""
    return _filled(
        "header",
        title=html.text(about.title),
        origin=" · ".join(filter(None, origin)),
        limits=limits,
        facts=html.fact_boxes(facts),
    )


def _counts(tally: Tally, choices: Sequence[str]) -> str:
    if not tally.labels.keys() - {None}:
        return ""  # only located
    most = max(*tally.labels.values(), 1)
    rows = []
    for label in _sorted({*tally.labels, *([UNCLASSIFIED] if choices else [])}):
        n = tally.labels.get(label, 0)
        rows.append(
            _filled(
                "count",
                name=_name(label),
                n=n,
                share=percent(n / max(tally.cells, 1)),
                interval=_interval(n, tally.cells),
                width=100 * n / most,
                color=color_of(label),
                choice=_index(choices, label),
                hidden=" hidden" if label == UNCLASSIFIED and not n else "",
            )
        )
    return _filled("counts", rows="\n".join(rows), n=tally.cells, all=percent(1 if tally.cells else 0))


def _interval(n: int, of: int) -> str:
    return "-".join(f"{100 * bound:.1f}" for bound in wilson_interval(n, of)) if of else ""


def _errors(tally: Tally) -> str:
    if not (n := tally.confusion.total()):
        return ""
    wrong = tally.mistakes.total()
    error, low, high = (100 * share for share in (wrong / n, *wilson_interval(wrong, n)))
    left_out = ""
    if unknown := tally.cells - n:
        left_out += f" Not counted: {many(unknown, 'cell')} without a known label or without a class."
    if missed := tally.known_without_cell:
        left_out += f" Not counted: {many(missed, 'labelled image')} in which no white cell was found."
    shares = {"error": error, "low": low, "high": high}
    table = _confusion(tally.confusion)
    return _filled("errors", wrong=wrong, n=n, **shares, left_out=left_out, confusion=table)


def _confusion(confusion: Counter[tuple[str, str]]) -> str:
    truths, labels = (sorted(set(names)) for names in zip(*confusion, strict=True))
    if len({*truths, *labels}) > CONFUSION_LABELS:
        return f'<p class="soft">No confusion table: more than {CONFUSION_LABELS} labels.</p>'
    rows = []
    for truth in truths:
        counts = [confusion[truth, label] for label in labels]
        wrong = sum(counts) - confusion[truth, truth]
        cells = [
            f'<td class="number{_mark(truth, label, count)}">{count:,}</td>'
            for label, count in zip(labels, counts, strict=True)
        ]
        more = (
            f'<td class="number">{value}</td>' for value in (f"{sum(counts):,}", percent(wrong / sum(counts)))
        )
        rows.append((_name(truth), [*cells, *more]))
    return html.confusion_table(
        [_name(label) for label in labels],
        rows,
        beside=("All", "Error"),
        caption="Rows: known label. Columns: class found.",
    )


def _mark(truth: str, label: str, count: int) -> str:
    if truth == label:
        return " right"
    return " wrong" if count else ""


def _mistakes(tally: Tally, shown: Sequence[Shown]) -> str:
    """Show each kind of mistake with the pictures of its surest ones."""
    if not tally.mistakes:
        return ""
    wrong = sorted((cell for cell in shown if cell.mistake), key=lambda cell: (-cell.surprise, cell.number))
    kinds = sorted(tally.mistakes.items(), key=lambda item: (-item[1], item[0]))
    parts = []
    for (truth, label), count in kinds[:MISTAKE_KINDS]:
        cells = [cell for cell in wrong if (cell.truth, cell.found.label) == (truth, label)]
        tiles = "\n".join(map(_small_tile, cells[:MISTAKE_PICTURES]))
        names = {"truth": _name(truth), "label": _name(label)}
        parts.append(_filled("kind of mistake", **names, count=count, tiles=tiles))
    rest = ""
    if others := kinds[MISTAKE_KINDS:]:
        counted = sum(count for _, count in others)
        rest = f'\n<p class="soft">{many(counted, "mistake")} of {many(len(others), "other kind")}.</p>'
    return _filled("mistakes", most=MISTAKE_PICTURES, kinds="\n".join(parts), rest=rest)


def _gallery(tally: Tally, shown: Sequence[Shown], about: About, choices: Sequence[str]) -> str:
    if not shown:
        return ""
    doubtful_first = sorted(shown, key=lambda cell: (_ascending(cell.score), cell.number))
    tiles = "\n".join(_tile(cell, choices, about.served) for cell in doubtful_first)
    return _filled(
        "gallery",
        left_out=_left_out(tally, shown),
        editing=toolbar(choices) if about.served else "",
        filters=_filters(shown, choices, about.served),
        count=many(len(shown), "cell"),
        tiles=tiles,
    )


def _left_out(tally: Tally, shown: Sequence[Shown]) -> str:
    if not (rest := tally.cells - len(shown)):
        return ""
    mistakes = sum(cell.mistake for cell in shown)
    has_scores = any(cell.score is not None for cell in shown)
    kept = "those with the lowest scores" if has_scores else "the first"
    if mistakes == len(shown):
        kept = f"{mistakes:,} of the {tally.mistakes.total():,} mistakes, the surest"
    elif mistakes:
        kept = f"all {many(mistakes, 'mistake')}, and of the others {kept}"
    counts = {"shown": len(shown), "n": tally.cells, "rest": many(rest, "cell")}
    return _filled("left out", **counts, kept=kept)


def _filters(shown: Sequence[Shown], choices: Sequence[str], served: bool) -> str:
    counts = Counter(cell.found.label for cell in shown)
    labels = _sorted(counts)
    classes = [
        _filled("class", number=_index(choices, label), name=_name(label), count=counts[label])
        for label in labels
    ]
    scores = {cell.score for cell in shown if cell.score is not None and math.isfinite(cell.score)}
    mistakes = any(cell.mistake for cell in shown)
    if len(labels) < 2 and len(scores) < 2 and not mistakes:
        return ""
    # In hundredths of the way, so that an end is an end whatever digits the scores have.
    sliders = _filled("scores", low=min(scores), high=max(scores)) if len(scores) > 1 else ""
    only = _filled("only mistakes") if mistakes else ""
    undone = _filled("only undone") if served else ""
    return _filled("filters", classes="\n".join(classes), scores=sliders, mistakes=only, undone=undone)


def _tile(cell: Shown, choices: Sequence[str], served: bool) -> str:
    picture = _picture(cell)
    return _filled(
        "tile",
        number=cell.number,
        label_index=_index(choices, cell.found.label),
        score=_number_for_script(cell.score),
        wrong=" data-wrong" if cell.mistake else "",
        picture=crop_button(cell, picture) if served else picture,
        label="" if cell.found.label is None else _name(cell.found.label),
        known=f'<span class="known">known: {html.bdi(cell.truth)}</span>' if cell.mistake else "",
        remarks=_remarks(cell),
    )


def _index(choices: Sequence[str], label: str | None) -> str:
    """Return the place of a label among those to choose from; what has no label is in none."""
    return "" if label not in choices else str(choices.index(label))


def _small_tile(cell: Shown) -> str:
    return _filled("small tile", picture=_picture(cell), remarks=_remarks(cell))


def _picture(cell: Shown) -> str:
    if cell.source is not None:
        source = cell.source
    elif cell.found.thumbnail is not None:
        source = html.data_uri(cell.found.thumbnail, "image/jpeg")
    else:
        return '<div class="none">no picture</div>'
    return _filled("picture", source=source, number=cell.number)


def _remarks(cell: Shown) -> str:
    name = cell.file.rpartition("/")[2]
    # Names of one series differ at their ends, so it is the beginning that gives way.
    return _filled(
        "remarks",
        score=_score(cell.found.score),
        number=cell.number,
        file=html.text(cell.file),
        head=html.bdi(name[:-TAIL] or None),
        tail=html.bdi(name[-TAIL:]),
    )


class _Column(NamedTuple):
    head: str
    content: Callable[[Shown], str]
    key: Callable[[Shown], float | None] | None = None  # of a column of numbers


COLUMNS = (
    _Column("No.", lambda cell: f"{cell.number}", lambda cell: cell.number),
    _Column("File", lambda cell: html.bdi(cell.file)),
    _Column("Label", lambda cell: html.bdi(cell.found.label)),
    _Column("Score", lambda cell: _score(cell.found.score), lambda cell: cell.score),
    _Column("Known label", lambda cell: html.bdi(cell.truth)),
    _Column("Box: x, y, width × height", lambda cell: _box(cell.found.box)),
    _Column("Area in pixels", lambda cell: f"{cell.found.area:,}", lambda cell: cell.found.area),
)


def _table(tally: Tally, shown: Sequence[Shown]) -> str:
    if not shown:
        return ""
    rest = tally.cells - len(shown)
    note = '<p class="soft">The same cells as above; all are in the CSV output.</p>' if rest else ""
    columns = [column for column in COLUMNS if any(map(column.content, shown))]
    heads = "".join(map(_head, columns))
    rows = "\n".join(_row(cell, columns) for cell in shown)
    table = _filled("cells", heads=heads, rows=rows)
    return f"{note}\n{html.scroll_box('Table of cells', table, fit=False)}"


def _head(column: _Column) -> str:
    kind = ' class="number"' if column.key else ""
    order = ' aria-sort="ascending"' if column is COLUMNS[0] else ""
    return f'<th scope="col"{kind}{order}>{column.head}</th>'


def _row(cell: Shown, columns: Sequence[_Column]) -> str:
    wrong = ' class="wrong"' if cell.mistake else ""
    fields = "".join(_field(cell, column) for column in columns)
    return f'<tr data-cell="{cell.number}"{wrong}>{fields}</tr>'


def _field(cell: Shown, column: _Column) -> str:
    if column.key is None:
        kind = ' class="label"' if column.head == "Label" else ""
        return f"<td{kind}>{column.content(cell)}</td>"
    return f'<td class="number" data-key="{_number_for_script(column.key(cell))}">{column.content(cell)}</td>'


def _files(files: NamedFiles, remark: str) -> str:
    if not files.count:
        return ""
    rest = files.count - len(files.names)
    note = f'<p class="soft">{many(rest, "more file")} in the CSV output.</p>' if rest else ""
    has_remarks = any(said for _, said in files.names)
    head = f'<th scope="col">{remark}</th>' if has_remarks else ""
    rows = "\n".join(
        f"<tr><td>{html.bdi(file)}</td>{f'<td>{html.bdi(said)}</td>' if has_remarks else ''}</tr>"
        for file, said in files.names
    )
    table = _filled("files", head=head, rows=rows)
    return f"{html.scroll_box('Files', table)}\n{note}"


# Small pieces


def _name(label: str | None) -> str:
    return _filled("name", color=color_of(label), name="no label" if label is None else html.bdi(label))


def _sorted(labels: Iterable[str | None]) -> list[str | None]:
    """Return labels by name; what has none comes last."""
    return sorted(labels, key=lambda label: (label is None, label or ""))


def _ascending(score: float | None) -> tuple[bool, float]:
    return (score is None, score or 0.0)


def _score(score: float | None) -> str:
    if score is None:
        return ""
    return f"{score:.3f}" if abs(score) < 10_000 else f"{score:.3g}"


def _number_for_script(number: float | None) -> str:
    return "" if number is None else repr(float(number)).removesuffix(".0").replace("inf", "Infinity")


def _box(box: Sequence[int]) -> str:
    x, y, width, height = box
    return f"{x}, {y}, {width} × {height}"
