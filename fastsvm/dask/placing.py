"""Rows that stay on the workers for several fits."""

from __future__ import annotations

from functools import reduce

import numpy as np

from .sdca_rounds import sum_dicts
from .shard_actors import Cluster, ask_all


class Placed:
    """Rows on a cluster's workers, for several fits; made by `place`.

    Parameters
    ----------
    shards : Cluster
        The actors that hold the rows.

    Attributes
    ----------
    shards : Cluster
    summaries : list of ShardSummary
    classes : ndarray of shape (n_classes,), the labels, sorted
    counts : dict of label to number of rows
    shape : (int, int)
    dtype : float32 if X is float32, else float64
    """

    def __init__(self, shards):
        self.shards = shards
        self.summaries = ask_all(shards, "describe")
        columns = {part.shape[1] for part in self.summaries}
        if len(columns) > 1:
            raise ValueError(f"The chunks of X have different numbers of columns: {sorted(columns)}.")
        self.shape = sum(part.shape[0] for part in self.summaries), columns.pop()
        dtype = reduce(np.promote_types, (part.dtype for part in self.summaries))
        self.dtype = dtype if dtype in (np.float32, np.float64) else np.dtype(float)  # of counts, for example
        self.counts = sum_dicts(part.counts for part in self.summaries)
        self.classes = np.array(sorted(self.counts))
        if not any(weight for part in self.summaries for weight in part.weights.values()):
            raise ValueError("All sample weights are zero: there is nothing to learn from.")


def place(X, y, sample_weight=None, *, client=None):
    """Put the rows of X on the cluster's workers, for several fits.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features)
        Rows, as dense chunks or CSR matrices; float32 and float64 are not converted. Chunks may have unknown
        numbers of rows, or no rows. If a worker is lost, its chunks are computed again, and must be the same.
    y : dask array of shape (n_samples,)
        Labels of any kind, in chunks like X's.
    sample_weight : dask array of shape (n_samples,), default=None
        Weight of each row's loss; 1 for all by default.
    client : distributed.Client, default=None
        The client; by default the one created last.

    Returns
    -------
    Placed
        The rows, on the workers.

    Raises
    ------
    ValueError
        If X and y have different chunks, or X has NaN or infinite values, or no rows.
    ClusterError
        If there are no workers.

    Examples
    --------
    >>> data = place(X, y)                                                  # doctest: +SKIP
    >>> for alpha in 1e-4, 1e-5:                                            # doctest: +SKIP
    ...     model.set_params(alpha=alpha, warm_start=True).fit(data)
    """
    from distributed import default_client

    columns = [X, y] if sample_weight is None else [X, y, sample_weight]
    _require_arrays(columns)
    if X.numblocks[1] > 1:
        columns[0] = X = X.rechunk({1: -1})
    for k, array in enumerate(columns[1:], 1):
        same = array.chunks[0] == X.chunks[0]
        if not same and not np.isnan([*X.chunks[0], *array.chunks[0]]).any() and len(array) == len(X):
            columns[k] = array = array.rechunk((X.chunks[0],))
        if array.numblocks[0] != X.numblocks[0]:
            raise ValueError(
                f"X has {X.numblocks[0]} chunks of rows, but y or sample_weight has {array.numblocks[0]}: "
                "rechunk them in the same way."
            )
    blocks = zip(*(array.to_delayed().ravel() for array in columns), strict=True)
    return Placed(Cluster(client or default_client(), list(blocks)))


def _require_arrays(columns):
    from dask.array import Array

    for array, dimensions in zip(columns, (2, 1, 1), strict=False):
        if not isinstance(array, Array):
            raise ValueError(
                f"X, y and sample_weight must be dask arrays; got a {type(array).__name__} "
                "(convert an array with dask.array.from_array, a dask DataFrame with .values)."
            )
        if array.ndim != dimensions:
            raise ValueError(
                f"X must have two dimensions, y and sample_weight one; got {array.ndim}. Fit several labels "
                "per row one by one, each as two classes."
            )
