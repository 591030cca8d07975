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
from ..model.findings import ImageFindings
from .drawing import color_of
from .tally import NamedFiles, Shown, Tally

LIMIT = 2_000  # cells with a picture and a row
CONFUSION_LABELS = 20
MISTAKE_KINDS, MISTAKE_PICTURES = 12, 8

_filled = partial(html.filled, __package__)


def write_report(
    path: str | os.PathLike[str],
    findings: Iterable[ImageFindings],
    *,
    title: str,
    model: str | None = None,
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
    limit : int, default=LIMIT
        Cells with a picture and a row in the table: mistakes before others, of the mistakes the surest first,
        of the others the least sure first.
    """
    tally = Tally(limit)
    for image in findings:
        tally.add(image)
    body = _body(tally, title, model)
    style, script = (html.packaged(__package__, name) for name in ("page.css", "page.js"))
    html.write_page(path, html.page(title, body, style=style, script=script))


def _body(tally: Tally, title: str, model: str | None) -> str:
    shown = tally.shown
    sections = [
        ("counts", "Differential count", _counts(tally)),
        ("errors", "Agreement with the known labels", _errors(tally)),
        ("mistakes", "Mistakes", _mistakes(tally, shown)),
        ("cells", "Cells", _gallery(tally, shown)),
        ("table", "Table of cells", _table(tally, shown)),
        ("without", "Images without a white cell", _files(tally.empty, "Known label")),
        ("problems", "Images with problems", _files(tally.problems, "Problem")),
    ]
    return f"{_header(tally, title, model)}\n{html.with_links(sections)}"


def _header(tally: Tally, title: str, model: str | None) -> str:
    origin = [f"model {html.text(model)}" if model else "", f"fastsvm {version('fastsvm')}"]
    facts = [
        ("images", tally.images + tally.problems.count),
        ("white cells", tally.cells),
        ("images without a white cell", tally.without_cell),
        ("images with problems", tally.problems.count),
        *((f"{kind}s", n) for kind, n in tally.others.items()),
    ]
    origin = " · ".join(filter(None, origin))
    return _filled("header", title=html.text(title), origin=origin, facts=html.fact_boxes(facts))


def _counts(tally: Tally) -> str:
    if not tally.labels.keys() - {None}:
        return ""  # only located
    most = max(tally.labels.values())
    rows = []
    for label in _sorted(tally.labels):
        n = tally.labels[label]
        bar = {"width": 100 * n / most, "color": color_of(label)}
        rows.append(_filled("count", name=_name(label), n=n, share=percent(n / tally.cells), **bar))
    return _filled("counts", rows="\n".join(rows), n=tally.cells, all=percent(1))


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


def _gallery(tally: Tally, shown: Sequence[Shown]) -> str:
    if not shown:
        return ""
    labels = _sorted({cell.found.label for cell in shown})
    index = {label: number for number, label in enumerate(labels)}
    doubtful_first = sorted(shown, key=lambda cell: (_ascending(cell.score), cell.number))
    tiles = "\n".join(_tile(cell, index[cell.found.label]) for cell in doubtful_first)
    left_out, filters = _left_out(tally, shown), _filters(shown, labels)
    return _filled("gallery", left_out=left_out, filters=filters, count=many(len(shown), "cell"), tiles=tiles)


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


def _filters(shown: Sequence[Shown], labels: Sequence[str | None]) -> str:
    counts = Counter(cell.found.label for cell in shown)
    classes = [
        _filled("class", number=number, name=_name(label), count=counts[label])
        for number, label in enumerate(labels)
    ]
    scores = {cell.score for cell in shown if cell.score is not None and math.isfinite(cell.score)}
    mistakes = any(cell.mistake for cell in shown)
    if len(labels) < 2 and len(scores) < 2 and not mistakes:
        return ""
    # In hundredths of the way, so that an end is an end whatever digits the scores have.
    sliders = _filled("scores", low=min(scores), high=max(scores)) if len(scores) > 1 else ""
    only = _filled("only mistakes") if mistakes else ""
    return _filled("filters", classes="\n".join(classes), scores=sliders, mistakes=only)


def _tile(cell: Shown, label_index: int) -> str:
    return _filled(
        "tile",
        number=cell.number,
        label_index=label_index,
        score=_number_for_script(cell.score),
        wrong=" data-wrong" if cell.mistake else "",
        picture=_picture(cell),
        label="" if cell.found.label is None else _name(cell.found.label),
        known=f'<span class="known">known: {html.bdi(cell.truth)}</span>' if cell.mistake else "",
        remarks=_remarks(cell),
    )


def _small_tile(cell: Shown) -> str:
    return _filled("small tile", picture=_picture(cell), remarks=_remarks(cell))


def _picture(cell: Shown) -> str:
    if cell.found.thumbnail is None:
        return '<div class="none">no picture</div>'
    return _filled("picture", source=html.data_uri(cell.found.thumbnail, "image/jpeg"), number=cell.number)


def _remarks(cell: Shown) -> str:
    score, name = _score(cell.found.score), html.bdi(cell.file.rpartition("/")[2])
    return _filled("remarks", score=score, file=html.text(cell.file), number=cell.number, name=name)


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
        return f"<td>{column.content(cell)}</td>"
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
