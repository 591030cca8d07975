"""Pages of the documentation, made of the reports of studies: verdicts, small pictures, how to repeat it."""

import json
import os
import re
from collections.abc import Sequence

from ...common.errors import AppError
from ...common.files import replace_file
from ...common.paths import Writes, make_folder
from ..frame.study_list import STUDIES
from ..frame.study_report import RULES, Verdict
from . import study_record
from .small_pictures import small_picture
from .study_folder import remove_files
from .study_record import CLAIM_FIELDS, REPORT, read_record, verdict_counts

MADE = "<!-- Made by fastsvm-studies gallery, from"
INDEX = "README.md"
COLUMNS = "verdict", "claim", "document", "here", "why"
INTRODUCTION = """\
Each study redoes the tables and figures of a document that compares classifiers, and judges its claims by
what is measured here. DIR has the documents' data sets; without it a study runs on what comes along."""


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
    order = {name: number for number, name in enumerate(STUDIES)}
    return dict(sorted(found.items(), key=lambda item: order.get(item[1]["study"], len(order))))


def write_gallery(folder: str, docs: str) -> list[str]:
    """Write the page of each report in a folder, and the index of all there are; return their paths."""
    records = reports_in(folder)
    make_folder(docs)
    index = os.path.join(docs, INDEX)
    paths = {place: os.path.join(docs, f"{record['study']}.md") for place, record in records.items()}
    for path in (*paths.values(), index):
        Writes("gallery").check(path, "-o")
    for place, record in records.items():
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


def _shown_figures(record: dict) -> dict[str, dict]:
    """Return the figures for the docs by file: those that show no data themselves, and stand still."""
    figures = {figure["file"]: figure for figure in record["figures"]}
    return {
        name: figure for name, figure in figures.items() if name.endswith(".png") and not figure["shows_data"]
    }


def markdown_page(record: dict) -> str:
    """Return the page of a study in Markdown."""
    claims, shown = record["claims"], _shown_figures(record)
    rows = [[escape_markdown(claim[CLAIM_FIELDS[name]]) for name in COLUMNS] for claim in claims]
    others = [thing for thing in (*record["figures"], *record["tables"]) if thing["file"] not in shown]
    left_out = "\n".join(_markdown_item(record["study"], thing) for thing in others)
    return _markdown_page(
        f"{record['study']}/{REPORT}",
        escape_markdown(record["title"]),
        f"{escape_markdown(record['document'].removesuffix('.'))}.",
        escape_markdown(record["data"]),
        f"{study_record.claims_summary(claims)}. {escape_markdown(study_record.claims_legend(claims))}",
        _markdown_table(COLUMNS, rows),
        "## Figures" if shown else "",
        *(_markdown_figure(record["study"], figure) for figure in shown.values()),
        f"On its own page the study also has:\n\n{left_out}" if left_out else "",
        "## Run it again",
        f"```sh\n{record['command']}\n```",
        _how_to_repeat(record),
    )


def markdown_index(records: Sequence[dict]) -> str:
    """Return the page that leads to those of the studies."""
    rows = []
    for record in records:
        link, counts = f"[{record['study']}]({record['study']}.md)", verdict_counts(record["claims"])
        rows.append([link, escape_markdown(record["document"]), *counts.values()])
    return _markdown_page(
        "the reports in the folders",
        "Studies of five documents",
        INTRODUCTION,
        RULES,
        "```sh\nfastsvm-studies all --data DIR -o studies\n```",
        _markdown_table(("study", "document", *Verdict), rows),
        f"{study_record.claims_summary(study_record.all_claims(records))}.",
        *map(_markdown_cover, records),
    )


def _markdown_cover(record: dict) -> str:
    """Return the title and the first figure of a study, which lead to its page."""
    study, title = record["study"], escape_markdown(record["title"])
    covers = [f"[![{title}]({study}/{file})]({study}.md)" for file in _shown_figures(record)]
    return "\n\n".join((f"## [{title}]({study}.md)", *covers[:1]))


def _markdown_page(origin: str, title: str, *parts: str) -> str:
    parts = f"{MADE} {origin}. -->", f"# {title}", *parts
    return "\n\n".join(part for part in parts if part) + "\n"


def escape_markdown(text: object) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#~$])", r"\\\1", " ".join(str(text).split()))


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _markdown_figure(study: str, figure: dict) -> str:
    title, *lines = map(escape_markdown, (figure["title"], *study_record.captions(study, figure)))
    return "\n\n".join((f"### {title}", f"![{title}]({study}/{figure['file']})", *lines))


def _markdown_item(study: str, thing: dict) -> str:
    _, *lines = study_record.captions(study, thing)
    return f"- {escape_markdown('. '.join([thing['title'], *lines]))}"


def _how_to_repeat(record: dict) -> str:
    settings, versions = (
        escape_markdown(", ".join(f"{name} {value}" for name, value in record[key].items()))
        for key in ("settings", "versions")
    )
    size = "The quick version. " if record["quick"] else ""
    seconds = record["cpu_seconds"]
    time = "" if seconds is None else f"It took {seconds:.0f} s of CPU time. "
    return f"{size}{time}Settings: {settings}. Versions: {versions}."
