"""What a command reads and writes: a parameter that is a path says which, and no output replaces an input.

The type of CORPUS is `Reads()`, that of `-o FILE.csv` is `Writes("csv")`; `check_paths` looks at all.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import click

from .errors import USAGE, AppError
from .files import check_file
from .folder_walk import walk_folder

HEAD = 4096  # bytes that tell the kind of a file


class Kind(NamedTuple):
    """A kind of files: its name, its endings, and how a file begins; without a beginning it is text.

    An open kind may have any ending that is no other kind's.
    """

    name: str
    endings: tuple[str, ...]
    start: bytes = b""
    is_open: bool = False


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
    "safetensors": Kind("a model of fastsvm", (".safetensors",), rb'.{8}\{"__metadata__":\{"fastsvm"'),
    "liblinear": Kind("a LIBLINEAR model", (".model",), b"solver_type", is_open=True),
    "vocabulary": Kind(
        "the vocabulary of a LIBLINEAR model", (".tsv",), b"# features of the LIBLINEAR model"
    ),
    "npz": Kind("a NumPy archive", (".npz",), rb"PK\x03\x04"),
    "png": Kind("a PNG picture", (".png",), rb"\x89PNG"),
    "jpeg": Kind("a JPEG picture", (".jpg", ".jpeg"), rb"\xff\xd8\xff"),
    "tiff": Kind("a TIFF picture", (".tif", ".tiff"), rb"II[*+]\0|MM\0[*+]"),
    "webp": Kind("a WebP picture", (".webp",), b"RIFF.{4}WEBP"),
    "bmp": Kind("a BMP picture", (".bmp",), b"BM.{4}\0{4}"),
    "svg": Kind("an SVG picture", (".svg",), rb"\s*<(\?xml|svg)"),
    "pdf": Kind("a PDF file", (".pdf",), b"%PDF"),
    "eps": Kind("an EPS picture", (".eps",), b"%!PS"),
    "gzip": Kind("a gzipped file", (".gz",), rb"\x1f\x8b"),
    "folder": Kind("a folder", (), is_open=True),
}
OTHERS = (".pkl", ".pickle", ".joblib", ".onnx", ".npy", ".pt", ".h5", ".parquet", ".xlsx", ".xml", ".zip")
FOLDER, FLAGS = KINDS["folder"], re.DOTALL | re.IGNORECASE
KNOWN = {ending for kind in KINDS.values() for ending in kind.endings}.union(OTHERS)
PICTURES = ("png", "jpeg", "tiff", "bmp", "webp")  # that OpenCV writes
PLOTS = ("png", "svg", "pdf", "eps", "jpeg", "tiff", "webp")  # that Matplotlib writes


class Reads(click.ParamType):
    """A path that is read: of a file, of a folder, or - for stdin.

    Parameters
    ----------
    depth : int, optional
        How many levels of a folder are read.
    counts : callable, optional
        Tells by the name of a file in the folder, such as ``label/1.txt``, whether it is read.
    replaced_by : str, optional
        The option that may replace it: a model that learns on goes to its own place.
    folder : bool
        Whether it must be a folder that is there.
    """

    name = "path"

    def __init__(
        self,
        *,
        depth: int | None = None,
        counts: Callable[[str], bool] | None = None,
        replaced_by: str | None = None,
        folder: bool = False,
    ) -> None:
        self.depth, self.counts, self.replaced_by, self.folder = depth, counts, replaced_by, folder

    def convert(self, value, param, ctx):
        """Check one value."""
        if self.folder and not os.path.isdir(value):
            self.fail(f"{value!r} is no folder.", param, ctx)
        return value

    def reads(self, path: str, written: str) -> bool:
        """Tell whether a file is read, by whatever name or link."""
        if os.path.isdir(path):
            inside = walk_folder(path, self.depth)
            return any(
                is_same(file, written) for file, name in inside if not self.counts or self.counts(name)
            )
        names = (0,) if path == "-" else (path, path.rpartition("#")[0])  # scan.tif#2 is a page
        return any(is_same(name, written) for name in names)


class Writes(click.ParamType):
    """A path that is written; a file there is replaced if it is of the same kind and nothing reads it.

    Parameters
    ----------
    *kinds : str
        Keys of `KINDS`.
    stdout : bool or str
        Whether - is stdout, or what to do instead.
    packed : bool
        Whether a name that ends with .gz is gzipped.
    """

    name = "path"

    def __init__(self, *kinds: str, stdout: bool | str = False, packed: bool = False) -> None:
        self.kinds, self.stdout, self.packed = [KINDS[kind] for kind in kinds], stdout, packed

    def get_metavar(self, param, ctx=None):
        """Return what the help calls the value of an option."""
        ending = "".join(self.kinds[0].endings[:1])
        return (f"FILE{ending}" if ending else "DIR") if isinstance(param, click.Option) else None

    def is_folder(self, path: str) -> bool:
        """Tell whether a path is, or will be, a folder."""
        return FOLDER in self.kinds and (os.path.isdir(path) or FOLDER in self._kinds_of(self._ending(path)))

    def _ending(self, path: str) -> str:
        return os.path.splitext(path.lower().removesuffix(".gz" if self.packed else ""))[1]

    def _kinds_of(self, ending: str) -> list[Kind]:
        if found := [kind for kind in self.kinds if ending in kind.endings]:
            return found
        alone = self.kinds if len(self.kinds) == 1 and not ending else []
        return alone or [kind for kind in self.kinds if kind.is_open and ending not in KNOWN]

    def check(self, path: str, option: str) -> None:
        """Find out before the work whether a path can be written; another kind of file is not replaced."""
        is_there = os.path.exists(path)
        if path == "-":
            if self.stdout is not True:
                told = self.stdout or f"give a file with {option}"
                raise AppError(f"{self.kinds[0].name} cannot go to stdout; {told}", USAGE)
        elif is_there and not os.path.isfile(path):  # a folder, or such as /dev/null
            if FOLDER not in self.kinds:
                check_file(path)
        elif not (kinds := self._kinds_of(ending := self._ending(path))):
            endings = [*chain.from_iterable(kind.endings for kind in self.kinds)]
            listed = " or ".join(filter(None, [", ".join(endings[:-1]), *endings[-1:]]))
            told = [f"end the name with {listed}"] * bool(endings)
            told += ["give a folder"] * (FOLDER in self.kinds)
            what = f"writes no {ending} files" if ending else "needs an ending"
            raise AppError(f"{path}: {option} {what}; {', or '.join(told)}", USAGE)
        elif FOLDER not in kinds:
            check_file(path)
            is_packed = self.packed and path.lower().endswith(".gz")
            if is_there and not has_kind(path, [KINDS["gzip"]] if is_packed else kinds):
                told = f"it is not replaced, choose another path with {option}"
                raise AppError(f"{path}: is not {kinds[0].name}; {told}", USAGE)


class Continues(Writes):
    """A path that is written, and where a run goes on with what an earlier one wrote."""


def is_same(path: str | int, other: str) -> bool:
    """Tell whether two paths, or a file that is open, are the same file that is there."""
    try:
        return os.path.samestat(os.stat(path), os.stat(other))
    except (OSError, ValueError):
        return False


def has_kind(path: str, kinds: Sequence[Kind]) -> bool:
    """Tell whether a file is empty, or begins as one of the kinds does."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
    starts = [kind.start for kind in KINDS.values() if kind.start and re.match(kind.start, head, FLAGS)]
    is_text = not starts and b"\0" not in head
    return not head or any(kind.start in starts if kind.start else is_text for kind in kinds)


def check_paths(ctx: click.Context) -> None:
    """Check the outputs of a command against its inputs and each other, before it begins.

    Raises
    ------
    AppError
        Where an output would replace an input, another output, or a file of another kind.
    """
    paths = [("stdin", Reads(), "-"), *_paths_of(ctx)]
    inputs = [each for each in paths if isinstance(each[1], Reads)]
    outputs = [each for each in paths if isinstance(each[1], Writes)]
    for number, (option, role, path) in enumerate(outputs):
        is_folder = role.is_folder(path)
        for name, other_role, other in inputs:
            if is_folder and isinstance(role, Continues) and _is_inside(other, path):
                told = f"{other}: {name} is in the folder that {option} fills; choose another folder"
                raise AppError(told, USAGE)
            if os.path.isfile(path) and other_role.replaced_by != option and other_role.reads(other, path):
                told = f"{path}: {option} would replace a file that is read ({name}); choose another path"
                raise AppError(told, USAGE)
        for name, other_role, other in outputs[:number]:
            is_one = is_same(path, other) or os.path.realpath(path) == os.path.realpath(other)
            are_folders = is_folder and other_role.is_folder(other)
            if is_one and not are_folders and (os.path.isfile(path) or not os.path.exists(path)):
                raise AppError(
                    f"{path}: {name} and {option} would write the same file; choose another path", USAGE
                )
        role.check(path, option)


def _is_inside(path: str, folder: str) -> bool:
    """Tell whether a path that is there lies in a folder, or is this folder."""
    top = os.path.realpath(folder)
    return os.path.exists(path) and os.path.commonpath([top, os.path.realpath(path)]) == top


def _paths_of(ctx: click.Context) -> Iterator[tuple[str, Reads | Writes, str]]:
    """Yield what messages call a parameter, its type and its path."""
    for name, role in ctx.command.only_in_config.items():
        yield from ((f"--{name}", role, path) for path in _texts(ctx.params.get(name)) if role)
    for param in ctx.command.params:
        if isinstance(param.type, Reads | Writes):
            name = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
            given = ctx.params.get(param.name) if param.expose_value else ctx.meta.get(param.name)
            yield from ((name, param.type, path) for path in _texts(given))


def _texts(given) -> list[str]:
    return [text for text in (given if isinstance(given, tuple) else [given]) if isinstance(text, str)]


def default_output(source: str, endings: Sequence[str] = ()) -> str:
    """Return the name of a model without -o: that of its input, checked like the value of -o.

    Parameters
    ----------
    source : str
        A file or a folder.
    endings : sequence of str
        Of the input; by default whatever its ending is.
    """
    place = os.path.abspath(source)
    if source == "-" or place.startswith(("/dev/", "/proc/")):  # <(command) is a number in /dev/fd
        raise AppError("a model of stdin has no name; give one with -o", USAGE)
    root, ending = os.path.splitext(os.path.basename(place).removesuffix(".gz"))
    ctx = click.get_current_context()
    ctx.params["output"] = f"{root if not endings or ending in endings else root + ending}.safetensors"
    check_paths(ctx)
    return ctx.params["output"]
