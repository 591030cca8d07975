"""Shards on the workers of a cluster: each comes out once, in order, whatever happens to workers."""

import operator
import os
import signal
import sys

import pytest

pytest.importorskip("distributed")

from dask.distributed import Client, Future, LocalCluster
from distributed.comm import CommClosedError

import fastsvm
from fastsvm.dask import map_shards
from fastsvm_apps.common import dask_cluster as of_apps
from fastsvm_apps.common.errors import AppError

pytestmark = pytest.mark.blas


@pytest.mark.slow
def test_shards_come_out_once_and_in_order(client):
    taken = []

    def shards():
        for i in range(100):
            taken.append(i)
            yield i

    found = []
    for value in map_shards(client, operator.mod, shards(), 7):
        assert len(taken) <= len(found) + 4  # two for each thread
        found.append(value)
        if len(found) == 20:
            process = min(client.run(os.getpid).values())
            os.kill(process, signal.SIGKILL)
    assert found == [i % 7 for i in range(100)]


@pytest.mark.slow
def test_what_a_function_raises_is_raised(client):
    with pytest.raises(TimeoutError, match="its own"):
        list(map_shards(client, exec, ["raise TimeoutError('its own')"]))


@pytest.mark.slow
def test_a_connection_that_breaks_while_a_result_is_fetched(client, monkeypatch):
    fetch, broken = Future.result, iter([CommClosedError("connection reset by peer")])

    def result(future, timeout=None):
        for error in broken:
            raise error
        return fetch(future, timeout)

    monkeypatch.setattr(Future, "result", result)
    assert list(map_shards(client, operator.neg, [1, 2, 3])) == [-1, -2, -3]
    assert next(broken, None) is None


@pytest.mark.slow
def test_an_app_uses_workers_of_its_own_version(client, monkeypatch):
    address = client.scheduler.address
    with of_apps.connected(address) as connection:
        assert list(of_apps.map_shards(connection, operator.add, "ab", "c")) == ["ac", "bc"]
        told = connection.get_versions(packages=["fastsvm"])
    for version in "0.0.1", None:
        told["scheduler"]["packages"]["fastsvm"] = version
        has = f"fastsvm {version}" if version else "no fastsvm"
        monkeypatch.setattr(Client, "get_versions", lambda *_, **__: told)
        with pytest.raises(AppError, match=f"this Dask scheduler has {has}; install fastsvm"):
            connect(address)
    monkeypatch.undo()
    monkeypatch.setattr(fastsvm, "__version__", "0.0.1")
    with pytest.raises(AppError, match=r"worker tcp://.* has fastsvm .*; install fastsvm 0\.0\.1 there"):
        connect(address)


def connect(address):
    with of_apps.connected(address):
        pass


def test_a_scheduler_that_goes_away_is_an_error():
    options = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=1, threads_per_worker=1, **options) as cluster:

        def shards():
            yield 1
            cluster.close()
            yield 2

        with (
            pytest.raises(AppError, match="scheduler is gone"),
            of_apps.connected(cluster.scheduler_address) as client,
        ):
            list(of_apps.map_shards(client, abs, shards()))


def test_without_a_cluster(monkeypatch):
    monkeypatch.setattr(of_apps, "CONNECTING", 0.1)
    with pytest.raises(AppError, match=r"^tcp://127\.0\.0\.1:1: no Dask scheduler answers"):
        connect("tcp://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "fastsvm.dask", None)
    with pytest.raises(AppError, match=r'pip install "fastsvm\[dask\]"'):
        connect("tcp://127.0.0.1:1")
