"""Problems driven to their end, plainly: linear models, paths, certificates; nothing of scikit-learn.

The classes are what `fastsvm.SDCAClassifier` and its siblings add scikit-learn's contract to.
"""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
