"""Train a text classifier, test it on held-out texts, and save it."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from fastsvm.fitting import ConvergenceWarning
from fastsvm.model_files import save_plain
from fastsvm.text import first_terms

from ...common.cache import NO_CACHE, Cache
from ...common.errors import Skipped
from ...common.printing import labels_alike, many
from ...common.progress import UNWATCHED, Stages
from ...common.training_items import are_learned, learned_items, text_hashes, too_good
from ..data.corpus import Corpus, read_corpus
from ..data.text_labels import TextLabels
from ..data.text_source import CorpusError, TextSource, names_corpus
from ..learning.learned_model import ContinuedModel, Counted, CountedTexts, LearnedModel, continued_settings
from ..learning.rare_labels import rarely_found
from ..learning.text_splits import split_rows
from ..measures.answer_scores import MISTAKES, AnswerScores
from ..measures.drift import held_out_record, known_per_word
from ..measures.prediction import about_model, load_text_model
from ..measures.term_effects import top_words
from ..settings import BY_DEFAULT, Settings, settle
from ..text_recipes import AUTO
from .suspect_texts import suspected_labels

TOP_WORDS = 10  # for each label
LETTERS_KEPT = 80  # letters of a text, of which a list of suspected labels shows some


@dataclass
class TextTraining:
    """The result of a training.

    Attributes
    ----------
    path : str or None
        The file of the model, if it was saved.
    saved, tested : LearnedModel
        The saved model, and the tested model, which was trained without the held-out texts. Unless it is
        saved, the tested model keeps only the terms that explain the mistakes.
    skipped : Skipped
        The records that were left out.
    label_counts : dict
        Number of texts with each label.
    n_texts : int
    n_train : int
        Number of training texts.
    evaluation : AnswerScores or None
        The evaluation on the held-out texts.
    about : dict
        What the model's file also has: the `training_items`, hashes of the texts it has learned from, the
        `held_out_record`, if texts were held out, and names of columns.
    recipe_choice : dict or None
        What `choose_recipe` returned about the recipes that were tried.
    accuracy_before : float or None
        With --continue, accuracy of the model before the training, on the held-out texts.
    learning_curve : list of dict
    scores_by_words : list of dict
        With an l1 penalty, the result of `scores_by_words`.
    cross_validation : dict or None
        The result of `cross_validate`.
    suspects : callable
        Returns the result of `suspected_labels`.
    rarely_found : str or None
        A warning about the label that is found least often.
    about_labels : list of str
        What to tell the user about the labels in the corpus, if texts have several.
    n_learned : int or None
        Number of held-out texts that are among the training texts, or those of the model of --continue.

    model : Pipeline
        The pipeline of `saved`.
    settings : Settings
        The settings, with the alpha, the metric and the tokens that were used.
    alpha_choice : AlphaChoice or None
    shift : float
        By how much the scores were lowered for `settings.threshold`.
    n_test, n_calibrate, n_fitted : int
        Number of texts held out, kept only for probabilities (of a stream), and used for the saved model.
    n_features_seen, n_features : int
        Number of features that occur in `min_df` texts, and of those that were kept.
    n_iter : int or list of int
        Epochs of the saved model's fit, or of the fit of each label; for kernel Pegasos, steps.
    objective, gap, relative_gap : float, list of float or None
        Values at the end of the fit; the gaps are None without a dual problem.
    """

    path: str | None
    saved: LearnedModel
    tested: LearnedModel
    skipped: Skipped
    label_counts: dict[str, int]
    n_texts: int
    n_train: int
    evaluation: AnswerScores | None
    about: Mapping[str, Any]
    recipe_choice: dict | None = None
    accuracy_before: float | None = None
    learning_curve: list[dict] = field(default_factory=list)
    scores_by_words: list[dict] = field(default_factory=list)
    cross_validation: dict | None = None
    suspects: Callable[[], dict | None] = lambda: None
    rarely_found: str | None = None
    n_learned: int | None = None
    about_labels: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take results from the models."""
        self.model = self.saved.model
        classifier = self.model["classifier"]
        self.settings = replace(self.saved.settings, alpha=getattr(classifier, "alpha", None))
        self.alpha_choice = self.tested.choice
        self.shift = self.tested.left_out.shift if self.tested.left_out else 0.0
        self.n_test = self.evaluation.n if self.evaluation else 0
        self.n_calibrate = self.n_texts - self.n_train - self.n_test
        self.n_fitted = self.n_train + (0 if self.saved is self.tested else self.n_test)
        self.n_features_seen, self.n_features = self.saved.n_seen, classifier.n_features_in_
        self.n_iter = np.asarray(getattr(classifier, "n_iter_", None) or classifier.t_).tolist()
        gap = getattr(classifier, "dual_gap_", None)
        self.objective = np.asarray(classifier.objective_).tolist()
        self.gap = None if gap is None else np.asarray(gap).tolist()
        self.relative_gap = None if gap is None else np.divide(self.gap, self.objective).tolist()

    @property
    def uses(self) -> str:
        """What the texts are used for."""
        kept = f", {self.n_calibrate:,} for probabilities" if self.n_calibrate else ""
        return f"{self.n_train:,} to train on{kept} and {self.n_test:,} held out"

    @cached_property
    def top_words(self) -> dict[str, list[tuple[str, float]]]:
        """The words with the largest weights for each label; none for a kernel machine."""
        return top_words(self.model, TOP_WORDS)

    @cached_property
    def suspected_labels(self) -> dict | None:
        """Labels that are probably wrong; None if the texts are too few, or were streamed."""
        return self.suspects()

    @property
    def warnings(self) -> list[str]:
        """Faults of a model that may look good."""
        known = too_good(self.n_learned, self.n_test, "held-out text")
        tested = self.evaluation.warnings if self.evaluation else []
        return [*labels_alike(self.label_counts), *tested, *filter(None, [self.rarely_found, known])]


@names_corpus
def train_text_model(
    source: TextSource,
    settings: Settings = BY_DEFAULT,
    path: str | None = None,
    *,
    cache: Cache = NO_CACHE,
    stage: Stages = UNWATCHED,
) -> TextTraining:
    """Train a classifier on a corpus, test it on held-out texts, and save it.

    Parameters
    ----------
    source : TextSource
        The labelled texts.
    settings : Settings
    path : str, optional
        File of the model; an existing file is replaced only if it is a model. None saves no model.
    cache : Cache, optional
        Keeps the choices and the fits, so that a killed training can resume.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    TextTraining
    """
    start, start_about = None, {}
    if settings.start is not None:
        start, start_about = load_text_model(settings.start), about_model(settings.start)
        settings = continued_settings(start, settings)
    with stage("read"):
        corpus = read_corpus(source)
        settings = settle(settings, corpus.format, corpus.texts, corpus.labels)
        texts, y, places, n_train = _texts_to_train_on_first(corpus, settings)
        label_counts, skipped, held_out = corpus.labels.label_counts, corpus.skipped, texts[n_train:]
        about_labels, own_names = corpus.about_labels, source.own_columns | corpus.own_separator
        del corpus
    recipe_choice = None
    if settings.recipe == AUTO:
        from ..learning.recipe_choice import choose_recipe

        settings, recipe_choice = choose_recipe(texts[:n_train], y[:n_train], settings, stage)
    with stage("vectorize"):
        everything = ContinuedModel(texts, y, start) if start else CountedTexts.of(texts, y, settings)
        beginnings, hashes = [text[:LETTERS_KEPT] for text in texts], text_hashes(texts)
        del texts  # the counts are enough
    tested, saved, evaluation, record = _tested_and_saved(
        everything, settings, n_train, held_out, cache, stage
    )

    measured = _measured_besides(everything, n_train, tested, evaluation, settings, stage)
    measured |= {"recipe_choice": recipe_choice, "about_labels": about_labels}
    measured["suspects"] = partial(suspected_labels, tested, evaluation, y, (places, beginnings))
    measured["rarely_found"] = rarely_found(everything, n_train, tested)
    items = learned_items(hashes[: n_train if saved is tested else None], start_about)
    about = items | record | own_names
    if path is not None:
        with stage("save"):
            save_plain(saved.model, path, about)
    if start is not None and held_out:
        before = AnswerScores(start, held_out, y[n_train:], start.decision_function(held_out))
        measured["accuracy_before"] = before.accuracy
    is_learned = np.isin(hashes, hashes[:n_train]) | are_learned(hashes, start_about)
    measured["n_learned"] = int(is_learned[n_train:].sum())
    n = len(y), n_train
    return TextTraining(path, saved, tested, skipped, label_counts, *n, evaluation, about, **measured)


def _texts_to_train_on_first(corpus: Corpus, settings: Settings) -> tuple[list, TextLabels, list, int]:
    """Return texts, labels and places, the training texts first, and the number of training texts."""
    train, test = split_rows(corpus.texts, corpus.labels, settings.holdout, settings.seed)
    order, y = [*train, *test], corpus.labels[train + test]
    texts, places = ([column[i] for i in order] for column in (corpus.texts, corpus.places))
    there = list(y[: len(train)].label_counts)
    if len(there) < 2:
        told = f"only the label {there[0]!r} is left to train on, in {many(len(train), 'text')}"
        raise CorpusError(f"{told}; give more texts (about 100 to begin with), or --holdout 0")
    return texts, y, places, len(train)


def _tested_and_saved(
    everything: Counted, settings: Settings, n_train: int, held_out: list[str], cache: Cache, stage: Stages
) -> tuple[LearnedModel, LearnedModel, AnswerScores | None, dict[str, Any]]:
    """Return the model that is tested, the one to save, the evaluation, and the `held_out_record`."""
    part, X_test = everything.parted(slice(n_train), slice(n_train, None))
    refit = settings.refit and bool(held_out)
    with warnings.catch_warnings():
        if refit:  # the saved model will warn
            warnings.simplefilter("ignore", ConvergenceWarning)
        tested = saved = part.learn(settings, stage, cache)
    evaluation, record = None, {}
    with stage("evaluate"):
        if held_out:
            evaluation = tested.evaluated(X_test, held_out, everything.y[n_train:], part.y.label_counts)
            if refit and tested.columns is None:
                n_terms = everything.terms_elsewhere(slice(n_train, None))
            else:
                n_terms = first_terms(tested.model["vectorizer"], tested.chosen(X_test))
            record = held_out_record(evaluation, everything.y, known_per_word(held_out, n_terms))
    if refit:
        del part, X_test
        mistakes = [held_out[i] for i in evaluation.mistakes[:MISTAKES]]
        saved = tested = tested.with_terms_of(mistakes)  # its weights take much room
        with stage("refit"):
            state = cache.path("refit", ".fit")
            saved = everything.fit(tested.settings, left_out=tested.left_out, checkpoint=state)
    return tested, saved, evaluation, record


def _measured_besides(
    everything: Counted,
    n_train: int,
    tested: LearnedModel,
    evaluation: AnswerScores | None,
    settings: Settings,
    stage: Stages,
) -> dict[str, Any]:
    """Return the scores by words, the learning curve and the cross-validation, if they are wanted."""
    measured: dict[str, Any] = {}
    if settings.penalty == "l1" and evaluation:
        from ..learning.few_words import scores_by_words

        with stage("few words"):
            measured["scores_by_words"] = scores_by_words(everything, n_train, settings)
    from ..learning.cross_validation import cross_validate, learning_curve

    if settings.learning_curve and evaluation:
        with stage("learning curve"):
            measured["learning_curve"] = learning_curve(everything, n_train, tested, evaluation)
    if settings.cv:
        with stage("cross-validate", total=settings.cv) as advance:
            measured["cross_validation"] = cross_validate(everything, settings, advance)
    return measured
