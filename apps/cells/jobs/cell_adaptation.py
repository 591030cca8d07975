"""`adapt`: learn a laboratory from a handful of labelled cells, beside those of its model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...common.errors import AppError, Skipped
from ...common.folds import grouped_folds
from ...common.printing import many, note
from ...common.progress import UNWATCHED, Stages
from ...common.training_items import count_learned
from ..finding.first_look import FirstLook, first_look, usual_stain_of
from ..learning.adaptation import fit_adapted_model
from ..learning.calibration import CellCalibration, calibrate_scores
from ..learning.cell_model import CellModel, load_cell_model, relative_gap, save_cell_model, scores_of
from ..learning.training_images import find_training_images
from ..learning.training_samples import TrainingSamples, measure_training_samples
from ..settings import TrainingSettings

MAX_FOLDS = 20  # at most; fits take milliseconds
# Cells from which on they tell the score that a label wants. Of 3 a class that is left to chance; on the rest
# of two laboratories the usual score left 6 in 10 cells with a label, of which 0.04 and 0.01 were wrong.
MIN_CALIBRATED = 20
USUAL_SCORE = 0.8


@dataclass(frozen=True)
class CellAdaptation:
    """The result of `adapt_cell_model`.

    Attributes
    ----------
    model, adapted : str
        The file that was written, and the model that was adapted.
    label_counts : dict
        Of the labelled cells.
    unseen : list of str
        Classes without a labelled cell.
    error_before, error : float
        On the labelled cells: of the model as it was, and of adapted ones that have not seen their image, or
        the cell if all are in one image.
    calibration : CellCalibration
    relative_gap : float or list of float
        Of the fit, for each class.
    skipped : Skipped
    look : FirstLook
    learned : int or None
        Labelled cells in images that the model had learned from before, if it tells.
    """

    model: str
    adapted: str
    label_counts: dict[str, int]
    unseen: list[str]
    error_before: float
    error: float
    calibration: CellCalibration
    relative_gap: float | list[float]
    skipped: Skipped
    look: FirstLook
    learned: int | None


def adapt_cell_model(
    model_path: str | None,
    sources: Sequence[str],
    output: str,
    *,
    cell_width: float | None = None,
    stage: Stages = UNWATCHED,
    **known,
) -> CellAdaptation:
    """Adapt a model to the laboratory of some labelled cells, and save what comes of it.

    Parameters
    ----------
    model_path : str or None
        None is the model that comes with the package.
    sources : sequence of str
        Folders and images.
    output : str
        Where the adapted model goes; a file there is replaced only if it is a model.
    cell_width : float, optional
        As for `ImageReader.scaled`.
    stage : Stages, optional
        Times the stages.
    **known
        Corrections, labels, groups and classes, as for `find_training_images`.

    Returns
    -------
    CellAdaptation
    """
    model = load_cell_model(model_path)
    if model.about.training is None:
        raise AppError(f"{model.name}: holds no cells to learn from; train it again, or give its original")
    with stage("find"):
        everything = []
        files, skipped, boxes = find_training_images(sources, everything=everything, **known)
        # A few images would tell these badly.
        look = first_look(everything, cell_width, model.about)
        usual = usual_stain_of(everything, look)
    if skipped.count:
        note(f"note: {many(skipped.count, 'image')} without a label left out")
        skipped = Skipped(skipped.source)
    measure = partial(measure_training_samples, files, boxes, TrainingSettings(versions=0), look)
    samples, ranges, kind = measure(skipped, stage, usual)
    counts = dict(sorted(Counter(samples.y.tolist()).items()))
    _check_labels(counts, model)
    X, number = model.about.training
    others = X, np.array(model.classes)[number]
    with stage("fit"):
        pipeline, means = fit_adapted_model(others, samples)
        error, calibration = _validate(samples, others)
    limits = f"It is adapted to one laboratory, with {len(samples.y):,} of its cells: use it there alone."
    about = replace(
        model.about,
        kind=kind,
        usual=usual,
        usual_width=look.relative_width,
        calibration=calibration,
        ranges=ranges,
        confusion=(),  # of a few cells it would correct the shares by chance
        means=means.tolist(),
        training=None,
        limits=f"{limits} {model.about.limits}".strip(),
    )
    save_cell_model(pipeline, output, about, samples.hashes, model.record)
    # The model as it was: every cell gets its likeliest class.
    if usual != model.about.usual:
        samples, *_ = measure(Skipped(skipped.source), UNWATCHED, model.about.usual)
    before = model.about.cautious.scores(samples.X, model.classes)
    if look.own is not False:
        before = model.scores(samples.X, samples.groups)
    before = float(np.mean(np.array(model.classes)[before.argmax(axis=1)] != samples.y))
    unseen, gap = [label for label in model.classes if label not in counts], relative_gap(pipeline)
    rest = calibration, gap, skipped, look, count_learned(samples.hashes, model.record)
    return CellAdaptation(output, model.name, counts, unseen, before, error, *rest)


def _check_labels(counts: dict[str, int], model: CellModel) -> None:
    if counts.keys().isdisjoint(model.classes):
        raise AppError(f"no cell has a label of {model.name} ({', '.join(model.classes)}); `train` instead")
    for label, count in counts.items():
        if count < 2 and label not in model.classes:
            raise AppError(f"{label}: one cell is too few for a new label; label another, or see --classes")


def _validate(samples: TrainingSamples, others: Sequence[np.ndarray]) -> tuple[float, CellCalibration]:
    """Return the error on cells left out, with all of their original, and how scores are to be read."""
    groups = np.unique(samples.groups, return_inverse=True)[1]
    # Cells that are all of one original are left out one by one.
    groups = groups if groups.any() else np.arange(len(groups))
    classes = np.unique(np.append(others[1], samples.y))
    truth = np.searchsorted(classes, samples.y)
    scores = np.zeros((len(truth), len(classes)))
    splits = grouped_folds(samples.y, groups, min(MAX_FOLDS, len(np.unique(groups))), 0)
    for train, test in splits:
        fitted, _ = fit_adapted_model(others, samples.rows(train))
        scores[np.ix_(test, np.isin(classes, fitted.classes_))] = scores_of(fitted, samples.X[test])
    calibration = CellCalibration(min_score=USUAL_SCORE)
    if len(truth) >= MIN_CALIBRATED:
        calibration = calibrate_scores(scores, truth, np.ones(len(truth)), [test for _, test in splits])
    return float(np.mean(scores.argmax(axis=1) != truth)), calibration
