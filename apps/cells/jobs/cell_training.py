"""Fit a classifier of cells and cross-validate it; all copies of one original are in the same fold.

Nothing is chosen on the images used for testing. Unless the strength of the regularisation is given, it is
chosen inside the training part of each fold, by an inner cross-validation.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fastsvm._utils.thread_pool import Threads
from fastsvm._utils.threads import number_of_threads
from fastsvm.fitting import Calibration, ConvergenceWarning, Pipeline, Scaler

from ...common.classifiers import make_classifier
from ...common.errors import Skipped
from ...common.progress import UNWATCHED, Stages
from ...common.suspicious_labels import suspicious_labels
from ..finding.first_look import FirstLook, first_look, usual_stain_of
from ..learning.calibration import calibrate_scores
from ..learning.cautious_model import calibrated_cautious_model
from ..learning.cell_model import gives_probabilities, save_cell_model, scores_of
from ..learning.error_report import ErrorReport
from ..learning.model_notes import ModelNotes, class_means
from ..learning.training_images import find_training_images
from ..learning.training_samples import TrainingSamples, measure_training_samples
from ..settings import TrainingSettings
from .cell_evaluation import Mistake

# Strength of the regularisation. A weaker one memorises wrong labels: of 35 wrong ones among 261, the
# first 50 suspects contain all with strength 10, 32 with 3, 24 with 1, 17 with 0.1.
SUSPECT_ALPHA = 10.0
INNER_FOLDS = 3
LOOSE_TOL = 1e-2  # relative gap that is small enough to choose alpha by
# A cell weighs the size of its class to the power -BALANCE: with 1 all classes would count the same, with 0
# all cells; in between there are the fewest errors.
BALANCE = 0.5


def fit_cell_model(samples: TrainingSamples, settings: TrainingSettings, alpha: float | None) -> Pipeline:
    """Fit a model: scaler and classifier."""
    scaler = Scaler().fit(samples.X)
    X, classifier = scaler.transform(samples.X), _classifier(settings, samples, alpha)
    classifier.fit(X, samples.y, _weights(samples))
    return Pipeline([("scaler", scaler), ("classifier", classifier)])


def _weights(samples: TrainingSamples) -> np.ndarray:
    """Return how much each sample counts: more where its class is rare, 1 on average."""
    _, number = np.unique(samples.y, return_inverse=True)
    weights = np.bincount(number)[number] ** -BALANCE
    return weights / weights.mean()


def _classifier(settings: TrainingSettings, samples: TrainingSamples, alpha: float | None, **parameters):
    given = {"alpha": alpha, "random_state": settings.seed, **parameters}
    return make_classifier(settings.classifier, settings.method, len(samples.y), **given)


def _chosen_alphas(
    samples: TrainingSamples, settings: TrainingSettings, parts: Sequence[np.ndarray], stage: Stages
) -> list[float | None]:
    """Return the best strength for each part of the samples, by a cross-validation inside the part."""
    method = settings.method
    if settings.alpha is not None or method.alphas is None:
        return [settings.alpha] * len(parts)
    jobs = []
    for number, part in enumerate(parts):
        inner = samples.rows(part).splits(INNER_FOLDS, settings.seed)
        jobs += [(number, part[train], part[test]) for train, test in inner]

    def measure(job):
        number, train, test = job
        return number, _losses(samples.rows(train), samples.rows(test), settings)

    totals: dict[int, np.ndarray] = {}
    with stage("choose alpha", total=len(jobs)) as advance, Threads(number_of_threads(-1)) as pool:
        for number, losses in pool.map(measure, jobs):
            advance()
            totals[number] = totals.get(number, 0) + losses
    chosen = [method.alpha] * len(parts)
    for number, losses in totals.items():  # the strongest of those with the lowest loss
        chosen[number] = method.alphas[np.flatnonzero(losses == losses.min())[-1]]
    return chosen


def _losses(train: TrainingSamples, test: TrainingSamples, settings: TrainingSettings) -> np.ndarray:
    """Sum the classifier's own loss over the test samples and labels, for each strength.

    With few originals the number of mistakes would make the choice random.
    """
    scaler = Scaler().fit(train.X)
    X, X_test = scaler.transform(train.X), scaler.transform(test.X)
    losses, weights = [], _weights(train)
    for alpha in settings.method.alphas:
        estimator = _classifier(settings, train, alpha, tol=LOOSE_TOL)
        decision = estimator.fit(X, train.y, weights).decision_function(X_test)
        classes = estimator.classes_ if decision.ndim == 2 else estimator.classes_[1:]
        decision = decision.reshape(len(decision), -1)
        margins = np.where(test.y[:, None] == classes, decision, -decision)
        log = getattr(estimator, "loss", None) == "log"
        losses.append((np.logaddexp(0, -margins) if log else np.maximum(0, 1 - margins)).sum())
    return np.array(losses)


# Wrong labels


def suspect_cells(
    samples: TrainingSamples, parts: Sequence[np.ndarray], settings: TrainingSettings
) -> tuple[list[Mistake], tuple[float, float]] | tuple[None, None]:
    """Find labels that are probably wrong: those that models trained without them contradict most.

    Parameters
    ----------
    samples : TrainingSamples
    parts : sequence of ndarray
        The rows of each fold; without folds the results are None.
    settings : TrainingSettings
        Those of the training; the classifier is always logistic.

    Returns
    -------
    cells : list of Mistake
        Those whose label a model trained without them contradicts, the strongest contradiction first; each
        cell has the label and the score that this model gives it.
    share : tuple of float
        Bounds of the share of wrong labels. The lower one comes from `suspicious_labels`, which misses most
        systematic mistakes; the upper one counts all contradicted labels, even of difficult cells.
    """
    if not parts:
        return None, None
    logistic = replace(settings, classifier="sdca-logistic")

    def score(k: int, others: TrainingSamples, X: np.ndarray) -> np.ndarray:
        return scores_of(fit_cell_model(others, logistic, SUSPECT_ALPHA), X)

    classes, labels = np.unique(samples.y, return_inverse=True)
    scores = samples.held_out_scores(parts, score)
    images = np.flatnonzero(~samples.is_version)
    found = suspicious_labels(scores[images], labels[images])
    cells = []
    for k in found.order:
        file, cell = samples.cells[images[k]]
        suggested = found.suggested[k]
        cell = replace(cell, label=str(classes[suggested]), score=float(scores[images[k], suggested]))
        cells.append((replace(file, label=str(samples.y[images[k]])), cell))
    most = len(cells) / len(images)
    return cells, (min(found.estimated_share, most), most)


# The whole way


class CellTraining:
    """A classifier of cells that was cross-validated and fitted on samples, and what is known of it.

    Parameters
    ----------
    samples : TrainingSamples
    settings : TrainingSettings
        With fewer than 2 folds nothing is cross-validated, but the strength is still chosen.
    stage : Stages
        Times the stages.

    Attributes
    ----------
    label_counts : dict
        Cells per label, without those of versions.
    parts : list of ndarray
        The rows of each fold.
    alphas : list of float
        The strength chosen in each fold.
    alpha : float
        The strength chosen on all samples.
    held_out : ndarray of shape (n, n_classes), or None
        The scores of each sample by the model trained without its original; None without folds.
    pipeline : Pipeline
    errors, errors_of_versions : ErrorReport or None
        Errors of the folds' models.
    suspects, suspect_share
        As `suspect_cells` returns them.
    path, about, skipped, look
        The file that `train_cell_model` wrote, its notes, the images that could not be used, and the
        `FirstLook` at all images.
    """

    path: str
    about: ModelNotes
    skipped: Skipped
    look: FirstLook

    def __init__(self, samples: TrainingSamples, settings: TrainingSettings, stage: Stages) -> None:
        self.settings, self.samples = settings, samples
        self._is_image = ~samples.is_version
        self.label_counts = dict(sorted(Counter(samples.y[self._is_image].tolist()).items()))
        # Warnings of these fits would not concern the final model.
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            self._validate(stage)
        with stage("fit"):
            self.pipeline = fit_cell_model(samples, settings, self.alpha)
        self._calibrate(self.pipeline[-1])
        self.errors = self._errors(self._is_image)
        self.errors_of_versions = self._errors(samples.is_version)
        with stage("check labels"), warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            self.suspects, self.suspect_share = suspect_cells(samples, self.parts, settings)

    def _validate(self, stage: Stages) -> None:
        """Choose the strength, and cross-validate the whole procedure, this choice included."""
        samples, settings = self.samples, self.settings
        splits = samples.splits(settings.folds, settings.seed)
        self.parts = [test for _, test in splits]
        chosen = [*(train for train, _ in splits), np.arange(len(samples.y))]
        *self.alphas, self.alpha = _chosen_alphas(samples, settings, chosen, stage)
        self.held_out = None

        def score(k: int, others: TrainingSamples, X: np.ndarray) -> np.ndarray:
            return scores_of(fit_cell_model(others, settings, self.alphas[k]), X)

        if splits:
            with stage("validate", total=len(splits)) as advance:
                self.held_out = samples.held_out_scores(self.parts, score, advance)

    def _calibrate(self, classifier) -> None:
        """Turn the folds' scores into probabilities, and make the classifier give probabilities too."""
        if self.held_out is None or gives_probabilities(classifier):
            return
        decision = self.held_out if len(classifier.classes_) > 2 else self.held_out[:, 1]
        classifier.calibration_ = Calibration.fit(decision, self.samples.y, classifier.classes_)
        self.held_out = classifier.calibration_.probabilities(decision)

    def _errors(self, rows: np.ndarray) -> ErrorReport | None:
        if self.held_out is None or not rows.any():
            return None
        some, classes = self.samples.rows(rows), np.unique(self.samples.y)
        predicted = classes[self.held_out[rows].argmax(axis=1)]
        return ErrorReport(some.y, predicted, classes.tolist(), some.groups)

    def notes(self, stage: Stages, others: Sequence[TrainingSamples] = (), **about) -> ModelNotes:
        """Return the notes for the model file; some of them are given by `about`.

        The cautious model also learns from the cells of other laboratories.
        """
        samples, images = self.samples, self.samples.rows(self._is_image)
        means = class_means(self.pipeline[0].transform(images.X), images.y).tolist()
        with stage("cautious"):
            classes = np.unique(samples.y).tolist()
            cautious = calibrated_cautious_model([samples, *others], classes, self.settings.seed)
        notes = ModelNotes(means=means, training=samples.kept_for_adaptation(), cautious=cautious, **about)
        if self.held_out is None:
            return notes
        classes, truth = np.unique(samples.y, return_inverse=True)
        calibration = calibrate_scores(self.held_out, truth, samples.shares, self.parts)
        calibrated = calibration.calibrated(self.held_out[self._is_image])
        is_sure = calibrated.max(axis=1) >= calibration.min_score
        labels = np.where(is_sure, calibrated.argmax(axis=1), len(classes))
        confusion = np.zeros((len(classes), len(classes) + 1))
        np.add.at(confusion, (truth[self._is_image], labels), images.shares)
        confusion /= confusion.sum(axis=1, keepdims=True)
        return replace(notes, calibration=calibration, confusion=confusion.tolist())


def train_cell_model(
    sources: Sequence[str],
    model_path: str,
    settings: TrainingSettings,
    *,
    limits: str = "",
    others: Sequence[TrainingSamples] = (),
    stage: Stages = UNWATCHED,
    **known,
) -> CellTraining:
    """Cross-validate a classifier of cells, fit it on all images and save it.

    It learns from the first cell of each image, and from corrected cells.

    Parameters
    ----------
    sources : sequence of str
        Folders and images.
    model_path : str
        File to write to; an existing file is replaced only if it is a model.
    settings : TrainingSettings
        Settings of the training.
    limits : str, optional
        Known limits of the model, for its users.
    others : sequence of TrainingSamples, optional
        Cells of other laboratories, from which the cautious model also learns.
    stage : Stages, optional
        Times the stages.
    **known
        Corrections, labels, groups and classes, as for `find_training_images`.

    Returns
    -------
    CellTraining
    """
    with stage("find"):
        files, skipped, boxes, _ = find_training_images(sources, **known)
        look = first_look(files, settings.cell_width)
        usual = usual_stain_of(files, look)
    samples, ranges, kind = measure_training_samples(files, boxes, settings, look, skipped, stage, usual)
    done = CellTraining(samples, settings, stage)
    measured = {"kind": kind, "usual": usual, "usual_width": look.relative_width, "ranges": ranges}
    done.about = done.notes(stage, others, **measured, limits=limits)
    done.path, done.skipped, done.look = model_path, skipped, look
    with stage("save"):
        save_cell_model(done.pipeline, model_path, done.about, samples.hashes)
    return done
