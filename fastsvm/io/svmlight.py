"""Files in svmlight format, read in blocks of whole lines: into memory, or to a matrix on disk."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np

from .._utils.sparse import PlainCSR
from ..solvers._input import positive
from ._svmlight import WRONG, parse  # type: ignore[attr-defined]  # compiled
from .layout import NARROW, written_type

if TYPE_CHECKING:
    from .reader import Matrix

SAVE_BYTES = 1 << 28  # read between two saves
READ_BYTES = 1 << 23  # read at a time
MAX_LINE_BYTES = 1 << 28


def store_svmlight(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    folder: str | os.PathLike,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> None:
    """Store files in svmlight format as a matrix on disk, in bounded memory.

    This is the format of LIBSVM and LIBLINEAR; a line is ``label index:value index:value # comment``.

    Parameters
    ----------
    paths : path, or list of paths
        Files, plain or gzipped. The rows of all files form one matrix, in this order.
    folder : str or path-like
        The folder to write, which must not exist. It appears when the matrix is complete. Progress is saved
        every 256 MiB; after an interruption, the same call resumes from there.
    n_features : int, default=None
        Number of columns of X; a larger index is an error. By default the largest index in the files.
    zero_based : bool, default=False
        Whether the first column has the index 0, not 1.
    dtype : {float32, float64}, default=float32
        The type of the values.

    Raises
    ------
    ValueError
        If a line cannot be read. The message names the file, the line and the problem.
    FileExistsError
        If the folder exists, or is being written.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import load, store_svmlight
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/rows.svm", "w") as file:
    ...         _ = file.write("+1 1:0.5 3:2\\n-1 2:1\\n")
    ...     store_svmlight(f"{folder}/rows.svm", f"{folder}/X")
    ...     X, y = load(f"{folder}/X")
    ...     X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    from .writer import MatrixWriter

    files, most, first = paths_of(paths), _most_columns(n_features), 0 if zero_based else 1
    dtype = written_type(dtype)
    key = files_fingerprint(files, format="svmlight", n_features=n_features, first=first)
    with MatrixWriter(folder, key=key, dtype=dtype) as writer:
        saved, unsaved = LinePlace(*(writer.position or ())), 0
        for text, begin, end in line_blocks(files, saved):
            X, labels = _parsed_svmlight(text, begin, end, files, most, first, dtype)
            if X.shape[0]:
                writer.append(X.matrix(), labels)
            unsaved += len(text)
            if unsaved >= SAVE_BYTES:
                writer.save(end)
                unsaved = 0
        writer.finish(n_features)


def read_svmlight(
    paths: str | os.PathLike | BinaryIO | Sequence[str | os.PathLike],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> Matrix:
    """Read files in svmlight format into memory.

    Parameters
    ----------
    paths : path, list of paths, or binary file
        Files, plain or gzipped; or an open binary file, such as ``sys.stdin.buffer``.
    n_features, zero_based, dtype : as in `store_svmlight`
        How the files are read.

    Returns
    -------
    Matrix
        X, a CSR matrix of shape (n_samples, n_features), and y, float64.

    Raises
    ------
    ValueError
        If a line cannot be read. The message names the file, the line and the problem.

    Examples
    --------
    >>> import tempfile
    >>> from fastsvm.io import read_svmlight
    >>> with tempfile.NamedTemporaryFile("w", suffix=".svm") as file:
    ...     _ = file.write("+1 1:0.5 3:2\\n-1 2:1\\n")
    ...     file.flush()
    ...     X, y = read_svmlight(file.name)
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    from .reader import Matrix

    X, y = svmlight_arrays(paths, n_features=n_features, zero_based=zero_based, dtype=dtype)
    return Matrix(X.matrix(), y)


def svmlight_arrays(
    paths: str | os.PathLike | BinaryIO | Sequence[str | os.PathLike],
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: Any = np.float32,
) -> tuple[PlainCSR, np.ndarray]:
    """Read files as `read_svmlight` does, without SciPy, whose import takes longer than many fits.

    Parameters
    ----------
    paths, n_features, zero_based, dtype : as in `read_svmlight`
        The files, and how they are read.

    Returns
    -------
    X : object with the arrays data, indices and indptr, and the shape, of a CSR matrix
        Its `matrix()` returns SciPy's matrix. The linear models of `fastsvm.fitting` accept it as X.
    y : ndarray of shape (n_samples,), float64
        The labels.
    """
    files: list = [paths] if hasattr(paths, "read") else paths_of(cast("str", paths))
    most, first = _most_columns(n_features), 0 if zero_based else 1
    dtype = written_type(dtype)
    parts = [_parsed_svmlight(*block, files, most, first, dtype) for block in line_blocks(files)]
    y = np.concatenate([np.empty(0), *(labels for _, labels in parts)])
    width = n_features or max((X.shape[1] for X, _ in parts), default=1)
    if len(parts) == 1:
        return PlainCSR(parts[0][0].data, parts[0][0].indices, parts[0][0].indptr, (len(y), width)), y
    data = np.concatenate([np.empty(0, dtype), *(X.data for X, _ in parts)])
    indices = np.concatenate([np.empty(0, np.int32), *(X.indices for X, _ in parts)])
    counts = np.concatenate([[0], *(np.diff(X.indptr) for X, _ in parts)])
    return PlainCSR(data, indices, np.cumsum(counts), (len(y), width)), y


def _most_columns(n_features: int | None) -> int:
    return NARROW - 1 if n_features is None else positive("n_features", n_features, kind=int)


def _parsed_svmlight(text: bytes, begin: LinePlace, end: LinePlace, files, n_features, first, dtype):
    """Return the rows of the lines between two places, and their labels; a ValueError names a bad line."""
    text = text.removeprefix(BOM_UTF8) if begin.offset == 0 else text
    n_lines, n_values = end.line - begin.line, text.count(b":")
    labels, ends = np.empty(n_lines), np.zeros(n_lines + 1, np.int64)
    indices, values = np.empty(n_values, np.int32), np.empty(n_values, dtype)
    rows, lines, largest, wrong = parse(text, labels, ends[1:], indices, values, first, n_features, len(text))
    if wrong:
        what = WRONG[wrong].format(first=first, last=first + n_features - 1)
        raise ValueError(f"{line_location(files, begin, lines)}: {what}.")
    n = int(ends[rows])
    X = PlainCSR(values[:n], indices[:n], ends[: rows + 1], (rows, max(1, largest + 1)))
    return X, labels[:rows]


# Lines ---------------------------------------------------------------------------------------------------


class LinePlace(NamedTuple):
    """A place between two lines: the number of the file, and the bytes and lines before the place."""

    file: int = 0
    offset: int = 0
    line: int = 0


def paths_of(paths: str | os.PathLike | Sequence[str | os.PathLike]) -> list[str]:
    """Return one path or several as a list; raise a ValueError if there is none."""
    files = [os.fspath(p) for p in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not files:
        raise ValueError("There are no files to read.")
    return files


def files_fingerprint(paths: Sequence[str], **options: Any) -> dict[str, Any]:
    """Identify files by path, size and time, with the options that read them: a key for `MatrixWriter`."""
    stats = [os.stat(path) for path in paths]
    files = [[os.path.abspath(p), s.st_size, s.st_mtime_ns] for p, s in zip(paths, stats, strict=True)]
    return {"files": files, **options}


def line_blocks(
    paths: Sequence[str | BinaryIO],
    begin: LinePlace = LinePlace(),  # noqa: B008 (immutable)
) -> Iterator[tuple[bytes, LinePlace, LinePlace]]:
    """Yield blocks of whole lines of plain or gzipped files from a place on, with their begin and end.

    Each line, also the last, ends with a line feed.
    """
    for number in range(begin.file, len(paths)):
        place = begin if number == begin.file else LinePlace(number)
        with _open_lines(paths[number]) as file:
            try:
                if place.offset:
                    file.seek(place.offset)
                while text := file.read(READ_BYTES):
                    rest = file.readline(MAX_LINE_BYTES)
                    if len(rest) == MAX_LINE_BYTES:
                        where = line_location(paths, place, text.count(b"\n"))
                        raise ValueError(f"{where}: longer than {MAX_LINE_BYTES >> 20} MiB.")
                    text += rest
                    text += b"\n" * (text[-1:] != b"\n")
                    end = LinePlace(number, place.offset + len(text), place.line + text.count(b"\n"))
                    yield text, place, end
                    place = end
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                name = _name(paths[number])
                raise ValueError(f"{name}: damaged gzip data ({error}); fetch the file again.") from None


def _open_lines(path: str | BinaryIO) -> AbstractContextManager[Any]:
    if not isinstance(path, str):
        return nullcontext(path)
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
        raise ValueError(f"{path}: this is a folder, a pipe or a device; give a file.")
    file = open(path, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(2)[:2] == b"\x1f\x8b":
        from .._utils.gzip_streams import UnpackedStream

        return UnpackedStream(file, path)
    return file


def _name(path: str | BinaryIO) -> str:
    return path if isinstance(path, str) else str(getattr(path, "name", "<stream>"))


def line_location(paths: Sequence[str | BinaryIO], place: LinePlace, more: int = 0) -> str:
    """Name, for messages, the line that begins at a place or some lines later."""
    return f"{_name(paths[place.file])}, line {place.line + more + 1:,}"
