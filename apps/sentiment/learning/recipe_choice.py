"""Choose how texts become numbers: try recipes on some of the training texts, and take what is best there."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from scipy import sparse
from scipy.sparse import csr_matrix

from fastsvm._utils.thread_pool import Threads
from fastsvm.fitting import ConvergenceWarning, number_of_threads

from ...common.progress import UNWATCHED, Stages
from ..data.text_labels import TextLabels
from ..measures.metrics import squared_errors
from ..settings import Settings
from ..text_recipes import (
    DEFAULT_RECIPE,
    FINE_LABELS,
    LABELS_SEARCHED,
    SEARCHED,
    SEARCHED_SETS,
    UNSEGMENTED,
    is_unsegmented,
    short_alphas,
)
from . import pipeline_steps
from .alpha_choice import SQUARED_ERROR, AlphaChoice
from .text_splits import Fold, n_inner_folds, split_rows, trainable_folds

TEXTS_TRIED, SEVERAL_LABELS = 2000, 50  # of so many labels at most; each is a problem of its own, so of more:
TEXTS_OF_MORE, TEXTS_OF_LABEL = 1000, 7  # fewer texts, but some of each label
CHARACTERS = 1_500_000  # of these texts at most
FEWEST, FEWEST_OF_LABEL = 100, 10  # texts, and texts of a label on average, on which a choice means something
TEXTS_IN_FIVE = 1000  # at most; more are halved
TOL = 0.05  # relative gap
# In long texts, the lead of characters over words shrinks as texts grow more. 26 corpora of 600 test texts or
# more, six draws of the texts tried: the recipe taken is 0.0005 behind the best on average, 0.0010 without
# this rule, and as good with 1 or 3 standard errors or from 350 to 1,300 characters.
LONG_CHARACTERS = 500  # of a text, on average
# In short texts, a small lead of words, or of tf-idf, is mostly chance. 22 corpora, 185 draws of 800 to 9,000
# texts: the recipe taken is 0.0017 behind the best on the test texts on average, 0.0022 if the least error
# decides; 0.0019 if tf-idf needs a lead of 0.5 or 2 standard errors, 0.0018 if words need none.
OF_SHORT = "nb-both"  # what these get where no other is surely better
STANDARD_ERRORS_OF_WORDS, STANDARD_ERRORS_OF_TFIDF = 2.0, 1.0  # of a lead that is no chance
LEAD_OF_SETS = 0.01  # of the micro-F1 or another metric, where a text may have several labels


def choose_recipe(
    texts: Sequence[str], y: TextLabels, settings: Settings, stage: Stages = UNWATCHED
) -> tuple[Settings, dict | None]:
    """Return settings with the recipe that does best on some of the training texts.

    Where these are too few to try anything, every term counts, with tf-idf: with 2 to 10 texts a label of six
    corpora, that was as accurate as the best of three recipes with tf-idf and LinearSVC, or nearly.

    Parameters
    ----------
    texts : sequence of str
    y : TextLabels
        What there is to train on.
    settings : Settings
        Whose `recipe` is "auto"; `min_df` is that of all recipes that are tried. With too few texts the
        default becomes 1.
    stage : Stages

    Returns
    -------
    settings : Settings
    screening : dict or None
        `n`, the texts that recipes were tried on; `chosen`; `unsegmented`, whether the texts have no blanks
        between words, so that only characters were tried; and `tried`: name, squared error and alpha of each
        recipe. None where the texts are too few to try anything.
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
    sample, labels, folds = _sample_of_texts(texts, y, settings)
    with stage("choose recipe", total=len(names)) as advance:
        recipes = [replace(settings.with_features_of(name), classifier=Settings.classifier) for name in names]
        choices = _try_recipes(sample, labels, folds, recipes, advance)
    if not choices:
        return settings.with_features_of(names[0]), None
    if settings.several:
        errors = {name: np.array([1 - choice.means.max()]) for name, choice in choices.items()}
        chosen = _words_unless_better(errors)
    else:
        codes = labels.codes
        errors = {
            name: squared_errors(codes[choice.rows], choice.decision) for name, choice in choices.items()
        }
        chosen = _best_recipe(errors, float(np.mean([len(text) for text in sample])))
    tried = [
        {"name": name, "error": float(errors[name].mean()), "alpha": choice.alpha}
        for name, choice in choices.items()
    ]
    screening = {"n": len(sample), "chosen": chosen, "unsegmented": unsegmented, "tried": tried}
    return settings.with_features_of(chosen), screening


def _sample_of_texts(
    texts: Sequence[str], y: TextLabels, settings: Settings
) -> tuple[list[str], TextLabels, list[Fold]]:
    """Return some texts, of like labels, and the folds to try recipes on."""
    n_labels = len(y.label_counts)
    n = (
        TEXTS_TRIED
        if n_labels <= SEVERAL_LABELS or settings.several
        else max(TEXTS_OF_MORE, TEXTS_OF_LABEL * n_labels)
    )
    n = max(FEWEST, min(n, int(CHARACTERS / max(np.mean([len(text) for text in texts]), 1))))
    if n < len(texts):
        _, rows = split_rows(texts, y, n / len(texts), settings.seed)
        texts, y = [texts[i] for i in rows], y[rows]
    y = y.present().some_labels(SEVERAL_LABELS)
    k = 2 if settings.n_problems > FINE_LABELS else n_inner_folds(y, TEXTS_IN_FIVE)
    return list(texts), y, trainable_folds(y, k, settings.seed)


def _try_recipes(
    texts: list[str], y: TextLabels, folds: list[Fold], recipes: Sequence[Settings], advance: Callable
) -> dict[str, AlphaChoice]:
    """Try recipes at a few alphas; recipes whose terms no text has are left out."""
    kinds = {recipe.recipe: _recipe_term_kinds(recipe) for recipe in recipes}
    # Words and characters are counted once.
    counts = {kind: _count_kind(texts, kind) for kind in dict.fromkeys(chain.from_iterable(kinds.values()))}
    several = recipes[0].several
    few = {"selection": None, "alphas": short_alphas(len(y), several), "tol": TOL}
    few["metric"] = recipes[0].metric if several else SQUARED_ERROR

    def attempt(recipe: Settings) -> AlphaChoice | None:
        parts = [counts[kind] for kind in kinds[recipe.recipe]]
        choice = None
        if folds and all(part is not None for part in parts):
            X = parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")
            choice = pipeline_steps.alpha_search(recipe, **few).choose(X, y, folds)
        advance()
        return choice

    # What threads ignore, each for itself, comes through where they overlap.
    quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
    with quiet, Threads(number_of_threads(-1)) as pool:
        choices = zip(kinds, pool.map(attempt, recipes), strict=True)
        return {name: choice for name, choice in choices if choice is not None}


def _recipe_term_kinds(settings: Settings) -> list[Settings]:
    """Return settings for the words alone, and for the characters alone."""
    same = replace(settings, recipe=None, weighting="counts")
    kinds = [replace(same, chars=None), replace(same, ngrams=None)]
    return [kind for kind in kinds if kind.ngrams or kind.chars]


def _count_kind(texts: list[str], kind: Settings) -> csr_matrix | None:
    try:
        return pipeline_steps.vectorizer(kind, np.float32).fit_transform(texts)
    except ValueError:
        return None


def _words_unless_better(errors: dict[str, np.ndarray]) -> str:
    """Return the first recipe, unless another one, which costs more, is better by `LEAD_OF_SETS`."""
    first = next(iter(errors))
    best = min(errors, key=lambda name: errors[name].mean())
    return best if errors[first].mean() - errors[best].mean() > LEAD_OF_SETS else first


def _best_recipe(errors: dict[str, np.ndarray], length: float) -> str:
    """Return the usual recipe of texts so long, or the best of those that are surely better."""
    usual = DEFAULT_RECIPE if length > LONG_CHARACTERS and DEFAULT_RECIPE in errors else OF_SHORT
    if usual not in errors:
        usual = next(iter(errors))
    leads = {usual: 0.0}
    for name, error in errors.items():
        lead, is_of_words = errors[usual] - error, DEFAULT_RECIPE in (usual, name)
        needed = STANDARD_ERRORS_OF_WORDS if is_of_words else STANDARD_ERRORS_OF_TFIDF
        if lead.mean() > needed * lead.std() / np.sqrt(len(lead)):
            leads[name] = lead.mean()
    return max(leads, key=leads.__getitem__)
