"""Work that is cut into shards: done by any worker, again if one is lost, and handed over in order."""

import pickle
from collections import deque
from itertools import islice

from .workers import LOOK, NOT_YET, PATIENCE, ClusterError, some_workers, workers_of

__all__ = ["in_turn", "map_shards", "packed", "send", "sent"]

AHEAD = 2  # shards for each thread of the workers that are on their way


def map_shards(client, function, shards, *shared):
    """Call a function of each shard on the workers, and yield what it returns, in order.

    A shard whose worker is lost goes to another one; each comes out once. Shards are taken as they are
    needed: there are never more than two on their way for each thread of the workers.

    Parameters
    ----------
    client : distributed.Client
    function : callable
        One that workers can import; called with a shard and the shared values.
    shards : iterable
        Of what can be pickled. They travel by content: workers may have another file system.
    *shared : object
        What all shards need, sent once; or what `send` returned.

    Yields
    ------
    object

    Raises
    ------
    ClusterError
        If the scheduler goes away, no worker is left, or a shard ends the workers that take it.

    Examples
    --------
    >>> for X in map_shards(client, HashedBagOfWords.transform, shards):       # doctest: +SKIP
    ...     write(X)
    """
    places = sent(client, shared)
    yield from in_turn(
        client, (client.submit(_call, function, packed(shard), *places, pure=False) for shard in shards)
    )


def send(client, value):
    """Send a value to a cluster, for several calls of `map_shards` and `place_shards` to share.

    Parameters
    ----------
    client : distributed.Client
    value : object
        One that can be pickled.

    Returns
    -------
    distributed.Future
        Workers hold the value for as long as this is held.

    Examples
    --------
    >>> bag = send(client, bag)                                              # doctest: +SKIP
    >>> counts = [X.sum() for X in map_shards(client, count_words, shards, bag)]  # doctest: +SKIP
    """
    return client.submit(pickle.loads, packed(value), pure=False)


def sent(client, values):
    """Send those of the values that are not there already."""
    from distributed import Future

    return [value if isinstance(value, Future) else send(client, value) for value in values]


def in_turn(client, futures):
    """Yield the results of futures in order; they are made one by one, so that only some are there."""
    futures, pending = iter(futures), deque()
    threads = sum(some_workers(client).values())
    while True:
        try:
            pending.extend(islice(futures, AHEAD * threads - len(pending)))
        except Exception:
            workers_of(client)  # what made it fail, if it is gone
            raise
        if not pending:
            return
        yield _result(client, pending.popleft())


def packed(value):
    """Return a value as bytes, into which Dask does not look."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _call(function, shard, *shared):
    return function(pickle.loads(shard), *shared)


def _result(client, future):
    from distributed import KilledWorker, wait

    while True:
        try:
            with client.as_current():  # `wait` looks for a client
                wait(future, timeout=LOOK)
            return future.result(timeout=PATIENCE)
        except KilledWorker as error:
            raise ClusterError(
                "Several workers were lost with the same shard: it may need more memory than they have."
            ) from error
        except (OSError, *NOT_YET):  # the first: a connection that breaks while the result is fetched
            if future.status == "error":
                return future.result()  # the function's own error
            some_workers(client)
            if future.cancelled():
                raise ClusterError("The cluster was started again meanwhile: try again.") from None
