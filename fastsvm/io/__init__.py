"""Matrices larger than memory, stored once as memory-mapped files; every linear estimator fits them."""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
