"""Train a classifier of texts: functions that return what the commands print."""

import warnings
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.fitting import ConvergenceWarning, Pipeline
from fastsvm.model_files import save_plain
from fastsvm.text import Bag, Selection

from ...common.errors import USAGE, AppError, Skipped
from ...common.files import check_model_path
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Corpus, Source
from . import steps
from .alpha_choice import Choice, Labelled, choose_alpha, inner_folds, split_texts
from .calibration import CalibrationError, LeftOut, calibration_error
from .scores import HeldOut, Scores, Trial, scores_of, trial_of
from .settings import CLASSIFIERS, Settings
from .term_effects import weighted_coef

ACCURATE = Settings()
EXTENSIONS = 3  # of the grid of alphas, at most


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
    choice : Choice or None
        How alpha was chosen, if it was.
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
    skipped : Skipped
    held_out : HeldOut or None
    tried : Pipeline or None
        The model that was trained without the held-out texts, which is `fitted` where nothing was refitted.
    """

    model: str | None
    settings: Settings
    choice: Choice | None
    label_counts: dict[str, int]
    n_train: int
    n_test: int
    n_fitted: int
    n_features_seen: int
    n_features: int
    scores: Scores | None
    trial: Trial | None
    calibration: CalibrationError | None
    n_iter: int | list[int]
    objective: float | list[float]
    gap: float | list[float] | None
    relative_gap: float | list[float] | None
    sides: list[Side]
    skipped: Skipped
    fitted: Pipeline
    held_out: HeldOut | None
    tried: Pipeline | None

    @property
    def warnings(self) -> list[str]:
        """What is wrong with a model that may look good."""
        return self.trial.warnings if self.trial else []


def train(
    source: Source, model_path: str | None, settings: Settings = ACCURATE, *, stage: Stages = UNWATCHED
) -> Training:
    """Train a classifier on a corpus, try it on the texts held out, and save it.

    Parameters
    ----------
    source : Source
        The labelled texts.
    model_path : str or None
        Where the model goes; a file there is replaced only if it is a model. None saves none.
    settings : Settings
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    if model_path is not None:
        check_model_path(model_path)
    automatic = _is_automatic(settings)
    steps.classifier(replace(settings, alpha=None) if automatic else settings)  # complains at once

    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings)
        (texts, y_train), (test_texts, y_test) = _split(corpus, settings)
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus
    with stage("vectorize"):
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = steps.vectorizer(settings, np.float32 if settings.k is None else np.int64)
        X = steps.count_terms(source, texts + test_texts, vectorizer)
        everything = Counted(vectorizer, X, np.asarray(y_train + y_test))
        part, X_test = everything.parted(source, len(y_train))
        del texts, vectorizer, X  # the counts say it all

    choice = _choice(part, settings, stage) if automatic else None
    if automatic:
        settings = replace(settings, alpha=choice.alpha if choice else None)
    left_out = _left_out(part, choice, settings, stage)
    refit = settings.refit and bool(test_texts)
    with stage("train"), warnings.catch_warnings():
        if refit:  # of the model that is saved there will be a warning
            warnings.simplefilter("ignore", ConvergenceWarning)
        n_seen = part.X.shape[1]
        tried, selection = part.fit(settings, left_out)
    model, held_out, scores, trial, calibration = tried, None, None, None, None
    with stage("evaluate"):
        if test_texts:
            held_out = _held_out(tried, selection, X_test, test_texts, y_test)
            scores = scores_of(tried.classes_, held_out)
            trial = trial_of(settings.metric, tried.classes_, held_out, y_train)
            if held_out.probabilities is not None:
                calibration = calibration_error(tried.classes_, y_test, held_out.probabilities)
    if refit:
        with stage("refit"):
            n_seen = everything.X.shape[1]
            model, _ = everything.fit(settings, left_out)
    if model_path is not None:
        with stage("save"):
            save_plain(model, model_path)

    estimator = model["classifier"]
    gap = getattr(estimator, "dual_gap_", None)
    return Training(
        model=model_path,
        settings=replace(settings, alpha=getattr(estimator, "alpha", None)),
        choice=choice,
        label_counts=label_counts,
        n_train=len(y_train),
        n_test=len(test_texts),
        n_fitted=len(y_train) if model is tried else len(everything.y),
        n_features_seen=n_seen,
        n_features=estimator.n_features_in_,
        scores=scores,
        trial=trial,
        calibration=calibration,
        n_iter=_plain(estimator.n_iter_),
        objective=_plain(estimator.objective_),
        gap=_plain(gap),
        relative_gap=None if gap is None else _plain(np.divide(gap, estimator.objective_)),
        sides=top_words(model, 10),
        skipped=skipped,
        fitted=model,
        held_out=held_out,
        tried=tried if test_texts else None,
    )


class Counted(NamedTuple):
    """The counts of texts, what counted them, and the texts' labels."""

    vectorizer: Bag
    X: csr_matrix
    y: np.ndarray

    def parted(self, source: Source, n: int) -> tuple["Counted", csr_matrix]:
        """Return the first `n` texts as if they alone had been counted, and the same terms of the others."""
        if n == len(self.y):
            return self, self.X[n:]
        X = self.X[:n]
        terms = steps.terms_of(source, X, self.vectorizer)
        vectorizer = copy(self.vectorizer).restrict(terms, indices=True)
        return Counted(vectorizer, X[:, terms], self.y[:n]), self.X[n:, terms]

    def fit(self, settings: Settings, left_out: LeftOut | None) -> tuple[Pipeline, Selection | None]:
        """Return a model of these texts, with probabilities if it can be, and what chose its terms."""
        selection = steps.selection(settings)
        X = steps.select_terms(self.vectorizer, self.X, self.y, selection)
        estimator = steps.classifier(settings)
        model = steps.fit(self.vectorizer, X, self.y, steps.weighting(settings), estimator)
        if left_out is not None:
            estimator.calibration_ = left_out.calibration(estimator.classes_)
        return model, selection


def _held_out(model: Pipeline, selection: Selection | None, X: csr_matrix, texts, labels) -> HeldOut:
    """Return what a model says of texts, whose terms were counted."""
    X = (X if selection is None else selection.transform(X)).astype(np.float32, copy=False)
    for _, step in model.steps[1:-1]:
        X = step.transform(X)
    decision = model["classifier"].decision_function(X)
    known = hasattr(model, "predict_proba")
    return HeldOut(texts, labels, decision, model["classifier"].predict_proba(X) if known else None)


def _split(corpus: Corpus, settings: Settings) -> tuple[Labelled, Labelled]:
    """Return the texts to train on, of two labels or more, and those held out."""
    train, test = split_texts(corpus.texts, corpus.labels, settings.holdout, settings.seed)
    if len(set(train[1])) < 2:
        raise AppError(
            f"{corpus.skipped.source}: only the label {train[1][0]!r} is left to train on; give more texts, "
            "or --holdout 0"
        )
    return train, test


def _is_automatic(settings: Settings) -> bool:
    """Tell whether alpha is to be chosen."""
    alphas = CLASSIFIERS[settings.classifier].alphas
    if settings.alpha == "auto" and alphas is None:
        raise AppError(
            f"--alpha auto is not for the {settings.classifier}; give a number, or leave it out", USAGE
        )
    return settings.alpha == "auto" or (settings.alpha is None and alphas is not None)


def _choice(part: Counted, settings: Settings, stage: Stages) -> Choice | None:
    """Choose alpha within the training texts; None if they are too few."""
    folds = inner_folds(part.y, settings.seed)
    recipe = steps.recipe(settings)
    alphas = CLASSIFIERS[settings.classifier].alphas if steps.has_norm(recipe["weighting"]) else None
    with stage("choose alpha", total=len(folds)) as advance:
        if not folds:
            return None
        grid = {"alphas": alphas, "n_alphas": 10, "extensions": EXTENSIONS}
        return choose_alpha(part.X, part.y, folds, **recipe, **grid, advance=advance)


def _left_out(part: Counted, choice: Choice | None, settings: Settings, stage: Stages) -> LeftOut | None:
    """Return what probabilities are learned from; None if the texts are too few."""
    if choice is not None:
        return LeftOut.of_choice(choice, part.y)
    folds = inner_folds(part.y, settings.seed)
    with stage("calibrate"):
        return LeftOut.of_folds(part.X, part.y, folds, settings) if folds else None


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
