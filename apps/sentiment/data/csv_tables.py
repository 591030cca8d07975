"""Tables with quoted or plain fields, and records of one line or several."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from textwrap import shorten
from typing import NamedTuple

from ...common.errors import USAGE, AppError
from .text_lines import Lines
from .text_source import Record, TextSource, repeated

SEPARATORS = {"tsv": "\t", "csv": ",;|\t"}  # of fields; the first one unless the header has another
QUOTED_LINES = 10_000  # lines ahead in which a closing quote is searched
MOST_COLUMNS = 10_000

csv.field_size_limit(2**31 - 1)  # a text may be long


class TableRows(NamedTuple):
    """Records of a table: the numbers of their first lines, their fields, and their raw text."""

    numbers: list[int]
    fields: list[list[str]]
    raw: list[str]


class CsvTable(NamedTuple):
    """A table whose header was read: its columns, and the indices of the text and label columns."""

    lines: Lines
    columns: list[str]
    delimiter: str
    limit: int
    text: int
    label: int | None

    def records(self) -> Iterator[Record]:
        """Read all records, one after the other."""
        for number, fields in csv_rows(self.lines, self.delimiter, self.limit):
            yield self.record(number, fields)

    def record(self, number: int, fields: list[str]) -> Record:
        """Return the record with these fields; with too many or too few fields it has a problem."""
        n = len(self.columns)
        if len(fields) == n:
            label = "" if self.label is None else fields[self.label].strip()
            return Record(number, label, fields[self.text], "", fields)
        if len(fields) > MOST_COLUMNS:
            problem = f"more than {MOST_COLUMNS:,} fields"
        else:
            problem = f"{len(fields)} fields, where the header has {n}"
            if any(field[:1] == '"' for field in fields):
                problem += ", and a quote is never closed"
        # The last column takes the surplus.
        row = [*fields[: n - 1], self.delimiter.join(fields[n - 1 :]), *[""] * (n - len(fields))][:n]
        return Record(number, problem=problem, row=row)

    def waiting(self) -> TableRows:
        """Read the records in the lines that have arrived, much faster than one by one.

        Stop before a record whose quotes no CSV writer makes, or whose quotes are still open.
        """
        first, lines = self.lines.take_waiting()
        if not any('"' in line for line in lines):
            rows = [line.split(self.delimiter, MOST_COLUMNS) for line in lines]
            found = TableRows(list(range(first, first + len(lines))), rows, lines)
        else:
            found, n = _quoted_rows(first, lines, self.delimiter)
            self.lines.give_back(list(enumerate(lines[n:], first + n)))
        if all(map(str.strip, found.raw)):
            return found
        solid = [i for i, raw in enumerate(found.raw) if raw.strip()]
        return TableRows(*([column[i] for i in solid] for column in found))


def _quoted_rows(first: int, lines: list[str], delimiter: str) -> tuple[TableRows, int]:
    """Read records while their quotes are those of a CSV writer; return them and their number of lines."""
    quoted = [line for line in lines if '"' in line]
    with suppress(csv.Error):
        parsed = list(csv.reader(quoted, delimiter=delimiter, strict=True))
        if len(parsed) == len(quoted):  # no field goes on in the next line
            fields = iter(parsed)
            rows = [next(fields) if '"' in line else line.split(delimiter, MOST_COLUMNS) for line in lines]
            return TableRows(list(range(first, first + len(rows))), rows, lines), len(rows)
    rows, ends = [], []
    reader = csv.reader([f"{line}\n" for line in lines], delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if reader.line_num - (ends[-1] if ends else 0) > QUOTED_LINES:
                break
            rows.append(row)
            ends.append(reader.line_num)
    except csv.Error:
        pass
    starts = [0, *ends][: len(ends)]
    raw = ["\n".join(lines[i:j]) for i, j in zip(starts, ends, strict=True)]
    return TableRows([first + i for i in starts], rows, raw), ends[-1] if ends else 0


def header_of(line: str, delimiter: str) -> list[str]:
    """Return the names of the columns in a header line."""
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return [line]


def is_header(columns: list[str]) -> bool:
    """Return whether all names are single words, unlike prose."""
    return len(columns) > 1 and not any(re.search(r"\s|^$", column) for column in columns)


def open_csv_table(lines: Lines, source: TextSource, separators: str) -> CsvTable:
    """Read the header of a table. Of `separators`, it has that with the text column, or with most columns."""
    first = next(lines)
    lines.give_back([first])
    rows = {s: [column.strip() for column in header_of(first[1], s)] for s in separators}
    delimiter = max(rows, key=lambda s: (bool(source.named(rows[s], source.text_column)), len(rows[s])))
    header = [column.strip() for column in next(csv_rows(lines, delimiter, source.max_line))[1]]
    wanted = {"--text-col": source.text_column, "--label-col": source.label_column}
    found = {option: source.named(header, name) for option, name in wanted.items()}
    missing = {option: name for option, name in wanted.items() if name and found[option] is None}
    place = f"{source.name}, line {first[0]}"
    if missing:
        names, options = " nor ".join(map(repr, missing.values())), " and ".join(missing)
        there = shorten(", ".join(header[:100])[:1000], 80, placeholder=" ...")
        raise AppError(f"{place}: no column {names} among {there}; choose with {options}", USAGE)
    if twice := repeated(name for name in header if name in found.values()):
        raise AppError(f"{place}: two columns are called {twice!r}; give each a name of its own", USAGE)
    text, label = (None if name is None else header.index(name) for name in found.values())
    return CsvTable(lines, header, delimiter, source.max_line, text, label)


def csv_rows(lines: Lines, delimiter: str, limit: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each record, with the number of its first line.

    Quotes that no CSV writer makes are plain characters: a text may begin with a quoted word, or with a quote
    that is never closed, and must not swallow the lines after it. The same holds for a record that is longer
    than `limit` characters, or in which a line was left out.
    """
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split(delimiter, MOST_COLUMNS)
        # A quote means something only where a field begins with it.
        if '"' in line and len(fields) <= MOST_COLUMNS and any(field[:1] == '"' for field in fields):
            ahead: list[tuple[int, str]] = []

            def record(number=number, line=line, ahead=ahead):
                yield f"{line}\n"
                room = limit - len(line)
                for item in islice(lines, QUOTED_LINES):
                    ahead.append(item)
                    room -= len(item[1])
                    if room < 0 or item[0] != number + len(ahead):
                        return
                    yield f"{item[1]}\n"

            try:
                fields = next(csv.reader(record(), delimiter=delimiter, strict=True))
            except csv.Error:
                lines.give_back(ahead)
        yield number, fields
