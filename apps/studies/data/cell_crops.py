"""The images of the study of cells, lymphocytes and neutrophils: crops, made once, and their splits."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from ...cells.data.image_files import find_images
from ...cells.data.image_reader import ImageFile
from ...cells.finding.document_crop import SIZE
from ...cells.jobs.cell_cropping import crop_cells
from ...cells.settings import CropSettings
from ...common.files import samples_folder
from ...common.folds import Split, grouped_folds, random_split

CLASSES = ("LYMPHOCYTE", "NEUTROPHIL")  # of sign -1 and +1
CROPPING = CropSettings("document", gray=True, negative=True)
TEST, FOLDS = 0.2, 5


@dataclass(frozen=True)
class Crops:
    """Crops of cells, grey and negative.

    Attributes
    ----------
    files : sequence of ImageFile
        The images of the crops.
    pixels : ndarray of shape (n, SIZE * SIZE) and dtype uint8
    """

    files: Sequence[ImageFile]
    pixels: np.ndarray

    @cached_property
    def signs(self) -> np.ndarray:
        """The label of each crop."""
        return np.array([1.0 if file.label == CLASSES[1] else -1.0 for file in self.files])

    @cached_property
    def originals(self) -> np.ndarray:
        """The original of each crop."""
        return np.array([file.original for file in self.files])

    def turned(self) -> "Crops":
        """Return each crop in all eight ways to turn and to mirror it."""
        squares = self.pixels.reshape(-1, SIZE, SIZE)
        ways = [np.rot90(each, k, (1, 2)) for each in (squares, squares[:, ::-1]) for k in range(4)]
        return Crops([*self.files] * len(ways), np.reshape(ways, (-1, SIZE * SIZE)))

    def random_splits(self, n: int, seed: int) -> list[Split]:
        """Split at random `n` times, regardless of originals; rows are in random order."""
        return [random_split(len(self.signs), TEST, seed + k, self.signs) for k in range(n)]

    def grouped_splits(self, seed: int) -> list[Split]:
        """Split into folds that share no original; training rows are in random order."""
        random = np.random.default_rng(seed)
        folds = grouped_folds(self.signs, self.originals, FOLDS, seed)
        return [(random.permutation(train), test) for train, test in folds]

    def counts(self) -> str:
        """Count the crops and the originals of each class."""
        return ", ".join(
            f"{np.count_nonzero(own):,} {label.lower()}s of {len(np.unique(self.originals[own])):,} originals"
            for label, own in zip(CLASSES, (self.signs < 0, self.signs > 0), strict=True)
        )


def photographs(data: str | None) -> list[ImageFile]:
    """Find the photographs in a folder of data; none if it has no folder of cells."""
    folder = os.path.join(data or "", "cells")
    return images_in(folder) if data and os.path.isdir(folder) else []


def drawn_smears() -> list[ImageFile]:
    """Find the bundled synthetic smears."""
    return images_in(str(samples_folder() / "cells"))


def images_in(folder: str) -> list[ImageFile]:
    """Find the images of `CLASSES` in a folder, with their originals."""
    groups = os.path.join(folder, "groups.csv")
    known = groups if os.path.isfile(groups) else None
    return find_images([os.path.join(folder, "images")], groups=known, classes=CLASSES)


def crop_by_six_steps(
    files: Sequence[ImageFile], jobs: int, advance: Callable[[], None]
) -> dict[str, np.ndarray]:
    """Crop cells by the document's steps.

    Returns
    -------
    dict
        "found": whether each image has a cell. "pixels": of their crops, of shape (n, SIZE * SIZE).
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
    """Return a digest of the content of a file."""
    return sha256(Path(file.path).read_bytes()).hexdigest()
