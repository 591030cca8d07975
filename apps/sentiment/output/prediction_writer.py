"""The output of `predict`: for each text a line, a table row or an object, with the fields of the input."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from ...common.csv_quoting import quoted, table_writer, unquoted
from ...common.errors import AppError
from ...common.printing import on_screen, printable
from ..data.corpus import PLAIN
from ..data.record_formats import SEPARATORS
from ..data.text_source import Record, Records
from ..measures.prediction import Predictions

FORMS = ("csv", "tsv", "jsonl")  # of files, told by their endings
UNSURE = "unsure"
_NEEDS_QUOTES = re.compile(r'(?:^|\t)"|[\r\n]')  # in a line with tabs; a quote inside a field needs none

# For each rank, such as the best: the label that each text has there, its score and its probability.
Places = tuple[list[list[str]], list[list[float]], list[list[float]] | None]


class PredictionWriter:
    """Write predictions as they arrive; the first file determines the form of all.

    Parameters
    ----------
    file : binary file
    form : {"csv", "tsv", "jsonl", "objects"} or None
        By default the form of the input: lines for plain text, otherwise a table or objects. A line has the
        label, a tab and the score or, with `proba`, the probability. A table has the columns of the input,
        then `label`, `score`, with `proba` one ``p(LABEL)`` per label, and `note`. An object has the keys of
        the input, then `label`, `score` and, with `proba`, `probabilities`. Lines and objects have a note
        only if there is one. "objects" do not repeat plain text.
    labels : sequence of str
        The labels of the model.
    proba : bool
        Whether to write probabilities.
    top : int
        Number of labels per text.
    separator : str, optional
        What joins the labels of a text, if the model gives several. An object then has a list, `labels`,
        instead of `label`; with `top`, all of the best labels follow the given ones.
    """

    def __init__(
        self,
        file: BinaryIO,
        form: str | None,
        labels: list[str],
        *,
        proba: bool,
        top: int,
        separator: str = "",
    ) -> None:
        self._file, self._form, self._labels, self._joiner = file, form, list(labels), separator
        self._proba, self._top = proba, min(top, len(labels))
        self._columns: list[str] | None = None  # of the input; None if each record has its own
        self._separator = ""  # of the fields of a table
        self._of_table = False  # whether the fields come from a table, in which they may be quoted
        self._first: tuple[str, list[str] | None] | None = None  # file, and its columns

    def begin_file(self, name: str, texts: Records) -> bool:
        """Prepare for a file; tell whether its records may be written unchanged."""
        format, columns, separator = texts.format, texts.columns, texts.separator
        self._of_table = separator is not None
        if self._first is None:
            self._first = name, columns
            form = self._form or ("lines" if format == PLAIN else format if format in FORMS else "tsv")
            if form == "objects":
                form, columns = "jsonl", None if format == PLAIN else columns
            self._form, self._columns = form, columns
            own = separator if form == format else None
            self._separator = own or SEPARATORS.get(form, "")[:1]
            if form in SEPARATORS and columns is not None:
                self._write_header()
        elif columns != self._first[1]:
            raise AppError(f"{name}: has other columns than {self._first[0]}; predict it separately")
        return self._of_table and separator == self._separator

    def _write_header(self) -> None:
        names = ["label", "score", *(quoted(f"p({label})") for label in self._labels if self._proba)]
        first = 1 if self._joiner and self._top > 1 else 2
        names += [f"{name}_{i}" for i in range(first, self._top + 1) for name in ("label", "score")]
        names.append("note")
        free = [_free_column(name, self._columns) for name in names]
        self._write_text(self._table_text([[*self._columns, *free]]))

    def write(self, batch: list[Record], found: Predictions, *, as_it_stands: bool = False) -> None:
        """Write the predictions of a batch, and flush them.

        If the input is a table of the same form, its text may precede them unchanged (`as_it_stands`).
        """
        if self._form == "lines":
            text = "".join(self._plain_lines(batch, found))
        elif self._form == "jsonl":
            text = "".join(f"{json.dumps(record)}\n" for record in self._json_objects(batch, found))
        elif as_it_stands:
            text = self._records_with_answers(batch, found)
        else:
            if self._columns is None:
                self._columns = list(batch[0].row)
                self._write_header()
            answers = zip(*self._answer_columns(batch, found, quoted), strict=True)
            rows = zip(batch, answers, strict=True)
            text = self._table_text([[*self._row_fields(each.row), *answer] for each, answer in rows])
        self._write_text(text)

    def _records_with_answers(self, batch: list[Record], found: Predictions) -> str:
        """Return the records of a table, each followed by its answers."""
        raw = [self._table_text([each.row])[:-1] if each.raw is None else each.raw for each in batch]
        answers = self._answer_columns(batch, found, lambda name: self._table_text([[quoted(name)]])[:-1])
        return "\n".join([*map(self._separator.join, zip(raw, *answers, strict=True)), ""])

    def _row_fields(self, row: list[str] | dict) -> list[str]:
        """Return the fields of a record in the order of the columns."""
        if isinstance(row, dict):
            if more := row.keys() - set(self._columns):
                told = f"the first object does not have the key {min(more)!r} of others"
                raise AppError(f"{told}; write .jsonl")
            values = (row.get(name) for name in self._columns)
            row = ["" if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
        return row if self._of_table else [*map(quoted, row)]

    def _write_text(self, text: str) -> None:
        if self._file.isatty():
            text = on_screen(text)
        try:
            content = text.encode("utf-8", "surrogateescape")  # what was not UTF-8 is carried along as it was
        except UnicodeEncodeError:  # half a character that JSON spelled out
            content = text.encode("utf-8", "replace")
        self._file.write(content)
        self._file.flush()

    def _ranked(self, found: Predictions, labels: Sequence[str]) -> Places:
        """Return the labels of each rank, the best first, and their scores and probabilities."""
        order, scores = found.winners[:, None], found.scores[:, None]
        if self._top > 1:
            order, scores = found.ranked(self._top)
        shares = None
        if self._proba:
            shares = found.probabilities[np.arange(len(order))[:, None], order].T.tolist()
        names = [[labels[number] for number in numbers] for numbers in order.T.tolist()]
        return names, scores.T.tolist(), shares

    def _given(self, batch: list[Record], found: Predictions, spell: Callable[[str], str]) -> list[str]:
        """Return the label or the joined labels of each text; an empty string without a label or text."""
        names = [*map(self._joiner.join, found.given.called(self._labels))]
        spelled = {name: name and spell(name) for name in {*names}}
        names = [spelled[name] for name in names]
        for i in np.flatnonzero(found.unsure) if found.unsure is not None else ():
            names[i] = UNSURE
        return ["" if each.problem else name for each, name in zip(batch, names, strict=True)]

    def _answers(self, batch: list[Record], found: Predictions, spell: Callable[[str], str]) -> Places:
        """Return the given labels and the labels of further ranks, with their scores and probabilities.

        With several labels per text, all of the best labels follow the given ones, which get the best score.
        """
        columns = self._ranked(found, [*map(spell, self._labels)])
        if self._joiner and self._top > 1:
            columns = tuple(column and [column[0], *column] for column in columns)
        names, scores, shares = columns
        return [self._given(batch, found, spell), *names[1:]], scores, shares

    def _plain_lines(self, batch: list[Record], found: Predictions) -> Iterator[str]:
        names, scores, shares = self._answers(batch, found, printable)
        columns = chain(*zip(names, map(_number_cells, shares or scores), strict=True))
        notes = [note and f"\t{note}" for note in found.notes]
        return ("\t".join(row) + f"{note}\n" for *row, note in zip(*columns, notes, strict=True))

    def _answer_columns(
        self, batch: list[Record], found: Predictions, spell: Callable[[str], str]
    ) -> list[list[str]]:
        """Return the columns that follow the input's; `spell` returns a label as it is to be written."""
        names, scores, _ = self._answers(batch, found, spell)
        columns = [*chain(*zip(names, map(_number_cells, scores), strict=True)), found.notes]
        if self._proba:
            columns[2:2] = [_number_cells(share) for share in found.probabilities.T.tolist()]
        for i in (i for i, record in enumerate(batch) if record.problem):
            for column in columns:
                column[i] = ""
        return columns

    def _json_objects(self, batch: list[Record], found: Predictions) -> Iterator[dict]:
        names, scores, shares = self._ranked(found, self._labels)
        keys = ("label", "score", "probability") if shares else ("label", "score")
        likely = found.probabilities.tolist() if self._proba else []
        first, given = "label", self._given(batch, found, str)
        if self._joiner:
            first, given = "labels", found.given.called(self._labels)
        places = zip(names, scores, shares, strict=True) if shares else zip(names, scores, strict=True)
        best = zip(*(zip(*place, strict=True) for place in places), strict=True)  # of each text
        for i, (record, note, top) in enumerate(zip(batch, found.notes, best, strict=True)):
            answer: dict[str, Any] = {first: given[i], "score": scores[0][i]}
            if note and not record.problem:
                answer["note"] = note
            if self._top > 1:
                answer["top"] = [dict(zip(keys, values, strict=True)) for values in top]
            if self._proba:
                answer["probabilities"] = dict(zip(self._labels, likely[i], strict=True))
            if record.problem:
                answer = dict.fromkeys(answer)
            row = [*map(unquoted, record.row)] if self._of_table else record.row
            carried = row if isinstance(row, dict) else dict(zip(self._columns or (), row, strict=False))
            yield {**carried, **{_free_column(name, carried): value for name, value in answer.items()}}

    def _table_text(self, rows: list[list[str]]) -> str:
        file = StringIO(newline="")
        write = table_writer(file, self._separator).writerows
        if self._separator != "\t":
            write(rows)
            return file.getvalue()
        for row in rows:
            line = "\t".join(row)
            if _NEEDS_QUOTES.search(line) or line.count("\t") >= len(row):
                write([row])
            else:
                file.write(f"{line}\n")
        return file.getvalue()


def _free_column(name: str, taken: Sequence[str] | dict) -> str:
    """Return a name for a column that no column of the input has, in upper or lower case."""
    while name in map(str.casefold, taken):
        name = f"predicted_{name}"
    return name


def _number_cells(values: Sequence[float]) -> list[str]:
    return [f"{value:.6g}" for value in values]
