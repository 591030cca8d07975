"""The report: one HTML page to check by eye what was found and how it was classified."""

from __future__ import annotations

import heapq
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import NamedTuple

from ..common.html import bdi, data_uri, fact_boxes, many, page, text, with_links, write_page
from ..common.statistics import wilson_interval
from .findings import Finding, ImageFindings
from .plots import color_of

LIMIT = 2_000  # cells with a picture and a row
FILES_NAMED = 1_000
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
    tally = _Tally(limit)
    for image in findings:
        tally.add(image)
    body = _body(tally, title, model, date, full_list)
    write_page(path, page(title, body, style=STYLE, script=SCRIPT))


# Counting


class _Cell(NamedTuple):
    """A cell with its number in the order they came."""

    number: int
    file: str
    truth: str | None
    found: Finding

    @property
    def mistake(self) -> bool:
        """Whether the label is known to be wrong."""
        return None not in (self.truth, self.found.label) and self.truth != self.found.label

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
class _Named:
    """Files of which all are counted and the first few named."""

    count: int = 0
    names: list[tuple[str, str]] = field(default_factory=list)

    def add(self, file: str, remark: str = "") -> None:
        self.count += 1
        if len(self.names) < FILES_NAMED:
            self.names.append((file, remark))


class _Tally:
    """Counts of everything, and the cells that deserve a look most."""

    def __init__(self, limit: int) -> None:
        self.images = self.cells = self.known_without_cell = 0
        self.labels: Counter[str | None] = Counter()
        self.confusion: Counter[tuple[str, str]] = Counter()  # truth, label
        self.without_cell, self.problems = _Named(), _Named()
        self._limit = limit
        self._heap: list[tuple] = []  # the cell that deserves it least on top

    def add(self, image: ImageFindings) -> None:
        self.images += 1
        if image.problem is not None:
            self.problems.add(image.file, image.problem)
        elif not image.cells:
            self.without_cell.add(image.file, image.truth or "")
            self.known_without_cell += image.truth is not None
        for found in image.cells:
            self._add_cell(_Cell(self.cells + 1, image.file, image.truth, found))

    def _add_cell(self, cell: _Cell) -> None:
        self.cells += 1
        self.labels[cell.found.label] += 1
        if None not in (cell.truth, cell.found.label):
            self.confusion[cell.truth, cell.found.label] += 1
        push = heapq.heappush if len(self._heap) < self._limit else heapq.heappushpop
        push(self._heap, (cell.mistake, cell.surprise, -cell.number, cell))

    @property
    def shown(self) -> list[_Cell]:
        """The cells on the page, in the order they came."""
        return sorted(cell for *_, cell in self._heap)

    @property
    def mistakes(self) -> Counter[tuple[str, str]]:
        """How often each truth was taken for each other label."""
        return Counter({pair: n for pair, n in self.confusion.items() if pair[0] != pair[1]})


# The page


def _body(tally: _Tally, title: str, model: str | None, date: str | None, full_list: str) -> str:
    shown = tally.shown
    sections = [
        ("counts", "Differential count", _counts(tally)),
        ("errors", "Agreement with the known labels", _errors(tally)),
        ("mistakes", "Mistakes", _mistakes(tally, shown)),
        ("cells", "Cells", _gallery(tally, shown, full_list)),
        ("table", "Table of cells", _table(tally, shown, full_list)),
        ("without", "Images without a white cell", _files(tally.without_cell, "Known label", full_list)),
        ("problems", "Images with problems", _files(tally.problems, "Problem", full_list)),
    ]
    return f"{_header(tally, title, model, date)}\n{with_links(sections)}"


def _header(tally: _Tally, title: str, model: str | None, date: str | None) -> str:
    origin = [f"model {text(model)}" if model else "", text(date or ""), f"fastsvm {version('fastsvm')}"]
    facts = [
        ("images", tally.images),
        ("white cells", tally.cells),
        ("images without a white cell", tally.without_cell.count),
        ("images with problems", tally.problems.count),
    ]
    return f"""<header>
<h1>{text(title)}</h1>
<p class="soft">{" · ".join(filter(None, origin))}</p>
<p class="notice"><strong>Not a medical device.</strong> The cells were found and classified by a program;
look at the pictures before you rely on the numbers.</p>
{fact_boxes(facts)}
</header>"""


def _counts(tally: _Tally) -> str:
    if not tally.labels.keys() - {None}:
        return ""  # only located
    most = max(tally.labels.values())
    rows = "\n".join(
        f'<tr><th scope="row">{_name(label)}</th>'
        f'<td class="bar">{_bar(label, tally.labels[label] / most)}</td>'
        f'<td class="number">{tally.labels[label]:,}</td>'
        f'<td class="number">{_percent(tally.labels[label], tally.cells)}</td></tr>'
        for label in _sorted(tally.labels)
    )
    return f"""<table class="counts">
<thead><tr><th scope="col">Class</th><td class="bar"></td><th scope="col" class="number">Cells</th>
<th scope="col" class="number">Percent</th></tr></thead>
<tbody>
{rows}
</tbody>
<tfoot><tr><th scope="row">All</th><td class="bar"></td><td class="number">{tally.cells:,}</td>
<td class="number">{_percent(tally.cells, tally.cells)}</td></tr></tfoot>
</table>"""


def _bar(label: str | None, share: float) -> str:
    color = color_of(label)
    return f'<svg aria-hidden="true"><rect width="{100 * share:.2f}%" height="100%" fill="{color}"/></svg>'


def _errors(tally: _Tally) -> str:
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
    heads = "".join(f'<th scope="col" class="number">{_name(label)}</th>' for label in labels)
    rows = []
    for truth in truths:
        counts = [confusion[truth, label] for label in labels]
        cells = "".join(
            f'<td class="number{_mark(truth, label, count)}">{count:,}</td>'
            for label, count in zip(labels, counts, strict=True)
        )
        error = _percent(sum(counts) - confusion[truth, truth], sum(counts))
        rows.append(
            f'<tr><th scope="row">{_name(truth)}</th>{cells}'
            f'<td class="number">{sum(counts):,}</td><td class="number">{error}</td></tr>'
        )
    rows = "\n".join(rows)
    return f"""<div class="scroll fit" tabindex="0" role="region" aria-label="Confusion table">
<table class="confusion">
<caption>Rows: known label. Columns: class found.</caption>
<thead><tr><td></td>{heads}<th scope="col" class="number">All</th>
<th scope="col" class="number">Error</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>"""


def _mark(truth: str, label: str, count: int) -> str:
    if truth == label:
        return " right"
    return " wrong" if count else ""


def _mistakes(tally: _Tally, shown: Sequence[_Cell]) -> str:
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


def _gallery(tally: _Tally, shown: Sequence[_Cell], full_list: str) -> str:
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


def _left_out(tally: _Tally, shown: Sequence[_Cell], full_list: str) -> str:
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


def _filters(shown: Sequence[_Cell], labels: Sequence[str | None]) -> str:
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


def _tile(cell: _Cell, label_index: int) -> str:
    wrong = " data-wrong" if cell.mistake else ""
    data = f'data-label="{label_index}" data-score="{_number_for_script(cell.score)}"{wrong}'
    label = "" if cell.found.label is None else _name(cell.found.label)
    known = f'<span class="known">known: {bdi(cell.truth)}</span>' if cell.mistake else ""
    return (
        f'<figure data-cell="{cell.number}" {data}>{_picture(cell)}'
        f"<figcaption>{label}{known}{_remarks(cell)}</figcaption></figure>"
    )


def _small_tile(cell: _Cell) -> str:
    return f"<figure>{_picture(cell)}<figcaption>{_remarks(cell)}</figcaption></figure>"


def _picture(cell: _Cell) -> str:
    if cell.found.thumbnail is None:
        return '<div class="none">no picture</div>'
    source = data_uri(cell.found.thumbnail, "image/jpeg")
    return f'<img src="{source}" alt="Cell {cell.number}" loading="lazy" decoding="async">'


def _remarks(cell: _Cell) -> str:
    name = cell.file.rpartition("/")[2]
    return (
        f'<span class="score">{_score(cell.found.score)}</span>'
        f'<span class="file" title="{text(cell.file)}">{cell.number}: {bdi(name)}</span>'
    )


class _Column(NamedTuple):
    head: str
    content: Callable[[_Cell], str]
    key: Callable[[_Cell], float | None] | None = None  # of a column of numbers


COLUMNS = (
    _Column("No.", lambda cell: f"{cell.number}", lambda cell: cell.number),
    _Column("File", lambda cell: bdi(cell.file)),
    _Column("Label", lambda cell: bdi(cell.found.label)),
    _Column("Score", lambda cell: _score(cell.found.score), lambda cell: cell.score),
    _Column("Known label", lambda cell: bdi(cell.truth)),
    _Column("Box: x, y, width × height", lambda cell: _box(cell.found.box)),
    _Column("Area in pixels", lambda cell: f"{cell.found.area:,}", lambda cell: cell.found.area),
)


def _table(tally: _Tally, shown: Sequence[_Cell], full_list: str) -> str:
    if not shown:
        return ""
    rest = tally.cells - len(shown)
    note = f'<p class="soft">The same cells as above; all are in {text(full_list)}.</p>' if rest else ""
    columns = [column for column in COLUMNS if any(map(column.content, shown))]
    heads = "".join(map(_head, columns))
    rows = "\n".join(_row(cell, columns) for cell in shown)
    return f"""{note}
<div class="scroll" tabindex="0" role="region" aria-label="Table of cells">
<table class="sortable" id="rows">
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>"""


def _head(column: _Column) -> str:
    kind = ' class="number"' if column.key else ""
    order = ' aria-sort="ascending"' if column is COLUMNS[0] else ""
    return f'<th scope="col"{kind}{order}>{column.head}</th>'


def _row(cell: _Cell, columns: Sequence[_Column]) -> str:
    wrong = ' class="wrong"' if cell.mistake else ""
    fields = "".join(_field(cell, column) for column in columns)
    return f'<tr data-cell="{cell.number}"{wrong}>{fields}</tr>'


def _field(cell: _Cell, column: _Column) -> str:
    if column.key is None:
        return f"<td>{column.content(cell)}</td>"
    return f'<td class="number" data-key="{_number_for_script(column.key(cell))}">{column.content(cell)}</td>'


def _files(files: _Named, remark: str, full_list: str) -> str:
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
    return f"""<div class="scroll fit" tabindex="0" role="region" aria-label="Files">
<table><thead><tr><th scope="col">File</th>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
{note}"""


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


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


STYLE = """
.name { display: inline-flex; align-items: baseline; gap: 0.4em; }
.swatch { flex: none; width: 0.7em; height: 0.7em; border-radius: 2px; }
.counts { width: 100%; max-width: 46rem; }
.counts .bar { width: 55%; vertical-align: middle; }
.counts .bar svg { display: block; width: 100%; height: 1rem; }
.counts th, .counts td { padding-left: 0; }
.counts .number { white-space: nowrap; }
.counts tfoot > tr > * { border-bottom: 0; }
.error { font-size: 1.25rem; }
#rows bdi { display: block; min-width: 9rem; }
.right { font-weight: 600; background: var(--panel); }
td.wrong { color: var(--bad); font-weight: 600; background: var(--bad-panel); }
tr.wrong td { background: var(--bad-panel); }
#filters {
  display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0.75rem 0;
}
fieldset {
  display: flex; flex-wrap: wrap; flex: 1 1 auto; align-items: center; gap: 0.25rem 1.25rem;
  min-width: 0; margin: 0; padding: 0.35rem 0.875rem 0.6rem;
  border: 1px solid var(--line); border-radius: 6px;
}
legend { padding: 0 0.35rem; color: var(--soft); font-size: 0.875rem; }
fieldset label { display: inline-flex; align-items: center; gap: 0.4rem; }
input { margin: 0; accent-color: var(--accent); }
select {
  padding: 0.15rem 0.4rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); color: inherit; font: inherit;
}
output { min-width: 4.5ch; font-variant-numeric: tabular-nums; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: 0.75rem; }
.kinds { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.kinds .tiles { display: flex; flex-wrap: wrap; }
.kinds figure { width: 7rem; }
figure {
  display: flex; flex-direction: column; margin: 0; overflow: hidden; content-visibility: auto;
  contain-intrinsic-size: auto 11rem;
  border: 1px solid var(--line); border-radius: 6px;
}
figure[data-wrong] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
figure img, .none { width: 100%; aspect-ratio: 1; object-fit: contain; background: var(--panel); }
.none { display: grid; place-items: center; color: var(--soft); font-size: 0.8125rem; }
figcaption { padding: 0.35rem 0.5rem 0.4rem; font-size: 0.8125rem; line-height: 1.35; }
figcaption > * { display: block; }
figcaption > .name { display: flex; }
.score, .file { color: var(--soft); }
.score { font-variant-numeric: tabular-nums; }
.file { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.75rem; }
.known { color: var(--bad); font-weight: 600; }
@media (max-width: 40rem) {
  .counts .bar { width: 30%; }
  .tiles { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); gap: 0.5rem; }
  fieldset { flex-basis: 100%; }
}
@media print {
  .tiles { grid-template-columns: repeat(6, 1fr); }
  figure { content-visibility: visible; }
}
"""

# Pictures and rows are on the page already: the script hides, shows and reorders them.
SCRIPT = """
{
  const form = document.getElementById("filters");
  const tiles = document.getElementById("tiles");
  const showing = document.getElementById("showing");

  const rows = document.querySelectorAll("#rows tbody tr");
  const rowOf = new Map([...rows].map((row) => [row.dataset.cell, row]));
  const cells = [...(tiles?.children ?? [])].map((tile) => ({
    tile,
    row: rowOf.get(tile.dataset.cell),
    number: Number(tile.dataset.cell),
    label: tile.dataset.label,
    score: tile.dataset.score === "" ? NaN : Number(tile.dataset.score),
    wrong: "wrong" in tile.dataset,
  }));

  const { from, to, wrong, order } = form?.elements ?? {};

  const scoreAt = (slider) => {
    const { low, high } = slider.closest("fieldset").dataset;
    return Number(low) + (slider.valueAsNumber / 100) * (Number(high) - Number(low));
  };

  // At its end a slider keeps nothing back, infinite and missing scores neither.
  const scoreFilter = () => {
    const low = !from || from.value === from.min ? -Infinity : scoreAt(from);
    const high = !to || to.value === to.max ? Infinity : scoreAt(to);
    return low === -Infinity && high === Infinity ? () => true : (score) => score >= low && score <= high;
  };

  const tellScore = (slider, output) => {
    output.value = scoreAt(slider).toPrecision(3);
    slider.setAttribute("aria-valuetext", output.value);
  };

  const filter = () => {
    const labels = new Set([...form.querySelectorAll("[name=label]:checked")].map((box) => box.value));
    const inRange = scoreFilter();
    let count = 0;
    for (const cell of cells) {
      const keep = labels.has(cell.label) && inRange(cell.score) && (!wrong?.checked || cell.wrong);
      cell.tile.hidden = cell.row.hidden = !keep;
      count += keep;
    }
    const all = cells.length.toLocaleString("en");
    showing.textContent = `Showing ${count.toLocaleString("en")} of ${all} cells`;
    if (from) {
      tellScore(from, form.elements["from-text"]);
      tellScore(to, form.elements["to-text"]);
    }
  };

  // Cells without a score come last.
  const orders = {
    rising: (a, b) => isNaN(a.score) - isNaN(b.score) || a.score - b.score || a.number - b.number,
    falling: (a, b) => isNaN(a.score) - isNaN(b.score) || b.score - a.score || a.number - b.number,
    number: (a, b) => a.number - b.number,
  };

  const sort = () => {
    for (const { tile } of [...cells].sort(orders[order.value])) tiles.append(tile);
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      // One end of the range pushes the other.
      if (event.target === from && from.valueAsNumber > to.valueAsNumber) to.value = from.value;
      if (event.target === to && to.valueAsNumber < from.valueAsNumber) from.value = to.value;
      if (event.target === order) sort();
      filter();
    });
    for (const button of form.querySelectorAll("[data-check]")) {
      button.addEventListener("click", () => {
        const checked = button.dataset.check === "all";
        for (const box of form.querySelectorAll("[name=label]")) box.checked = checked;
        filter();
      });
    }
    filter();
  }
}
"""
