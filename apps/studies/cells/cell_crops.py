"""The images of the study, lymphocytes and neutrophils, and their crops, which are made once."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from ...cells.data.image_files import ImageFile, find_images
from ...cells.data.image_threads import map_images
from ...cells.output.cell_drawing import save_image
from ...common.folds import random_split
from ...common.printing import many
from ..data.invented_smears import Smear, copy_of, mirrored_and_turned
from ..frame.study_context import Context
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
        What they are of.
    pixels : ndarray of shape (n, SIDE * SIDE) and dtype uint8
        Gray and negative.
    signs : ndarray of shape (n,)
        -1 for the first of `CLASSES`, 1 for the second.
    groups : ndarray of shape (n,) and dtype str
        The original that near-copies were made from.
    left_out : int
        Images in which no cell was found, or which could not be read.
    seconds : float
        Of a processor, for an image.
    """

    files: Sequence[ImageFile]
    pixels: np.ndarray
    signs: np.ndarray
    groups: np.ndarray
    left_out: int
    seconds: float


class Source(NamedTuple):
    """What the images are.

    Attributes
    ----------
    words : str
    photographs : bool
        Whether they are the document's kind; else they are drawn.
    """

    words: str
    photographs: bool


@contextmanager
def study_images(context: Context, originals: int) -> Iterator[tuple[list[ImageFile], Source]]:
    """Find the images in the data of `context`, or draw `originals` smears a class, and copies of them.

    Yields
    ------
    files : list of ImageFile
        There until the end of the block.
    source : Source
    """
    folder = context.data and os.path.join(context.data, "cells")
    if folder and os.path.isdir(folder):
        groups = os.path.join(folder, "groups.csv")
        known = groups if os.path.isfile(groups) else None
        files = find_images([os.path.join(folder, "images")], groups=known, classes=CLASSES)
        yield files, Source("photographs of stained blood smears", True)
    else:
        with TemporaryDirectory() as place:
            files = []
            with context.stage("draw smears", total=originals * len(CLASSES)) as advance:
                for number in range(originals * len(CLASSES)):
                    files += _drawn(place, context.seed, number)
                    advance()
            absent = " (there is no folder cells in the data)" if context.data else ""
            yield files, Source(f"smears that the package draws{absent}", False)


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


def sample(files: Sequence[ImageFile], n: int, seed: int) -> list[ImageFile]:
    """Draw `n` of the images, of both classes in like shares; all, if there are no more."""
    if n >= len(files):
        return list(files)
    rows, _ = random_split(len(files), 1 - n / len(files), seed, [file.label for file in files])
    return [files[row] for row in sorted(rows)]


def cropped(context: Context, files: Sequence[ImageFile], method: str) -> Crops:
    """Crop cells by `method`; what an earlier run has cropped is taken from its files."""
    parts = []
    with context.stage("crop", total=len(files)) as advance:
        for first in range(0, len(files), PART):
            some = files[first : first + PART]
            compute = partial(_cropped, some, method, context.threads, advance)
            parts.append(context.part(f"crops-{method}", compute, files=_digest(some)))
    found = np.concatenate([part["found"] for part in parts])
    kept = [file for file, is_found in zip(files, found, strict=True) if is_found]
    return Crops(
        kept,
        np.concatenate([part["pixels"] for part in parts]),
        np.array([1.0 if file.label == CLASSES[1] else -1.0 for file in kept]),
        np.array([file.original for file in kept]),
        int(np.count_nonzero(~found)),
        float(sum(part["seconds"] for part in parts)) / len(files),
    )


# By labels_checked.csv of the photographs: of 184 labels none is wrong, two are doubtful.
CHECKED = (
    " The labels are the document's. Checked by eye, those of eosinophils are often wrong, of these two "
    "classes none is: checked labels change no verdict."
)


def words(crops: Crops, source: Source) -> str:
    """Say what a study of crops ran on."""
    counts = [
        f"{np.count_nonzero(crops.signs == sign):,} {label.lower()}s of "
        f"{len(np.unique(crops.groups[crops.signs == sign])):,}"
        for sign, label in zip((-1, 1), CLASSES, strict=True)
    ]
    text = f"Crops of {source.words}: {' originals, '.join(counts)} originals, which others are copies of."
    text += CHECKED if source.photographs else ""
    return text + (f" In {many(crops.left_out, 'image')} no cell was found." if crops.left_out else "")


def _cropped(
    files: Sequence[ImageFile], method: str, jobs: int, advance: Callable[[], None]
) -> dict[str, np.ndarray]:
    crops: dict[str, np.ndarray] = {}
    start = time.process_time()
    for file, crop in map_images(partial(document_crop, method=method), files, jobs=jobs):
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
