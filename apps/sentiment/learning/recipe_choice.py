"""Choose how texts become numbers: try recipes on some of the training texts, and take the best one."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm._utils.thread_pool import Threads
from fastsvm.fitting import ConvergenceWarning, number_of_threads

from ...common.progress import UNWATCHED, Stages
from ..data.text_labels import TextLabels
from ..measures.metrics import squared_errors
from ..settings import Settings
from ..text_recipes import DEFAULT_RECIPE, FINE_LABELS, UNSEGMENTED, is_unsegmented, short_alphas
from . import pipeline_steps
from .alpha_choice import SQUARED_ERROR, AlphaChoice
from .text_splits import Fold, n_inner_folds, split_rows, trainable_folds

SEARCHED = ("nb-words", "nb-both", "tfidf-both")  # the last one is for three labels or more
# The same if a text may have several labels, with and without blanks between words. With more labels than
# LABELS_SEARCHED, only the first is taken, as each label is a problem. The micro-F1 of 28 emotions and of 736
# tags was 0.546 and 0.558 with words; 0.559 and 0.579 with four-character sequences in addition, in 1.6 times
# the time; and no better with all lengths.
SEARCHED_SETS = ("tfidf-words", "tfidf-stems"), ("tfidf-signs",)
LABELS_SEARCHED = 100
TEXTS_TRIED, SEVERAL_LABELS = 2000, 50  # texts for up to this many labels
TEXTS_OF_MORE, TEXTS_OF_LABEL = 1000, 7  # fewer texts for more labels, but some of each label
CHARACTERS = 1_500_000  # of these texts at most
FEWEST, FEWEST_OF_LABEL = 100, 10  # texts, and texts of a label on average, on which a choice means something
TEXTS_IN_FIVE = 1000  # at most; more are halved
TOL = 0.05  # relative gap
# In long texts, the lead of characters over words shrinks as texts grow more. 26 corpora of 600 test texts or
# more, six draws of the texts tried: the recipe taken is 0.0005 behind the best on average, 0.0010 without
# this rule, and as good with 1 or 3 standard errors or from 350 to 1,300 characters.
LONG_CHARACTERS = 500  # of a text, on average
# In short texts, a small lead of words, or of tf-idf, is mostly chance. 22 corpora, 185 draws of 800 to 9,000
# texts: the recipe taken is 0.0017 behind the best on the test texts on average, 0.0022 if the lowest error
# decides; 0.0019 if tf-idf needs a lead of 0.5 or 2 standard errors, 0.0018 if words need none.
OF_SHORT = "nb-both"  # the recipe of short texts unless another is clearly better
STANDARD_ERRORS_OF_WORDS, STANDARD_ERRORS_OF_TFIDF = 2.0, 1.0  # of a lead that is not chance
# A lead so near to the one needed is tested again on more texts, if there are twice as many or more. This
# concerned 10 of the 43 draws of 4,000 texts or more: the recipe taken is then 0.0009 behind the best, 0.0024
# without this test; 0.0014 over all draws. Anything from 1.5 to 3 standard errors is as good.
STANDARD_ERRORS_NEAR, TIMES_IF_NEAR = 1.5, 4
LEAD_OF_SETS = 0.01  # of the micro-F1 or another metric, if a text may have several labels


def choose_recipe(
    texts: Sequence[str], y: TextLabels, settings: Settings, stage: Stages = UNWATCHED
) -> tuple[Settings, dict | None]:
    """Return settings with the recipe that does best on some of the training texts.

    If these are too few to try recipes, every term is kept, with tf-idf. With 2 to 10 texts per label of six
    corpora, this was about as accurate as the best of three recipes with tf-idf and LinearSVC.

    Parameters
    ----------
    texts : sequence of str
    y : TextLabels
        The training texts and their labels.
    settings : Settings
        Settings with the recipe "auto"; `min_df` applies to all recipes that are tried. With too few texts,
        its default becomes 1.
    stage : Stages

    Returns
    -------
    settings : Settings
    screening : dict or None
        `n`, the number of texts that recipes were tried on; `chosen`; `unsegmented`, whether the texts have
        no blanks between words, so that only characters were tried; and `tried`: name, error, number of texts
        and alpha of each recipe. None if the texts are too few to try recipes.
    """
    unsegmented = is_unsegmented(texts)
    kinds = (SEARCHED[: 2 if settings.n_problems == 1 else None], UNSEGMENTED)
    names = (SEARCHED_SETS if settings.several else kinds)[unsegmented]
    if settings.several and settings.n_problems > LABELS_SEARCHED:
        return settings.with_features_of(names[0]), None
    if len(texts) < max(FEWEST, FEWEST_OF_LABEL * len(y.label_counts)):
        least = 1 if settings.min_df == Settings.min_df else settings.min_df
        last = (SEARCHED, UNSEGMENTED)[unsegmented][-1]
        return replace(settings.with_features_of(last), min_df=least), None
    tried, errors, near = {}, {}, names
    with stage("choose recipe", total=len(names)) as advance:
        for times in (1, TIMES_IF_NEAR):
            sample, labels, folds = _sample_of_texts(texts, y, settings, times)
            usual = {"classifier": Settings.classifier, "penalty": None}
            recipes = [replace(settings.with_features_of(name), **usual) for name in near]
            choices = _try_recipes(sample, labels, folds, recipes, advance)
            tried |= {name: {"n": len(sample), "alpha": choice.alpha} for name, choice in choices.items()}
            errors |= {name: _errors(labels, choice) for name, choice in choices.items()}
            if not errors:
                return settings.with_features_of(names[0]), None
            chosen, near = _best_recipe({name: errors[name] for name in choices}, _mean_length(sample))
            if len(near) < 2 or len(texts) < 2 * len(sample):
                break
    errors = {name: float(error.mean()) for name, error in errors.items()}
    tried = [{"name": name, "error": errors[name], **each} for name, each in tried.items()]
    screening = {"n": len(sample), "chosen": chosen, "unsegmented": unsegmented, "tried": tried}
    return settings.with_features_of(chosen), screening


def _sample_of_texts(
    texts: Sequence[str], y: TextLabels, settings: Settings, times: int
) -> tuple[list[str], TextLabels, list[Fold]]:
    """Return a stratified sample of texts, `times` the usual size, its labels, and the folds."""
    n_labels, n = len(y.label_counts), TEXTS_TRIED
    if n_labels > SEVERAL_LABELS and not settings.several:
        n = max(TEXTS_OF_MORE, TEXTS_OF_LABEL * n_labels)
    n = times * max(FEWEST, min(n, int(CHARACTERS / max(_mean_length(texts), 1))))
    if n < len(texts):
        _, rows = split_rows(texts, y, n / len(texts), settings.seed)
        texts, y = [texts[i] for i in rows], y[rows]
    y = y.present().some_labels(SEVERAL_LABELS)
    k = 2 if settings.n_problems > FINE_LABELS else n_inner_folds(y, TEXTS_IN_FIVE)
    return list(texts), y, trainable_folds(y, k, settings.seed)


def _mean_length(texts: Sequence[str]) -> float:
    return float(np.mean([len(text) for text in texts]))


def _try_recipes(
    texts: list[str], y: TextLabels, folds: list[Fold], recipes: Sequence[Settings], advance: Callable
) -> dict[str, AlphaChoice]:
    """Try recipes at a few alphas; recipes whose terms no text has are left out."""
    several, alike = recipes[0].several, {(recipe.ngrams, recipe.chars): recipe for recipe in recipes}
    counts = {features: _counts(texts, recipe) for features, recipe in alike.items()}
    few = {"selection": None, "alphas": short_alphas(len(y), several), "tol": TOL}
    few["metric"] = recipes[0].metric if several else SQUARED_ERROR

    def attempt(recipe: Settings) -> AlphaChoice | None:
        X, choice = counts[recipe.ngrams, recipe.chars], None
        if folds and X is not None:
            choice = pipeline_steps.alpha_search(recipe, **few).choose(X, y, folds)
        advance()
        return choice

    # Filters that overlapping threads set for themselves would let some warnings through.
    quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
    with quiet, Threads(number_of_threads(-1)) as pool:
        choices = zip(recipes, pool.map(attempt, recipes), strict=True)
        return {recipe.recipe: choice for recipe, choice in choices if choice is not None}


def _counts(texts: list[str], recipe: Settings) -> csr_matrix | None:
    """Return the counts of a recipe; None if no text has its terms."""
    try:
        return pipeline_steps.vectorizer(recipe, np.float32).fit_transform(texts)
    except ValueError:
        return None


def _errors(y: TextLabels, choice: AlphaChoice) -> np.ndarray:
    """Return the squared error of each text or, if texts have several labels, one minus the score."""
    if y.exclusive:
        return squared_errors(y.codes[choice.rows], choice.decision)
    return 1 - choice.means.max(keepdims=True)


def _best_recipe(errors: dict[str, np.ndarray], length: float) -> tuple[str, list[str]]:
    """Return the usual recipe for texts of this length, or the best of those that are clearly better.

    Also return the recipes to compare on more texts; none if no lead is near the one needed.
    """
    usual = DEFAULT_RECIPE if length > LONG_CHARACTERS else OF_SHORT
    if usual not in errors:
        usual = next(iter(errors))
    leads, near = {usual: 0.0}, set()
    for name, error in errors.items():
        lead, is_of_words = errors[usual] - error, DEFAULT_RECIPE in (usual, name)
        needed = STANDARD_ERRORS_OF_WORDS if is_of_words else STANDARD_ERRORS_OF_TFIDF
        mean, standard_error = float(lead.mean()), lead.std() / np.sqrt(len(lead))
        if mean > (needed * standard_error if len(lead) > 1 else LEAD_OF_SETS):
            leads[name] = mean
        if abs(mean - needed * standard_error) < STANDARD_ERRORS_NEAR * standard_error:
            near |= {name, usual}
    chosen = max(leads, key=leads.__getitem__)
    return chosen, [name for name in errors if near and name in {chosen, *near}]
