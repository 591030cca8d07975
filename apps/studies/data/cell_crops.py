"""The images of the study of cells, lymphocytes and neutrophils: crops, made once, and their splits."""

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from ...cells.data.image_files import find_images
from ...cells.data.image_reader import ImageFile
from ...cells.finding.document_crop import SIZE
from ...cells.jobs.cell_cropping import crop_cells
from ...cells.output.cell_drawing import save_image
from ...cells.settings import CropSettings
from ...common.folds import Split, grouped_folds, random_split
from .invented_smears import Smear, copy_of, mirrored_and_turned

CLASSES = ("LYMPHOCYTE", "NEUTROPHIL")  # of sign -1 and +1
CROPPING = CropSettings("document", gray=True, negative=True)
TEST, FOLDS = 0.2, 5


@dataclass(frozen=True)
class Crops:
    """Crops of cells, grey and negative.

    Attributes
    ----------
    files : sequence of ImageFile
        What they are of, with the labels that count.
    pixels : ndarray of shape (n, SIZE * SIZE) and dtype uint8
    """

    files: Sequence[ImageFile]
    pixels: np.ndarray

    @cached_property
    def signs(self) -> np.ndarray:
        """The label of each."""
        return np.array([1.0 if file.label == CLASSES[1] else -1.0 for file in self.files])

    @cached_property
    def originals(self) -> np.ndarray:
        """What each is a copy of."""
        return np.array([file.original for file in self.files])

    def labelled(self, labels: Mapping[str, str]) -> "Crops":
        """Return those of `CLASSES` when some originals have other labels."""
        names = [labels.get(file.original, file.label) for file in self.files]
        rows = [row for row, name in enumerate(names) if name in CLASSES]
        return Crops([replace(self.files[row], label=names[row]) for row in rows], self.pixels[rows])

    def random_splits(self, n: int, seed: int) -> list[Split]:
        """Split at random `n` times, whatever they are copies of; rows are in random order."""
        return [random_split(len(self.signs), TEST, seed + k, self.signs) for k in range(n)]

    def grouped_splits(self, seed: int) -> list[Split]:
        """Split into folds that no original's copies share; rows to train on are in random order."""
        random = np.random.default_rng(seed)
        folds = grouped_folds(self.signs, self.originals, FOLDS, seed)
        return [(random.permutation(train), test) for train, test in folds]

    def counts(self) -> str:
        """Count the crops and the originals of each class."""
        return ", ".join(
            f"{np.count_nonzero(own):,} {label.lower()}s of {len(np.unique(self.originals[own])):,} originals"
            for label, own in zip(CLASSES, (self.signs < 0, self.signs > 0), strict=True)
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
    images, grouped = [os.path.join(folder, "images")], groups if os.path.isfile(groups) else None
    files = find_images(images, groups=grouped, classes=None if checked else CLASSES)
    return [file for file in files if {file.label, checked.get(file.original)} & {*CLASSES}], checked


def drawn_smears(folder: str, number: int, seed: int) -> Iterator[ImageFile]:
    """Draw smears, each mirrored or turned, into a folder."""
    for k in range(number):
        label, path = CLASSES[k % len(CLASSES)], os.path.join(folder, f"{k:04}.png")
        turned = mirrored_and_turned(np.random.RandomState([seed, k, 1]))
        save_image(path, copy_of(Smear([seed, k], label).photograph(), turned))
        yield ImageFile(path, f"{label}/{k:04}.png", label, f"{k:04}")


def crop_by_six_steps(
    files: Sequence[ImageFile], jobs: int, advance: Callable[[], None]
) -> dict[str, np.ndarray]:
    """Crop cells by the document's steps.

    Returns
    -------
    dict
        "found": in which images there is a cell. "pixels": of their crops, of shape (n, SIZE * SIZE).
    """
    crops: dict[str, np.ndarray] = {}

    def keep(file: ImageFile, number: int, crop: np.ndarray) -> None:
        crops[file.path] = crop.ravel()

    for _ in crop_cells(files, CROPPING, write=keep, jobs=jobs):
        advance()
    pixels = [crops[file.path] for file in files if file.path in crops]
    found = np.array([file.path in crops for file in files])
    return {"pixels": np.reshape(pixels, (-1, SIZE * SIZE)).astype(np.uint8), "found": found}


def digest(file: ImageFile) -> str:
    """Return a digest of what is in a file."""
    return sha256(Path(file.path).read_bytes()).hexdigest()
