"""Comparisons of solvers: seeded runs side by side, measured by one objective."""

from fastsvm._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
