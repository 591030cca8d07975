"""Shards as actors on a cluster's workers; a lost shard is made again on another worker."""

import pickle

import numpy as np

from .shard import Shard
from .workers import LOOK, NOT_YET, PATIENCE, ClusterError, some_workers, workers_of

STARTS = 5  # attempts to start a shard before it is an error
ENDING = (
    "Workers fail while they load their rows: see their logs. They may lack memory, or a "
    "module that computes the chunks."
)
LOST = (OSError, RuntimeError)  # raised by calls of an actor whose worker is gone


def ask_all(shards, method):
    """Return the replies of all shards; ask lost shards again once they are made again."""
    replies = {}
    while len(replies) < len(shards):
        replies |= shards.ask(method, {k: () for k in range(len(shards)) if k not in replies})
    return [replies[k] for k in range(len(shards))]


class _ActorArguments:
    """The arguments of a call, dropped after the reply.

    distributed keeps sent objects until a garbage collection, which counts objects, not bytes, and may be
    hundreds of calls later.
    """

    def __init__(self, args):
        self.args = args


class ShardActor(Shard):
    """A shard on a worker; without rows if all chunks are empty."""

    empty = False

    def __init__(self, X, y, sample_weight=None):
        self.empty = not any(block.shape[0] for block in X)
        if self.empty:
            return
        try:
            super().__init__(X, y, sample_weight)
        except ValueError as error:
            raise ValueError(f"{error} The row is counted within the chunks of a worker.") from None

    def is_empty(self):
        """Return whether there are no rows."""
        return self.empty

    def call(self, method, sent):
        """Call a method."""
        return getattr(self, method)(*sent.args)


class ReceivingShardActor(ShardActor):
    """A shard that makes its rows from the sources it receives, call after call.

    Calls return errors instead of raising them, since some errors look like a lost worker.
    """

    def __init__(self, function, *shared):
        self.function, self.shared, self.made = function, shared, []

    def add(self, packed):
        """Make the rows of a packed source; return the number of rows, or an error."""
        try:
            self.made.append(self.function(pickle.loads(packed), *self.shared))
        except Exception as error:
            return error
        return len(self.made[-1][1])

    def close(self):
        """Become the shard of all rows; return the number of rows, or an error."""
        made, self.made = self.made, []
        try:
            super().__init__(*map(list, zip(*made, strict=True)))
        except Exception as error:
            return error
        return sum(len(y) for _, y in made)


class Cluster:
    """The shards of a fit, one on each worker that has blocks with rows; `SDCARounds` drives them.

    Parameters
    ----------
    client : distributed.Client
    blocks : list of tuples of delayed objects
        Blocks of X, y and optionally weights. They are computed again when a shard is lost.
    """

    def __init__(self, client, blocks):
        self.client = client
        shared = self._shared_out(blocks, some_workers(client))
        self.places, self.blocks = map(list, zip(*shared.items(), strict=True))
        self.futures = [None] * len(shared)  # a worker drops an actor without a future
        self.made = False  # whether all shards were made
        for k in range(len(shared)):
            self._start_shard(k)
        self.actors = [self._await_shard(k) for k in range(len(shared))]
        begun = [k for k, actor in enumerate(self.actors) if actor is not None]
        lost = [k for k, actor in enumerate(self.actors) if actor is None]
        for k in lost + self._fill(begun):
            self._restart_shard(k)
        self._leave_out_empty()
        self.made = True

    def __len__(self):
        return len(self.actors)

    def ask(self, method, calls):
        """Call a method of some shards at the same time.

        Parameters
        ----------
        method : str
        calls : dict of the number of a shard to its arguments

        Returns
        -------
        dict of the number of a shard to its reply, of those that were not lost
        """
        replies = self._replies({k: (method, args) for k, args in calls.items()})
        for k in (lost := [k for k, reply in replies.items() if reply is None]):
            self._restart_shard(k)
        return {k: reply for k, reply in replies.items() if k not in lost}

    def _replies(self, calls):
        """Call a method of each of some shards at the same time; the reply of a lost shard is None."""
        pending = {k: self._begin_call(k, *call) for k, call in calls.items()}
        return {k: self._await_reply(k, *call) for k, call in pending.items()}

    def _begin_call(self, k, method, args):
        """Begin a call; return its future, or None if the worker is lost, and its arguments."""
        sent = _ActorArguments(args)
        try:
            with self.client.as_current():  # the first call of an actor looks for a client
                return self.actors[k].call(method, sent), sent
        except LOST:
            return None, sent

    def _leave_out_empty(self):
        """Remove the shards without rows."""
        empty = ask_all(self, "is_empty")
        if all(empty):
            raise ValueError("X has no rows.")
        for k in np.flatnonzero(empty)[::-1]:
            del self.places[k], self.blocks[k], self.actors[k], self.futures[k]

    def _await_reply(self, k, future, sent):
        """Wait for the result of a call; None if the worker is lost."""
        try:
            while future is not None:
                try:
                    return future.result(timeout=LOOK)
                except NOT_YET:
                    pass
                except LOST:
                    future = None
                if self.places[k] not in workers_of(self.client) or self.futures[k].status != "finished":
                    return None
            return None
        finally:
            sent.args = None

    def _start_shard(self, k):
        """Begin to make a shard on its worker."""
        client, address = self.client, self.places[k]
        columns = [
            client.compute(list(column), workers=[address], allow_other_workers=True)
            for column in zip(*self.blocks[k], strict=True)
        ]
        weights = columns[2] if len(columns) > 2 else None
        self._submit_actor(k, ShardActor, *columns[:2], weights)

    def _calls_to_fill(self, k):
        """Yield the calls (method, arguments) that give a new actor its rows; here it has them already."""
        yield from ()

    def _fill(self, shards):
        """Give all new actors their rows at the same time, call by call; return the lost ones."""
        left, lost = {k: self._calls_to_fill(k) for k in shards}, []
        while calls := {k: call for k, rest in left.items() if (call := next(rest, None))}:
            for k, reply in self._replies(calls).items():
                if isinstance(reply, Exception):
                    raise reply
                if reply is None:
                    lost.append(k)
                    del left[k]
        return lost

    def _submit_actor(self, k, kind, *args):
        """Begin to make an actor on the worker of a shard."""
        self.futures[k] = self.client.submit(
            kind, *args, workers=[self.places[k]], allow_other_workers=False, actor=True, pure=False
        )

    def _await_shard(self, k):
        """Wait for a shard; return None if its worker is lost meanwhile."""
        from distributed import KilledWorker

        future = self.futures[k]
        while True:
            try:
                return future.result(timeout=LOOK)
            except NOT_YET:
                gone = future.status in ("cancelled", "lost")
            except LOST:
                if future.status == "error":  # of the chunks themselves
                    raise
                gone = True
            except KilledWorker as error:
                raise ClusterError(ENDING) from error
            if gone or self.places[k] not in workers_of(self.client):
                future.cancel()
                return None

    def _restart_shard(self, k):
        """Make a shard again, on the worker with the fewest shards."""
        self.actors[k] = None
        here = [place for j, place in enumerate(self.places) if j != k]
        for _ in range(STARTS):
            try:
                workers = some_workers(self.client)
            except ClusterError as error:
                if self.made:
                    raise
                workers_of(self.client)  # raises if the scheduler is gone
                raise ClusterError(ENDING) from error
            self.places[k] = min(workers, key=here.count)
            self._start_shard(k)
            self.actors[k] = self._await_shard(k)
            if self.actors[k] is not None and not self._fill([k]):
                return
        raise ClusterError(ENDING)

    def _shared_out(self, blocks, workers):
        """Give each worker about the same number of blocks, first those whose X it already has."""
        most = -(-len(blocks) // len(workers))
        persisted = [block[0].key for block in blocks]
        client = self.client
        holders = client.sync(client.scheduler.who_has, keys=persisted, callback_timeout=PATIENCE)
        shared, left = {worker: [] for worker in workers}, []
        for block in blocks:
            here = [w for w in holders.get(block[0].key, ()) if w in shared and len(shared[w]) < most]
            (shared[here[0]] if here else left).append(block)
        for block in left:
            min(shared.values(), key=len).append(block)
        return {worker: own for worker, own in shared.items() if own}
