"""The report: one HTML page to check by eye what was found and how it was classified."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import NamedTuple

from ...common.html import (
    bdi,
    confusion_table,
    data_uri,
    fact_boxes,
    packaged,
    page,
    scroll_box,
    text,
    with_links,
    write_page,
)
from ...common.output import many, percent
from ...common.statistics import wilson_interval
from ..model.findings import ImageFindings
from .drawing import color_of
from .tally import NamedFiles, Shown, Tally

LIMIT = 2_000  # cells with a picture and a row
CONFUSION_LABELS = 20
MISTAKE_KINDS, MISTAKE_PICTURES = 12, 8


def write_report(
    path: str | os.PathLike[str],
    findings: Iterable[ImageFindings],
    *,
    title: str,
    model: str | None = None,
    date: str | None = None,
    full_list: str = "the CSV output",
    limit: int = LIMIT,
) -> None:
    """Write a report of what was found.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    findings : iterable of ImageFindings
        Is gone through once; besides counts, only what the page shows is kept.
    title : str
        The heading.
    model : str, optional
        What classified the cells.
    date : str, optional
        When; a report without it is the same for the same findings.
    full_list : str, default="the CSV output"
        Where all cells are listed.
    limit : int, default=LIMIT
        Cells with a picture and a row in the table: mistakes before others, of the mistakes the surest first,
        of the others the least sure first.
    """
    tally = Tally(limit)
    for image in findings:
        tally.add(image)
    body = _body(tally, title, model, date, full_list)
    style, script = (packaged(__package__, name) for name in ("page.css", "page.js"))
    write_page(path, page(title, body, style=style, script=script))


def _body(tally: Tally, title: str, model: str | None, date: str | None, full_list: str) -> str:
    shown = tally.shown
    sections = [
        ("counts", "Differential count", _counts(tally)),
        ("errors", "Agreement with the known labels", _errors(tally)),
        ("mistakes", "Mistakes", _mistakes(tally, shown)),
        ("cells", "Cells", _gallery(tally, shown, full_list)),
        ("table", "Table of cells", _table(tally, shown, full_list)),
        (
            "without",
            "Images without a white cell",
            _files(tally.empty, "Known label", full_list),
        ),
        ("problems", "Images with problems", _files(tally.problems, "Problem", full_list)),
    ]
    return f"{_header(tally, title, model, date)}\n{with_links(sections)}"


def _header(tally: Tally, title: str, model: str | None, date: str | None) -> str:
    origin = [f"model {text(model)}" if model else "", text(date or ""), f"fastsvm {version('fastsvm')}"]
    facts = [
        ("images", tally.images + tally.problems.count),
        ("white cells", tally.cells),
        ("images without a white cell", tally.without_cell),
        ("images with problems", tally.problems.count),
    ]
    return f"""<header>
<h1>{text(title)}</h1>
<p class="soft">{" · ".join(filter(None, origin))}</p>
<p class="notice"><strong>Not a medical device.</strong> The cells were found and classified by a program;
look at the pictures before you rely on the numbers.</p>
{fact_boxes(facts)}
</header>"""


def _counts(tally: Tally) -> str:
    if not tally.labels.keys() - {None}:
        return ""  # only located
    most = max(tally.labels.values())
    rows = "\n".join(
        f'<tr><th scope="row">{_name(label)}</th>'
        f'<td class="bar">{_bar(label, tally.labels[label] / most)}</td>'
        f'<td class="number">{tally.labels[label]:,}</td>'
        f'<td class="number">{percent(tally.labels[label] / tally.cells)}</td></tr>'
        for label in _sorted(tally.labels)
    )
    return f"""<table class="counts">
<thead><tr><th scope="col">Class</th><td class="bar"></td><th scope="col" class="number">Cells</th>
<th scope="col" class="number">Percent</th></tr></thead>
<tbody>
{rows}
</tbody>
<tfoot><tr><th scope="row">All</th><td class="bar"></td><td class="number">{tally.cells:,}</td>
<td class="number">{percent(1)}</td></tr></tfoot>
</table>"""


def _bar(label: str | None, share: float) -> str:
    color = color_of(label)
    return f'<svg aria-hidden="true"><rect width="{100 * share:.2f}%" height="100%" fill="{color}"/></svg>'


def _errors(tally: Tally) -> str:
    if not (n := tally.confusion.total()):
        return ""
    wrong = tally.mistakes.total()
    low, high = wilson_interval(wrong, n)
    left_out = ""
    if unknown := tally.cells - n:
        left_out += f" Not counted: {many(unknown, 'cell')} without a known label or without a class."
    if missed := tally.known_without_cell:
        left_out += f" Not counted: {many(missed, 'labelled image')} in which no white cell was found."
    return f"""<p><strong class="error">{100 * wrong / n:.1f} % error</strong> ({wrong:,} of {n:,} cells;
95 % interval {100 * low:.1f} % to {100 * high:.1f} %, if the cells are independent).
The known label of an image counts for each cell in it.{left_out}</p>
{_confusion(tally.confusion)}"""


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
    return confusion_table(
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
    parts = [f'<p class="soft">The commonest kinds first; of each, up to {MISTAKE_PICTURES} surest.</p>']
    parts.append('<div class="kinds">')
    for (truth, label), count in kinds[:MISTAKE_KINDS]:
        cells = [cell for cell in wrong if (cell.truth, cell.found.label) == (truth, label)]
        pictures = "\n".join(map(_small_tile, cells[:MISTAKE_PICTURES]))
        parts.append(
            f"<section>\n<h3>{_name(truth)} taken for {_name(label)}: {count:,}</h3>\n"
            f'<div class="tiles">\n{pictures}\n</div>\n</section>'
        )
    parts.append("</div>")
    if rest := kinds[MISTAKE_KINDS:]:
        counted = sum(count for _, count in rest)
        parts.append(f'<p class="soft">{many(counted, "mistake")} of {many(len(rest), "other kind")}.</p>')
    return "\n".join(parts)


def _gallery(tally: Tally, shown: Sequence[Shown], full_list: str) -> str:
    if not shown:
        return ""
    labels = _sorted({cell.found.label for cell in shown})
    index = {label: number for number, label in enumerate(labels)}
    doubtful_first = sorted(shown, key=lambda cell: (_ascending(cell.score), cell.number))
    tiles = "\n".join(_tile(cell, index[cell.found.label]) for cell in doubtful_first)
    return f"""{_left_out(tally, shown, full_list)}
{_filters(shown, labels)}
<p class="soft" id="showing" role="status">{many(len(shown), "cell")}</p>
<div class="tiles" id="tiles">
{tiles}
</div>"""


def _left_out(tally: Tally, shown: Sequence[Shown], full_list: str) -> str:
    if not (rest := tally.cells - len(shown)):
        return ""
    mistakes = sum(cell.mistake for cell in shown)
    has_scores = any(cell.score is not None for cell in shown)
    kept = "those with the lowest scores" if has_scores else "the first"
    if mistakes == len(shown):
        kept = f"{mistakes:,} of the {tally.mistakes.total():,} mistakes, the surest"
    elif mistakes:
        kept = f"all {many(mistakes, 'mistake')}, and of the others {kept}"
    return f"""<p class="notice"><strong>{len(shown):,} of {tally.cells:,} cells are on this page:</strong>
{kept}. {many(rest, "cell")} left out; all are in {text(full_list)}.</p>"""


def _filters(shown: Sequence[Shown], labels: Sequence[str | None]) -> str:
    counts = Counter(cell.found.label for cell in shown)
    classes = "\n".join(
        f'<label><input type="checkbox" name="label" value="{number}" checked> {_name(label)}'
        f' <span class="soft">{counts[label]:,}</span></label>'
        for number, label in enumerate(labels)
    )
    scores = {cell.score for cell in shown if cell.score is not None and math.isfinite(cell.score)}
    mistakes = any(cell.mistake for cell in shown)
    if len(labels) < 2 and len(scores) < 2 and not mistakes:
        return ""
    return f"""<form id="filters" autocomplete="off" hidden>
<fieldset><legend>Class</legend>
{classes}
<span><button type="button" data-check="all">all</button>
<button type="button" data-check="none">none</button></span>
</fieldset>
{_score_filter(min(scores), max(scores)) if len(scores) > 1 else ""}
<fieldset><legend>Show</legend>
{'<label><input type="checkbox" name="wrong"> only mistakes</label>' if mistakes else ""}
<label>order <select name="order">
<option value="rising">lowest score first</option>
<option value="falling">highest score first</option>
<option value="number">by number</option>
</select></label>
</fieldset>
</form>"""


def _score_filter(low: float, high: float) -> str:
    # In hundredths of the way, so that an end is an end whatever digits the scores have.
    ends = 'min="0" max="100" step="1"'
    return f"""<fieldset data-low="{low!r}" data-high="{high!r}"><legend>Score</legend>
<label>from <input type="range" name="from" {ends} value="0"> <output name="from-text"></output></label>
<label>to <input type="range" name="to" {ends} value="100"> <output name="to-text"></output></label>
</fieldset>"""


def _tile(cell: Shown, label_index: int) -> str:
    wrong = " data-wrong" if cell.mistake else ""
    data = f'data-label="{label_index}" data-score="{_number_for_script(cell.score)}"{wrong}'
    label = "" if cell.found.label is None else _name(cell.found.label)
    known = f'<span class="known">known: {bdi(cell.truth)}</span>' if cell.mistake else ""
    return (
        f'<figure data-cell="{cell.number}" {data}>{_picture(cell)}'
        f"<figcaption>{label}{known}{_remarks(cell)}</figcaption></figure>"
    )


def _small_tile(cell: Shown) -> str:
    return f"<figure>{_picture(cell)}<figcaption>{_remarks(cell)}</figcaption></figure>"


def _picture(cell: Shown) -> str:
    if cell.found.thumbnail is None:
        return '<div class="none">no picture</div>'
    source = data_uri(cell.found.thumbnail, "image/jpeg")
    return f'<img src="{source}" alt="Cell {cell.number}" loading="lazy" decoding="async">'


def _remarks(cell: Shown) -> str:
    name = cell.file.rpartition("/")[2]
    return (
        f'<span class="score">{_score(cell.found.score)}</span>'
        f'<span class="file" title="{text(cell.file)}">{cell.number}: {bdi(name)}</span>'
    )


class _Column(NamedTuple):
    head: str
    content: Callable[[Shown], str]
    key: Callable[[Shown], float | None] | None = None  # of a column of numbers


COLUMNS = (
    _Column("No.", lambda cell: f"{cell.number}", lambda cell: cell.number),
    _Column("File", lambda cell: bdi(cell.file)),
    _Column("Label", lambda cell: bdi(cell.found.label)),
    _Column("Score", lambda cell: _score(cell.found.score), lambda cell: cell.score),
    _Column("Known label", lambda cell: bdi(cell.truth)),
    _Column("Box: x, y, width × height", lambda cell: _box(cell.found.box)),
    _Column("Area in pixels", lambda cell: f"{cell.found.area:,}", lambda cell: cell.found.area),
)


def _table(tally: Tally, shown: Sequence[Shown], full_list: str) -> str:
    if not shown:
        return ""
    rest = tally.cells - len(shown)
    note = f'<p class="soft">The same cells as above; all are in {text(full_list)}.</p>' if rest else ""
    columns = [column for column in COLUMNS if any(map(column.content, shown))]
    heads = "".join(map(_head, columns))
    rows = "\n".join(_row(cell, columns) for cell in shown)
    table = f"""<table class="sortable" id="rows">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>"""
    return f"{note}\n{scroll_box('Table of cells', table, fit=False)}"


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
        return f"<td>{column.content(cell)}</td>"
    return f'<td class="number" data-key="{_number_for_script(column.key(cell))}">{column.content(cell)}</td>'


def _files(files: NamedFiles, remark: str, full_list: str) -> str:
    if not files.count:
        return ""
    rest = files.count - len(files.names)
    note = f'<p class="soft">{many(rest, "more file")} in {text(full_list)}.</p>' if rest else ""
    has_remarks = any(said for _, said in files.names)
    head = f'<th scope="col">{remark}</th>' if has_remarks else ""
    rows = "\n".join(
        f"<tr><td>{bdi(file)}</td>{f'<td>{bdi(said)}</td>' if has_remarks else ''}</tr>"
        for file, said in files.names
    )
    table = f"""<table><thead><tr><th scope="col">File</th>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>"""
    return f"{scroll_box('Files', table)}\n{note}"


# Small pieces


def _name(label: str | None) -> str:
    square = f'<rect width="100%" height="100%" fill="{color_of(label)}"/>'
    name = "no label" if label is None else bdi(label)
    return f'<span class="name"><svg class="swatch" aria-hidden="true">{square}</svg>{name}</span>'


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
