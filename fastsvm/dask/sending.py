"""Rows that workers make of the shards they receive; the shards of a lost worker are sent again."""

from __future__ import annotations

import pickle
from itertools import zip_longest

from .placing import Placed
from .shard_actors import Cluster, ShardActor
from .shards import packed_shard, shared_with_workers


def place_shards(client, function, shards, *shared):
    """Call a function of each shard on the workers, and keep the returned rows there for fits.

    One shard at a time travels to each worker. If a worker is lost, its shards are sent to another one.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    function : callable
        Workers must be able to import it. It is called with a shard and the shared values, and returns X, an
        array or CSR matrix of float32 or float64, and y; the same for the same shard.
    shards : sequence
        One or more picklable objects, which are read by number when they are needed, and again if a worker
        is lost.
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
        If X has bad values.
    ClusterError
        If the scheduler goes away, no worker is left, or workers end while they make their rows.

    Examples
    --------
    >>> data = place_shards(client, rows_of, files, bag)                      # doctest: +SKIP
    >>> model = SDCAClassifier(alpha=1e-5).fit(data)                         # doctest: +SKIP
    """
    return Placed(_SentShards(client, function, shards, shared))


class _GrowingActor(ShardActor):
    """A shard that makes its rows from received shards, call after call.

    Calls return errors instead of raising them, since some errors look like a lost worker.
    """

    def __init__(self, function, *shared):
        self.function, self.shared, self.made = function, shared, []

    def add(self, shard):
        """Make the rows of a packed shard; return the number of rows, or an error."""
        try:
            self.made.append(self.function(pickle.loads(shard), *self.shared))
        except Exception as error:
            return error
        return len(self.made[-1][1])

    def close(self):
        """Become the shard of all rows; return the number of columns, or an error."""
        made, self.made = self.made, []
        try:
            super().__init__(*map(list, zip(*made, strict=True)))
        except Exception as error:
            return error
        return self.X.shape[1]


class _SentShards(Cluster):
    """One `_GrowingActor` on each worker; `blocks` are the numbers of its shards."""

    def __init__(self, client, function, shards, shared):
        self.function, self.sources = function, shards
        self.shared = shared_with_workers(client, shared)
        self.complete = set()  # shards that were lost meanwhile and made again
        super().__init__(client, range(len(shards)))
        for row in zip_longest(*self.blocks):
            left = {
                k: number for k, number in enumerate(row) if number is not None and k not in self.complete
            }
            self._call_all("add", {k: (packed_shard(shards[number]),) for k, number in left.items()})
        self._call_all("close", {k: () for k in range(len(self)) if k not in self.complete})

    def _shared_out(self, blocks, workers):
        return {worker: blocks[k :: len(workers)] for k, worker in enumerate(workers) if k < len(blocks)}

    def _call_all(self, method, calls):
        for reply in self.ask(method, calls).values():
            _raise_error(reply)

    def _start_shard(self, k):
        self._submit_actor(k, _GrowingActor, self.function, *self.shared)

    def _await_shard(self, k):
        """Wait for a shard; send a shard that is made again all of its rows at once."""
        actor = super()._await_shard(k)
        if actor is None or not self.made:
            return actor
        self.actors[k] = actor
        calls = [("add", (number,)) for number in self.blocks[k]]
        for method, numbers in [*calls, ("close", ())]:
            args = tuple(packed_shard(self.sources[number]) for number in numbers)
            if _raise_error(self._await_reply(k, *self._begin_call(k, method, args))) is None:
                return None
        self.complete.add(k)
        return actor


def _raise_error(reply):
    if isinstance(reply, Exception):
        raise reply
    return reply
