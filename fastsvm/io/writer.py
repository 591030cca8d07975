"""A matrix on disk, written block by block; it appears when it is complete, and writing can be resumed."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._utils import sparse
from .._utils.atomic import held, naming, replacing
from . import layout
from .layout import ARRAYS, BLOCK_ITEMS, FORMAT, HEADER, MANIFEST, NARROW, VERSION, MatrixFileError

if TYPE_CHECKING:
    from ..solvers.annotations import ArrayLike

PARTIAL = ".partial"  # the end of a folder's name until the folder is complete
JOURNAL = "journal.json"
OFFSETS = "offsets.npy"  # the ends of rows, in int64 until the number of values is final
UNUSABLE = "this writer is closed, or damaged by a failed write; a new one resumes from the last save"
OWN = {*ARRAYS, OFFSETS, JOURNAL, MANIFEST}


class _ArrayFile:
    """A growing array in a file of NumPy's format."""

    def __init__(self, path: Path, dtype: str, length: int, crc: int) -> None:
        self.path, self.dtype = path, np.dtype(dtype)
        # Without a buffer, so that errors appear at once.
        self._file = open(path, "r+b" if length else "wb", buffering=0)  # noqa: SIM115 (closed in `close`)
        self.cut(length, crc)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return HEADER + self.length * self.dtype.itemsize

    def cut(self, length: int, crc: int) -> None:
        """Return to an earlier length."""
        self.length, self.crc = length, crc
        self._file.truncate(self.size)

    def append(self, array: np.ndarray) -> None:
        content = np.ascontiguousarray(array, self.dtype).data.cast("B") if len(array) else b""
        self._write(self.size, content)
        self.crc = zlib.crc32(content, self.crc)
        self.length += len(array)

    def _write(self, place: int, content: bytes | memoryview) -> None:
        rest = memoryview(content)
        self._file.seek(place)
        with naming(self.path):
            while rest:
                rest = rest[self._file.write(rest) :]

    def sync(self) -> None:
        """Flush everything to the disk, with a header that has the length."""
        self._write(0, layout.npy_header(self.dtype, self.length))
        os.fsync(self._file.fileno())
        size = os.fstat(self._file.fileno()).st_size
        if size != self.size:
            raise OSError(f"{self.path}: the file has {size:,} bytes, not the {self.size:,} written")

    def close(self) -> None:
        self._file.close()

    def described(self) -> dict[str, Any]:
        return {"dtype": self.dtype.str, "length": self.length, "crc32": self.crc}


class MatrixWriter:
    """Write the rows of a matrix, and their labels, to a folder, block by block.

    `finish` completes the folder; until then, the files are in a folder beside it whose name ends with
    ``.partial``. To be able to resume after an interruption, call `save` from time to time with the position
    in your source. The next writer of the same folder has this `position`, and the rows before it. Rows that
    were never saved are deleted when the writer is closed.

    Parameters
    ----------
    folder : str or path-like
        The folder to write, which must not exist.
    dtype : {float32, float64}, default=float32
        The type of the values.
    key : JSON, default=None
        Identifies the source: rows that were saved with another key are deleted.

    Attributes
    ----------
    position : JSON or None
        The last argument of `save`; None at the beginning.
    rows, values : int
        The numbers of rows and of values appended so far.

    Raises
    ------
    FileExistsError
        If the folder exists or is being written, or the ``.partial`` folder has foreign files.

    Examples
    --------
    >>> import tempfile, scipy.sparse
    >>> from fastsvm.io import MatrixWriter, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with MatrixWriter(f"{folder}/X") as writer:
    ...         writer.append(scipy.sparse.csr_matrix([[0.0, 2.0], [3.0, 0.0]]), [1.0, -1.0])
    ...         writer.finish()
    ...     X, y = load(f"{folder}/X")
    ...     X.toarray().tolist(), y.tolist()
    ([[0.0, 2.0], [3.0, 0.0]], [1.0, -1.0])
    """

    def __init__(self, folder: str | os.PathLike, *, dtype: Any = np.float32, key: Any = None) -> None:
        self.folder = Path(folder)
        if self.folder.exists():
            raise FileExistsError(f"{self.folder}: the folder exists; remove it, or choose another")
        self._partial = self.folder.with_name(self.folder.name + PARTIAL)
        self._key, self._dtype = json.loads(json.dumps(key)), layout.written_type(dtype).newbyteorder("<")
        self._hold, self._whole = ExitStack(), False
        self._take_partial_folder()
        journal = self._read_journal()
        if journal is None:
            (self._partial / JOURNAL).unlink(missing_ok=True)
        self.position = None if journal is None else journal["position"]
        self._width = 0 if journal is None else journal["width"]
        self._labels: dict[str, int] | None = None
        if journal is not None and journal["labels"] is not None:
            self._labels = {label: code for code, label in enumerate(journal["labels"])}
        self._columns = {}
        for name, dtype in self._array_types().items():
            was = {"length": 0, "crc32": 0} if journal is None else journal["arrays"][name]
            self._columns[name] = _ArrayFile(self._partial / name, dtype, was["length"], was["crc32"])
        self.rows, self.values = self._columns["y.npy"].length, self._columns["data.npy"].length
        self._usable = True
        if not self._columns[OFFSETS].length:
            self._columns[OFFSETS].append(np.zeros(1, np.int64))

    def _take_partial_folder(self) -> None:
        """Make the partial folder, or take over another writer's."""
        self._partial.mkdir(parents=True, exist_ok=True)
        try:
            self._hold.enter_context(held(self._partial))
        except BlockingIOError:
            raise FileExistsError(
                f"{self.folder}: another process is writing it; wait, or choose another folder"
            ) from None
        for name in os.listdir(self._partial):
            if name not in OWN and not name.startswith(".fastsvm-"):
                self._hold.close()
                raise FileExistsError(
                    f"{self._partial}: the folder has foreign files, such as {name}; choose another folder"
                )

    def _array_types(self) -> dict[str, str]:
        return {"data.npy": self._dtype.str, "indices.npy": "<i4", OFFSETS: "<i8", "y.npy": "<f8"}

    def _read_journal(self) -> dict[str, Any] | None:
        """Return the journal of an interrupted writer, if its key is the same and the files match it."""
        try:
            journal = layout.read_manifest_json(self._partial / JOURNAL)
            same = journal["key"] == self._key and journal["format"] == [FORMAT, VERSION]
            for name, dtype in self._array_types().items():
                was = journal["arrays"][name]
                size = HEADER + was["length"] * np.dtype(dtype).itemsize
                same &= was["dtype"] == dtype and (self._partial / name).stat().st_size >= size
        except (OSError, MatrixFileError, KeyError, TypeError):
            return None
        return journal if same else None

    def __enter__(self) -> MatrixWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._usable = False
        for column in self._columns.values():
            column.close()
        wrong = kind is not None and issubclass(kind, ValueError)  # the next attempt would fail, too
        if not self._whole and (wrong or self.position is None):
            shutil.rmtree(self._partial, ignore_errors=True)
        self._hold.close()

    def _check_usable(self) -> None:
        if not self._usable:
            raise OSError(f"{self.folder}: {UNUSABLE}")

    def append(self, X: Any, y: ArrayLike) -> None:
        """Append rows and their labels: all of them, or none if this fails.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            CSR matrices are not converted. Blocks may differ in width; the matrix has the largest width.
        y : array of shape (n,)
            Numbers in all blocks, or texts in all blocks.
        """
        self._check_usable()
        X, y = sparse.csr_matrix(X), np.asarray(y)
        if len(y) != X.shape[0]:
            raise ValueError(f"y has {len(y)} labels for the {X.shape[0]} rows of X.")
        if X.shape[1] > NARROW - 1:
            raise ValueError(f"X has {X.shape[1]} columns; at most {NARROW - 1} are supported.")
        offsets = X.indptr[1:].astype(np.int64) + self.values
        codes, labels = self._label_codes(y)
        blocks = X.data, X.indices, offsets, codes
        before = [(column, column.length, column.crc) for column in self._columns.values()]
        self._usable = False
        try:
            for column, block in zip(self._columns.values(), blocks, strict=True):
                column.append(block)
        except BaseException:
            for column, length, crc in before:
                column.cut(length, crc)
            self._usable = True
            raise
        self.rows, self.values, self._labels = self.rows + X.shape[0], self.values + len(X.data), labels
        self._width, self._usable = max(self._width, X.shape[1]), True

    def _label_codes(self, array: np.ndarray) -> tuple[np.ndarray, dict[str, int] | None]:
        """Return numbers as they are, or texts as their places among the labels, and these labels."""
        if array.dtype.kind in "biuf" and self._labels is None:
            return array.astype(np.float64), None
        if array.dtype.kind in "biuf" or (self.rows and self._labels is None):
            raise ValueError("The labels are numbers in some rows and texts in others; convert all to texts.")
        for place, label in enumerate(array):
            if not isinstance(label, str):
                raise ValueError(f"The label of row {self.rows + place:,} is {label!r}, which is not a text.")
        labels = dict(self._labels or {})
        return np.array([labels.setdefault(str(label), len(labels)) for label in array], float), labels

    def save(self, position: Any) -> None:
        """Flush the appended rows to the disk, so that a later writer can resume from here.

        Parameters
        ----------
        position : JSON
            The place in the source after these rows.
        """
        self._check_usable()
        for column in self._columns.values():
            column.sync()
        journal = {"format": [FORMAT, VERSION], "key": self._key, "position": position}
        self._write_json(JOURNAL, {**journal, **self._journal_fields()})
        self.position = position

    def _journal_fields(self) -> dict[str, Any]:
        return {
            "width": self._width,
            "labels": None if self._labels is None else list(self._labels),
            "arrays": {name: column.described() for name, column in self._columns.items()},
        }

    def _write_json(self, name: str, content: Any) -> None:
        with replacing(self._partial / name) as file:
            file.write(json.dumps(content, indent=1).encode())

    def finish(self, n_features: int | None = None, feature_names: list[str] | None = None) -> None:
        """Complete the folder, and give it its final name.

        Parameters
        ----------
        n_features : int, default=None
            Number of columns of X, if larger than in the widest block.
        feature_names : list of str, default=None
            One name for each column.
        """
        self._check_usable()
        if not self.rows:
            raise ValueError(f"{self.folder}: there are no rows to write.")
        width = max(n_features or 0, self._width)
        for column in self._columns.values():
            column.sync()
        described = self._journal_fields()["arrays"]
        described["indptr.npy"] = self._write_indptr(self._columns[OFFSETS].length)
        manifest = {
            **{"format": FORMAT, "version": VERSION, "shape": [self.rows, width], "values": self.values},
            "labels": None if self._labels is None else list(self._labels),
            "arrays": {name: described[name] for name in ARRAYS},
            "feature_names": feature_names,
        }
        if problem := layout.manifest_problem(manifest):
            raise ValueError(f"{self.folder}: {problem}.")
        self._write_json(MANIFEST, manifest)
        self._usable = False
        for column in self._columns.values():
            column.close()
        self._partial.rename(self.folder)
        self._whole = True
        for name in (JOURNAL, OFFSETS):
            (self.folder / name).unlink(missing_ok=True)

    def _write_indptr(self, length: int) -> dict[str, Any]:
        """Write the offsets in int32 if they fit, else in int64."""
        dtype = "<i4" if self.values < NARROW else "<i8"
        wide = np.load(self._partial / OFFSETS, mmap_mode="r")
        with closing(_ArrayFile(self._partial / "indptr.npy", dtype, 0, 0)) as indptr:
            for first in range(0, length, BLOCK_ITEMS):
                indptr.append(wide[first : first + BLOCK_ITEMS])
            indptr.sync()
            return indptr.described()
