"""Train, evaluate and use a classifier of texts: functions that return what the commands print."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline

import fastsvm
from fastsvm.text import BagOfWords, SelectTerms, TermWeighting

from ..common.errors import USAGE, AppError, Skipped
from ..common.files import check_model_path
from ..common.progress import Stages
from ..common.statistics import wilson_interval
from .choice import Choice, choose_alpha, k_folds
from .classifiers import CLASSIFIERS, PRESETS
from .corpus import Source, read_corpus
from .exporting import weighting_of
from .prediction import decide, load_text_model

DEFAULT = PRESETS["accurate"]
FEW = 2000  # more texts than these are halved, not cut in five, to choose alpha
TOKENS = {"words": {"token_pattern": r"(?u)\b\w+\b"}, "split": {"analyzer": "split"}}


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
class Scores:
    """How a model did on labelled texts; rows of `confusion` are true labels, in the order of `labels`."""

    n: int
    accuracy: float
    interval: tuple[float, float]
    labels: list[str]
    confusion: list[list[int]]
    unknown_labels: list[str]


@dataclass(frozen=True)
class HeldOut:
    """The texts a model was tried on: true labels, and decision values as `decision_function` gives them."""

    texts: list[str]
    labels: list[str]
    decision: np.ndarray


@dataclass(frozen=True)
class Training:
    """What `train` did; gaps and objective are one number for two labels, and one per label for more.

    `choice` is how alpha was chosen, if it was; `n_features_seen` counts the features in `min_df` texts.
    """

    model: str
    classifier: str
    alpha: float | None
    choice: Choice | None
    weighting: str
    ngrams: tuple[int, int]
    min_df: int
    tokens: str
    k: int | None
    seed: int
    label_counts: dict[str, int]
    n_train: int
    n_test: int
    n_features_seen: int
    n_features: int
    scores: Scores | None
    n_iter: int | list[int]
    objective: float | list[float]
    gap: float | list[float] | None
    relative_gap: float | list[float] | None
    sides: list[Side]
    skipped: Skipped
    fitted: Pipeline
    held_out: HeldOut | None


@dataclass(frozen=True)
class Evaluation:
    """How a saved model does on a corpus, and what was left out of it."""

    scores: Scores
    skipped: Skipped


def train(
    source: Source,
    model_path: str,
    *,
    classifier: str = DEFAULT.classifier,
    alpha: float | str | None = None,
    epochs: int | None = None,
    weighting: str = DEFAULT.weighting,
    k: int | None = DEFAULT.k,
    score: str = "f_classif",
    ngrams: tuple[int, int] = DEFAULT.ngrams,
    min_df: int = DEFAULT.min_df,
    tokens: str | None = None,
    holdout: float = 0.2,
    seed: int = 0,
    stage: Stages | None = None,
) -> Training:
    """Train a classifier on a corpus, try it on the texts held out, and save it.

    Parameters
    ----------
    source : Source
        The labelled texts.
    model_path : str
        Where the model goes; a file there is replaced only if it is a model.
    classifier : str
        A key of `CLASSIFIERS`.
    alpha : float or "auto", optional
        Strength of the regularisation; "auto" chooses it within the training texts. By default "auto" for
        SDCA, and that of the classifier for others.
    epochs : int, optional
        Number of passes; by default that of the classifier.
    weighting : {"counts", "binary", "tfidf", "nb"}
        What a feature of a text weighs; see `weighting_step`.
    k : int or None
        How many features to keep; None keeps all.
    score : {"f_classif", "chi2"}
        What the features are chosen by.
    ngrams : tuple of int
        Fewest and most words in a row that make a feature.
    min_df : int
        In how many training texts a feature has to be.
    tokens : {"words", "split"}, optional
        Cut texts into words, or at white space; by default at white space where they are cut already.
    holdout : float
        The share of texts held out, in [0, 1).
    seed : int
        Seed of the split and of the classifier.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    stage = stage or Stages()
    check_model_path(model_path)
    if alpha is None and CLASSIFIERS[classifier].alphas is not None:
        alpha = "auto"
    automatic = alpha == "auto"
    estimator = _estimator(classifier, None if automatic else alpha, epochs, seed)
    if automatic and CLASSIFIERS[classifier].alphas is None:
        raise AppError(f"--alpha auto is not for the {classifier}; give a number, or leave it out", USAGE)

    with stage("read"):
        corpus = read_corpus(source)
        tokens = tokens or ("split" if corpus.format == "corpus" else "words")
        label_counts = dict(sorted(Counter(corpus.labels).items()))
        if len(label_counts) < 2:
            only = corpus.labels[0]
            raise AppError(f"{source.name}: {only!r} is the only label; give texts with two labels or more")
        (texts, y), (test_texts, y_test) = _split(corpus.texts, corpus.labels, holdout, seed)
        if len(set(y)) < 2:
            raise AppError(
                f"{source.name}: only the label {y[0]!r} is left to train on; give more texts, or --holdout 0"
            )
        skipped = corpus.skipped
        del corpus

    with stage("vectorize"):
        vectorizer = _vectorizer(tokens, ngrams, min_df, np.float32 if k is None else np.int64)
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError as error:  # scikit-learn's way to say that no term is left
            raise _no_terms(source, min_df, error) from error
        n_seen = X.shape[1]
        del texts

    y = np.asarray(y)
    selection = None if k is None else SelectTerms(k, score=score)
    weighter = weighting_step(weighting)
    choice = None
    if automatic:
        folds = _inner_folds(y, seed)
        with stage("choose alpha", total=len(folds)) as advance:
            if folds:
                alphas = CLASSIFIERS[classifier].alphas if has_norm(weighter) else None
                choice = choose_alpha(
                    X,
                    y,
                    folds,
                    weighting=weighter,
                    selection=selection,
                    alphas=alphas,
                    n_alphas=10,
                    seed=seed,
                    advance=advance,
                    **CLASSIFIERS[classifier].parameters,
                )
                estimator.set_params(alpha=choice.alpha)

    if k is not None:
        with stage("select"):
            best = _best_features(X, y, score, k)
            X = X[:, best].astype(np.float32)
            vectorizer.restrict(best, indices=True)

    with stage("train"):
        if weighter is not None:
            X = weighter.fit(X, y).transform(X)
        _fit(estimator, X, y)
        n_train = X.shape[0]
        del X

    # What is tried is what is saved.
    steps = [("vectorizer", vectorizer), ("weighting", weighter), ("classifier", estimator)]
    model = Pipeline([(name, step) for name, step in steps if step is not None])
    with stage("evaluate"):
        held_out = scores = None
        if test_texts:
            held_out = HeldOut(test_texts, y_test, model.decision_function(test_texts))
            scores = _scores(model.classes_, held_out)
    with stage("save"):
        fastsvm.save_model(model, model_path)

    gap = getattr(estimator, "dual_gap_", None)
    return Training(
        model=model_path,
        classifier=classifier,
        alpha=getattr(estimator, "alpha", None),
        choice=choice,
        weighting=weighting,
        ngrams=ngrams,
        min_df=min_df,
        tokens=tokens,
        k=k,
        seed=seed,
        label_counts=label_counts,
        n_train=n_train,
        n_test=len(test_texts),
        n_features_seen=n_seen,
        n_features=estimator.n_features_in_,
        scores=scores,
        n_iter=_plain(estimator.n_iter_),
        objective=_plain(estimator.objective_),
        gap=_plain(gap),
        relative_gap=None if gap is None else _plain(np.divide(gap, estimator.objective_)),
        sides=top_words(model, 10),
        skipped=skipped,
        fitted=model,
        held_out=held_out,
    )


def evaluate(model_path: str, source: Source, *, stage: Stages | None = None) -> Evaluation:
    """Try a saved model on a corpus."""
    stage = stage or Stages()
    with stage("load"):
        model = load_text_model(model_path)
    with stage("read"):
        corpus = read_corpus(source)
    with stage("evaluate"):
        held_out = HeldOut(corpus.texts, corpus.labels, model.decision_function(corpus.texts))
        return Evaluation(_scores(model.classes_, held_out), corpus.skipped)


def top_words(model: Pipeline, n: int) -> list[Side]:
    """Return, for each label, the `n` words that speak most for it; a weight is that of one in a text.

    Where rows are scaled to norm 1, it is what the word adds before that.
    """
    words = model["vectorizer"].get_feature_names_out()
    classes = model.classes_
    coef = model["classifier"].coef_ * weighting_of(model).factors
    weights = coef if len(classes) > 2 else (-coef[0], coef[0])
    signs = (-1.0, 1.0) if len(classes) == 2 else [1.0] * len(classes)
    sides = []
    for label, weight, sign in zip(classes, weights, signs, strict=True):
        best = [i for i in np.argsort(-weight, kind="stable")[:n] if weight[i] > 0]
        sides.append(Side(str(label), [WordWeight(str(words[i]), sign * float(weight[i])) for i in best]))
    return sides


def _estimator(classifier: str, alpha: float | None, epochs: int | None, seed: int):
    recipe = CLASSIFIERS[classifier]
    parameters = {**recipe.parameters, "max_iter": epochs or recipe.epochs, "random_state": seed}
    if recipe.alpha is not None:
        parameters["alpha"] = recipe.alpha if alpha is None else alpha
    elif alpha is not None:
        raise AppError(f"--alpha means nothing to the {classifier}; leave it out", USAGE)
    return getattr(fastsvm, recipe.estimator)(**parameters)


def _best_features(X, y, score: str, k: int) -> np.ndarray:
    return SelectTerms(k, score=score).fit(X, y).get_support(indices=True)


def weighting_step(name: str) -> TermWeighting | None:
    """Return what weighs counts: presence as 1, tf-idf or naive Bayes ratios with texts scaled to norm 1."""
    return None if name == "counts" else TermWeighting(name, norm="l2" if name == "nb" else "auto")


def has_norm(weighter: TermWeighting | None) -> bool:
    """Tell whether all texts have the norm 1."""
    return weighter is not None and weighter.weighting in ("tfidf", "nb")


def _inner_folds(y: np.ndarray, seed: int) -> list:
    """Return what alpha is chosen by: parts of the training texts, none if no two labels are in two parts."""
    counts = np.unique(y, return_counts=True)[1]
    if np.count_nonzero(counts > 1) < 2:
        return []
    k = 2 if len(y) > FEW else 5
    folds = k_folds(y, k if min(counts) == 1 else min(k, *counts), seed)
    return [(train, test) for train, test in folds if len(set(y[train])) > 1]


def _no_terms(source: Source, min_df: int, error: ValueError) -> AppError:
    if "pruning" in str(error):
        return AppError(f"{source.name}: no term is in {min_df} of its texts or more; try --min-df 1")
    return AppError(f"{source.name}: no words in its texts; try --tokens split ({error})")


def _fit(estimator, X, y: list[str]) -> None:
    # The estimator's own warning speaks of parameters; here they are options.
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        estimator.fit(X, y)
    if hasattr(estimator, "tol"):
        gap = np.max(estimator.dual_gap_ / estimator.objective_)
        if gap > estimator.tol:
            warnings.warn(
                f"stopped at epoch {np.max(estimator.n_iter_)} with a relative gap of {gap:.1e}, "
                f"above the {estimator.tol:g} aimed at; raise --epochs or --alpha",
                ConvergenceWarning,
                stacklevel=2,
            )


def _vectorizer(tokens: str, ngrams: tuple[int, int], min_df: int = 1, dtype: type = np.int64) -> BagOfWords:
    return BagOfWords(ngram_range=ngrams, min_df=min_df, dtype=dtype, **TOKENS[tokens])


Labelled = tuple[list[str], list[str]]


def _split(texts: list[str], labels: list[str], holdout: float, seed: int) -> tuple[Labelled, Labelled]:
    """Split into training and test texts; the order in the file, sorted or shuffled, changes nothing."""
    order = sorted(range(len(texts)), key=lambda i: (labels[i], texts[i]))
    train, test = order, []
    if holdout > 0:
        counts = Counter(labels).values()
        n_test = int(np.ceil(holdout * len(texts)))
        even = min(counts) >= 2 and min(n_test, len(texts) - n_test) >= len(counts)
        try:
            train, test = train_test_split(
                order,
                test_size=holdout,
                random_state=seed,
                stratify=[labels[i] for i in order] if even else None,
            )
        except ValueError as error:
            raise AppError(
                f"{len(texts)} texts are too few for --holdout {holdout:g}; try --holdout 0"
            ) from error
    train, test = ([[column[i] for i in part] for column in (texts, labels)] for part in (train, test))
    return tuple(train), tuple(test)


def _scores(classes: np.ndarray, held_out: HeldOut) -> Scores:
    y, predicted = held_out.labels, decide(classes, held_out.decision)[0]
    known = classes.tolist()
    unknown = sorted(set(y) - set(known))
    confusion = confusion_matrix(y, predicted, labels=known + unknown)
    right = int(confusion.trace())
    return Scores(
        n=len(y),
        accuracy=right / len(y),
        interval=wilson_interval(right, len(y)),
        labels=known + unknown,
        confusion=confusion.tolist(),
        unknown_labels=unknown,
    )


def _plain(value):
    """Return numbers and arrays as Python's own."""
    return None if value is None else np.asarray(value).tolist()
