"""The images of the study, lymphocytes and neutrophils, and their crops, which are made once."""

import csv
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from ....cells.data.image_files import find_images
from ....cells.data.image_reader import ImageFile
from ....cells.data.image_threads import map_images
from ....cells.output.cell_drawing import save_image
from ....common.printing import many
from ...data.invented_smears import Smear, copy_of, mirrored_and_turned
from ...report.study_report import Context
from .document_crop import SIZE, document_crop

CLASSES = ("LYMPHOCYTE", "NEUTROPHIL")  # of sign -1 and +1
SIDE = SIZE  # pixels of a crop
PART = 500  # images whose crops are kept in one file
COPIES = 8  # of each smear that is drawn


class Crops(NamedTuple):
    """Crops of cells.

    Attributes
    ----------
    files : sequence of ImageFile
        What they are of, with the labels that count.
    pixels : ndarray of shape (n, SIDE * SIDE) and dtype uint8
        Grey and negative.
    left_out : int
        Images in which no cell was found, or which could not be read.
    seconds : float
        Of a processor, for an image.
    """

    files: Sequence[ImageFile]
    pixels: np.ndarray
    left_out: int
    seconds: float

    @property
    def signs(self) -> np.ndarray:
        """-1 for the first of `CLASSES`, 1 for the second."""
        return np.array([1.0 if file.label == CLASSES[1] else -1.0 for file in self.files])

    @property
    def groups(self) -> np.ndarray:
        """The originals that near-copies were made from."""
        return np.array([file.original for file in self.files])

    def labelled(self, labels: Mapping[str, str]) -> "Crops":
        """Return those of `CLASSES` when some originals have other labels."""
        names = [labels.get(file.original, file.label) for file in self.files]
        rows = [row for row, name in enumerate(names) if name in CLASSES]
        return self._replace(
            files=[replace(self.files[row], label=names[row]) for row in rows], pixels=self.pixels[rows]
        )


def photographs(data: str | None) -> tuple[list[ImageFile], dict[str, str]]:
    """Find the photographs in a folder of data that belong to `CLASSES`, by the document's labels or checked.

    Returns
    -------
    files : list of ImageFile
        With the document's labels; empty where there are none.
    checked : dict of str to str
        The label by eye of each original, "" where that is in doubt; from ``smears/labels_checked.csv``.
    """
    folder = os.path.join(data or "", "cells")
    if not data or not os.path.isdir(folder):
        return [], {}
    groups, table = os.path.join(folder, "groups.csv"), os.path.join(data, "smears", "labels_checked.csv")
    checked = {}
    if os.path.isfile(table):
        with open(table, newline="") as rows:
            for row in csv.DictReader(rows):
                checked[os.path.splitext(row["file"])[0]] = "" if row["doubtful"] else row["checked"]
    files = find_images(
        [os.path.join(folder, "images")],
        groups=groups if os.path.isfile(groups) else None,
        classes=None if checked else CLASSES,
    )
    return [file for file in files if {file.label, checked.get(file.original)} & {*CLASSES}], checked


@contextmanager
def drawn_smears(context: Context, originals: int) -> Iterator[list[ImageFile]]:
    """Draw `originals` smears a class, and copies of them, which are there until the end of the block."""
    with TemporaryDirectory() as place:
        files = []
        with context.stage("draw smears", total=originals * len(CLASSES)) as advance:
            for number in range(originals * len(CLASSES)):
                files += _drawn(place, context.seed, number)
                advance()
        yield files


def _drawn(place: str, seed: int, number: int) -> list[ImageFile]:
    """Draw one smear and the copies of it."""
    label = CLASSES[number % len(CLASSES)]
    picture = Smear([seed, number], label).photograph()
    random = np.random.RandomState([seed, number, 1])
    copies = (copy_of(picture, mirrored_and_turned(random)) for _ in range(COPIES - 1))
    files = []
    for k, image in enumerate([picture, *copies]):
        name = f"{number:04}-{k}.png"
        save_image(os.path.join(place, name), image)
        files.append(ImageFile(os.path.join(place, name), f"{label}/{name}", label, f"{number:04}"))
    return files


def cropped(context: Context, files: Sequence[ImageFile]) -> Crops:
    """Crop cells; what an earlier run has cropped is taken from its files."""
    parts = []
    with context.stage("crop", total=len(files)) as advance:
        for first in range(0, len(files), PART):
            some = files[first : first + PART]
            compute = partial(_study_crops, some, context.threads, advance)
            parts.append(context.part("crops", compute, files=_digest(some)))
    found = np.concatenate([part["found"] for part in parts])
    return Crops(
        [file for file, is_found in zip(files, found, strict=True) if is_found],
        np.concatenate([part["pixels"] for part in parts]),
        int(np.count_nonzero(~found)),
        float(sum(part["seconds"] for part in parts)) / len(files),
    )


def words(crops: Crops, are_photographs: bool) -> str:
    """Say what a study of crops ran on."""
    source = "photographs of stained blood smears" if are_photographs else "smears that the package draws"
    text = f"Crops of {source}: {counts(crops)}, which others are copies of."
    return text + (f" In {many(crops.left_out, 'image')} no cell was found." if crops.left_out else "")


def counts(crops: Crops) -> str:
    """Count the crops and the originals of each class."""
    return ", ".join(
        f"{np.count_nonzero(crops.signs == sign):,} {label.lower()}s of "
        f"{len(np.unique(crops.groups[crops.signs == sign])):,} originals"
        for sign, label in zip((-1, 1), CLASSES, strict=True)
    )


def _study_crops(files: Sequence[ImageFile], jobs: int, advance: Callable[[], None]) -> dict[str, np.ndarray]:
    crops: dict[str, np.ndarray] = {}
    start = time.process_time()
    for file, crop in map_images(document_crop, files, jobs=jobs):
        if isinstance(crop, np.ndarray):  # neither None nor an image that cannot be read
            crops[file.path] = crop.ravel()
        advance()
    seconds = time.process_time() - start
    found = np.array([file.path in crops for file in files])
    pixels = [crops[file.path] for file in files if file.path in crops]
    return {
        "pixels": np.array(pixels, np.uint8).reshape(len(pixels), SIDE * SIDE),
        "found": found,
        "seconds": np.float64(seconds),
    }


def _digest(files: Sequence[ImageFile]) -> str:
    """Return a digest of what is in files, in their order."""
    digest = sha256()
    for file in files:
        with open(file.path, "rb") as content:
            data = content.read()
        digest.update(f"{len(data)} ".encode())
        digest.update(data)
    return digest.hexdigest()
