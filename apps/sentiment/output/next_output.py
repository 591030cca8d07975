"""The output of `predict --next`: texts to label, in a form that `train` reads once labels are filled in."""

import json
from io import StringIO
from os import path

from ...common.csv_quoting import quoted, table_file, table_writer
from ...common.printing import on_screen
from ..jobs.next_texts import NextText

COLUMNS = "label", "text", "predicted", "unsure", "lead", "place"


def write_next_texts(output: str, texts: list[NextText], as_json: bool) -> None:
    """Write a table, or one JSON object per line if `as_json` or the ending of the file says it."""
    rows = [("", text, *names, float(f"{lead:.4g}"), place) for text, *names, lead, place in texts]
    lines = StringIO(newline="")
    if as_json or output.endswith(".jsonl"):
        lines.writelines(f"{json.dumps(dict(zip(COLUMNS, row, strict=True)))}\n" for row in rows)
    else:
        table = table_writer(lines, "," if path.splitext(output)[1] == ".csv" else "\t")
        table.writerow(COLUMNS)
        table.writerows((*row[:2], *map(quoted, row[2:4]), *row[4:]) for row in rows)
    with table_file(output) as file:
        file.write(on_screen(lines.getvalue()) if file.isatty() else lines.getvalue())
