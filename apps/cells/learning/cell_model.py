"""A classifier of cells: its pipeline, and the notes in its file."""

import os
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from fastsvm.fitting import Pipeline
from fastsvm.model_files import ModelFileError, load_about, save_plain

from ...common.errors import USAGE, AppError
from ...common.files import load_model, shipped_model
from ...common.printing import labels_alike, warn
from ...common.training_items import learned_items
from ..data.image_files import ENDINGS
from ..measuring.cell_features import feature_names
from .cautious_model import MORE_ALONE
from .model_notes import ModelNotes, read_notes

SHIPPED_NAME, SHIPPED = "shipped", "shipped/white_cells.safetensors"
NO_SCORE = 2.0  # a score that no label has
APP = __package__.rpartition(".")[0]


class CellModel:
    """A classifier of cells, read from a file.

    Attributes
    ----------
    name : str
        The name of the file, for messages.
    pipeline : Pipeline
    about : ModelNotes
        What is known about it.
    record : dict
        All that the file holds beside the pipeline, with its `training_items`.
    """

    def __init__(self, path: str, name: str) -> None:
        try:
            model = load_model(path)
        except ModelFileError as error:
            raise AppError(str(error)) from error
        names = list(getattr(model[0], "feature_names_in_", ())) if hasattr(model, "steps") else None
        if names != feature_names() or not hasattr(model, "classes_"):
            told = "a model of other features; give a model that this fastsvm-cells train wrote"
            raise AppError(f"{path}: {told}")
        for _, step in model.steps:
            vars(step).pop("feature_names_in_", None)  # or it would ask for them with every array
        self.name, self.pipeline = name, model
        try:
            self.record = load_about(path)
            self.about = read_notes(self.record, len(model.classes_))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise AppError(f"{path}: its notes on the model are damaged; train it again") from None

    @property
    def classes(self) -> list[str]:
        """The labels of the model."""
        return [str(label) for label in self.pipeline.classes_.tolist()]

    @property
    def gives_probabilities(self) -> bool:
        """Whether its scores are probabilities."""
        return gives_probabilities(self.pipeline[-1])

    def least(self, min_score: float | None = None) -> float | None:
        """Return the lowest score of a label, by default the model's; None for scores of an SVM."""
        if not self.gives_probabilities:
            return None
        return self.about.calibration.min_score if min_score is None else min_score

    def least_unfamiliar(self, alone: bool, min_score: float | None = None, strict: bool = False) -> float:
        """Return the same for cells of images of another kind; above every score if `strict`.

        It is higher for an image `alone`.
        """
        if strict:
            return NO_SCORE
        return self.about.cautious.min_score + MORE_ALONE * alone if min_score is None else min_score

    def scores(self, X: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """Return the scores of the classes for each row: calibrated probabilities, or an SVM's decisions.

        Raises
        ------
        AppError
            If a score overflows; the message has the name of the row, from `names`.
        """

        def in_range(values: np.ndarray) -> np.ndarray:
            bad = ~np.isfinite(values).all(axis=1)
            if bad.any():
                told = f"the score of a cell overflows; train {self.name} again"
                raise AppError(f"{names[bad.argmax()]}: {told}")
            return values

        # An overflow is found in the result. Features of kernels are computed in threads, which NumPy's own
        # switch of the warning does not reach.
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
    """Return the scores of the classes for each row: uncalibrated probabilities, or an SVM's decisions."""
    for _, step in pipeline.steps[:-1]:
        X = step.transform(X)
    return _class_scores(pipeline[-1], X)


def relative_gap(pipeline: Pipeline) -> float | list[float] | None:
    """Return the duality gap of the fit over its objective, per class if more than two; or None."""
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
    """Load a model of cells; None and the name "shipped" stand for the included model."""
    if path not in (None, SHIPPED_NAME):
        if os.path.isdir(path) or path.lower().endswith(ENDINGS):
            raise AppError(f"{path}: is not a model; MODEL comes first", USAGE)
        return CellModel(path, os.path.basename(path))
    with shipped_model(APP, SHIPPED, "give one with -m") as file:
        return CellModel(file, f"{os.path.basename(file)} (comes with fastsvm)")


def save_cell_model(
    pipeline: Pipeline, path: str, about: ModelNotes, hashes: np.ndarray, before: Mapping | None = None
) -> None:
    """Save a model with its notes, and the hashes of its images and of those in an earlier record."""
    warn(*labels_alike(pipeline[-1].classes_.tolist()))
    pipeline[0].feature_names_in_ = np.array(feature_names(), dtype=object)
    save_plain(pipeline, path, about.record | learned_items(hashes, before))
