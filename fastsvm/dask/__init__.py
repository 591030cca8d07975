"""The certified linear classifier for rows on a Dask cluster's workers.

Install with ``pip install "fastsvm[dask]"``. `SDCAClassifier` fits dask arrays; `place` keeps rows on the
workers for several fits.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from .linear import SDCAClassifier
    from .placing import Placed, place
    from .reading import Chunks, load, read_svmlight
    from .sending import place_shards
    from .shards import map_shards, send
    from .workers import ClusterError

if find_spec("distributed") is None:
    raise ImportError('fastsvm.dask needs dask[distributed]: pip install "fastsvm[dask]"', name="distributed")

__all__ = [
    "Chunks",
    "ClusterError",
    "Placed",
    "SDCAClassifier",
    "load",
    "map_shards",
    "place",
    "place_shards",
    "read_svmlight",
    "send",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".linear": "SDCAClassifier",
        ".placing": "Placed place",
        ".reading": "Chunks load read_svmlight",
        ".sending": "place_shards",
        ".shards": "map_shards send",
        ".workers": "ClusterError",
    },
)
