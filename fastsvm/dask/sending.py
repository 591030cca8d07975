"""Rows that workers make of what is sent to them, piece by piece, and again where a worker is lost."""

from __future__ import annotations

import pickle
from itertools import zip_longest

from .cluster import Cluster, ShardActor
from .placing import Placed
from .shards import packed, sent

__all__ = ["place_shards"]


def place_shards(client, function, shards, *shared):
    """Call a function of each shard on the workers, and keep there the rows that it returns.

    What `map_shards` is for results, this is for rows that are to be fitted. One shard at a time is on its
    way to each worker. Those of a worker that is lost are sent again, to another one.

    Parameters
    ----------
    client : distributed.Client
    function : callable
        One that workers can import; called with a shard and the shared values. Returns X, an array or CSR
        matrix of float32 or float64, and y; the same ones each time.
    shards : sequence
        Of what can be pickled, one or more; asked for by their numbers as they are needed, and again where a
        worker is lost.
    *shared : object
        What all shards need, sent once; or what `send` returned.

    Returns
    -------
    Placed

    Raises
    ------
    Exception
        What the function raises.
    ValueError
        If X has bad values.
    ClusterError
        If the scheduler goes away, no worker is left, or workers end as they make their rows.

    Examples
    --------
    >>> data = place_shards(client, rows_of, files, bag)                      # doctest: +SKIP
    >>> model = SDCAClassifier(alpha=1e-5).fit(data)                         # doctest: +SKIP
    """
    return Placed(_Sent(client, function, shards, shared))


class _Growing(ShardActor):
    """A shard whose rows are made of what is sent, call after call.

    Calls return what goes wrong, as a driver takes some errors for those of a lost worker.
    """

    def __init__(self, function, *shared):
        self.function, self.shared, self.made = function, shared, []

    def add(self, shard):
        """Make the rows of a packed shard; return their number, or an error."""
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


class _Sent(Cluster):
    """One `_Growing` on each worker; `blocks` are the numbers of its shards."""

    def __init__(self, client, function, shards, shared):
        self.function, self.sources = function, shards
        self.shared = sent(client, shared)
        self.whole = set()  # those that were lost meanwhile, and are there again
        super().__init__(client, range(len(shards)))
        for row in zip_longest(*self.blocks):
            left = {k: number for k, number in enumerate(row) if number is not None and k not in self.whole}
            self._tell("add", {k: (packed(shards[number]),) for k, number in left.items()})
        self._tell("close", {k: () for k in range(len(self)) if k not in self.whole})

    def _shared_out(self, blocks, workers):
        return {worker: blocks[k :: len(workers)] for k, worker in enumerate(workers) if k < len(blocks)}

    def _tell(self, method, calls):
        for reply in self.ask(method, calls).values():
            _raised(reply)

    def _start(self, k):
        self.futures[k] = self.client.submit(
            _Growing,
            self.function,
            *self.shared,
            workers=[self.places[k]],
            allow_other_workers=False,
            actor=True,
            pure=False,
        )

    def _started(self, k):
        """Wait for a shard; one that is made again is sent all of its rows at once."""
        actor = super()._started(k)
        if actor is None or not self.made:
            return actor
        self.actors[k] = actor
        calls = [("add", (number,)) for number in self.blocks[k]]
        for method, numbers in [*calls, ("close", ())]:
            args = tuple(packed(self.sources[number]) for number in numbers)
            if _raised(self._reply(k, *self._called(k, method, args))) is None:
                return None
        self.whole.add(k)
        return actor


def _raised(reply):
    if isinstance(reply, Exception):
        raise reply
    return reply
