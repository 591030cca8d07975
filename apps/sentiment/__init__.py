"""fastsvm-sentiment: train, evaluate and use classifiers of texts; from Python, `train` and `load`."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import TextModel, load, train

__all__ = ["ENGLISH", "TextModel", "load", "train"]

ENGLISH = os.path.join(os.path.dirname(__file__), "shipped", "english.safetensors")
"""The file of the model of English reviews that comes with the app."""


def __getattr__(name: str) -> object:
    """Import what is asked for: the command line, which lies below, must not wait for NumPy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
