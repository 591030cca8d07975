"""The pages of studies: each needs nothing but itself."""

from collections.abc import Mapping, Sequence
from functools import partial

from ...common import html
from ..frame.report import Figure, Report, Table
from .numbers import column_texts, is_number
from .pictures import uri_of
from .record import counted, legend

COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page
MOST_ROWS = 200  # of a table on the page; its CSV file has all

filled = partial(html.filled, __package__)


def study_page(report: Report, record: dict, pictures: Mapping[str, bytes]) -> str:
    """Return the page of a study.

    Parameters
    ----------
    report : Report
    record : dict
        What is written of it.
    pictures : mapping
        Bytes of each file.
    """
    sections = [
        ("verdicts", "Verdicts", verdict_table(record["claims"])),
        ("figures", "Figures", _figures(report.figures, record["figures"], pictures)),
        ("tables", "Tables", "\n".join(_table(table) for table in report.tables if table.shown)),
        ("again", "Reproduction", _again(record)),
    ]
    header = filled(
        "header",
        title=html.text(record["title"]),
        lines=_paragraphs(record["document"], record["data"], legend(record["claims"])),
        facts=_facts(record["claims"]),
    )
    return _page(record["title"], f"{header}\n{html.with_links(sections)}")


def index_page(records: Sequence[dict], page: str) -> str:
    """Return the page of several studies.

    Parameters
    ----------
    records : sequence of dict
    page : str
        The page of a study, in a folder with its name.
    """
    sections = []
    for record in records:
        link = filled("link", address=html.text(f"{record['study']}/{page}"), text="Figures and tables")
        content = f"{_paragraphs(record['document'], record['data'])}\n{link}\n"
        content += verdict_table(record["claims"])
        sections.append((html.text(record["study"]), html.text(record["title"]), content))
    title = "Studies of five documents"
    claims = [claim for record in records for claim in record["claims"]]
    header = filled("header", title=title, lines=_paragraphs(legend(claims)), facts=_facts(claims))
    return _page(title, f"{header}\n{html.with_links(sections)}")


def _page(title: str, body: str) -> str:
    return html.page(title, body, style=html.packaged(__package__, "page.css"))


def _facts(claims: list[dict]) -> str:
    return html.fact_boxes([("claims", len(claims)), *counted(claims).items()])


def _paragraphs(*texts: str) -> str:
    return "\n".join(f'<p class="soft">{html.text(text)}</p>' for text in texts if text)


def verdict_table(claims: Sequence[dict]) -> str:
    """Return the table of claims."""
    rows = [
        filled(
            "claim",
            kind=claim["verdict"].replace(" ", "-"),
            **{name: html.text(value) for name, value in claim.items()},
        )
        for claim in claims
    ]
    return filled("claims", rows="\n".join(rows)) if rows else ""


def _figures(figures: Sequence[Figure], known: Sequence[dict], pictures: Mapping[str, bytes]) -> str:
    parts = [
        filled(
            "figure",
            kind="wide" if size[0] > COLUMN else "",
            title=html.text(figure["title"]),
            source=uri_of(figure["file"], pictures[figure["file"]]),
            caption=html.text(captioned(figure)),
        )
        for size, figure in zip((figure.size for figure in figures), known, strict=True)
    ]
    return filled("figures", figures="\n".join(parts)) if parts else ""


def captioned(thing: dict) -> str:
    """Return a caption that says what of the document is redone."""
    return f"{thing['caption']} The document's {thing['source']}." if thing["source"] else thing["caption"]


def _table(table: Table) -> str:
    rows = list(table.rows)[:MOST_ROWS]
    columns = [[row[k] for row in rows] for k in range(len(table.header))]
    numeric = [all(is_number(value) or value is None for value in column) for column in columns]
    classes = [' class="number"' if flag else "" for flag in numeric]
    heads = [
        f'<th scope="col"{kind}>{html.text(name)}</th>'
        for name, kind in zip(table.header, classes, strict=True)
    ]
    texts = zip(*map(column_texts, columns), strict=True)
    body = [
        "".join(f"<td{kind}>{html.text(cell)}</td>" for cell, kind in zip(row, classes, strict=True))
        for row in texts
    ]
    left = len(table.rows) - len(rows)
    more = f" The first {MOST_ROWS} rows of {len(table.rows):,}." if left else ""
    what = {"caption": table.caption, "source": table.source}
    content = filled("table", heads="".join(heads), rows="\n".join(f"<tr>{cells}</tr>" for cells in body))
    return filled(
        "titled table",
        title=html.text(table.title),
        caption=html.text(captioned(what) + more),
        file=html.text(f"{table.name}.csv"),
        table=html.scroll_box(html.text(table.title), content),
    )


def _again(record: dict) -> str:
    facts = {name[:1].upper() + name[1:]: value for name, value in record["settings"].items()}
    facts["Seed"] = record["seed"]
    facts["Versions"] = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    facts["Cores"] = record["cores"]
    if record["cpu_seconds"] is not None:
        facts["CPU seconds"] = f"{record['cpu_seconds']:.1f}"
    facts["Wall-clock seconds"] = ", ".join(
        f"{name} {value:.1f}" for name, value in record["seconds"].items()
    )
    rows = [
        f'<tr><th scope="row">{html.text(name)}</th><td>{html.text(value)}</td></tr>'
        for name, value in facts.items()
    ]
    return filled("again", command=html.text(record["command"]), rows="\n".join(rows))
