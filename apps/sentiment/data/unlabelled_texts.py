"""Texts to label, in batches: from any format of labelled texts, or one text per line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import dropwhile
from typing import NamedTuple

from ...common.errors import USAGE, AppError, Skipped
from ...common.input_streams import open_binary
from . import record_formats
from .csv_tables import SEPARATORS, CsvTable, TableRows, header_of, is_header, open_csv_table
from .text_lines import Lines, arriving_texts, is_decoded, mended_text
from .text_source import TEXT_COLUMN, Record, TextSource

PLAIN = "text"
ANY_FORMAT = (PLAIN, *record_formats.FORMATS)
BATCH_BYTES = 1 << 18  # bytes that are read at once; of files in a folder, characters of a batch


class UnlabelledBatch(NamedTuple):
    """Some texts with their places and records.

    Attributes
    ----------
    texts : list of str
    places : list of int or str
        Lines, or files of a folder.
    rows : list of (list of str, or dict)
        The fields of the records.
    missing : list of int
        The indices of missing texts in this batch.
    raw : list of (str or None)
        The raw records of a table, if they have as many fields as columns.
    """

    texts: list[str]
    places: list[int | str]
    rows: list[list[str] | dict]
    missing: list[int]
    raw: list[str | None]


class UnlabelledTexts(NamedTuple):
    """Batches of texts as they arrive.

    `columns` are the names of the fields, None where each record has its own; `separator` stands between the
    fields of a table.
    """

    format: str
    columns: list[str] | None
    batches: Iterator[UnlabelledBatch]
    separator: str | None = None


@contextmanager
def open_unlabelled(source: TextSource, skipped: Skipped) -> Iterator[UnlabelledTexts]:
    """Open a file, a folder or stdin for reading texts; labels are not needed.

    Every record keeps its place. Bytes that are not UTF-8 and NUL characters are replaced; a record that
    cannot be read, or has no text, is `missing`; both are counted in `skipped`. A line of more than
    `source.max_line` bytes is left out, or truncated if it is plain text.

    Parameters
    ----------
    source : TextSource
        Its format may also be "text": one text per line.
    skipped : Skipped

    Yields
    ------
    UnlabelledTexts

    Raises
    ------
    AppError
        If there is no column of texts.
    """
    source = replace(source, label_column=None)
    format = _detected_format(source)
    if format == PLAIN and source.format is None and source.text_column != TEXT_COLUMN:
        raise AppError(
            f"{source.name}: has no column {source.text_column!r} that can be seen; "
            "say what it is with --format csv|tsv|jsonl",
            USAGE,
        )
    if format == "folder":
        columns, records = record_formats.read_folder(source)
        yield UnlabelledTexts(format, columns, _unlabelled_batches(records, skipped, None))
        return
    with open_binary(source.path, source.encoding) as stream:
        if format == PLAIN:
            yield UnlabelledTexts(format, ["text"], _plain_batches(stream, source, skipped))
            return
        lines = Lines(stream, skipped, source.max_line, BATCH_BYTES)
        if (first := next(dropwhile(lambda item: not item[1].strip(), lines), None)) is None:
            yield UnlabelledTexts(format, [] if format in SEPARATORS else None, iter(()))
            return
        lines.give_back([first])
        if format in SEPARATORS:
            table = open_csv_table(lines, source, SEPARATORS[format])
            yield UnlabelledTexts(format, table.columns, _batches_of_table(table, skipped), table.delimiter)
        else:
            columns, records = record_formats.read_records(lines, format, source)
            yield UnlabelledTexts(format, columns, _unlabelled_batches(records, skipped, lines))


def joined_batches(batches: Iterator[UnlabelledBatch], size: int) -> Iterator[UnlabelledBatch]:
    """Join batches, until one has `size` characters of text."""
    whole, room = UnlabelledBatch([], [], [], [], []), size
    for batch in batches:
        n = len(whole.texts)
        for old, new in zip(whole, batch._replace(missing=[n + i for i in batch.missing]), strict=True):
            old.extend(new)
        room -= sum(map(len, batch.texts))
        if room <= 0:
            yield whole
            whole, room = UnlabelledBatch([], [], [], [], []), size
    if whole.texts:
        yield whole


def _plain_batches(stream, source: TextSource, skipped: Skipped) -> Iterator[UnlabelledBatch]:
    n = 0
    for texts in arriving_texts(stream, skipped, limit=source.max_line, size=BATCH_BYTES):
        yield UnlabelledBatch(texts, range(n + 1, n + 1 + len(texts)), [[text] for text in texts], [], [])
        n += len(texts)


def _unlabelled_batches(
    records: Iterator[Record], skipped: Skipped, lines: Lines | None
) -> Iterator[UnlabelledBatch]:
    """Collect records while lines have arrived."""
    batch, room = UnlabelledBatch([], [], [], [], []), BATCH_BYTES
    for record in records:
        _add_record(batch, record, skipped)
        room -= len(record.text)
        if not lines.are_waiting if lines else room < 0:
            yield batch
            batch, room = UnlabelledBatch([], [], [], [], []), BATCH_BYTES
    if batch.texts:
        yield batch


def _add_record(batch: UnlabelledBatch, record: Record, skipped: Skipped) -> None:
    where, _, text, problem, row = record
    if problem or not text or text.isspace():
        skipped.add(where, problem or "no text")
        batch.missing.append(len(batch.texts))
        text = ""
    batch.texts.append(mended_text(where, text, skipped))
    batch.places.append(where)
    batch.rows.append({} if row is None else row)
    batch.raw.append(None)


def _batches_of_table(table: CsvTable, skipped: Skipped) -> Iterator[UnlabelledBatch]:
    """Collect the records of a table, many at once if possible.

    Where it is not, twice as many are read one by one each time, so that looking ahead costs little.
    """
    batch, one_by_one = UnlabelledBatch([], [], [], [], []), table.records()
    single, left = 1, 0
    for number, line in table.lines:
        table.lines.give_back([(number, line)])
        if not left:
            rows = table.waiting()
            _add_table_rows(batch, table, rows, skipped)
            single, left = (2 * single, single) if len(rows.numbers) < single else (1, 0)
        elif (record := next(one_by_one, None)) is not None:
            left -= 1
            _add_record(batch, record, skipped)
            if record.row == line.split(table.delimiter):  # its quotes mean nothing
                batch.raw[-1] = line
        if batch.texts and not table.lines.are_waiting:
            yield batch
            batch = UnlabelledBatch([], [], [], [], [])
    if batch.texts:
        yield batch


def _add_table_rows(batch: UnlabelledBatch, table: CsvTable, rows: TableRows, skipped: Skipped) -> None:
    numbers, fields, raw = rows
    if set(map(len, fields)) - {len(table.columns)}:
        for number, row, line in zip(numbers, fields, raw, strict=True):
            _add_record(batch, table.record(number, row), skipped)
            batch.raw[-1] = line if len(row) == len(table.columns) else None
        return
    texts = [row[table.text] for row in fields]
    for i, text in enumerate(texts) if "" in texts or any(map(str.isspace, texts)) else ():
        if not text or text.isspace():
            skipped.add(numbers[i], "no text")
            batch.missing.append(len(batch.texts) + i)
            texts[i] = ""
    whole = "".join(texts)
    if "\0" in whole or not is_decoded(whole):
        texts = [mended_text(number, text, skipped) for number, text in zip(numbers, texts, strict=True)]
    for old, new in zip(batch, (texts, numbers, fields, (), raw), strict=True):
        old.extend(new)


# Detection of the format


def _detected_format(source: TextSource) -> str:
    """Return the given format, or detect it from the name or the first lines; otherwise plain text."""
    if source.format == PLAIN:
        if source.is_folder:
            raise AppError(f"{source.name}: is a folder, which --format {PLAIN} cannot read", USAGE)
        return PLAIN
    if known := record_formats.format_of_path(source):
        return known
    if not os.path.isfile(source.path):  # a stream is not looked into: what arrives is answered at once
        return PLAIN
    ending = os.path.splitext(source.path.removesuffix(".gz"))[1].lower()[1:]
    if ending in (*SEPARATORS, "jsonl"):
        return ending
    with open_binary(source.path, source.encoding) as stream:
        sample = record_formats.sample_of_lines(
            record_formats.head_of_lines(Lines(stream, Skipped(source.name), source.max_line))
        )
    record_formats.check_is_text(sample, source)
    if not sample:
        return PLAIN
    return record_formats.format_of_lines(sample) or _format_of_unlabelled_table(sample, source)


def _format_of_unlabelled_table(sample: list[str], source: TextSource) -> str:
    """Return the format of a table whose header has the text column; otherwise plain text.

    Plain text may contain a comma and the name of the column. So the column names must be single words, and
    most of the following records must have the same number of fields.
    """
    for format, separator in ((f, separator) for f, several in SEPARATORS.items() for separator in several):
        columns = header_of(sample[0], separator)
        if source.named(columns, source.text_column) and is_header(columns):
            alike = [len(header_of(line, separator)) == len(columns) for line in sample[1:]]
            if 2 * sum(alike) >= len(alike):
                return format
    return PLAIN
