"""Images from folders, with their labels, originals and classes."""

import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from textwrap import shorten

from ...common.errors import AppError, FormatError, Skipped
from ...common.folder_walk import walk_folder
from ...common.paths import make_folder
from ...common.printing import many, note
from .bad_image import FOREIGN_ENDINGS
from .image_decoding import MAX_PAGES
from .image_reader import ImageFile, split_page
from .image_threads import map_images
from .label_tables import table_rows, values_of_files, voc_rows
from .slides import count_pages, is_deep_file, is_readable_slide, is_slide, missing_slide_library

ENDINGS = (".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".webp", ".jp2", ".j2k")
# Endings of files beside images that no note counts: tables about the images, and results.
BESIDE = (".xml", ".csv", ".json", ".geojson", ".html", ".safetensors", ".part")
NOT_UTF8 = "its label is not UTF-8; rename its folder, or save the table in UTF-8"
MOST_KINDS = 5  # named, of other endings


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
        Folders, each searched with its subfolders in the order of names, and single files, whatever their
        endings. Hidden files (``.name``) are left out; a file in two sources, or with a link to it, belongs
        to the first. Each page of a TIFF file that has several is an image of its own, ``file.tif#1`` and so
        on. Notes count files of other kinds in a folder, and files found again; files with `FOREIGN_ENDINGS`
        are images that cannot be read. Images with 16 bits per channel in one folder share the number of bits
        that they use.
    labels : str, optional
        A CSV file with the columns ``file`` and ``label``, or a folder of Pascal VOC annotations, where the
        label of an image is the name of its objects if they have one name in common. An image is named in
        full, or by the last part of its name if no other image shares this part. By default the label of an
        image is the name of its folder, below its source.
    groups : str, optional
        A CSV file with the columns ``file`` and ``original``.
    classes : sequence of str, optional
        Keep only the images with these labels; other objects of an annotation are ignored.

    Returns
    -------
    list of ImageFile
        The label and group of an image are None if they are unknown.

    Raises
    ------
    AppError
        If there is no image, or a table cannot be read or contradicts itself.
    """
    everything = [*chain.from_iterable(map(_images_of, sources))]
    unique: dict[tuple, ImageFile] = {}
    for file in everything:
        path, page = split_page(file.path)
        unique.setdefault((os.path.realpath(path), page), file)
    if again := len(everything) - len(unique):
        note(f"note: {many(again, 'image')} found again, by a link or in another source; each counts once")
    files = _with_bits(list(unique.values()))
    if labels is not None:
        is_folder = os.path.isdir(labels)
        rows = voc_rows(labels, classes) if is_folder else table_rows(labels, "label")
        files = [replace(file, label=label) for file, label in values_of_files(files, rows)]
    if groups is not None:
        rows = table_rows(groups, "original")
        files = [replace(file, group=group) for file, group in values_of_files(files, rows)]
    if classes is None:
        return files
    there = {file.label for file in files} - {None}
    for name in classes:
        if name not in there:
            known = shorten(", ".join(sorted(there)), 80, placeholder=" ...") or "none"
            raise AppError(f"no image has the label {name!r}; the labels are: {known}")
    return [file for file in files if file.label in classes]


def _with_bits(files: Sequence[ImageFile]) -> list[ImageFile]:
    """Give images the number of bits that their camera uses: the bits of the largest value in a folder.

    A camera of 12 bits writes 16 bits per channel, with values up to 4,095.
    """
    most: Counter[str] = Counter()

    def bits_of(file: ImageFile) -> int:
        with suppress(Exception):  # reported when the image is used
            return 16 if most[_folder_of(file)] == 16 else file.open().most_bits()
        return 0

    for file, bits in map_images(bits_of, [one for one in files if is_deep_file(split_page(one.path)[0])]):
        most[_folder_of(file)] = max(most[_folder_of(file)], bits and max(bits, 8))
    for folder, bits in most.items():
        if 0 < bits < 16:
            note(f"note: {folder}: its 16-bit images use {bits} bits, so {2**bits - 1:,} is taken for white")
    return [replace(file, bits=most[_folder_of(file)] or 16) for file in files]


def _folder_of(file: ImageFile) -> str:
    """Return the folder in which an image was found, or which contains a single file."""
    return file.path.removesuffix(file.name) or os.path.dirname(file.path) or "."


def _images_of(source: str) -> Iterator[ImageFile]:
    if not stat.S_ISDIR(os.stat(split_page(source)[0]).st_mode):
        yield from _pages_of(ImageFile(source, source))
        return
    found = False
    others: Counter[str] = Counter()
    for path, name in walk_folder(source):
        ending = os.path.splitext(name)[1].lower()
        if ending in ENDINGS or ending in FOREIGN_ENDINGS or is_readable_slide(path, ending):
            found = True
            yield from _pages_of(ImageFile(path, name, name.split("/")[-2] if "/" in name else None))
        elif ending not in BESIDE:
            others[ending] += 1
    if others:
        note(f"note: {source}: {_counted(others)}")
    if not found:
        told = "no images (jpg, png, tiff, bmp, webp, jp2) found; give an image or a folder of images"
        raise FormatError(f"{source}: {told}")


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
    named = others.most_common(MOST_KINDS)
    kinds = ", ".join(f"{n:,} {ending or 'without an ending'}" for ending, n in named)
    if len(others) > MOST_KINDS:
        kinds += ", ..."
    text = f"{many(others.total(), 'file')} of other kinds left out ({kinds})"
    slides = next(filter(None, map(missing_slide_library, others)), None)
    return f"{text}; for slides: {slides}" if slides else text


def outside_folders(files: Sequence[ImageFile], folders: Iterable[str]) -> list[ImageFile]:
    """Make the folders for results, and leave out the images in them, which may be earlier results."""
    kept = list(files)
    for folder in folders:
        top = Path(folder).resolve()
        is_inside = cache(lambda parent, top=top: Path(parent).resolve().is_relative_to(top))
        n_before, kept = len(kept), [file for file in kept if not is_inside(os.path.dirname(file.path))]
        if not kept:
            raise AppError(f"{folder}: all images are in it; choose another folder for the results")
        if left_out := n_before - len(kept):
            note(f"note: {many(left_out, 'image')} left out: in {folder}, a folder for results")
        make_folder(folder)
    return kept


def groups_of(
    files: Sequence[ImageFile], n_sources: int, classes: Collection[str], *, given: bool
) -> list[str | None]:
    """Return the slide or patient of each image: the given group, or the place of the image.

    The place is the slide itself, or else the first folder below the source. All groups are None if there is
    only one place, or if folders have the names of classes.
    """
    if given:
        return [file.group or "" for file in files]
    places = [_place_of(file, n_sources > 1) for file in files]
    names = {place.rpartition("/")[2] for place in places}
    return [None] * len(files) if len({*places}) < 2 or names & {*classes} else [*places]


def _place_of(file: ImageFile, whole: bool) -> str:
    """Return the name of a slide, or the first folder of an image; with its source if `whole`."""
    if is_slide(file.path):
        return file.path if whole else file.name
    source = _folder_of(file).rstrip("/")
    folder = "" if file.path == file.name else file.name.rpartition("/")[0].partition("/")[0]
    return os.path.join(source, folder).rstrip("/") if whole else folder or os.path.basename(source)


def source_name(sources: Sequence[str]) -> str:
    """Name the images in a message."""
    return sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else "images"


def with_labels(files: Sequence[ImageFile], source: str) -> tuple[list[ImageFile], Skipped]:
    """Leave out images without a label, and count them as skipped."""
    skipped = Skipped(source)
    kept = []
    for file in files:
        if file.label is None:
            skipped.add(file.name, "no label")
        elif re.search("[\ud800-\udfff]", file.label):  # which no model file can hold
            skipped.add(file.name, NOT_UTF8)
        else:
            kept.append(file)
    if not kept:
        n, told = skipped.kinds[NOT_UTF8], "use one folder per label, or give --labels"
        why = f"{n:,} of {many(skipped.count, 'image')}: {NOT_UTF8}" if n else told
        raise FormatError(f"{skipped.source}: no image has a label; {why}")
    return kept, skipped


def no_usable_images_error(skipped: Skipped) -> AppError:
    """Return the error for images that were all skipped."""
    return AppError(f"{skipped.source}: no image could be used; {skipped.report()[0]}")
