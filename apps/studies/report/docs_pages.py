"""Pages of the documentation, made from the records of studies: verdicts, small pictures, the command."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from io import BytesIO

from ...common.errors import AppError
from ...common.files import replace_file
from ...common.paths import Writes, make_folder
from ...common.sections import Table
from . import study_pages as pages
from .output import REPORT, read_record
from .verdicts import Verdict

MADE = "<!-- Made by fastsvm-studies gallery, from"
INDEX = "README.md"
INTRODUCTION = """\
Each study repeats the tables and figures of a document that compares classifiers, and judges its claims by
measurements. DIR contains the documents' data sets; without it a study runs on bundled samples."""
LIMIT_BYTES = 80_000  # of a picture
SIZES = ((1000, 256), (1000, 64), (800, 48), (640, 32), (480, 16))  # pixels across, colours


def reports_in(folder: str) -> dict[str, dict]:
    """Return the records in a study's folder, or in those below it, by their folders.

    Raises
    ------
    AppError
        If there is none.
    """
    places = [folder, *sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())]
    found = {place: read_record(place) for place in places if os.path.exists(os.path.join(place, REPORT))}
    if not found:
        raise AppError(f"{folder}: contains no {REPORT}; run a study with -o {folder} first")
    return found


def write_gallery(folder: str, docs: str) -> list[str]:
    """Write the page of each report in a folder, and the index of all pages; return their paths."""
    reports = reports_in(folder)
    make_folder(docs)
    index = os.path.join(docs, INDEX)
    paths = {place: os.path.join(docs, f"{record['study']}.md") for place, record in reports.items()}
    for path in (*paths.values(), index):
        Writes("gallery").check(path, "-o")
        target = path.removesuffix(".md")
        if os.path.isdir(target) and os.listdir(target):
            try:
                read_record(target)
            except AppError:
                raise AppError(f"{target}: contains other files; choose another folder with -o") from None
    for place, record in reports.items():
        _write_files(place, record, os.path.join(docs, record["study"]))
        replace_file(paths[place], markdown_page(record).encode())
    replace_file(index, markdown_index([*reports_in(docs).values()]).encode())
    return [*paths.values(), index]


def _write_files(place: str, record: dict, target: str) -> None:
    """Copy a report and small versions of its pictures."""
    # The report first: it makes the folder one of the gallery.
    pictures = {REPORT: f"{json.dumps(record, indent=1)}\n".encode()}
    for figure in _shown_figures(record):
        with open(os.path.join(place, figure["file"]), "rb") as file:
            pictures[figure["file"]] = small_picture(file.read(), figure["file"])
    make_folder(target)
    for name, content in pictures.items():
        replace_file(os.path.join(target, name), content)


def small_picture(content: bytes, name: str) -> bytes:
    """Return a PNG with fewer pixels and colours; a small one stays as it is, and a GIF must be small.

    Raises
    ------
    AppError
        If it is too large with all sizes.
    """
    from PIL import Image

    with Image.open(BytesIO(content)) as image:
        if image.width <= SIZES[0][0] and len(content) <= LIMIT_BYTES:
            return content
        moves, picture = getattr(image, "is_animated", False), image.convert("RGB")
    for width, colours in () if moves else SIZES:
        small = picture.copy()
        small.thumbnail((width, 10 * width), Image.Resampling.LANCZOS)
        file = BytesIO()
        # The default method gives two thin lines of different colours the same colour.
        reduced = small.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        reduced.save(file, format="PNG", optimize=True)
        if file.tell() <= LIMIT_BYTES:
            return file.getvalue()
    raise AppError(f"{name}: is more than {LIMIT_BYTES:,} bytes even when reduced; draw less in it")


def _shown_figures(record: dict) -> list[dict]:
    """Return the figures for the docs: those that show no data themselves."""
    return [figure for figure in record["figures"] if not figure["shows_data"]]


def markdown_page(record: dict) -> str:
    """Return the page of a study in Markdown."""
    claims = record["claims"]
    return _markdown_page(
        f"{record['study']}/{REPORT}",
        escape_markdown(record["title"]),
        *map(escape_markdown, pages.results(record)),
        f"{pages.claims_summary(claims)}.",
        f"{escape_markdown(record['document'].removesuffix('.'))}.",
        escape_markdown(record["data"]),
        _markdown_table(pages.claims_table(record)),
        _folded(pages.cases_table(claims)),
        _folded(pages.rules_table()),
        *_markdown_figures(record),
        *_markdown_tables(record),
        "## Run it again",
        f"```sh\n{record['command']}\n```",
        "\n".join(f"- {escape_markdown(line)}" for line in pages.reproduction(record)),
    )


def _markdown_figures(record: dict) -> Iterator[str]:
    shown = _shown_figures(record)
    yield "## Figures" if shown else ""
    for figure in shown:
        title, *lines = map(escape_markdown, (figure["title"], *pages.captions(figure)))
        yield from (f"### {title}", f"![{title}]({record['study']}/{figure['file']})", *lines)


def _markdown_tables(record: dict) -> Iterator[str]:
    yield "## Tables" if record["tables"] else ""
    for table in record["tables"]:
        title, *lines = map(escape_markdown, (table["title"], *pages.captions(table)))
        yield from (f"### {title}", *lines, _markdown_table(pages.table_cells(table)))


def markdown_index(reports: Sequence[dict]) -> str:
    """Return the page that links to the studies' pages, with the first figure of each."""
    rows, covers = [], []
    for record in reports:
        study, title = record["study"], escape_markdown(record["title"])
        counts = map(str, pages.verdict_counts(record["claims"]).values())
        rows.append((f"[{study}]({study}.md)", escape_markdown(record["document"]), *counts))
        pictures = [f"[![{title}]({study}/{each['file']})]({study}.md)" for each in _shown_figures(record)]
        covers += [f"## [{title}]({study}.md)", *pictures[:1]]
    return _markdown_page(
        "the reports in the folders",
        "Studies of five documents",
        INTRODUCTION,
        "```sh\nfastsvm-studies all --data DIR -o studies\n```",
        _markdown_lines(("study", "document", *Verdict), rows),
        f"{pages.claims_summary(pages.all_claims(reports))}.",
        _folded(pages.rules_table()),
        *covers,
    )


def _markdown_page(origin: str, title: str, *parts: str) -> str:
    parts = f"{MADE} {origin}. -->", f"# {title}", *parts
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(text: object) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#~$])", r"\\\1", " ".join(str(text).split()))


def _folded(table: Table) -> str:
    return f"<details><summary>{table.folded}</summary>\n\n{_markdown_table(table)}\n\n</details>"


def _markdown_table(table: Table) -> str:
    return _markdown_lines(table.columns, [[escape_markdown(cell) for cell in row] for row in table.rows])


def _markdown_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
