"""Standard streams that are closed, or whose reader has left."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress

import click

from .errors import AppError

STREAMS = ("stdin", "stdout", "stderr")


def open_closed_streams() -> list[str]:
    """Put the null device in the place of each standard stream that the process came without (cron's, `>&-`).

    A file opened later would get the number of the stream, and what is printed would go into it. Return the
    names of the closed ones.
    """
    closed = []
    for number, name in enumerate(STREAMS):
        try:
            os.fstat(number)
        except OSError:
            closed.append(name)
            # The system gives the lowest number that is free.
            if os.open(os.devnull, os.O_RDWR) != number:
                raise
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 (stays open)
    return closed


def discard_stream(name: str) -> None:
    """Send what is still to be written to a standard stream nowhere: Python flushes it once more at exit."""
    stream = getattr(sys, name)
    with suppress(OSError, ValueError):  # not one of the system
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def write_to_stderr(message: str) -> None:
    """Write a line to stderr; where nobody reads it, that does not stop the work."""
    try:
        click.echo(message, file=sys.stderr)  # which a bar may have taken over
    except OSError:
        discard_stream("stderr")


def until_stdout_closes(make: Callable[[], Callable[..., None]]) -> Callable[..., None]:
    """Return a function that prints until the reader of stdout has left, and then nothing.

    Parameters
    ----------
    make : callable
        Prints what comes first, and returns what prints the rest.
    """
    write = None

    def write_on(*args) -> None:
        nonlocal write
        try:
            write = write or make()
            write(*args)
        except BrokenPipeError:
            discard_stream("stdout")
        except OSError as error:  # not of the file that is being written meanwhile
            discard_stream("stdout")
            raise AppError(f"<stdout>: {error.strerror or error}") from error

    return write_on
