"""The workers of a cluster, and the error if there are none."""

import time
from concurrent.futures import CancelledError

LOOK = 0.5  # seconds without a reply until the worker is checked
PATIENCE = 30.0  # seconds to wait for a first worker, which may be restarting
# Raised when waiting ends early; distributed's `sync` then has neither a result nor an error.
NOT_YET = (TimeoutError, CancelledError, UnboundLocalError)


class ClusterError(RuntimeError):
    """The cluster was lost during the work, or has no workers."""


def workers_of(client):
    """Return the threads of each worker, by its address.

    Raises
    ------
    ClusterError
        If the scheduler does not answer.
    """
    try:
        if client.status == "running":
            return client.sync(client.scheduler.ncores, callback_timeout=PATIENCE)
    except (OSError, *NOT_YET):
        pass
    raise ClusterError("The cluster's scheduler is gone: start it and its workers, and try again.")


def some_workers(client):
    """Wait for workers and return them as `workers_of` does; raise ClusterError after `PATIENCE`."""
    since = time.monotonic()
    while not (workers := workers_of(client)):
        if time.monotonic() - since > PATIENCE:
            raise ClusterError(
                f"The cluster has had no worker for {PATIENCE:g} s: start workers, and try again."
            )
        time.sleep(LOOK)
    return workers
