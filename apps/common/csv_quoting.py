"""CSV tables in which a spreadsheet takes no text for a formula.

Whatever reads a table calls `unquoted`, so that what was written as `quoted` comes back.
"""

import csv
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from os import PathLike
from types import SimpleNamespace
from typing import TextIO

from .files import open_output
from .printing import on_screen

# A spreadsheet may begin a cell where a text begins and, with unusual settings, behind these characters.
_BEGINNING, _END = r"(?<![^;\t\r\n])", r"(?![^;\t\r\n])"
_NUMBER = rf"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?{_END}"  # which stays what it is
# What begins a formula, also in full width. White space before a text may be skipped, so it counts, too.
_SIGN = r"""["']*[=+\-@＝＋－＠]"""
_FORMULA = re.compile(rf"{_BEGINNING}(?!{_NUMBER})(?={_SIGN})|\A(?='*[\t\r\n])", re.IGNORECASE)
# With the apostrophe first, a long text takes a tenth of the time.
_QUOTED = re.compile(rf"'(?:(?<![^;\t\r\n]')(?={_SIGN})|(?<=\A')(?='*[\t\r\n]))")


@contextmanager
def table_file(path: str | PathLike[str]) -> Iterator[TextIO]:
    """Open a file that is replaced once all is written, and unchanged if anything fails; - is stdout."""
    if path == "-":
        yield sys.stdout
        return
    with open_output(path) as raw:
        file = TextIOWrapper(raw, newline="", encoding="utf-8", errors="surrogateescape")
        try:
            yield file
        finally:
            file.detach()


def csv_writer(file: TextIO, separator: str = ",") -> Callable[..., object]:
    """Return a function that writes rows of `quoted` texts; a screen shows control characters visibly."""
    screen = SimpleNamespace(write=lambda line: file.write(on_screen(line)))
    write = table_writer(screen if file.isatty() else file, separator).writerows
    return lambda *rows: write(map(quoted, row) for row in rows)


def csv_text(rows: Iterable[Iterable], separator: str = ",") -> str:
    """Return what `csv_writer` writes."""
    file = StringIO(newline="")
    csv_writer(file, separator)(*rows)
    return file.getvalue()


def table_writer(file: TextIO, separator: str = ","):
    """Return a writer of a table whose texts are `quoted` already, or fields of the user's own table."""
    # Before Python 3.13 a carriage return is quoted only if lines end in one.
    lines = SimpleNamespace(write=lambda line: file.write(f"{line[:-2]}\n"))
    return csv.writer(lines, delimiter=separator, lineterminator="\r\n")


def quoted(value: object) -> object:
    """Put an apostrophe before each formula in a text, and before each formula that already has one."""
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


def unquoted(text: str) -> str:
    """Return the text that `quoted` was given."""
    return _QUOTED.sub("", text)
