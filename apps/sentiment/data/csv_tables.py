"""Tables with quoted or plain fields, and records of one line or several."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from textwrap import shorten

from ...common.errors import USAGE, AppError
from .text_lines import Lines
from .text_source import Record, Records, TextSource, repeated

SEPARATORS = {"tsv": "\t", "csv": ",;|\t"}  # of fields; the first one unless the header has another
QUOTED_LINES = 10_000  # lines ahead in which a closing quote is searched
MOST_COLUMNS = 10_000

csv.field_size_limit(2**31 - 1)  # a text may be long


Row = tuple[int, list[str], str | None]  # the number of its first line, its fields, and how it stands there


def header_of(line: str, delimiter: str) -> list[str]:
    """Return the names of the columns in a header line."""
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return [line]


def is_header(columns: list[str]) -> bool:
    """Return whether all names are single words, unlike prose."""
    return len(columns) > 1 and not any(re.search(r"\s|^$", column) for column in columns)


def read_table(lines: Lines, format: str, source: TextSource) -> Records:
    """Read a header and its records. Of the separators, the table has that with the text column, or with most
    columns; a record with too many or too few fields has a problem."""
    first = next(lines)
    lines.give_back([first])
    rows = {s: [column.strip() for column in header_of(first[1], s)] for s in SEPARATORS[format]}
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
    n = len(header)

    def record(number: int, fields: list[str], raw: str | None) -> Record:
        if len(fields) == n:
            return Record(
                number, "" if label is None else fields[label].strip(), fields[text], "", fields, raw
            )
        if len(fields) > MOST_COLUMNS:
            problem = f"more than {MOST_COLUMNS:,} fields"
        else:
            problem = f"{len(fields)} fields, where the header has {n}"
            if any(field[:1] == '"' for field in fields):
                problem += ", and a quote is never closed"
        # The last column takes the surplus.
        row = [*fields[: n - 1], delimiter.join(fields[n - 1 :]), *[""] * (n - len(fields))][:n]
        return Record(number, problem=problem, row=row)

    blocks = ([record(*row) for row in rows] for rows in _row_blocks(lines, delimiter, source.max_line))
    return Records(format, header, blocks, delimiter)


def _row_blocks(lines: Lines, delimiter: str, limit: int) -> Iterator[list[Row]]:
    """Yield the records of the lines that have arrived, read at once if possible: that is much faster.

    Where it is not, twice as many are read one by one each time, so that looking ahead costs little.
    """
    block: list[Row] = []
    n_single = 1
    for first, arrived in lines.arriving():
        rows, n = _rows_at_once(first, arrived, delimiter)
        block += [row for row in rows if row[2].strip()]
        if n < len(arrived):
            lines.give_back(list(enumerate(arrived[n:], first + n)))
            n_single = 2 * n_single if len(rows) < n_single else 1
            for row in islice(csv_rows(lines, delimiter, limit), n_single):
                block.append(row)
                if not lines.are_waiting:
                    break
        if block and not lines.are_waiting:
            yield block
            block = []
    if block:
        yield block


def _rows_at_once(first: int, lines: list[str], delimiter: str) -> tuple[list[Row], int]:
    """Read records while their quotes are those of a CSV writer; return them and their number of lines."""
    quoted = [line for line in lines if '"' in line]
    with suppress(csv.Error):
        parsed = list(csv.reader(quoted, delimiter=delimiter, strict=True))
        if len(parsed) == len(quoted):  # no field goes on in the next line
            fields = iter(parsed)
            rows = [next(fields) if '"' in line else line.split(delimiter, MOST_COLUMNS) for line in lines]
            return list(zip(range(first, first + len(lines)), rows, lines, strict=True)), len(lines)
    found, end = [], 0
    reader = csv.reader([f"{line}\n" for line in lines], delimiter=delimiter, strict=True)
    with suppress(csv.Error):
        for row in reader:
            start, end = end, reader.line_num
            if end - start > QUOTED_LINES:
                return found, start
            found.append((first + start, row, "\n".join(lines[start:end])))
    return found, end


def csv_rows(lines: Lines, delimiter: str, limit: int) -> Iterator[Row]:
    """Yield one record after the other.

    Quotes that no CSV writer makes are plain characters: a text may begin with a quoted word, or with a quote
    that is never closed, and must not swallow the lines after it. The same holds for a record that is longer
    than `limit` characters, or in which a line was left out.
    """
    for number, line in lines:
        if not line.strip():
            continue
        fields, raw = line.split(delimiter, MOST_COLUMNS), line
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
                fields, raw = next(csv.reader(record(), delimiter=delimiter, strict=True)), None
            except csv.Error:
                lines.give_back(ahead)
        yield number, fields, raw
