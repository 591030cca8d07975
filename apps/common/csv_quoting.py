"""CSV tables that a spreadsheet can open: no text of theirs is taken for a formula."""

import csv
import re
from collections.abc import Callable, Iterable
from typing import TextIO

# What spreadsheets begin a formula by; plain numbers stay what they are.
_FORMULA = re.compile(r"(?![+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\Z)'*[=+\-@\t\r]", re.IGNORECASE)
_QUOTED = re.compile(r"'+[=+\-@\t\r]")


def csv_writer(file: TextIO) -> Callable[[Iterable], object]:
    """Return a function that writes a row of a CSV table, with its texts `quoted`."""
    write = csv.writer(file, lineterminator="\n").writerow
    return lambda row: write(map(quoted, row))


def quoted(value: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would take for a formula, or for so quoted a one."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unquoted(text: str) -> str:
    """Return the text that `quoted` was given."""
    return text[1:] if _QUOTED.match(text) else text
