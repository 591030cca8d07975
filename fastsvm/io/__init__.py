"""Matrices larger than memory: stored once as memory-mapped files, which every linear estimator fits from."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .in_memory import read_svmlight
    from .layout import MatrixFileError
    from .reader import Matrix, feature_names, load
    from .svmlight import store_svmlight
    from .writer import MatrixWriter

__all__ = [
    "Matrix",
    "MatrixFileError",
    "MatrixWriter",
    "feature_names",
    "load",
    "read_svmlight",
    "store_svmlight",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".in_memory": "read_svmlight",
        ".layout": "MatrixFileError",
        ".reader": "Matrix feature_names load",
        ".svmlight": "store_svmlight",
        ".writer": "MatrixWriter",
    },
)
