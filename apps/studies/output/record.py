"""What a report is in JSON: claims, and which files hold its pictures and tables."""

import os
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version

from ..model.report import Report, Verdict

REPORT = "report.json"
LIBRARIES = ("fastsvm", "numpy", "scipy", "scikit-learn")


def record_of(report: Report, how: dict[str, object], seconds: dict[str, float]) -> dict:
    """Return the record of a report.

    Parameters
    ----------
    report : Report
    how : dict
        What it was run with: the command, quick, seed and so on.
    seconds : dict
        How long each stage took.
    """
    return {
        "study": report.name,
        "title": report.title,
        "document": report.document,
        "data": report.data,
        **how,
        "versions": {name: version(name) for name in LIBRARIES},
        "cores": os.cpu_count(),
        "settings": {name: plain(value) for name, value in report.settings.items()},
        "claims": [asdict(claim) for claim in report.claims],
        "figures": [
            {
                "file": f"{figure.name}.{figure.ending}",
                "title": figure.title,
                "caption": figure.caption,
                "source": figure.source,
                "shows_data": figure.shows_data,
            }
            for figure in report.figures
        ],
        "tables": [
            {
                "file": f"{table.name}.csv",
                "title": table.title,
                "caption": table.caption,
                "source": table.source,
            }
            for table in report.tables
        ],
        "seconds": seconds,
    }


def plain(value: object) -> object:
    """Return what JSON has for a value: itself, or its text."""
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def counted(claims: list[dict]) -> dict[str, int]:
    """Count the claims with each verdict."""
    counts = Counter(claim["verdict"] for claim in claims)
    return {verdict.value: counts[verdict] for verdict in Verdict}
