"""Tables of numbers separated by commas, stored as a matrix."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from scipy import sparse

from .lines import Block, blocks, decoded
from .storing import Format, columns_of, label_of, number, shown

LABEL, VALUES, IGNORED = "label", "values", "ignored"


def store_csv(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    label: str | int = "label",
    columns: Sequence[str | int] | None = None,
    header: bool = True,
    delimiter: str = ",",
    text_labels: bool | None = None,
    dtype: Any = np.float32,
) -> None:
    """Store tables of numbers as a matrix on disk, in bounded memory.

    Parameters
    ----------
    paths, folder, dtype : as in `store_svmlight`; files are in UTF-8
        A line is a row; fields may be in double quotes. Zeros are not stored.
    label : str or int, default="label"
        The column of the labels: its name, or its place from 0; of -1, the last.
    columns : list of str or int, default=None
        The columns that are stored, in the order of the file; by default all but that of the labels. Others
        may hold anything.
    header : bool, default=True
        Whether the first line of each file has the names of the columns; `feature_names` tells them again.
    delimiter : str, default=","
        A character.
    text_labels : bool, default=None
        Whether labels are texts; by default as the first one is no number, or is one.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, column, and what is wrong.
    FileExistsError
        As in `store_svmlight`.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import load, store_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/rows.csv", "w") as file:
    ...         _ = file.write("width,height,label\\n.5,2,cat\\n0,1,dog\\n")
    ...     store_csv(f"{folder}/rows.csv", f"{folder}/X")
    ...     X, y = load(f"{folder}/X")
    ...     X.toarray().tolist(), y.tolist()
    ([[0.5, 2.0], [0.0, 1.0]], ['cat', 'dog'])
    """
    _CSV(paths, label, columns, header, delimiter, text_labels, dtype).store(folder)


class _CSV(Format):
    """Lines of fields; its `state` is whether labels are texts."""

    def __init__(self, paths, label, columns, header, delimiter, text_labels, dtype) -> None:
        chosen = columns_of(columns, label)
        options = {"label": label, "columns": chosen, "header": bool(header), "delimiter": delimiter}
        super().__init__(paths, dtype, format="csv", text_labels=text_labels, **options)
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise ValueError(f"delimiter must be a character that separates fields; got {delimiter!r}.")
        self._header, self._delimiter, self.state = bool(header), delimiter, text_labels
        self._most = float(np.finfo(self.dtype).max)
        self._fields = self._first_fields()
        place = self._place(label, "label")
        stored = range(len(self._fields)) if chosen is None else {self._place(c, "columns") for c in chosen}
        self._kinds = [VALUES if k in stored else IGNORED for k in range(len(self._fields))]
        self._kinds[place] = LABEL
        if VALUES not in self._kinds:
            raise ValueError(f"{self.files[0]}: there is no column to store besides the label.")
        runs = [(kind, len([*run])) for kind, run in groupby(self._kinds)]
        self._types = np.dtype([(f"{k}", *self._type(*run)) for k, run in enumerate(runs)])
        self._runs = [kind for kind, _ in runs]
        self.n_features = self._kinds.count(VALUES)

    def _type(self, kind: str, n: int) -> tuple:
        return {LABEL: (object,), VALUES: (self.dtype, (n,)), IGNORED: ("U1", (n,))}[kind]

    def _first_fields(self) -> list[str]:
        """The fields of the first line: the names of the columns, where there are any."""
        for block in blocks(self.files):
            for _, fields in self._records(block, decoded(block, self.files).split("\n")):
                return [field.strip() for field in fields]
        raise ValueError(f"{self.files[0]}: is empty.")

    def _place(self, column: str | int, option: str) -> int:
        """The place of a column that is named, or counted."""
        n, names = len(self._fields), self._fields
        if isinstance(column, str) and self._header:
            if names.count(column) == 1:
                return names.index(column)
            there = shown(", ".join(names))
            found = "no column" if column not in names else "more than one column"
            raise ValueError(f"{self.files[0]}: {found} {column!r} among {there}; choose with {option}.")
        if isinstance(column, str):
            raise ValueError(f"{option}={column!r}: without a header, columns have numbers from 0.")
        if not -n <= column < n:
            raise ValueError(f"{self.files[0]}: no column {column}; there are 0 to {n - 1}.")
        return column % n

    def names(self) -> list[str] | None:
        """The header, as far as it is of columns stored."""
        if not self._header:
            return None
        return [name for name, kind in zip(self._fields, self._kinds, strict=True) if kind == VALUES]

    def rows(self, block: Block) -> tuple[sparse.csr_matrix, Any]:
        lines = decoded(block, self.files).split("\n")
        if self._header and block.begin.offset == 0:
            self._drop_header(block, lines)
        solid = [line for line in lines if line.strip()]
        if not solid:
            return sparse.csr_matrix((0, self.n_features), dtype=self.dtype), []
        try:
            X, labels = self._read(solid)
        except ValueError as error:
            self._complain(block, lines)
            raise self.wrong(block, 0, f"cannot be read ({error})") from None
        return sparse.csr_matrix(X), labels

    def _drop_header(self, block: Block, lines: list[str]) -> None:
        """Empty the first line that is not, which has to be as that of the first file."""
        for k, fields in self._records(block, lines):
            if [field.strip() for field in fields] != self._fields:
                raise self.wrong(block, k, f"the columns are not those of {self.files[0]}")
            lines[k] = ""
            return

    def _read(self, lines: list[str]) -> tuple[np.ndarray, list]:
        """Values and labels of lines, as NumPy reads them; a ValueError on any that cannot be right."""
        with np.errstate(over="ignore"):
            table = np.loadtxt(
                lines, self._types, delimiter=self._delimiter, quotechar='"', comments=None, ndmin=1
            )
        if len(table) != len(lines):
            raise ValueError("a quote that is not closed")
        parts = [table[f"{k}"] for k, kind in enumerate(self._runs) if kind == VALUES]
        X = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        if not np.isfinite(X).all():
            raise ValueError("a value that is not finite")
        labels = table[f"{self._runs.index(LABEL)}"]
        if self.state is None:
            self.state = number(labels[0], np.inf) is None
        return X, [label_of(label, self.state) for label in labels]

    def _complain(self, block: Block, lines: list[str]) -> None:
        """Name the first line that is wrong, and what is."""
        for line, fields in self._records(block, lines):
            if len(fields) != len(self._fields):
                where_from = "the header" if self._header else "the first line"
                what = f"{len(fields)} fields, where {where_from} has {len(self._fields)}"
                raise self.wrong(block, line, what)
            for k, (kind, field) in enumerate(zip(self._kinds, fields, strict=True)):
                name = f" ({self._fields[k]})" if self._header else ""
                if kind == VALUES and number(field, self._most) is None:
                    what = "is empty" if not field.strip() else f"{shown(field)} is not a finite number"
                    hint = "; impute it, or leave the column out with `columns`"
                    raise self.wrong(block, line, f"column {k}{name}: {what}{hint}")
                if kind == LABEL and self.state is not None:
                    try:
                        label_of(field, self.state)
                    except ValueError as error:
                        raise self.wrong(block, line, str(error)) from None

    def _records(self, block: Block, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
        """The fields of the lines that are not empty, and which lines these are."""
        for k, line in enumerate(lines):
            if not line.strip():
                continue
            if '"' not in line:
                yield k, line.split(self._delimiter)
                continue
            try:
                yield k, next(csv.reader([line], delimiter=self._delimiter, strict=True))
            except csv.Error:
                raise self.wrong(block, k, "a quote that is not closed on its line") from None
