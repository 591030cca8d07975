"""Work shared out to the workers of a Dask cluster: the option, the connection, and shards in order."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

from .errors import AppError

if TYPE_CHECKING:
    from distributed import Client

CONNECTING = 10  # seconds to wait for the scheduler, and then for a first worker

scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Share the work out to the workers of the Dask scheduler there, such as tcp://host:8786.",
)


@contextmanager
def connected(address: str) -> Iterator["Client"]:
    """Connect to a scheduler whose workers have this version of fastsvm.

    What goes wrong with the cluster, inside too, is an AppError; Dask's own log is not shown.
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
    """Refuse a cluster without workers, or with some of another version of fastsvm."""
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except TimeoutError:
        advice = f"start some with dask worker {address}"
        raise AppError(f"{address}: this Dask scheduler has no workers; {advice}") from None
    from fastsvm import __version__ as own

    there = client.run(version, "fastsvm", on_error="return")
    there = {f"its worker {worker}": found for worker, found in there.items()}
    for place, found in (there | {"this Dask scheduler": _version_of_scheduler(client)}).items():
        if found != own:
            has = "no fastsvm" if isinstance(found, Exception) else f"fastsvm {found}"
            raise AppError(f"{address}: {place} has {has}; install fastsvm {own} there")


def _version_of_scheduler(client: "Client") -> str | Exception:
    """Return the version that reads what is sent on its way to workers, or why there is none."""
    try:
        return client.run_on_scheduler(version, "fastsvm")
    except PackageNotFoundError as error:
        return error


def map_shards(client: "Client", function: Callable, shards: Iterable, *shared: object) -> Iterator:
    """Yield ``function(shard, *shared)`` of each shard, in order; see `fastsvm.dask.map_shards`."""
    from fastsvm.dask import map_shards

    return map_shards(client, function, shards, *shared)
