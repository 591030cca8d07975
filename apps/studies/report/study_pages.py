"""The results of a study, as sections: for a terminal, for a page of its own, and for the documentation.

All three are made from its record (`report.json`) and the pictures beside it.
"""

import os
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from numbers import Integral, Real

from ...common import sections
from ...common.files import replace_file
from ...common.html_pages import data_uri, sections_page
from ...common.printing import many, print_line
from ...common.sections import Fact, Section
from .verdicts import RULES, Verdict

COLUMNS = "verdict", "claim", "document", "here", "wider", "why"
CASES = "claim", "conditions", "comparison", "value", "from", "to", "verdict"
PAGE, INDEX = "report.html", "index.html"
# The claims that a study is about, which stand first, and what each comparison means that holds.
MAIN = {
    "cells": {
        "converges": "Pegasos took longer than SDCA to converge on raw crops",
        "pca-better": "SDCA took longer than Pegasos to converge on 40 components",
    },
    "digits": {"test-error": "", "many-rows": "a QP solver took longer than Pegasos"},
    "kernels": {"best-kind": ""},
    "sentiment": {"well": "a classifier was more accurate than always giving the more frequent label"},
    "solvers": {"sdca-always-faster": "Pegasos took more steps than SDCA to stay within 1 % of the optimum"},
}
DIGITS = 4  # significant ones, of a number that is not whole
LARGE = 1e6  # from here on a number has an exponent


def claims_summary(claims: Sequence[dict]) -> str:
    """Count claims and verdicts in words."""
    counts = verdict_counts(claims)
    return ", ".join([many(len(claims), "claim"), *(f"{n:,} {name}" for name, n in counts.items() if n)])


def verdict_counts(claims: Sequence[dict]) -> dict[str, int]:
    """Count the claims with each verdict."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {verdict.value: counts[verdict] for verdict in Verdict}


def all_claims(records: Sequence[dict]) -> list[dict]:
    """Return the claims of several studies."""
    return [claim for record in records for claim in record["claims"]]


def results(record: dict) -> list[str]:
    """Say what was found of the main claims of a study that could be tested."""
    main = MAIN.get(record["study"], {})
    tested = [c for c in record["claims"] if c["name"] in main and c["verdict"] != Verdict.UNTESTED]
    return [_result(claim, main[claim["name"]]) for claim in tested]


def _result(claim: dict, words: str) -> str:
    held, several, _ = claim["here"].partition(" comparisons hold; weakest: ")
    value = claim["here"].rpartition(": ")[2]
    if several:
        return f"{claim['verdict'].capitalize()}: in {held} comparisons {words}; the weakest is {value}."
    return f"{claim['claim']}: {claim['verdict']}. Measured: {value}."


def by_verdict(record: dict) -> list[dict]:
    """Return the claims that held first, and those that cannot be tested last; the main ones lead."""
    main, verdicts = MAIN.get(record["study"], {}), [*Verdict]
    return sorted(record["claims"], key=lambda c: (verdicts.index(c["verdict"]), c["name"] not in main))


def claims_table(record: dict) -> sections.Table:
    """Return the verdicts with their evidence."""
    columns = [name for name in COLUMNS if any(claim[name] for claim in record["claims"])]
    rows = [[claim[name] for name in columns] for claim in by_verdict(record)]
    return sections.Table(columns, rows, words=range(len(columns)), kind="claims")


def cases_table(claims: Sequence[dict]) -> sections.Table:
    """Return every comparison behind a verdict, which a page folds."""
    rows = [
        (claim["claim"], where, what, *(cell_text(number) for number in numbers), verdict)
        for claim in claims
        for where, what, *numbers, verdict in claim["cases"]
    ]
    folded = f"All {many(len(rows), 'comparison')} behind the verdicts"
    return sections.Table(CASES, rows, words=(0, 1, 2, 6), folded=folded)


def rules_table() -> sections.Table:
    """Return when a claim has which verdict, which a page folds."""
    return sections.Table(("word", "meaning"), [*RULES.items()], words=(0, 1), folded="How claims are judged")


def reproduction(record: dict) -> list[str]:
    """Say how a study was run: settings, versions, hashes of the data, time."""
    texts = {
        key: ", ".join(f"{name} {value}" for name, value in record[key].items())
        for key in ("versions", "hashes")
    }
    facts = {
        **record["settings"],
        "seed": record["seed"],
        "versions": texts["versions"],
        "cores": record["cores"],
    }
    facts |= {"SHA-256 of the data": texts["hashes"]} if record["hashes"] else {}
    if record["cpu_seconds"] is not None:
        facts["CPU seconds"] = f"{record['cpu_seconds']:.0f}"
    return [f"{name[:1].upper()}{name[1:]}: {value}" for name, value in facts.items()]


# A terminal


def print_verdicts(record: dict, page: str) -> None:
    """Print the claims of a study, and where its page is."""
    print_line(record["title"], "bold")
    for text in *results(record), record["data"], "":
        print_wrapped(text)
    for claim in by_verdict(record):
        found = claim["why" if claim["verdict"] == Verdict.UNTESTED else "here"]
        print_wrapped(f"{claim['claim']}: {found}", claim["verdict"].ljust(18))
    print_line("")
    print_line(f"{claims_summary(record['claims'])}: {page}")


def print_wrapped(text: str, start: str = "") -> None:
    """Wrap a text to the width of the terminal, later lines indented by the length of its start."""
    width = shutil.get_terminal_size().columns
    for line in textwrap.wrap(start + text, width, subsequent_indent=" " * len(start)) or [""]:
        print_line(line)


# Pages


def write_study_page(folder: str, record: dict) -> None:
    """Write the page of a study, with the pictures that are in its folder."""
    about, claims, tables = [record["document"], record["data"]], record["claims"], record["tables"]
    judged = [claims_table(record), cases_table(claims), rules_table()]
    pictures = partial(_picture_figures, folder, record)
    listed = partial(Section, title="Tables", figures=lambda: map(_table_figure, tables), layout="")
    shown = [
        *([Section(title="Verdicts", about=about, tables=judged)] if claims else []),
        Section(title="Figures", figures=pictures, layout="figures"),
        *([listed(about=[] if claims else about[1:])] if tables else []),
        Section(title="Reproduction", command=record["command"], lines=reproduction(record)),
    ]
    first = results(record) if claims else about[:1]
    _write_page(os.path.join(folder, PAGE), record["title"], claims, first, shown)


def write_index_page(folder: str, records: Sequence[dict]) -> str:
    """Write the page of several studies, whose folders lie in this one, and return its path."""
    from markupsafe import Markup

    shown, lines = [], []
    for record in records:
        lines += results(record)
        link = Markup('<a href="{}/{}">Figures and tables</a>').format(record["study"], PAGE)
        about, tables = [record["document"], record["data"], link], [claims_table(record)]
        shown.append(Section(title=record["title"], about=about, tables=tables))
    shown.append(Section(title="Rules", tables=[rules_table()]))
    path = os.path.join(folder, INDEX)
    _write_page(path, "Studies of five documents", all_claims(records), lines, shown)
    return path


def _write_page(path: str, title: str, claims: list[dict], lines: list[str], shown: list[Section]) -> None:
    counts = {"claims": len(claims), **verdict_counts(claims)}
    head = Section(about=lines, facts=[Fact(name, f"{count:,}") for name, count in counts.items() if count])
    replace_file(path, sections_page(title, head, shown, kind="studies").encode())


def _picture_figures(folder: str, record: dict) -> Iterator[sections.Figure]:
    from markupsafe import Markup

    words = Markup("<figcaption>{}</figcaption>")
    image = Markup('<h3>{0}</h3><img{1} src="{2}" alt="{0}" loading="lazy">{3}')
    for figure in record["figures"]:
        with open(os.path.join(folder, figure["file"]), "rb") as file:
            source = data_uri(file.read(), f"image/{figure['file'].rpartition('.')[2]}")
        wide = Markup(' class="wide"') if figure["wide"] else ""
        said = words.format(Markup("<br>").join(captions(figure)))
        yield sections.Figure("", [image.format(figure["title"], wide, source, said)])


def _table_figure(table: dict) -> sections.Figure:
    about = f". {' '.join(captions(table))} {table['file']}"
    return sections.Figure(("", table["title"], about), [table_cells(table)])


def table_cells(table: dict) -> sections.Table:
    """Return a table of a record with its cells as text, an interval in brackets after its number."""
    rows = [dict(zip(table["header"], row, strict=True)) for row in table["rows"]]
    names = [name for name in table["header"] if not name.endswith((", from", ", to"))]
    words = [k for k, name in enumerate(names) if isinstance(rows[0][name], str) and rows[0][name] != "never"]
    return sections.Table(names, [[_with_interval(row, name) for name in names] for row in rows], words)


def _with_interval(row: dict, name: str) -> str:
    value, *ends = (cell_text(row.get(f"{name}{end}")) for end in ("", ", from", ", to"))
    return f"{value} ({' to '.join(ends)})" if all(ends) else value


def captions(thing: dict) -> list[str]:
    """Return the caption of a figure or table, and a line on the document's, which it repeats."""
    if not thing["source"]:
        return [thing["caption"]]
    differs = f" {thing['differs']}" if thing["differs"] else ""
    return [thing["caption"], f"The document's {thing['source']}.{differs}"]


def cell_text(value: object) -> str:
    """Return a cell as text, numbers with the significant digits; nan and None are empty."""
    if value is None or value != value:
        return ""
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    number = float(value)
    whole = isinstance(value, Integral) or 10**DIGITS <= abs(number) < LARGE
    return f"{number:,.0f}" if whole else f"{number:,.{DIGITS}g}"
