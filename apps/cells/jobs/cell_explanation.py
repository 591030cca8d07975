"""Explanations of labels: the measurements with the largest effect, beside the means of the classes."""

from dataclasses import dataclass, replace

import numpy as np

from ...common.errors import AppError
from ...common.printing import many, note
from ...common.progress import UNWATCHED, Stages
from ..data.bad_image import BadImage
from ..data.image_files import find_images
from ..data.image_reader import CellWidth, ImageFile
from ..finding.findings import FoundCell, why_no_cell
from ..finding.image_scale import scale_of
from ..learning.cell_model import CellModel, load_cell_model
from ..measuring.cell_features import feature_names
from ..measuring.describing import describe_image

SHOWN_MEASUREMENTS = 12  # measurements


@dataclass(frozen=True)
class CellExplanation:
    """Why a cell got its label.

    Attributes
    ----------
    cell : FoundCell
    label, other : str
        The likeliest class, and the next one.
    probabilities : dict
        Of each class.
    min_score : float
        The probability below which a cell gets no label.
    names : list of str
        The measurements that matter most, for and against the label, the weightiest first.
    values : list of float
        Of these, in standard deviations of the images learned from, from their mean.
    contributions : list of float
        What each adds to the log-odds of the label, against those of the next class: what they lose where it
        is that of the mean cell.
    means : dict
        For each class the means of these measurements over its images, like `values`.
    rest : float
        What all other measurements and the constant add; of a kernel machine also what measurements do only
        together.
    """

    cell: FoundCell
    label: str
    other: str
    probabilities: dict[str, float]
    min_score: float
    names: list[str]
    values: list[float]
    contributions: list[float]
    means: dict[str, list[float]]
    rest: float


def explain_cell(
    image: str,
    model_path: str | None = None,
    number: int = 1,
    *,
    cell_width: float | None = None,
    stage: Stages = UNWATCHED,
) -> CellExplanation:
    """Explain the label of a cell.

    Parameters
    ----------
    image : str
    model_path : str or None
        Of a model with probabilities, and without principal components; None is the one that comes with the
        package.
    number : int, default=1
        Of the cell; the largest is the first.
    cell_width : float, optional
        As for `read_scaled`.
    stage : Stages, optional
        Times the stages.

    Raises
    ------
    AppError
        When there is no such cell, or the model is of another kind.
    """
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("classify"):
        files = find_images([image])
        file = replace(files[0], path=image, name=image)  # of several pages none is meant
        return _explained(file, model, number, scale_of(files, cell_width))


def _explained(file: ImageFile, model: CellModel, number: int, cell_width: CellWidth) -> CellExplanation:
    steps = [step for _, step in model.pipeline.steps]
    if len(steps) != 2 or not model.gives_probabilities:
        raise AppError(f"{model.name}: has no probabilities to explain; train one with --folds above 1")
    try:
        found = describe_image(file, cell_width, usual=model.about.usual, wanted=("thumbnails",))
    except BadImage as error:
        raise AppError(f"{file.name}: {error}") from error
    if not found.cells:
        raise AppError(f"{file.name}: {why_no_cell(found.flags)}")
    if number > len(found.cells):
        has = many(len(found.cells), "white cell")
        raise AppError(f"{file.name}: has {has}; --cell {number} is too much")
    if not model.is_familiar(np.stack(found.X)):
        note("note: the cell is unlike those that the model knows; `classify` labels it more cautiously")
    row = np.asarray(found.X[number - 1])[None]
    probabilities = model.scores(row, [file.name])[0]
    order = np.argsort(-probabilities)
    values = steps[0].transform(row)[0].astype(float)
    rows = np.repeat(values[None], len(values) + 1, axis=0)  # the last is the cell as it is
    np.fill_diagonal(rows, 0)
    odds = _log_odds(steps[-1], rows)
    towards = odds[:, order[0]] - odds[:, order[1]]
    contributions = towards[-1] - towards[:-1]
    shown = np.argsort(-np.abs(contributions))[:SHOWN_MEASUREMENTS]
    classes = model.classes
    means = np.asarray(model.about.means)[:, shown].tolist() if len(model.about.means) else []
    return CellExplanation(
        found.cells[number - 1],
        classes[order[0]],
        classes[order[1]],
        dict(zip(classes, probabilities.tolist(), strict=True)),
        model.about.calibration.min_score,
        np.array(feature_names())[shown].tolist(),
        values[shown].tolist(),
        contributions[shown].tolist(),
        dict(zip(classes, means, strict=False)),
        float(towards[-1] - contributions[shown].sum()),
    )


def _log_odds(classifier, X: np.ndarray) -> np.ndarray:
    """Return those of each class for each row; of two classes, half of those of one against the other."""
    scores = classifier.decision_function(X)
    if hasattr(classifier, "calibration_"):
        scores = scores * classifier.calibration_.slopes + classifier.calibration_.intercepts
    return scores if scores.ndim > 1 else np.column_stack([-scores, scores]) / 2
