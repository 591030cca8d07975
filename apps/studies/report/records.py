"""The record of a study: what its page, the documentation and `--json` are made of."""

import csv
import json
import os
import re
from functools import cache
from importlib import resources
from importlib.metadata import version

from ...common.errors import AppError
from ...common.printing import fields
from .runs import Measured
from .study import Figure, Findings, Table
from .verdicts import Judged, judge_all

REPORT = "report.json"
LIBRARIES = ("fastsvm", "numpy", "scipy", "scikit-learn")
MOST_ROWS = 200  # of a table on a page; its CSV file has all
COLUMN = 7.6  # inches; a wider picture cannot be read in half of the page


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
        What it was run with: the command, quick, seed and so on.
    """
    judged = judge_all(study, findings.found, measured.originals)
    return {
        **{"study": study, "title": title, "document": document, "data": measured.data},
        "versions": {name: version(name) for name in LIBRARIES},
        "cores": os.cpu_count(),
        **how,  # runs of a file have versions and cores of their own
        "hashes": measured.hashes,
        "settings": {name: str(value) for name, value in measured.settings.items()},
        "claims": [_claim_record(each) for each in judged],
        "figures": [
            {**_words(study, each), "wide": each.size[0] > COLUMN, "shows_data": each.shows_data}
            for each in findings.figures
        ],
        "tables": [
            {**_words(study, each), "header": [*each.header], "rows": _rows(each)} for each in findings.tables
        ],
    }


def _claim_record(judged: Judged) -> dict:
    claim, cases = judged.claim, [[_finite(each) for each in case] for case in judged.cases]
    known = {"name": claim.name, "question": claim.question, "verdict": str(judged.verdict)}
    said = {"claim": claim.words, "document": claim.document, **fields(judged, "here", "wider", "why")}
    return known | said | {"cases": cases}


def _words(study: str, thing: Figure | Table) -> dict[str, str]:
    """Return what `documents/captions.csv` says of a figure or a table."""
    name = thing.name if isinstance(thing, Table) else thing.words or thing.name
    subject = "" if isinstance(thing, Table) else thing.subject
    row = captions()[study, name]
    known = {"title": row["title"].format(subject), "caption": row["caption"].format(subject)}
    return {"file": thing.file, **known, "source": row["source"], "differs": row["differs"]}


def _rows(table: Table) -> list[list]:
    return [
        [_finite(value.item() if hasattr(value, "item") else value) for value in row]
        for row in table.rows[:MOST_ROWS]
    ]


def _finite(value: object) -> object:
    """Return a cell that JSON can hold: infinity as text, nan as nothing."""
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return None if value != value else value


@cache
def captions() -> dict[tuple[str, str], dict[str, str]]:
    """Return the words of all figures and tables, by study and name.

    A source is the document's figure or table that is redone ("figure 2a"); it says what differs.
    """
    source = resources.files(__package__.rpartition(".")[0]).joinpath("documents", "captions.csv")
    with source.open(encoding="utf-8", newline="") as file:
        return {(row["study"], row["name"]): row for row in csv.DictReader(file)}


def read_record(folder: str) -> dict:
    """Return the record of a study.

    Raises
    ------
    AppError
        Where there is none.
    """
    path = os.path.join(folder, REPORT)
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        names = [record["study"], *(figure["file"] for figure in record["figures"])]
        if not all(re.fullmatch(r"[\w-][\w.-]*", name) for name in names):  # of files, in no other folder
            raise ValueError("a name that is a path")
        record["claims"]
    except FileNotFoundError:
        raise AppError(f"{folder}: has no {REPORT}; run a study with -o {folder} first") from None
    except (ValueError, KeyError, TypeError) as error:
        raise AppError(f"{path}: no report of a study ({error}); run the study again") from error
    return record
