"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .bag import BagOfWords
    from .hashed import HashedBagOfWords
    from .scorer import TextScorer, TextScores
    from .selection import SelectTerms
    from .weighting import TermWeighting

__all__ = ["BagOfWords", "HashedBagOfWords", "SelectTerms", "TermWeighting", "TextScorer", "TextScores"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "bag": "BagOfWords",
        "hashed": "HashedBagOfWords",
        "scorer": "TextScorer TextScores",
        "selection": "SelectTerms",
        "weighting": "TermWeighting",
    },
)
