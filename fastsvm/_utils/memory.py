"""Memory: what this machine or its container has left, and the pages of mapped files."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np

CAN_ADVISE = hasattr(mmap.mmap, "madvise")  # not on Windows


def refuse_beyond_memory(needed, what, advice):
    """Raise a MemoryError if this machine has fewer than `needed` bytes of free memory."""
    has = available_memory()
    if has is not None and needed > has:
        raise MemoryError(
            f"{needed / 2**30:.3g} GiB of {what} are needed, {has / 2**30:.3g} GiB are free: {advice}."
        )


def available_memory():
    """Return the bytes free without swapping; None if unknown."""
    return min(filter(None, [_machine_memory(), _container_memory()]), default=None)


def _machine_memory():
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _container_memory():
    try:
        limit, used = (int(Path(f"/sys/fs/cgroup/memory.{name}").read_text()) for name in ("max", "current"))
        return max(1, limit - used)
    except (OSError, ValueError):  # not Linux, or the limit is "max"
        return None


class Pages:
    """The pages of an array over a file that is mapped for reading.

    Released pages stay in the system's cache as long as there is room, and do not count as memory of this
    process until they are read again.
    """

    def __init__(self, array: np.ndarray, mapping: mmap.mmap) -> None:
        self._mapping, self._size = mapping, array.itemsize
        base = np.frombuffer(mapping, np.uint8).__array_interface__["data"][0]
        self._offset = array.__array_interface__["data"][0] - base

    @classmethod
    def of(cls, array: np.ndarray) -> Pages | None:
        """Return the pages of a C-ordered array; None if it is in memory or writable."""
        base = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview):
            base = base.obj
        if not (CAN_ADVISE and isinstance(base, mmap.mmap) and array.size):
            return None
        with memoryview(base) as view:
            if not view.readonly:  # changes of a private copy would be lost with the pages
                return None
        return cls(array, base)

    def will_need(self, first: int, last: int) -> None:
        """Ask the system to read items from first to last in advance."""
        start = self._offset + first * self._size
        stop = self._offset + last * self._size
        start -= start % mmap.PAGESIZE
        if start < stop:
            self._mapping.madvise(mmap.MADV_WILLNEED, start, stop - start)

    def release(self) -> None:
        """Release all memory: Linux maps up to 2 MiB for a value that is read, beyond the requested range."""
        self._mapping.madvise(mmap.MADV_DONTNEED)
