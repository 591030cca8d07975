"""What the functions return: from small files of each format, our own samples, and the real sets."""

import bz2
import io
import re
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from fastsvm_apps.studies import data
from fastsvm_apps.studies.data import DatasetError, DatasetNotFoundError, dataset_files, fetched_sets, shipped


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for files; nothing comes from elsewhere."""
    monkeypatch.setattr(dataset_files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(fetched_sets, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.delenv("FASTSVM_DATA", raising=False)
    for name, source in vars(fetched_sets).items():
        if isinstance(source, fetched_sets.Source):  # these are not the real files
            monkeypatch.setattr(
                fetched_sets, name, fetched_sets.Source(source.name, source.url, None, source.also)
            )
    return tmp_path


@pytest.mark.parametrize(
    ("fetch", "files", "rows", "labels"),
    [
        (
            "skin",
            {"Skin_NonSkin.txt": "74\t85\t123\t1\r\n255\t254\t0\t2"},
            [[74, 85, 123], [255, 254, 0]],
            [1, 2],
        ),
        ("flame", {"flame.txt": "1.5\t27.25\t1\n2\t26\t2\n"}, [[1.5, 27.25], [2, 26]], [1, 2]),
        ("jain", {"jain.csv": "x,y,label\n0.5,17,2\n1,2,1\n"}, [[0.5, 17], [1, 2]], [2, 1]),
        (
            "prostate",
            {"prostmat.csv": '"control1","cancer1"\n-0.5,1.5\n2,3\n4,5\n'},
            [[-0.5, 2, 4], [1.5, 3, 5]],
            [0, 1],
        ),
        (
            "prostate",
            {"prostmat.csv": '"","control1","cancer1"\n"1",-0.5,1.5\n"2",2,3\n'},
            [[-0.5, 2], [1.5, 3]],
            [0, 1],
        ),
        (
            "usps",
            {"usps.bz2": "10 1:-1 256:1\n1 2:0.5 256:-1\n", "usps.t.bz2": "5 1:-1\n"},
            None,  # below
            [9, 0, 4],
        ),
    ],
)
def test_public_formats(fetch, files, rows, labels, folder):
    for name, content in files.items():
        packed = bz2.compress(content.encode()) if name.endswith(".bz2") else content.encode()
        (folder / name).write_bytes(packed)
    X, y = getattr(data, f"fetch_{fetch}")(data_home=folder)
    assert (X.dtype, X.flags.c_contiguous, y.tolist()) == (np.float32, True, labels)
    if rows is None:
        assert X.shape == (3, 256)
        assert X[:, [0, 1, 255]].tolist() == [[0, 0.5, 1], [0.5, 0.75, 0], [0, 0.5, 0.5]]
    else:
        assert X.tolist() == rows


def test_imdb(folder):
    with tarfile.open(folder / "aclImdb_v1.tar.gz", "w:gz") as archive:
        for name, text in {
            "train/pos/0_9.txt": "Good.<br />Naïve.",
            "test/neg/3_1.txt": "Worse.",
            "train/neg/0_3.txt": "Bad.",
            "train/unsup/0_0.txt": "?",
            "train/labeledBow.feat": "9 0:9",
        }.items():
            member = tarfile.TarInfo(f"aclImdb/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    texts, y = data.fetch_imdb(data_home=folder)
    assert texts == ["Bad.", "Good.<br />Naïve."]
    assert y.tolist() == ["neg", "pos"]
    assert data.fetch_imdb("test", data_home=folder)[0] == ["Worse."]
    with pytest.raises(ValueError, match="subset must be 'train' or 'test', got 'all'"):
        data.fetch_imdb("all", data_home=folder)


def test_blood_cells_from_the_archive(folder):
    with zipfile.ZipFile(folder / "blood-cells.zip", "w") as file:
        for place in "TRAIN/NEUTROPHIL/_0_2.jpeg", "TRAIN/MONOCYTE/_0_1.jpeg", "TEST/MONOCYTE/_0_3.jpeg":
            file.writestr(f"dataset2-master/dataset2-master/images/{place}", b"jpeg")
    files, y, groups = data.fetch_blood_cells(data_home=folder)
    assert y.tolist() == ["MONOCYTE", "NEUTROPHIL"]
    assert [Path(file).read_bytes() for file in files] == [b"jpeg"] * 2
    assert groups is None


def test_a_table_of_groups_that_lacks_a_file(folder):
    (folder / "cells" / "images" / "MONOCYTE").mkdir(parents=True)
    with pytest.raises(
        DatasetError, match="images: has no images; they are expected in a folder for each class"
    ):
        data.fetch_blood_cells(data_home=folder)
    (folder / "cells" / "images" / "MONOCYTE" / "1.jpeg").write_bytes(b"")
    (folder / "cells" / "groups.csv").write_text("file,label,original\n")
    with pytest.raises(DatasetError, match=re.escape("groups.csv: has no line for MONOCYTE/1.jpeg")):
        data.fetch_blood_cells(data_home=folder)


@pytest.mark.parametrize(
    ("fetch", "file"),
    [
        ("usps", "usps.npz"),
        ("usps", "usps.bz2"),
        ("skin", "skin.tsv.gz"),
        ("imdb", "aclImdb_v1.tar.gz"),
        ("prostate", "prostmat.csv"),
        ("jain", "jain.txt"),
    ],
)
def test_a_damaged_file(fetch, file, folder):
    fetch = getattr(data, f"fetch_{fetch}")
    with pytest.raises(DatasetNotFoundError, match="downloading is off; or put"):
        fetch(data_home=folder, download_if_missing=False)
    (folder / file).write_bytes(b"\x80\x81 cut")
    with pytest.raises(DatasetError, match=rf"{file}: cannot be read \(.*\); copy or download it") as told:
        fetch(data_home=folder)
    assert not isinstance(told.value, DatasetNotFoundError)


def test_an_unknown_name():
    with pytest.raises(ValueError, match=r"name must be one of a9a, .*, got 'a10a'"):
        data.fetch_libsvm("a10a")


def test_our_own_samples(monkeypatch, tmp_path):
    texts, y = data.load_reviews()
    assert len(texts) == len(y) == 2000
    assert set(y) == {"neg", "pos"}
    assert not any(re.match(r"\S+ (neg|pos) \d", text) for text in texts)
    files, y, groups = data.load_cells()
    assert len(files) == len(set(files)) == 40
    assert np.unique(y, return_counts=True)[1].tolist() == [10] * 4
    assert len(set(groups)) == 32
    monkeypatch.setattr(shipped, "DATA", tmp_path)
    with pytest.raises(
        DatasetError, match=r"data/reviews.txt is not installed with fastsvm: work in a clone"
    ):
        data.load_reviews()


def test_simulated():
    X, y, beta = data.make_simulated(20_000, 5, random_state=1)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=1e-5)
    # Of a score of variance |beta|^2 and noise of variance 1.
    expected = 1 - np.arctan(1 / np.linalg.norm(beta)) / np.pi
    assert np.mean(np.sign(X @ beta) == y) == pytest.approx(expected, abs=0.01)
    np.testing.assert_array_equal(data.make_simulated(20_000, 5, random_state=1)[0], X)


def test_overlap():
    X, y = data.make_overlap(20_001, random_state=np.random.default_rng(0))
    assert (y == -1).sum() == 10_000
    assert np.linalg.norm(X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)) == pytest.approx(3.5, abs=0.05)
    assert np.mean(np.sign(X.sum(axis=1)) != y) == pytest.approx(0.0401, abs=0.006)


@pytest.mark.slow
def test_the_real_sets(shared):
    X, y = data.fetch_usps(data_home=shared)
    assert X.shape == (9298, 256)
    assert (X.min(), X.max(), X.dtype) == (0, 1, np.float32)
    assert np.bincount(y).tolist() == [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821]
    X, y = data.fetch_skin(data_home=shared)
    assert X.shape == (245_057, 3)
    assert np.bincount(y).tolist() == [0, 50_859, 194_198]
    assert X[y == 1].mean(axis=0).argmax() == 2  # skin is red
    X, y = data.fetch_libsvm("a9a", data_home=shared)
    assert isinstance(X, sparse.csr_array)
    assert (X.shape, X.dtype) == ((32_561, 123), np.float32)
    assert np.unique(y).tolist() == [-1, 1]
    assert [
        len(data.fetch_flame(data_home=shared)[1]),
        len(data.fetch_jain(data_home=shared)[1]),
    ] == [240, 373]
    assert data.fetch_prostate(data_home=shared)[0].shape == (102, 6033)
    files, y, groups = data.fetch_blood_cells(data_home=shared)
    assert len(files) == 9957
    assert np.isin(y, ["LYMPHOCYTE", "NEUTROPHIL"]).sum() == 4982
    assert len(set(groups)) < 400
