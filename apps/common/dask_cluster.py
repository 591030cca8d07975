"""Work distributed to the workers of a Dask cluster: the option, the connection, and shards in order."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from .errors import AppError

if TYPE_CHECKING:
    from distributed import Client

CONNECTING = 10  # seconds to wait for the scheduler, and then for a first worker

scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Distribute the work to the workers of the Dask scheduler at ADDRESS, for example tcp://host:8786.",
)


@contextmanager
def connected(address: str) -> Iterator["Client"]:
    """Connect to a scheduler whose workers have this version of fastsvm.

    Errors of the cluster, also inside the context, become an AppError. Dask's own log is not shown.
    """
    try:
        import dask

        from fastsvm.dask import ClusterError
    except ImportError as error:
        raise AppError('--scheduler needs Dask: pip install "fastsvm[dask]"') from error
    logging.disable()
    try:
        # Shards may be larger than the graphs that Dask warns of.
        with (
            dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}),
            _connect_to_scheduler(address) as client,
        ):
            _check_workers(client, address)
            yield client
    except ClusterError as error:
        raise AppError(f"{address}: {error}") from error
    finally:
        logging.disable(logging.NOTSET)


def _connect_to_scheduler(address: str) -> "Client":
    from distributed import Client

    try:
        return Client(address, timeout=CONNECTING)
    except (OSError, ValueError) as error:
        raise AppError(f"{address}: no Dask scheduler answers; start one with dask scheduler") from error


def _check_workers(client: "Client", address: str) -> None:
    """Refuse a cluster without workers, or in which any process has another version of fastsvm."""
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except TimeoutError:
        advice = f"start some with dask worker {address}"
        raise AppError(f"{address}: this Dask scheduler has no workers; {advice}") from None
    from fastsvm import __version__ as own

    told = client.get_versions(packages=["fastsvm"])
    workers = {f"its worker {worker}": found for worker, found in told["workers"].items()}
    for place, found in (workers | {"this Dask scheduler": told["scheduler"]}).items():
        if (version := found["packages"]["fastsvm"]) != own:
            has = f"fastsvm {version}" if version else "no fastsvm"
            raise AppError(f"{address}: {place} has {has}; install fastsvm {own} there")


def map_shards(client: "Client", function: Callable, shards: Iterable, *shared: object) -> Iterator:
    """Yield ``function(shard, *shared)`` for each shard, in order; see `fastsvm.dask.map_shards`."""
    from fastsvm.dask import map_shards

    return map_shards(client, function, shards, *shared)
