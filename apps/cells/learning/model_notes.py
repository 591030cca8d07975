"""The notes that a model file of cells holds beside the model, written and read."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields

import numpy as np

from ..finding.image_quality import WORDS, QualityRanges
from ..finding.stain import USUAL, Stain
from ..measuring.cell_features import feature_names, n_travelling
from .calibration import CellCalibration
from .cautious_model import CautiousModel
from .familiarity import ImageKind

NoteTable = Sequence[Sequence[float]]
LearnedCells = tuple[np.ndarray, np.ndarray]  # features, of which a file holds two bytes each; class numbers


@dataclass(frozen=True)
class ModelNotes:
    """The notes that a model file holds beside the model.

    Attributes
    ----------
    kind : ImageKind
        The stain of the training images.
    cautious : CautiousModel
        The model for cells in images of another kind.
    usual : Stain
        The stain to which images are normalised.
    usual_width : float
        The width of a white cell in its images, over the usual width in an image of this size.
    calibration : CellCalibration
        The calibration of its probabilities.
    ranges : dict
        The quality of the training images, as `quality_ranges` returns it.
    confusion : list of list of float
        The share of the cells of each class (rows) that got each label (columns; the last is none) in
        cross-validation; empty if there was none.
    means : list of list of float
        The mean of each feature (columns) over the images of each class (rows), in standard deviations of
        all, as `class_means` returns it.
    training : tuple of ndarray, or None
        Some training cells, from which `adapt` learns again: their features (one row per cell), and the
        numbers of their classes. None in an adapted model.
    limits : str
        Known limits of the model.
    """

    kind: ImageKind
    cautious: CautiousModel
    usual: Stain = USUAL
    usual_width: float = 1.0
    calibration: CellCalibration = field(default_factory=CellCalibration)
    ranges: QualityRanges = field(default_factory=dict)
    confusion: NoteTable = ()
    means: NoteTable = ()
    training: LearnedCells | None = None
    limits: str = ""

    def are_own(self, stains: Sequence[Stain]) -> bool:
        """Return whether images with these stains are of the kind that the model learned from."""
        return self.kind.are_own(stains)

    @property
    def record(self) -> dict:
        """For a model file."""
        known = asdict(self) | {"confusion": _rounded(self.confusion, 4), "means": _rounded(self.means, 3)}
        known["usual"] = {name: each for name, each in self.usual._asdict().items() if each is not None}
        if self.training:
            X, numbers = self.training
            known["training"] = {"X": base64.b64encode(X.astype("<f2")).decode(), "number": numbers}
        return {"app": "fastsvm-cells", **_notes_as_json(known)}


def _rounded(rows: NoteTable, digits: int) -> NoteTable:
    return [[round(value, digits) for value in row] for row in rows]


def _notes_as_json(value):
    """Return a value with lists in place of arrays and tuples."""
    if isinstance(value, dict):
        return {name: _notes_as_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_notes_as_json, value)]
    return value.tolist() if isinstance(value, np.ndarray) else value


def read_notes(record: Mapping, n_classes: int) -> ModelNotes:
    """Return the notes in a model file, checked; ValueError, KeyError or TypeError if they are damaged."""
    training = record["training"]
    ranges = {name: bounds for name, bounds in record["ranges"].items() if name in WORDS}
    notes = ModelNotes(
        _image_kind(record["kind"]),
        _cautious_model(record["cautious"], n_travelling()),
        _usual_stain(record["usual"]),
        float(_numbers(record["usual_width"])),
        _calibration(record["calibration"]),
        {name: tuple(_numbers(bounds, 2).tolist()) for name, bounds in ranges.items()},
        _matrix(record["confusion"], n_classes, n_classes + 1),
        _matrix(record["means"], n_classes, len(feature_names())),
        None if training is None else _learned_cells(training, n_classes, n_travelling()),
        record["limits"],
    )
    if not isinstance(notes.limits, str) or not 0 < notes.usual_width < 1e3:
        raise ValueError("notes")
    return notes


def class_means(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the mean of each feature (columns) over the cells of each class (rows)."""
    return np.array([Z[y == label].mean(axis=0) for label in np.unique(y)])


def _numbers(values: object, *shape: int) -> np.ndarray:
    """Return an array of finite numbers of this shape."""
    array = np.array(values)
    if array.dtype.kind not in "iuf" or array.shape != shape or not np.isfinite(array).all():
        raise ValueError("numbers")
    return array.astype(float)


def _matrix(values: object, n_rows: int, n_columns: int) -> NoteTable:
    return [] if values == [] else _numbers(values, n_rows, n_columns).tolist()


def _usual_stain(record: Mapping) -> Stain:
    plasma = _numbers(record["plasma"], 3)
    densities = {name: float(_numbers(record[name])) for name in ("density", "nuclear") if name in record}
    if plasma.min() <= 0 or plasma.max() > 255 or min(densities.values()) <= 0:
        raise ValueError("usual")
    return Stain(tuple(plasma.tolist()), **densities)


def _calibration(record: Mapping) -> CellCalibration:
    known = {each.name: record[each.name] for each in fields(CellCalibration)}
    for value in known.values():
        _numbers(0 if value is None else value)
    if not 0 < known["power"] < 100 or known["min_score"] < 0:
        raise ValueError("calibration")
    return CellCalibration(**known)


def _image_kind(record: Mapping) -> ImageKind:
    covariance, limit = _numbers(record["covariance"], 4, 4), float(_numbers(record["limit"]))
    if np.linalg.eigvalsh(covariance).min() <= 0 or limit <= 0:
        raise ValueError("kind")
    return ImageKind(_numbers(record["center"], 4), covariance, limit)


def _cautious_model(record: Mapping, n: int) -> CautiousModel:
    classes = tuple(map(str, record["classes"]))
    center, scale = (_numbers(record[name], n) for name in ("center", "scale"))
    coef = _numbers(record["coef"], 2, len(classes), n)
    intercept = _numbers(record["intercept"], 2, len(classes))
    min_score = float(_numbers(record["min_score"]))
    if scale.min() <= 0 or len(classes) < 2 or not 0 <= min_score <= 1:
        raise ValueError("cautious")
    return CautiousModel(classes, center, scale, coef, intercept, min_score)


def _learned_cells(record: Mapping, n_classes: int, n_features: int) -> LearnedCells:
    X = np.frombuffer(base64.b64decode(record["X"], validate=True), "<f2").astype(np.float32)
    numbers = np.array(record["number"])
    is_fine = numbers.dtype.kind == "i" and numbers.ndim == 1 and np.isfinite(X).all()
    if not is_fine or not np.array_equal(np.unique(numbers), np.arange(n_classes)):
        raise ValueError("training")
    return X.reshape(len(numbers), n_features), numbers
