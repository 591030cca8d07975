"""Files that are written whole or not at all, and what killed writers leave behind."""

import os
import stat
import subprocess
import sys
import time

import pytest

from fastsvm._utils import atomic
from fastsvm._utils.atomic import replacing, temporary_folder

locks = pytest.mark.skipif(not atomic._LOCKS, reason="no file locks here")


@pytest.fixture(autouse=True)
def first_in_the_process(monkeypatch):
    monkeypatch.setattr(atomic, "_swept", set())


def write(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


def left(path, seconds):
    """Make a file as a writer that was killed so many seconds ago has left it."""
    path.write_bytes(b"half")
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_the_old_content_stays_until_all_is_written(tmp_path):
    path = tmp_path / "file"
    write(path, b"old")

    def interrupted():
        with replacing(path) as file:
            file.write(b"new")
            file.flush()
            assert path.read_bytes() == b"old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_permissions_stay(tmp_path, mode):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    umask = os.umask(0o022)
    try:
        write(path)
        write(tmp_path / "other")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o644


@locks
def test_what_killed_writers_left_is_removed(tmp_path):
    own = left(tmp_path / f"{atomic._PREFIX}{'0' * 16}.tmp", 60)
    young = left(tmp_path / f"{atomic._PREFIX}{'1' * 16}.tmp", 1)
    other_host = left(tmp_path / f".fastsvm-00000000-{'2' * 16}.tmp", 3600)
    old_of_other_host = left(tmp_path / f".fastsvm-00000000-{'3' * 16}.tmp", 2 * 24 * 3600)
    of_older_version = left(tmp_path / f".fastsvm-{'4' * 16}.tmp", 2 * 24 * 3600)
    write(tmp_path / "file")
    assert [path.exists() for path in (own, young, other_host, old_of_other_host, of_older_version)] == [
        *(False, True, True, False, False)
    ]


@locks
def test_what_is_not_ours_stays(tmp_path):
    name = f"{atomic._PREFIX}{'0' * 15}"
    strangers = [
        left(tmp_path / other, 1e6)
        for other in (f"{name}0.tmp~", f"{name}.tmp", f"x{name}0.tmp", ".fastsvm-notes.tmp", "fastsvm.tmp")
    ]
    (tmp_path / f"{name}1.tmp").mkdir()
    (tmp_path / f"{name}2.tmp").symlink_to(left(tmp_path / "meant", 1e6))
    os.mkfifo(tmp_path / f"{name}3.tmp")
    for special in ("1", "3"):
        os.utime(tmp_path / f"{name}{special}.tmp", (0, 0))
    before = {*os.listdir(tmp_path)}
    write(tmp_path / "file")
    assert {*os.listdir(tmp_path)} == before | {"file"}
    assert all(path.exists() for path in strangers)


@locks
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give files away")
def test_files_of_other_users_stay(tmp_path):
    path = left(tmp_path / f"{atomic._PREFIX}{'0' * 16}.tmp", 1e6)
    os.chown(path, 12345, 12345)
    write(tmp_path / "file")
    assert path.exists()


WRITER = """
import sys, time
from fastsvm._utils.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"slow")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


@locks
@pytest.mark.parametrize("killed", [False, True])
def test_a_living_writer_keeps_its_file_however_slow_it_is(tmp_path, killed):
    command = [sys.executable, "-P", "-c", WRITER, str(tmp_path / "slow")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        (temporary,) = tmp_path.iterdir()
        os.utime(temporary, (0, 0))
        if killed:
            process.kill()
            process.wait()
        write(tmp_path / "file")
        assert temporary.exists() == (not killed)
    assert sorted(os.listdir(tmp_path)) == ["file"] + ["slow"] * (not killed)


OWNER = """
import os, sys
from fastsvm._utils.atomic import temporary_folder
with temporary_folder(sys.argv[1]) as path:
    os.mkdir(f"{path}/inner")
    open(f"{path}/inner/file", "w").close()
    print("working", flush=True)
    sys.stdin.read()
"""


@locks
@pytest.mark.parametrize("killed", [False, True])
def test_what_is_in_a_temporary_folder_goes_with_its_process_or_with_the_next_one(tmp_path, killed):
    command = [sys.executable, "-P", "-c", OWNER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        (temporary,) = tmp_path.iterdir()
        os.utime(temporary, (0, 0))
        if killed:
            process.kill()
            process.wait()
        with temporary_folder(tmp_path) as path:
            assert temporary.exists() == (not killed)
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert list(tmp_path.iterdir()) == []


@locks
def test_a_folder_is_searched_once(tmp_path, monkeypatch):
    searched = []
    monkeypatch.setattr(atomic, "_sweep", searched.append)
    for name in "abc":
        write(tmp_path / name)
    assert searched == [str(tmp_path)]


def test_a_folder_without_locks(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(atomic, "flock", unsupported)
    path = left(tmp_path / f"{atomic._PREFIX}{'0' * 16}.tmp", 1e6)
    write(tmp_path / "file")
    assert path.exists()  # nobody knows whether its writer lives
    monkeypatch.setattr(atomic, "_LOCKS", False)
    write(tmp_path / "other")
    assert {path.name for path in tmp_path.iterdir()} == {path.name, "file", "other"}
