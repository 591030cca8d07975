"""Model files: the container, its checked fields, a codec for each family, plain models to and from them."""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .container import ModelFileError
    from .plain import load_about, load_plain, save_plain
    from .scorer import TextScorer, TextScores

__all__ = [
    "ModelFileError",
    "TextScorer",
    "TextScores",
    "load_about",
    "load_plain",
    "save_plain",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".container": "ModelFileError",
        ".plain": "load_about load_plain save_plain",
        ".scorer": "TextScorer TextScores",
    },
)
