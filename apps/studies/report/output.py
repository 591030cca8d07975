"""The folder of a study: its owner, its record, and the files of a report.

The page of the study, the documentation and `--json` are made from the record, `report.json`.
"""

import csv
import json
import os
from functools import cache
from importlib import resources
from importlib.metadata import version

from ...common.csv_quoting import csv_text
from ...common.errors import AppError
from ...common.files import replace_file
from ...common.matplotlib_figures import figure
from ...common.paths import make_folder
from ...common.progress import Stages
from .charts import draw_figure
from .study import Figure, Findings, Measured, Table, write_runs
from .study_pages import write_study_page
from .verdicts import judge_all

REPORT, CLAIMS, RUNS = "report.json", "claims.csv", "runs.csv"
MARK = ".fastsvm-studies"  # names the study of the folder, from the start of a run
CLAIM_FIELDS = "name", "claim", "document", "here", "wider", "verdict", "why"
LIBRARIES = ("fastsvm", "numpy", "scipy", "scikit-learn")
COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page


def take_folder(folder: str, name: str) -> None:
    """Make the folder of a study, or check that an existing one is of this study.

    Raises
    ------
    AppError
        If it holds anything else, which is never mixed with a study, or if no pictures can be drawn.
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
        raise AppError(f"{folder}: contains other files; choose another folder with -o") from None
    if owner != name:
        raise AppError(f"{folder}: contains the study '{owner}', not '{name}'; choose another folder with -o")


def record_study(
    study: str, title: str, document: str, measured: Measured, findings: Findings, how: dict[str, object]
) -> dict:
    """Return the record of a study.

    Parameters
    ----------
    study, title, document : str
        Its name, and the authors, title and year of the document.
    measured : Measured
    findings : Findings
    how : dict
        How the study was run: the command, quick, seed and so on.
    """
    judged = judge_all(study, findings.found, measured.originals)
    return {
        **{"study": study, "title": title, "document": document, "data": measured.data},
        "versions": {name: version(name) for name in LIBRARIES},
        "cores": os.cpu_count(),
        **how,  # runs from a file have their own versions and cores
        "hashes": measured.hashes,
        "settings": {name: str(value) for name, value in measured.settings.items()},
        "claims": [each | {"cases": [[*map(_finite, case)] for case in each["cases"]]} for each in judged],
        "figures": [
            {**_words(study, each), "wide": each.size[0] > COLUMN, "shows_data": each.shows_data}
            for each in findings.figures
        ],
        "tables": [
            {**_words(study, each), "header": header, "rows": [[*map(_finite, row)] for row in rows]}
            for each in findings.tables for header, rows in [each.flat]
        ],
    }  # fmt: skip


def _words(study: str, thing: Figure | Table) -> dict[str, str]:
    """Return what `documents/captions.csv` says of a figure or a table."""
    name = thing.name if isinstance(thing, Table) else thing.words or thing.name
    subject = "" if isinstance(thing, Table) else thing.subject
    row = captions()[study, name]
    known = {"title": row["title"].format(subject), "caption": row["caption"].format(subject)}
    return {"file": thing.file, **known, "source": row["source"], "differs": row["differs"]}


def _finite(value: object) -> object:
    """Return a cell that JSON can hold: infinity as text, nan as nothing."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return None if value != value else value


@cache
def captions() -> dict[tuple[str, str], dict[str, str]]:
    """Return the words of all figures and tables, by study and name.

    `source` is the document's figure or table that is repeated ("figure 2a"), `differs` what is different.
    """
    source = resources.files(__package__.rpartition(".")[0]).joinpath("documents", "captions.csv")
    with source.open(encoding="utf-8", newline="") as file:
        return {(row["study"], row["name"]): row for row in csv.DictReader(file)}


def write_study_folder(
    folder: str, findings: Findings, measured: Measured, record: dict, stage: Stages, keep: bool = True
) -> None:
    """Write a report, with the runs if `keep`; otherwise the runs came from such a file."""
    files = {}
    with stage("draw", total=len(findings.figures)) as advance:
        for picture in findings.figures:
            files[picture.file] = draw_figure(picture)
            advance()
    for table in findings.tables:
        files[table.file] = csv_text([table.flat[0], *table.flat[1]]).encode()
    if record["claims"]:
        claims = [[claim[name] for name in CLAIM_FIELDS] for claim in record["claims"]]
        files[CLAIMS] = csv_text([CLAIM_FIELDS, *claims]).encode()
    for name, content in files.items():
        replace_file(os.path.join(folder, name), content)
    if keep:
        how = {name: record[name] for name in ("study", "command", "seed", "quick", "versions", "cores")}
        write_runs(os.path.join(folder, RUNS), measured, how | {"cpu_seconds": record["cpu_seconds"]})
    write_study_page(folder, record)
    replace_file(os.path.join(folder, REPORT), json.dumps(record, indent=1, allow_nan=False).encode())


def read_record(folder: str) -> dict:
    """Return the record of a study.

    Raises
    ------
    AppError
        If there is none.
    """
    path = os.path.join(folder, REPORT)
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        problem: object = "it does not name a study"
        if os.path.basename(record["study"]) == record["study"]:
            return record
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = error
    raise AppError(f"{path}: not a report of a study ({problem}); run the study again")
