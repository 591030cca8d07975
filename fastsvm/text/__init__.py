"""Texts to matrices: a compiled vectoriser, weightings of its counts, and the choice of terms.

`Bag`, `Union`, `Weighting` and `Selection` need no scikit-learn; `BagOfWords`, `TermWeighting` and
`SelectTerms` add scikit-learn's contract, and import it.
"""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
