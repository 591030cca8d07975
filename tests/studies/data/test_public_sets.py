"""What the public data sets are: from small files of each format, and the real ones."""

import bz2
from dataclasses import replace

import numpy as np
import pytest

from fastsvm_apps.studies.data import dataset_files
from fastsvm_apps.studies.data.dataset_files import DatasetError, DatasetNotFoundError
from fastsvm_apps.studies.data.public_sets import PUBLIC_SETS, fetch_public_set


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for files; nothing comes from elsewhere."""
    monkeypatch.setattr(dataset_files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.delenv("FASTSVM_DATA", raising=False)
    for name, known in PUBLIC_SETS.items():  # these are not the real files
        sources = tuple(replace(source, checksum=None) for source in known.sources)
        monkeypatch.setitem(PUBLIC_SETS, name, known._replace(sources=sources))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "files", "rows", "labels"),
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
def test_public_formats(name, files, rows, labels, folder):
    for file, content in files.items():
        packed = bz2.compress(content.encode()) if file.endswith(".bz2") else content.encode()
        (folder / file).write_bytes(packed)
    X, y = fetch_public_set(name, data_home=folder)
    assert (X.dtype, X.flags.c_contiguous, y.tolist()) == (np.float32, True, labels)
    if rows is None:
        assert X.shape == (3, 256)
        assert X[:, [0, 1, 255]].tolist() == [[0, 0.5, 1], [0.5, 0.75, 0], [0, 0.5, 0.5]]
    else:
        assert X.tolist() == rows


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("usps", ["usps.npz"]),
        ("usps", ["usps.bz2", "usps.t.bz2"]),
        ("skin", ["skin.tsv.gz"]),
        ("prostate", ["prostmat.csv"]),
        ("jain", ["jain.txt"]),
    ],
)
def test_a_damaged_file(name, files, folder):
    with pytest.raises(DatasetNotFoundError, match="downloading is off; or put"):
        fetch_public_set(name, data_home=folder, download_if_missing=False)
    for file in files:
        (folder / file).write_bytes(b"\x80\x81 cut")
    message = rf"{files[0]}: cannot be read \(.*\); copy or download it"
    with pytest.raises(DatasetError, match=message) as told:
        fetch_public_set(name, data_home=folder)
    assert not isinstance(told.value, DatasetNotFoundError)


@pytest.mark.slow
def test_the_real_sets(shared):
    for name, n_rows in {"usps": 9298, "skin": 245_057, "prostate": 102, "flame": 240, "jain": 373}.items():
        X, y = fetch_public_set(name, data_home=shared)
        assert (X.shape, X.dtype) == ((n_rows, PUBLIC_SETS[name].columns), np.float32)
        assert tuple(np.unique(y)) == PUBLIC_SETS[name].labels
    X, y = fetch_public_set("usps", data_home=shared)
    assert (X.min(), X.max()) == (0, 1)
    assert np.bincount(y).tolist() == [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821]
    X, y = fetch_public_set("skin", data_home=shared)
    assert np.bincount(y).tolist() == [0, 50_859, 194_198]
    assert X[y == 1].mean(axis=0).argmax() == 2  # skin is red
