"""Tables that commands write."""

import csv
import io
from pathlib import Path


def rows_of(table, delimiter=","):
    """Return a dict for each row of a table: a path, or what was printed."""
    is_text = isinstance(table, str) and "\n" in table
    text = table if is_text else Path(table).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
