"""fastsvm-sentiment: train, evaluate and use text classifiers; from Python, with `train` and `load`."""

from fastsvm._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
