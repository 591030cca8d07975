"""The output of `predict --next`: texts to label, in a form that `train` reads once labels are filled in."""

import json
from os import path

from ...common.csv_quoting import csv_text, table_file
from ...common.printing import on_screen
from ..jobs.next_texts import NextText

COLUMNS = "label", "text", "predicted", "unsure", "lead", "place"


def write_next_texts(output: str, texts: list[NextText], as_json: bool) -> None:
    """Write a table, or one JSON object per line if `as_json` or the ending of the file says it."""
    rows = [("", text, *names, float(f"{lead:.4g}"), place) for text, *names, lead, place in texts]
    if as_json or output.endswith(".jsonl"):
        lines = "".join(f"{json.dumps(dict(zip(COLUMNS, row, strict=True)))}\n" for row in rows)
    else:
        lines = csv_text([COLUMNS, *rows], "," if path.splitext(output)[1] == ".csv" else "\t")
    with table_file(output) as file:
        file.write(on_screen(lines) if file.isatty() else lines)
