"""Search for the best recipe of a corpus: weighting, n-grams, number of features and alpha, on folds."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ...common.errors import USAGE, AppError, Skipped
from ...common.files import check_replaceable, replace_file
from ...common.output import printable
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Source
from ..data.lines import MAX_EXPANSION, MAX_LINE, MIB, UTF8
from ..learning import steps
from ..learning.alpha_choice import Labelled, split_texts
from ..learning.counted import Counted
from ..learning.search import Candidate, Ended, Trial, rounds, search
from ..measures.scores import HeldOut, Scores, scores_of
from ..settings import Settings, spelled

ACCURATE = Settings()
SHARED = ("classifier", "score", "tokens", "min_df", "holdout", "seed", "metric", "class_weight")
FIRST_LINE = "# Found by fastsvm-sentiment tune"  # tells a file of ours from others, which are not replaced


@dataclass(frozen=True)
class Tuning:
    """What `tune` found; `candidates` are sorted, and `scores` are the best one's on the texts held out.

    `ended` says what cut the search short, if anything did.
    """

    config: str
    settings: Settings
    folds: int
    label_counts: dict[str, int]
    n_train: int
    n_test: int
    candidates: list[Candidate]
    scores: Scores | None
    skipped: Skipped
    ended: Ended | None

    @property
    def best(self) -> Trial:
        """The winner."""
        return self.candidates[0].best


def tune(
    source: Source,
    config_path: str,
    *,
    weightings: Sequence[str],
    ngrams: Sequence[tuple[int, int] | None],
    k: Sequence[int | None],
    chars: Sequence[tuple[int, int] | None] = (None,),
    alphas: Sequence[float] | None = None,
    folds: int = 5,
    timeout: float | None = None,
    settings: Settings = ACCURATE,
    stage: Stages = UNWATCHED,
) -> Tuning:
    """Try the recipes of a grid on folds of the training texts, and write the best one as a config file.

    Ctrl-C ends the search, once a recipe was tried, and the best one so far is written.

    The texts held out are those that `train` holds out with these settings. Nothing is chosen by
    them: they are shown once, to the winner.

    Parameters
    ----------
    source : Source
        The labelled texts.
    config_path : str
        Where the config file of the winner goes; a file there is replaced only if `tune` wrote it.
    weightings, ngrams, k, chars : sequences
        The grid; a `k` of None keeps all features. Neither words nor characters are no recipe.
    alphas : sequence of float, optional
        By default each recipe has a path of its own; see `choose_alpha`.
    folds : int
        How many parts the training texts are cut into.
    timeout : float, optional
        Seconds that the search may take. With it, a third of the recipes goes on from each round of few texts
        to one of more.
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

    grid = {"ngrams": ngrams, "chars": chars, "k": k, "weighting": weightings}
    recipes = [replace(settings, **dict(zip(grid, point, strict=True))) for point in product(*grid.values())]
    recipes = [recipe for recipe in recipes if recipe.ngrams or recipe.chars]
    if not recipes:
        raise AppError("--ngrams none and --chars none: there is nothing to count", USAGE)
    n_tried = sum(count for _, count in rounds(len(train[0]), len(recipes), timeout is not None))
    with stage("search", total=n_tried * folds) as advance:
        options = {"folds": folds, "alphas": alphas, "timeout": timeout}
        candidates, ended = search(source, train, recipes, **options, advance=advance)
    if not candidates:
        raise AppError(f"{source.name}: {timeout:g} seconds were too few to try a recipe; raise --timeout")

    with stage("evaluate"):
        scores = _try(candidates[0], source, train, test) if test[0] else None
    sizes = len(train[0]), len(test[0])
    result = Tuning(config_path, settings, folds, label_counts, *sizes, candidates, scores, skipped, ended)
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


def _try(candidate: Candidate, source: Source, train: Labelled, test: Labelled) -> Scores:
    """Train the candidate as `training.train` does, and show it the texts held out."""
    settings = replace(candidate.settings, alpha=_alpha(candidate, len(train[0])))
    vectorizer = steps.vectorizer(settings)
    counted = Counted(vectorizer, steps.count_terms(source, train[0], vectorizer), np.asarray(train[1]))
    model = (counted.learn(settings) if settings.threshold else counted.fit(settings)).model
    return scores_of(model.classes_, HeldOut(*test, model.decision_function(test[0])))


def _alpha(candidate: Candidate, n: int) -> float:
    """Return alpha for so many texts, each with the weight that it had where the candidate was tried."""
    alpha = candidate.choice.alpha
    return alpha if candidate.n == n else float(f"{alpha * candidate.n / n:.3g}")


def _config(result: Tuning, source: Source) -> str:
    """Return the winner as a TOML file that `train --config` takes."""
    best = result.best
    settings = best.settings
    comment = (
        f"{FIRST_LINE} {printable(source.name)}: the best of {len(result.candidates):,} recipes, "
        f"{best.measured} "
        f"on {result.folds} folds of {best.n:,} texts"
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
        "ngrams": spelled(settings.ngrams, "none"),
        "chars": spelled(settings.chars, "none"),
        "keep-markup": settings.keep_markup or None,
        "k": "all" if settings.k is None else settings.k,
        "alpha": _alpha(result.candidates[0], result.n_train),
        **{name.replace("_", "-"): value for name, value in shared(settings).items()},
        "class-weight": _spelled_weights(settings.class_weight),
    }
    if settings.threshold:  # nobody asked for weights, and perhaps for no metric: train will find the same
        options["class-weight"] = None
        if (settings.metric, settings.threshold) == ("balanced-accuracy", "macro-f1"):
            options["metric"] = None
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
