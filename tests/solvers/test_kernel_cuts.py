"""What BLAS is given does not depend on the number of threads: neither shapes nor places in memory."""

import numpy as np
import pytest
from scipy import sparse

from fastsvm.solvers.kernel._gram import kernel_scores, make_gram
from fastsvm.solvers.kernel._values import Kernel

pytestmark = pytest.mark.blas

LAYOUTS = {"dense": np.asarray, "csr": sparse.csr_array}


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS)
def X(request):
    return request.param(np.random.default_rng(0).normal(size=(1300, 5)))


@pytest.fixture
def tiles(monkeypatch):
    """The tiles that are computed: numbers of rows and columns, first column, begin of each array."""
    seen, inner = [], Kernel.tiles

    def recorded(self, few, many, first, last, *width):
        for start, stop, tile in inner(self, few, many, first, last, *width):
            arrays = [tile] if sparse.issparse(few.values) else [few.values, many.values[start:stop], tile]
            seen.append((tile.shape, tile.strides, start, *(array.ctypes.data % 64 for array in arrays)))
            yield start, stop, tile

    monkeypatch.setattr(Kernel, "tiles", recorded)
    return seen


# What is cut depends on neither the kernel nor the room alone: each with each among the slow tests.
CUTS = [
    pytest.param(name, size, marks=[] if name == "rbf" or size == 0.5 else pytest.mark.slow)
    for name in ("rbf", "poly", "laplacian", "sigmoid")
    for size in (1e-3, 0.5, 1, 1024)
]


@pytest.mark.parametrize(("name", "cache_size"), CUTS)
def test_of_scores(X, tiles, name, cache_size):
    kernel = Kernel(name, X)
    coef = np.ones((2, len(kernel.trained)))
    given = X if cache_size > 0.1 else X[:150]  # row by row
    cuts = []
    for threads in (1, 2, 5):
        tiles.clear()
        kernel_scores(kernel, kernel.trained, coef, given, cache_size=cache_size, threads=threads)
        cuts.append(sorted(tiles))
    assert cuts[0] == cuts[1] == cuts[2]
    assert all(place == 0 for _, _, _, *places in cuts[0] for place in places)


@pytest.mark.parametrize("cache_size", [1, 1024])
def test_of_rows_and_blocks(X, tiles, cache_size):
    which = np.arange(0, 1300, 7, dtype=np.int32)
    cuts = []
    for threads in (1, 2, 5):
        tiles.clear()
        gram = make_gram(X, "rbf", cache_size=cache_size, threads=threads)
        gram.fetch(which[:100], 0)
        gram.block(which, np.empty(len(which) ** 2, gram.rows.dtype))
        cuts.append(sorted(tiles))
    assert cuts[0] == cuts[1] == cuts[2]
