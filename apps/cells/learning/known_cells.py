"""The cells that a model has learned from, as its file holds them: features of two bytes each, no pixels."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from .training_samples import TrainingSamples

MOST = 2000  # cells, so that a file stays below 2 MB


@dataclass(frozen=True, eq=False)
class KnownCells:
    """Features of cells, and the numbers of their classes.

    Attributes
    ----------
    X : ndarray of shape (n, n_features) and dtype float32
    number : ndarray of shape (n,) and dtype int
    """

    X: np.ndarray
    number: np.ndarray

    @classmethod
    def of(cls, samples: TrainingSamples) -> Self:
        """Return the cells of the images without their versions; of large classes evenly spread ones."""
        images = samples.rows(~samples.is_version)
        classes, number = np.unique(images.y, return_inverse=True)
        each = [np.flatnonzero(number == k) for k in range(len(classes))]
        rows = np.concatenate([of[:: -(-len(of) * len(classes) // MOST)] for of in each])
        return cls(images.X[rows], number[rows])

    @property
    def record(self) -> dict:
        """For a model file."""
        X = base64.b64encode(self.X.astype("<f2").tobytes()).decode()
        return {"X": X, "number": self.number.tolist()}

    @classmethod
    def from_record(cls, record: Mapping, n_classes: int, n_features: int) -> Self:
        """Return the cells in a file, checked; ValueError if they are damaged."""
        number = record["number"]
        X = np.frombuffer(base64.b64decode(record["X"], validate=True), "<f2").astype(np.float32)
        whole = all(type(each) is int for each in number)
        if not whole or set(number) != set(range(n_classes)) or not np.isfinite(X).all():
            raise ValueError("known cells")
        return cls(X.reshape(len(number), n_features), np.array(number))
