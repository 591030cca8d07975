"""The pages of studies: each needs nothing but itself."""

from collections.abc import Mapping, Sequence

from ...common.html_pages import render
from ..frame.study_report import Figure, Report, Table
from .numbers import column_texts, is_number
from .pictures import uri_of
from .record import counted, legend

COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page
MOST_ROWS = 200  # of a table on the page; its CSV file has all


def study_page(report: Report, record: dict, pictures: Mapping[str, bytes]) -> str:
    """Return the page of a study.

    Parameters
    ----------
    report : Report
    record : dict
        The record of the report.
    pictures : mapping
        Bytes of each file.
    """
    return render(
        __package__,
        "study.html",
        kind="studies",
        title=record["title"],
        lines=[record["document"], record["data"], legend(record["claims"])],
        facts=_facts(record["claims"]),
        claims=record["claims"],
        figures=_figures(report.figures, record["figures"], pictures),
        tables=[_table(table) for table in report.tables if table.shown],
        command=record["command"],
        settings=_settings(record),
    )


def index_page(records: Sequence[dict], page: str) -> str:
    """Return the page of several studies.

    Parameters
    ----------
    records : sequence of dict
    page : str
        The page of a study, in a folder with its name.
    """
    claims = [claim for record in records for claim in record["claims"]]
    return render(
        __package__,
        "study.html",
        kind="studies",
        title="Studies of five documents",
        lines=[legend(claims)],
        facts=_facts(claims),
        records=records,
        page=page,
    )


def captioned(thing: dict) -> str:
    """Return a caption with the part of the document that is redone."""
    return f"{thing['caption']} The document's {thing['source']}." if thing["source"] else thing["caption"]


def _facts(claims: list[dict]) -> list[tuple[str, int]]:
    return [("claims", len(claims)), *counted(claims).items()]


def _figures(figures: Sequence[Figure], known: Sequence[dict], pictures: Mapping[str, bytes]) -> list[dict]:
    return [
        {
            "wide": picture.size[0] > COLUMN,
            "title": figure["title"],
            "source": uri_of(figure["file"], pictures[figure["file"]]),
            "caption": captioned(figure),
        }
        for picture, figure in zip(figures, known, strict=True)
    ]


def _table(table: Table) -> dict:
    from markupsafe import Markup

    rows = list(table.rows)[:MOST_ROWS]
    columns = [[row[k] for row in rows] for k in range(len(table.header))]
    numeric = [all(is_number(value) or value is None for value in column) for column in columns]
    heads = [
        (name, Markup(' class="number"') if flag else "")
        for name, flag in zip(table.header, numeric, strict=True)
    ]
    more = f" The first {MOST_ROWS} rows of {len(table.rows):,}." if len(table.rows) > len(rows) else ""
    return {
        "title": table.title,
        "caption": captioned({"caption": table.caption, "source": table.source}) + more,
        "file": f"{table.name}.csv",
        "heads": heads,
        "rows": list(zip(*map(column_texts, columns), strict=True)),
    }


def _settings(record: dict) -> list[tuple[str, object]]:
    facts = {name[:1].upper() + name[1:]: value for name, value in record["settings"].items()}
    facts["Seed"] = record["seed"]
    facts["Versions"] = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    facts["Cores"] = record["cores"]
    if record["cpu_seconds"] is not None:
        facts["CPU seconds"] = f"{record['cpu_seconds']:.1f}"
    facts["Wall-clock seconds"] = ", ".join(
        f"{name} {value:.1f}" for name, value in record["seconds"].items()
    )
    return list(facts.items())
