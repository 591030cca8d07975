"""Search for the best recipe of a corpus: weighting, n-grams, number of features and alpha, on folds."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...common.errors import AppError, Skipped
from ...common.files import check_replaceable, replace_file
from ...common.output import printable
from ...common.progress import UNWATCHED, Stages
from ...common.statistics import resampled_interval, wilson_interval
from ..data.corpus import Source
from ..data.lines import MAX_EXPANSION, MAX_LINE, MIB, UTF8
from . import steps
from .alpha_choice import Choice, Labelled, choose_alpha, k_folds, split_texts
from .scores import HeldOut, Scores, scores_of
from .settings import Settings, spelled

ACCURATE = Settings()
SHARED = ("classifier", "score", "tokens", "min_df", "holdout", "seed", "metric", "class_weight")
FIRST_LINE = "# Found by fastsvm-sentiment tune"  # tells a file of ours from others, which are not replaced


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
    """One point of the grid, and how it did."""

    settings: Settings
    choice: Choice

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


@dataclass(frozen=True)
class Tuning:
    """What `tune` found; `candidates` are sorted, and `scores` are the best one's on the texts held out."""

    config: str
    settings: Settings
    folds: int
    label_counts: dict[str, int]
    n_train: int
    n_test: int
    candidates: list[Candidate]
    scores: Scores | None
    skipped: Skipped

    @property
    def best(self) -> Trial:
        """The winner."""
        return self.candidates[0].best


def tune(
    source: Source,
    config_path: str,
    *,
    weightings: Sequence[str],
    ngrams: Sequence[tuple[int, int]],
    k: Sequence[int | None],
    alphas: Sequence[float] | None = None,
    folds: int = 5,
    settings: Settings = ACCURATE,
    stage: Stages = UNWATCHED,
) -> Tuning:
    """Try every recipe of a grid on folds of the training texts, and write the best one as a config file.

    The texts held out are those that `train` holds out with these settings. Nothing is chosen by
    them: they are shown once, to the winner.

    Parameters
    ----------
    source : Source
        The labelled texts.
    config_path : str
        Where the config file of the winner goes; a file there is replaced only if `tune` wrote it.
    weightings, ngrams, k : sequences
        The grid; a `k` of None keeps all features.
    alphas : sequence of float, optional
        By default each recipe has a path of its own; see `choose_alpha`.
    folds : int
        How many parts the training texts are cut into.
    settings : Settings
        What all candidates share; the classifier is one of SDCA.
    stage : Stages, optional
        As in `training.train`.

    Returns
    -------
    Tuning
    """
    check_replaceable(config_path, FIRST_LINE, "was not written by tune")
    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings)
        train, test = split_texts(corpus.texts, corpus.labels, settings.holdout, settings.seed)
        _check_folds(source, train[1], folds)
        label_counts, skipped = corpus.label_counts, corpus.skipped
        del corpus

    candidates = []
    with stage("search", total=len(ngrams) * len(k) * len(weightings) * folds) as advance:
        texts, y = train[0], np.asarray(train[1])
        parts = k_folds(y, folds, settings.seed)
        for size in ngrams:
            X = steps.count_terms(source, texts, steps.vectorizer(replace(settings, ngrams=size)))
            different = _different(k, X.shape[1])
            for number in different:
                for weighting in weightings:
                    own = replace(settings, ngrams=size, k=number, weighting=weighting)
                    own_recipe = steps.recipe(own)
                    choice = choose_alpha(X, y, parts, **own_recipe, alphas=alphas, advance=advance)
                    candidates.append(Candidate(own, choice))
            for _ in range((len(k) - len(different)) * len(weightings) * folds):
                advance()
            del X
    candidates.sort(key=lambda candidate: -candidate.best.mean)  # of equals the first stays first

    with stage("evaluate"):
        scores = _try(candidates[0], source, train, test) if test[0] else None
    sizes = len(train[0]), len(test[0])
    result = Tuning(config_path, settings, folds, label_counts, *sizes, candidates, scores, skipped)
    with stage("save"):
        replace_file(config_path, _config(result, source).encode())
    return result


def _check_folds(source: Source, y: Sequence[str], folds: int) -> None:
    label, rarest = min(Counter(y).items(), key=lambda item: (item[1], item[0]))
    if rarest < folds:
        hint = f"give more, or --folds {rarest}" if rarest > 1 else "give more, or leave it out"
        raise AppError(
            f"{source.name}: {rarest} of the texts to train on have the label {label!r}, "
            f"too few for {folds} folds; {hint}"
        )


def _different(k: Sequence[int | None], n_features: int) -> list[int | None]:
    """Return the numbers of features that make a difference where there are only so many."""
    return list(dict.fromkeys(None if number is None or number >= n_features else number for number in k))


def _try(candidate: Candidate, source: Source, train: Labelled, test: Labelled) -> Scores:
    """Train the candidate as `training.train` does, and show it the texts held out."""
    settings = replace(candidate.settings, alpha=candidate.choice.alpha)
    vectorizer = steps.vectorizer(settings)
    X = steps.count_terms(source, train[0], vectorizer)
    X = steps.select_terms(vectorizer, X, train[1], steps.selection(settings))
    model = steps.fit(vectorizer, X, train[1], steps.weighting(settings), steps.classifier(settings))
    return scores_of(model.classes_, HeldOut(*test, model.decision_function(test[0])))


def _config(result: Tuning, source: Source) -> str:
    """Return the winner as a TOML file that `train --config` takes."""
    best = result.best
    settings = best.settings
    comment = (
        f"{FIRST_LINE} {printable(source.name)}: the best of {len(result.candidates):,} recipes, "
        f"{best.measured} "
        f"on {result.folds} folds of {result.n_train:,} texts"
    )
    if result.scores is not None:
        comment += f", accuracy {result.scores.accuracy:.4f} on the {result.n_test:,} held out"
    options = {
        "format": source.format,
        "text-col": None if source.text_column == "text" else source.text_column,
        "label-col": None if source.label_column == "label" else source.label_column,
        "sep": source.separator,
        "encoding": None if source.encoding == UTF8 else source.encoding,
        "max-line-mib": None if source.max_line == MAX_LINE else source.max_line // MIB,
        "max-expansion": None if source.max_expansion == MAX_EXPANSION else source.max_expansion,
        "weighting": settings.weighting,
        "ngrams": spelled(settings.ngrams),
        "k": "all" if settings.k is None else settings.k,
        "alpha": best.alpha,
        **{name.replace("_", "-"): value for name, value in shared(settings).items()},
        "class-weight": _spelled_weights(settings.class_weight),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in options.items() if value is not None]
    return "\n".join([comment, *lines, ""])


def shared(settings: Settings) -> dict:
    """Return what all candidates of a search share, by the names of train's options."""
    return {name: getattr(settings, name) for name in SHARED}


def _spelled_weights(weights: str | tuple | None) -> str | list[str] | None:
    return [*map(spelled, weights)] if isinstance(weights, tuple) else weights


def _toml(value: str | float | list[str]) -> str:
    """Return a TOML value: JSON's, but for one character that TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
