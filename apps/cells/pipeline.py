"""Find cells, train on them, classify them: functions that return what the commands print."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

import fastsvm

from ..common.errors import AppError, Skipped
from ..common.files import check_model_path, shipped_model
from ..common.progress import Stages
from .choices import FEATURES
from .document import SIZE, crop, gray_negative, locate_report
from .features import describe, feature_names
from .findings import Finding, ImageFindings
from .images import BadImage, ImageFile, find_images, map_images, read_image, read_scaled
from .locate import Field, find_center, locate, outlined
from .places import mirrored, write_image
from .plots import contact_sheet, draw_overlay, save_image
from .scores import Scores, score
from .training import Samples, Settings, check_components, fit, validate

NO_CELL = "no white cell"
BATCH = 64  # images whose cells are classified at once
THUMBNAIL = 96  # pixels, its longer side
SHIPPED = "models/white_cells.safetensors"

Image = np.ndarray
Found = tuple[ImageFile, ImageFindings]


# Cells of one image, in pixels of its file


def _of_file(found: Finding, scale: float) -> Finding:
    """Bring what was found at the working scale to the pixels of the file."""
    if scale == 1:
        return found
    x, y, w, h = found.box
    left, top, right, bottom = (round(side / scale) for side in (x, y, x + w, y + h))
    return replace(
        found,
        box=(left, top, right - left, bottom - top),
        center=tuple(int((side + 0.5) / scale) for side in found.center),
        area=round(found.area / scale**2),
    )


def _cut(image: Image, box: tuple[int, int, int, int]) -> Image:
    x, y, w, h = box
    return image[y : y + h, x : x + w]


def _thumbnail(image: Image) -> bytes:
    import cv2

    factor = min(1, THUMBNAIL / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, 85))[1].tobytes()


# Cropping


class Cropping(NamedTuple):
    """How cells are cropped: `find` with `method`, `size` of squares, as `gray_negative`."""

    method: str = "cells"
    size: int | None = None
    gray_negative: bool = False
    cell_width: float | None = None


def crop_cells(files: Sequence[ImageFile], how: Cropping, folder: str | None = None) -> Iterator[Found]:
    """Find the cells of images, and write their crops into a folder if there is one."""
    if how.method != "cells" and how.size is None:
        how = how._replace(size=SIZE)
    places = mirrored(files, folder) if folder else None
    return _findings(map_images(partial(_crop_image, how=how, places=places), files))


def _crop_image(file: ImageFile, how: Cropping, places: dict[ImageFile, str] | None) -> list[Finding]:
    # Half the size is enough for a centre, and takes half the time.
    fraction = 0.5 if how.method == "center" else 1
    image, scale = read_scaled(file.path, cell_width=how.cell_width, fraction=fraction)
    size = how.size and max(1, round(how.size * fraction))
    cells = [_of_file(cell, scale) for cell in _located(image, how.method, size)]
    if places and cells:
        for k, part in enumerate(_cut_out(file, cells, how), start=1):
            write_image(f"{places[file]}_{k}.png", gray_negative(part) if how.gray_negative else part)
    return cells


def _cut_out(file: ImageFile, cells: Sequence[Finding], how: Cropping) -> Iterator[Image]:
    """Yield squares at the working scale, or what is in each box as it is in the file."""
    if how.size is None:
        image = read_image(file.path)
        yield from (_cut(image, cell.box) for cell in cells)
    else:
        image, scale = read_scaled(file.path, cell_width=how.cell_width)
        for cell in cells:
            yield crop(image, tuple(int((side + 0.5) * scale) for side in cell.center), how.size)


def _located(image: Image, method: str, size: int | None) -> list[Finding]:
    """Find cells at the working scale; what finds a centre only has a square for its box, and no area."""
    if method == "cells":
        return [Finding(cell.box, cell.center, cell.area) for cell in locate(Field(image))]
    center = find_center(image) if method == "center" else locate_report(image)
    if center is None:
        return []
    sides = [
        (max(0, min(middle - size // 2, length - size)), min(size, length))
        for middle, length in zip(center, image.shape[1::-1], strict=True)
    ]
    (x, w), (y, h) = sides
    return [Finding((x, y, w, h), center, 0)]


def _findings(results: Iterable) -> Iterator[Found]:
    for file, cells in results:
        if isinstance(cells, BadImage):
            yield file, ImageFindings(file.name, (), problem=str(cells))
        else:
            yield file, ImageFindings(file.name, tuple(cells))


# Models


@dataclass(frozen=True, eq=False)
class CellModel:
    """A classifier of cells, and which features it takes."""

    name: str
    pipeline: Pipeline
    features: str

    @property
    def classes(self) -> list[str]:
        """The labels it knows."""
        return [str(label) for label in self.pipeline.classes_.tolist()]

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
                if hasattr(classifier, "predict_proba"):
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
        with shipped_model(__package__, SHIPPED, "give one with -m") as file:
            return replace(load_cell_model(file), name=f"{os.path.basename(file)} (comes with fastsvm)")
    try:
        model = fastsvm.load_model(path)
    except fastsvm.ModelFileError as error:
        raise AppError(str(error)) from error
    names = list(getattr(model, "feature_names_in_", ()))
    for features in FEATURES:
        if isinstance(model, Pipeline) and names == feature_names(features) and hasattr(model, "classes_"):
            for _, step in model.steps:
                vars(step).pop("feature_names_in_", None)  # or it would ask for them with every array
            return CellModel(os.path.basename(path), model, features)
    raise AppError(f"{path}: a model for other features; give one that this fastsvm-cells train wrote")


# Classifying


class _Described(NamedTuple):
    """The cells of an image, and their features as rows."""

    cells: list[Finding]
    X: list[np.ndarray]


def _describe_image(
    file: ImageFile,
    features: str,
    cell_width: float | None,
    thumbnails: bool = False,
    most: int | None = None,
) -> _Described:
    image, scale = read_scaled(file.path, cell_width=cell_width)
    field = Field(image)
    cells = locate(field)[:most]
    found = [
        Finding(
            cell.box,
            cell.center,
            cell.area,
            thumbnail=_thumbnail(_cut(image, cell.box)) if thumbnails else None,
        )
        for cell in cells
    ]
    return _Described(
        [_of_file(cell, scale) for cell in found], [describe(field, cell, features) for cell in cells]
    )


def classify(
    files: Iterable[ImageFile],
    model: CellModel,
    *,
    cell_width: float | None = None,
    thumbnails: bool = False,
    most: int | None = None,
) -> Iterator[Found]:
    """Find and classify the cells of images.

    Parameters
    ----------
    files : iterable of ImageFile
    model : CellModel
    cell_width : float, optional
        As for `read_scaled`.
    thumbnails : bool, default=False
        Whether findings have small pictures.
    most : int, optional
        How many cells of an image, the largest, are classified.

    Yields
    ------
    file : ImageFile
        In the order they came.
    found : ImageFindings
        A truth is in it where the image has a label.
    """
    work = partial(
        _describe_image, features=model.features, cell_width=cell_width, thumbnails=thumbnails, most=most
    )
    results = map_images(work, files)
    while batch := list(islice(results, BATCH)):
        rows = [
            (file.name, row) for file, result in batch if isinstance(result, _Described) for row in result.X
        ]
        names, X = zip(*rows, strict=True) if rows else ((), ())
        labels, scores = model.predict(np.stack(X), names) if rows else ((), ())
        classified = iter(zip(map(str, labels), map(float, scores), strict=True))
        for file, result in batch:
            if not isinstance(result, _Described):
                yield file, ImageFindings(file.name, (), file.label, str(result))
                continue
            cells = tuple(
                replace(cell, label=label, score=score)
                for cell, (label, score) in zip(result.cells, classified, strict=False)
            )
            yield file, ImageFindings(file.name, cells, file.label)


def draw_overlays(found: Iterable[Found], files: Sequence[ImageFile], folder: str) -> Iterator[Found]:
    """Draw what was found in images into copies of them in a folder, and pass it on."""
    places = mirrored(files, folder)

    def draw(pair: Found) -> None:
        file, findings = pair
        if findings.problem is None:
            write_image(f"{places[file]}.jpg", draw_overlay(read_image(file.path), findings.cells))

    for (file, findings), problem in map_images(draw, found):
        yield file, findings if problem is None else replace(findings, cells=(), problem=str(problem))


def with_truths(files: Sequence[ImageFile], model: CellModel, labels: str | None) -> list[ImageFile]:
    """Take a folder's name for a label only where it is one that the model knows."""
    if labels is not None:
        return list(files)
    known = set(model.classes)
    return [file if file.label in known else replace(file, label=None) for file in files]


class Count:
    """The differential count, and what there is to say about the images beside it."""

    def __init__(self, source: str, classes: Sequence[str] = ()) -> None:
        self.images = self.cells = self.without_cell = 0
        self.labels = dict.fromkeys(classes, 0)
        self.skipped = Skipped(source)

    def add(self, found: ImageFindings) -> None:
        """Count the cells of an image."""
        if found.problem is not None:
            self.skipped.add(found.file, found.problem)
            return
        self.images += 1
        self.cells += len(found.cells)
        self.without_cell += not found.cells
        for cell in found.cells:
            if cell.label is not None:
                self.labels[cell.label] += 1

    @property
    def percents(self) -> dict[str, float]:
        """How many of a hundred cells have each label."""
        return {label: 100 * n / max(self.cells, 1) for label, n in self.labels.items()}


# Training and trying


@dataclass(frozen=True)
class Training:
    """What `train` did."""

    model: str
    settings: Settings
    features: str
    n_features: int
    label_counts: dict[str, int]
    folds: int
    alpha: float
    fold_alphas: list[float]
    scores: Scores | None
    skipped: Skipped


class Mistake(NamedTuple):
    """An image that a model is wrong about, and the cell it looked at."""

    file: ImageFile
    cell: Finding | None


@dataclass(frozen=True)
class Evaluation:
    """How a saved model does on labelled images; its mistakes, the surest first; and what was left out."""

    scores: Scores
    mistakes: list[Mistake]
    skipped: Skipped


def source_name(sources: Sequence[str]) -> str:
    """Name the images in a message."""
    return sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else "images"


def train(
    sources: Sequence[str],
    model_path: str,
    settings: Settings,
    *,
    labels: str | None = None,
    groups: str | None = None,
    classes: Sequence[str] | None = None,
    features: str = "cells",
    cell_width: float | None = None,
    folds: int = 10,
    stage: Stages | None = None,
) -> Training:
    """Cross-validate a classifier of cells, fit it on all images and save it.

    The cell of an image is the largest one in it.

    Parameters
    ----------
    sources : sequence of str
        Folders and images.
    model_path : str
        Where the model goes; a file there is replaced only if it is a model.
    settings : Settings
        How it is made.
    labels, groups, classes
        As for `find_images`.
    features : {"cells", "shells", "pixels"}
        What of a cell is measured.
    cell_width : float, optional
        As for `read_scaled`.
    folds : int
        Of the cross-validation, at most.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    stage = stage or Stages()
    check_model_path(model_path)
    with stage("find"):
        files = find_images(sources, labels=labels, groups=groups, classes=classes)
    skipped = Skipped(source_name(sources))
    labelled = _labelled(files, skipped)
    with stage("measure", total=len(labelled)) as advance:
        samples = _samples(labelled, features, cell_width, skipped, advance)
    counts = dict(sorted(Counter(samples.y.tolist()).items()))
    if len(counts) < 2:
        raise AppError(
            f"{skipped.source}: {next(iter(counts))!r} is the only label; give images of two or more"
        )
    check_components(samples, settings, folds)
    validation = validate(samples, settings, folds, stage)
    with stage("fit"):
        model = fit(samples, settings, validation.alpha)
    model[0].feature_names_in_ = np.array(feature_names(features), dtype=object)
    with stage("save"):
        fastsvm.save_model(model, model_path)
    scores = None
    if validation.predicted is not None:
        originals = samples.groups if groups else None
        scores = score(samples.y, validation.predicted, list(counts), originals)
    return Training(
        model=model_path,
        settings=settings,
        features=features,
        n_features=samples.X.shape[1],
        label_counts=counts,
        folds=len(validation.alphas),
        alpha=validation.alpha,
        fold_alphas=validation.alphas,
        scores=scores,
        skipped=skipped,
    )


def evaluate(
    model_path: str,
    sources: Sequence[str],
    *,
    labels: str | None = None,
    groups: str | None = None,
    classes: Sequence[str] | None = None,
    cell_width: float | None = None,
    stage: Stages | None = None,
) -> Evaluation:
    """Try a saved model on labelled images, by the largest cell of each."""
    stage = stage or Stages()
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        files = find_images(sources, labels=labels, groups=groups, classes=classes)
    skipped = Skipped(source_name(sources))
    labelled = _labelled(files, skipped)
    tried: list[Mistake] = []
    with stage("evaluate", total=len(labelled)) as advance:
        for file, found in classify(labelled, model, cell_width=cell_width, most=1):
            advance()
            if found.problem is not None:
                skipped.add(found.file, found.problem)
            else:
                tried.append(Mistake(file, found.cells[0] if found.cells else None))
    if not tried:
        raise AppError(f"{skipped.source}: no image could be used; {skipped.report()[0]}")
    truth, predicted = (np.array(column, dtype=object) for column in zip(*map(_compared, tried), strict=True))
    originals = np.array([_original(file) for file, _ in tried]) if groups else None
    mistakes = [pair for pair in tried if pair.cell is None or pair.cell.label != pair.file.label]
    # Where no cell was found nothing is sure; these come last.
    mistakes.sort(key=lambda pair: -np.inf if pair.cell is None else pair.cell.score, reverse=True)
    return Evaluation(score(truth, predicted, model.classes, originals), mistakes, skipped)


def _compared(tried: Mistake) -> tuple[str, str | None]:
    return tried.file.label, tried.cell.label if tried.cell else None


def _labelled(files: Sequence[ImageFile], skipped: Skipped) -> list[ImageFile]:
    labelled = []
    for file in files:
        if file.label is None:
            skipped.add(file.name, "no label")
        else:
            labelled.append(file)
    if not labelled:
        raise AppError(
            f"{skipped.source}: no image has a label; lay them in a folder for each, or give --labels"
        )
    return labelled


def _samples(
    files: Sequence[ImageFile],
    features: str,
    cell_width: float | None,
    skipped: Skipped,
    advance: Callable[[], None],
) -> Samples:
    """Measure the largest cell of each image."""
    X = np.empty((len(files), len(feature_names(features))), np.float32)
    kept = []
    work = partial(_describe_image, features=features, cell_width=cell_width, most=1)
    for file, result in map_images(work, files):
        advance()
        if isinstance(result, _Described) and result.cells:
            X[len(kept)] = result.X[0]
            kept.append(file)
        else:
            skipped.add(file.name, NO_CELL if isinstance(result, _Described) else str(result))
    if not kept:
        raise AppError(f"{skipped.source}: no image could be used; {skipped.report()[0]}")
    y, groups = [file.label for file in kept], [_original(file) for file in kept]
    return Samples(X[: len(kept)], np.array(y), np.array(groups))


def _original(file: ImageFile) -> str:
    """Return the original that an image is a copy of, or itself."""
    return file.path if file.group is None else file.group


# Pictures

Tile = tuple[Image, str]


def draw_mistakes(path: str, mistakes: Iterable[Mistake]) -> None:
    """Draw a sheet of mistakes: the cell of each, or the image if no cell was found in it."""
    # Wide enough for two labels and a score.
    sheet = contact_sheet(_mistake_tiles(mistakes), tile=200, title="known label: prediction, score")
    save_image(path, sheet)


def _mistake_tiles(mistakes: Iterable[Mistake]) -> Iterator[Tile]:
    for (file, cell), image in map_images(lambda mistake: read_image(mistake.file.path), mistakes):
        if isinstance(image, BadImage):  # it could be read before
            continue
        if cell is None:
            yield image, f"{file.label}: {NO_CELL}"
        else:
            yield _cut(image, cell.box), f"{file.label}: {cell.label} {cell.score:.2f}"


def draw_sheet(
    path: str,
    files: Sequence[ImageFile],
    skipped: Skipped,
    *,
    crops: bool = False,
    limit: int | None = None,
    columns: int | None = None,
    cell_width: float | None = None,
    advance: Callable[[], None] = lambda: None,
) -> bool:
    """Draw a sheet of images or, as `crops`, of the cells in them; return whether there are more."""
    tiles = _image_tiles(files, skipped, crops, cell_width, advance)
    first = next(tiles, None)
    if first is None:
        what = NO_CELL if crops else "no image that can be shown"
        raise AppError("; ".join([f"{skipped.source}: {what}", *skipped.report()[:1]]))
    save_image(path, contact_sheet(islice(chain([first], tiles), limit), columns=columns))
    return next(tiles, None) is not None


def _image_tiles(
    files: Iterable[ImageFile],
    skipped: Skipped,
    crops: bool,
    cell_width: float | None,
    advance: Callable[[], None],
) -> Iterator[Tile]:
    def pictures(file: ImageFile) -> list[Image]:
        image, _ = read_scaled(file.path, cell_width=cell_width)
        return [_cut(image, cell.box) for cell in locate(Field(image))] if crops else [image]

    for file, found in map_images(pictures, files):
        advance()
        if isinstance(found, BadImage):
            skipped.add(file.name, str(found))
            continue
        name = os.path.basename(file.name)
        for k, picture in enumerate(found, start=1):
            yield picture, f"{name} {k}" if len(found) > 1 else name


def steps(path: str, method: str, cell_width: float | None = None) -> tuple[list[tuple[str, Image]], bool]:
    """Return the pictures of each step from an image to its cells, and whether there are any."""
    try:
        image, _ = read_scaled(path, cell_width=cell_width)
    except BadImage as error:
        raise AppError(f"{path}: {error}") from error
    pictures = [("image", image)]

    def show(title: str, picture: Image) -> None:
        pictures.append((title, picture))

    if method == "report":
        return pictures, locate_report(image, show) is not None
    cells = locate(Field(image), show)
    if cells:
        show("outlined", outlined(image, cells))
        show("cropped", _cut(image, cells[0].box))
    return pictures, bool(cells)
