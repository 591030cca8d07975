"""Comparisons of solvers: seeded runs side by side, measured by one objective."""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .comparison import Comparison
    from .running import compare

__all__ = ["Comparison", "compare"]

__getattr__, __dir__ = lazily(__name__, {".comparison": "Comparison", ".running": "compare"})
