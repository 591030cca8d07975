"""Files that are read or written as a whole: small ones, models, and results."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import FAILED, AppError


def read_small_file(path: str, limit: int, what: str, exit_code: int = FAILED) -> bytes:
    """Return the content of a file; refuse one of more than `limit` bytes."""
    with open(path, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise AppError(f"{path}: larger than {limit:,} bytes, too large for {what}", exit_code)
    return content


def load_model(path: str):
    """Return the model in a file: a plain one, or scikit-learn estimators if a step needs scikit-learn.

    Raises
    ------
    ModelFileError
        If the file is not a model.
    """
    import fastsvm
    from fastsvm.model_files import ModelFileError, load_plain

    try:
        return load_plain(path)
    except ModelFileError:
        return fastsvm.load_model(path)


def samples_folder() -> Path:
    """Return the folder of the bundled samples: beside the installed apps, or in the sources."""
    apps = Path(__file__).resolve().parents[1]
    installed = apps / "samples"
    return installed if installed.is_dir() else apps.parent / "data"


@contextmanager
def shipped_model(package: str, name: str, otherwise: str) -> Iterator[str]:
    """Give the path of a model that comes with an app.

    Parameters
    ----------
    package : str
        The app.
    name : str
        The file, below the app's folder.
    otherwise : str
        What the user is told to do if the model was not installed.
    """
    from importlib import resources

    shipped = resources.files(package).joinpath(name)
    if not shipped.is_file():
        raise AppError(f"this installation comes without a model; {otherwise}")
    with resources.as_file(shipped) as file:
        yield str(file)


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file that is replaced once all is written, and unchanged if anything fails; - is stdout."""
    if path == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    from fastsvm._utils.atomic import replacing

    with replacing(path) as file:
        yield file


def replace_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file atomically: it holds the old content or the new, never a part.

    Raises
    ------
    OSError
        If the file cannot be written; it keeps its old content.
    """
    from fastsvm._utils.atomic import replacing

    with replacing(path) as file:
        file.write(content)
