"""Rows that the workers read by themselves: lists of svmlight files, and stored matrices."""

import gzip

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("distributed")

from fastsvm import SDCAClassifier as Local
from fastsvm.dask import SDCAClassifier, load, read_svmlight
from fastsvm.dask.shard import Shard
from fastsvm.io import MatrixFileError, MatrixWriter


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = sparse.random_array((300, 20), density=0.3, random_state=rng, format="csr", dtype=np.float32)
    return sparse.csr_matrix(X), np.where(X @ rng.normal(size=20) > 0.1, 1.0, -1.0)


@pytest.fixture
def files(rows, tmp_path):
    """Three files, one of them compressed, and one without a row."""
    X, y = rows
    paths = []
    for number, (first, last) in enumerate([(0, 100), (100, 180), (180, 300), (300, 300)]):
        path = tmp_path / f"{number}.svm{'.gz' * (number == 1)}"
        lines = []
        for i in range(first, last):
            row = X[[i]]
            values = " ".join(f"{j + 1}:{v!r}" for j, v in zip(row.indices, row.data.tolist(), strict=True))
            lines.append(f"{y[i]:+g} {values}\n")
        with gzip.open(path, "wt") if number == 1 else open(path, "w") as file:
            file.writelines(lines)
        paths.append(path)
    return paths


@pytest.fixture
def folder(rows, tmp_path):
    with MatrixWriter(tmp_path / "X") as writer:
        writer.append(*rows)
        writer.finish()
    return tmp_path / "X"


def test_files_become_chunks(rows, files):
    X, y = read_svmlight(files, n_features=20)
    assert (X.numblocks, X.shape[1], X.dtype, y.dtype) == ((4, 1), 20, np.float32, np.float64)
    found = sparse.vstack([X.blocks[k].compute(scheduler="sync") for k in range(4)])
    np.testing.assert_array_equal(found.toarray(), rows[0].toarray())
    np.testing.assert_array_equal(y.compute(scheduler="sync"), rows[1])


def test_a_bad_line_of_a_file_is_named(files):
    with open(files[2], "a") as file:
        file.write("+1 21:3\n")
    X, _ = read_svmlight(files, n_features=20)
    with pytest.raises(ValueError, match=r"2\.svm, line 121: an index is not a whole number from 1 to 20"):
        X.compute(scheduler="sync")
    with pytest.raises(ValueError, match="no files"):
        read_svmlight([], n_features=20)
    with pytest.raises(ValueError, match="n_features must be"):
        read_svmlight(files, n_features=0)


def test_windows_of_a_stored_matrix_are_mapped(rows, folder):
    X, y = load(folder, n_chunks=4)
    assert (X.shape, X.chunks[0], y.chunks) == ((300, 20), (75,) * 4, ((75,) * 4,))
    blocks = [X.blocks[k].compute(scheduler="sync") for k in range(4)]
    np.testing.assert_array_equal(sparse.vstack(blocks).toarray(), rows[0].toarray())
    np.testing.assert_array_equal(y.compute(scheduler="sync"), rows[1])
    block = X.to_delayed()[1, 0].compute(scheduler="sync")  # as the shards take it
    assert Shard([block], [rows[1][75:150]]).rows.mapped
    with pytest.raises(MatrixFileError, match="is not a stored matrix"):
        load(folder.parent, n_chunks=4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["files", "folder"])
def test_workers_read_what_they_fit(client, rows, files, folder, kind):
    found = read_svmlight(files, n_features=20) if kind == "files" else load(folder, n_chunks=2)
    model = SDCAClassifier(alpha=0.1, random_state=0).fit(*found)
    local = Local(alpha=0.1, random_state=0, tol=1e-6).fit(*rows)
    assert model.objective_ - model.dual_gap_ <= local.objective_ <= model.objective_ * (1 + 1e-6)
