"""Paths that a command reads or writes, which their parameters declare; no output replaces an input.

The type of CORPUS is `Reads()`, the type of `-o FILE.csv` is `Writes("csv")`; `check_paths` checks all paths.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from stat import S_ISREG
from typing import NamedTuple

import click

from .errors import USAGE, AppError
from .folder_walk import walk_folder


class Kind(NamedTuple):
    """A kind of file: its name, its endings, and how a file begins; without a beginning it is text.

    An open kind may also have any ending that no other kind has.
    """

    name: str
    endings: tuple[str, ...]
    start: bytes = b""
    is_open: bool = False


PIXELS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")
PICTURE = rb"\x89PNG|\xff\xd8\xff|II[*+]\0|MM[*+]?\0|RIFF.{4}WEBP|BM.{4}\0{4}"
MODEL = rb'.{8}\{"__metadata__":\{"fastsvm"'
KINDS = {
    "csv": Kind("a CSV table", (".csv",)),
    "tsv": Kind("a TSV table", (".tsv",)),
    "text": Kind("plain text", (".txt",), is_open=True),
    "svmlight": Kind("svmlight", (".svm", ".svmlight", ".libsvm"), is_open=True),
    "json": Kind("JSON", (".json",), rb"\s*[{[]"),
    "jsonl": Kind("JSON lines", (".jsonl",), rb"\s*\{", is_open=True),
    "geojson": Kind("GeoJSON", (".geojson",), rb"\s*\{"),
    "html": Kind("an HTML page", (".html", ".htm"), rb"\s*<(!doctype )?html"),
    "gallery": Kind("a page of fastsvm-studies gallery", (".md",), b"<!-- Made by fastsvm-studies gallery"),
    "safetensors": Kind("a model of fastsvm", (".safetensors",), MODEL),
    "model": Kind("a model", (".safetensors", ".model"), MODEL + b"|solver_type", is_open=True),
    "liblinear": Kind("a LIBLINEAR model", (".model",), b"solver_type", is_open=True),
    "vocabulary": Kind("a vocabulary of LIBLINEAR", (".tsv",), b"# features of the LIBLINEAR model"),
    "npz": Kind("a NumPy archive", (".npz",), rb"PK\x03\x04"),
    "gzip": Kind("a gzipped file", (".gz",), rb"\x1f\x8b"),
    "picture": Kind("a picture", (*PIXELS, ".bmp"), PICTURE),
    "plot": Kind("a picture", (*PIXELS, ".svg", ".pdf", ".eps"), PICTURE + rb"|\s*<(\?xml|svg)|%PDF|%!PS"),
    "folder": Kind("a folder", (), is_open=True),
}
OTHERS = (".pkl", ".pickle", ".joblib", ".onnx", ".npy", ".pt", ".h5", ".parquet", ".xlsx", ".xml", ".zip")
KNOWN = {*OTHERS, *chain.from_iterable(kind.endings for kind in KINDS.values())}
FOLDER, FLAGS = KINDS["folder"], re.DOTALL | re.IGNORECASE


@dataclass(frozen=True)
class Reads(click.ParamType):
    """A path that is read: of a file, of a folder, or - for stdin.

    Attributes
    ----------
    counts : callable
        Tells from the name of a file in the folder, such as ``label/1.txt``, whether it is read.
    replaced_by : str, optional
        The option whose output may replace it: a model that is trained further may replace itself.
    is_folder : bool
        Whether it must be an existing folder.
    """

    counts: Callable[[str], bool] = bool
    replaced_by: str | None = None
    is_folder: bool = False
    name = "path"

    def convert(self, value, param, ctx):
        """Check one value."""
        if self.is_folder and not os.path.isdir(value):
            self.fail(f"{value!r} is not a folder.", param, ctx)
        return value

    def uses(self, path: str, written: str, role: "Writes") -> bool:
        """Tell whether an existing file is read, under any name or link."""
        if not os.path.isfile(written):
            inner, outer = (os.path.realpath(each) + os.sep for each in (path, written))
            owns = isinstance(role, Continues) and os.path.exists(path)  # whatever is in its folder
            return owns and inner.startswith(outer)
        if os.path.isdir(path):
            return any(_is_same(file, written) for file, name in walk_folder(path) if self.counts(name))
        page = path.rpartition("#")[0]  # scan.tif#2
        return any(_is_same(each, written) for each in (0 if path == "-" else path, page))

    def finds(self, path: str, written: str, role: "Writes") -> bool:
        """Tell whether the next run would read a file that is written, because it reads all of a folder."""
        if self.is_folder or not os.path.isdir(path) or FOLDER in role.kinds_of(written):
            return False
        name = os.path.relpath(os.path.realpath(written), os.path.realpath(path))
        return not any(part.startswith(".") for part in name.split(os.sep)) and self.counts(name)


ROWS = Reads(counts=lambda name: name.endswith((".json", ".npy")))  # a stored matrix has these files


class Writes(click.ParamType):
    """A path that is written; an existing file is replaced if it is of the same kind and not an input.

    Parameters
    ----------
    *kinds : str
        Keys of `KINDS`.
    stdout : bool or str
        Whether - is stdout; if not, what to do instead.
    """

    name, replaced_by = "path", None

    def __init__(self, *kinds: str, stdout: bool | str = False) -> None:
        self.kinds, self.stdout = [KINDS[kind] for kind in kinds], stdout

    def get_metavar(self, param, ctx=None):
        """Return what the help calls the value of an option."""
        names = [f"FILE{ending}" for ending in self.kinds[0].endings]
        return [*names, "FOLDER"][0] if isinstance(param, click.Option) else None

    def kinds_of(self, path: str) -> list[Kind]:
        """Return the kinds that a name may have."""
        if FOLDER in self.kinds and os.path.isdir(path):
            return [FOLDER]
        ending = os.path.splitext(path)[1].lower()
        found = [kind for kind in self.kinds if ending in kind.endings]
        alone = self.kinds if len(self.kinds) == 1 and not ending else []
        return found or alone or [kind for kind in self.kinds if kind.is_open and ending not in KNOWN]

    def uses(self, path: str, written: str, role: "Writes") -> bool:
        """Tell whether a file is written here, too; folders may be shared."""
        is_one = not os.path.exists(path) and os.path.realpath(path) == os.path.realpath(written)
        is_shared = FOLDER in self.kinds_of(path) and FOLDER in role.kinds_of(written)
        return _is_same(path, written) or (is_one and not is_shared)

    def check(self, path: str, option: str) -> None:
        """Check before the work that a path can be written; another kind of file is not replaced."""
        kinds, is_there = self.kinds_of(path), os.path.exists(path)
        if path == "-":
            if self.stdout is not True:
                told = self.stdout or f"give a file with {option}"
                raise AppError(f"{self.kinds[0].name} cannot go to stdout; {told}", USAGE)
        elif not kinds and (os.path.isfile(path) or not is_there):
            ending = os.path.splitext(path)[1]
            what = f"writes no {ending} files" if ending else "needs an ending"
            told = " or ".join(ending for kind in self.kinds for ending in kind.endings or ("a folder",))
            raise AppError(f"{path}: {option} {what}; give {told}", USAGE)
        elif FOLDER not in kinds:
            check_there(path, kinds, option)


def check_there(path: str, kinds: Sequence[Kind], option: str = "-o") -> None:
    """Check before the work that a file can be written; a file of another kind is not replaced."""
    if os.path.isdir(path):
        raise AppError(f"{path}: is a folder; give a file")
    if os.path.isfile(path) or not os.path.exists(path):
        _check_folder(os.path.dirname(os.path.realpath(path)), path)
    check_kind(path, kinds, option)


def check_kind(path: str, kinds: Sequence[Kind], option: str = "-o") -> None:
    """Check that a path is no file of another kind, which is not replaced."""
    what = ""
    if os.path.exists(path) and not os.path.isfile(path):  # such as /dev/null: no model goes there
        what = "a regular file" if KINDS["safetensors"] in kinds else ""
    elif os.path.isfile(path) and not _is_of(path, kinds):
        what = kinds[0].name
    if what:
        told = f"and is not replaced; choose another path with {option}"
        raise AppError(f"{path}: is not {what}, {told}", USAGE)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder for results unless it exists, and check that files can be written into it."""
    try:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        raise AppError(f"{path}: is a file; give a folder") from None
    _check_folder(path, path)


def _check_folder(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    from tempfile import TemporaryFile

    try:
        TemporaryFile(dir=folder).close()  # which no signal leaves behind
    except OSError as error:
        raise AppError(f"{path}: cannot be written ({error.strerror}); choose another path") from error


class Continues(Writes):
    """A path that is written, and from which a later run resumes."""


def _is_same(path: str | int, written: str) -> bool:
    try:
        status = os.stat(path)
        return S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(written))
    except (OSError, ValueError):
        return False


def _is_of(path: str, kinds: Sequence[Kind]) -> bool:
    """Tell whether a file is empty, or begins as one of the kinds does."""
    with open(path, "rb") as file:
        head = file.read(4096)
    known = (*KINDS.values(), *kinds)
    starts = {kind.start for kind in known if kind.start and re.match(kind.start, head, FLAGS)}
    is_text = not starts and b"\0" not in head
    return not head or any(kind.start in starts if kind.start else is_text for kind in kinds)


def check_paths(ctx: click.Context) -> None:
    """Check the outputs of a command against its inputs and each other, before it begins.

    Raises
    ------
    AppError
        If an output would replace an input, another output, or a file of another kind.
    """
    paths = [("stdin", Reads(), "-"), *_paths_of(ctx)]
    if wrong := [name for name, _, path in paths if "\0" in path]:  # in a file for --config
        raise AppError(f"{wrong[0]}: a path cannot have a NUL character; remove it", USAGE)
    inputs = [each for each in paths if isinstance(each[1], Reads)]
    outputs = [each for each in paths if isinstance(each[1], Writes)]
    for number, (option, role, path) in enumerate(outputs):
        for name, other_role, other in inputs + outputs[:number]:
            if other_role.replaced_by != option and other_role.uses(other, path, role):
                told = f"{option} would replace a file of this run ({name}); choose another path"
                raise AppError(f"{path}: {told}", USAGE)
        for name, reader, other in inputs:
            if reader.finds(other, path, role):
                told = f"{option} would write among the files that are read ({name}); choose another folder"
                raise AppError(f"{path}: {told}", USAGE)
        role.check(path, option)


def _paths_of(ctx: click.Context) -> Iterator[tuple[str, Reads | Writes, str]]:
    """Yield the name of a parameter in messages, its type and its path."""
    roles = [(f"--{name}", name, role) for name, role in ctx.command.only_in_config.items()]
    for param in ctx.command.params:
        shown = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
        roles.append((shown, param.name, param.type))
    for shown, name, role in roles:
        given = ctx.params.get(name, ctx.meta.get(name))
        if isinstance(role, Reads | Writes):
            texts = given if isinstance(given, tuple) else [given]
            yield from ((shown, role, path) for path in texts if isinstance(path, str))


def default_output(source: str, endings: Sequence[str] = ()) -> str:
    """Return the default of -o for a model, which is named after its input; check it like a given path.

    Parameters
    ----------
    source : str
        A file or a folder.
    endings : sequence of str
        Endings that the name of the input loses; by default any.
    """
    place = os.path.abspath(source)
    if source == "-" or place.startswith(("/dev/stdin", "/dev/fd/", "/proc/")):  # <(command) is in /dev/fd
        raise AppError("a model of stdin has no default name; give one with -o", USAGE)
    root, ending = os.path.splitext(os.path.basename(place).removesuffix(".gz"))
    ctx = click.get_current_context()
    ctx.params["output"] = f"{root if not endings or ending in endings else root + ending}.safetensors"
    check_paths(ctx)
    return ctx.params["output"]
