"""Data sets to try things on: samples of the project, sets that are made, and public ones.

All return plain arrays, ``X, y``; texts and images take the place of `X` as a list of strings or an array
of paths. `docs/studies.md` has a table.
"""

from fastsvm._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
