"""Exit codes, the error a user sees in one line, and the count of inputs left out."""

import errno
import re
from collections import Counter
from dataclasses import dataclass, field

import click

DONE, FAILED, USAGE, SKIPPED = 0, 1, 2, 3
OPTION = re.compile(r"--([a-z][a-z-]*)(?: (\d[\d.]*|all|none|auto|split)\b)?")  # in a message, and its value


class AppError(click.ClickException):
    """A failure told to the user in one line: which file, which line, and what to do about it."""

    def __init__(self, message: str, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click has it on the class


class FormatError(AppError):
    """A file in a format that cannot be read; the message also names the help that lists the formats."""


def place_of(where: int | str) -> str:
    """Name an input by its line number, or by its name inside the source."""
    return f"line {where}" if isinstance(where, int) else where


@dataclass
class Skipped:
    """Inputs that could not be used as they are: all are counted, the first `limit` are named.

    `kinds` counts them by problem, without the parentheses of a message; `hint` says what to do.
    """

    source: str
    fate: str = "skipped"
    count: int = 0
    named: list[str] = field(default_factory=list)
    limit: int = 10
    kinds: Counter[str] = field(default_factory=Counter)
    hint: str = ""

    def add(self, where: int | str, problem: str) -> None:
        """Count one input; `where` is its line number, or its name inside the source."""
        self.count += 1
        self.kinds[problem.partition(" (")[0]] += 1
        if len(self.named) < self.limit:
            name = re.sub("[\udc80-\udcff]", "\ufffd", place_of(where))  # bytes that are not UTF-8
            self.named.append(f"{name}: {problem}")

    @property
    def clause(self) -> str:
        """What a message adds about the inputs that could not be used; empty if all could be."""
        if not self.count:
            return ""
        return f" ({self.count:,} {self.fate}, such as {self.named[0]}{self.hint and f'; {self.hint}'})"

    def report(self) -> list[str]:
        """Return a line for each named input, one for the others, and one with the count."""
        lines = [f"{self.source}, {name}" for name in self.named]
        if rest := self.count - len(self.named):
            lines.append(f"... and {rest:,} more")
        if self.count:
            lines += [self.hint] * bool(self.hint)
            lines.append(f"{self.source}: {self.count:,} {self.fate}")
        return lines


def is_shortage(error: Exception) -> bool:
    """Tell whether memory ran out, as reported by Python, the system, C++, threads or OpenCV."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, SystemError) and isinstance(error.__cause__, MemoryError):
        return True  # OpenCV continues for a while if NumPy has no memory for its result
    # Messages of other errors may quote what the user wrote.
    in_words = isinstance(error, RuntimeError) or type(error).__module__ == "cv2"
    words = ("bad_alloc", "start new thread", "Insufficient memory")
    return isinstance(error, MemoryError) or (in_words and any(word in str(error) for word in words))
