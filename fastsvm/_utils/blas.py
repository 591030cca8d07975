"""The threads of BLAS: a fit has no use for them, as its own are busy and sums depend on their number."""

from functools import cache
from mmap import mmap
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

BUFFERS = 1 << 26  # bytes: OpenBLAS takes 32 MiB for each thread that calls it, here two


@cache
def _require_memory() -> None:
    """Raise a MemoryError where BLAS could not have its memory: OpenBLAS would end the process."""
    try:
        mmap(-1, BUFFERS).close()
    except OSError:
        raise MemoryError("not enough memory for BLAS") from None


class _OneBlasThread:
    """While any fit runs, BLAS has one thread.

    The limit is the process's, so fits that overlap share it, and the last one lifts it.
    """

    def __init__(self) -> None:
        self.lock, self.fits = Lock(), 0
        self.libraries: list[Any] | None = None  # looking for them takes a millisecond
        self.limited: list[tuple[Any, int]] = []  # threadpoolctl's own limiter takes as long as a prediction

    def __enter__(self) -> None:
        _require_memory()
        with self.lock:
            self.fits += 1
            if self.fits == 1:
                self._limit_libraries()

    def __exit__(self, *exception: object) -> None:
        with self.lock:
            self.fits -= 1
            while self.limited and not self.fits:
                library, threads = self.limited.pop()
                library.set_num_threads(threads)

    def _limit_libraries(self) -> None:
        if self.libraries is None:
            self.libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        for library in self.libraries:
            if (threads := library.num_threads) != 1:
                self.limited.append((library, threads))
                library.set_num_threads(1)


one_blas_thread = _OneBlasThread()
