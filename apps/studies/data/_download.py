"""Downloads into a cache: each goes on where an earlier one was cut, and counts only once it is whole."""

import hashlib
import os
import tempfile
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

from fastsvm._utils.atomic import replacing

try:
    from fcntl import LOCK_EX, flock

    _LOCKS = True
except ImportError:  # Windows, where two processes must not download the same file at once
    _LOCKS = False

CHUNK = 1 << 16  # bytes
ATTEMPTS = 4
PAUSE = 1.0  # seconds after the first cut; twice as many after each one more
TIMEOUT = 30.0  # seconds without a byte


class DatasetError(OSError):
    """A data set cannot be used; in one line, with what to do about it."""


class DatasetNotFoundError(DatasetError):
    """A data set is neither at hand nor to be had."""


def cache_folder():
    """Return the folder of what has been downloaded; it need not exist."""
    try:
        import pooch
    except ImportError as error:
        raise DatasetError("downloads need pooch: pip install fastsvm[datasets]") from error
    return Path(pooch.os_cache("fastsvm"))


def cached(source):
    """Return the path of a file that is whole in the cache, or None."""
    path = cache_folder() / source.name
    checksum = source.checksum or recorded(path)
    return path if checksum and path.exists() and is_whole(path, checksum) else None


def is_whole(path, checksum):
    """Tell whether a file has a checksum, "sha256:..." or "md5:..."."""
    kind, _, digest = checksum.partition(":")
    with open(path, "rb") as file:
        return hashlib.file_digest(file, kind).hexdigest() == digest


def recorded(path):
    """Return the checksum that was recorded when a file was first downloaded, or None."""
    record = _beside(path, "sha256")
    return f"sha256:{record.read_text(encoding='ascii').split()[0]}" if record.exists() else None


def _beside(path, ending):
    return path.with_name(f"{path.name}.{ending}")


def downloaded(source):
    """Return the path of a file in the cache, downloaded unless another process just has.

    Raises
    ------
    DatasetError
        When it cannot be had, or is another file than it was.
    """
    path = cache_folder() / source.name
    import requests

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent):
            if cached(source) is None:
                _download(source, path)
    except (requests.RequestException, ValueError, OSError) as error:
        raise DatasetError(f"{source.url}: {_reason(error, path)}") from error
    return path


def _download(source, path):
    import pooch

    known = source.checksum or recorded(path)
    path.unlink(missing_ok=True)  # it is spoilt, or was left without a record by a process that was killed
    store = pooch.create(path.parent, "", registry={path.name: known}, urls={path.name: source.url})
    store.fetch(path.name, downloader=lambda url, output, _: _in_parts(url, output, _beside(path, "part")))
    if known is None:
        with replacing(_beside(path, "sha256")) as record, open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            record.write(f"{digest}  {path.name}\n".encode())  # as sha256sum -c reads it


@contextmanager
def _locked(folder):
    """Keep other processes from downloading into a folder."""
    if not _LOCKS:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _reason(error, path):
    import requests

    if isinstance(error, requests.HTTPError):
        return f"the server says {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.RequestException):
        return "the connection failed (what has come is kept, and the next try goes on from there)"
    if isinstance(error, ValueError):
        says = _beside(path, "sha256") if recorded(path) else "fastsvm"
        return (
            f"what came is not the file that was there before: its checksum is not the one that {says} knows"
        )
    return error.strerror or str(error)


def _in_parts(url, output, part):
    """Download a file by parts, which outlive a cut and this process."""
    import requests
    from urllib3.exceptions import HTTPError

    for attempt in range(ATTEMPTS):
        try:
            if _append(url, part):
                break
        except HTTPError:  # a cut; requests has errors of its own for what never began
            time.sleep(PAUSE * 2**attempt)
    else:
        raise requests.ConnectionError(f"{ATTEMPTS} answers were cut short")
    _beside(part, "version").unlink(missing_ok=True)
    os.replace(part, output)


def _append(url, part):
    """Get what `part` lacks, or all if the file has changed since or the server cannot tell.

    Returns whether it is whole now.
    """
    import requests

    version = _beside(part, "version")
    headers = {"Accept-Encoding": "identity"}
    if part.exists() and version.exists():
        headers["Range"] = f"bytes={part.stat().st_size}-"
        headers["If-Range"] = version.read_text(encoding="latin-1")
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416:  # the part is no beginning of what is there now
            part.unlink()
            return False
        response.raise_for_status()
        goes_on = response.status_code == 206
        if not goes_on:
            _begin(part, version, response.headers)
        with open(part, "ab" if goes_on else "wb") as file:
            # As it is sent: what servers call an encoding is often the format of the file.
            for chunk in response.raw.stream(CHUNK, decode_content=False):
                file.write(chunk)
        expected = response.headers.get("Content-Length")
        return expected is None or response.raw.tell() == int(expected)


def _begin(part, version, headers):
    """Record the version of a file of which `part` is to be the beginning, if the server tells."""
    part.unlink(missing_ok=True)
    etag = headers.get("ETag", "")
    tells = etag if etag.startswith('"') else headers.get("Last-Modified")  # a weak ETag is no proof
    if tells:
        version.write_text(tells, encoding="latin-1")
    else:
        version.unlink(missing_ok=True)


def unpacked(archive, inside, folder):
    """Unpack a folder of a zip archive in one go, unless it has been.

    Parameters
    ----------
    archive : pathlib.Path
    inside : str
        Path of the folder in the archive.
    folder : pathlib.Path
        What it becomes.
    """
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        with zipfile.ZipFile(archive) as file:
            members = [name for name in file.namelist() if name.startswith(f"{inside}/")]
            if not members:
                raise DatasetError(f"{archive}: has no folder {inside}; remove it, to get it anew")
            file.extractall(temporary, members)
        try:
            os.rename(Path(temporary, inside), folder)
        except OSError:
            if not folder.is_dir():  # else another process was quicker
                raise
