"""The pages of studies: each needs nothing but itself."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real

from ...common.html_pages import data_uri, render
from ..frame.study_report import Report, Table
from .study_record import all_claims, captions, claims_legend, verdict_counts

COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page
MOST_ROWS = 200  # of a table on the page; its CSV file has all
DIGITS = 4  # that count, of a number that is not whole
LARGE = 1e6  # from here on a number has an exponent


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
    return _html_page(
        record["title"],
        record["claims"],
        [record["document"], record["data"]],
        claims=record["claims"],
        figures=[
            {
                "wide": figure.size[0] > COLUMN,
                "title": figure.title,
                "source": data_uri(pictures[known["file"]], f"image/{figure.ending}"),
                "captions": captions(record["study"], known),
            }
            for figure, known in zip(report.figures, record["figures"], strict=True)
        ],
        tables=[
            _table_fields(table, known, captions(record["study"], known))
            for table, known in zip(report.tables, record["tables"], strict=True)
            if table.shown
        ],
        command=record["command"],
        settings=_settings_rows(record),
    )


def index_page(records: Sequence[dict], page: str) -> str:
    """Return the page of several studies.

    Parameters
    ----------
    records : sequence of dict
    page : str
        The page of a study, in a folder with its name.
    """
    return _html_page("Studies of five documents", all_claims(records), [], records=records, page=page)


def _html_page(title: str, claims: list[dict], lines: list[str], /, **fields: object) -> str:
    facts = [("claims", len(claims)), *verdict_counts(claims).items()]
    lines = [*lines, claims_legend(claims)]
    return render(__package__, "study.html", kind="studies", title=title, lines=lines, facts=facts, **fields)


def _table_fields(table: Table, known: dict, words: list[str]) -> dict:
    from markupsafe import Markup

    rows = list(table.rows)[:MOST_ROWS]
    columns = [[row[k] for row in rows] for k in range(len(table.header))]
    numeric = [all(is_number(value) or value is None for value in column) for column in columns]
    kinds = [Markup(' class="number"') if flag else "" for flag in numeric]
    more = f" The first {MOST_ROWS} rows of {len(table.rows):,}." if len(table.rows) > len(rows) else ""
    return {
        "title": table.title,
        "caption": " ".join(words) + more,
        "file": known["file"],
        "heads": list(zip(table.header, kinds, strict=True)),
        "rows": [list(map(cell_text, row)) for row in rows],
    }


def _settings_rows(record: dict) -> list[tuple[str, object]]:
    facts = {name[:1].upper() + name[1:]: value for name, value in record["settings"].items()}
    facts["Seed"] = record["seed"]
    facts["Versions"] = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    facts["Cores"] = record["cores"]
    if record["cpu_seconds"] is not None:
        facts["CPU seconds"] = f"{record['cpu_seconds']:.1f}"
    stages = record["seconds"].items()
    facts["Wall-clock seconds"] = ", ".join(f"{name} {value:.1f}" for name, value in stages)
    return list(facts.items())


def is_number(value: object) -> bool:
    """Tell whether a cell is a number."""
    return isinstance(value, Real) and not isinstance(value, bool)


def cell_text(value: object) -> str:
    """Return a cell as text, numbers with the digits that count; nan and None are empty."""
    if value is None or value != value:
        return ""
    if not is_number(value):
        return str(value)
    number = float(value)
    whole = isinstance(value, Integral) or 10**DIGITS <= abs(number) < LARGE
    return f"{number:,.0f}" if whole else f"{number:,.{DIGITS}g}"
