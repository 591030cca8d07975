"""`adapt`: learn from a few labelled cells of a laboratory, together with the cells of a model."""

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
# From this number of cells on, the lowest score of a label is calibrated. With 3 per class it would depend on
# chance; on the rest of two laboratories 6 in 10 cells reached the usual score, 4 % and 1 % of them wrong.
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
        Labelled cells per label.
    unseen : list of str
        Classes without a labelled cell.
    error_before, error : float
        Error rates on the labelled cells: of the model before, and of models adapted without the original of
        the cell, or without the cell if all are of one original.
    calibration : CellCalibration
    relative_gap : float or list of float
        Duality gap of the fit over its objective, per class.
    skipped : Skipped
    look : FirstLook
    learned : int or None
        Labelled cells in images that the model had learned from before, if that is known.
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
    """Adapt a model to the laboratory of some labelled cells, and save the result.

    Parameters
    ----------
    model_path : str or None
        None is the included model.
    sources : sequence of str
        Folders and images.
    output : str
        File to write to; an existing file is replaced only if it is a model.
    cell_width : float, optional
        As for `ImageReader.scaled`.
    stage : Stages, optional
        Times the stages.
    **known
        Corrections, labels, groups and classes, as for `find_training_images`.
    """
    model = load_cell_model(model_path)
    if model.about.training is None:
        raise AppError(f"{model.name}: cannot be adapted again; give the model that it was adapted from")
    with stage("find"):
        files, skipped, boxes, everything = find_training_images(sources, **known)
        # From all images: a few with labels would be too few.
        look = first_look(everything, cell_width, model.about)
        usual = usual_stain_of(everything, look)
    if skipped.count:
        note(f"note: left out {many(skipped.count, 'image')} without a label")
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
    limits = f"It is adapted to one laboratory, with {len(samples.y):,} of its cells: use it only there."
    about = replace(
        model.about,
        kind=kind,
        usual=usual,
        usual_width=look.relative_width,
        calibration=calibration,
        ranges=ranges,
        confusion=(),  # from a few cells it would correct the shares by chance
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
        raise AppError(f"no cell has a label of {model.name} ({', '.join(model.classes)}); use `train`")
    for label, count in counts.items():
        if count < 2 and label not in model.classes:
            raise AppError(f"{label}: one cell is too few for a new label; label another, or use --classes")


def _validate(samples: TrainingSamples, others: Sequence[np.ndarray]) -> tuple[float, CellCalibration]:
    """Return the error on cells held out with all cells of their original, and the calibration of scores."""
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
