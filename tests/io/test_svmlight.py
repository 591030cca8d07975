import gzip
import io
from functools import partial
from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from fastsvm.io import load, read_svmlight, store_svmlight, svmlight

NUMBERS = ["0", "-0", "+1", "1.", ".5", "-2.5e-3", "1E5", "1e-300"]
NUMBERS += ["12345678901234567", "0.12345678901234567"]


def random_number(rng):
    kind = rng.integers(4)
    if kind == 0:
        return str(rng.choice(NUMBERS))
    if kind == 1:
        return repr(float(rng.normal() * 10.0 ** rng.integers(-12, 12)))
    if kind == 2:
        return f"{rng.normal():.16g}"
    return f"{rng.normal():.25f}"


def random_text(rng, n, width):
    out = ["# a comment", "", "  -1   # an empty row"]
    for _ in range(n):
        columns = np.sort(rng.choice(width, rng.integers(0, 9), replace=False)) + 1
        pairs = [f"{column}:{random_number(rng)}" for column in columns]
        out.append(" ".join([random_number(rng), *pairs]) + rng.choice(["", " ", " # x 1:2", "\r"]))
    return "\n".join(out)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [64, 1 << 23])
def test_numbers_are_those_of_python(tmp_path, monkeypatch, dtype, block):
    monkeypatch.setattr(svmlight, "READ_BYTES", block)
    text = random_text(np.random.default_rng(0), 300, 40)
    (tmp_path / "plain.svm").write_text(text)
    (tmp_path / "packed.svm.gz").write_bytes(gzip.compress(text.encode()))
    store_svmlight(
        [tmp_path / "plain.svm", tmp_path / "packed.svm.gz"], tmp_path / "X", dtype=dtype, n_features=40
    )
    X, y = load(tmp_path / "X", verify=True)
    expected, labels = load_svmlight_file(
        str(tmp_path / "plain.svm"), n_features=40, dtype=dtype, zero_based=False
    )
    assert y.tolist() == 2 * labels.tolist()
    assert X.dtype == dtype
    np.testing.assert_array_equal(X.toarray(), np.tile(expected.toarray(), (2, 1)))


def test_columns_from_zero_and_groups_of_a_ranking(tmp_path):
    (tmp_path / "a").write_text("1 qid:7 0:1 2: 3\n2 qid:8 1: \t5")
    store_svmlight(tmp_path / "a", tmp_path / "X", zero_based=True)
    X, y = load(tmp_path / "X")
    assert (X.toarray().tolist(), y.tolist()) == ([[1, 0, 3], [0, 5, 0]], [1, 2])


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_rows_are_those_of_scikit_learn(tmp_path, end):
    text = random_text(np.random.default_rng(1), 200, 40).replace("\n", end or "\n") + end
    text = text.replace(" 1:", " qid:3 1:")
    (tmp_path / "a").write_bytes(text.encode())
    expected, labels = load_svmlight_file(str(tmp_path / "a"), zero_based=False)
    for source in (tmp_path / "a", io.BytesIO(text.encode())):
        X, y = read_svmlight(source, dtype=np.float64)
        assert (expected != X).nnz == 0
        assert y.tolist() == labels.tolist()


def test_a_gzip_bomb_is_refused(tmp_path):
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"0\n" * (16 << 20)))
    for read in (read_svmlight, partial(store_svmlight, folder=tmp_path / "X")):
        with pytest.raises(ValueError, match=r"bomb\.gz: .* more than 200 times its size; .* unpack it"):
            read(tmp_path / "bomb.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["bomb.gz"]


def test_an_error_in_a_stream_has_its_line(tmp_path):
    with pytest.raises(ValueError, match=r"^<stream>, line 2: indices must increase"):
        read_svmlight(io.BytesIO(b"1 1:1\n1 2:1 2:1\n"))


BAD = {
    "the label is not a finite number": ["one 1:2", "nan 1:2", "1:2 2:3"],
    "an index is not a whole number from 1 to 9": [
        *("1 0:2", "1 10:2", "1 99999999999999999999:2", "1 -1:2", "1 3", "1 \0:1")
    ],
    "an index without a finite number after its colon": [
        *("1 3:", "1 3:x", "1 3:1e", "1 3:inf", "1 3:1:2", "1 3:1_0", "1 3:1\0", "1 3:" + "1" * 500),
        *("1 3: ", "1 3: 4:5", "1 3: # 1"),
        "1 3:1e39",  # in float32
    ],
    "indices must increase": ["1 3:1 3:2"],
}


@pytest.mark.parametrize(("line", "what"), [(line, what) for what, lines in BAD.items() for line in lines])
def test_a_bad_line_is_named_and_nothing_is_left(tmp_path, line, what):
    (tmp_path / "a.svm").write_text(f"1 1:1\n\n{line}\n1 2:1\n")
    with pytest.raises(ValueError, match="line 3") as error:
        store_svmlight(tmp_path / "a.svm", tmp_path / "X", n_features=9)
    assert str(error.value) == f"{tmp_path / 'a.svm'}, line 3: {what}."
    assert [path.name for path in tmp_path.iterdir()] == ["a.svm"]


def test_a_mark_of_the_encoding_is_no_label(tmp_path):
    (tmp_path / "a.svm").write_bytes(b"\xef\xbb\xbf1 1:2\n0 2:1\n")
    store_svmlight(tmp_path / "a.svm", tmp_path / "X")
    for X, y in (load(tmp_path / "X"), read_svmlight(tmp_path / "a.svm")):
        assert (X.toarray().tolist(), y.tolist()) == ([[2, 0], [0, 1]], [1, 0])


def test_sources_and_parameters_that_cannot_be_meant_are_refused(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n")
    calls = (partial(store_svmlight, folder=tmp_path / "X"), read_svmlight)
    for call, (option, value) in product(calls, [("n_features", -1), ("n_features", 2.5), ("dtype", int)]):
        with pytest.raises(ValueError, match=f"{option} must be"):
            call(tmp_path / "a.svm", **{option: value})
    for call in calls:
        with pytest.raises(ValueError, match="no files"):
            call([])
        with pytest.raises(ValueError, match="this is a folder, a pipe or a device"):
            call(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.svm"]


def test_files_and_folders_that_cannot_be_used_are_refused(tmp_path):
    (tmp_path / "a").write_text("# nothing\n")
    with pytest.raises(ValueError, match="no rows"):
        store_svmlight(tmp_path / "a", tmp_path / "X")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1 1:1\n" * 9999, mtime=0)[:40])
    with pytest.raises(ValueError, match=r"cut\.gz: damaged gzip data"):
        store_svmlight(tmp_path / "cut.gz", tmp_path / "X")
    (tmp_path / "X").mkdir()
    with pytest.raises(FileExistsError, match="exists"):
        store_svmlight(tmp_path / "a", tmp_path / "X")
