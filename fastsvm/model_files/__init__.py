"""Model files: the container, a table of fields for each class, one codec, and plain models."""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
