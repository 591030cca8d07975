"""Classify the cells of images with a saved model."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import NamedTuple

import cv2
import numpy as np

from fastsvm.fitting import Pipeline
from fastsvm.model_files import ModelFileError

from ...common.errors import AppError
from ...common.files import load_model, shipped_model
from ..data.files import ImageFile
from ..data.header import BadImage
from ..data.images import CellWidth, ImageReader, is_blank
from ..data.threads import map_images
from .features import describe, feature_names
from .findings import Finding, ImageFindings, cut_out
from .locate import Cell, Field, locate
from .measures import measure
from .others import find_others
from .settings import FEATURES

BATCH = 64  # images whose cells are classified at once
KEPT_PIXELS = 1 << 20  # of an image that is kept until it is drawn; a larger one is decoded again
THUMBNAIL = 96  # pixels, its longer side
SHIPPED = "shipped/white_cells.safetensors"
APP = __package__.rpartition(".")[0]


@dataclass(frozen=True, eq=False)
class CellModel:
    """A classifier of cells, and which features it takes.

    Its pipeline is a plain one, or scikit-learn's where a step of it is only scikit-learn's.
    """

    name: str
    pipeline: Pipeline
    features: str

    @property
    def classes(self) -> list[str]:
        """The labels it knows."""
        return [str(label) for label in self.pipeline.classes_.tolist()]

    @property
    def gives_probabilities(self) -> bool:
        """Whether its scores are probabilities."""
        return getattr(self.pipeline[-1], "loss", None) == "log"

    def predict(self, X: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return label and score of each row: its probability, or for an SVM the decision value.

        Raises
        ------
        AppError
            When a score is beyond the range of numbers; of the row with that of `names`.
        """

        def in_range(values: np.ndarray) -> np.ndarray:
            bad = ~np.isfinite(values).all(axis=1)
            if bad.any():
                raise AppError(
                    f"{names[bad.argmax()]}: the score of a cell is beyond range; train {self.name} again"
                )
            return values

        classifier = self.pipeline[-1]
        # An overflow is found by what comes of it. Features of kernels are computed in threads, so that
        # NumPy's own switch of the warning would not do.
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            try:
                for _, step in self.pipeline.steps[:-1]:
                    X = in_range(step.transform(X))
                if self.gives_probabilities:
                    scores = classifier.predict_proba(X)
                else:
                    scores = classifier.decision_function(X)
                    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
            except ValueError as error:  # of a kernel's values
                raise AppError(f"{self.name} cannot score these cells: {error}") from error
        winners = in_range(scores).argmax(axis=1)
        return np.array(self.classes)[winners], scores[np.arange(len(X)), winners]


def load_cell_model(path: str | None) -> CellModel:
    """Load a model of cells; by default the one that comes with the package."""
    if path is None:
        with shipped_model(APP, SHIPPED, "give one with -m") as file:
            return replace(load_cell_model(file), name=f"{os.path.basename(file)} (comes with fastsvm)")
    try:
        model = load_model(path)
    except ModelFileError as error:
        raise AppError(str(error)) from error
    # Of a pipeline, whether it is plain or scikit-learn's.
    names = list(getattr(model[0], "feature_names_in_", ())) if hasattr(model, "steps") else None
    for features in FEATURES:
        if names == feature_names(features) and hasattr(model, "classes_"):
            for _, step in model.steps:
                vars(step).pop("feature_names_in_", None)  # or it would ask for them with every array
            return CellModel(os.path.basename(path), model, features)
    raise AppError(f"{path}: a model for other features; give one that this fastsvm-cells train wrote")


# Measuring


class Described(NamedTuple):
    """The cells of an image, their features as rows, what the image is drawn from, and its size."""

    cells: list[Finding]
    X: list[np.ndarray]
    reader: ImageReader | None = None
    size: tuple[int, int] | None = None
    others: tuple[Finding, ...] = ()


def describe_image(
    file: ImageFile,
    features: str,
    cell_width: CellWidth = None,
    *,
    thumbnails: bool = False,
    details: bool = False,
    keep: bool = False,
    most: int | None = None,
    also: Sequence[str] = (),
) -> Described:
    """Find the cells of an image and measure them.

    Parameters
    ----------
    file : ImageFile
    features : {"cells", "shells", "pixels"}
        What of a cell is measured.
    cell_width : float or callable, optional
        As for `read_scaled`.
    thumbnails : bool, default=False
        Whether findings have small pictures.
    details : bool, default=False
        Whether they have outlines and measurements.
    keep : bool, default=False
        Whether the image, unless it is large, is kept to be drawn.
    most : int, optional
        How many cells, the largest, are measured.
    also : sequence of {"red cell", "platelet"}
        What else is found.

    Returns
    -------
    Described
    """
    reader = file.open()
    image, scale = reader.scaled(cell_width=cell_width)
    if is_blank(image):
        return Described([], [], reader if keep and reader.pixels <= KEPT_PIXELS else None)
    field = Field(image)
    white = locate(field)
    others = find_others(field, white, also)
    cells = white[:most]
    found = [Finding(cell.box, cell.center, cell.area) for cell in cells]
    if details:
        found = [_detailed(one, field, cell, scale) for one, cell in zip(found, cells, strict=True)]
    if thumbnails:
        found = [replace(cell, thumbnail=_thumbnail(cut_out(image, cell.box))) for cell in found]
    return Described(
        [cell.at_scale_of_file(scale) for cell in found],
        [describe(field, cell, features) for cell in cells],
        reader if keep and reader.pixels <= KEPT_PIXELS else None,
        _turned(reader.size, image),
        tuple(other.at_scale_of_file(scale) for other in others),
    )


def _turned(size: tuple[int, int], image: np.ndarray) -> tuple[int, int]:
    """Return width and height of an image as it is seen: an orientation may have turned what is stored."""
    height, width = image.shape[:2]
    return size if (width > height) == (size[0] > size[1]) else size[::-1]


def _detailed(found: Finding, field: Field, cell: Cell, scale: float) -> Finding:
    contours, _ = cv2.findContours(cell.nucleus, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=cell.corner)
    nucleus = tuple(contour.reshape(-1, 2) for contour in contours)
    return replace(found, outline=cell.contour, nucleus=nucleus, measures=measure(field, cell, scale))


def _thumbnail(image: np.ndarray) -> bytes:
    factor = min(1, THUMBNAIL / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, 85))[1].tobytes()


# Classifying

Draw = Callable[[ImageFile, np.ndarray, ImageFindings], None]
Found = tuple[ImageFile, ImageFindings]


def classify(
    files: Iterable[ImageFile],
    model: CellModel,
    *,
    draw: Draw | None = None,
    batch: int = BATCH,
    **how,
) -> Iterator[Found]:
    """Find and classify the cells of images.

    Parameters
    ----------
    files : iterable of ImageFile
    model : CellModel
    draw : callable, optional
        Called in any thread with each file that could be read, its image and what was found in it.
    batch : int, default=64
        Images whose cells are classified at once.
    **how
        As for `describe_image`: `cell_width`, `thumbnails`, `details`, `most`, `also`.

    Yields
    ------
    file : ImageFile
        In the order they came.
    found : ImageFindings
        A truth is in it where the image has a label.
    """
    work = partial(describe_image, features=model.features, keep=draw is not None, **how)
    classified = _classified(map_images(work, files), model, batch)
    if draw is None:
        for file, found, _ in classified:
            yield file, found
    else:
        yield from _drawn(classified, draw)


def _classified(
    results: Iterator[tuple[ImageFile, Described | BadImage]], model: CellModel, size: int
) -> Iterator[tuple[ImageFile, ImageFindings, ImageReader | None]]:
    while batch := list(islice(results, size)):
        rows = [
            (file.name, row) for file, result in batch if isinstance(result, Described) for row in result.X
        ]
        names, X = zip(*rows, strict=True) if rows else ((), ())
        labels, scores = model.predict(np.stack(X), names) if rows else ((), ())
        answers = iter(zip(map(str, labels), map(float, scores), strict=True))
        for file, result in batch:
            if not isinstance(result, Described):
                yield file, ImageFindings(file.name, (), file.label, str(result)), None
                continue
            cells = tuple(
                replace(cell, label=label, score=score)
                for cell, (label, score) in zip(result.cells, answers, strict=False)
            )
            found = ImageFindings(file.name, cells, file.label, size=result.size, others=result.others)
            yield file, found, result.reader


def _drawn(
    classified: Iterable[tuple[ImageFile, ImageFindings, ImageReader | None]], draw: Draw
) -> Iterator[Found]:
    def work(item) -> None:
        file, found, reader = item
        if found.problem is None:
            draw(file, (reader or file.open()).whole(), found)

    for (file, found, _), problem in map_images(work, classified):
        yield file, found if problem is None else replace(found, cells=(), others=(), problem=str(problem))


def with_truths(files: Sequence[ImageFile], model: CellModel, labels: str | None) -> list[ImageFile]:
    """Take a folder's name for a label only where it is one that the model knows."""
    if labels is not None:
        return list(files)
    known = set(model.classes)
    return [file if file.label in known else replace(file, label=None) for file in files]
