"""Train a classifier of texts, test it on texts held out, and save it."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from fastsvm.fitting import ConvergenceWarning, Pipeline
from fastsvm.model_files import save_plain

from ...common.cache import Cache
from ...common.errors import Skipped
from ...common.printing import labels_alike
from ...common.progress import UNWATCHED, Stages
from ...common.training_items import count_learned, learned_items, text_hashes, too_good
from ..data.text_source import CorpusError, TextSource, names_corpus
from ..learning import pipeline_steps
from ..learning.alpha_choice import AlphaChoice
from ..learning.continued_model import ContinuedModel, continued_settings
from ..learning.counted_texts import CountedTexts, LearnedModel
from ..learning.cross_validation import CrossValidation, LearningCurvePoint, cross_validate, learning_curve
from ..learning.recipe_choice import RecipeScreening, choose_recipe
from ..learning.text_splits import split_rows
from ..learning.training_checkpoint import NO_CACHE
from ..measures.answer_scores import AnswerScores, score_answers
from ..measures.prediction import about_model, known_terms, load_text_model
from ..measures.term_effects import TopWords, top_words
from ..text_recipes import AUTO, DEFAULT, RECIPES, RecipeSettings
from .suspect_texts import BEGINNING, SuspectedLabels, suspected_labels

ACCURATE = replace(RECIPES[DEFAULT], recipe=AUTO)
TOP_WORDS = 10  # for each label


class CorpusCounts(NamedTuple):
    """The texts of a training: by label, to train on, held out, seen by the saved model, and skipped."""

    label_counts: dict[str, int]
    n_train: int
    n_test: int
    n_fitted: int
    skipped: Skipped

    @property
    def n_calibrate(self) -> int:
        """Those kept for probabilities alone; only training from a stream does that."""
        return sum(self.label_counts.values()) - self.n_train - self.n_test

    @property
    def uses(self) -> str:
        """What the texts are for."""
        kept = f", {self.n_calibrate:,} for probabilities" if self.n_calibrate else ""
        return f"{self.n_train:,} to train on{kept} and {self.n_test:,} held out"


class TrainingChoices(NamedTuple):
    """The recipe and alpha that were chosen, if they were, and the shift of the scores."""

    screening: RecipeScreening | None
    choice: AlphaChoice | None
    shift: float


class FitFacts(NamedTuple):
    """The fit of the saved model; gaps and objective are one number for two labels, a list for more.

    `n_features_seen` features occur in `min_df` texts; `n_features` of them were kept. Of kernel Pegasos,
    `n_iter` are steps.
    """

    n_features_seen: int
    n_features: int
    n_iter: int | list[int]
    objective: float | list[float]
    gap: float | list[float] | None
    relative_gap: float | list[float] | None
    top_words: list[TopWords]


@dataclass(frozen=True)
class TextTraining:
    """The result of a training.

    Attributes
    ----------
    path : str or None
        The file of the model, if it was saved.
    model : Pipeline
        The saved model.
    tested : Pipeline
        The model that was tested, which had not seen the texts held out.
    settings : RecipeSettings
        With the alpha, the metric and the tokens that were used.
    corpus : CorpusCounts
    choices : TrainingChoices
    fit : FitFacts
    evaluation : AnswerScores or None
        On the texts held out.
    accuracy_before : float or None
        On the same texts, of the model that learned on.
    learning_curve : list of LearningCurvePoint
    cross_validation : CrossValidation or None
    suspected : SuspectedLabels or None
        None if there are too few texts to judge some by others, and if they are streamed.
    about : dict
        What the model's file says besides: the `training_items`, hashes of the texts it has learned from,
        the `terms_per_word` of the texts held out, if there were any, and names of columns.
    learned : int or None
        How many of the texts held out the model that learned on had learned from before.
    """

    path: str | None
    model: Pipeline
    tested: Pipeline
    settings: RecipeSettings
    corpus: CorpusCounts
    choices: TrainingChoices
    fit: FitFacts
    evaluation: AnswerScores | None
    accuracy_before: float | None = None
    learning_curve: tuple[LearningCurvePoint, ...] = ()
    cross_validation: CrossValidation | None = None
    suspected: SuspectedLabels | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    learned: int | None = None

    @property
    def skipped(self) -> Skipped:
        """The records that were left out."""
        return self.corpus.skipped

    @property
    def warnings(self) -> list[str]:
        """Faults of a model that may look good."""
        told = too_good(self.learned, self.corpus.n_test, "held-out text")
        alike, tested = labels_alike(self.corpus.label_counts), self.evaluation
        return [*alike, *(tested.warnings if tested else ()), *filter(None, [told])]


@names_corpus
def train_text_model(
    source: TextSource,
    model_path: str | None,
    settings: RecipeSettings = ACCURATE,
    *,
    start: str | None = None,
    cv: int = 0,
    with_curve: bool = False,
    cache: Cache = NO_CACHE,
    stage: Stages = UNWATCHED,
) -> TextTraining:
    """Train a classifier on a corpus, test it on the texts held out, and save it.

    Parameters
    ----------
    source : TextSource
        The labelled texts.
    model_path : str or None
        File of the model; a file there is replaced only if it is a model. None saves no model.
    settings : RecipeSettings
    start : str, optional
        The file of a model that learns on; see `continued_model`.
    cv : int
        Number of parts of all texts to cross-validate the recipe on; 0 does not.
    with_curve : bool
        Also train on growing shares of the training texts.
    cache : Cache, optional
        Keeps the choices and the fits, so that a killed training can resume.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    TextTraining
    """
    model = load_text_model(start) if start else None
    if model is not None:
        settings = continued_settings(model, settings)
    pipeline_steps.check_alpha(settings)
    with stage("read"):
        corpus, settings = pipeline_steps.read_labelled(source, settings)
        parts = split_rows(corpus.texts, corpus.labels, settings.holdout, settings.seed)
        (texts, y_train), (held_out, y_test) = (
            ([corpus.texts[i] for i in part], [corpus.labels[i] for i in part]) for part in parts
        )
        places = [corpus.places[i] for part in parts for i in part]
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus
        if len(set(y_train)) < 2:
            raise CorpusError(
                f"only the label {y_train[0]!r} is left to train on; give more texts, or --holdout 0"
            )
    screening = None
    if settings.recipe == AUTO:
        settings, screening = choose_recipe(texts, y_train, settings, stage)
    with stage("vectorize"):
        counts = CountedTexts.of if model is None else ContinuedModel.of
        everything = counts(texts + held_out, y_train + y_test, settings, model)
        start_about = about_model(start) if start else {}
        beginnings = [text[:BEGINNING] for text in texts + held_out]
        hashes = text_hashes(texts + held_out)
        del texts  # the counts are enough
    tested, saved, evaluation, more = _fitted_models(
        everything, settings, len(y_train), held_out, cv, with_curve, cache, stage
    )
    n_terms, n_words = known_terms(tested.model, held_out)
    about = {"terms_per_word": float(n_terms.sum() / n_words.sum())} if n_words.any() else {}
    n_fitted = len(y_train) if saved is tested else len(everything.y)
    about |= learned_items(hashes[:n_fitted], start_about) | source.own_columns
    if model_path is not None:
        with stage("save"):
            save_plain(saved.model, model_path, about)
    before = None
    if model is not None and held_out:
        before = score_answers(model, held_out, y_test, model.decision_function(held_out)).accuracy
    return TextTraining(
        model_path,
        saved.model,
        tested.model,
        replace(settings, alpha=getattr(saved.model["classifier"], "alpha", None)),
        CorpusCounts(label_counts, len(y_train), len(y_test), n_fitted, skipped),
        TrainingChoices(screening, tested.choice, tested.left_out.shift if tested.left_out else 0.0),
        fit_facts(saved.model, saved.n_seen),
        evaluation,
        before,
        suspected=suspected_labels(tested, evaluation, places, y_train + y_test, beginnings),
        about=about,
        learned=count_learned(hashes[len(y_train) :], start_about),
        **more,
    )


def _fitted_models(
    everything: CountedTexts | ContinuedModel,
    settings: RecipeSettings,
    n_train: int,
    held_out: list[str],
    cv: int,
    with_curve: bool,
    cache: Cache,
    stage: Stages,
) -> tuple[LearnedModel, LearnedModel, AnswerScores | None, dict]:
    """Return the model that was tested, the model to save, the evaluation, and what else was measured."""
    part, X_test = everything.parted(slice(n_train), slice(n_train, None))
    refit = settings.refit and bool(held_out)
    with warnings.catch_warnings():
        if refit:  # the saved model will warn
            warnings.simplefilter("ignore", ConvergenceWarning)
        tested = saved = part.learn(settings, stage, cache)
    evaluation, more = None, {}
    with stage("evaluate"):
        if held_out:
            y_test = everything.y[n_train:].tolist()
            evaluation = tested.evaluated(X_test, held_out, y_test, part.y.tolist())
    if held_out and with_curve:
        with stage("learning curve"):
            more["learning_curve"] = tuple(learning_curve(everything, n_train, tested))
    if cv:
        with stage("cross-validate", total=cv) as advance:
            more["cross_validation"] = cross_validate(everything, settings, cv, advance)
    if refit:
        del part, X_test
        with stage("refit"):
            state = cache.path("refit", ".fit")
            saved = everything.fit(tested.settings, left_out=tested.left_out, checkpoint=state)
    return tested, saved, evaluation, more


def fit_facts(model: Pipeline, n_seen: int) -> FitFacts:
    """Return the facts about the fit of a model."""
    classifier = model["classifier"]
    gap = getattr(classifier, "dual_gap_", None)
    return FitFacts(
        n_seen,
        classifier.n_features_in_,
        np.asarray(getattr(classifier, "n_iter_", None) or classifier.t_).tolist(),
        np.asarray(classifier.objective_).tolist(),
        None if gap is None else np.asarray(gap).tolist(),
        None if gap is None else np.divide(gap, classifier.objective_).tolist(),
        top_words(model, TOP_WORDS),
    )
