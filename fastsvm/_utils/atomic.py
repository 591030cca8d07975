"""Files that are written whole or not at all, and folders that one process holds."""

import os
import stat
from contextlib import contextmanager, suppress

from .interrupts import held_interrupts

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    flock = None  # type: ignore[assignment]


@contextmanager
def replacing(path):
    """Open a file that takes the place of `path` once all is written.

    Any failure before that, Ctrl-C included, leaves the old file and nothing else; so do SIGTERM and SIGHUP
    in a command. After ``kill -9`` the unfinished file, ``.fastsvm-*.tmp``, is beside the old one.

    Parameters
    ----------
    path : str or path-like
        A link stays a link, and the permissions stay. A pipe or a device is written to at once.

    Yields
    ------
    file : binary file

    Raises
    ------
    OSError
        If `path` cannot be written.
    """
    path = os.fspath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".fastsvm-{os.urandom(8).hex()}.tmp")
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    created_with = 0o666 if mode is None else mode
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, created_with)) as file:
            if mode is not None:
                with suppress(OSError):  # some file systems have no permissions
                    os.chmod(temporary, mode)  # against the umask
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        own = isinstance(error, OSError) and error.filename in (None, temporary)
        if own and error.errno is not None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, path) from None  # not the temporary name
        raise


def temporary_folder(place):
    """Make a folder ``.fastsvm-*`` that no signal leaves behind; as a context it is removed at the end."""
    from tempfile import TemporaryDirectory

    with held_interrupts():  # between the folder and its removal
        return TemporaryDirectory(prefix=".fastsvm-", dir=place, ignore_cleanup_errors=True)


@contextmanager
def held(folder):
    """Hold a folder, for as long as the context or the process lasts.

    Parameters
    ----------
    folder : str or path-like

    Raises
    ------
    BlockingIOError
        If another process holds it. Without file locks two processes may hold it.
    """
    if flock is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # not all file systems have locks
            pass
        yield
    finally:
        os.close(descriptor)
