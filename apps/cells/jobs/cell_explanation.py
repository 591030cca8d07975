"""Explanations of labels: the measurements with the largest effect, beside the means of the classes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...common.errors import AppError
from ...common.printing import many, note
from ..data.bad_image import BadImage
from ..data.image_files import ImageFile
from ..data.image_reader import CellWidth
from ..finding.findings import FoundCell, why_no_cell
from ..learning.cell_model import CellModel
from ..measuring.cell_features import feature_names
from ..measuring.describing import describe_image

SHOWN = 12  # measurements


class Reason(NamedTuple):
    """A measurement of a cell.

    Attributes
    ----------
    name : str
    value : float
        In standard deviations of the images learned from, from their mean.
    contribution : float
        What it adds to the log-odds of the label, against those of the next class: what they lose where it
        is that of the mean cell.
    means : dict
        Its mean over the images of each class, like `value`.
    """

    name: str
    value: float
    contribution: float
    means: dict[str, float]


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
    reasons : list of Reason
        Those that matter most, for and against the label, the weightiest first.
    rest : float
        What all other measurements and the constant add; of a kernel machine also what measurements do only
        together.
    """

    cell: FoundCell
    label: str
    other: str
    probabilities: dict[str, float]
    min_score: float
    reasons: list[Reason]
    rest: float


def explain_cell(
    file: ImageFile, model: CellModel, number: int, cell_width: CellWidth = None
) -> CellExplanation:
    """Explain the label of a cell.

    Parameters
    ----------
    file : ImageFile
    model : CellModel
        With probabilities, and without principal components.
    number : int
        Of the cell, from 1; the largest is the first.
    cell_width : float or callable, optional
        As for `read_scaled`.

    Raises
    ------
    AppError
        When there is no such cell, or the model is of another kind.
    """
    steps = [step for _, step in model.pipeline.steps]
    if len(steps) != 2 or not model.gives_probabilities:
        raise AppError(f"{model.name}: has no probabilities to explain; train one with --folds above 1")
    try:
        found = describe_image(file, cell_width, usual=model.about.usual, thumbnails=True)
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
    shown = np.argsort(-np.abs(contributions))[:SHOWN]
    names = feature_names()
    classes = model.classes

    means = dict(zip(classes, model.about.means, strict=False))
    reasons = [
        Reason(names[k], float(values[k]), float(contributions[k]), {of: row[k] for of, row in means.items()})
        for k in shown
    ]
    return CellExplanation(
        found.cells[number - 1],
        classes[order[0]],
        classes[order[1]],
        dict(zip(classes, probabilities.tolist(), strict=True)),
        model.about.calibration.min_score,
        reasons,
        float(towards[-1] - contributions[shown].sum()),
    )


def _log_odds(classifier, X: np.ndarray) -> np.ndarray:
    """Return those of each class for each row; of two classes, half of those of one against the other."""
    scores = classifier.decision_function(X)
    if hasattr(classifier, "calibration_"):
        scores = scores * classifier.calibration_.slopes + classifier.calibration_.intercepts
    return scores if scores.ndim > 1 else np.column_stack([-scores, scores]) / 2
