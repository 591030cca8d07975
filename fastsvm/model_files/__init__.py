"""Model files: the container, checks of its fields, a codec for each family, and plain models."""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
