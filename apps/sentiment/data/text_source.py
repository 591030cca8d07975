"""The source of texts, and the records that readers return."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import NamedTuple

from ...common.errors import USAGE, AppError, FormatError, Skipped
from ...common.input_streams import UTF8
from ...common.printing import note
from .label_fields import LabelField
from .text_lines import max_line

TEXT_COLUMN, LABEL_COLUMN = "text", "label"
COLUMNS = {"text_col": TEXT_COLUMN, "label_col": LABEL_COLUMN}  # by the names of their options
# Names that are recognised instead; the first one that occurs is taken.
OTHER_NAMES = {"text": ("comment", "review", "content"), "label": ("labels", "class", "sentiment", "stars")}


class CorpusError(AppError):
    """An error about a corpus; `names_corpus` puts the name of the corpus before the message."""


def names_corpus(job: Callable) -> Callable:
    """Make a function of a `TextSource` name it in a `CorpusError`; any error tells what was skipped."""

    @wraps(job)
    def named(*args, **options):
        try:
            return job(*args, **options)
        except AppError as error:
            [source] = (each for each in args if isinstance(each, TextSource))
            if isinstance(error, CorpusError):
                error = AppError(f"{source.name}: {error.message}", error.exit_code)
            if not isinstance(error, FormatError):  # which tells it
                error.message += "".join(skipped.clause for skipped in source.skipped)
            raise error from None

    return named


@dataclass(frozen=True)
class TextSource:
    """The place of texts, and how to read them; if `format` is None, it is detected.

    A line or file of more than `max_line` bytes is skipped. Without a `label_column`, no labels are needed.
    A `label_separator` separates the labels of a text; None detects it, and an empty one means one label per
    text. A table may have the `remembered` name of a column or separator of labels; `of_files` tells that
    the model learned from a folder, in which each file is a text; `was_read` that its notes have been
    printed. `given` has texts that are already in memory, each with its label or labels. `skipped` counts
    the labelled texts that could not be used.
    """

    path: str
    format: str | None = None
    text_column: str = TEXT_COLUMN
    label_column: str | None = LABEL_COLUMN
    label_separator: str | None = None
    encoding: str = UTF8
    max_line: int = field(default_factory=max_line)
    remembered: Mapping[str, str] = field(default_factory=dict)
    given: Sequence[tuple[str, LabelField]] | None = None
    of_files: bool = False
    was_read: bool = field(default=False, compare=False)
    skipped: list[Skipped] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        if self.text_column == self.label_column:
            told = f"--text-col and --label-col are both {self.text_column!r}; give two columns"
            raise AppError(told, USAGE)

    def named(self, columns: Iterable[str], name: str | None) -> str | None:
        """Return the column that `name` means: the remembered name, `name`, or one of `OTHER_NAMES`.

        The case of a name may differ.
        """
        for wanted in filter(None, (self.remembered.get(name or ""), name, *OTHER_NAMES.get(name or "", ()))):
            alike = [column for column in columns if column.strip().casefold() == wanted.casefold()]
            if wanted in alike or len(alike) == 1:
                return wanted if wanted in alike else alike[0]
        return None

    def note(self, message: str) -> None:
        """Print a note on how it is read, unless this is the second time."""
        if not self.was_read:
            note(message)

    @property
    def own_columns(self) -> dict[str, str]:
        """What a model remembers: names of columns other than the usual ones, and whether it is a folder."""
        given = {"text_col": self.text_column, "label_col": self.label_column}
        own = {option: name for option, name in given.items() if name not in (None, COLUMNS[option])}
        return own | ({"format": "folder"} if self.is_folder else {})

    @property
    def name(self) -> str:
        """The path, as shown in messages."""
        return "<stdin>" if self.path == "-" else self.path

    @property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return self.path != "-" and Path(self.path).is_dir()

    @property
    def is_read_once(self) -> bool:
        """Whether it can be read only once: stdin, or a pipe."""
        path = Path(self.path)
        return self.path == "-" or (path.exists() and not path.is_file() and not path.is_dir())


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs more than once."""
    return next((name for name, n in Counter(names).items() if n > 1), None)


class Record(NamedTuple):
    """A text with its place, its label field, its problem if it has one, and all fields of its record.

    `raw` is a table's record before it is parsed, if it has as many fields as columns.
    """

    where: int | str
    label: LabelField = ""
    text: str = ""
    problem: str = ""
    row: list[str] | dict | None = None
    raw: str | None = None


class Records(NamedTuple):
    """Lists of records as they arrive.

    `columns` are the names of their fields, None if each record has its own; `separator` stands between the
    fields of a table.
    """

    format: str
    columns: list[str] | None
    blocks: Iterator[list[Record]]
    separator: str | None = None
