"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms.

`Bag`, `Union`, `Weighting` and `Selection` are plain; `BagOfWords`, `TermWeighting` and `SelectTerms` are
the same with scikit-learn's contract, and import it.
"""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from ..estimators.bag_of_words import BagOfWords
    from ..estimators.hashed_bag_of_words import HashedBagOfWords
    from ..estimators.select_terms import SelectTerms
    from ..estimators.term_weighting import TermWeighting
    from ..model_files.scorer import TextScorer, TextScores
    from .bag import Bag
    from .markup import has_markup, lower_without_markup
    from .selection import Selection
    from .spilled import SpilledTerms, TermFrequencies
    from .terms import Terms
    from .union import Union
    from .weighting import Weighting

__all__ = [
    "Bag",
    "BagOfWords",
    "HashedBagOfWords",
    "SelectTerms",
    "Selection",
    "SpilledTerms",
    "TermFrequencies",
    "TermWeighting",
    "Terms",
    "TextScorer",
    "TextScores",
    "Union",
    "Weighting",
    "has_markup",
    "lower_without_markup",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "..estimators.bag_of_words": "BagOfWords",
        "..estimators.hashed_bag_of_words": "HashedBagOfWords",
        "..model_files.scorer": "TextScorer TextScores",
        "..estimators.select_terms": "SelectTerms",
        "..estimators.term_weighting": "TermWeighting",
        ".bag": "Bag",
        ".markup": "has_markup lower_without_markup",
        ".selection": "Selection",
        ".spilled": "SpilledTerms TermFrequencies",
        ".terms": "Terms",
        ".union": "Union",
        ".weighting": "Weighting",
    },
)
