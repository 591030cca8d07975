"""Labelled texts, one a line, stored as the matrix that a vectoriser makes of them."""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from .lines import Block, decoded
from .storing import Format, label_of


def store_texts(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    vectorizer: Any,
    *,
    dtype: Any = np.float32,
) -> None:
    """Store labelled texts as a matrix on disk, in bounded memory.

    A line is ``label<TAB>text``.

    Parameters
    ----------
    paths : path, or list of paths
        In UTF-8, plain or gzipped; the rows of one come after those of another.
    folder : str or path-like
        Where the matrix goes; must not exist. It appears when it is whole. If the work is cut, the same call
        with an equal vectorizer goes on where the last was sure of its rows.
    vectorizer : HashedBagOfWords, or a fitted BagOfWords or Pipeline
        Its `transform` makes rows of texts.
    dtype : {float32, float64}, default=float32
        Of the values.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, and what is wrong with it.
    FileExistsError
        If the folder exists.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.text import HashedBagOfWords
    >>> from fastsvm.io import load, store_texts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/reviews.tsv", "w") as file:
    ...         _ = file.write("pos\\ta good book\\nneg\\ta long wait\\n")
    ...     store_texts(f"{folder}/reviews.tsv", f"{folder}/X", HashedBagOfWords(n_features=64))
    ...     X, y = load(f"{folder}/X")
    ...     X.shape, y.tolist()
    ((2, 64), ['pos', 'neg'])
    """
    _Texts(paths, vectorizer, dtype).store(folder, dtype)


class _Texts(Format):
    def __init__(self, paths, vectorizer: Any, dtype: Any) -> None:
        super().__init__(paths, format="texts", vectorizer=zlib.crc32(pickle.dumps(vectorizer)))
        self._vectorizer, self._dtype = vectorizer, dtype

    def names(self) -> list[str] | None:
        names = getattr(self._vectorizer, "get_feature_names_out", None)
        return None if names is None else names().tolist()

    def rows(self, block: Block) -> tuple[sparse.csr_matrix, list]:
        labels, texts = [], []
        for k, line in enumerate(decoded(block, self.files).split("\n")):
            if not line.strip():
                continue
            label, tab, text = line.partition("\t")
            if not tab:
                raise self.wrong(block, k, "has no tab between its label and its text")
            try:
                labels.append(label_of(label, True))
            except ValueError as error:
                raise self.wrong(block, k, str(error)) from None
            texts.append(text)
        X = self._vectorizer.transform(texts) if texts else sparse.csr_matrix((0, self.n_features or 1))
        if texts:
            self.n_features = X.shape[1]
        return X.astype(self._dtype, copy=False), labels
