"""Permissions of files that are replaced; what fails midway is in tests/hostile/test_failed_writes.py."""

import os
import signal
import stat
import sys

import pytest

from fastsvm._utils.atomic import replacing, temporary_folder


def write(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


def test_ctrl_c_waits_for_the_end_of_a_temporary_folder(tmp_path, monkeypatch):
    remove = os.rmdir
    monkeypatch.setattr(os, "rmdir", lambda *a, **k: [signal.raise_signal(signal.SIGINT), remove(*a, **k)])
    with pytest.raises(KeyboardInterrupt), temporary_folder(tmp_path):
        pass
    assert os.listdir(tmp_path) == []


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
