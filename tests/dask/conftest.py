"""Clusters on this machine, whose workers start quickly; and no test of them waits for ever."""

import os
import signal
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LONGEST = 120  # seconds of a test, its set-up included; all of them together take a quarter of that
STARTING = 30  # seconds


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Make a test of this folder that waits for ever fail; pytest asks here for all tests."""
    if HERE not in item.path.parents:
        return (yield)

    def late(*_):
        pytest.fail(f"took more than {LONGEST} s")  # no TimeoutError, which waiting code expects

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def cluster_of(n_workers):
    """A cluster and a client of it, which is not the default one; workers are forked from a process that has
    imported what they need."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        context = get_mp_context()
        context.set_forkserver_preload(["distributed", "fastsvm.dask.linear", "fastsvm.dask.shard"])
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        )
        client = Client(cluster, set_as_default=False, timeout=STARTING)
        try:
            yield cluster, client
        finally:
            client.close(timeout=STARTING)
            cluster.close(timeout=STARTING)


class _Shared:
    """A cluster of two workers that tests have one after the other."""

    def __init__(self):
        self._opened = ExitStack()
        self._both = None

    def ready(self):
        """A client of it, once the workers that a test has killed are there again."""
        if self._both is None or not _is_whole(*self._both):
            self.close()
            self._both = self._opened.enter_context(cluster_of(2))
        return self._both[1]

    def close(self):
        self._opened.close()


def _is_whole(cluster, client):
    """Wait for the workers. One that is killed again before its nanny has done starting it stays dead."""
    try:
        client.wait_for_workers(2, timeout=STARTING)
    except TimeoutError:
        return False
    end = time.monotonic() + STARTING
    while any(nanny.process.status.name != "running" for nanny in cluster.workers.values()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture(scope="session")
def shared_cluster():
    with closing(_Shared()) as shared:
        yield shared


@pytest.fixture
def client(shared_cluster):
    """A client, the default one, of two workers."""
    client = shared_cluster.ready()
    with client.as_current():
        yield client


@pytest.fixture
def own_cluster():
    """Starts so many workers for a test alone: a context manager of the cluster and a client."""
    return cluster_of


@pytest.fixture
def kill():
    """What kills a worker, by its address."""

    def kill(client, address):
        os.kill(client.run(os.getpid, workers=[address])[address], signal.SIGKILL)

    return kill
