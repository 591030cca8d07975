"""Images from folders, and what labels, originals and classes they have."""

import csv
import io
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from textwrap import shorten
from typing import NamedTuple

from ...common.csv_quoting import unquoted
from ...common.errors import AppError, Skipped
from ...common.files import read_limited
from ...common.printing import many, note, shortened
from .image_decoding import MAX_PAGES
from .image_reader import Content, ImageReader, split_page
from .slides import count_pages, is_readable_slide, missing_slide_library

ENDINGS = (".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".webp", ".jp2", ".j2k")
# What lies beside images and needs no word: what is known about them, and what was made of them.
BESIDE = (".xml", ".csv", ".json", ".geojson", ".html", ".safetensors", ".part")
MOST_KINDS = 5  # named, of files of other kinds
MAX_XML_BYTES = 10_000_000
MAX_TABLE_BYTES = 1 << 27


@dataclass(frozen=True)
class ImageFile:
    """An image to read.

    Attributes
    ----------
    path : str
        To open it by; ``scan.tif#2`` is the second page of a file.
    name : str
        To show: relative to the folder it was found in, with ``/`` between folders; or as the user gave it.
    label : str or None
        Its class.
    group : str or None
        The original that near-copies were made from.
    content : tuple of (bytes, int or None), optional
        The content of the file, as `image_content` returns it, where the file itself may be out of reach.
    """

    path: str
    name: str
    label: str | None = None
    group: str | None = None
    content: Content | None = field(default=None, repr=False, compare=False)

    @property
    def original(self) -> str:
        """The original that the image is a copy of, or the image itself."""
        return split_page(self.path)[0] if self.group is None else self.group

    def open(self) -> ImageReader:
        """Return what reads its pixels."""
        return ImageReader(self.path, content=self.content)


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
        endings. What is hidden (``.name``) is left out; what two sources share belongs to the first. Each
        page of a TIFF file that has several is an image of its own, ``file.tif#1`` and so on. Files of other
        kinds in a folder are counted in a note.
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
        The label and group of an image are None where they are unknown.

    Raises
    ------
    AppError
        When there is no image, or a table cannot be read or contradicts itself.
    """
    unique: dict[str, ImageFile] = {}
    for file in chain.from_iterable(map(_images_of, sources)):
        unique.setdefault(os.path.abspath(file.path), file)
    files = list(unique.values())
    if labels is not None:
        is_geojson_folder = os.path.isdir(labels)
        rows = _annotations(labels, classes) if is_geojson_folder else _table(labels, "label")
        files = [replace(file, label=label) for file, label in _matched(files, rows)]
    if groups is not None:
        rows = _table(groups, "original")
        files = [replace(file, group=group) for file, group in _matched(files, rows)]
    return files if classes is None else _of_classes(files, classes)


def _images_of(source: str) -> Iterator[ImageFile]:
    if not stat.S_ISDIR(os.stat(split_page(source)[0]).st_mode):
        yield from _pages_of(ImageFile(source, source))
        return
    found = False
    others: Counter[str] = Counter()
    for path, name in _walk(source):
        ending = os.path.splitext(name)[1].lower()
        if ending in ENDINGS or is_readable_slide(path, ending):
            found = True
            yield from _pages_of(ImageFile(path, name, name.split("/")[-2] if "/" in name else None))
        elif ending not in BESIDE:
            others[ending] += 1
    if others:
        note(f"note: {source}: {_counted(others)}")
    if not found:
        raise AppError(
            f"{source}: no images (jpg, png, tiff, bmp, webp, jp2) in it; give an image, or a folder of them"
        )


def _pages_of(file: ImageFile) -> Iterator[ImageFile]:
    known = file.path.lower().endswith(ENDINGS) and not file.path.lower().endswith((".tif", ".tiff"))
    n = 1 if known else count_pages(file.path)
    if n < 2 or n > MAX_PAGES:  # opening it reports too many
        yield file
        return
    for number in range(1, n + 1):
        yield replace(file, path=f"{file.path}#{number}", name=f"{file.name}#{number}")


def _counted(others: Counter[str]) -> str:
    """Return the number of files of other kinds, and the package that slides need."""
    kinds = ", ".join(f"{ending or 'no ending'} {n:,}" for ending, n in others.most_common(MOST_KINDS))
    if len(others) > MOST_KINDS:
        kinds += ", ..."
    text = f"{many(others.total(), 'file')} of other kinds left out ({kinds})"
    slides = next(filter(None, map(missing_slide_library, others)), None)
    return f"{text}; for slides: {slides}" if slides else text


def _walk(top: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of each file below a folder."""
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
                if not name.endswith(".part"):  # results of an interrupted run
                    inner.append((entry.path, f"{name}/"))
            else:
                yield entry.path, name
        folders.extend(reversed(inner))


def _of_classes(files: Sequence[ImageFile], classes: Sequence[str]) -> list[ImageFile]:
    there = {file.label for file in files} - {None}
    for name in classes:
        if name not in there:
            known = shorten(", ".join(sorted(there)), 80, placeholder=" ...") or "none"
            raise AppError(f"no image has the label {name!r}; there are: {known}")
    return [file for file in files if file.label in classes]


# Tables and annotations of images


class LabelRow(NamedTuple):
    """The value of a file in a table or an annotation, and its place there."""

    where: str
    file: str
    value: str


def files_of_rows(
    files: Sequence[ImageFile], rows: Iterable[LabelRow]
) -> Iterator[tuple[LabelRow, ImageFile]]:
    """Yield each row with each file that it means, by its name or the last part of its name.

    A note names the first row that means no file; if no row means any, that is an error.
    """
    by_name, by_last_part = defaultdict(list), defaultdict(list)
    for file in files:
        by_name[file.name].append(file)
        by_last_part[os.path.basename(file.name)].append(file)
    rows = list(rows)
    strangers = []
    for row in rows:
        meant = by_name.get(row.file) or by_last_part.get(row.file, [])
        if not meant:
            strangers.append(row)
        elif len(meant) > 1 and row.file not in by_name:
            raise AppError(f"{row.where}: {len(meant)} images are called {row.file!r}; name the folder too")
        yield from ((row, file) for file in meant)
    if strangers:
        first = f"{strangers[0].where}: {strangers[0].file!r} is not among the images"
        if len(strangers) == len(rows):
            raise AppError(f"{first}, nor is any other; their names are like {files[0].name!r}")
        more = f", and {len(strangers) - 1:,} more" if len(strangers) > 1 else ""
        note(f"note: {first}{more}")


def _matched(files: Sequence[ImageFile], rows: Iterable[LabelRow]) -> Iterator[tuple[ImageFile, str | None]]:
    """Yield each file with the value of the row that means it, or None."""
    values: dict[ImageFile, str] = {}
    for row, file in files_of_rows(files, rows):
        if row.value and values.setdefault(file, row.value) != row.value:
            name, here, before = (shortened(text, 100) for text in (row.file, row.value, values[file]))
            raise AppError(f"{row.where}: {name!r} is {here!r} here, but {before!r} before")
    return ((file, values.get(file)) for file in files)


def _table(path: str, column: str) -> Iterator[LabelRow]:
    for where, (file, value) in read_label_table(path, ("file", column)):
        yield LabelRow(where, file, value.strip())


def read_label_table(path: str, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield from a CSV file with a header where each row stands, and its texts in these columns."""
    content = read_limited(path, MAX_TABLE_BYTES, "a table of images")
    with io.StringIO(content.decode("utf-8-sig", "surrogateescape"), newline="") as file:
        del content
        rows = csv.reader(file)
        try:
            header = [name.strip() for name in next(rows, [])]
            for wanted in columns:
                if wanted not in header:
                    there = shorten(", ".join(header), 80, placeholder=" ...") or "none"
                    raise AppError(f"{path}, line 1: no column {wanted!r}; the columns are: {there}")
            for row in filter(None, rows):
                where = f"{path}, line {rows.line_num}"
                if len(row) != len(header):
                    raise AppError(f"{where}: {len(row)} fields, where the header has {len(header)}")
                yield where, [unquoted(row[header.index(name)]) for name in columns]
        except csv.Error as error:
            raise AppError(f"{path}, line {rows.line_num}: not CSV: {error}") from error


def _annotations(folder: str, classes: Collection[str] | None) -> Iterator[LabelRow]:
    """Yield a row for each Pascal VOC file in a folder."""
    for path, file, root in read_voc_files(folder):
        names = {element.findtext("name", "").strip() for element in root.iter("object")}
        if classes is not None:
            names.intersection_update(classes)
        yield LabelRow(path, file, names.pop() if len(names) == 1 else "")


def read_voc_files(folder: str):
    """Yield from a folder of Pascal VOC annotations the path, the image's name and the root of each."""
    empty = True
    for path, name in _walk(folder):
        if not name.lower().endswith(".xml"):
            continue
        empty = False
        root = _parsed(path)
        file = root.findtext("filename")
        if not file:
            raise AppError(f"{path}: no <filename> in it; give Pascal VOC annotations")
        yield path, file.strip(), root
    if empty:
        raise AppError(f"{folder}: no annotations (xml) in it")


def _parsed(path: str):
    from xml.etree import ElementTree

    content = read_limited(path, MAX_XML_BYTES, "an annotation")

    class Tree(ElementTree.TreeBuilder):
        def doctype(self, *_):  # no annotation has one, and what it declares may grow without end
            raise AppError(f"{path}: has a document type; give Pascal VOC annotations")

    try:
        return ElementTree.fromstring(content, ElementTree.XMLParser(target=Tree()))
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the last two: of its encoding
        raise AppError(f"{path}: not XML: {error}") from error


def outside(files: Sequence[ImageFile], folder: str) -> list[ImageFile]:
    """Leave out the images in the folder for results: they are earlier ones, or would be replaced."""
    top = os.path.join(os.path.realpath(folder), "")
    folders = {path: os.path.join(os.path.realpath(path), "") for path in map(_folder_of, files)}
    kept = [file for file in files if not folders[_folder_of(file)].startswith(top)]
    if not kept:
        raise AppError(f"{folder}: all images are in it; choose another folder for the results with -o")
    return kept


def _folder_of(file: ImageFile) -> str:
    return os.path.dirname(file.path)


def source_name(sources: Sequence[str]) -> str:
    """Name the images in a message."""
    return sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else "images"


def labelled_images(sources: Sequence[str], **known) -> tuple[list[ImageFile], Skipped]:
    """Find images as `find_images` does; those without a label are left out, and counted as skipped."""
    files, skipped = find_images(sources, **known), Skipped(source_name(sources))
    kept = [file for file in files if file.label is not None]
    for file in files:
        if file.label is None:
            skipped.add(file.name, "no label")
    if not kept:
        raise AppError(
            f"{skipped.source}: no image has a label; lay them in a folder for each, or give --labels"
        )
    return kept, skipped


def nothing_left(skipped: Skipped) -> AppError:
    """Return the error for images of which every one was skipped."""
    return AppError(f"{skipped.source}: no image could be used; {skipped.report()[0]}")
