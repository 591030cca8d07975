"""Texts to label, in batches: from any format of labelled texts, or one text per line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import dropwhile

from ...common.errors import USAGE, AppError, Skipped
from ...common.input_streams import open_binary
from . import record_formats
from .csv_tables import SEPARATORS, header_of, is_header
from .text_lines import Lines, arriving_texts, mended_text
from .text_source import TEXT_COLUMN, Record, Records, TextSource

PLAIN = "text"
ANY_FORMAT = (PLAIN, *record_formats.FORMATS)
BATCH_BYTES = 1 << 18  # bytes that are read at once


@contextmanager
def open_unlabelled(source: TextSource, skipped: Skipped) -> Iterator[Records]:
    """Open a file, a folder or stdin for reading texts; labels are not needed.

    Every record keeps its place. Bytes that are not UTF-8 and NUL characters are replaced; a record that
    cannot be read, or has no text, has a problem; both are counted in `skipped`. A line of more than
    `source.max_line` bytes is left out, or truncated if it is plain text.

    Parameters
    ----------
    source : TextSource
        Its format may also be "text": one text per line.
    skipped : Skipped

    Yields
    ------
    Records

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
        yield _without_labels(record_formats.read_folder(source), skipped)
        return
    with open_binary(source.path, source.encoding) as stream:
        if format == PLAIN:
            yield Records(format, ["text"], _plain_blocks(stream, source, skipped))
            return
        lines = Lines(stream, skipped, source.max_line, BATCH_BYTES)
        if (first := next(dropwhile(lambda item: not item[1].strip(), lines), None)) is None:
            yield Records(format, [] if format in SEPARATORS else None, iter(()))
            return
        lines.give_back([first])
        yield _without_labels(record_formats.read_records(lines, format, source), skipped)


def _plain_blocks(stream, source: TextSource, skipped: Skipped) -> Iterator[list[Record]]:
    number = 1
    for texts in arriving_texts(stream, skipped, limit=source.max_line, size=BATCH_BYTES):
        yield [Record(n, text=text, row=[text]) for n, text in enumerate(texts, number)]
        number += len(texts)


def _without_labels(found: Records, skipped: Skipped) -> Records:
    """Return records whose texts can be predicted; one without a text has a problem."""
    return found._replace(blocks=([_mended(record, skipped) for record in block] for block in found.blocks))


def _mended(record: Record, skipped: Skipped) -> Record:
    where, _, text, problem, row, _ = record
    if problem or not text or text.isspace():
        skipped.add(where, problem or "no text")
        return record._replace(text="", problem=problem or "no text", row={} if row is None else row)
    mended = mended_text(where, text, skipped)
    return record if mended is text else record._replace(text=mended)


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
