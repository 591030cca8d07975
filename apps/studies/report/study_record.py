"""What a report is in JSON: claims, and which files hold its pictures and tables."""

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from ...common.errors import AppError
from ...common.printing import fields, many
from .study_report import RULES, Report, Verdict

REPORT = "report.json"
# What tables of claims call the fields of a claim, in the order of the files.
CLAIM_FIELDS = {"claim": "words", "document": "theirs", "here": "ours", "verdict": "verdict", "why": "why"}
LIBRARIES = ("fastsvm", "numpy", "scipy", "scikit-learn")


def record_study(study: str, report: Report, how: dict[str, object], seconds: dict[str, float]) -> dict:
    """Return the record of a report.

    Parameters
    ----------
    study : str
        Its name.
    report : Report
    how : dict
        What it was run with: the command, quick, seed and so on.
    seconds : dict
        How long each stage took.
    """
    settings = {
        name: value if isinstance(value, bool | int | float | str | None) else str(value)
        for name, value in report.settings.items()
    }
    return {
        "study": study,
        **fields(report, "title", "document", "data"),
        **how,
        "versions": {name: version(name) for name in LIBRARIES},
        "cores": os.cpu_count(),
        "settings": settings,
        "claims": [fields(claim, *CLAIM_FIELDS.values()) for claim in report.claims],
        "figures": [
            fields(figure, "file", "title", "caption", "source", "shows_data") for figure in report.figures
        ],
        "tables": [fields(table, "file", "title", "caption", "source") for table in report.tables],
        "seconds": seconds,
    }


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


def captions(study: str, thing: dict) -> list[str]:
    """Return the caption of a figure or table, and a line on that of the document which it redoes."""
    theirs = f"The document's {thing['source']}"
    caption, differs = document_figures().get((study, thing["source"]), ("", ""))
    if caption:
        theirs += f": {caption}. What differs: {differs}"
    return [thing["caption"], f"{theirs}."] if thing["source"] else [thing["caption"]]


@cache
def document_figures() -> dict[tuple[str, str], tuple[str, str]]:
    """Return caption and what differs, by study and source, of the figures and tables of all documents."""
    with open(os.path.join(os.path.dirname(__file__), "document_figures.csv"), newline="") as file:
        return {(study, number): (caption, differs) for study, number, caption, differs in csv.reader(file)}


def claims_legend(claims: Sequence[dict]) -> str:
    """Say what the verdicts mean, and what the signs in claims are."""
    words = RULES
    if any("P*" in text for claim in claims for text in claim.values()):
        words += " P* is the lowest objective that there is, certified by a duality gap."
    return words


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
