"""Try recipes on folds: all of them on all texts, or ever fewer of them on ever more texts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, NamedTuple

import numpy as np

from ...common.statistics import resampled_interval, wilson_interval
from ..data.corpus import Source
from ..settings import Settings
from . import steps
from .alpha_choice import Choice, Labelled, choose_alpha, trainable_folds

# Successive halving (Jamieson & Talwalkar, AISTATS 2016), by thirds: a round on three times as many texts.
SHARES = (1 / 9, 1 / 3, 1.0)
KEPT = 3  # one recipe of so many goes on to the next round
FEWEST = 300  # texts of a round

Ended = Literal["timeout", "interrupt"]


@dataclass(frozen=True)
class Trial:
    """How a recipe did at one alpha: a score a fold by the metric, the largest gap, texts in all."""

    settings: Settings
    alpha: float
    scores: np.ndarray
    gap: float
    n: int

    @property
    def mean(self) -> float:
        """The mean score over the folds."""
        return float(self.scores.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation over the folds."""
        return float(self.scores.std(ddof=1))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval: of accuracy as of one trial on all texts, of other scores a corrected t."""
        if self.settings.metric == "accuracy":
            return wilson_interval(round(self.mean * self.n), self.n)
        k = len(self.scores)
        low, high = resampled_interval(self.scores, k - 1, 1)
        return max(low, 0.0), min(high, 1.0)

    @property
    def measured(self) -> str:
        """The score by its name, and the interval."""
        low, high = self.interval
        return f"{self.settings.metric} {self.mean:.4f} ({low:.4f} to {high:.4f})"


@dataclass(frozen=True)
class Candidate:
    """A recipe, and how it did on the folds of some texts; its alphas are those for as many."""

    settings: Settings
    choice: Choice

    @property
    def n(self) -> int:
        """The number of texts."""
        return self.choice.n_tried

    @property
    def trials(self) -> list[Trial]:
        """How it did at each alpha."""
        choice = self.choice
        return [
            Trial(self.settings, float(alpha), scores, float(max(gaps)), choice.n_tried)
            for alpha, scores, gaps in zip(choice.alphas, choice.scores, choice.gaps, strict=True)
        ]

    @property
    def best(self) -> Trial:
        """How it did at its best alpha."""
        return next(trial for trial in self.trials if trial.alpha == self.choice.alpha)


class Found(NamedTuple):
    """The recipes that were tried, those on more texts first and then the better ones; what ended it."""

    candidates: list[Candidate]
    ended: Ended | None


class OutOfTimeError(Exception):
    """There are no seconds left."""


def rounds(n_texts: int, n_recipes: int, is_short: bool) -> list[tuple[int, int]]:
    """Return how many texts each round has, and how many recipes at most."""
    if not is_short:
        return [(n_texts, n_recipes)]
    sizes = [round(share * n_texts) for share in SHARES]
    sizes = [size for size in sizes[:-1] if size >= FEWEST] + sizes[-1:]
    return [(size, max(1, -(-n_recipes // KEPT**i))) for i, size in enumerate(sizes)]


def search(
    source: Source,
    train: Labelled,
    recipes: Sequence[Settings],
    *,
    folds: int,
    alphas: Sequence[float] | None,
    timeout: float | None,
    advance: Callable[[], object],
) -> Found:
    """Try recipes, and put the best first.

    Parameters
    ----------
    source : Source
        Of the texts.
    train : (texts, labels)
        In random order.
    recipes : sequence of Settings
    folds : int
    alphas : sequence of float, optional
        As of `choose_alpha`, for all texts; a text weighs the same in every round.
    timeout : float, optional
        Seconds, from now. With it there are `rounds`, of which each tries the best of the one before.
    advance : callable
        Called after each fold.

    Returns
    -------
    Found

    Raises
    ------
    KeyboardInterrupt
        When it comes before the first recipe was tried.
    """
    end = np.inf if timeout is None else monotonic() + timeout

    def watched() -> None:
        advance()
        if monotonic() > end:
            raise OutOfTimeError

    found: list[Candidate] = []
    ended: Ended | None = None
    try:
        for n, n_kept in rounds(len(train[0]), len(recipes), timeout is not None):
            part = train[0][:n], train[1][:n]
            own = None if alphas is None else [alpha * len(train[0]) / n for alpha in alphas]
            for candidate in _tried(source, part, recipes[:n_kept], folds, own, watched):
                found.append(candidate)
            found.sort(key=lambda each: (-each.n, -each.best.mean))  # of equals the first stays first
            recipes = [each.settings for each in found if each.n == found[0].n]
    except OutOfTimeError:
        ended = "timeout"
    except KeyboardInterrupt:
        if not found:
            raise
        ended = "interrupt"
    found.sort(key=lambda each: (-each.n, -each.best.mean))
    return Found(found, ended)


def _tried(
    source: Source,
    part: Labelled,
    recipes: Sequence[Settings],
    folds: int,
    alphas: Sequence[float] | None,
    advance: Callable[[], object],
) -> Iterator[Candidate]:
    """Try each recipe that is no other one's double; those in a row that count the same share the counts."""
    y = np.asarray(part[1])
    parts = trainable_folds(y, folds, recipes[0].seed)
    X, counted, seen = None, None, set()
    for recipe in recipes:
        counts = recipe.ngrams, recipe.chars, recipe.min_df, recipe.tokens
        if counts != counted:
            X = None  # there is room for one
            X, counted = steps.count_terms(source, part[0], steps.vectorizer(recipe)), counts
        if recipe.k is not None and recipe.k >= X.shape[1]:
            recipe = replace(recipe, k=None)
        if recipe in seen:
            for _ in parts:
                advance()
            continue
        seen.add(recipe)
        choice = choose_alpha(X, y, parts, **steps.recipe(recipe), alphas=alphas, advance=advance)
        yield Candidate(recipe, choice)
