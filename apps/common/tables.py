"""CSV tables that a spreadsheet can open: no text of theirs is taken for a formula."""

import csv
import re
from collections.abc import Callable, Iterable
from typing import TextIO

import click

# What spreadsheets begin a formula by; plain numbers stay what they are.
_FORMULA = re.compile(r"(?![+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\Z)'*[=+\-@\t\r]", re.IGNORECASE)
_QUOTED = re.compile(r"'+[=+\-@\t\r]")

raw_csv_option = click.option(
    "--raw-csv",
    is_flag=True,
    help="In CSV tables, no apostrophe before a text that a spreadsheet would take for a formula.",
)


def csv_writer(file: TextIO, *, raw: bool = False) -> Callable[[Iterable], object]:
    """Return a function that writes a row of a CSV table; the texts in it are `quoted`, unless `raw`."""
    write = csv.writer(file, lineterminator="\n").writerow
    return write if raw else lambda row: write(map(quoted, row))


def quoted(value: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would take for a formula, or for so quoted a one."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unquoted(text: str) -> str:
    """Return the text that `quoted` was given."""
    return text[1:] if _QUOTED.match(text) else text
