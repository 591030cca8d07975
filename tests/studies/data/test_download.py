"""Downloads, from a server on this machine: whole or not at all, and checked."""

import hashlib
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from fastsvm_apps.studies.data import dataset_files
from fastsvm_apps.studies.data.dataset_files import DatasetError, Source, find

CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"


class Server(ThreadingHTTPServer):
    """Serves one file; `cut` is after how many bytes an answer ends."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content, self.cut, self.status, self.requests = CONTENT, None, 200, []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/file.bin"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        if server.status != 200:
            self.send_error(server.status)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(server.content)))
        self.end_headers()
        self.wfile.write(server.content[: server.cut])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """A server, and an empty cache."""
    monkeypatch.setattr(dataset_files, "cache_folder", lambda: tmp_path / "cache")
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
    with pytest.raises(DatasetError, match=r"the download is damaged, or another file: .*; or put file.bin"):
        find(source)
    assert names(tmp_path) == []


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


@pytest.mark.parametrize("checksum", [SHA256, None])
def test_a_cut_download_leaves_nothing(checksum, server, tmp_path):
    server.cut = 100_000
    with pytest.raises(DatasetError, match=r"connection failed|damaged"):
        find(Source("file.bin", server.url, checksum))
    assert names(tmp_path) == []
    server.cut = None
    assert find(Source("file.bin", server.url, checksum)).read_bytes() == CONTENT


def test_no_network(server):
    url = server.url
    server.socket.close()
    with pytest.raises(DatasetError, match=r"the connection failed; or put file.npz or file.bin"):
        find(Source("file.bin", url, also="file.npz"))


def test_folders_come_first(server, tmp_path, monkeypatch):
    source = Source("file.bin", server.url, SHA256, also="file.npz")
    for name in "given", "environment":
        (tmp_path / name).mkdir()
    (tmp_path / "environment" / "file.bin").write_bytes(CONTENT)
    monkeypatch.setenv(dataset_files.VARIABLE, str(tmp_path / "environment"))
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
