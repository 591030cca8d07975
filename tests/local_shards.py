"""Shards in this process, in place of those on a cluster's workers."""

from itertools import pairwise

import numpy as np

from fastsvm.dask.shard import Shard


class LocalShards:
    """Shards called one after the other; as `fastsvm.dask.shard_actors.Cluster`."""

    def __init__(self, shards):
        self.shards = shards

    def __len__(self):
        return len(self.shards)

    def ask(self, method, calls):
        return {k: getattr(self.shards[k], method)(*args) for k, args in calls.items()}

    @classmethod
    def split(cls, X, y, n_shards, sample_weight=None):
        """Shards of about as many rows each, in the order of the rows."""
        bounds = np.linspace(0, len(y), n_shards + 1).astype(int)
        parts = [slice(first, last) for first, last in pairwise(bounds)]
        weights = [None if sample_weight is None else [sample_weight[part]] for part in parts]
        return cls([Shard([X[part]], [y[part]], c) for part, c in zip(parts, weights, strict=True)])
