"""The certified linear classifier for rows on a Dask cluster's workers.

Install with ``pip install "fastsvm[dask]"``. `SDCAClassifier` fits dask arrays; `place` keeps rows on the
workers for several fits.
"""

from importlib.util import find_spec

from .._utils.lazy import lazily

if find_spec("distributed") is None:
    raise ImportError('fastsvm.dask needs dask[distributed]: pip install "fastsvm[dask]"', name="distributed")

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
