"""Matrices larger than memory: stored once as memory-mapped files, which every linear estimator fits from."""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .csv_files import store_csv
    from .in_memory import read_svmlight
    from .json_lines import store_json_lines
    from .layout import MatrixFileError
    from .reader import Matrix, feature_names, load
    from .svmlight import store_svmlight
    from .texts import store_texts
    from .writer import MatrixWriter

__all__ = [
    "Matrix",
    "MatrixFileError",
    "MatrixWriter",
    "feature_names",
    "load",
    "read_svmlight",
    "store_csv",
    "store_json_lines",
    "store_svmlight",
    "store_texts",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".csv_files": "store_csv",
        ".in_memory": "read_svmlight",
        ".json_lines": "store_json_lines",
        ".layout": "MatrixFileError",
        ".reader": "Matrix feature_names load",
        ".svmlight": "store_svmlight",
        ".texts": "store_texts",
        ".writer": "MatrixWriter",
    },
)
