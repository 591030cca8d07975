"""The compiled solvers: plain functions on arrays and CSR matrices, y in {-1, +1}.

They need NumPy and SciPy only. The classifiers, such as `fastsvm.SDCAClassifier`, use the same modules.
"""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
