"""Images from folders: found and labelled, read with every check, and worked on in order by threads."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from textwrap import shorten
from typing import NamedTuple, TypeVar

from ..common.errors import AppError
from ..common.output import note, shortened
from ..common.tables import unquoted
from .header import DAMAGED, BadImage, Header, decodable, read_header
from .quiet import hear

ENDINGS = (".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp")
MAX_PIXELS = 100_000_000
MIN_SIDE = 32  # pixels
MAX_BYTES = 1 << 30
MAX_XML_BYTES = 10_000_000
MAX_TABLE_BYTES = 1 << 27
REDUCTIONS = (1, 2, 4, 8)
LONGER_SIDE, CELL_WIDTH = 320, 80  # pixels at the working scale, of an image and of a white cell in it
AHEAD = 4  # images under way for each thread, so that none waits while the caller looks at a result

T = TypeVar("T")


@dataclass(frozen=True)
class ImageFile:
    """An image to read.

    Attributes
    ----------
    path : str
        To open it by.
    name : str
        To show: relative to the folder it was found in, with ``/`` between folders; or as the user gave it.
    label : str or None
        Its class.
    group : str or None
        The original that near-copies were made from.
    """

    path: str
    name: str
    label: str | None = None
    group: str | None = None


# Finding images


def find_images(
    sources: Sequence[str],
    *,
    labels: str | None = None,
    groups: str | None = None,
    classes: Sequence[str] | None = None,
) -> list[ImageFile]:
    """Find images and what is known about them.

    Parameters
    ----------
    sources : sequence of str
        Folders, each walked with all its folders in the order of names, and single files, whatever their
        endings. What is hidden (``.name``) is left out; what two sources share belongs to the first.
    labels : str, optional
        A CSV file with the columns ``file`` and ``label``, or a folder of Pascal VOC annotations, where the
        label of an image is the name of its objects if they have one name in common. An image is meant by
        its name, or by the last part of its name if no other image shares that. By default the label of an
        image is the folder it lies in, below its source.
    groups : str, optional
        A CSV file with the columns ``file`` and ``original``.
    classes : sequence of str, optional
        Keep only the images with these labels; of the objects of an annotation, too, only these count.

    Returns
    -------
    list of ImageFile
        An image about which nothing is said has None for its label and group.

    Raises
    ------
    AppError
        When there is no image, or what is said about the images cannot be read or contradicts itself.
    """
    unique: dict[str, ImageFile] = {}
    for file in chain.from_iterable(map(_images_of, sources)):
        unique.setdefault(os.path.abspath(file.path), file)
    files = list(unique.values())
    if labels is not None:
        is_folder = os.path.isdir(labels)
        rows = _annotations(labels, classes) if is_folder else _table(labels, "label")
        files = [replace(file, label=label) for file, label in _matched(files, rows, labels)]
    if groups is not None:
        rows = _table(groups, "original")
        files = [replace(file, group=group) for file, group in _matched(files, rows, groups)]
    return files if classes is None else _of_classes(files, classes)


def _images_of(source: str) -> Iterator[ImageFile]:
    if not stat.S_ISDIR(os.stat(source).st_mode):
        yield ImageFile(source, source)
        return
    found = False
    for path, name in _walk(source, ENDINGS):
        found = True
        yield ImageFile(path, name, name.split("/")[-2] if "/" in name else None)
    if not found:
        raise AppError(f"{source}: no images (jpg, png, tiff, bmp) in it; give an image, or a folder of them")


def _walk(top: str, endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield path and name of each file below a folder that has one of the endings."""
    entered = set()
    folders = [(top, "")]
    while folders:
        folder, prefix = folders.pop()
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in entered:  # a link led back
            continue
        entered.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            visible = [entry for entry in entries if not entry.name.startswith(".")]
        inner = []
        for entry in sorted(visible, key=lambda entry: entry.name):
            name = prefix + entry.name
            if os.path.isdir(entry) if entry.is_symlink() else entry.is_dir():
                inner.append((entry.path, f"{name}/"))
            elif name.lower().endswith(endings):
                yield entry.path, name
        folders.extend(reversed(inner))


def _of_classes(files: Sequence[ImageFile], classes: Sequence[str]) -> list[ImageFile]:
    there = {file.label for file in files} - {None}
    for name in classes:
        if name not in there:
            known = shorten(", ".join(sorted(there)), 80, placeholder=" ...") or "none"
            raise AppError(f"no image has the label {name!r}; there are: {known}")
    return [file for file in files if file.label in classes]


# What is said about images


class _Row(NamedTuple):
    where: str
    file: str
    value: str


def _matched(
    files: Sequence[ImageFile], rows: Iterable[_Row], source: str
) -> Iterator[tuple[ImageFile, str | None]]:
    """Yield each file with the value of the row that means it, or None."""
    by_name, by_last_part = defaultdict(list), defaultdict(list)
    for file in files:
        by_name[file.name].append(file)
        by_last_part[os.path.basename(file.name)].append(file)
    values: dict[ImageFile, str] = {}
    rows = list(rows)
    strangers = []
    for row in rows:
        meant = by_name.get(row.file) or by_last_part.get(row.file, [])
        if not meant:
            strangers.append(row)
        elif len(meant) > 1 and row.file not in by_name:
            raise AppError(f"{row.where}: {len(meant)} images are called {row.file!r}; name the folder too")
        for file in meant if row.value else []:
            if values.setdefault(file, row.value) != row.value:
                name, here, before = (shortened(text, 100) for text in (row.file, row.value, values[file]))
                raise AppError(f"{row.where}: {name!r} is {here!r} here, but {before!r} before")
    if strangers:
        first = f"{strangers[0].where}: {strangers[0].file!r} is not among the images"
        if len(strangers) == len(rows):
            raise AppError(f"{first}, nor is any other; their names are like {files[0].name!r}")
        more = f", and {len(strangers) - 1:,} more" if len(strangers) > 1 else ""
        note(f"note: {first}{more}")
    return ((file, values.get(file)) for file in files)


def _table(path: str, column: str) -> Iterator[_Row]:
    """Yield the rows of a CSV file with a header."""
    with open(path, "rb") as raw:
        content = raw.read(MAX_TABLE_BYTES + 1)
    if len(content) > MAX_TABLE_BYTES:
        raise AppError(f"{path}: larger than {MAX_TABLE_BYTES:,} bytes, too large for a table of images")
    with io.StringIO(content.decode("utf-8-sig", "surrogateescape"), newline="") as file:
        del content
        rows = csv.reader(file)
        try:
            header = [name.strip() for name in next(rows, [])]
            for wanted in ("file", column):
                if wanted not in header:
                    there = shorten(", ".join(header), 80, placeholder=" ...") or "none"
                    raise AppError(f"{path}, line 1: no column {wanted!r}; the columns are: {there}")
            for row in filter(None, rows):
                where = f"{path}, line {rows.line_num}"
                if len(row) != len(header):
                    raise AppError(f"{where}: {len(row)} fields, where the header has {len(header)}")
                file_name, value = (unquoted(row[header.index(name)]) for name in ("file", column))
                yield _Row(where, file_name, value.strip())
        except csv.Error as error:
            raise AppError(f"{path}, line {rows.line_num}: not CSV: {error}") from error


def _annotations(folder: str, classes: Collection[str] | None) -> Iterator[_Row]:
    """Yield a row for each Pascal VOC file in a folder."""
    empty = True
    for path, _ in _walk(folder, (".xml",)):
        empty = False
        root = _parsed(path)
        file = root.findtext("filename")
        if not file:
            raise AppError(f"{path}: no <filename> in it; give Pascal VOC annotations")
        names = {element.findtext("name", "").strip() for element in root.iter("object")}
        if classes is not None:
            names.intersection_update(classes)
        yield _Row(path, file.strip(), names.pop() if len(names) == 1 else "")
    if empty:
        raise AppError(f"{folder}: no annotations (xml) in it")


def _parsed(path: str):
    from xml.etree import ElementTree

    with open(path, "rb") as file:
        content = file.read(MAX_XML_BYTES + 1)
    if len(content) > MAX_XML_BYTES:
        raise AppError(f"{path}: larger than {MAX_XML_BYTES:,} bytes, too large for an annotation")

    class Tree(ElementTree.TreeBuilder):
        def doctype(self, *_):  # no annotation has one, and what it declares may grow without end
            raise AppError(f"{path}: has a document type; give Pascal VOC annotations")

    try:
        return ElementTree.fromstring(content, ElementTree.XMLParser(target=Tree()))
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the last two: of its encoding
        raise AppError(f"{path}: not XML: {error}") from error


# Reading one image


def read_image(path: str, *, reduce: int = 1, max_pixels: int = MAX_PIXELS):
    """Read an image in colour.

    An orientation in its EXIF data is followed (not where pixels may be transparent), 16 bits a channel
    become 8, CMYK becomes BGR, and transparent pixels lie on white.

    Parameters
    ----------
    path : str
        A JPEG, PNG, TIFF or BMP file, whatever its ending.
    reduce : {1, 2, 4, 8}, default=1
        Make both sides this many times smaller, rounded up; each pixel is the mean of those it replaces.
    max_pixels : int, default=MAX_PIXELS
        Refuse larger images before they are decoded.

    Returns
    -------
    ndarray of shape (height, width, 3) and dtype uint8
        Channels blue, green, red.

    Raises
    ------
    BadImage
        When the file cannot be read or decoded, is too large or too small, holds several images, or no
        colours.
    """
    return _decoded(*_opened(path, max_pixels), reduce)


def read_scaled(
    path: str, *, cell_width: float | None = None, fraction: float = 1, max_pixels: int = MAX_PIXELS
):
    """Read an image at the working scale, with all the checks of `read_image`.

    Parameters
    ----------
    path : str
        A file as for `read_image`.
    cell_width : float, optional
        How many of the image's pixels a white cell is wide; it will be `CELL_WIDTH`. By default the longer
        side becomes `LONGER_SIDE`, if it is not shorter already.
    fraction : float, default=1
        Of the working scale: 0.5 makes both sides half as long again.
    max_pixels : int, default=MAX_PIXELS
        Refuse larger images, and to enlarge others beyond that.

    Returns
    -------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Channels blue, green, red.
    scale : float
        Its pixels for each pixel of the file. Sides are rounded down: what lies in the one image, lies, once
        divided by the scale, in the other.
    """
    data, header = _opened(path, max_pixels)
    longer = max(header.width, header.height)
    scale = fraction * (CELL_WIDTH / cell_width if cell_width else min(1, LONGER_SIDE / longer))
    sides = [int(side * scale + 1e-6) for side in (header.width, header.height)]
    size = f"{sides[0]:,} x {sides[1]:,} pixels at the working scale"
    if min(sides) < MIN_SIDE * min(1, fraction):
        raise BadImage(f"{size}, too small (see --cell-width)")
    if sides[0] * sides[1] > max_pixels:
        raise BadImage(f"{size}, more than the limit of {max_pixels:,}")
    image = _decoded(data, header, max(reduce for reduce in REDUCTIONS if reduce == 1 or reduce * scale <= 1))
    return _resized(image, sides), scale


def _opened(path: str, max_pixels: int) -> tuple[bytes, Header]:
    try:
        data = _contents(path)
    except OSError as error:
        raise BadImage(_unreadable(error)) from error
    header = read_header(data)
    _check_size(header, max_pixels)
    if header.gray:
        raise BadImage(_GRAY)
    return data, header


def _decoded(data: bytes, header: Header, reduce: int):
    image = _decode(decodable(data, header), header, reduce)
    if _is_gray(image):
        raise BadImage(_GRAY)
    return image


def _resized(image, sides: Sequence[int]):
    """Bring an image to the size it has in its file, times a factor; an orientation may have turned it."""
    cv2 = _quiet_cv2()
    height, width = image.shape[:2]
    across, down = sides if (width > height) == (sides[0] > sides[1]) else sides[::-1]
    if (width, height) == (across, down):
        return image
    interpolation = cv2.INTER_AREA if across < width else cv2.INTER_LINEAR
    return cv2.resize(image, (across, down), interpolation=interpolation)


_NO_MEMORY = "too large for the memory there is"
_GRAY = "grayscale; stains are told by their colours"


def _contents(path: str) -> bytes:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):  # to open a pipe would be to wait
        raise BadImage("not a file")
    if status.st_size > MAX_BYTES:
        raise BadImage(f"{status.st_size:,} bytes, more than the limit of {MAX_BYTES:,}")
    with open(path, "rb") as file:
        return file.read()


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _check_size(header: Header, max_pixels: int) -> None:
    size = f"{header.width:,} x {header.height:,} pixels"
    if min(header.width, header.height) < MIN_SIDE:
        raise BadImage(f"{size}, too small")
    if header.width * header.height > max_pixels:
        raise BadImage(f"{size}, more than the limit of {max_pixels:,}")


@cache
def _quiet_cv2():
    import cv2

    set_level = cv2.setLogLevel if hasattr(cv2, "setLogLevel") else cv2.utils.logging.setLogLevel
    set_level(0)  # silent; what is wrong with an image is in BadImage
    return cv2


# Of such a JPEG the decoder makes up a part. Bytes too many do no harm.
_CORRUPT = re.compile(rb"Corrupt JPEG data: (?!\d+ extraneous)|Premature end")


def _decode(data: bytes, header: Header, reduce: int):
    import numpy as np

    cv2 = _quiet_cv2()
    if header.alpha:
        mode = cv2.IMREAD_UNCHANGED
    elif header.format == "jpeg":
        mode = _reduced_mode(cv2, reduce)
    else:
        mode = cv2.IMREAD_COLOR
    try:
        image, complaints = hear(lambda: cv2.imdecode(np.frombuffer(data, np.uint8), mode))
    except cv2.error:
        image = None
    if image is None:
        _check_memory(header)
        raise BadImage(DAMAGED)
    if _CORRUPT.search(complaints) or image.ndim != 3 or image.dtype not in (np.uint8, np.uint16):
        raise BadImage(DAMAGED)
    if header.alpha:
        image = _on_white(image, header.alpha)
    return image if header.format == "jpeg" or reduce == 1 else _reduced(image, reduce)


def _check_memory(header: Header) -> None:
    """Find out what OpenCV does not tell: whether an image was too large for the memory, not damaged."""
    import numpy as np

    try:
        np.empty((2, header.height, header.width, 4), np.uint8)  # as much as it may have asked for
    except MemoryError:
        raise BadImage(_NO_MEMORY) from None


def _reduced_mode(cv2, reduce: int) -> int:
    return {
        1: cv2.IMREAD_COLOR,
        2: cv2.IMREAD_REDUCED_COLOR_2,
        4: cv2.IMREAD_REDUCED_COLOR_4,
        8: cv2.IMREAD_REDUCED_COLOR_8,
    }[reduce]


def _reduced(image, reduce: int):
    """Do what a JPEG decoder does by itself. OpenCV's own modes would pick pixels, and drop a last column."""
    cv2 = _quiet_cv2()
    height, width = (-(-side // reduce) for side in image.shape[:2])
    bottom, right = height * reduce - image.shape[0], width * reduce - image.shape[1]
    if bottom or right:
        image = cv2.copyMakeBorder(image, 0, bottom, 0, right, cv2.BORDER_REPLICATE)
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)


def _on_white(image, alpha_kind: str):
    """Lay an image with transparent pixels on white, and make 8 bits of 16."""
    import numpy as np

    white = np.iinfo(image.dtype).max
    colours, alpha = image[:, :, :3], image[:, :, 3:4]
    if (alpha < white).any():
        colours, alpha = colours.astype(np.uint32), alpha.astype(np.uint32)
        if alpha_kind == "straight":
            colours = colours * alpha // white
        colours = np.minimum(colours + (white - alpha), white)
    if white > 255:
        colours = colours >> 8
    return np.ascontiguousarray(colours, np.uint8)


def _is_gray(image) -> bool:
    # Most images are told to have colours by a few of their pixels.
    return all(
        (part[..., 0] == part[..., 1]).all() and (part[..., 1] == part[..., 2]).all()
        for part in (image[::16, ::16], image)
    )


# Working on many


def map_images(
    work: Callable[[ImageFile], T], files: Iterable[ImageFile], *, jobs: int | None = None
) -> Iterator[tuple[ImageFile, T | BadImage]]:
    """Work on images in threads, and yield the results in the order of the images.

    Parameters
    ----------
    work : callable
        What to do with an image; called in any thread.
    files : iterable of ImageFile
        May be a generator: only as many are taken from it as are worked on, and a few ahead.
    jobs : int, optional
        Threads; by default as many as there are processors for this process. 1 works without threads.

    Yields
    ------
    file : ImageFile
        The image.
    result : object or BadImage
        What `work` returned, or the BadImage (or, made into one, the OSError) that it raised. What else it
        raises comes through and ends the work, as closing the generator does.
    """
    jobs = jobs or processors()
    if jobs == 1:
        for file in files:
            yield file, _result(work, file)
        return
    begun: deque = deque()

    def oldest():
        file, future = begun.popleft()
        return file, future.result()

    pool = ThreadPoolExecutor(jobs)
    try:
        with _one_thread_in_cv2():
            for file in files:
                begun.append((file, pool.submit(_result, work, file)))
                if len(begun) == AHEAD * jobs:
                    yield oldest()
            while begun:
                yield oldest()
    finally:
        pool.shutdown(cancel_futures=True)


def _result(work: Callable[[ImageFile], T], file: ImageFile) -> T | BadImage:
    # A new exception: the one raised would keep the frames it went through, and what they hold.
    try:
        return work(file)
    except BadImage as error:
        return BadImage(str(error))
    except OSError as error:
        return BadImage(_unreadable(error))
    except MemoryError:
        return BadImage(_NO_MEMORY)
    except _quiet_cv2().error as error:  # of what nobody thought of, in one image of many
        if error.code == _quiet_cv2().Error.StsNoMem:
            return BadImage(_NO_MEMORY)
        return BadImage(f"cannot be worked on: {error.err}")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _one_thread_in_cv2():
    """Keep OpenCV from splitting the work on an image over threads of its own."""
    cv2 = _quiet_cv2()
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)
