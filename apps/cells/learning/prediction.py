"""Classify the cells of images with a saved model."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

import cv2
import numpy as np

from ..data.bad_image import BadImage
from ..data.files import ImageFile
from ..data.images import CellWidth, ImageReader, is_blank
from ..data.threads import MapImages, map_images
from ..finding.findings import UNCLASSIFIED, Finding, ImageFindings, cut_out
from ..finding.locate import Cell, Field, locate
from ..finding.masks import black_frame
from ..finding.others import find_others
from ..finding.quality import Quality, flags_of, quality_of
from ..finding.stain import USUAL, Usual, normalised, stain_of
from ..learning.classifier import CellModel
from ..measuring.features import describe
from ..measuring.measures import measure

BATCH = 64  # images whose cells are classified at once
KEPT_PIXELS = 1 << 20  # of an image that is kept until it is drawn; a larger one is decoded again
THUMBNAIL = 96  # pixels, its longer side


# Measuring


class Described(NamedTuple):
    """The cells of an image, their features as rows, what the image is drawn from, its size and quality."""

    cells: list[Finding]
    X: list[np.ndarray]
    reader: ImageReader | None = None
    size: tuple[int, int] | None = None
    quality: Quality | None = None
    others: tuple[Finding, ...] = ()


def describe_image(
    file: ImageFile,
    cell_width: CellWidth = None,
    *,
    usual: Usual | None = USUAL,
    thumbnails: bool = False,
    details: bool = False,
    quality: bool = False,
    keep: bool = False,
    most: int | None = None,
    also: Sequence[str] = (),
) -> Described:
    """Find the cells of an image and measure them.

    Parameters
    ----------
    file : ImageFile
    cell_width : float or callable, optional
        As for `read_scaled`.
    usual : Usual or None
        The stain that the image is given; with None it stays as it is.
    thumbnails : bool, default=False
        Whether findings have small pictures.
    details : bool, default=False
        Whether findings have outlines and measurements.
    quality : bool, default=False
        Whether it is measured how the image is taken.
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
    kept = reader if keep and reader.pixels <= KEPT_PIXELS else None
    size = _turned(reader.size, image)
    if is_blank(image):
        return Described([], [], kept, size)
    frame = black_frame(image)
    stain = getattr(file, "stain", None) or stain_of(image, frame)
    field = Field(normalised(image, stain, usual) if usual else image, frame)
    white = locate(field)
    others = tuple(other.at_scale_of_file(scale) for other in find_others(field, white, also))
    taken = quality_of(image, frame, stain, white) if quality else None
    cells = white[:most]
    found = [Finding(cell.box, cell.center, cell.area) for cell in cells]
    if details:
        found = [_detailed(one, field, cell, scale) for one, cell in zip(found, cells, strict=True)]
    if thumbnails:
        found = [replace(cell, thumbnail=_thumbnail(cut_out(image, cell.box))) for cell in found]
    X = [describe(field, cell) for cell in cells]
    return Described([cell.at_scale_of_file(scale) for cell in found], X, kept, size, taken, others)


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
    describing: MapImages = map_images,
    batch: int = BATCH,
    min_score: float | None = None,
    strict: bool = False,
    **how,
) -> Iterator[Found]:
    """Find and classify the cells of images.

    Parameters
    ----------
    files : iterable of ImageFile
    model : CellModel
    draw : callable, optional
        Called in any thread with each file that could be read, its image and what was found in it.
    describing : callable, default=map_images
        What describes the images. Their cells are classified here: that takes no time beside it, and sums
        are then rounded alike.
    batch : int, default=64
        Images whose cells are classified at once.
    min_score : float, optional
        A cell gets a label only with this score; by default with that of the model.
    strict : bool, default=False
        Whether an image that is unlike those the model has learnt from is a problem.
    **how
        As for `describe_image`: `cell_width`, `thumbnails`, `details`, `most`, `also`.

    Yields
    ------
    file : ImageFile
        In the order they came.
    found : ImageFindings
        A truth is in it where the image has a label.
    """
    about = model.about
    least = model.least(min_score)
    keep = draw is not None and describing is map_images  # elsewhere pixels would come back for each image
    how |= {"usual": about.usual, "quality": bool(about.ranges), "keep": keep}
    results = describing(partial(describe_image, **how), files)
    classified = (
        (file, _refused(found) if strict and found.flags else found, reader)
        for file, found, reader in _classified(results, model, batch, least)
    )
    if draw is None:
        for file, found, _ in classified:
            yield file, found
    else:
        yield from _drawn(classified, draw)


def _refused(found: ImageFindings) -> ImageFindings:
    return replace(found, cells=(), problem=f"unlike the images learnt from: {', '.join(found.flags)}")


def _classified(
    results: Iterator[tuple[ImageFile, Described | BadImage]],
    model: CellModel,
    size: int,
    least: float | None,
) -> Iterator[tuple[ImageFile, ImageFindings, ImageReader | None]]:
    classes = model.classes
    while batch := list(islice(results, size)):
        rows = [
            (file.name, row) for file, result in batch if isinstance(result, Described) for row in result.X
        ]
        names, X = zip(*rows, strict=True) if rows else ((), ())
        answers = iter(model.scores(np.stack(X), names).astype(float) if rows else ())
        for file, result in batch:
            if not isinstance(result, Described):
                yield file, ImageFindings(file.name, (), file.label, str(result)), None
                continue
            cells = tuple(
                _labelled(cell, scores, classes, least)
                for cell, scores in zip(result.cells, answers, strict=False)
            )
            flags = flags_of(result.quality, model.about.ranges) if result.quality else ()
            found = ImageFindings(
                file.name, cells, file.label, size=result.size, flags=flags, others=result.others
            )
            yield file, found, result.reader


def _labelled(cell: Finding, scores: np.ndarray, classes: Sequence[str], least: float | None) -> Finding:
    """Give a cell its label; `least` is None where scores are no probabilities."""
    winner = int(scores.argmax())
    score = float(scores[winner])
    if least is None:
        return replace(cell, label=classes[winner], score=score)
    label = classes[winner] if score >= least else UNCLASSIFIED
    return replace(cell, label=label, score=score, probabilities=tuple(scores.tolist()))


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
