"""Labels of images, from CSV tables, Pascal VOC annotations and JSON files."""

import csv
import io
import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from textwrap import shorten
from typing import TypeVar

from ...common.csv_quoting import unquoted
from ...common.errors import AppError, FormatError
from ...common.files import read_small_file
from ...common.folder_walk import walk_folder
from ...common.input_streams import UTF16_MARKS
from ...common.printing import and_more, note, shortened
from .image_reader import ImageFile

MAX_XML_BYTES = 10_000_000
MAX_TABLE_BYTES = 1 << 27

ALSO_CALLED = {"original": "group"}  # columns by other names

T = TypeVar("T", bound=tuple)


LabelRow = tuple[str, str, str]  # its place in a table or the path of an annotation, the file, the label


def files_of_rows(files: Sequence[ImageFile], rows: Iterable[T]) -> Iterator[tuple[T, ImageFile]]:
    """Yield each row with each file that it names: in full, by the last part of the name, or by a path.

    A path, with / or with the \\ of Windows, may be of another computer if it ends with the full name. A row
    begins with the place where it was read and the name. A note reports the first row that names no file; if
    no row names a file, that is an error.
    """
    by_name, by_last_part = defaultdict(list), defaultdict(list)
    by_path = {os.path.abspath(file.path): [file] for file in files}
    for file in files:
        by_name[file.name].append(file)
        by_last_part[os.path.basename(file.name)].append(file)
    rows = list(rows)
    strangers = []
    for row in rows:
        where, name, *_ = row
        meant = by_name.get(name) or by_last_part.get(name) or by_path.get(os.path.abspath(name), [])
        end = name.replace("\\", "/")
        while not meant and end:
            meant = by_name.get(end, [])
            end = end.partition("/")[2]
        if not meant:
            strangers.append(f"{where}: {name!r} is not among the images")
        elif len(meant) > 1 and name not in by_name:
            raise AppError(f"{where}: {len(meant)} images are called {name!r}; name the folder too")
        yield from ((row, file) for file in meant)
    if strangers:
        if len(strangers) == len(rows):
            raise AppError(f"{strangers[0]}, nor is any other; images have names like {files[0].name!r}")
        note(f"note: {strangers[0]}{and_more(len(strangers))}")


def values_of_files(
    files: Sequence[ImageFile], rows: Iterable[LabelRow]
) -> Iterator[tuple[ImageFile, str | None]]:
    """Yield each file with the value of the row that names it, or None."""
    values: dict[ImageFile, str] = {}
    for (where, name, value), file in files_of_rows(files, rows):
        if value and values.setdefault(file, value) != value:
            name, here, before = (shortened(text, 100) for text in (name, value, values[file]))
            raise AppError(f"{where}: {name!r} is {here!r} here, but {before!r} before")
    return ((file, values.get(file)) for file in files)


def table_rows(path: str, column: str) -> Iterator[LabelRow]:
    """Yield the rows of a CSV file with the columns ``file`` and `column`."""
    for where, (file, value) in read_label_table(path, ("file", column)):
        yield where, file, value.strip()


def read_label_table(path: str, columns: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each row of a CSV file with a header, and its texts in these columns."""
    content = read_small_file(path, MAX_TABLE_BYTES, "a table of images")
    how = ("utf-16", "replace") if content[:2] in UTF16_MARKS else ("utf-8-sig", "surrogateescape")
    with io.StringIO(content.decode(*how), newline="") as file:
        del content
        separator = max(",;\t", key=file.readline().count)
        file.seek(0)
        rows = csv.reader(file, delimiter=separator)
        try:
            header = [name.strip() for name in next(rows, [])]
            columns = [name if name in header else ALSO_CALLED.get(name, name) for name in columns]
            for wanted in columns:
                if wanted not in header:
                    there = shorten(", ".join(header), 80, placeholder=" ...") or "none"
                    what = f"no column {wanted!r} among {there}; give columns {' and '.join(columns)}"
                    told = "" if there.isprintable() else ", and save the table in UTF-8"
                    raise FormatError(f"{path}, line 1: {what}{told}")
            for row in filter(None, rows):
                where = f"{path}, line {rows.line_num}"
                if len(row) != len(header):
                    raise AppError(f"{where}: {len(row)} fields, where the header has {len(header)}")
                yield where, [unquoted(row[header.index(name)]) for name in columns]
        except csv.Error as error:
            raise FormatError(f"{path}, line {rows.line_num}: not CSV: {error}") from error


def voc_rows(folder: str, classes: Collection[str] | None) -> Iterator[LabelRow]:
    """Yield a row for each Pascal VOC file in a folder."""
    for path, file, root in read_voc_files(folder):
        names = {element.findtext("name", "").strip() for element in root.iter("object")}
        if classes is not None:
            names.intersection_update(classes)
        yield path, file, names.pop() if len(names) == 1 else ""


def read_voc_files(folder: str):
    """Yield the path, the image's name and the root of each Pascal VOC annotation in a folder."""
    empty = True
    for path, name in walk_folder(folder):
        if not name.lower().endswith(".xml"):
            continue
        empty = False
        root = _parsed_xml(path)
        file = root.findtext("filename")
        if not file:
            raise FormatError(f"{path}: contains no <filename>; give Pascal VOC annotations")
        yield path, file.strip(), root
    if empty:
        raise FormatError(f"{folder}: contains no annotations (.xml)")


def _parsed_xml(path: str):
    from xml.etree import ElementTree

    content = read_small_file(path, MAX_XML_BYTES, "an annotation")

    class Tree(ElementTree.TreeBuilder):
        def doctype(self, *_):  # no annotation has one, and its declarations may grow without end
            raise FormatError(f"{path}: has a document type; give Pascal VOC annotations")

    try:
        return ElementTree.fromstring(content, ElementTree.XMLParser(target=Tree()))
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the last two: of its encoding
        raise FormatError(f"{path}: not XML: {error}") from error


def read_json(path: str, what: str) -> dict:
    """Return the object in a JSON file."""
    try:
        content = json.loads(read_small_file(path, MAX_TABLE_BYTES, what))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: not JSON: {error}") from None
    if not isinstance(content, dict):
        raise FormatError(f"{path}: no {what}")
    return content
