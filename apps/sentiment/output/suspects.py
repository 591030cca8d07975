"""Texts to look at again, as a table for people, as CSV and as JSON."""

import io

from ...common.files import replace_file
from ...common.output import fields, many, percent, print_line, print_table, shortened
from ...common.tables import csv_writer
from ..jobs.suspects import Inspection, Suspect

TEXT = 60  # letters of a text that a table shows


def print_inspection(found: Inspection, name: str, with_list: bool) -> None:
    """Print what was found, and with `with_list` each text."""
    contradicted = f"{many(found.n_contradicted, 'label')} ({percent(1 - found.accuracy)})"
    print_line(f"{name}: {many(found.n_texts, 'text')}; the model contradicts {contradicted}")
    print_line(f"{many(found.n_conflicts, 'text')} with another label elsewhere")
    print_line(f"{many(found.n_crossing, 'text')} to train on among those held out")
    if with_list and found.suspects:
        print_line("")
        rows = [
            (str(one.place), one.label, one.suggested, _sure(one), one.why, shortened(one.text, TEXT))
            for one in found.suspects
        ]
        print_table(("place", "label", "suggested", "sure", "why", "text"), rows, (0, 1, 2, 4, 5))


def write_csv(path: str, found: Inspection, raw: bool = False) -> None:
    """Write the texts to a CSV table."""
    table = io.StringIO()
    write = csv_writer(table, raw=raw)
    write(("place", "label", "suggested", "sure", "why", "text"))
    for one in found.suspects:
        write((one.place, one.label, one.suggested, _sure(one), one.why, one.text))
    replace_file(path, table.getvalue().encode())


def inspection_record(found: Inspection, seconds: dict[str, float]) -> dict:
    """Return what was found for --json."""
    names = ("n_texts", "accuracy", "n_contradicted", "n_conflicts", "n_crossing")
    return {
        **fields(found, *names),
        "suspects": [one._asdict() for one in found.suspects],
        "skipped": found.skipped.count,
        "seconds": seconds,
    }


def _sure(one: Suspect) -> str:
    return f"{one.sure:.3f}" if one.sure else ""
