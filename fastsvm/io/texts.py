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

    A line is ``label<TAB>text``. Texts of any other form, such as the columns of a table, are stored by
    `MatrixWriter`, batch by batch: ``writer.append(vectorizer.transform(texts), labels)``.

    Parameters
    ----------
    paths, folder, dtype : as in `store_svmlight`; files are in UTF-8
        What was cut is gone on with if the vectorizer is an equal one.
    vectorizer : HashedBagOfWords, or a fitted BagOfWords or Pipeline
        Its `transform` makes rows of texts. Has to be one that can be pickled, by which it is known again.

    Raises
    ------
    ValueError
        On a line that cannot be read: file, line, and what is wrong with it.
    FileExistsError
        As in `store_svmlight`.

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
    _Texts(paths, vectorizer, dtype).store(folder)


class _Texts(Format):
    def __init__(self, paths, vectorizer: Any, dtype: Any) -> None:
        try:
            pickled = pickle.dumps(vectorizer)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ValueError(
                f"vectorizer cannot be pickled ({error}); take functions that a module has by name."
            ) from None
        super().__init__(paths, dtype, format="texts", vectorizer=zlib.crc32(pickled))
        self._vectorizer = vectorizer

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
        return X.astype(self.dtype, copy=False), labels
