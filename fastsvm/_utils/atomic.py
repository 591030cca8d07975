"""Files that are written atomically, arrays in such files, and folders that one process locks."""

import json
import os
import stat
import zlib
from contextlib import ExitStack, contextmanager, suppress

from .interrupts import held_interrupts

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    flock = None  # type: ignore[assignment]

has_written = False  # whether this process has written a file, or has tried to
ABOUT = "about"  # an array in a file of `write_arrays`: JSON
IN_USE = "another process is working on it; wait for it, or choose another"


@contextmanager
def replacing(path):
    """Open a file that replaces `path` once everything is written.

    Any failure before that, Ctrl-C included, leaves only the old file; so do SIGTERM and SIGHUP in a command.
    After ``kill -9`` the unfinished file, ``.fastsvm-*.tmp``, is beside the old one.

    Parameters
    ----------
    path : str or path-like
        Links and permissions are kept. A pipe or a device is written directly.

    Yields
    ------
    file : binary file

    Raises
    ------
    OSError
        If `path` cannot be written.
    """
    global has_written
    path, has_written = os.fspath(path), True
    if os.path.exists(path) and not os.path.isfile(path):
        with naming(path), open(path, "wb") as file:
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
        _remove(temporary)
        own = isinstance(error, OSError) and error.filename in (None, temporary)
        if own and error.errno is not None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, path) from None  # not the temporary name
        raise


def write_arrays(path, about, arrays):
    """Write named arrays, and facts about them as JSON, to a NumPy file (.npz), atomically."""
    import numpy as np

    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    # `zipfile` would turn an interrupt into a ValueError.
    with replacing(path) as file, held_interrupts():
        np.savez(file, **{ABOUT: text}, **arrays)


def read_arrays(path):
    """Return what `write_arrays` wrote; raise an OSError, or for another or a damaged file a ValueError."""
    import numpy as np

    try:
        with open(path, "rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        return json.loads(arrays.pop(ABOUT).tobytes()), arrays
    except OSError:
        raise
    except Exception as error:  # zipfile, zlib and json have many
        raise ValueError(f"{path}: the file is damaged ({error})") from None


@contextmanager
def temporary_folder(place):
    """Make a folder ``.fastsvm-*`` that is removed at the end of the context, even after a signal."""
    from tempfile import TemporaryDirectory

    with held_interrupts():  # between the folder and its removal
        folder = TemporaryDirectory(prefix=".fastsvm-", dir=place, ignore_cleanup_errors=True)
    try:
        yield folder.name
    finally:
        with held_interrupts():  # else half of it would stay
            folder.cleanup()


@contextmanager
def naming(path):
    """Name the file in errors that name none, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None and not isinstance(error, BrokenPipeError):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


@contextmanager
def held(path):
    """Lock a folder, or a file that may be replaced, as long as the context or the process lasts.

    Parameters
    ----------
    path : str or path-like, or None
        For a file, which need not exist, a hidden file beside it is locked, ``.fastsvm-*.lock``. Pipes,
        devices and None are not locked.

    Raises
    ------
    BlockingIOError
        If another process has the lock. Some file systems have no locks; there, nothing is locked.
    """
    is_folder = path is not None and os.path.isdir(path)
    target, flags = path, os.O_RDONLY
    can_hold = flock is not None and path is not None
    if can_hold and not is_folder:
        folder, name = os.path.split(os.path.realpath(path))
        can_hold = os.path.isfile(path) or not os.path.exists(path)
        target = os.path.join(folder, f".fastsvm-{zlib.crc32(os.fsencode(name)):08x}.lock")
        flags = os.O_RDWR | os.O_CREAT
    with ExitStack() as stack:
        while can_hold:
            try:
                descriptor = os.open(target, flags | os.O_CLOEXEC, 0o666)
                stack.callback(os.close, descriptor)
                flock(descriptor, LOCK_EX | LOCK_NB)
            except BlockingIOError as error:
                raise BlockingIOError(error.errno, IN_USE, os.fspath(path)) from None
            except OSError:  # not all file systems have locks; write errors appear later
                break
            if os.fstat(descriptor).st_nlink:  # else its holder has just removed it
                if not is_folder:
                    stack.callback(_remove, target)
                break
        yield


def _remove(path):
    with suppress(OSError):
        os.unlink(path)
