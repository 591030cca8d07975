"""Labels that are written chunk by chunk while workers are killed: every row once."""

import threading
import time

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da

from fastsvm.dask import Placed, SDCAClassifier
from fastsvm.fitting.sdca_rounds import LocalShards

CHUNKS, ROWS = 60, 20_000  # and rows of a chunk


@pytest.mark.slow
def test_killed_workers_lose_and_double_no_row(client, kill, tmp_path):
    X = da.random.default_rng(0).normal(size=(CHUNKS * ROWS, 8), chunks=(ROWS, 8))
    few = X.blocks[0].compute(scheduler="sync")
    model = SDCAClassifier(alpha=1e-2, random_state=0)
    model.fit(Placed(LocalShards.split(few, np.where(few[:, 0] > few[:, 1], "left", "right"), 2)))
    killed = []

    def kill_in_the_middle():
        end = time.monotonic() + 30
        while not killed and time.monotonic() < end:
            if len(list(tmp_path.glob("*.npy"))) > CHUNKS // 6:
                address = next(iter(client.scheduler_info()["workers"]))
                kill(client, address)
                killed.append(len(list(tmp_path.glob("*.npy"))))
            time.sleep(0.005)

    killer = threading.Thread(target=kill_in_the_middle)
    killer.start()
    da.to_npy_stack(tmp_path, model.predict(X))
    killer.join()
    assert killed
    assert killed[0] < CHUNKS
    local = model.to_local()
    for k in range(CHUNKS):
        expected = local.predict(X.blocks[k].compute(scheduler="sync"))
        np.testing.assert_array_equal(np.load(tmp_path / f"{k}.npy"), expected)
    assert len(list(tmp_path.glob("*.npy"))) == CHUNKS
