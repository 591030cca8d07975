"""fastsvm-cells: find and classify white cells in images of stained blood smears.

From Python, `classify`, `train` and `load`.
"""

from fastsvm._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
