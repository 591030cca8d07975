"""Train, evaluate and use a classifier of texts: functions that return what the commands print."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import Pipeline
from fastsvm.model_files import save_plain

from ...common.errors import USAGE, AppError, Skipped, place_of
from ...common.files import check_model_path
from ...common.progress import Stages
from ..data.corpus import Source, read_corpus
from .choice import Choice, choose_alpha, inner_folds, split_texts
from .classifiers import CLASSIFIERS, PRESETS
from .effect import weighted_coef
from .prediction import check_scores, load_scorer
from .scores import HeldOut, Scores, scores_of
from .steps import (
    classifier_step,
    count_terms,
    fit_steps,
    has_norm,
    select_terms,
    selection_step,
    vectorizer_step,
    weighting_step,
)

DEFAULT = PRESETS["accurate"]


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
    estimator = classifier_step(classifier, None if automatic else alpha, epochs, seed)
    if automatic and CLASSIFIERS[classifier].alphas is None:
        raise AppError(f"--alpha auto is not for the {classifier}; give a number, or leave it out", USAGE)

    with stage("read"):
        corpus = read_corpus(source)
        tokens = tokens or ("split" if corpus.format == "corpus" else "words")
        label_counts = dict(sorted(Counter(corpus.labels).items()))
        if len(label_counts) < 2:
            only = corpus.labels[0]
            raise AppError(f"{source.name}: {only!r} is the only label; give texts with two labels or more")
        (texts, y), (test_texts, y_test) = split_texts(corpus.texts, corpus.labels, holdout, seed)
        if len(set(y)) < 2:
            raise AppError(
                f"{source.name}: only the label {y[0]!r} is left to train on; give more texts, or --holdout 0"
            )
        skipped = corpus.skipped
        del corpus

    with stage("vectorize"):
        # Selection adds up counts, exactly; nothing else needs them to be integers.
        vectorizer = vectorizer_step(tokens, ngrams, min_df, np.float32 if k is None else np.int64)
        X = count_terms(source, texts, vectorizer)
        n_seen = X.shape[1]
        del texts

    y = np.asarray(y)
    selection = selection_step(k, score)
    weighter = weighting_step(weighting)
    choice = None
    if automatic:
        folds = inner_folds(y, seed)
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

    if selection is not None:
        with stage("select"):
            X = select_terms(vectorizer, X, y, selection)

    with stage("train"):
        model = fit_steps(vectorizer, X, y, weighter, estimator)
        n_train = X.shape[0]
        del X

    # What is tried is what is saved.
    with stage("evaluate"):
        held_out = scores = None
        if test_texts:
            held_out = HeldOut(test_texts, y_test, model.decision_function(test_texts))
            scores = scores_of(model.classes_, held_out)
    with stage("save"):
        save_plain(model, model_path)

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
        model = load_scorer(model_path)
    with stage("read"):
        corpus = read_corpus(source, places=True)
    with stage("evaluate"):
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            decision = model.decision_function(corpus.texts)
        check_scores(decision, lambda i: f"{source.name}, {place_of(corpus.places[i])}")
        held_out = HeldOut(corpus.texts, corpus.labels, decision)
        return Evaluation(scores_of(model.classes_, held_out), corpus.skipped)


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
