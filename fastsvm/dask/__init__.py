"""The linear classifier whose rows lie on a Dask cluster's workers.

Needs ``pip install "fastsvm[dask]"``. The estimator is fitted to dask arrays; `place` keeps rows on the
workers for several fits.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .cluster import ClusterError
    from .linear import SDCAClassifier
    from .placing import Placed, place

if find_spec("distributed") is None:
    raise ImportError('fastsvm.dask needs dask[distributed]: pip install "fastsvm[dask]"', name="distributed")

__all__ = ["ClusterError", "Placed", "SDCAClassifier", "place"]

__getattr__, __dir__ = lazily(
    __name__,
    {
        ".cluster": "ClusterError",
        ".linear": "SDCAClassifier",
        ".placing": "Placed place",
    },
)
