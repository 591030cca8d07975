"""Labelled texts from files, checked. Memory holds each text once."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, dropwhile

from ...common.errors import USAGE, AppError, Skipped
from ...common.input_streams import open_binary
from ...common.printing import shortened
from .record_formats import format_of_labelled, format_of_path, head_of_lines, read_folder, read_records
from .text_lines import NO_KEY, NOT_UTF8, NUL, TRY_ENCODING, Lines, is_decoded, undecoded_problem
from .text_source import Record, Records, TextSource

MOST_LABELS = 1000  # of a model; more are hardly labels


@dataclass
class Corpus:
    """Texts and their labels, the format of the file, and the records that were skipped.

    `places` are the line of each text, or its file in a folder, and `groups` its value in a column, if
    `read_corpus` was asked for that.
    """

    skipped: Skipped
    format: str = ""
    texts: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    places: list[int | str] = field(default_factory=list)
    groups: list[str] | None = None

    @property
    def label_counts(self) -> dict[str, int]:
        """The number of texts with each label, in the order of labels."""
        return dict(sorted(Counter(self.labels).items()))


def read_corpus(
    source: TextSource, *, groups: str | None = None, most_labels: int | None = MOST_LABELS
) -> Corpus:
    """Read every labelled text; a record that cannot be used is skipped and counted.

    Parameters
    ----------
    source : TextSource
        The labelled texts.
    groups : str, optional
        Keep the value of each record in the column of that name.
    most_labels : int or None
        Refuse a corpus of more labels; None takes any number.

    Returns
    -------
    Corpus

    Raises
    ------
    AppError
        If nothing can be read: an unknown format, a missing column, or no labelled text; or if there are too
        many labels.
    """
    corpus = Corpus(Skipped(source.name), groups=None if groups is None else [])
    with open_corpus(source, corpus.skipped) as found:
        corpus.format, columns = found.format, found.columns
        if groups is not None and columns is not None and groups not in columns:
            raise AppError(f"{source.name}: no column {groups!r} among {', '.join(columns[:20])}", USAGE)
        column = groups if groups is None or columns is None else columns.index(groups)
        for record in usable_records(found, corpus.skipped):
            corpus.labels.append(sys.intern(record.label))
            corpus.texts.append(record.text)
            corpus.places.append(record.where)
            if corpus.groups is not None:
                corpus.groups.append(_group_value(record.row, column))
    if source.given is not None:
        corpus.skipped.hint = ""  # there was nothing to decode
    if not corpus.texts:
        raise nothing_usable(corpus.skipped, corpus.format)
    n_labels = len(set(corpus.labels))
    if most_labels is not None and n_labels > most_labels:
        raise AppError(
            f"{source.name}: {n_labels:,} labels such as {shortened(corpus.labels[0])!r}, and a model has "
            f"at most {most_labels:,}; check --format and --label-col"
        )
    return corpus


def nothing_usable(skipped: Skipped, format: str | None) -> AppError:
    """Return the error for a corpus without a usable text, with the first problem."""
    found = skipped.named[0] if skipped.named else "nothing in it"
    read_as = f", read as {format}" if format else ""
    advice = "try another --format"
    if any(kind.startswith(NO_KEY) for kind in skipped.kinds):
        advice = "choose with --text-col and --label-col"
    elif skipped.kinds[NOT_UTF8]:
        advice = "give their encoding, for example --encoding cp1252"
    elif format == "folder":
        advice = "give a folder with a folder of texts for each label"
    return AppError(f"{skipped.source}: no labelled text{read_as} ({found}); {advice}")


@contextmanager
def open_corpus(source: TextSource, skipped: Skipped) -> Iterator[Records]:
    """Open a corpus: yield its records. Overlong lines count as skipped.

    Raises
    ------
    AppError
        When the format is not known, or the file is empty.
    """
    if source.given is not None:
        records = (Record(f"text {i}", y.strip(), text) for i, (text, y) in enumerate(source.given, 1))
        yield Records("given", None, ([record] for record in records))
        return
    format = format_of_path(source)
    if format == "folder":
        yield read_folder(source)
        return
    with open_binary(source.path, source.encoding) as stream:
        lines = Lines(stream, skipped, source.max_line)
        if head := head_of_lines(dropwhile(lambda item: not item[1].strip(), lines)):
            lines.give_back(head)
            format = format or format_of_labelled(head, source)
            yield read_records(lines, format, source)
        elif skipped.count:
            yield Records(format, None, iter(()))
        else:
            raise AppError(f"{source.name}: the file is empty; give a file of labelled texts")


def usable_records(found: Records, skipped: Skipped) -> Iterator[Record]:
    """Yield the usable records; the others are skipped and counted."""
    for record in chain.from_iterable(found.blocks):
        problem = _record_problem(record)
        if problem:
            skipped.add(record.where, problem)
            if problem == NOT_UTF8:
                skipped.hint = TRY_ENCODING
        else:
            yield record


def _record_problem(record: Record) -> str:
    """Return the problem of a labelled text, or an empty string."""
    _, label, text, problem, *_ = record
    if not (is_decoded(text) and is_decoded(label)):
        return undecoded_problem(text + label)
    if "\0" in text or "\0" in label:
        return NUL
    if problem:
        return problem
    if not label:
        return "no label"
    return "no text" if not text or text.isspace() else ""


def _group_value(row: list[str] | dict | None, column: int | str) -> str:
    """Return the value of a record in a column, as text."""
    value = row.get(column) if isinstance(row, dict) else row[column]
    return "" if value is None else str(value)
