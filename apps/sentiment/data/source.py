"""Where texts come from, how to read them, and what a reader gives."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .lines import MAX_EXPANSION, MAX_LINE, UTF8, open_binary

TEXT_COLUMN = "text"


@dataclass(frozen=True)
class Source:
    """Where texts come from and how to read them; `format` None means: look and see.

    A line or file of more than `max_line` bytes is skipped; gzipped data may unpack to `max_expansion` times
    its size. `separator` stands between the fields of a table, by default what its format says. Without a
    `label_column`, labels are not asked for.
    """

    path: str
    format: str | None = None
    text_column: str = TEXT_COLUMN
    label_column: str | None = "label"
    max_line: int = MAX_LINE
    max_expansion: int = MAX_EXPANSION
    separator: str | None = None
    encoding: str = UTF8

    @property
    def name(self) -> str:
        """The path as messages show it."""
        return "<stdin>" if self.path == "-" else self.path

    @property
    def stem(self) -> str:
        """The name without its folder and endings."""
        if self.path == "-":
            return "model"
        return Path(Path(self.path).resolve().name.removesuffix(".gz")).stem

    @property
    def is_folder(self) -> bool:
        """Whether the path is that of a folder."""
        return self.path != "-" and Path(self.path).is_dir()

    @property
    def is_read_once(self) -> bool:
        """Whether what was read is gone: stdin, or a pipe."""
        path = Path(self.path)
        return self.path == "-" or (path.exists() and not path.is_file() and not path.is_dir())

    def open(self):
        """Open the file for reading bytes, unpacked and in UTF-8."""
        return open_binary(self.path, self.max_expansion, self.encoding)


class Record(NamedTuple):
    """A text, where it stands, its label, what is wrong with it, and all the fields of its record."""

    where: int | str
    label: str = ""
    text: str = ""
    problem: str = ""
    row: list[str] | dict | None = None


class Records(NamedTuple):
    """Records as they come, and the names of their fields; None where each has its own."""

    columns: list[str] | None
    records: Iterator[Record]
