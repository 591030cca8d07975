"""Model files: the container, its checked fields, a codec for each family, plain models to and from them."""

from .._utils.lazy import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
