"""What training makes known: the model, what it was tried on, the words that speak for a label."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.errors import Skipped
from ..learning.alpha_choice import Choice
from ..learning.calibration import CalibrationError, calibration_error
from ..learning.recipe_choice import Screening
from ..learning.validation import CrossValidation, Point
from ..measures.scores import HeldOut, Scores, Trial, scores_of, trial_of
from ..measures.term_effects import weighted_coef
from ..settings import Settings


class WordWeight(NamedTuple):
    """A word and its weight in the decision."""

    word: str
    weight: float


@dataclass(frozen=True)
class Side:
    """The words that speak most for a label; of two labels, those for the first have weights below 0."""

    label: str
    words: list[WordWeight]


@dataclass(frozen=True)
class Training:
    """What `train` did; gaps and objective are one number for two labels, and one per label for more.

    Attributes
    ----------
    model : str or None
        Where it was saved, if it was.
    settings : Settings
        With the alpha that was taken, the metric, and how texts were cut.
    screening : Screening or None
        How the recipe was chosen, if it was.
    choice : Choice or None
        How alpha was chosen, if it was.
    shift : float
        By how much scores were lowered, so that the threshold of the settings is 0.
    label_counts : dict of label to number of texts
    n_train, n_test : int
        Texts that the model tried was trained on, and those held out.
    n_fitted : int
        Texts that the saved model has seen.
    n_features_seen, n_features : int
        Features in `min_df` texts, and those kept, of the saved model; so are the six that follow.
    n_iter, objective, gap, relative_gap, sides, fitted
    scores : Scores or None
        Of the held-out texts, by the model that was trained without them.
    trial : Trial or None
        The same by the metric, and what guessing would get.
    calibration : CalibrationError or None
        Of the same model on the same texts; None where it has no probabilities.
    learning_curve : list of Point
        Empty unless it was asked for.
    cross_validation : CrossValidation or None
    skipped : Skipped
    held_out : HeldOut or None
    tried : Pipeline or None
        The model that was trained without the held-out texts, which is `fitted` where nothing was refitted.
    before : Scores or None
        Of the held-out texts, by the model that went on learning, if one did.
    """

    model: str | None
    settings: Settings
    screening: Screening | None
    choice: Choice | None
    shift: float
    label_counts: dict[str, int]
    n_train: int
    n_test: int
    n_fitted: int
    n_features_seen: int
    n_features: int
    scores: Scores | None
    trial: Trial | None
    calibration: CalibrationError | None
    learning_curve: list[Point]
    cross_validation: CrossValidation | None
    n_iter: int | list[int]
    objective: float | list[float]
    gap: float | list[float] | None
    relative_gap: float | list[float] | None
    sides: list[Side]
    skipped: Skipped
    fitted: Pipeline
    held_out: HeldOut | None
    tried: Pipeline | None
    before: Scores | None = None

    @property
    def warnings(self) -> list[str]:
        """What is wrong with a model that may look good."""
        return self.trial.warnings if self.trial else []


def of_model(model: Pipeline) -> dict[str, Any]:
    """Return what a fitted model says of itself, as `Training` has it."""
    estimator = model["classifier"]
    gap = getattr(estimator, "dual_gap_", None)
    return {
        "n_features": estimator.n_features_in_,
        "n_iter": _plain(estimator.n_iter_),
        "objective": _plain(estimator.objective_),
        "gap": _plain(gap),
        "relative_gap": None if gap is None else _plain(np.divide(gap, estimator.objective_)),
        "sides": top_words(model, 10),
        "fitted": model,
    }


def of_trial(
    settings: Settings, classes: np.ndarray, held_out: HeldOut | None, y_train: Iterable[str]
) -> dict[str, Any]:
    """Return what the texts held out say, as `Training` has it; of `y_train`, what `trial_of` asks."""
    if held_out is None:
        return dict.fromkeys(("scores", "trial", "calibration"))
    likely = held_out.probabilities
    return {
        "scores": scores_of(classes, held_out),
        "trial": trial_of(settings.metric, classes, held_out, y_train),
        "calibration": None if likely is None else calibration_error(classes, held_out.labels, likely),
    }


def top_words(model: Pipeline, n: int) -> list[Side]:
    """Return, for each label, the `n` words that speak most for it; a weight is that of one in a text.

    Where rows are scaled to norm 1, it is what the word adds before that.
    """
    words = model["vectorizer"].get_feature_names_out()
    classes = model.classes_
    coef = weighted_coef(model)
    weights = coef if len(classes) > 2 else (-coef[0], coef[0])
    signs = (-1.0, 1.0) if len(classes) == 2 else [1.0] * len(classes)
    sides = []
    for label, weight, sign in zip(classes, weights, signs, strict=True):
        best = [i for i in np.argsort(-weight, kind="stable")[:n] if weight[i] > 0]
        sides.append(Side(str(label), [WordWeight(str(words[i]), sign * float(weight[i])) for i in best]))
    return sides


def _plain(value):
    """Return numbers and arrays as Python's own."""
    return None if value is None else np.asarray(value).tolist()
