import json
import shutil
from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse

from fastsvm.io import MatrixFileError, MatrixWriter, feature_names, load, store_svmlight, svmlight


def a_matrix(n=50, d=12, seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_matrix(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4), dtype=np.float32)


def stored(folder, X, y, **more):
    with MatrixWriter(folder) as writer:
        writer.append(X[:20], y[:20])
        writer.append(X[20:], y[20:])
        writer.finish(**more)


def test_what_was_written_is_read_without_a_copy(tmp_path):
    X, y = a_matrix(), np.arange(50.0)
    stored(tmp_path / "X", X, y, n_features=15, feature_names=[f"column {k}" for k in range(15)])
    again, labels = load(tmp_path / "X", verify=True)
    assert again.shape == (50, 15)
    np.testing.assert_array_equal(again.toarray()[:, :12], X.toarray())
    np.testing.assert_array_equal(labels, y)
    assert not again.data.flags.writeable
    assert feature_names(tmp_path / "X")[14] == "column 14"
    assert sorted(path.name for path in (tmp_path / "X").iterdir()) == [
        *("data.npy", "indices.npy", "indptr.npy", "manifest.json", "y.npy")
    ]
    np.testing.assert_array_equal(np.load(tmp_path / "X" / "data.npy"), X.data)  # by NumPy alone


def test_adjacent_rows_are_views(tmp_path):
    X, y = a_matrix(), np.array(["a", "b"])[np.arange(50) % 2]
    stored(tmp_path / "X", X, y)
    whole = load(tmp_path / "X").X
    mask = np.zeros(50, bool)
    mask[7:30] = True
    for rows in (slice(7, 30), slice(-43, 30), np.arange(7, 30), mask):
        some, labels = load(tmp_path / "X", rows=rows)
        assert labels.tolist() == y[7:30].tolist()
        for view in (some, whole[rows], whole[rows, :], whole[rows, ...]):
            np.testing.assert_array_equal(view.toarray(), X[7:30].toarray())
            assert view.data.base is not None
            assert not view.data.flags.writeable
    assert whole[9:4].shape == (0, 12)
    for rows in (slice(0, 50, 2), np.array([3, 1]), ~mask, [-1, 0], np.zeros(50, bool), [49, 50], 3):
        with pytest.raises(ValueError, match="rows must be adjacent"):
            load(tmp_path / "X", rows=rows)
    for rows in (slice(0, 50, 2), np.array([3, 1]), ~mask, [-1, 0], 3):  # as SciPy has them
        np.testing.assert_array_equal(whole[rows].toarray(), X[rows].toarray())
    np.testing.assert_array_equal(whole[2:5, 1:3].toarray(), X[2:5, 1:3].toarray())


def test_an_interrupted_store_resumes(tmp_path, monkeypatch):
    """Whatever block a process is killed after, the next call makes the same files."""
    monkeypatch.setattr(svmlight, "READ_BYTES", 40)
    monkeypatch.setattr(svmlight, "SAVE_BYTES", 100)
    text = "".join(f"{i % 3} {i % 7 + 1}:{i} {i % 5 + 9}:.5\n" for i in range(40))
    (tmp_path / "a.svm").write_text(text)
    store_svmlight(tmp_path / "a.svm", tmp_path / "whole")
    plain, read = svmlight._parsed_svmlight, []
    for cut in (1, 3, 5):  # blocks that each attempt reads before it is cut

        def killed(text, begin, *rest, cut=cut):
            read.append(begin.line)
            if len(read) > cut:
                raise KeyboardInterrupt
            return plain(text, begin, *rest)

        monkeypatch.setattr(svmlight, "_parsed_svmlight", killed)
        read.clear()
        with pytest.raises(KeyboardInterrupt):
            store_svmlight(tmp_path / "a.svm", tmp_path / "X")
        assert not (tmp_path / "X").exists()
        monkeypatch.setattr(svmlight, "_parsed_svmlight", plain)
    begins = []
    monkeypatch.setattr(
        svmlight, "_parsed_svmlight", lambda *block: begins.append(block[1].line) or plain(*block)
    )
    store_svmlight(tmp_path / "a.svm", tmp_path / "X")
    assert begins[0] > 0
    for name in ("data.npy", "indices.npy", "indptr.npy", "y.npy"):
        assert (tmp_path / "X" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (tmp_path / "X.partial").exists()


def test_a_writer_resumes_what_was_saved_with_its_key(tmp_path):
    X, y = a_matrix(), np.ones(50)
    with MatrixWriter(tmp_path / "X", key="one") as writer:
        writer.append(X, y)
        writer.save("here")
        writer.append(X, y)
    with MatrixWriter(tmp_path / "X", key="one") as writer:
        assert (writer.position, writer.rows) == ("here", 50)
    with MatrixWriter(tmp_path / "X", key="two") as writer:
        assert (writer.position, writer.rows) == (None, 0)


def test_damage_is_one_line(tmp_path):
    stored(tmp_path / "whole", a_matrix(), np.ones(50))

    def message(damage, **options):
        shutil.rmtree(tmp_path / "X", ignore_errors=True)
        shutil.copytree(tmp_path / "whole", tmp_path / "X")
        damage(tmp_path / "X")
        with pytest.raises(MatrixFileError) as error:
            load(tmp_path / "X", **options)
        assert "\n" not in str(error.value)
        return str(error.value)

    def manifest_with(**changes):
        def damage(folder):
            manifest = json.loads((folder / "manifest.json").read_text())
            (folder / "manifest.json").write_text(json.dumps({**manifest, **changes}))

        return damage

    def flip(folder):
        content = bytearray((folder / "data.npy").read_bytes())
        content[-1] ^= 1
        (folder / "data.npy").write_bytes(content)

    def cut(folder):
        content = (folder / "indices.npy").read_bytes()
        (folder / "indices.npy").write_bytes(content[:-4])

    assert "checksum" in message(flip, verify=True)
    assert "indices.npy: the file is damaged" in message(cut)
    assert "is missing" in message(lambda folder: (folder / "y.npy").unlink())
    assert "is not a stored matrix" in message(lambda folder: (folder / "manifest.json").unlink())
    assert "shape" in message(manifest_with(shape=[50]))
    assert "version is 9" in message(manifest_with(version=9))
    assert "data.npy needs 3 items" in message(manifest_with(values=3))
    assert "indptr.npy needs 50 items" in message(manifest_with(shape=[49, 12]))
    assert "feature names" in message(manifest_with(feature_names=["a"]))
    assert "damaged" in message(lambda folder: (folder / "manifest.json").write_text("{"))

    # A pickle is an object array: refused by NumPy itself.
    def pickled(folder):
        np.save(folder / "data.npy", np.array([{}], object), allow_pickle=True)

    assert "data.npy: the file is damaged" in message(pickled)


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no rows"), MatrixWriter(tmp_path / "X") as writer:
        writer.finish()
    with pytest.raises(ValueError, match="49 labels"), MatrixWriter(tmp_path / "X") as writer:
        writer.append(a_matrix(), np.ones(49))
    with MatrixWriter(tmp_path / "X") as writer:
        writer.append(a_matrix(), np.ones(50))
        with pytest.raises(ValueError, match="texts in others"):
            writer.append(a_matrix(), ["a"] * 50)
    with (
        pytest.raises(ValueError, match="label of row 1 is nan, which is not a text"),
        MatrixWriter(tmp_path / "X") as writer,
    ):
        writer.append(a_matrix()[:2], np.array(["a", float("nan")], object))
    with pytest.raises(ValueError, match="dtype"):
        MatrixWriter(tmp_path / "X", dtype=int)
    assert not list(tmp_path.iterdir())


def test_blocks_of_any_form_are_rows(tmp_path):
    X = a_matrix()
    with MatrixWriter(tmp_path / "X") as writer:
        for block in X[:20], X[20:40].tocsc(), X[40:].toarray():
            writer.append(block, np.ones(block.shape[0]))
        writer.finish()
    np.testing.assert_array_equal(load(tmp_path / "X").X.toarray(), X.toarray())


def test_a_folder_has_one_writer(tmp_path):
    pytest.importorskip("fcntl")  # where there are no locks nobody knows
    X, y = a_matrix(), np.ones(50)
    with MatrixWriter(tmp_path / "X") as writer:
        writer.append(X, y)
        with pytest.raises(FileExistsError, match="another process is writing it"):
            MatrixWriter(tmp_path / "X")
        writer.finish()
    np.testing.assert_array_equal(load(tmp_path / "X", verify=True).X.toarray(), X.toarray())


def test_foreign_files_stay(tmp_path):
    own = tmp_path / "X.partial" / "letter.txt"
    own.parent.mkdir()
    own.write_text("mine")
    for _ in range(2):  # nobody holds the folder afterwards
        with pytest.raises(FileExistsError, match=r"foreign files, such as letter\.txt"):
            MatrixWriter(tmp_path / "X")
    assert own.read_text() == "mine"


@pytest.mark.parametrize("error", [None, OSError, KeyboardInterrupt])
def test_unsaved_rows_are_deleted(tmp_path, error):
    with suppress(OSError, KeyboardInterrupt), MatrixWriter(tmp_path / "X") as writer:
        writer.append(a_matrix(), np.ones(50))
        if error:
            raise error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("names", [["a"], [*"abcdefghijk", 1]], ids=["too few", "a number"])
def test_names_that_cannot_be_read_are_not_written(tmp_path, names):
    with MatrixWriter(tmp_path / "X") as writer:
        writer.append(a_matrix(), np.ones(50))
        with pytest.raises(ValueError, match="the feature names are not 12 texts"):
            writer.finish(feature_names=names)
        writer.finish(feature_names=[*"abcdefghijkl"])
    assert feature_names(tmp_path / "X") == [*"abcdefghijkl"]
