"""Read and check texts from files: a whole corpus, a corpus in batches, or texts to label."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain, compress, dropwhile, repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from ...common.errors import USAGE, AppError, FormatError, Skipped
from ...common.input_streams import open_binary
from ...common.printing import note, shortened
from . import record_formats
from .label_fields import SEPARATORS, SEVERAL, LabelField, split_fields
from .text_lines import (
    NO_KEY,
    NO_LABEL,
    NOT_UTF8,
    TRY_ENCODING,
    Lines,
    arriving_texts,
    character_problem,
    mended_text,
)
from .text_source import TEXT_COLUMN, Record, Records, TextSource

if TYPE_CHECKING:
    from .text_labels import TextLabels

PLAIN = "text"
ANY_FORMAT = (PLAIN, *record_formats.FORMATS)
BATCH_BYTES = 1 << 18  # bytes that are read at once
MOST_LABELS = 1000  # of a model; more are hardly labels
BATCH_CHARACTERS = 1 << 25  # characters of texts that are worked on at a time
SHARD = 1 << 22  # characters of the texts that a cluster's worker is given at a time

# A number in [0, 1) drawn from the text, so that copies have the same number; the label; the text.
PlacedText = tuple[float, str, str]
Batches = Iterable[list[PlacedText]]


@dataclass
class Corpus:
    """Texts and their labels, the format of the file, and the records that were skipped.

    `places` has the line of each text, or its file in a folder; `groups` has the value of each text in a
    column, if `read_corpus` was given one. `separator` separates the labels of a text, if it has several.
    """

    skipped: Skipped
    format: str
    texts: list[str]
    labels: "TextLabels"
    places: list[int | str]
    groups: list[str] | None = None
    separator: str | None = ""

    @property
    def own_separator(self) -> dict[str, str]:
        """What a model of several labels per text remembers: a separator that occurs in no label."""
        if self.labels.exclusive:
            return {}
        free = (each for each in (*SEPARATORS, "\n") if not any(each in name for name in self.labels.names))
        return {"label_sep": self.separator or next(free, SEPARATORS[0])}

    @property
    def about_labels(self) -> list[str]:
        """What to tell the user about the labels, if texts have several."""
        if self.labels.exclusive:
            return []
        of_each = len(self.labels.codes) / len(self.labels)
        told = f"{len(self.labels.names):,} labels, {of_each:.2g} per text"
        if self.separator is None:
            return [f"texts have lists of labels; {told}"]
        advice = "--label-sep '' takes each field as one label"
        return [f"labels are separated by {self.separator!r}; {told}; {advice}"]


def read_corpus(
    source: TextSource, *, groups: str | None = None, most_labels: int | None = MOST_LABELS
) -> Corpus:
    """Read every labelled text; a record that cannot be used is skipped and counted.

    Parameters
    ----------
    source : TextSource
        The labelled texts.
    groups : str, optional
        The column whose value is kept for each record.
    most_labels : int or None
        Refuse a corpus of more labels; None takes any number.

    Returns
    -------
    Corpus

    Raises
    ------
    AppError
        If the format is unknown, a column is missing, no text has a label, or there are too many labels.
    """
    from .text_labels import TextLabels

    skipped, rows = Skipped(source.name), []
    source.skipped.append(skipped)
    with open_corpus(source, skipped) as found:
        format, columns = found.format, found.columns
        if groups is not None and columns is not None and groups not in columns:
            told = f"no column {groups!r} among {', '.join(columns[:20])}; choose one with --groups"
            raise AppError(f"{source.name}: {told}", USAGE)
        for record in usable_records(found, skipped):
            value = None
            if groups is not None:
                row = record.row if columns is None else dict(zip(columns, record.row, strict=True))
                value = row.get(groups)
            label = sys.intern(record.label) if isinstance(record.label, str) else record.label
            rows.append((record.where, label, record.text, "" if value is None else str(value)))
    if source.given is not None:
        skipped.hint = ""  # there was nothing to decode
    given, usual = source.label_separator, source.remembered.get("separator", "")
    fields, separator = split_fields([label for _, label, *_ in rows], given, usual)
    exclusive = separator == ""
    if exclusive:
        kept = [_is_one_label(row[0], label, skipped) for row, label in zip(rows, fields, strict=True)]
        fields, rows = [*compress(fields, kept)], [*compress(rows, kept)]
    if not rows:
        raise nothing_usable(skipped, format)
    places, _, texts, values = map(list, zip(*rows, strict=True))
    labels = TextLabels.of(fields, exclusive, texts)
    if most_labels is not None and len(labels.names) > most_labels:
        told = f"{len(labels.names):,} labels such as {shortened(str(labels.names[0]))!r}"
        most = f"a model has at most {most_labels:,}"
        raise AppError(f"{source.name}: {told}, and {most}; check --format and --label-col")
    return Corpus(skipped, format, texts, labels, places, None if groups is None else values, separator)


def nothing_usable(skipped: Skipped, format: str | None) -> AppError:
    """Return the error for a corpus without a usable text."""
    read_as = f", read as {format}" if format else ""
    advice = "try another --format"
    if any(kind.startswith(NO_KEY) for kind in skipped.kinds):
        advice = "name the columns with --text-col and --label-col"
    elif format == "folder":
        advice = "give a folder with one folder of texts per label"
    return FormatError(f"{skipped.source}: no labelled text{read_as}; {advice}{skipped.clause}")


@contextmanager
def open_corpus(source: TextSource, skipped: Skipped) -> Iterator[Records]:
    """Open a corpus, and yield its records. Overlong lines count as skipped.

    Raises
    ------
    AppError
        If the format is unknown, or the file is empty.
    """
    if source.given is not None:
        given = ((text, y.strip() if isinstance(y, str) else y) for text, y in source.given)
        blocks = ([Record(f"text {i}", y, text)] for i, (text, y) in enumerate(given, 1))
        yield Records("given", None, blocks)
        return
    format = record_formats.format_of_path(source)
    if format == "folder":
        yield record_formats.read_folder(source)
        return
    with open_binary(source.path, source.encoding) as stream:
        lines = Lines(stream, skipped, source.max_line)
        if head := record_formats.head_of_lines(dropwhile(lambda item: not item[1].strip(), lines)):
            lines.give_back(head)
            format = format or record_formats.format_of_labelled(head, source)
            yield record_formats.read_records(lines, format, source)
        elif skipped.count:
            yield Records(format, None, iter(()))
        else:
            raise AppError(f"{source.name}: the file is empty; give a file of labelled texts")


def usable_records(found: Records, skipped: Skipped) -> Iterator[Record]:
    """Yield the usable records, some perhaps with an empty label; skip and count the others."""
    for record in chain.from_iterable(found.blocks):
        _, label, text, problem, *_ = record
        missing = "no text" if not text or text.isspace() else ""
        odd = character_problem(text) or character_problem("".join(label))
        if problem := odd or problem or missing:
            skipped.add(record.where, problem)
            if problem == NOT_UTF8:
                skipped.hint = TRY_ENCODING
        else:
            yield record


@contextmanager
def labelled_batches(source: TextSource, seed: int) -> Iterator[tuple[str, Skipped, Batches]]:
    """Open a corpus; yield its format, its skipped records, and batches of its texts, each with one label."""
    skipped = Skipped(source.name)
    source.skipped.append(skipped)
    with open_corpus(source, skipped) as found:
        placed = _placed_texts(usable_records(found, skipped), skipped, str(seed).encode())
        yield found.format, skipped, in_pieces(placed, BATCH_CHARACTERS)


def _placed_texts(records: Iterable[Record], skipped: Skipped, key: bytes) -> Iterator[PlacedText]:
    """Yield the records that have one label."""
    for record in records:
        [label], _ = split_fields([record.label], "")
        if _is_one_label(record.where, label, skipped):
            digest = blake2b(record.text.encode(), digest_size=8, key=key).digest()
            yield (int.from_bytes(digest, "little") >> 11) / (1 << 53), label, record.text


def _is_one_label(where: int | str, label: LabelField, skipped: Skipped) -> bool:
    """Tell whether a record has one label; skip and count any other record."""
    if problem := NO_LABEL if not label else "" if isinstance(label, str) else SEVERAL:
        skipped.add(where, problem)
    return not problem


def in_pieces(texts: Iterable[PlacedText], size: int) -> Batches:
    """Return texts in pieces of at least `size` characters, without dividing a text."""
    return record_formats.joined_blocks(([placed] for placed in texts), size, itemgetter(2))


@contextmanager
def open_unlabelled(source: TextSource, skipped: Skipped) -> Iterator[Records]:
    """Open a file, a folder or stdin for reading texts; labels are not needed.

    Every record keeps its place. Bytes that are not UTF-8 and NUL characters are replaced. A record that
    cannot be read, or has no text, gets a problem. Both are counted in `skipped`. A line of more than
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
        told = f"{source.name}: no column {source.text_column!r} was found"
        raise FormatError(f"{told}; give the format of the file with --format csv|tsv|jsonl", USAGE)
    if format == "folder":
        yield _without_labels(record_formats.read_folder(source), skipped)
        return
    with open_binary(source.path, source.encoding) as stream:
        if format == PLAIN:
            if source.of_files and source.path != "-":
                note(f"{source.name}: each line is taken as a text; for one text per file, give its folder")
            yield Records(format, ["text"], _plain_blocks(stream, source, skipped))
            return
        lines = Lines(stream, skipped, source.max_line, BATCH_BYTES)
        if (first := next(dropwhile(lambda item: not item[1].strip(), lines), None)) is None:
            yield Records(format, [] if format in record_formats.SEPARATORS else None, iter(()))
            return
        lines.give_back([first])
        yield _without_labels(record_formats.read_records(lines, format, source), skipped)


def _plain_blocks(stream, source: TextSource, skipped: Skipped) -> Iterator[list[Record]]:
    number = 1
    for texts in arriving_texts(stream, skipped, source.max_line, BATCH_BYTES):
        places, rows = range(number, number + len(texts)), ([text] for text in texts)
        columns = places, repeat(""), texts, repeat(""), rows, repeat(None)
        yield list(map(Record._make, zip(*columns, strict=False)))  # four times as fast as one by one
        number += len(texts)


def _without_labels(found: Records, skipped: Skipped) -> Records:
    """Return records whose texts can be predicted; a record without a text has a problem."""
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
    if known := record_formats.format_of_path(source):
        return known
    if not os.path.isfile(source.path):  # a stream is not looked into: what arrives is answered at once
        return PLAIN
    ending = os.path.splitext(source.path.removesuffix(".gz"))[1].lower()[1:]
    if ending in (*record_formats.SEPARATORS, "jsonl"):
        return ending
    with open_binary(source.path, source.encoding) as stream:
        lines = Lines(stream, Skipped(source.name), source.max_line)
        sample = record_formats.sample_of_lines(record_formats.head_of_lines(lines))
    record_formats.check_is_text(sample, source)
    if not sample:
        return PLAIN
    return record_formats.format_of_lines(sample) or _format_of_unlabelled_table(sample, source)


def _format_of_unlabelled_table(sample: list[str], source: TextSource) -> str:
    """Return the format of a table whose header has the text column; otherwise plain text.

    Plain text may contain a comma and the name of the column. So the column names must be single words, and
    most of the following records must have the same number of fields.
    """
    for format, separators in record_formats.SEPARATORS.items():
        for separator in separators:
            first, *others = (record_formats.header_of(line, separator) for line in sample)
            alike = [len(other) == len(first) for other in others]
            is_found = source.named(first, source.text_column) and record_formats.is_header(first)
            if is_found and 2 * sum(alike) >= len(alike):
                return format
    return PLAIN
