"""The notes that a model file of cells holds beside the model: what they are, and how they are read back."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields

import numpy as np

from ..finding.image_quality import WORDS, QualityRanges
from ..finding.stain import USUAL, Stain
from .calibration import CellCalibration
from .cautious_model import CautiousModel, stain_invariant_columns

NoteTable = Sequence[Sequence[float]]
LearnedCells = tuple[np.ndarray, np.ndarray]  # features, of which a file holds two bytes each; class numbers


@dataclass(frozen=True)
class ModelNotes:
    """The notes that a model file holds beside the model.

    Attributes
    ----------
    usual : Stain
        The stain that images are given.
    calibration : CellCalibration
        How its probabilities are to be read.
    ranges : dict
        What images it has learned from, as of `quality_ranges`.
    confusion : list of list of float
        The share of the cells of each class (rows) that got each label (columns; the last is none) in
        cross-validation; empty where there was none.
    means : list of list of float
        The mean of each feature (columns) over the images of each class (rows), in standard deviations of
        all, as of `class_means`.
    noise : float
        The chance in these means, as of `mean_noise`; 0 if they are of many cells.
    cautious : CautiousModel or None
        What labels cells that are unlike those of training; None where there was no cross-validation.
    training : tuple of ndarray, or None
        Some of the cells that it has learned from, for `adapt` to learn from them again: their features, a
        row each, and the numbers of their classes. None in what `adapt` makes.
    limits : str
        What is known to go wrong with it.
    """

    usual: Stain = USUAL
    calibration: CellCalibration = field(default_factory=CellCalibration)
    ranges: QualityRanges = field(default_factory=dict)
    confusion: NoteTable = ()
    means: NoteTable = ()
    noise: float = 0.0
    cautious: CautiousModel | None = None
    training: LearnedCells | None = None
    limits: str = ""

    @property
    def record(self) -> dict:
        """For a model file."""
        known = asdict(self) | {
            "confusion": _rounded(self.confusion, 4),
            "means": _rounded(self.means, 3),
            "noise": round(self.noise, 4),
        }
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


def read_notes(record: Mapping, n_classes: int, n_features: int) -> ModelNotes:
    """Return the notes in a model file, checked; ValueError, KeyError or TypeError if they are damaged."""
    usual, cautious, training = record["usual"], record["cautious"], record["training"]
    ranges = {name: bounds for name, bounds in record["ranges"].items() if name in WORDS}
    notes = ModelNotes(
        _usual_stain(usual),
        _calibration(record["calibration"]),
        {name: tuple(_numbers(bounds, 2).tolist()) for name, bounds in ranges.items()},
        _matrix(record["confusion"], n_classes, n_classes + 1),
        _matrix(record["means"], n_classes, n_features),
        float(_numbers(record["noise"])),
        None if cautious is None else _cautious_model(cautious, n_classes),
        None if training is None else _learned_cells(training, n_classes, n_features),
        record["limits"],
    )
    if notes.noise < 0 or not isinstance(notes.limits, str):
        raise ValueError("notes")
    return notes


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


def _cautious_model(record: Mapping, n_classes: int) -> CautiousModel:
    n = len(stain_invariant_columns())
    center, scale = (_numbers(record[name], n) for name in ("center", "scale"))
    coef, intercept = _numbers(record["coef"], n_classes, n), _numbers(record["intercept"], n_classes)
    if scale.min() <= 0:
        raise ValueError("cautious")
    return CautiousModel(center, scale, coef, intercept, _calibration(record["calibration"]))


def _learned_cells(record: Mapping, n_classes: int, n_features: int) -> LearnedCells:
    X = np.frombuffer(base64.b64decode(record["X"], validate=True), "<f2").astype(np.float32)
    numbers = np.array(record["number"])
    if numbers.dtype.kind != "i" or numbers.ndim != 1 or not np.isfinite(X).all():
        raise ValueError("training")
    if not np.array_equal(np.unique(numbers), np.arange(n_classes)):
        raise ValueError("training")
    return X.reshape(len(numbers), n_features), numbers
