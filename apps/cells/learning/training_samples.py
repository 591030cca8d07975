"""Training samples: cells in labelled images, and in versions of these images."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Self
from zlib import crc32

import cv2
import numpy as np

from fastsvm._utils.thread_pool import Threads
from fastsvm._utils.threads import number_of_threads

from ...common.errors import AppError, Skipped
from ...common.folds import Split, grouped_folds
from ...common.printing import note
from ...common.progress import Stages
from ..data.bad_image import BadImage
from ..data.boxes import match_boxes
from ..data.image_files import no_usable_images_error
from ..data.image_reader import ImageFile
from ..data.image_threads import map_images
from ..finding.findings import why_no_cell
from ..finding.first_look import FirstLook
from ..finding.image_quality import QualityRanges, quality_ranges
from ..finding.stain import USUAL, Stain, usual_field
from ..finding.white_cells import find_white_cells
from ..measuring.cell_features import describe, n_travelling
from ..measuring.describing import DescribedImage, describe_image
from ..settings import TrainingSettings
from .augmentation import augmented, box_in_version, with_other_stain
from .familiarity import ImageKind, fit_image_kind
from .training_images import Boxes, labels_of_cells

MAX_FINENESS = 2  # pixels per pixel at the working scale when versions are made, at most
MOST_KEPT_CELLS = 2000  # in a model file, so that it stays below 2 MB

# By the numbers of cells that were found again: their features, and those with another stain.
Version = dict[int, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class TrainingSamples:
    """Features, labels and originals of cells, one row per cell.

    Attributes
    ----------
    X : ndarray of shape (n, n_features) and dtype float32
    y, groups : ndarray of shape (n,)
        The label, and the original of the image.
    is_version : ndarray of shape (n,) and dtype bool
        Whether the row is of a version of an image, and not of the image itself.
    cells : ndarray of shape (n,) and dtype object
        The image, and the cell as it is in it.
    hashes : ndarray of shape (n,)
        The hash of the image.
    stained : ndarray of shape (n, n_features) and dtype float32
        The features of a version with another stain; for an image itself, those in X.
    """

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    is_version: np.ndarray
    cells: np.ndarray
    hashes: np.ndarray
    stained: np.ndarray

    def rows(self, rows: np.ndarray) -> Self:
        """Return some of the rows."""
        return TrainingSamples(*(getattr(self, each.name)[rows] for each in fields(self)))

    @property
    def shares(self) -> np.ndarray:
        """The weight of each row, such that every original has the same weight."""
        _, number = np.unique(self.groups, return_inverse=True)
        return 1 / np.bincount(number)[number]

    def splits(self, folds: int, seed: int) -> list[Split]:
        """Split into training and test rows, every original on one side and every label on both.

        There are fewer folds if a label has fewer originals, and none if it has only one.
        """
        n_groups = (len(np.unique(self.groups[self.y == label])) for label in np.unique(self.y))
        folds = min(folds, *n_groups)
        if folds < 2:
            return []
        splits = grouped_folds(self.y, self.groups, folds, seed)
        complete = all(len(np.unique(self.y[train])) == len(np.unique(self.y)) for train, _ in splits)
        return splits if complete else []

    def held_out_scores(
        self,
        parts: Sequence[np.ndarray],
        scores_of: Callable[[int, Self, np.ndarray], np.ndarray],
        advance: Callable[[], None] = lambda: None,
    ) -> np.ndarray:
        """Return the scores of the classes for each row, by a model trained without its part.

        Parameters
        ----------
        parts : sequence of ndarray
            The rows of each fold.
        scores_of : callable
            Fits a model of a fold to some samples, and returns its scores for features; called in any thread.
        advance : callable, optional
            Called after each fold.
        """
        scores = np.empty((len(self.y), len(np.unique(self.y))))

        def work(k: int) -> np.ndarray:
            others = np.setdiff1d(np.arange(len(self.y)), parts[k])
            return scores_of(k, self.rows(others), self.X[parts[k]])

        with Threads(number_of_threads(-1)) as pool:
            for part, found in zip(parts, pool.map(work, range(len(parts))), strict=True):
                advance()
                scores[part] = found
        return scores

    def kept_for_adaptation(self) -> tuple[np.ndarray, np.ndarray]:
        """Return features that travel, and class numbers, of the images' cells, for a model file.

        Of large classes, evenly spread cells are kept.
        """
        images = self.rows(~self.is_version)
        classes, number = np.unique(images.y, return_inverse=True)
        each = [np.flatnonzero(number == k) for k in range(len(classes))]
        rows = np.concatenate([of[:: -(-len(of) * len(classes) // MOST_KEPT_CELLS)] for of in each])
        return images.X[rows, : n_travelling()], number[rows]


def measure_training_samples(
    files: Sequence[ImageFile],
    boxes: Boxes,
    settings: TrainingSettings,
    look: FirstLook,
    skipped: Skipped,
    stage: Stages,
    usual: Stain = USUAL,
) -> tuple[TrainingSamples, QualityRanges, ImageKind]:
    """Measure the cells with labels in images and in versions of them, and how images are taken.

    Parameters
    ----------
    files : sequence of ImageFile
        The first cell of each has the image's label, if that has one.
    boxes : dict
        Labelled boxes by file, as `find_training_images` returns them.
    settings : TrainingSettings
        `versions` is their number for each original; they are made from its first image.
    look : FirstLook
        What is known of all images.
    skipped : Skipped
        Collects the images that cannot be used.
    stage : Stages
        Shows the progress.
    usual : Stain, optional
        The stain to which images and versions are normalised.

    Returns
    -------
    samples : TrainingSamples
    ranges : dict
        The quality of the images that were used, as `quality_ranges` returns it.
    kind : ImageKind
        The kind of their stain.

    Raises
    ------
    AppError
        If there are fewer than two labels.
    """
    firsts = set({file.original: file for file in reversed(files)}.values())

    def measure(file: ImageFile) -> tuple[DescribedImage, list[Version]]:
        most = None if file in boxes else 1
        found = describe_image(file, look, usual=usual, wanted=("quality",), most=most)
        wanted = settings.versions and found.cells and file in firsts
        return found, _versions(file, found, settings, look, usual) if wanted else []

    rows: list[tuple] = []  # of the fields of TrainingSamples
    of_first, of_others, stains = [], [], []
    with stage("measure", total=len(files)) as advance:
        for file, result in map_images(measure, files):
            advance()
            if isinstance(result, BadImage):
                skipped.add(file.name, str(result))
                continue
            found, versions = result
            if not found.cells:
                skipped.add(file.name, why_no_cell(found.flags))
                continue
            (of_first if file in firsts else of_others).append(found.quality)
            stains.append(found.stain)
            for k, label in labels_of_cells(file, found.cells, boxes, skipped):
                again = [(True, version[k]) for version in versions if k in version]
                rows += [
                    (row, label, file.original, is_version, (file, found.cells[k]), found.hash, stained)
                    for is_version, (row, stained) in [(False, (found.X[k],) * 2), *again]
                ]
    if not rows and skipped.count:
        raise no_usable_images_error(skipped)
    if not rows:
        raise AppError(f"{skipped.source}: all cells are rejected")
    X, labels, originals, is_version, of_rows, hashes, stained = zip(*rows, strict=True)
    if len(set(labels)) < 2:
        more = f" left; {skipped.report()[0]}" if skipped.count else "; give images of two or more"
        raise AppError(f"{skipped.source}: {labels[0]!r} is the only label{more}")
    cells = np.empty(len(rows), object)
    cells[:] = of_rows
    groups = _copies_together(np.array(originals), np.array(hashes), cells)
    rest = np.array(is_version), cells, np.array(hashes), np.stack(stained)
    samples = TrainingSamples(np.stack(X), np.array(labels), groups, *rest)
    return samples, quality_ranges(of_first, of_others), fit_image_kind(stains)


def _copies_together(originals: np.ndarray, hashes: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the originals, one for all images with the same pixels; a note names such copies."""
    _, first, number = np.unique(hashes, return_index=True, return_inverse=True)
    first = first[number]  # the first row with the same pixels
    names, groups = np.unique(originals, return_inverse=True)
    copies = np.flatnonzero(groups != groups[first])
    if len(copies):
        n = len({cells[row][0] for row in copies})
        copy, of = (cells[row][0].name for row in (copies[0], first[copies[0]]))
        told = f"{n:,}, such as {copy!r} of {of!r}"
        note(f"note: exact copies of other images count as the same original: {told}")
    for row in copies:
        groups[groups == groups[row]] = groups[first[row]]
    return names[groups]


def _versions(
    file: ImageFile, found: DescribedImage, settings: TrainingSettings, look: FirstLook, usual: Stain
) -> list[Version]:
    """Measure the cells of an image again in versions of it."""
    reader = file.open()
    image, scale = reader.scaled(cell_width=look.scale)
    height, width = image.shape[:2]
    fineness = min(max(1 / scale, 1), MAX_FINENESS)
    if fineness > 1:
        image, scale = reader.scaled(cell_width=look.scale, fraction=fineness)
    seeds = [settings.seed, crc32(file.name.encode("utf-8", "surrogateescape"))]
    rng, rng_of_stain = np.random.default_rng(seeds), np.random.default_rng([*seeds, 1])
    versions = []
    for _ in range(settings.versions):
        pixels, matrix, zoom = augmented(image, rng, 1 / fineness)
        resized = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
        field = usual_field(resized, usual, look.bluish)
        cells = find_white_cells(field)
        boxes = [tuple(side * scale for side in cell.box) for cell in found.cells]
        moved = [tuple(side / fineness for side in box_in_version(box, matrix, zoom)) for box in boxes]
        pairs = [*match_boxes(moved, [cell.box for cell in cells])]
        other = with_other_stain(field, rng_of_stain) if pairs else field
        versions.append({k: tuple(describe(each, cells[n]) for each in (field, other)) for k, n in pairs})
    return versions
