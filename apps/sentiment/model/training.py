"""Train a classifier of texts: functions that return what the commands print."""

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import ConvergenceWarning, Pipeline
from fastsvm.model_files import save_plain

from ...common.errors import AppError, Skipped
from ...common.files import check_model_path
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Corpus, Source
from . import steps
from .alpha_choice import Choice, Labelled, split_texts
from .calibration import CalibrationError, calibration_error
from .continuing import Continued, settings_of
from .counted import Counted, Learned, is_automatic
from .kept import NOTHING, Kept
from .recipe_choice import Screening, choose_recipe
from .scores import HeldOut, Scores, Trial, scores_of, trial_of
from .settings import AUTO, DEFAULT, RECIPES, Settings
from .term_effects import weighted_coef
from .validation import CrossValidation, Point, cross_validate, learning_curve

ACCURATE = replace(RECIPES[DEFAULT], recipe=AUTO)


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


def train(
    source: Source,
    model_path: str | None,
    settings: Settings = ACCURATE,
    *,
    start: Pipeline | None = None,
    cv: int = 0,
    with_curve: bool = False,
    kept: Kept = NOTHING,
    stage: Stages = UNWATCHED,
) -> Training:
    """Train a classifier on a corpus, try it on the texts held out, and save it.

    Parameters
    ----------
    source : Source
        The labelled texts.
    model_path : str or None
        Where the model goes; a file there is replaced only if it is a model. None saves none.
    settings : Settings
    start : Pipeline, optional
        A model that goes on learning, in the place of a new one; see `continuing`.
    cv : int
        Also cross-validate the recipe on so many parts of all texts; 0 does not.
    with_curve : bool
        Also train on growing shares of the training texts.
    kept : Kept, optional
        Where what is chosen, and the fits, are kept; they go on from there.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    if model_path is not None:
        check_model_path(model_path)
    if start is not None:
        settings = settings_of(start, settings)
    steps.classifier(replace(settings, alpha=None) if is_automatic(settings) else settings)  # may complain

    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings)
        (texts, y_train), (test_texts, y_test) = _split(corpus, settings)
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus
    screening = None
    if settings.recipe == AUTO:
        settings, screening = choose_recipe(texts, y_train, settings, stage)
    with stage("vectorize"):
        y, n_train = y_train + y_test, len(y_train)
        if start is None:
            everything = Counted.of(source, texts + test_texts, y, settings)
        else:
            everything = Continued.of(start, source, texts + test_texts, y)
        part, X_test = everything.parted(source, slice(n_train), slice(n_train, None))
        del texts  # the counts say it all

    refit = settings.refit and bool(test_texts)
    with warnings.catch_warnings():
        if refit:  # of the model that is saved there will be a warning
            warnings.simplefilter("ignore", ConvergenceWarning)
        tried = learned = part.learn(settings, stage, kept)
    held_out, curve, validated = None, [], None
    with stage("evaluate"):
        if test_texts:
            held_out = tried.try_on(X_test, test_texts, y_test)
    if test_texts and with_curve:
        with stage("learning curve"):
            curve = learning_curve(everything, n_train, tried, source)
    if cv:
        with stage("cross-validate", total=cv) as advance:
            validated = cross_validate(everything, source, settings, cv, advance)
    if refit:
        with stage("refit"):
            refitted = kept.fit("refit")
            learned = everything.fit(tried.settings, left_out=tried.left_out, checkpoint=refitted)
    if model_path is not None:
        with stage("save"):
            save_plain(learned.model, model_path)

    estimator = learned.model["classifier"]
    gap = getattr(estimator, "dual_gap_", None)
    return Training(
        model=model_path,
        settings=replace(settings, alpha=getattr(estimator, "alpha", None)),
        screening=screening,
        choice=tried.choice,
        shift=tried.left_out.shift if tried.left_out else 0.0,
        label_counts=label_counts,
        n_train=n_train,
        n_test=len(test_texts),
        n_fitted=len(everything.y) if refit else n_train,
        n_features_seen=learned.n_seen,
        n_features=estimator.n_features_in_,
        **_trial(tried, held_out, y_train),
        learning_curve=curve,
        cross_validation=validated,
        n_iter=_plain(estimator.n_iter_),
        objective=_plain(estimator.objective_),
        gap=_plain(gap),
        relative_gap=None if gap is None else _plain(np.divide(gap, estimator.objective_)),
        sides=top_words(learned.model, 10),
        skipped=skipped,
        fitted=learned.model,
        held_out=held_out,
        tried=tried.model if test_texts else None,
        before=None if start is None or not test_texts else _scores_before(start, test_texts, y_test),
    )


def _scores_before(model: Pipeline, texts: list[str], y: list[str]) -> Scores:
    return scores_of(model.classes_, HeldOut(texts, y, model.decision_function(texts)))


def _trial(tried: Learned, held_out: HeldOut | None, y_train: list[str]) -> dict:
    """Return what the texts held out say, as `Training` has it."""
    if held_out is None:
        return dict.fromkeys(("scores", "trial", "calibration"))
    classes, likely = tried.model.classes_, held_out.probabilities
    return {
        "scores": scores_of(classes, held_out),
        "trial": trial_of(tried.settings.metric, classes, held_out, y_train),
        "calibration": None if likely is None else calibration_error(classes, held_out.labels, likely),
    }


def _split(corpus: Corpus, settings: Settings) -> tuple[Labelled, Labelled]:
    """Return the texts to train on, of two labels or more, and those held out."""
    train, test = split_texts(
        corpus.texts, corpus.labels, settings.holdout, settings.seed, literal=settings.literal
    )
    if len(set(train[1])) < 2:
        raise AppError(
            f"{corpus.skipped.source}: only the label {train[1][0]!r} is left to train on; give more texts, "
            "or --holdout 0"
        )
    return train, test


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
