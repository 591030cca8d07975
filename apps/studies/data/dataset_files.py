"""Where the files of a data set are: in a folder that is given, in the cache, or on the network."""

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile
from zlib import error as BadStream

VARIABLE = "FASTSVM_DATA"


class DatasetError(OSError):
    """A data set cannot be used; in one line, with what to do about it."""


class DatasetNotFoundError(DatasetError):
    """A data set is neither on the disk nor downloadable."""


@dataclass(frozen=True)
class Source:
    """A public file.

    Attributes
    ----------
    name : str
        Of the file here, and where it comes from the network.
    url : str
    checksum : str or None
        "sha256:..." or "md5:..."; None: nobody has published one that we know of.
    also : str, default=""
        Another name: of a file with the same content in the format of this project.
    """

    name: str
    url: str
    checksum: str | None = None
    also: str = ""


def find(source, data_home=None, download_if_missing=True):
    """Return the path of a file: from a folder, the cache or the network.

    Parameters
    ----------
    source : Source
    data_home : str, path or None
        Looked through first; then the folder of the environment variable FASTSVM_DATA.
    download_if_missing : bool, default=True

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DatasetNotFoundError
        Where it is neither on the disk nor downloadable.
    DatasetError
        Of a folder that is absent, and a file with another checksum.
    """
    folders = [Path(folder) for folder in (data_home, os.environ.get(VARIABLE)) if folder]
    for folder in folders:
        if not folder.is_dir():
            raise DatasetError(f"{folder}: no such folder; name one that has {_file_names(source)}")
        if source.also and (folder / source.also).exists():
            return folder / source.also
        path = folder / source.name
        if path.exists():
            if not is_whole(path, source.checksum):
                raise DatasetError(
                    f"{path}: is not whole, or another file; its checksum is not {source.checksum}"
                )
            return path
    try:
        return _cached_file(source, download_if_missing)
    except DatasetError as error:
        raise DatasetNotFoundError(
            f"{error}; or put {_file_names(source)} into a folder, and name it by data_home or {VARIABLE}"
        ) from error


def cache_folder():
    """Return the folder of the downloads; it need not exist."""
    try:
        import pooch
    except ImportError as error:
        raise DatasetError('downloads need pooch: pip install "fastsvm[datasets]"') from error
    return Path(pooch.os_cache("fastsvm"))


def is_whole(path, checksum):
    """Tell whether a file is there and has a checksum, "sha256:..." or "md5:..."; None: any will do."""
    import pooch

    kind, _, digest = (checksum or "").partition(":")
    return path.exists() and (not checksum or pooch.file_hash(path, kind) == digest)


def _cached_file(source, download_if_missing):
    """Return the path of a file in the cache, which is downloaded unless it is there."""
    folder = cache_folder()
    path = folder / source.name
    if is_whole(path, source.checksum):
        return path
    if not download_if_missing:
        raise DatasetError(f"{source.name} is not in the cache, and downloading is off")
    import pooch
    import requests

    pooch.get_logger().setLevel("ERROR")
    try:
        return Path(pooch.retrieve(source.url, source.checksum, source.name, folder))
    except requests.HTTPError as error:
        reason = f"the server says {error.response.status_code} {error.response.reason}"
    except requests.RequestException:
        reason = "the connection failed"
    except ValueError:
        reason = "the download is damaged, or another file: it has another checksum"
    except OSError as error:
        reason = error.strerror or str(error)
    raise DatasetError(f"{source.url}: {reason}")


def _file_names(source):
    return f"{source.also} or {source.name}" if source.also else source.name


@contextmanager
def reading(path):
    """Make a DatasetError of what is wrong with the content of a file."""
    try:
        yield
    except (ValueError, KeyError, EOFError, OSError, BadZipFile, BadStream) as error:
        raise DatasetError(f"{path}: cannot be read ({error}); copy or download it again") from error
