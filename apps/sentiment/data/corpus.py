"""Labelled texts from files.

A corpus is one of these, told apart by its first lines; each may be gzipped:

========  =====================================================================
corpus    lines ``domain label id.txt tokens...``, already cut into tokens
tsv, csv  a header line, then records; fields may be quoted and hold line ends
jsonl     one object a line, ``{"text": ..., "label": ...}``
fasttext  lines ``__label__x text``
folder    one folder per class, one file per text
========  =====================================================================

Everything is read line by line, so that the memory holds each text once. A line, a record of several lines
and a file in a folder have a limit: what has no end is not waited for.
"""

import codecs
import csv
import json
import math
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, dropwhile, islice
from pathlib import Path
from textwrap import shorten
from typing import NamedTuple

from ...common.errors import USAGE, AppError, Skipped
from .lines import MAX_EXPANSION, MAX_LINE, NOT_UTF8, NUL, DamagedGzip, decoded_lines, open_binary, too_long

FORMATS = ("corpus", "tsv", "csv", "jsonl", "fasttext", "folder")
SNIFFED_LINES = 20
SNIFFED_CHARACTERS = 100_000  # of each
QUOTED_LINES = 10_000  # how far ahead a closing quote is looked for
MOST_COLUMNS = 10_000
MOST_LABELS = 1000  # that a model is asked to tell apart; more are hardly labels

csv.field_size_limit(2**31 - 1)  # a text may be long

Lines = Iterable[tuple[int, str]]


@dataclass(frozen=True)
class Source:
    """Where labelled texts come from and how to read them; `format` None means: look and see.

    A line or file of more than `max_line` bytes is skipped; gzipped data may unpack to `max_expansion` times
    its size.
    """

    path: str
    format: str | None = None
    text_column: str = "text"
    label_column: str = "label"
    max_line: int = MAX_LINE
    max_expansion: int = MAX_EXPANSION

    @property
    def name(self) -> str:
        """The path as messages show it."""
        return "<stdin>" if self.path == "-" else self.path

    @property
    def stem(self) -> str:
        """The name without its folder and endings."""
        if self.path == "-":
            return "model"
        return Path(Path(self.path).resolve().name.removesuffix(".gz")).stem


@dataclass(frozen=True)
class Given(Source):
    """Labelled texts that are in memory already."""

    path: str = field(default="the texts given", init=False)
    texts: Sequence[str] = ()
    labels: Sequence[str] = ()


@dataclass
class Corpus:
    """Texts, the label of each, the format they came in, and what was left out.

    `places` are the line of each text, or its file in a folder, where `read_corpus` was asked for them.
    """

    skipped: Skipped
    format: str
    texts: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    places: list[int | str] | None = None

    @property
    def label_counts(self) -> dict[str, int]:
        """How many texts have each label, in the order of labels."""
        return dict(sorted(Counter(self.labels).items()))

    @property
    def tokens(self) -> str:
        """How its texts are cut unless something else is asked for."""
        return "split" if self.format == "corpus" else "words"


class _Record(NamedTuple):
    where: int | str
    label: str = ""
    text: str = ""
    problem: str = ""


def read_corpus(source: Source, *, places: bool = False, most_labels: int | None = MOST_LABELS) -> Corpus:
    """Read every labelled text; a record that cannot be used is skipped and counted.

    Parameters
    ----------
    source : Source
        The labelled texts.
    places : bool
        Keep where each text stands.
    most_labels : int or None
        Refuse a corpus of more labels; None takes any number.

    Returns
    -------
    Corpus

    Raises
    ------
    AppError
        When nothing can be read: an unknown format, a missing column, no labelled text at all. When there are
        too many labels.
    """
    format = "given" if isinstance(source, Given) else _format_of_path(source)
    corpus = Corpus(Skipped(source.name), format, places=[] if places else None)
    if isinstance(source, Given):
        records = enumerate(zip(source.texts, source.labels, strict=True), 1)
        _collect((_Record(f"text {i}", label.strip(), text) for i, (text, label) in records), corpus)
    elif corpus.format == "folder":
        _collect(_folder_records(source), corpus)
    else:
        with open_binary(source.path, source.max_expansion) as stream:
            lines = decoded_lines(stream, corpus.skipped, source.max_line)
            lines = dropwhile(lambda item: not item[1].strip(), lines)
            if head := _head(lines):
                corpus.format = corpus.format or _sniff(head, source)
                _collect(_READERS[corpus.format](chain(head, lines), source), corpus)
            elif not corpus.skipped.count:
                raise AppError(f"{source.name}: the file is empty; give a file of labelled texts")
    if not corpus.texts:
        found = corpus.skipped.named[0] if corpus.skipped.named else "nothing in it"
        read_as = f", read as {corpus.format}" if corpus.format else ""
        raise AppError(f"{source.name}: no labelled text{read_as} ({found}); try another --format")
    n_labels = len(set(corpus.labels))
    if most_labels is not None and n_labels > most_labels:
        raise AppError(
            f"{source.name}: {n_labels:,} labels such as {corpus.labels[0]!r}, where {most_labels:,} are the "
            "most that can be told apart; is the format right (--format), and the column (--label-col)?"
        )
    return corpus


def _collect(records: Iterable[_Record], corpus: Corpus) -> None:
    for where, label, text, problem in records:
        if not (_is_text(text) and _is_text(label)):
            problem = NOT_UTF8
        elif "\0" in text or "\0" in label:
            problem = NUL
        elif not problem and not label:
            problem = "no label"
        elif not problem and (not text or text.isspace()):
            problem = "no text"
        if problem:
            corpus.skipped.add(where, problem)
        else:
            corpus.labels.append(sys.intern(label))
            corpus.texts.append(text)
            if corpus.places is not None:
                corpus.places.append(where)


def _is_text(decoded: str) -> bool:
    """Tell whether all bytes were UTF-8: errors="surrogateescape" turns others into lone surrogates."""
    if decoded.isascii():
        return True
    try:
        decoded.encode()  # faster than to search
    except UnicodeEncodeError:
        return False
    return True


# Telling the formats apart


def _format_of_path(source: Source) -> str:
    is_folder = source.path != "-" and Path(source.path).is_dir()
    if is_folder and source.format in (None, "folder"):
        return "folder"
    if is_folder or source.format == "folder":
        kind = "a folder" if is_folder else "not a folder"
        raise AppError(f"{source.name}: is {kind}, which --format {source.format} cannot read", USAGE)
    return source.format or ""


def _head(lines: Lines) -> list[tuple[int, str]]:
    """Take the first lines, as far as they may tell the format; fewer where they are long."""
    head, room = [], SNIFFED_LINES * SNIFFED_CHARACTERS
    for item in islice(lines, SNIFFED_LINES):
        head.append(item)
        room -= len(item[1])
        if room < 0:
            break
    return head


def _sniff(head: list[tuple[int, str]], source: Source) -> str:
    sample = [line[:SNIFFED_CHARACTERS].replace("\r", " ") for _, line in head if line.strip()]
    for name, pattern in (
        ("fasttext", r"__label__"),
        ("jsonl", r"\s*\{"),
        ("corpus", r"\S+\s+\S+\s+\S+\.txt\s"),
    ):
        if 2 * sum(map(bool, map(re.compile(pattern).match, sample))) > len(sample):
            return name
    wanted = {source.text_column, source.label_column}
    for name, delimiter in _DELIMITERS.items():
        columns = next(csv.reader([sample[0]], delimiter=delimiter))
        # A header: it names a column we want, or at least it is made of single words, which prose is not.
        if len(columns) > 1 and (wanted & set(columns) or not any(re.search(r"\s|^$", c) for c in columns)):
            return name
    start = sample[0][:40] + ("..." if len(sample[0]) > 40 else "")
    raise AppError(
        f"{source.name}: cannot tell its format from the first line, {start!r}; "
        f"name it with --format {'|'.join(FORMATS[:-1])}"
    )


# One reader for each format. A parser turns a line into label and text, each empty where it is missing, and a
# problem where there is one.


def _line_reader(parse: Callable[[str, Source], tuple[str, ...]]):
    def read(lines: Lines, source: Source) -> Iterator[_Record]:
        return (_Record(number, *parse(line, source)) for number, line in lines if line.strip())

    return read


def _parse_corpus(line: str, source: Source) -> tuple[str, ...]:
    _, label, _, text = [*line.split(None, 3), "", "", "", ""][:4]
    # Where the label is missing, the file's name is in its place.
    return ("" if label.endswith(".txt") else label), text


def _parse_fasttext(line: str, source: Source) -> tuple[str, ...]:
    label, _, text = line.strip().partition(" ")
    if not label.startswith("__label__"):
        return "", ""
    if text.startswith("__label__"):
        return "", "", "several labels, where one is expected"
    return label.removeprefix("__label__"), text


def _parse_json(line: str, source: Source) -> tuple[str, ...]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return "", "", f"not JSON ({error})"
    if not isinstance(record, dict):
        return "", "", "not a JSON object"
    for column in (source.label_column, source.text_column):
        if column not in record:
            return "", "", f"no key {column!r} among {shorten(', '.join(record), 80)}"
    label, text = record[source.label_column], record[source.text_column]
    if not isinstance(text, str):
        return "", "", f"{source.text_column!r} is not a string"
    if isinstance(label, float) and not math.isfinite(label):  # pandas writes a missing one as NaN
        return "", text
    if isinstance(label, int | float):
        label = json.dumps(label)
    elif not isinstance(label, str):
        return "", "", f"{source.label_column!r} is neither a string nor a number"
    return label.strip(), text


def _table_reader(delimiter: str):
    def read(lines: Lines, source: Source) -> Iterator[_Record]:
        rows = _rows(lines, delimiter, source.max_line)
        header = [column.strip() for column in next(rows)[1]]
        for option, column in (("--text-col", source.text_column), ("--label-col", source.label_column)):
            if column not in header:
                there = shorten(", ".join(header[:100])[:1000], 80, placeholder=" ...")
                raise AppError(
                    f"{source.name}: no column {column!r} among {there}; choose with {option}", USAGE
                )
        label, text = header.index(source.label_column), header.index(source.text_column)
        for number, fields in rows:
            if len(fields) == len(header):
                yield _Record(number, fields[label].strip(), fields[text])
            elif len(fields) > MOST_COLUMNS:
                yield _Record(number, problem=f"more than {MOST_COLUMNS:,} fields")
            else:
                yield _Record(number, problem=f"{len(fields)} fields, where the header has {len(header)}")

    return read


def _rows(lines: Lines, delimiter: str, limit: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each record, with the number of its first line.

    Where the quotes of a record are not those of a CSV writer they are plain characters: a text may begin
    with a word in quotes, or with a quote nobody closes, and must not swallow the lines behind it. Neither
    does a record that is longer than `limit` characters, or in which a line was left out.
    """
    lines = iter(lines)
    returned: deque[tuple[int, str]] = deque()

    def next_line():
        return returned.popleft() if returned else next(lines, None)

    for number, line in iter(next_line, None):
        if not line.strip():
            continue
        fields = line.split(delimiter, MOST_COLUMNS)
        # A quote means something only where a field begins with it.
        if '"' in line and len(fields) <= MOST_COLUMNS and any(field[:1] == '"' for field in fields):
            ahead: list[tuple[int, str]] = []

            def record(number=number, line=line, ahead=ahead):
                yield f"{line}\n"
                room = limit - len(line)
                for item in islice(iter(next_line, None), QUOTED_LINES):
                    ahead.append(item)
                    room -= len(item[1])
                    if room < 0 or item[0] != number + len(ahead):
                        return
                    yield f"{item[1]}\n"

            try:
                fields = next(csv.reader(record(), delimiter=delimiter, strict=True))
            except csv.Error:
                returned.extendleft(reversed(ahead))
        yield number, fields


def _folder_records(source: Source) -> Iterator[_Record]:
    for folder in _visible(Path(source.path)):
        if folder.is_dir():
            for file in filter(Path.is_file, _visible(folder)):
                where = f"{folder.name}/{file.name}"
                try:
                    with open_binary(str(file)) as stream:
                        content = stream.read(source.max_line + 1)
                except DamagedGzip as error:
                    yield _Record(where, problem=f"damaged gzip data ({error.__cause__})")
                    continue
                if len(content) > source.max_line:
                    yield _Record(where, problem=too_long(source.max_line))
                else:
                    text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
                    yield _Record(where, folder.name, text)


def _visible(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


_DELIMITERS = {"tsv": "\t", "csv": ","}

_READERS = {
    "corpus": _line_reader(_parse_corpus),
    "fasttext": _line_reader(_parse_fasttext),
    "jsonl": _line_reader(_parse_json),
    **{name: _table_reader(delimiter) for name, delimiter in _DELIMITERS.items()},
}
