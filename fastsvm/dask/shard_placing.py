"""Rows that workers make from the shards they receive; the shards of a lost worker are sent again."""

from __future__ import annotations

from .placing import Placed
from .shard_actors import Cluster, ReceivingShardActor
from .shards import packed_shard, shared_with_workers


def place_shards(client, function, shards, *shared):
    """Call a function of each shard on the workers, and keep the returned rows there for fits.

    One shard at a time travels to each worker. If a worker is lost, its shards are sent to another worker.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    function : callable
        A function that workers can import. It is called with a shard and the shared values, and returns X, an
        array or CSR matrix of float32 or float64, and y. It must return the same for the same shard.
    shards : sequence
        One or more picklable objects, which are read by index when needed, and again if a worker is lost.
    *shared : object
        Values for all calls, sent once; or results of `share_with_workers`.

    Returns
    -------
    Placed
        The rows, on the workers.

    Raises
    ------
    Exception
        Any error of the function.
    ValueError
        If X has NaN or infinite values.
    ClusterError
        If the connection to the scheduler is lost, no worker is left, or workers stop while they create
        their rows.

    Examples
    --------
    >>> data = place_shards(client, rows_of, files, bag)                      # doctest: +SKIP
    >>> model = SDCAClassifier(alpha=1e-5).fit(data)                         # doctest: +SKIP
    """
    return Placed(SentShards(client, function, shards, shared))


class SentShards(Cluster):
    """A `ReceivingShardActor` on each worker; `blocks` are the numbers of its sources."""

    def __init__(self, client, function, sources, shared):
        self.function, self.sources = function, sources
        self.shared = shared_with_workers(client, shared)
        super().__init__(client, range(len(sources)))

    def _shared_out(self, blocks, workers):
        return {worker: blocks[k :: len(workers)] for k, worker in enumerate(workers) if k < len(blocks)}

    def _start_shard(self, k):
        self._submit_actor(k, ReceivingShardActor, self.function, *self.shared)

    def _calls_to_fill(self, k):
        for number in self.blocks[k]:
            yield "add", (packed_shard(self.sources[number]),)
        yield "close", ()
