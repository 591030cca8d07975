"""The images of the study on cells, lymphocytes and neutrophils: crops, made once, and sheets of them."""

import csv
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from hashlib import sha256
from tempfile import TemporaryDirectory

import numpy as np

from ...cells.data.image_files import find_images
from ...cells.data.image_reader import ImageFile, read_image, read_scaled
from ...cells.finding.document_crop import SIZE, locate_report
from ...cells.jobs.cell_cropping import crop_cells
from ...cells.output.cell_drawing import contact_sheet, encoded, save_image, steps_sheet
from ...cells.settings import CropSettings
from ...common.folds import grouped_folds, random_split
from ...common.printing import many
from ..data.invented_smears import Smear, copy_of, mirrored_and_turned
from ..report.study_report import Advance, Arrays, Context, Figure
from .principal_components import Projection, components, inner_products, project, whitened

CROPPING = CropSettings("document", gray=True, negative=True)
CLASSES = ("LYMPHOCYTE", "NEUTROPHIL")  # of sign -1 and +1
PART = 500  # images whose crops are kept in one file
COPIES = 8  # of each smear that is drawn
SCALE = 1 / 255  # of the pixels
COMPONENTS = 40
TEST = 0.2  # of the images
FOLDS = 5
SHOWN = 8  # of each class, on a sheet

Split = tuple[np.ndarray, np.ndarray]  # rows to train on, and to test on
Tiles = list[tuple[np.ndarray, str]]


class Crops:
    """Crops of cells, and what is made of them to train on.

    Parameters
    ----------
    files : sequence of ImageFile
        What they are of, with the labels that count.
    pixels : ndarray of shape (n, SIZE * SIZE) and dtype uint8
        Grey and negative.
    left_out : int
        Images in which no cell was found, or which could not be read.
    seconds : float
        Of a processor, for an image.
    """

    def __init__(
        self, files: Sequence[ImageFile], pixels: np.ndarray, left_out: int = 0, seconds: float = 0.0
    ):
        self.files, self.pixels, self.left_out, self.seconds = files, pixels, left_out, seconds
        self.signs = np.array([1.0 if file.label == CLASSES[1] else -1.0 for file in files])
        self.groups = np.array([file.original for file in files])  # near-copies are made from an original

    def labelled(self, labels: Mapping[str, str]) -> "Crops":
        """Return those of `CLASSES` when some originals have other labels."""
        names = [labels.get(file.original, file.label) for file in self.files]
        rows = [row for row, name in enumerate(names) if name in CLASSES]
        files = [replace(self.files[row], label=names[row]) for row in rows]
        return Crops(files, self.pixels[rows], self.left_out, self.seconds)

    @cached_property
    def products(self) -> np.ndarray:
        """Inner products of all crops."""
        return inner_products(self.pixels, SCALE)

    def projection(self, train: np.ndarray, test: np.ndarray) -> Projection:
        """Return crops on the principal components of those to train on."""
        return project(self.products, train, test, min(COMPONENTS, len(train) - 1))

    def features(self, train: np.ndarray, test: np.ndarray) -> Iterator[Split]:
        """Yield both parts as raw pixels in [0, 1], whitened and plain components: one by one, for size."""
        yield tuple(self.pixels[rows] * np.float32(SCALE) for rows in (train, test))
        projection = self.projection(train, test)
        yield whitened(projection)
        yield projection[:2]

    def random_splits(self, n: int, seed: int) -> list[Split]:
        """Split at random `n` times, whatever they are copies of; rows are in random order."""
        return [random_split(len(self.signs), TEST, seed + k, self.signs) for k in range(n)]

    def grouped_splits(self, seed: int) -> list[Split]:
        """Split into folds that no original's copies share; rows to train on are in random order.

        There are none where a class has fewer originals than folds.
        """
        if any(len(np.unique(self.groups[self.signs == sign])) < FOLDS for sign in (-1, 1)):
            return []
        random = np.random.RandomState(seed)
        folds = grouped_folds(self.signs, self.groups, FOLDS, seed)
        return [(random.permutation(train), test) for train, test in folds]

    def counts(self) -> str:
        """Count the crops and the originals of each class."""
        return ", ".join(
            f"{np.count_nonzero(self.signs == sign):,} {label.lower()}s of "
            f"{len(np.unique(self.groups[self.signs == sign])):,} originals"
            for sign, label in zip((-1, 1), CLASSES, strict=True)
        )

    def words(self, are_photographs: bool) -> str:
        """Say what a study of them ran on."""
        source = "photographs of stained blood smears" if are_photographs else "smears that the package draws"
        text = f"Crops of {source}: {self.counts()}, which others are copies of."
        return text + (f" In {many(self.left_out, 'image')} no cell was found." if self.left_out else "")


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
    for first in range(0, len(files), PART):
        some = files[first : first + PART]
        compute = partial(_study_crops, some, context.threads)
        parts.append(context.part("crops", compute, total=len(some), files=_digest(some)))
    found = np.concatenate([part["found"] for part in parts])
    return Crops(
        [file for file, is_found in zip(files, found, strict=True) if is_found],
        np.concatenate([part["pixels"] for part in parts]),
        int(np.count_nonzero(~found)),
        float(sum(part["seconds"] for part in parts)) / len(files),
    )


def _study_crops(files: Sequence[ImageFile], jobs: int, advance: Advance) -> Arrays:
    crops: dict[str, np.ndarray] = {}

    def keep(file: ImageFile, number: int, crop: np.ndarray) -> None:
        crops[file.path] = crop.ravel()

    start = time.process_time()
    for _ in crop_cells(files, CROPPING, write=keep, jobs=jobs):
        advance()
    seconds = time.process_time() - start
    found = np.array([file.path in crops for file in files])
    pixels = np.array([crops[file.path] for file in files if file.path in crops], np.uint8)
    return {"pixels": pixels.reshape(-1, SIZE * SIZE), "found": found, "seconds": np.float64(seconds)}


def _digest(files: Sequence[ImageFile]) -> str:
    """Return a digest of what is in files, in their order."""
    digest = sha256()
    for file in files:
        with open(file.path, "rb") as content:
            data = content.read()
        digest.update(f"{len(data)} ".encode())
        digest.update(data)
    return digest.hexdigest()


# fmt: off
def image_sheets(crops: Crops, seed: int, photographs: bool = False) -> list[Figure]:
    """Return the document's pictures of images; the docs have them of drawn smears alone."""
    train, test = crops.random_splits(1, seed)[0]
    shown = one_of_each_original(crops.signs[test], crops.groups[test])
    projection = crops.projection(train, test)
    mean, axes = components(crops.pixels[train], SCALE, projection)
    rebuilt = (mean + projection[1][shown] @ axes) / SCALE
    rotated = whitened(projection)[1][shown] @ axes
    stretched = (127.5 * (1 + picture / np.abs(picture).max()) for picture in rotated)  # 0 in the middle
    names = [CLASSES[int(sign > 0)].lower() for sign in crops.signs[test[shown]]]
    of, suffix = ("photographs", "-photographs") if photographs else ("drawn smears", "")
    originals = [crops.files[row] for row in one_of_each_original(crops.signs, crops.groups)]
    sheets = [
        ("originals", "Original images", "Each of another original.",
         [(read_image(file.path), file.label.lower()) for file in originals], "figure 1"),
        ("crops", "Crops", "Grey and negative, as the solvers get them.",
         _tiles(crops.pixels[test[shown]], names), "figure 5"),
        ("rebuilt", f"Crops rebuilt from {len(axes)} components",
         f"The same crops, of which only {len(axes)} principal components of those to train on are left.",
         _tiles(np.clip(rebuilt, 0, 255), names), "figure 7"),
        ("whitened", "Crops rebuilt from whitened components",
         "The same, each component stretched to the same variance; 0 is grey, and each has its own scale.",
         _tiles(stretched, names), "figure 7"),
    ]
    image, _ = read_scaled(crops.files[-1].path)
    steps = [("image", image)]
    locate_report(image, steps)
    return [
        *(Figure(name + suffix, f"{title} of {of}", caption, partial(_draw_tiles, tiles), source=source,
                 shows_data=photographs)
          for name, title, caption, tiles, source in sheets),
        Figure(f"steps{suffix}", f"From an image to its crop, {of}",
               "The document's six steps on one image; the crop's colours are taken away later.",
               lambda sheet: encoded(steps_sheet(steps)), source="figure 4", shows_data=photographs),
    ]
# fmt: on


def one_of_each_original(signs: np.ndarray, groups: np.ndarray) -> list[int]:
    """Return rows of `SHOWN` originals of each class, class by class."""
    rows: list[int] = []
    for sign in np.unique(signs):
        own = np.flatnonzero(signs == sign)
        _, first = np.unique(groups[own], return_index=True)
        rows += own[np.sort(first)[:SHOWN]].tolist()
    return rows


def _tiles(pictures: Iterable[np.ndarray], names: Sequence[str]) -> Tiles:
    tiles = (picture.reshape(SIZE, SIZE).astype(np.uint8) for picture in pictures)
    return list(zip(tiles, names, strict=True))


def _draw_tiles(tiles: Tiles, sheet) -> bytes:
    return encoded(contact_sheet(tiles, columns=SHOWN))
