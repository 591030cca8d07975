"""What a study says, as sections: for a terminal, and for pages that need nothing but themselves."""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real

from ...common import sections
from ...common.html_pages import data_uri, write_sections_page
from ...common.sections import Fact, Section
from .study_record import CLAIM_FIELDS, all_claims, captions, claims_legend, claims_summary, verdict_counts
from .study_report import Report

COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page
MOST_ROWS = 200  # of a table on the page; its CSV file has all
DIGITS = 4  # that count, of a number that is not whole
LARGE = 1e6  # from here on a number has an exponent
COLUMNS = "verdict", "claim", "document", "here", "why"


def print_verdicts(record: dict, page: str) -> None:
    """Print the claims of a study, and where its page is."""
    claims, rows = record["claims"], []
    for claim in claims:
        parts = (claim["verdict"], "words"), ("  document", "theirs"), ("  here", "ours"), ("  why", "why")
        rows += [("", ""), *((label, claim[name]) for label, name in parts if claim[name])]
    ends = [claims_legend(claims), f"{claims_summary(claims)}: {page}"]
    head = Section(title=record["title"], lines=[record["document"], record["data"]])
    table = sections.Table(("verdict", "claim"), rows, words=(0, 1))
    sections.print_sections([head, Section(tables=[table]), Section(lines=ends)])


def print_all_verdicts(records: Sequence[dict], page: str) -> None:
    """Print a table of the claims of all studies."""
    rows = [(claim["verdict"], each["study"], claim["words"]) for each in records for claim in each["claims"]]
    table = sections.Table(("verdict", "study", "claim"), rows, words=(0, 1, 2))
    summary = Section(lines=[f"{claims_summary(all_claims(records))}: {page}"])
    sections.print_sections([Section(title="All studies", tables=[table]), summary])


def write_study_page(path: str, report: Report, record: dict, pictures: Mapping[str, bytes]) -> None:
    """Write the page of a study; `pictures` has the bytes of each file of its record."""
    settings = [f"{name[:1].upper() + name[1:]}: {value}" for name, value in _settings(record).items()]
    shown = [
        Section(title="Verdicts", tables=[_claims_table(record["claims"])]),
        Section(title="Figures", figures=lambda: _figures(report, record, pictures), layout="figures"),
        Section(title="Tables", figures=lambda: _tables(report, record), layout=""),
        Section(title="Reproduction", command=record["command"], lines=settings),
    ]
    _write_page(path, record["title"], record["claims"], [record["document"], record["data"]], shown)


def write_index_page(path: str, records: Sequence[dict], page: str) -> None:
    """Write the page of several studies; `page` is that of a study, in a folder with its name."""
    from markupsafe import Markup

    shown = []
    for record in records:
        link = Markup('<a href="{}/{}">Figures and tables</a>').format(record["study"], page)
        lines, table = [record["document"], record["data"], link], _claims_table(record["claims"])
        shown.append(Section(title=record["title"], about=lines, tables=[table]))
    _write_page(path, "Studies of five documents", all_claims(records), [], shown)


def _write_page(path: str, title: str, claims: list[dict], lines: list[str], shown: list[Section]) -> None:
    counts = {"claims": len(claims), **verdict_counts(claims)}
    facts = [Fact(name, f"{count:,}") for name, count in counts.items()]
    head = Section(about=[*lines, claims_legend(claims)], facts=facts)
    write_sections_page(path, title, head, shown, kind="studies")


def _claims_table(claims: Sequence[dict]) -> sections.Table:
    rows = [[claim[CLAIM_FIELDS[name]] for name in COLUMNS] for claim in claims]
    return sections.Table(COLUMNS, rows, words=range(len(COLUMNS)), kind="claims")


def _figures(report: Report, record: dict, pictures: Mapping[str, bytes]) -> Iterator[sections.Figure]:
    from markupsafe import Markup

    words = Markup("<figcaption>{}</figcaption>")
    image = Markup('<h3>{0}</h3><img{1} src="{2}" alt="{0}" loading="lazy">{3}')
    for figure, known in zip(report.figures, record["figures"], strict=True):
        wide = Markup(' class="wide"') if figure.size[0] > COLUMN else ""
        source = data_uri(pictures[figure.file], f"image/{figure.ending}")
        said = words.format(Markup("<br>").join(captions(record["study"], known)))
        yield sections.Figure("", [image.format(figure.title, wide, source, said)])


def _tables(report: Report, record: dict) -> Iterator[sections.Figure]:
    for table, known in zip(report.tables, record["tables"], strict=True):
        if table.shown:
            rows = table.rows[:MOST_ROWS]
            cells = [[cell_text(value) for value in row] for row in rows]
            words = [k for k in range(len(table.header)) if any(isinstance(row[k], str) for row in rows)]
            more = f" The first {MOST_ROWS} of {len(table.rows):,} rows." * (len(table.rows) > MOST_ROWS)
            about = f". {' '.join(captions(record['study'], known))}{more} {table.file}"
            yield sections.Figure(("", table.title, about), [sections.Table(table.header, cells, words)])


def _settings(record: dict) -> dict[str, object]:
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    facts = {**record["settings"], "seed": record["seed"], "versions": versions, "cores": record["cores"]}
    if record["cpu_seconds"] is not None:
        facts["CPU seconds"] = f"{record['cpu_seconds']:.1f}"
    stages = record["seconds"].items()
    return facts | {"wall-clock seconds": ", ".join(f"{name} {value:.1f}" for name, value in stages)}


def cell_text(value: object) -> str:
    """Return a cell as text, numbers with the digits that count; nan and None are empty."""
    if value is None or value != value:
        return ""
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    number = float(value)
    whole = isinstance(value, Integral) or 10**DIGITS <= abs(number) < LARGE
    return f"{number:,.0f}" if whole else f"{number:,.{DIGITS}g}"
