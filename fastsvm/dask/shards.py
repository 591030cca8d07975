"""Work in shards: any worker processes a shard, another if it is lost; results come in order."""

import pickle
from collections import deque
from functools import partial
from itertools import islice

from .workers import LOOK, NOT_YET, PATIENCE, ClusterError, some_workers, workers_of

AHEAD = 2  # shards in progress for each thread of the workers


def map_shards(client, function, shards, *shared):
    """Call a function of each shard on the workers, and yield the results in order.

    If a worker is lost, its shards go to another worker; each result comes once. Shards are read when needed:
    at most two are in progress for each thread of the workers.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    function : callable
        A function that workers can import. It is called with a shard and the shared values.
    shards : iterable
        Picklable objects. Their content is sent, so workers may have another file system.
    *shared : object
        Values for all calls, sent once; or results of `share_with_workers`.

    Yields
    ------
    object

    Raises
    ------
    ClusterError
        If the connection to the scheduler is lost, no worker is left, or a shard makes workers fail.

    Examples
    --------
    >>> for X in map_shards(client, HashedBagOfWords.transform, shards):       # doctest: +SKIP
    ...     write(X)
    """
    places = shared_with_workers(client, shared)
    submit = partial(client.submit, _call_with_shard, function, pure=False)
    futures, pending = (submit(packed_shard(shard), *places) for shard in shards), deque()
    threads = sum(some_workers(client).values())
    while True:
        try:
            pending.extend(islice(futures, AHEAD * threads - len(pending)))
        except Exception:
            workers_of(client)  # raises ClusterError if the scheduler is gone
            raise
        if not pending:
            return
        yield _shard_result(client, pending.popleft())


def share_with_workers(client, value):
    """Send a value to a cluster, to be shared by several calls of `map_shards` and `place_shards`.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    value : object
        A picklable object.

    Returns
    -------
    distributed.Future
        Workers keep the value as long as this object exists.

    Examples
    --------
    >>> bag = share_with_workers(client, bag)                                        # doctest: +SKIP
    >>> counts = [X.sum() for X in map_shards(client, count_words, shards, bag)]  # doctest: +SKIP
    """
    return client.submit(pickle.loads, packed_shard(value), pure=False)


def shared_with_workers(client, values):
    """Send the values that are not futures yet."""
    from distributed import Future

    return [value if isinstance(value, Future) else share_with_workers(client, value) for value in values]


def packed_shard(value):
    """Return a value as bytes, which Dask does not inspect."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def predicted_rows(rows, model, method, none):
    """Call a model's method with a chunk of rows; here, since this file needs no scikit-learn on workers."""
    return getattr(model, method)(rows) if rows.shape[0] else none


def _call_with_shard(function, shard, *shared):
    return function(pickle.loads(shard), *shared)


def _shard_result(client, future):
    from distributed import KilledWorker, wait

    while True:
        try:
            with client.as_current():  # `wait` looks for a client
                wait(future, timeout=LOOK)
            return future.result(timeout=PATIENCE)
        except KilledWorker as error:
            raise ClusterError(
                "Several workers were lost with the same shard: give them more memory, or use smaller shards."
            ) from error
        except (OSError, *NOT_YET):  # OSError: the connection broke while the result was fetched
            if future.status == "error":
                return future.result()  # the function's own error
            some_workers(client)
            if future.cancelled():
                raise ClusterError("The cluster was restarted meanwhile: try again.") from None
