"""The most memory that a call holds at a time."""

import tracemalloc


def peak_of(call):
    """Return bytes, beyond what was held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
