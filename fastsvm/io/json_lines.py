"""JSON objects with numbers, one a line, stored as a matrix."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .lines import Block, decoded
from .storing import Format, columns_of, label_of, number, shown


def store_json_lines(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    label: str = "label",
    columns: Sequence[str] | None = None,
    text_labels: bool | None = None,
    dtype: Any = np.float32,
) -> None:
    """Store lines of JSON objects as a matrix on disk, in bounded memory.

    A line is a row, as in ``{"label": 1, "width": 0.5, "height": 2}``. A key that a row has not is 0.

    Parameters
    ----------
    paths, folder, dtype : as in `store_svmlight`; files are in UTF-8
    label : str, default="label"
        The key of the labels.
    columns : list of str, default=None
        The keys that are stored, one a column, in this order; others may hold anything. By default all but
        that of the labels, in the order that they are met.
    text_labels : bool, default=None
        Whether labels are texts; by default as the first one is.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, key, and what is wrong.
    FileExistsError
        As in `store_svmlight`.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import feature_names, load, store_json_lines
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/rows.jsonl", "w") as file:
    ...         _ = file.write('{"label": "cat", "a": 2}\\n{"label": "dog", "b": 1.5}\\n')
    ...     store_json_lines(f"{folder}/rows.jsonl", f"{folder}/X")
    ...     X, y = load(f"{folder}/X")
    ...     X.toarray().tolist(), y.tolist(), feature_names(f"{folder}/X")
    ([[2.0, 0.0], [0.0, 1.5]], ['cat', 'dog'], ['a', 'b'])
    """
    _JSONLines(paths, label, columns, text_labels, dtype).store(folder)


class _JSONLines(Format):
    """Lines of objects; its `state` is whether labels are texts, and the keys met so far."""

    def __init__(self, paths, label: str, columns, text_labels: bool | None, dtype: Any) -> None:
        keys = columns_of(columns, label)
        options = {"label": label, "columns": keys, "text_labels": text_labels}
        super().__init__(paths, dtype, format="json lines", **options)
        self._label, self._grows = label, keys is None
        self._most = float(np.finfo(self.dtype).max)
        self.state = [text_labels, keys or []]

    @property
    def state(self) -> Any:
        return [self._texts, list(self._columns)]

    @state.setter
    def state(self, state: Any) -> None:
        self._texts, keys = state
        self._columns = {key: k for k, key in enumerate(keys)}

    def names(self) -> list[str] | None:
        return list(self._columns) or None

    def rows(self, block: Block) -> tuple[sparse.csr_matrix, list]:
        labels: list[float | str] = []
        values: list[float] = []
        indices: list[int] = []
        ends = [0]
        for k, line in enumerate(decoded(block, self.files).split("\n")):
            if not line.strip():
                continue
            try:
                record = object_of(line)
                label, self._texts = labelled(record, self._label, self._texts)
                row = sorted(self._row(record))
            except ValueError as error:
                raise self.wrong(block, k, str(error)) from None
            labels.append(label)
            indices += [column for column, _ in row]
            values += [value for _, value in row]
            ends.append(len(values))
        self.n_features = max(1, len(self._columns))
        arrays = np.array(values, self.dtype), np.array(indices, np.int32), np.array(ends)
        return sparse.csr_matrix(arrays, (len(labels), self.n_features)), labels

    def _row(self, record: dict[str, Any]) -> list[tuple[int, float]]:
        """Column and value of each key that is stored; what is 0 is not."""
        row = []
        for key, written in record.items():
            if key == self._label:
                continue
            column = self._columns.get(key)
            if column is None:
                if not self._grows:
                    continue
                column = self._columns[key] = len(self._columns)
            value = None if isinstance(written, str) else number(written, self._most)
            if value is None:
                hint = "leave the key out for 0, or choose keys with `columns`"
                raise ValueError(f"{shown(key)} is {shown(written)}, which is not a finite number; {hint}")
            if value:
                row.append((column, value))
        return row


def object_of(line: str) -> dict[str, Any]:
    """The object that a line is; a ValueError that says why it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON ({error})") from None
    if not isinstance(record, dict):
        raise ValueError("is not a JSON object")
    return record


def labelled(record: dict[str, Any], key: str, texts: bool | None) -> tuple[float | str, bool]:
    """The label of an object, and whether labels are texts: if that is not known yet, as this one is."""
    if key not in record:
        raise ValueError(f"no key {key!r} among {shown(', '.join(record))}; choose with label")
    label = record[key]
    if label is None or isinstance(label, (dict, list)):
        raise ValueError(f"the label is {shown(label)}")
    texts = isinstance(label, str) if texts is None else texts
    if not texts and isinstance(label, str):
        raise ValueError(
            f"the label {shown(label)} is a text, and the first one a number; use text_labels=True"
        )
    return label_of(label, texts), texts
