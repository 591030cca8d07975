"""A classifier of cells: its pipeline, and the notes in its file."""

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from fastsvm.fitting import Pipeline
from fastsvm.model_files import ModelFileError, load_about

from ...common.errors import AppError
from ...common.files import load_model, shipped_model
from ..finding.image_quality import WORDS, QualityRanges
from ..finding.stain import UsualStain
from ..measuring.cell_features import feature_names
from .cautious_model import CautiousModel
from .familiarity import is_familiar
from .known_cells import KnownCells
from .score_calibration import CellCalibration

SHIPPED = "shipped/white_cells.safetensors"
STRICT = 2.0  # a score that no label has
APP = __package__.rpartition(".")[0]


@dataclass(frozen=True)
class ModelNotes:
    """The notes that a model file holds beside the model.

    Attributes
    ----------
    usual : UsualStain or None
        The stain that images are given; None leaves them as they are.
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
    known : KnownCells or None
        The cells that it has learned from, for `adapt` to learn from them again; None in what that makes.
    limits : str
        What is known to go wrong with it.
    """

    usual: UsualStain | None = None
    calibration: CellCalibration = field(default_factory=CellCalibration)
    ranges: QualityRanges = field(default_factory=dict)
    confusion: Sequence[Sequence[float]] = ()
    means: Sequence[Sequence[float]] = ()
    noise: float = 0.0
    cautious: CautiousModel | None = None
    known: KnownCells | None = None
    limits: str = ""

    @property
    def record(self) -> dict:
        """For a model file."""
        return {
            "app": "fastsvm-cells",
            "usual": self.usual and self.usual.record,
            "calibration": self.calibration.record,
            "ranges": {name: list(bounds) for name, bounds in self.ranges.items()},
            "confusion": [[round(share, 4) for share in row] for row in self.confusion],
            "means": [[round(mean, 3) for mean in row] for row in self.means],
            "noise": round(self.noise, 4),
            "cautious": self.cautious and self.cautious.record,
            "training": self.known and self.known.record,
            "limits": self.limits,
        }


def model_notes(record: Mapping, n_classes: int, n_features: int) -> ModelNotes:
    """Return the notes in a model file, checked; ValueError if they are damaged."""
    if not record:
        return ModelNotes()
    usual, cautious, known = record["usual"], record["cautious"], record["training"]
    if usual is not None:
        plasma = _numbers(usual["plasma"], 3)
        densities = _numbers([usual["density"], *([usual["nuclear"]] if "nuclear" in usual else [])])
        if min(*plasma, *densities) <= 0 or max(plasma) > 255:
            raise ValueError("usual")
        usual = UsualStain(plasma, *densities)
    if cautious is not None:
        cautious = CautiousModel.from_record(cautious, n_classes, _calibration(cautious["calibration"]))
    if known is not None:
        known = KnownCells.from_record(known, n_classes, n_features)
    ranges = {name: _numbers(bounds, 2) for name, bounds in record["ranges"].items() if name in WORDS}
    confusion = [_numbers(row, n_classes + 1) for row in record["confusion"]]
    means = [_numbers(row, n_features) for row in record["means"]]
    (noise,) = _numbers([record["noise"]])
    sound = {len(confusion), len(means)} <= {0, n_classes} and noise >= 0
    if not sound or not isinstance(record["limits"], str):
        raise ValueError("confusion")
    calibration = _calibration(record["calibration"])
    return ModelNotes(usual, calibration, ranges, confusion, means, noise, cautious, known, record["limits"])


def _calibration(record: Mapping) -> CellCalibration:
    known = {each.name: record[each.name] for each in fields(CellCalibration)}
    _numbers([value for value in known.values() if value is not None])
    if not 0 < known["power"] < 100 or known["min_score"] < 0:
        raise ValueError("calibration")
    return CellCalibration(**known)


def _numbers(values: Sequence, n: int | None = None) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) != (n or len(values)):
        raise ValueError("a list")
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in values):
        raise ValueError("a number")
    return tuple(map(float, values))


@dataclass(frozen=True, eq=False)
class CellModel:
    """A classifier of cells, what is known about it, and its file's record, with its `training_items`."""

    name: str
    pipeline: Pipeline
    about: ModelNotes = field(default_factory=ModelNotes)
    record: Mapping = field(default_factory=dict)

    @property
    def classes(self) -> list[str]:
        """The labels of the model."""
        return [str(label) for label in self.pipeline.classes_.tolist()]

    @property
    def gives_probabilities(self) -> bool:
        """Whether its scores are probabilities."""
        return gives_probabilities(self.pipeline[-1])

    def least(self, min_score: float | None = None) -> float | None:
        """Return the score that a label wants, by default the model's; None for scores of an SVM."""
        if not self.gives_probabilities:
            return None
        return self.about.calibration.min_score if min_score is None else min_score

    def least_unfamiliar(self, min_score: float | None = None, strict: bool = False) -> float | None:
        """Return the same for cells unlike those of training; more than any score has if `strict`."""
        if self.about.cautious is None:
            return None
        wanted = self.about.cautious.calibration.min_score if min_score is None else min_score
        return STRICT if strict else wanted

    def is_familiar(self, X: np.ndarray) -> bool:
        """Return whether cells, the rows of X, are of the kind that the model has learned from."""
        if self.about.cautious is None or not len(self.about.means):
            return True
        return is_familiar(self.pipeline[0].transform(np.asarray(X)), self.about.means, self.about.noise)

    def scores(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return the scores of the classes for each row: calibrated probabilities, or an SVM's decisions.

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

        # An overflow is found by what comes of it. Features of kernels are computed in threads, so that
        # NumPy's own switch of the warning would not do.
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            try:
                for _, step in self.pipeline.steps[:-1]:
                    X = in_range(step.transform(X))
                scores = _class_scores(self.pipeline[-1], X)
            except ValueError as error:  # of a kernel's values
                raise AppError(f"{self.name} cannot score these cells: {error}") from error
        scores = in_range(scores)
        return self.about.calibration.calibrated(scores) if self.gives_probabilities else scores


def scores_of(pipeline: Pipeline, X: np.ndarray) -> np.ndarray:
    """Return the scores of the classes for each row: probabilities as they come, or an SVM's decisions."""
    for _, step in pipeline.steps[:-1]:
        X = step.transform(X)
    return _class_scores(pipeline[-1], X)


def relative_gap(pipeline: Pipeline) -> float | list[float] | None:
    """Return the duality gap of the fit over its objective, of more than two classes for each; or None."""
    gap = getattr(pipeline[-1], "dual_gap_", None)
    return None if gap is None else np.divide(gap, pipeline[-1].objective_).tolist()


def gives_probabilities(classifier) -> bool:
    """Whether a classifier was made for probabilities, or calibrated."""
    return getattr(classifier, "loss", None) == "log" or hasattr(classifier, "calibration_")


def _class_scores(classifier, X: np.ndarray) -> np.ndarray:
    if gives_probabilities(classifier):
        return classifier.predict_proba(X)
    scores = classifier.decision_function(X)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def load_cell_model(path: str | None) -> CellModel:
    """Load a model of cells; by default the one that comes with the package."""
    if path is None:
        with shipped_model(APP, SHIPPED, "give one with -m") as file:
            return replace(load_cell_model(file), name=f"{os.path.basename(file)} (comes with fastsvm)")
    try:
        model = load_model(path)
    except ModelFileError as error:
        raise AppError(str(error)) from error
    names = list(getattr(model[0], "feature_names_in_", ())) if hasattr(model, "steps") else None
    if names != feature_names() or not hasattr(model, "classes_"):
        raise AppError(f"{path}: a model for other features; give one that this fastsvm-cells train wrote")
    for _, step in model.steps:
        vars(step).pop("feature_names_in_", None)  # or it would ask for them with every array
    try:
        record = load_about(path)
        about = model_notes(record, len(model.classes_), len(names))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise AppError(f"{path}: its notes on the model are damaged; train it again") from None
    return CellModel(os.path.basename(path), model, about, record)
