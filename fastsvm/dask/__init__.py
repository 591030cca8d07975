"""The linear classifiers whose rows lie on a Dask cluster's workers.

Needs ``pip install "fastsvm[dask]"``. The estimators are fitted to dask arrays; `place` keeps rows on the
workers for several fits.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .linear import PegasosClassifier, SDCAClassifier
    from .placing import Placed, place
    from .shards import map_shards
    from .workers import ClusterError

if find_spec("distributed") is None:
    raise ImportError('fastsvm.dask needs dask[distributed]: pip install "fastsvm[dask]"', name="distributed")

__all__ = ["ClusterError", "PegasosClassifier", "Placed", "SDCAClassifier", "map_shards", "place"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".linear": "PegasosClassifier SDCAClassifier",
        ".placing": "Placed place",
        ".shards": "map_shards",
        ".workers": "ClusterError",
    },
)
