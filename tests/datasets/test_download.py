"""Downloads, from a server on this machine: whole or not at all, resumed after a cut, checked."""

import hashlib
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from fastsvm_apps.studies.data import DatasetError, _download, _files, fetch_libsvm
from fastsvm_apps.studies.data._download import unpacked
from fastsvm_apps.studies.data._files import Source, find

CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


class Server(ThreadingHTTPServer):
    """Serves one file; `cuts` says after how many bytes each of the next answers ends."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.etag, self.cuts, self.status, self.requests = CONTENT, '"1"', [], 200, []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/file.bin"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server, start = self.server, 0
        server.requests.append(dict(self.headers))
        if server.status != 200:
            self.send_error(server.status)
            return
        if "Range" in self.headers and self.headers["If-Range"] == server.etag:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if start > len(server.content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(server.content) - start))
        if server.etag:
            self.send_header("ETag", server.etag)
        self.end_headers()
        end = start + server.cuts.pop(0) if server.cuts else None
        self.wfile.write(server.content[start:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server, an empty cache, and no time lost between tries."""
    monkeypatch.setattr(_download, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(_download, "PAUSE", 0.0)
    monkeypatch.delenv("FASTSVM_DATA", raising=False)
    with Server() as server:
        thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def names(tmp_path):
    return sorted(path.name for path in (tmp_path / "cache").iterdir())


@pytest.mark.parametrize("checksum", [SHA256, f"md5:{hashlib.md5(CONTENT).hexdigest()}"])
def test_a_file_is_downloaded_once(checksum, server, tmp_path):
    source = Source("file.bin", server.url, checksum)
    assert find(source).read_bytes() == CONTENT
    assert find(source, download_if_missing=False).read_bytes() == CONTENT
    assert names(tmp_path) == ["file.bin"]
    assert len(server.requests) == 1


def test_a_wrong_checksum_leaves_nothing(server, tmp_path):
    source = Source("file.bin", server.url, SHA256)
    server.content = CONTENT[::-1]
    with pytest.raises(
        DatasetError, match=r"what came is not the file .* that fastsvm knows; or put file.bin"
    ):
        find(source)
    assert names(tmp_path) == []


def test_the_first_download_is_recorded_where_no_checksum_is_known(server, tmp_path):
    source = Source("file.bin", server.url)
    path = find(source)
    assert names(tmp_path) == ["file.bin", "file.bin.sha256"]
    assert (tmp_path / "cache" / "file.bin.sha256").read_text() == f"{SHA256[7:]}  file.bin\n"
    path.write_bytes(b"spoilt")
    assert find(source).read_bytes() == CONTENT
    server.content = CONTENT[1:]
    path.unlink()
    with pytest.raises(DatasetError, match=r"not the file that was there before: .*file.bin.sha256 knows"):
        find(source)
    assert names(tmp_path) == ["file.bin.sha256"]


def test_a_file_without_its_record_is_not_taken_for_whole(server, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "file.bin").write_bytes(CONTENT[:1000])
    assert find(Source("file.bin", server.url)).read_bytes() == CONTENT


@pytest.mark.parametrize("checksum", [SHA256, None])
def test_a_cut_download_goes_on_where_it_was_cut(checksum, server, tmp_path):
    server.cuts = [100_000, 70_000]
    assert find(Source("file.bin", server.url, checksum)).read_bytes() == CONTENT
    assert [each.get("Range") for each in server.requests] == [None, "bytes=100000-", "bytes=170000-"]
    assert not any(name.endswith((".part", ".version")) for name in names(tmp_path))


def test_another_process_goes_on_too(server, tmp_path):
    server.cuts = [50_000] * _download.ATTEMPTS
    source = Source("file.bin", server.url)
    with pytest.raises(DatasetError, match="what has come is kept, and the next try goes on from there"):
        find(source)
    assert names(tmp_path) == ["file.bin.part", "file.bin.part.version"]
    assert find(source).read_bytes() == CONTENT
    assert server.requests[-1]["Range"] == f"bytes={50_000 * _download.ATTEMPTS}-"


@pytest.mark.parametrize("etag", ['"2"', 'W/"2"', None])
def test_parts_of_two_versions_are_not_joined(etag, server):
    server.cuts = [50_000] * _download.ATTEMPTS
    if etag != '"2"':
        server.etag = etag
    with pytest.raises(DatasetError):
        find(Source("file.bin", server.url))
    server.content, server.etag = CONTENT[::-1], etag
    assert find(Source("file.bin", server.url)).read_bytes() == CONTENT[::-1]


def test_a_part_that_is_too_long_is_thrown_away(server, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "file.bin.part").write_bytes(CONTENT + b"more")
    (tmp_path / "cache" / "file.bin.part.version").write_text('"1"')
    assert find(Source("file.bin", server.url)).read_bytes() == CONTENT


@pytest.mark.parametrize(("status", "message"), [(404, "404 Not Found"), (503, "503 Service Unavailable")])
def test_what_the_server_says(status, message, server, tmp_path):
    server.status = status
    with pytest.raises(
        DatasetError, match=f"file.bin: the server says {message}; or put .* FASTSVM_DATA"
    ) as error:
        find(Source("file.bin", server.url, SHA256, also="file.npz"))
    assert "\n" not in str(error.value)
    assert names(tmp_path) == []
    assert len(server.requests) == 1


def test_no_network(server):
    url = server.url
    server.socket.close()
    with pytest.raises(DatasetError, match=r"the connection failed .*; or put file.npz or file.bin"):
        find(Source("file.bin", url, also="file.npz"))


def test_no_cache_can_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("")
    monkeypatch.setattr(_download, "cache_folder", lambda: tmp_path / "taken")
    with pytest.raises(DatasetError, match=r"(exists|directory); or put file.bin"):
        find(Source("file.bin", server.url))


def test_two_at_once_download_once(server):
    source = Source("file.bin", server.url)
    threads = [threading.Thread(target=find, args=(source,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert find(source).read_bytes() == CONTENT
    assert len(server.requests) == 1


def test_an_archive_is_unpacked_whole_or_not_at_all(tmp_path):
    archive, folder = tmp_path / "a.zip", tmp_path / "made" / "images"
    with zipfile.ZipFile(archive, "w") as file:
        for name in "a/b/X/1.jpg", "a/b/Y/2.jpg", "a/other.txt":
            file.writestr(name, name * 1000)
    spoilt = tmp_path / "spoilt.zip"
    spoilt.write_bytes(archive.read_bytes().replace(b"a/b/Y/2.jpga/b", b"a/b/Y/2.jpgA/b"))
    with pytest.raises(zipfile.BadZipFile):
        unpacked(spoilt, "a/b", folder)
    with pytest.raises(DatasetError, match="has no folder c"):
        unpacked(archive, "c", folder)
    assert list(folder.parent.iterdir()) == []
    unpacked(archive, "a/b", folder)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*")) == [
        "X/1.jpg",
        "Y/2.jpg",
    ]
    archive.unlink()
    unpacked(archive, "a/b", folder)  # it is there


def test_a_set_of_libsvm_from_the_network(server, monkeypatch):
    server.content = b"-1 3:1 11:0.5\n+1 123:2\n"
    monkeypatch.setattr("fastsvm_apps.studies.data.fetched._LIBSVM", server.url.rpartition("/")[0])
    X, y = fetch_libsvm("a9a")
    assert X.shape == (2, 123)
    assert X.dtype == np.float32
    assert (X[0, 10], X[1, 122]) == (0.5, 2)
    assert y.tolist() == [-1, 1]


def test_folders_come_first(server, tmp_path, monkeypatch):
    source = Source("file.bin", server.url, SHA256, also="file.npz")
    for name in "given", "environment":
        (tmp_path / name).mkdir()
    (tmp_path / "environment" / "file.bin").write_bytes(CONTENT)
    monkeypatch.setenv(_files.VARIABLE, str(tmp_path / "environment"))
    assert find(source, tmp_path / "given") == tmp_path / "environment" / "file.bin"
    (tmp_path / "given" / "file.npz").write_bytes(b"in our own format")
    assert find(source, str(tmp_path / "given")) == tmp_path / "given" / "file.npz"
    (tmp_path / "environment" / "file.bin").write_bytes(CONTENT[:-1])
    with pytest.raises(DatasetError, match=r"environment/file.bin: is not whole, or another file"):
        find(source)
    with pytest.raises(
        DatasetError, match=r"nowhere: no such folder; name one that has file.npz or file.bin"
    ):
        find(source, "nowhere")
    assert server.requests == []


def test_downloading_can_be_off(server):
    with pytest.raises(DatasetError, match=r"not in the cache, and downloading is off; or put file.bin"):
        find(Source("file.bin", server.url), download_if_missing=False)
    assert server.requests == []
