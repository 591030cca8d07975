"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms."""

from .bag import BagOfWords
from .hashed import HashedBagOfWords
from .selection import SelectTerms
from .weighting import TermWeighting

__all__ = ["BagOfWords", "HashedBagOfWords", "SelectTerms", "TermWeighting"]
