"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms."""

from .bag import BagOfWords
from .hashed import HashedBagOfWords

__all__ = ["BagOfWords", "HashedBagOfWords"]
