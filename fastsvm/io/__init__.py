"""Matrices larger than memory, stored once as memory-mapped files; every linear estimator fits them."""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .layout import MatrixFileError
    from .reader import Matrix, feature_names, load
    from .svmlight import read_svmlight, store_svmlight
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
        ".layout": "MatrixFileError",
        ".reader": "Matrix feature_names load",
        ".svmlight": "read_svmlight store_svmlight",
        ".writer": "MatrixWriter",
    },
)
