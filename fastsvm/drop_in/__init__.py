"""scikit-learn's classes, with the same names, parameters and meaning, computed by fastsvm.

Change the import ``from sklearn.svm import LinearSVC`` to ``from fastsvm.drop_in import LinearSVC``.
"""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
