"""Files that are written whole or not at all, and folders that are gone in the end."""

import os
import re
import secrets
import shutil
import stat
import time
import zlib
from contextlib import contextmanager, suppress

try:
    from fcntl import LOCK_EX, LOCK_NB, flock

    _LOCKS, _HOST = True, os.fsencode(os.uname().nodename)
except ImportError:  # Windows, where what a killed process leaves behind stays
    _LOCKS, _HOST = False, b""

# A temporary file is locked by its writer, and tells which host made it: some network folders keep the locks
# of each host apart. There it takes a day without a change until a file counts as left behind; among files of
# this host seconds do, in which its writer has found the time to lock it.
_PREFIX = f".fastsvm-{zlib.crc32(_HOST):08x}-"
_NAME = re.compile(r"\.fastsvm-([0-9a-f]{8}-)?[0-9a-f]{16}\.tmp")
_SECONDS_OWN, _SECONDS_OTHER = 10, 24 * 3600
_FOLDER = re.compile(re.escape(_PREFIX) + r"[0-9a-f]{16}\.folder")

_swept: set[str] = set()


@contextmanager
def replacing(path):
    """Open a file that takes the place of `path` once all is written.

    Whatever fails before, Ctrl-C included, leaves what was there, and nothing else. A process that is killed
    leaves a hidden file beside it, which the next process that writes into the folder removes.

    Parameters
    ----------
    path : str or path-like
        A link stays a link, and what was private stays private. What is no regular file, such as a pipe,
        has nothing to lose and is written at once.

    Yields
    ------
    file : binary file

    Raises
    ------
    OSError
        Of this path, if it cannot be written.
    """
    path = os.fspath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    _sweep_once(folder)
    temporary = os.path.join(folder, f"{_PREFIX}{secrets.token_hex(8)}.tmp")
    try:
        with _created(temporary, target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if _LOCKS:  # while the file is locked; Windows renames none that is open
                os.replace(temporary, target)
        if not _LOCKS:
            os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        own = isinstance(error, OSError) and error.filename in (None, temporary)
        if own and error.errno is not None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, path) from None  # not the temporary name
        raise


@contextmanager
def temporary_folder(place):
    """Make a folder in a folder, for as long as the context lasts.

    A process that is killed leaves it behind; the next process that writes into `place` removes it.

    Parameters
    ----------
    place : str or path-like
        Where to make it.

    Yields
    ------
    path : str

    Raises
    ------
    OSError
        If it cannot be made.
    """
    place = os.path.realpath(place)
    _sweep_once(place)
    path = os.path.join(place, f"{_PREFIX}{secrets.token_hex(8)}.folder")
    os.mkdir(path, 0o700)
    with held(path):
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def held(folder):
    """Hold a folder, for as long as the context or the process lasts.

    Parameters
    ----------
    folder : str or path-like

    Raises
    ------
    BlockingIOError
        If another process holds it. Where there are no locks nobody knows.
    """
    if not _LOCKS:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # not all file systems know locks
            pass
        yield
    finally:
        os.close(descriptor)


def _created(temporary, target):
    """Open a new file, locked, with the permissions of the one that it will replace."""
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    allowed = 0o666 if mode is None else mode
    file = open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, allowed))  # noqa: SIM115
    # Not all file systems know permissions or locks; without a lock nobody sweeps.
    if mode is not None:
        with suppress(OSError):  # the umask may have taken some
            os.chmod(temporary, mode)
    if _LOCKS:
        with suppress(OSError):
            flock(file.fileno(), LOCK_EX | LOCK_NB)
    return file


def _sweep_once(folder):
    if _LOCKS and folder not in _swept:
        _swept.add(folder)
        _sweep(folder)


def _sweep(folder):
    """Remove the temporary files and folders that killed processes have left."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if _NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    _remove_abandoned(entry.path, entry.name.startswith(_PREFIX), os.unlink)
                elif _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    _remove_abandoned(entry.path, True, shutil.rmtree)


def _remove_abandoned(path, own, remove):
    access = os.O_RDWR if remove is os.unlink else os.O_RDONLY
    descriptor = os.open(path, access | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        age = time.time() - status.st_mtime
        if status.st_uid == os.geteuid() and age > (_SECONDS_OWN if own else _SECONDS_OTHER):
            flock(descriptor, LOCK_EX | LOCK_NB)  # fails while its writer lives
            remove(path)
    finally:
        os.close(descriptor)
