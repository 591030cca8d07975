"""What the commands print: tables and JSON on stdout, notes and warnings on stderr."""

import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager, suppress
from typing import Literal

import click

from .errors import DONE, SKIPPED, USAGE, AppError, Skipped

CONVERGED = 0.1  # maximum of the relative gap of a fit that has converged
LONGEST = 600  # letters of a message
GIVE_ENCODING = "give the encoding of the file with --encoding, for example cp1252, gb18030 or utf-16"
UNDECODED = re.compile(r"[\0\udc80-\udcff]|\\x00|\\udc[89a-f][0-9a-f]")  # as they are, or as repr shows them


def printable(text: str) -> str:
    """Replace control characters, which could move the cursor or break a column, by their escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, letters: int = 40, *, keep: Literal["start", "end"] = "start") -> str:
    """Return printable text that is no longer than `letters`."""
    text = printable(text[: letters + 1] if keep == "start" else text[-letters - 1 :])
    if len(text) <= letters:
        return text
    return f"{text[: letters - 3]}..." if keep == "start" else f"...{text[3 - letters :]}"


def many(count: int, name: str) -> str:
    """Return a count and its noun, in the plural unless the count is 1."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def more(count: int, name: str, told: str = "") -> str:
    """Return how many items are not shown, and `told`; an empty text if all are shown."""
    return f"{many(count, f'more {name}')}{told}" if count > 0 else ""


def and_more(total: int, n_named: int = 1) -> str:
    """Return how many of some items are not named; an empty text if all are."""
    return f", and {total - n_named:,} more" if total > n_named else ""


def labels_alike(labels: Iterable[str]) -> list[str]:
    """Return a line for labels that differ only in case or blanks, or are one number, if there are any."""
    forms: dict[str, list[str]] = {}
    for label in labels:
        form = " ".join(label.split()).casefold()
        with suppress(ValueError):
            form = repr(float(form))
        forms.setdefault(form, []).append(label)
    groups = [" and ".join(map(repr, alike)) for alike in forms.values() if len(alike) > 1]
    told = f"{one_line(', '.join(groups))} count as different labels; spell them alike if they are the same"
    return [told] * bool(groups)


def percent(share: float) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.1f} %"


def one_line(message: str) -> str:
    """Return a message as one printable line; a long one loses its middle.

    A message begins with what is wrong and where, and ends with what to do.
    """
    return _without_middle(printable(_without_middle(" ".join(message.split()))))


def decoded(message: str, advice: str) -> str:
    """Return a message with \ufffd for each byte that is not UTF-8, and `advice` if it quotes such a file."""
    told = f" (\ufffd is a byte that is not text in UTF-8; {advice})"
    is_quoted = UNDECODED.search(message.partition(": ")[2])  # not only in the name of a file
    return UNDECODED.sub("\ufffd", message) + told * bool(is_quoted)


def _without_middle(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"


def console(stderr: bool = False):
    """Return a rich console that prints words as they are, and never wraps what goes into a pipe."""
    from rich.console import Console

    class LeavingConsole(Console):
        def on_broken_pipe(self):
            raise  # rich would exit with 1; see App.invoke

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 1000
    colors: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return LeavingConsole(
        file=stream, width=width, color_system=colors, markup=False, emoji=False, highlight=False
    )


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], text_columns: Sequence[int]) -> None:
    """Print an aligned table: text columns to the left, numbers to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, name in enumerate(header):
        table.add_column(printable(name), justify="left" if column in text_columns else "right")
    for row in rows:
        table.add_row(*map(printable, row))
    console().print(table)


def print_line(text: str, style: str = "") -> None:
    """Print one line of plain text."""
    console().print(printable(text), style=style)


def on_screen(text: str) -> str:
    """Make control characters visible, except line ends and tabs."""
    return re.sub(r"[^\n\t]+", lambda found: printable(found[0]), text)


def plain_rows(rows: Iterable[Sequence[str]], separator: str = "\t") -> str:
    """Return lines of `printable` fields, which contain no tabs."""
    return "".join(separator.join(map(printable, row)) + "\n" for row in rows)


def print_rows(rows: Iterable[Sequence[str]], separator: str = "\t") -> None:
    """Print the lines of `plain_rows`, however long and many."""
    sys.stdout.write(plain_rows(rows, separator))
    sys.stdout.flush()


def certificate_line(gaps: float | Sequence[float] | None, classifier: str = "") -> str:
    """Return a sentence on how far a fit, or the worst of several fits, is from the optimum."""
    if gaps is None:
        return f"none for the {classifier}, which has no dual problem"
    gap = gaps if isinstance(gaps, float) else max(gaps)
    if gap > CONVERGED:
        told = f"the fit has not converged: the lowest objective may be {min(100 * gap, 100):.0f} % lower"
        return f"{told}; regularise more (a larger alpha, a smaller C), or scale the columns"
    from fastsvm._utils.rounding import percent_of_bound

    return f"the objective is within {percent_of_bound(gap)} of the lowest"


def next_line(*words: str) -> str:
    """Return a line with the command to go on with: these words, or the same as now with these options."""
    context = click.get_current_context().find_root()
    words = words if not words[0].startswith("-") else (context.info_name, *context.meta["words"], *words)
    return f"next: {shlex.join(words)}"


def written(path: str | None) -> list[str]:
    """Return the line on a file or folder of results, unless there is none or it is stdout."""
    return [f"{path}: written"] * (path not in (None, "", "-"))


def fields(result: object, *names: str) -> dict:
    """Return attributes of a result by their names, for a record."""
    return {name: getattr(result, name) for name in names}


def print_json(record: dict) -> None:
    """Print one JSON object."""
    import json

    print(json.dumps(record, allow_nan=False))


def check_one_form(json: bool, csv: bool) -> None:
    """Refuse results in two forms."""
    if json and csv:
        raise AppError("give --json or --csv, not both", USAGE)


def note(message: str) -> None:
    """Print one line to stderr, above a bar that is shown there, unless the command was told to be quiet."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get("quiet"):
        write_to_stderr(one_line(message))


def warn(*messages: str) -> None:
    """Print each message as a warning on a line of its own; skip empty messages."""
    for message in filter(None, messages):
        note(f"warning: {message}")


def note_skipped(skipped: Skipped) -> int:
    """Name on stderr what was left out, and return the exit code of a command that got this far."""
    for line in skipped.report():
        note(line)
    return SKIPPED if skipped.count else DONE


@contextmanager
def tidy_warnings():
    """Turn each Python warning into one line on stderr."""
    with warnings.catch_warnings():
        # An image that cannot be used causes an error; Pillow's own warnings name no file.
        warnings.filterwarnings("ignore", module=r"PIL\.")
        warnings.showwarning = lambda message, *_, **__: note(f"warning: {message}")
        yield


def discard_stream(name: str) -> None:
    """Discard what a standard stream still has to write: Python flushes the stream once more at exit."""
    stream = getattr(sys, name)
    with suppress(OSError, ValueError):  # not one of the system
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def write_to_stderr(message: str) -> None:
    """Write a line to stderr; if stderr is closed, the work continues."""
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
