"""Memory-mapped arrays: which of their pages to read ahead, and which to let go."""

import mmap

import numpy as np

CAN_ADVISE = hasattr(mmap.mmap, "madvise")  # not on Windows, where the system does as it likes


class Pages:
    """The pages of an array over a file that is mapped for reading.

    What is let go stays in the system's cache as long as there is room, and does not count as this process's
    memory until it is read again.
    """

    def __init__(self, array, mapping):
        self._mapping, self._size = mapping, array.itemsize
        base = np.frombuffer(mapping, np.uint8).__array_interface__["data"][0]
        self._offset = array.__array_interface__["data"][0] - base

    @classmethod
    def of(cls, array):
        """The pages of a C-ordered array; None if it is in memory, or if it can be written to."""
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

    def will_need(self, first, last):
        """Have items first to last read while others are worked on."""
        start = self._offset + first * self._size
        stop = self._offset + last * self._size
        start -= start % mmap.PAGESIZE
        if start < stop:
            self._mapping.madvise(mmap.MADV_WILLNEED, start, stop - start)

    def release(self):
        """Give back all memory: Linux maps up to 2 MiB for a value that is read, beyond any range told."""
        self._mapping.madvise(mmap.MADV_DONTNEED)
