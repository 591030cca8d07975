"""Explanations of labels: the measurements with the largest effect, beside the means of the classes."""

from dataclasses import replace

import numpy as np

from ...common.errors import AppError
from ...common.printing import many, note
from ...common.progress import UNWATCHED, Stages
from ..data.bad_image import BadImage
from ..data.image_files import find_images
from ..finding.findings import UNCLASSIFIED, FoundCell, why_no_cell
from ..finding.first_look import first_look
from ..learning.cell_model import CellModel, load_cell_model
from ..measuring.cell_features import GROUPS, feature_names
from ..measuring.describing import describe_image
from .cell_classification import why_unfamiliar

SHOWN_MEASUREMENTS = 12  # of a cell


class CellExplanation:
    """Why a cell got its label.

    Parameters
    ----------
    model : CellModel
        Must give probabilities.
    cell : FoundCell
    row : ndarray of shape (1, n_features)
        The features of the cell.
    file : str
        Its name, for messages.

    Attributes
    ----------
    cell : FoundCell
    probabilities : dict
        Of each class, the likeliest first.
    likeliest, next : str
        The likeliest class, and the next one.
    label : str
        The likeliest class, or "unclassified" if its probability is too low.
    min_score : float
        The probability below which a cell gets no label.
    reasons : list of dict
        The measurements with the largest effect for or against the label, largest first. Each has a `name`;
        its `value`, in standard deviations from the mean of the training images; its `contribution`, by which
        the log-odds of the label against the next class would fall if the value were the mean; and the
        `means` of each class, in the same unit as the value.
    families : dict of str to float
        What each family of measurements (the first word of their names) contributes, compared with values
        halfway between the means of the label and of `next`.
    rest : float
        What everything else contributes: other measurements, the intercept, and interactions of a kernel.
    """

    def __init__(self, model: CellModel, cell: FoundCell, row: np.ndarray, file: str) -> None:
        scaler, classifier = (step for _, step in model.pipeline.steps)
        probabilities = model.scores(row, [file])[0]
        order = np.argsort(-probabilities)
        self.cell = cell
        self.probabilities = {model.classes[k]: float(probabilities[k]) for k in order}
        self.likeliest, self.next = list(self.probabilities)[:2]
        self.min_score = model.about.calibration.min_score
        self.label = self.likeliest if max(probabilities) >= self.min_score else UNCLASSIFIED
        means = dict(zip(model.classes, model.about.means, strict=False))
        values = scaler.transform(row)[0].astype(float)
        names = feature_names()[: len(values)]
        in_family = [[name.startswith(group) for name in names] for group in GROUPS]
        halfway = np.mean([means.get(label, 0) for label in (self.likeliest, self.next)], axis=0)
        alone = np.where(np.eye(len(values), dtype=bool), 0, values)
        odds = _log_odds(classifier, np.vstack([np.where(in_family, halfway, values), alone, values]))
        towards = odds[:, order[0]] - odds[:, order[1]]
        of_families, contributions = np.split(towards[-1] - towards[:-1], [len(GROUPS)])
        self.families = dict(zip(GROUPS, of_families.tolist(), strict=True))
        shown = np.argsort(-np.abs(contributions))[:SHOWN_MEASUREMENTS]
        self.reasons = []
        for k in shown:
            here = {"value": float(values[k]), "contribution": float(contributions[k])}
            of_classes = {label: of_class[k] for label, of_class in means.items()}
            self.reasons.append({"name": names[k], **here, "means": of_classes})
        self.rest = float(towards[-1] - contributions[shown].sum())


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
        A model that gives probabilities, without principal components; None is the included model.
    number : int, default=1
        Number of the cell in the table of `classify`.
    cell_width : float, optional
        As for `ImageReader.scaled`.
    stage : Stages, optional
        Times the stages.

    Raises
    ------
    AppError
        If there is no such cell, or the model is of another kind.
    """
    with stage("load"):
        model = load_cell_model(model_path)
    if len(model.pipeline.steps) != 2 or not model.gives_probabilities:
        raise AppError(f"{model.name}: gives no probabilities to explain; train with --folds above 1")
    with stage("classify"):
        files = find_images([image])
        file = replace(files[0], path=image, name=image)  # not one of several pages
        look = first_look(files, cell_width, model.about)
        try:
            found = describe_image(file, look, usual=model.about.usual, wanted=("thumbnails",))
        except BadImage as error:
            raise AppError(f"{image}: {error}") from error
        if not found.cells:
            raise AppError(f"{image}: {why_no_cell(found.flags)}")
        if number > len(found.cells):
            has = many(len(found.cells), "white cell")
            raise AppError(f"{image}: has only {has}; --cell {number} is out of range")
        if why_unfamiliar(model, look, file, found):
            note("note: the cell is unlike those that the model knows; `classify` labels it more cautiously")
        return CellExplanation(model, found.cells[number - 1], found.X[number - 1][None], image)


def _log_odds(classifier, X: np.ndarray) -> np.ndarray:
    """Return the log-odds of each class for each row; of two classes, half of those against the other."""
    scores = classifier.decision_function(X)
    if hasattr(classifier, "calibration_"):
        scores = scores * classifier.calibration_.slopes + classifier.calibration_.intercepts
    return scores if scores.ndim > 1 else np.column_stack([-scores, scores]) / 2
