"""Pages of the documentation, made of the reports of studies: verdicts, small pictures, how to repeat it."""

import json
import os
import re
from collections.abc import Sequence
from io import BytesIO

from ...common.errors import AppError
from ...common.files import replace_file
from ...common.paths import Writes, make_folder
from . import study_record as records
from .study_folder import remove_files
from .study_record import CLAIM_FIELDS, REPORT, captions, claims_summary, read_record
from .study_report import RULES, Verdict
from .study_sections import COLUMNS

MADE = "<!-- Made by fastsvm-studies gallery, from"
INDEX = "README.md"
INTRODUCTION = """\
Each study redoes the tables and figures of a document that compares classifiers, and judges its claims by
what is measured here. DIR has the documents' data sets; without it a study runs on what comes along."""
LIMIT_BYTES = 80_000  # of a picture
SIZES = ((1000, 256), (1000, 64), (800, 48), (640, 32), (480, 16))  # pixels across, colours


def reports_in(folder: str) -> dict[str, dict]:
    """Return the records in a study's folder, or in those below it, by their folders.

    Raises
    ------
    AppError
        Where there is none.
    """
    if os.path.exists(os.path.join(folder, REPORT)):
        return {folder: read_record(folder)}
    below = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    found = {place: read_record(place) for place in below if os.path.exists(os.path.join(place, REPORT))}
    if not found:
        raise AppError(f"{folder}: has no {REPORT}; run a study with -o {folder} first")
    return found


def write_gallery(folder: str, docs: str) -> list[str]:
    """Write the page of each report in a folder, and the index of all there are; return their paths."""
    reports = reports_in(folder)
    make_folder(docs)
    index = os.path.join(docs, INDEX)
    paths = {place: os.path.join(docs, f"{record['study']}.md") for place, record in reports.items()}
    for path in (*paths.values(), index):
        Writes("gallery").check(path, "-o")
    for place, record in reports.items():
        _write_files(place, record, os.path.join(docs, record["study"]))
        replace_file(paths[place], markdown_page(record).encode())
    replace_file(index, markdown_index([*reports_in(docs).values()]).encode())
    return [*paths.values(), index]


def _write_files(place: str, record: dict, target: str) -> None:
    """Copy a report and small versions of its pictures; remove pictures of an earlier report."""
    pictures = {}
    for name in _shown_figures(record):
        with open(os.path.join(place, name), "rb") as file:
            pictures[name] = small_picture(file.read(), name)
    make_folder(target)
    before = _shown_figures(read_record(target)) if os.listdir(target) else {}
    pictures[REPORT] = f"{json.dumps(record, indent=1)}\n".encode()
    for name, content in pictures.items():
        replace_file(os.path.join(target, name), content)
    remove_files(target, before.keys() - pictures.keys())


def small_picture(content: bytes, name: str) -> bytes:
    """Return a PNG with fewer pixels and colours; one that is small already stays as it is.

    Raises
    ------
    AppError
        When it is no picture, or too large whatever is tried.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(content)) as image:
            if image.width <= SIZES[0][0] and len(content) <= LIMIT_BYTES:
                return content
            picture = image.convert("RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise AppError(f"{name}: {error}; run the study again") from error
    for width, colours in SIZES:
        small = picture.copy()
        small.thumbnail((width, 10 * width), Image.Resampling.LANCZOS)
        file = BytesIO()
        # Of the other methods, the usual one gives two thin lines of different colours the same.
        reduced = small.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        reduced.save(file, format="PNG", optimize=True)
        if file.tell() <= LIMIT_BYTES:
            return file.getvalue()
    raise AppError(f"{name}: is more than {LIMIT_BYTES:,} bytes however small; draw less in it")


def _shown_figures(record: dict) -> dict[str, dict]:
    """Return the figures for the docs by file: those that show no data themselves, and stand still."""
    figures = {figure["file"]: figure for figure in record["figures"]}
    return {
        name: figure for name, figure in figures.items() if name.endswith(".png") and not figure["shows_data"]
    }


def markdown_page(record: dict) -> str:
    """Return the page of a study in Markdown."""
    claims, shown, study = record["claims"], _shown_figures(record), record["study"]
    figures, others = [], []
    for thing in (*record["figures"], *record["tables"]):
        title, *lines = map(escape_markdown, (thing["title"], *captions(study, thing)))
        if thing["file"] in shown:
            figures += [f"### {title}", f"![{title}]({study}/{thing['file']})", *lines]
        else:
            others.append(f"- {'. '.join([title, *lines[1:]])}")
    settings, versions = (
        escape_markdown(", ".join(f"{name} {value}" for name, value in record[key].items()))
        for key in ("settings", "versions")
    )
    size, seconds = "The quick version. " if record["quick"] else "", record["cpu_seconds"]
    time = "" if seconds is None else f"It took {seconds:.0f} s of CPU time. "
    return _markdown_page(
        f"{study}/{REPORT}",
        escape_markdown(record["title"]),
        f"{escape_markdown(record['document'].removesuffix('.'))}.",
        escape_markdown(record["data"]),
        f"{claims_summary(claims)}. {escape_markdown(records.claims_legend(claims))}",
        _markdown_table(
            COLUMNS, [[escape_markdown(claim[CLAIM_FIELDS[name]]) for name in COLUMNS] for claim in claims]
        ),
        "## Figures" if shown else "",
        *figures,
        "\n".join(["On its own page the study also has:\n", *others]) if others else "",
        "## Run it again",
        f"```sh\n{record['command']}\n```",
        f"{size}{time}Settings: {settings}. Versions: {versions}.",
    )


def markdown_index(reports: Sequence[dict]) -> str:
    """Return the page that leads to those of the studies, with the first figure of each."""
    rows, covers = [], []
    for record in reports:
        study, title = record["study"], escape_markdown(record["title"])
        counts = records.verdict_counts(record["claims"])
        rows.append([f"[{study}]({study}.md)", escape_markdown(record["document"]), *counts.values()])
        pictures = [f"[![{title}]({study}/{file})]({study}.md)" for file in _shown_figures(record)]
        covers += [f"## [{title}]({study}.md)", *pictures[:1]]
    return _markdown_page(
        "the reports in the folders",
        "Studies of five documents",
        INTRODUCTION,
        RULES,
        "```sh\nfastsvm-studies all --data DIR -o studies\n```",
        _markdown_table(("study", "document", *Verdict), rows),
        f"{claims_summary(records.all_claims(reports))}.",
        *covers,
    )


def _markdown_page(origin: str, title: str, *parts: str) -> str:
    parts = f"{MADE} {origin}. -->", f"# {title}", *parts
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(text: object) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#~$])", r"\\\1", " ".join(str(text).split()))


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
