"""Pages of the documentation, made of the reports of studies: verdicts, small pictures, how to repeat it."""

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress

from ...common.errors import AppError
from ...common.files import check_replaceable, make_folder, replace_file
from ..frame.study_list import STUDIES
from ..frame.study_report import Verdict
from .pages import captioned
from .record import REPORT, counted, legend, read_record, summary
from .small_pictures import small_picture

MADE = "<!-- Made by fastsvm-studies gallery"
INDEX = "README.md"
INTRODUCTION = """\
Each study redoes the tables and figures of a document that compares classifiers, and judges its claims by
what is measured here. A claim holds if the 95 % interval of what is measured says so, by a rule in the code.
What depends on data or machines that are not at hand, or on more runs, cannot be tested. DIR has the
documents' data sets; without it a study runs on what comes along."""


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
    return dict(sorted(found.items(), key=lambda item: _place(item[1])))


def write_gallery(folder: str, docs: str) -> list[str]:
    """Write the page of each report in a folder, and the index of all there are; return their paths."""
    records = reports_in(folder)
    make_folder(docs)
    paths = {place: os.path.join(docs, f"{record['study']}.md") for place, record in records.items()}
    for path in (*paths.values(), os.path.join(docs, INDEX)):
        check_replaceable(path, MADE, "was not made by fastsvm-studies gallery")
    for place, record in records.items():
        _write_files(place, record, os.path.join(docs, record["study"]))
        replace_file(paths[place], page(record).encode())
    index = os.path.join(docs, INDEX)
    replace_file(index, index_page(list(reports_in(docs).values())).encode())
    return [*paths.values(), index]


def _write_files(place: str, record: dict, target: str) -> None:
    """Copy a report and small versions of its pictures; remove pictures of an earlier report."""
    pictures = {}
    for figure in _shown(record):
        with open(os.path.join(place, figure["file"]), "rb") as file:
            pictures[figure["file"]] = small_picture(file.read(), figure["file"])
    before = _pictures_before(target)
    make_folder(target)
    for name, content in pictures.items():
        replace_file(os.path.join(target, name), content)
    replace_file(os.path.join(target, REPORT), f"{json.dumps(record, indent=1)}\n".encode())
    for name in before - pictures.keys():
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(target, name))


def _pictures_before(target: str) -> set[str]:
    if not os.path.isdir(target) or not os.listdir(target):
        return set()
    names = {figure["file"] for figure in _shown(read_record(target))}
    return {name for name in names if os.path.basename(name) == name}


def _shown(record: dict) -> list[dict]:
    """Return the figures that go into the docs: those that show no data themselves, and stand still."""
    return [
        figure for figure in record["figures"] if figure["file"].endswith(".png") and not figure["shows_data"]
    ]


def _place(record: dict) -> tuple[int, str]:
    names = [*STUDIES]
    name = record["study"]
    return (names.index(name) if name in names else len(names), name)


def page(record: dict) -> str:
    """Return the page of a study in Markdown."""
    claims = record["claims"]
    shown = _shown(record)
    rows = [
        (claim["verdict"], claim["words"], claim["theirs"], claim["ours"], claim["why"]) for claim in claims
    ]
    parts = [
        f"{MADE}, from {record['study']}/{REPORT}. -->",
        f"# {escaped(record['title'])}",
        f"{escaped(record['document'].removesuffix('.'))}.",
        escaped(record["data"]),
        f"{summary(claims)}. {escaped(legend(claims))}",
        _table(("verdict", "claim", "document", "here", "why"), rows),
        "## Figures" if shown else "",
        *(_figure(record["study"], figure) for figure in shown),
        _left_out(record, shown),
        "## Run it again",
        f"```sh\n{record['command']}\n```",
        _how(record),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def index_page(records: Sequence[dict]) -> str:
    """Return the page that leads to those of the studies."""
    rows = []
    for record in records:
        counts = counted(record["claims"])
        link = f"[{record['study']}]({record['study']}.md)"
        rows.append((link, escaped(record["document"]), *(counts[verdict] for verdict in Verdict)))
    claims = [claim for record in records for claim in record["claims"]]
    parts = [
        f"{MADE}, from the reports in the folders. -->",
        "# Studies of five documents",
        INTRODUCTION,
        "```sh\nfastsvm-studies all --data DIR -o studies\n```",
        _table(("study", "document", *Verdict), rows, raw=True),
        f"{summary(claims)}.",
    ]
    return "\n\n".join(parts) + "\n"


def escaped(text: object) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]<>|#~$])", r"\\\1", " ".join(str(text).split()))


def _table(header: Sequence[str], rows: Sequence[Sequence[object]], *, raw: bool = False) -> str:
    lines = [header, ["---"] * len(header)]
    lines += rows if raw else [[*map(escaped, row)] for row in rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _figure(study: str, figure: dict) -> str:
    title = escaped(figure["title"])
    return f"### {title}\n\n![{title}]({study}/{figure['file']})\n\n{escaped(captioned(figure))}"


def _left_out(record: dict, shown: Sequence[dict]) -> str:
    titles = [escaped(figure["title"]) for figure in record["figures"] if figure not in shown]
    return f"On its own page the study also has: {'; '.join(titles)}." if titles else ""


def _how(record: dict) -> str:
    settings = [f"{name} {value}" for name, value in record["settings"].items()]
    versions = [f"{name} {number}" for name, number in record["versions"].items()]
    size = "The quick version. " if record["quick"] else ""
    seconds = record["cpu_seconds"]
    time = "" if seconds is None else f"It took {seconds:.0f} s of CPU time. "
    return f"{size}{time}Settings: {escaped(', '.join(settings))}. Versions: {escaped(', '.join(versions))}."
