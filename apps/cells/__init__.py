"""fastsvm-cells: find and classify white cells in images of stained blood smears.

From Python, `classify`, `train` and `load`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import CellClassification, CellModel, CellTraining, classify, load, train

__all__ = ["CellClassification", "CellModel", "CellTraining", "classify", "load", "train"]


def __getattr__(name: str) -> object:
    """Import what is asked for: the command line, which lies below, must not wait for NumPy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
