"""Records from files: the formats, their detection, and a reader for each.

========  =====================================================================
corpus    lines ``domain label id.txt tokens...``, already cut into tokens
tsv, csv  a header line, then records; fields may be quoted and hold line ends
jsonl     one object per line, ``{"text": ..., "label": ...}``
fasttext  lines ``__label__x text``
folder    one folder per label, with one file per text in it or in its inner folders
========  =====================================================================

Files are read line by line. A line, a record of several lines and a file in a folder have a size limit.
"""

import codecs
import csv
import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from operator import attrgetter
from textwrap import shorten
from typing import Any

from ...common.csv_quoting import unquoted
from ...common.errors import USAGE, AppError, FormatError
from ...common.folder_walk import walk_folder
from ...common.input_streams import DamagedGzip, open_binary
from ...common.printing import many
from .text_lines import NO_KEY, NO_LABEL, Lines, is_decoded, too_long
from .text_source import OTHER_NAMES, Record, Records, TextSource, repeated

FORMATS = ("corpus", "tsv", "csv", "jsonl", "fasttext", "folder")
SEPARATORS = {"tsv": "\t", "csv": ",;|\t"}  # of fields; the first one unless the header has another
QUOTED_LINES = 10_000  # following lines in which a closing quote is sought
MOST_COLUMNS = 10_000
BLANKS = " \t\n\r\v\f\0"  # that end a word in fastText's dictionary.cc; a no-break space does not
_FASTTEXT_LABEL = re.compile(rf"(?:(?<=[{BLANKS}])|^)__label__([^{BLANKS}]*)")
CHARACTERS_AT_ONCE = 1 << 18  # of the files in a folder
SNIFFED_LINES = 20
SNIFFED_CHARACTERS = 100_000  # of each

csv.field_size_limit(2**31 - 1)  # a text may be long


def read_records(lines: Lines, format: str, source: TextSource) -> Records:
    """Read the records of a file from its lines, in the given format."""
    if format in _LINES:
        columns, parse = _LINES[format]
        if format == "jsonl":
            lines.give_back([first := next(lines)])
            if isinstance(record := parse(first[1], source)[-1], dict):
                _found_names(record, source, f"{source.name}, line {first[0]}")
        blocks = (
            [Record(n, *parse(line, source)) for n, line in enumerate(arrived, first) if line.strip()]
            for first, arrived in lines.arriving()
        )
        return Records(format, columns, blocks)
    return read_table(lines, format, source)


# Detection of the format


def format_of_path(source: TextSource) -> str:
    """Return the format that is known before the file is opened, or an empty string."""
    if source.is_folder and source.format in (None, "folder"):
        return "folder"
    if source.is_folder or source.format == "folder":
        told = f"--format {source.format} cannot read a {'folder' if source.is_folder else 'file'}"
        raise FormatError(f"{source.name}: {told}; leave out --format", USAGE)
    return source.format or ""


def head_of_lines(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Take the first lines, from which the format is detected; fewer if they are long."""
    head, room = [], SNIFFED_LINES * SNIFFED_CHARACTERS
    for item in islice(lines, SNIFFED_LINES):
        head.append(item)
        room -= len(item[1])
        if room < 0:
            break
    return head


def sample_of_lines(head: list[tuple[int, str]]) -> list[str]:
    """Return the beginnings of the lines that are not empty."""
    return [line[:SNIFFED_CHARACTERS].replace("\r", " ") for _, line in head if line.strip()]


def check_is_text(sample: list[str], source: TextSource) -> None:
    """Refuse a binary file, such as a picture or a spreadsheet, and JSON of many lines."""
    if sample and re.match(r"\s*(\[\s*(\{|$)|\{\s*$)", sample[0]):
        told = f"cannot tell its format from the first line, {sample[0][:40]!r}"
        raise FormatError(f"{source.name}: {told}; write JSON as one object per line")
    if any("\0" in line and not is_decoded(line) for line in sample):
        told = "is not text in UTF-8; give CSV, TSV, JSON lines or plain text, or its --encoding"
        raise FormatError(f"{source.name}: {told}")


def format_of_lines(sample: list[str]) -> str:
    """Return the format of most of the lines, or an empty string if no format matches."""
    for name, pattern in (
        ("fasttext", rf"[{BLANKS}]*__label__|(?:.*[{BLANKS}])?__label__[^{BLANKS}]*[{BLANKS}]*$"),
        ("jsonl", r"\s*\{"),
        ("corpus", r"\S+\s+\S+\s+\S+\.txt\s"),
    ):
        if 2 * sum(map(bool, map(re.compile(pattern).match, sample))) > len(sample):
            return name
    return ""


def format_of_labelled(head: list[tuple[int, str]], source: TextSource) -> str:
    """Detect the format of labelled texts from the first lines.

    Raises
    ------
    AppError
        If no format matches.
    """
    sample = sample_of_lines(head)
    check_is_text(sample, source)
    if found := format_of_lines(sample):
        return found
    wanted = {source.text_column, source.label_column}
    for name, separators in SEPARATORS.items():
        for columns in (header_of(sample[0], separator) for separator in separators):
            if (len(columns) > 1 and any(map(source.named, [columns] * 2, wanted))) or is_header(columns):
                return name
    start = sample[0][:80] + ("..." if len(sample[0]) > 80 else "")
    told = f"{source.name}: cannot tell its format from the first line, {start!r}"
    raise FormatError(f"{told}; name its columns with --text-col and --label-col, or give --format")


# For each format with one record per line, a parser returns label, text, problem and fields. A missing label,
# a missing text, and no problem are empty strings.


def _parse_corpus(line: str, source: TextSource) -> tuple:
    domain, label, name, text = [*line.split(None, 3), "", "", "", ""][:4]
    if label.endswith(".txt"):  # the label is missing, and the file's name in its place
        domain, label, name, text = [domain, "", *line.split(None, 2)[1:], "", ""][:4]
    return label, text, _missing(label, source), [domain, label, name, text]


def _parse_fasttext(line: str, source: TextSource) -> tuple:
    there = _FASTTEXT_LABEL.findall(line)
    labels, text = tuple(filter(None, there)), _FASTTEXT_LABEL.sub("", line).strip(BLANKS)
    label = labels if len(labels) > 1 else "".join(labels)
    return label, text, _missing(there, source), [" ".join(labels), text]


def _parse_json(line: str, source: TextSource) -> tuple:
    try:
        record = json.loads(line, object_pairs_hook=_object_of_pairs, parse_float=_float_or_text)
    except (ValueError, RecursionError) as error:
        return "", "", f"not JSON ({error})"
    if not isinstance(record, dict):
        return "", "", "not a JSON object"
    label_key, text_key = (source.named(record, name) for name in (source.label_column, source.text_column))
    for column, key in ((source.label_column, label_key), (source.text_column, text_key)):
        if column is not None and key is None:
            return "", "", f"{NO_KEY} {column!r} among {shorten(', '.join(record), 80)}", record
    text = record[text_key]
    if text is None or (isinstance(text, float) and math.isnan(text)):  # pandas writes a missing one as NaN
        text = ""
    if not isinstance(text, str):
        return "", "", f"{text_key!r} is not a string", record
    if source.label_column is None:
        return "", text, "", record
    if not is_decoded(text) and is_decoded(line):  # half of a surrogate pair, which `predict` replaces too
        text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    label = record[label_key]
    if label is None or (isinstance(label, float) and not math.isfinite(label)):
        return "", text, _missing("", source), record
    fields = label if isinstance(label, list) else [label]
    labels = [json.dumps(each) if isinstance(each, int | float) else each for each in fields]
    if not all(isinstance(each, str) for each in labels):
        return "", "", f"{label_key!r} is not a string, a number or a list of these", record
    labels = [each.strip() for each in labels]
    return tuple(filter(None, labels)) if isinstance(label, list) else labels[0], text, "", record


def _missing(label: object, source: TextSource) -> str:
    """Return what is wrong with a record that has no label, if it should have one."""
    return "" if label or source.label_column is None else NO_LABEL


def _object_of_pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(record := dict(pairs)) < len(pairs):
        raise ValueError(f"the key {repeated([key for key, _ in pairs])!r} occurs twice")
    return record


def _float_or_text(number: str) -> float | str:
    """Return a number, or its text if it would be infinite as a float, since JSON has no infinity."""
    return value if math.isfinite(value := float(number)) else number


_LINES: dict[str, tuple[list[str] | None, Callable[[str, TextSource], tuple]]] = {
    "corpus": (["domain", "label", "id", "text"], _parse_corpus),
    "fasttext": (["label", "text"], _parse_fasttext),
    "jsonl": (None, _parse_json),
}


def read_folder(source: TextSource) -> Records:
    """Read the files below the folders of the labels; without labels, also the files beside the folders."""
    blocks = ([record] for record in _folder_records(source))
    return Records("folder", ["file"], joined_blocks(blocks, CHARACTERS_AT_ONCE))


def joined_blocks(
    blocks: Iterable[list], size: int, text_of: Callable[[Any], str] = attrgetter("text")
) -> Iterator[list]:
    """Join lists of records, or of other items with a text, until a list has `size` characters of text."""
    whole, room = [], size
    for block in blocks:
        whole += block
        room -= sum(map(len, map(text_of, block)))
        if room <= 0:
            yield whole
            whole, room = [], size
    if whole:
        yield whole


def _folder_records(source: TextSource) -> Iterator[Record]:
    left_out, files = [], [*walk_folder(source.path)]
    if source.label_column is not None:
        _warn_of_shared_folders([name for _, name in files], source)
    for path, name in files:
        label, is_inner, _ = name.partition("/")
        if os.path.isfile(path) and (is_inner or source.label_column is None):
            yield _file_record(path, name, label, source)
        else:
            left_out.append(name)
    if left_out:
        why = "in no label's folder or not regular"
        source.note(f"{source.name}: {many(len(left_out), 'file')} left out, {why}, such as {left_out[0]}")


def _warn_of_shared_folders(names: Iterable[str], source: TextSource) -> None:
    """Warn if folders of labels have the same folders, such as a training and a test set."""
    inner = {tuple(parts[:2]) for parts in (name.split("/") for name in names) if len(parts) > 2}
    shared = sorted(name for name, n in Counter(name for _, name in inner).items() if n > 1)
    if len(shared) > 1:
        told = f"the folders of labels have the same folders: {', '.join(shared[:5])}"
        source.note(f"warning: {source.name}: {told}; if these are the labels, give one of the outer folders")


def _file_record(file: str, where: str, label: str, source: TextSource) -> Record:
    try:
        with open_binary(file, encoding=source.encoding) as stream:
            content = stream.read(source.max_line + 1)
    except DamagedGzip as error:
        return Record(where, problem=f"damaged gzip data ({error.__cause__})", row=[where])
    if len(content) > source.max_line:
        return Record(where, problem=too_long(source.max_line), row=[where])
    if source.label_column is not None and not is_decoded(label):
        return Record(where, problem="the name of its folder is not UTF-8; rename the folder", row=[where])
    text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    return Record(where, label, text, "", [where])


def _found_names(names: Iterable[str], source: TextSource, place: str) -> list[str | None]:
    """Return the columns of the texts and the labels; print a note on a name that is not the usual one."""
    wanted = {"--text-col": source.text_column, "--label-col": source.label_column}
    found = [source.named(names, name) for name in wanted.values()]
    for (option, name), there in zip(wanted.items(), found, strict=True):
        is_other = (there or "").casefold() in OTHER_NAMES.get(name or "", ())
        if is_other and there not in (f"{name}s", source.remembered.get(name)):
            source.note(f"{place}: {name}s are taken from {there!r}; {option} chooses another column")
    return found


Row = tuple[int, list[str], str]  # the number of its first line, its fields, and its unparsed lines


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
    """Read a header and its records; a record with too many or too few fields has a problem.

    The separator is one with which the text column is found, or else the one that gives more columns.
    """
    first = next(lines)
    lines.give_back([first])
    rows = {s: [column.strip() for column in header_of(first[1], s)] for s in SEPARATORS[format]}
    delimiter = max(rows, key=lambda s: (bool(source.named(rows[s], source.text_column)), len(rows[s])))
    header = [column.strip() for column in next(csv_rows(lines, delimiter, source.max_line))[1]]
    place = f"{source.name}, line {first[0]}"
    found = _found_names(header, source, place)
    wanted = {"--text-col": source.text_column, "--label-col": source.label_column}
    missing = [each for each, there in zip(wanted, found, strict=True) if wanted[each] and there is None]
    if missing:
        names, options = " nor ".join(repr(wanted[each]) for each in missing), " and ".join(missing)
        there = shorten(", ".join(header[:100])[:1000], 80, placeholder=" ...")
        raise AppError(f"{place}: no column {names} among {there}; choose one with {options}", USAGE)
    if twice := repeated(name for name in header if name in found):
        raise AppError(f"{place}: two columns are called {twice!r}; rename one of them", USAGE)
    text, label = (None if name is None else header.index(name) for name in found)
    n = len(header)

    def record(number: int, fields: list[str], raw: str) -> Record:
        if len(fields) == n:
            given = "" if label is None else unquoted(fields[label].strip())
            return Record(number, given, unquoted(fields[text]), "", fields, raw)
        if n == 1:  # a line is one text, with the commas in it
            return Record(number, "", unquoted(raw), "", [raw])
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
    """Yield the records of the lines that have arrived, read together if possible, which is much faster.

    Otherwise records are read one by one, twice as many each time, so that looking ahead costs little.
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
    """Read records up to a quote that no CSV writer makes; return them and their number of lines."""
    quoted = [line for line in lines if '"' in line]
    with suppress(csv.Error):
        parsed = list(csv.reader(quoted, delimiter=delimiter, strict=True))
        if len(parsed) == len(quoted):  # no field continues in the next line
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
        # A quote is special only at the beginning of a field.
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
                raw = "\n".join([line, *(more for _, more in ahead)])
            except csv.Error:
                lines.give_back(ahead)
        yield number, fields, raw
