"""Choose how texts become numbers: try recipes on some of the training texts, and take what is best there."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse import csr_matrix

from fastsvm._utils.threads import Threads
from fastsvm.fitting import ConvergenceWarning, number_of_threads

from ...common.progress import UNWATCHED, Stages
from ..measures.prediction import winners_of
from ..text_recipes import (
    CLASSIFIERS,
    DEFAULT,
    RECIPES,
    SEARCHED,
    UNSEGMENTED,
    RecipeSettings,
    is_unsegmented,
    with_recipe_features,
)
from . import pipeline_steps
from .alpha_choice import AlphaChoice, choose_alpha
from .text_splits import n_inner_folds, split_texts, trainable_folds

# On how many texts all recipes are tried, then the best ones, and on how many characters of these at most; of
# more than two labels each is a problem of its own. python -m benchmarks.text.recipes: six corpora.
FIRST, LAST = 1000, 3000
CHARACTERS = 4_000_000
PROBLEMS = 12_000  # texts times labels
FINALISTS = (2, 1)  # of the recipes of words alone, and of the others, which take longer
TOL = 0.05  # relative gap
SURE = 2.0  # standard errors: what characters are worth shrinks as texts grow more
FEWEST = 100  # texts on which a choice means something
MOST_LABELS = 100  # for so many and more, trying costs more than it is worth
FEW = 1000  # more texts than these are halved, not cut in five


@dataclass(frozen=True)
class RecipeCandidate:
    """A recipe that was tried on `n` texts; `score` is by the metric, at its best alpha."""

    name: str
    n: int
    score: float
    alpha: float


@dataclass(frozen=True)
class RecipeScreening:
    """What trying recipes on `n` texts said.

    Attributes
    ----------
    n : int
        Texts that the best recipes were tried on, each by what was trained on others of them.
    metric : str
    candidates : list of Candidate
        In the order in which they were tried; the best ones are there a second time, with more texts.
    chosen : str
    difference, standard_error : float or None
        By how much the recipe with characters is better than the one of words alone. None where only one
        kind was tried.
    unsegmented : bool
        Whether the texts have no blanks between words, so that only characters were tried.
    """

    n: int
    metric: str
    candidates: list[RecipeCandidate]
    chosen: str
    difference: float | None
    standard_error: float | None
    unsegmented: bool = False


def choose_recipe(
    texts: Sequence[str], y: Sequence[str], settings: RecipeSettings, stage: Stages = UNWATCHED
) -> tuple[RecipeSettings, RecipeScreening | None]:
    """Return settings with the recipe that does best on some of the training texts.

    Parameters
    ----------
    texts, y : sequences of str
        What there is to train on.
    settings : RecipeSettings
        Whose `recipe` is "auto"; classifier, `min_df` and `metric` are those of all recipes that are tried.
    stage : Stages

    Returns
    -------
    settings : RecipeSettings
    screening : RecipeScreening or None
        None where the texts are too few, or their labels too many, to try anything.
    """
    unsegmented = is_unsegmented(texts)
    names = UNSEGMENTED if unsegmented else SEARCHED
    screening = None
    if len(texts) >= FEWEST and len(set(y)) < MOST_LABELS:
        with stage("choose recipe", total=len(names) + sum(FINALISTS)) as advance:
            screening = _screened_recipes(texts, y, names, settings, advance)
    chosen = names[0] if screening is None else screening.chosen
    return with_recipe_features(settings, chosen), screening and replace(screening, unsegmented=unsegmented)


def _screened_recipes(
    texts: Sequence[str],
    y: Sequence[str],
    names: Sequence[str],
    settings: RecipeSettings,
    advance: Callable[[], object],
) -> RecipeScreening | None:
    """Try recipes on some texts, and the best of them on more; None if no text has terms of a recipe."""
    sample, labels = _sample_of_texts(texts, y, LAST, settings.seed)
    first = _sample_of_texts(sample, labels, FIRST, settings.seed)
    choices = _try_recipes(*first, names, settings, advance)
    candidates = _recipe_candidates(choices, len(first[0]))
    if choices and len(first[0]) < len(sample):
        families = zip(_recipe_families(choices), FINALISTS, strict=False)
        finalists = [name for family, n in families for name in family[:n]]
        choices = _try_recipes(sample, labels, finalists, settings, advance)
        candidates += _recipe_candidates(choices, len(sample))
    return _judged_recipes(choices, candidates, labels, settings.metric or "accuracy") if choices else None


def _try_recipes(
    texts: list[str],
    y: np.ndarray,
    names: Sequence[str],
    settings: RecipeSettings,
    advance: Callable[[], object],
) -> dict[str, AlphaChoice]:
    """Try recipes on some texts, at a few alphas; recipes whose terms no text has are left out."""
    recipes = [with_recipe_features(settings, name) for name in names]
    folds = trainable_folds(y, n_inner_folds(y, FEW), settings.seed)
    kinds = dict.fromkeys(kind for recipe in recipes for kind in _kinds_of_terms(recipe))
    counts = {kind: _count_kind(texts, kind) for kind in kinds}  # of words and of characters, once

    def attempt(recipe: RecipeSettings) -> AlphaChoice | None:
        parts = [counts[kind] for kind in _kinds_of_terms(recipe)]
        found = None
        if folds and all(part is not None for part in parts):
            X = parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")
            found = _try_recipe(X, y, folds, recipe)
        advance()
        return found

    # What threads ignore, each for itself, comes through where they overlap.
    quiet = warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
    with quiet, Threads(number_of_threads(-1)) as pool:
        found = list(pool.map(attempt, recipes))
    return {
        str(recipe.recipe): choice
        for recipe, choice in zip(recipes, found, strict=True)
        if choice is not None
    }


def _recipe_families(choices: dict[str, AlphaChoice]) -> list[list[str]]:
    """Return the recipes of words alone and the others, the best first."""
    order = sorted(choices, key=lambda name: -choices[name].means.max())
    kinds = [[name for name in order if (RECIPES[name].chars is None) == words] for words in (True, False)]
    return [kind for kind in kinds if kind]


def _sample_of_texts(
    texts: Sequence[str], y: Sequence[str], most: int, seed: int
) -> tuple[list[str], np.ndarray]:
    """Return at most so many texts, of like labels."""
    n_labels = len(set(y))
    n = min(most, PROBLEMS // (n_labels if n_labels > 2 else 1))
    n = min(n, int(CHARACTERS / max(np.mean([len(text) for text in texts]), 1)))
    n = max(n, FEWEST, 2 * n_labels)
    if n < len(texts):
        _, (texts, y) = split_texts(list(texts), list(y), n / len(texts), seed)
    return list(texts), np.asarray(y)


def _kinds_of_terms(settings: RecipeSettings) -> list[RecipeSettings]:
    """Return settings for the words alone, and for the characters alone."""
    same = replace(settings, recipe=None, weighting="counts")
    kinds = [replace(same, chars=None), replace(same, ngrams=None)]
    return [kind for kind in kinds if kind.ngrams or kind.chars]


def _count_kind(texts: list[str], kind: RecipeSettings) -> csr_matrix | None:
    try:
        return pipeline_steps.vectorizer(kind, np.float32).fit_transform(texts)
    except ValueError:
        return None


def _try_recipe(X, y: np.ndarray, folds: list, settings: RecipeSettings) -> AlphaChoice:
    """Try a recipe at a few alphas."""
    if CLASSIFIERS[settings.classifier].alphas is None:  # one that has no path
        settings = replace(settings, classifier=RECIPES[DEFAULT].classifier)
    recipe = {**pipeline_steps.alpha_choice_options(settings), "selection": None}
    alphas = CLASSIFIERS[settings.classifier].alphas[1::2]
    if settings.class_weight is not None:  # with few texts that weigh much, the best are larger
        alphas = (30 * alphas[0], 10 * alphas[0], *alphas[:2])
    return choose_alpha(X, y, folds, **recipe, alphas=alphas, tol=TOL)


def _recipe_candidates(choices: dict[str, AlphaChoice], n: int) -> list[RecipeCandidate]:
    return [
        RecipeCandidate(name, n, float(choice.means.max()), choice.alpha) for name, choice in choices.items()
    ]


def _judged_recipes(
    choices: dict[str, AlphaChoice], candidates: list[RecipeCandidate], y: np.ndarray, metric: str
) -> RecipeScreening:
    """Choose a recipe; one with characters only if it is surely better."""
    best = [_first_of_best_recipes(names, choices, y, metric) for names in _recipe_families(choices)]
    chosen, difference, error = best[0], None, None
    if len(best) == 2:
        words, other = (choices[name] for name in best)
        difference = float(other.means.max() - words.means.max())
        error = _standard_error(words, other, y, metric)
        chosen = best[1] if difference > _standard_errors_needed(metric) * error else best[0]
    return RecipeScreening(len(y), metric, candidates, chosen, difference, error)


def _first_of_best_recipes(
    names: list[str], choices: dict[str, AlphaChoice], y: np.ndarray, metric: str
) -> str:
    """Return the first recipe of the table that is not surely behind the best."""
    best = choices[names[0]]
    near = [
        name
        for name in names
        if best.means.max() - choices[name].means.max()
        <= _standard_errors_needed(metric) * _standard_error(best, choices[name], y, metric)
    ]
    return min(near, key=list(RECIPES).index)


def _standard_errors_needed(metric: str) -> float:
    """Return how many standard errors a difference has to be: none where a rare label makes them large."""
    return SURE if metric == "accuracy" else 0.0


def _standard_error(one: AlphaChoice, other: AlphaChoice, y: np.ndarray, metric: str) -> float:
    """Return the standard error of a difference of scores on the same texts.

    It is that of accuracies, or where another metric is asked for of balanced ones.
    """
    labels, codes = np.unique(y, return_inverse=True)
    right = [labels[winners_of(choice.decision)[0]] == y[choice.rows] for choice in (one, other)]
    codes = codes[one.rows]
    counts = np.bincount(codes, minlength=len(labels))
    share = np.full(len(codes), 1 / len(codes)) if metric == "accuracy" else 1 / (len(labels) * counts[codes])
    return float(np.sqrt(np.sum((share * (right[0].astype(float) - right[1])) ** 2)))
