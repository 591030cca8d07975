"""What the public data sets are: from small files of each format, from a server, and the real ones."""

import bz2
import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from fastsvm_apps.studies.data.public_sets import (
    PUBLIC_SETS,
    DatasetError,
    DatasetNotFoundError,
    fetch_public_set,
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache, and no folder of the environment; small files have no checksums."""
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache")
    monkeypatch.delenv("FASTSVM_DATA", raising=False)
    for name, known in PUBLIC_SETS.items():
        monkeypatch.setitem(PUBLIC_SETS, name, known._replace(sources=dict.fromkeys(known.sources)))
    return tmp_path / "cache"


SKIN, MEN = "74\t85\t123\t1\r\n255\t254\t0\t2", '"control1","cancer1"\n-0.5,1.5\n2,3\n4,5\n'
NUMBERED = '"","control1","cancer1"\n"1",-0.5,1.5\n"2",2,3\n'
USPS = {"usps.bz2": "10 1:-1 256:1\n1 2:0.5 256:-1\n", "usps.t.bz2": "5 1:-1\n"}


@pytest.mark.parametrize(
    ("name", "files", "rows", "labels"),
    [
        ("skin", {"Skin_NonSkin.txt": SKIN}, [[74, 85, 123], [255, 254, 0]], [1, 2]),
        ("flame", {"flame.txt": "1.5\t27.25\t1\n2\t26\t2\n"}, [[1.5, 27.25], [2, 26]], [1, 2]),
        ("jain", {"jain.csv": "x,y,label\n0.5,17,2\n1,2,1\n"}, [[0.5, 17], [1, 2]], [2, 1]),
        ("prostate", {"prostmat.csv": MEN}, [[-0.5, 2, 4], [1.5, 3, 5]], [0, 1]),
        ("prostate", {"prostmat.csv": NUMBERED}, [[-0.5, 2], [1.5, 3]], [0, 1]),
        ("usps", USPS, [[0, 0.5, 1], [0.5, 0.75, 0], [0, 0.5, 0.5]], [9, 0, 4]),
    ],
)
def test_public_formats(name, files, rows, labels, tmp_path):
    for file, content in files.items():
        packed = bz2.compress(content.encode()) if file.endswith(".bz2") else content.encode()
        (tmp_path / file).write_bytes(packed)
    X, y = fetch_public_set(name, data_home=tmp_path)
    assert (X.dtype, X.flags.c_contiguous, y.tolist()) == (np.float32, True, labels)
    assert (X[:, [0, 1, 255]] if name == "usps" else X).tolist() == rows


def test_a_file_that_is_damaged_absent_or_another(tmp_path, monkeypatch):
    with pytest.raises(DatasetNotFoundError, match=r"downloading is off; put jain\.csv into a folder"):
        fetch_public_set("jain", data_home=tmp_path, download_if_missing=False)
    with pytest.raises(DatasetError, match=r"nowhere: no such folder; name a folder that contains jain\.csv"):
        fetch_public_set("jain", data_home="nowhere")
    monkeypatch.setenv("FASTSVM_DATA", str(tmp_path))
    for name, file in ("usps", "usps.npz"), ("skin", "skin.tsv.gz"), ("prostate", "prostmat.csv"):
        (tmp_path / file).write_bytes(b"\x80\x81 cut")
        with pytest.raises(DatasetError, match=rf"{file}: cannot be read \(.*\); copy or download it"):
            fetch_public_set(name)


def test_a_file_is_downloaded_once_whole_or_not_at_all(tmp_path, cache, monkeypatch):
    content = b"1.5 2 1\n3 4 2\n"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "flame.txt").write_bytes(content)
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=tmp_path / "site")) as server:
        thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/flame.txt"
        right, wrong = (f"sha256:{hashlib.sha256(each).hexdigest()}" for each in (content, b"other"))
        for address, checksum in (url, wrong), (url.replace("flame", "absent"), None):
            known = PUBLIC_SETS["flame"]._replace(sources={address: checksum})
            monkeypatch.setitem(PUBLIC_SETS, "flame", known)
            with pytest.raises(DatasetNotFoundError, match=r"cannot be downloaded .* put flame\.csv into"):
                fetch_public_set("flame")
            assert not [*cache.iterdir()]
        monkeypatch.setitem(PUBLIC_SETS, "flame", known._replace(sources={url: right}))
        first = fetch_public_set("flame")
        server.shutdown()
        thread.join()
    assert [each.tolist() for each in first] == [[[1.5, 2], [3, 4]], [1, 2]]
    np.testing.assert_array_equal(fetch_public_set("flame", download_if_missing=False)[0], first[0])
    monkeypatch.setitem(PUBLIC_SETS, "flame", known._replace(sources={url: wrong}))
    with pytest.raises(DatasetError, match=r"flame.txt: is incomplete or another file"):
        fetch_public_set("flame", data_home=cache)
