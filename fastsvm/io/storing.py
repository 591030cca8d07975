"""Files of lines, stored as a matrix block by block, whatever their format."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .lines import SAVED, Block, Place, blocks, fingerprint, paths_of, where
from .writer import MatrixWriter, value_type


class Format:
    """How lines become rows: what a format has to say, and what it remembers from block to block.

    Parameters
    ----------
    paths : path, or list of paths
    dtype : {float32, float64}
        Of the values.
    options : JSON
        All that the rows depend on besides the files.
    """

    n_features: int | None = None
    """Columns of X; None for the largest that is met."""

    state: Any = None
    """What was learned on the way, as JSON: a later call is given it where it goes on."""

    def __init__(
        self, paths: str | os.PathLike | Sequence[str | os.PathLike], dtype: Any, **options: Any
    ) -> None:
        self.files, self.dtype, self.options = paths_of(paths), value_type(dtype), options

    def rows(self, block: Block) -> tuple[sparse.csr_matrix, Any]:
        """The rows of a block, and their labels; a ValueError that names the line."""
        raise NotImplementedError

    def names(self) -> list[str] | None:
        """The names of the columns."""
        return None

    def wrong(self, block: Block, line: int, what: str) -> ValueError:
        """The error for a line of a block, counted from 0."""
        return ValueError(f"{where(self.files, block.begin, line)}: {what}.")

    def store(self, folder: str | os.PathLike) -> None:
        """Write the matrix, or go on where a call that was cut was sure of its rows."""
        source = fingerprint(self.files, **self.options)
        with MatrixWriter(folder, source=source, dtype=self.dtype) as writer:
            begin, since = Place(), 0
            if writer.position is not None:
                place, self.state = writer.position
                begin = Place(*place)
            for block in blocks(self.files, begin):
                X, labels = self.rows(block)
                if X.shape[0]:
                    writer.append(X, labels)
                since += len(block.text)
                if since >= SAVED:
                    writer.save([block.end, self.state])
                    since = 0
            writer.finish(self.n_features, self.names())


def columns_of(columns: Sequence[Any] | None, label: Any) -> list | None:
    """The columns chosen as a list; a ValueError if that cannot be meant."""
    if columns is None:
        return None
    if isinstance(columns, str):
        raise ValueError(f"columns must be a list; got {columns!r}.")
    chosen = list(columns)
    if not chosen or label in chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"columns must name some, each once, without that of the label; got {chosen!r}.")
    return chosen


def number(written: Any, most: float) -> float | None:
    """A number, or the text of one, up to `most` in size; None if it is none."""
    try:
        value = float(written)
    except (TypeError, ValueError, OverflowError):
        return None
    plain = not isinstance(written, str) or "_" not in written  # Python has 1_000
    return value if plain and math.isfinite(value) and abs(value) <= most else None


def label_of(label: Any, texts: bool) -> float | str:
    """A label as a number, or as a text; a ValueError that says what is wrong with it."""
    if texts:
        found = str(label).strip()
        if not found:
            raise ValueError("has no label")
        return found
    value = number(label, np.finfo(float).max)
    if value is None:
        why = "is no finite number, as the first one is; with text_labels=True labels are texts"
        raise ValueError(f"the label {shown(label)} {why}")
    return value


def shown(value: Any) -> str:
    """A value as messages show it."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
