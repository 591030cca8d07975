"""Limits on input and servers, set by environment variables, and on the memory that a process keeps."""

import os
import sys

from .errors import USAGE, AppError

MIB = 1 << 20  # bytes
# Of a regularisation or a weight: the coefficients fit single precision, for any number of rows.
LEAST_STRENGTH, MOST_STRENGTH = 1e-30, 1e30
RETURNED = 16 * MIB  # blocks of at least this size are returned to the system when they are freed
# Numbers that environment variables may replace: the default, the minimum and the maximum of each.
LIMITS = {
    # Longest line of text or JSON, and longest file of a folder of texts, in MiB.
    "FASTSVM_MAX_LINE_MIB": (16, 1, 1024),
    # Gzipped input may unpack to this many times its size. Texts are packed to a third, logs to a tenth, a
    # bomb to a thousandth.
    "FASTSVM_MAX_EXPANSION": (200, 1, 1_000_000_000),
    # Columns of sparse rows; a weight for each takes memory, whether or not any row has it.
    "FASTSVM_MAX_COLUMNS": (1 << 25, 1, (1 << 31) - 1),
    # Cells on the page of `fastsvm-cells review`, the least certain.
    "FASTSVM_MAX_REVIEW_CELLS": (2000, 1, 1_000_000),
    # For `serve`: maximum size of a request in MiB, of texts in a request, of clients at a time, and seconds
    # that a client has to send a request and to read the answer.
    "FASTSVM_SERVE_MAX_BODY_MIB": (1, 1, 64),
    "FASTSVM_SERVE_MAX_TEXTS": (1000, 1, 1_000_000_000),
    "FASTSVM_SERVE_MAX_CONNECTIONS": (512, 1, 1_000_000),
    "FASTSVM_SERVE_TIMEOUT": (10, 1, 3600),
}
FAMILIES = ("FASTSVM_MAX_", "FASTSVM_SERVE_")  # of variables, none of which may be misspelled


def limit(name: str) -> int:
    """Return a limit: the value of the environment variable, or the default.

    Raises
    ------
    AppError
        If the variable is not a whole number in the range.
    """
    default, least, most = LIMITS[name]
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and least <= int(text[:20]) <= most):
        raise AppError(f"{name} is {text!r}; set a whole number from {least} to {most:,}", USAGE)
    return int(text)


def check_variables() -> None:
    """Refuse misspelled limits."""
    for name in os.environ:
        if name.startswith(FAMILIES) and name not in LIMITS:
            there = ", ".join(LIMITS)
            raise AppError(f"unknown environment variable {name}; the limits are {there}", USAGE)


def return_freed_memory() -> None:
    """Make the C library of Linux return freed memory now, and large blocks as soon as they are freed.

    By default it keeps blocks of up to 32 MiB, which seldom fit again. Other systems have no such setting.
    """
    import ctypes  # `--help` needs none

    M_MMAP_THRESHOLD = -3
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # musl has none
        libc.mallopt(M_MMAP_THRESHOLD, RETURNED)
        libc.malloc_trim(0)
