"""Fits of linear and kernel models, paths and certificates, without scikit-learn.

`fastsvm.SDCAClassifier` and its siblings add scikit-learn's contract to these classes.
"""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
