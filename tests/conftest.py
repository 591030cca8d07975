"""Data that several tests use."""

import gc
import os
import signal
import sys
from pathlib import Path

# Matrices are small here, and BLAS's threads would spin while they wait for each other. It reads this once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

# All that is imported and collected stays: to look for garbage in it took a third of the time of collecting.
gc.disable()

# Each run tries the same examples: none may fail by chance. Fuzzing tries others.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.load_profile("same")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _threads_for_few_values(monkeypatch):
    """Matrices are small here, and get the threads that are asked for."""
    if "fastsvm.fitting.engine" in sys.modules:
        monkeypatch.setattr(sys.modules["fastsvm.fitting.engine"], "FEW_VALUES", 0)


@pytest.fixture
def shared():
    """The folder of real data sets, beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the data sets in {SHARED}, which are not here")
    return SHARED


@pytest.fixture
def problem():
    """A sparse, noisy binary problem: X (200 x 30, CSR), y in {-1, +1}."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((200, 30), density=0.3, random_state=rng, format="csr")
    y = np.where(X @ rng.normal(size=30) + 0.3 * rng.normal(size=200) > 0.1, 1, -1)
    return X, y


# A job in a shell's background ignores Ctrl-C, and so would the processes that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
