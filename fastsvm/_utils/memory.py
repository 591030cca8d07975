"""The memory that this machine, or its container, has left."""

import os
from pathlib import Path


def refuse_beyond_memory(needed, what, advice):
    """Raise a MemoryError, if so many bytes are more than this machine has to give."""
    has = available_memory()
    if has is not None and needed > has:
        raise MemoryError(
            f"{needed / 2**30:.3g} GiB of {what} are needed, {has / 2**30:.3g} GiB are there: {advice}."
        )


def available_memory():
    """Bytes that can be had without swapping; None where nobody tells."""
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
