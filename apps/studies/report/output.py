"""The folder of a study: whose it is, and what a report leaves in it."""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from ...common.csv_quoting import csv_text
from ...common.errors import AppError
from ...common.files import replace_file
from ...common.matplotlib_figures import figure
from ...common.paths import make_folder
from ...common.progress import Stages
from .charts import draw_figure
from .records import REPORT
from .runs import Measured, write_runs
from .study import Findings
from .study_pages import PAGE, write_index_page, write_study_page

INDEX, CLAIMS, RUNS = "index.html", "claims.csv", "runs.csv"
MARK = ".fastsvm-studies"  # says whose the folder is, from the beginning of a run on
CLAIM_FIELDS = "name", "claim", "document", "here", "wider", "verdict", "why"
CASE_FIELDS = "study", "claim", "conditions", "comparison", "value", "from", "to", "verdict"


def take_folder(folder: str, name: str) -> None:
    """Make the folder of a study, or find out that an earlier one is of this study.

    Raises
    ------
    AppError
        Where it holds anything else, which is never mixed with a study, or where no pictures can be drawn.
    """
    with figure(None, (1.0, 1.0)):
        make_folder(folder)
    mark = os.path.join(folder, MARK)
    if not os.listdir(folder):
        replace_file(mark, f"{name}\n".encode())
        return
    try:
        with open(mark, encoding="utf-8", errors="replace") as file:
            owner = file.readline(100).strip()
    except FileNotFoundError:
        raise AppError(f"{folder}: has files of others; choose another folder with -o") from None
    if owner != name:
        raise AppError(f"{folder}: is of '{owner}', not of '{name}'; choose another folder with -o")


def write_study_folder(
    folder: str, findings: Findings, measured: Measured, record: dict, stage: Stages, keep: bool = True
) -> None:
    """Write a report, and remove what an earlier one in the folder had and this one has not.

    Unless they are to `keep`, the runs are not written: they come from such a file.
    """
    before, files = _files_before(folder), {}
    with stage("draw", total=len(findings.figures)) as advance:
        for picture in findings.figures:
            files[picture.file] = draw_figure(picture)
            advance()
    for table in findings.tables:
        files[table.file] = csv_text([table.header, *table.rows]).encode()
    if record["claims"]:
        files |= {CLAIMS: _claims_csv([record]), "comparisons.csv": _cases_csv(record)}
    for name, content in files.items():
        replace_file(os.path.join(folder, name), content)
    if keep:
        how = {name: record[name] for name in ("study", "command", "seed", "quick", "versions", "cores")}
        write_runs(os.path.join(folder, RUNS), measured, how | {"cpu_seconds": record["cpu_seconds"]})
    record["files"] = [*files, PAGE, *([RUNS] if keep else [])]
    write_study_page(folder, record)
    replace_file(os.path.join(folder, REPORT), json.dumps(record, indent=1, allow_nan=False).encode())
    remove_files(folder, before - set(record["files"]) - {RUNS})


def write_index_files(folder: str, records: Sequence[dict]) -> None:
    """Write the page and the table of the claims of several studies, whose folders lie in this one."""
    write_index_page(os.path.join(folder, INDEX), records)
    replace_file(os.path.join(folder, CLAIMS), _claims_csv(records))


def _claims_csv(records: Iterable[dict]) -> bytes:
    rows = [
        (record["study"], *(claim[name] for name in CLAIM_FIELDS))
        for record in records
        for claim in record["claims"]
    ]
    return csv_text([("study", *CLAIM_FIELDS), *rows]).encode()


def _cases_csv(record: dict) -> bytes:
    rows = [(record["study"], claim["name"], *case) for claim in record["claims"] for case in claim["cases"]]
    return csv_text([CASE_FIELDS, *rows]).encode()


def remove_files(folder: str, names: Iterable[str]) -> None:
    """Remove those of some files that a folder has; a name that leads elsewhere is none of ours."""
    for name in names:
        if os.path.basename(name) == name:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _files_before(folder: str) -> set[str]:
    """Return which files an earlier report has put here."""
    try:
        with open(os.path.join(folder, REPORT), encoding="utf-8") as file:
            return set(json.load(file)["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()
