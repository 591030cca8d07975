"""Use a saved model: load it, and give texts their labels. Lighter to import than `text_training`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

import fastsvm
from fastsvm import text
from fastsvm.model_files import load_about

from ...common.errors import USAGE, AppError, place_of
from ...common.files import load_model, shipped_model
from ..data.label_fields import SEPARATORS
from ..data.text_labels import TextLabels

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from fastsvm.fitting import Pipeline

    Model = text.TextScorer | Pipeline

PACKAGE = "fastsvm_apps.sentiment"
SHIPPED = "shipped/english.safetensors"
SHIPPED_NAME = "english"
TRAIN_AGAIN = "the weights of this model are too large; train it again"
NOTHING_KNOWN = "no known term"  # the note beside a label that only the intercept decides


class Predictions:
    """The predictions for some texts; `threshold`, `proba` and `unsure` are as for `classify`.

    `thresholds` belong to a model that gives a text several labels.

    Attributes
    ----------
    winners : ndarray
        For each text, the index of its label, or of the best of several labels.
    given : TextLabels
        The label of each text, or its labels, the best first.
    scores : ndarray
        Decision values: of the second of two labels, or of the text's own label among more.
    probabilities : ndarray or None
        A row for each text and a column for each label, if the model has them.
    n_terms : ndarray of int
        Number of different terms of the model in each text; if it is 0, the intercept decides.
    n_first_terms : ndarray of int
        How many of these are words, in a model of words and characters.
    decision : ndarray
        As `decision_function` gives it.
    unsure : ndarray of bool or None
        Whether the probabilities of each text are in the band `unsure`, in which no label is given.
    notes : list of str
        A note on each text beside its label, mostly empty.
    """

    def __init__(
        self,
        names: np.ndarray,
        decision: np.ndarray,
        probabilities: np.ndarray | None,
        n_terms: np.ndarray,
        n_first_terms: np.ndarray,
        proba: bool,
        threshold: float | None,
        unsure: tuple[float, float] | None,
        thresholds: np.ndarray | None = None,
    ) -> None:
        self.decision, self.probabilities = decision, probabilities
        self.n_terms, self.n_first_terms = n_terms, n_first_terms
        several, values = thresholds is not None, probabilities if proba else decision
        if threshold is None:
            given = TextLabels.given(names, decision, thresholds)
        elif several:
            given = TextLabels.of_matrix(names, values >= threshold)
        else:
            given = TextLabels.of_codes(names, ((values[:, 1] if proba else values) >= threshold).astype(int))
        self.given = given.best_first(decision)
        self.winners = decision.argmax(axis=1) if several else given.codes
        self.scores = decision if decision.ndim == 1 else decision[np.arange(len(decision)), self.winners]
        self.unsure = None
        if unsure is not None:
            low, high = unsure
            is_in_band = (low <= probabilities[:, 1]) & (probabilities[:, 1] <= high)
            self.unsure = is_in_band if low > 0 else probabilities.max(axis=1) < high
        self.notes = ["" if n else NOTHING_KNOWN for n in n_terms.tolist()]

    def ranked(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the best `n` labels of each text, the given one first, and the score of each label."""
        decision = self.decision
        if decision.ndim == 1:
            order = np.column_stack([self.winners, 1 - self.winners])[:, :n]
            return order, np.where(order == 1, decision[:, None], 0 - decision[:, None])
        order = np.argsort(-decision, axis=1, kind="stable")[:, :n]
        return order, np.take_along_axis(decision, order, axis=1)


def load_scorer(path: str | None) -> Model:
    """Load a model only to predict, like `load_text_model`, but without scikit-learn if possible."""
    with _model_file(path) as file:
        scorer = text.TextScorer.load(file)
        return load_text_model(file) if scorer is None else scorer


def load_text_model(path: str | None) -> Pipeline:
    """Load a model that takes texts; by default, or for "english", the one that comes with the package."""
    with _model_file(path) as file:
        model = load_model(file)
    if not {"vectorizer", "classifier"} <= getattr(model, "named_steps", {}).keys():
        raise AppError(f"{path}: a model without a vocabulary; give a model of fastsvm-sentiment train")
    if not _has_usual_steps(model):
        raise AppError(f"{path}: a model with other steps; give a model of fastsvm-sentiment train")
    return model


def _has_usual_steps(model: Pipeline) -> bool:
    """Tell whether a model has the steps that explanations and exports need."""
    from fastsvm.text import Weighting  # predictions need no more than a TextScorer

    (first, vectorizer), *middle, (last, classifier) = model.steps
    return (
        (first, last) == ("vectorizer", "classifier")
        and hasattr(vectorizer, "get_feature_names_out")
        and (hasattr(classifier, "coef_") or is_kernel_machine(classifier))
        and all(name == "weighting" and isinstance(step, Weighting) for name, step in middle)
    )


def is_kernel_machine(classifier) -> bool:
    """Tell whether a classifier compares texts with texts that it has kept, and has no weights of words."""
    return hasattr(classifier, "support_vectors_")


@contextmanager
def _model_file(path: str | None) -> Iterator[str]:
    """Yield the file of a model, and turn its errors into messages."""
    otherwise = "give a MODEL that fastsvm-sentiment train wrote"
    is_shipped = path in (None, SHIPPED_NAME)
    if not is_shipped and os.path.exists(path) and not is_model_file(path):
        raise AppError(f"{path}: is not a model (not a safetensors file); MODEL comes first", USAGE)
    with shipped_model(PACKAGE, SHIPPED, otherwise) if is_shipped else nullcontext(path) as file:
        try:
            yield file
        except fastsvm.ModelFileError as error:
            raise AppError(str(error)) from error


def use_all_cores(model: Model) -> None:
    """Count the words of many texts with one thread per core; the results are the same."""
    if isinstance(model, text.TextScorer):
        model["vectorizer"].set_params(n_jobs=-1)


def weighed(model: Pipeline, X: csr_matrix) -> csr_matrix:
    """Return counts as the classifier of a model sees them."""
    for _, step in model.steps[1:-1]:
        X = step.transform(X)
    return X


def bags_of_model(model: Model) -> list:
    """Return the vectorizers that stand side by side in a model, mostly a single one."""
    return getattr(model["vectorizer"], "bags", [model["vectorizer"]])


def is_of_words(model: Model) -> bool:
    """Tell whether a model counts only words, some of which it may not know, and no characters."""
    return all(bag.analyzer != "char_wb" for bag in bags_of_model(model))


def about_model(path: str | None) -> dict[str, Any]:
    """Return the `about` of a model's file."""
    with _model_file(path) as file:
        return load_about(file)


def separator_of_model(about: Mapping[str, Any]) -> str:
    """Return the separator of the labels of a text, if the model gives several."""
    return about.get("label_sep", SEPARATORS[0])


def is_model_file(path: str) -> bool:
    """Tell whether a file is meant as a model, by its name or by its beginning."""
    if path.endswith(".safetensors") or not os.path.isfile(path):
        return path.endswith(".safetensors")
    with open(path, "rb") as file:
        start = file.read(9)
    return start[5:] == b"\0\0\0{"  # after the length of a header


def thresholds_of(model: Model) -> np.ndarray | None:
    """Return the scores above which labels are given, if a model gives a text several; else None."""
    classifier = model[-1] if hasattr(model, "steps") else model
    return getattr(classifier, "thresholds_", None)


def check_choices(
    model: Model, proba: bool, threshold: float | None, unsure: tuple[float, float] | None = None
) -> None:
    """Check, before any text is read, that a model supports the options of `classify`."""
    n, several = len(model.classes_), thresholds_of(model) is not None
    if (proba or unsure) and not hasattr(model, "predict_proba"):
        told = "this model has scores but no probabilities; train one with --classifier sdca-logistic"
        raise AppError(told, USAGE)
    if unsure and several:
        told = "--unsure needs a model of one label per text"
        raise AppError(f"{told}; --proba --threshold P gives the labels that are at least as probable", USAGE)
    if threshold is not None and n > 2 and not several:
        raise AppError(f"--threshold needs a model of two labels; this one has {n}; give --unsure P", USAGE)
    if proba and threshold is not None and not 0 <= threshold <= 1:
        raise AppError(f"--threshold {threshold:g} is not a probability; give one from 0 to 1", USAGE)
    if unsure and n > 2 and unsure[0] > 0:
        advice = "give one number, the lowest probability of a label"
        raise AppError(f"--unsure A-B needs a model of two labels, but this one has {n}; {advice}", USAGE)


def classify(
    model: Model,
    texts: Sequence[str],
    *,
    proba: bool = False,
    threshold: float | None = None,
    unsure: tuple[float, float] | None = None,
    place: Callable[[int], str] = "text {}".format,
) -> Predictions:
    """Predict the label of each text.

    Parameters
    ----------
    model : TextScorer or Pipeline
        The pipeline: a vectorizer, perhaps a weighting, and a classifier.
    texts : sequence of str
        The texts.
    proba : bool
        Compare probabilities with `threshold`; the classifier must have them.
    threshold : float, optional
        With two labels, the score from which the second is given, or with `proba` its probability. With
        several labels per text, the score or probability from which each of them is given.
    unsure : (float, float), optional
        With two labels, the range of the second's probability in which neither is given. If the first number
        is 0, the best probability, of any number of labels, must reach the second number.
    place : callable, optional
        Names a text in a message, by its number among `texts` from 0.

    Returns
    -------
    Predictions

    Raises
    ------
    AppError
        If a score is beyond the range of numbers.
    """
    with_proba = hasattr(model, "predict_proba")
    with np.errstate(over="ignore", invalid="ignore"):  # found below
        if isinstance(model, text.TextScorer):
            decision, probabilities, n_terms, n_first = model.scores(texts, with_proba)
        else:
            X = model["vectorizer"].transform(texts)
            n_terms, n_first = np.diff(X.indptr), text.first_terms(model["vectorizer"], X)
            X, classifier = weighed(model, X), model["classifier"]
            decision = classifier.decision_function(X)
            probabilities = classifier.predict_proba(X) if with_proba else None
    if not np.isfinite(decision).all():
        bad = ~np.isfinite(decision.reshape(len(decision), -1)).all(axis=1)
        raise AppError(f"{place(int(bad.argmax()))}: the score is beyond range; {TRAIN_AGAIN}")
    if not is_of_words(model):  # the blank around words is a term, which a known character never is without
        n_terms = np.where(n_terms == 1, 0, n_terms)
    options = proba, threshold, unsure, thresholds_of(model)
    return Predictions(model.classes_, decision, probabilities, n_terms, n_first, *options)


def classify_shard(
    shard: tuple[str, Sequence[str], Sequence[int | str]], model: Model, choices: Mapping[str, Any]
) -> Predictions:
    """Predict the label of each text of a shard, here or on a worker of a cluster.

    Parameters
    ----------
    shard : (str, sequence of str, sequence of int or str)
        The name of a file, some of its texts, and the place of each: a line, or a file of a folder.
    model : TextScorer or Pipeline
    choices : mapping
        Options of `classify`.
    """
    source, texts, places = shard
    return classify(model, texts, **choices, place=lambda i: f"{source}, {place_of(places[i])}")


def least_sure(decision: np.ndarray, thresholds: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the least certain label of each text, and its margin.

    If a text may have several labels, this is the label nearest to its threshold. Otherwise it is the second
    best label, and the margin is the lead of the best one: with two labels, its distance from the threshold.
    """
    if thresholds is not None:
        margins = np.abs(decision - thresholds)
        return margins.argmin(axis=1), margins.min(axis=1)
    if decision.ndim == 1:
        return (decision <= 0).astype(int), np.abs(decision)
    first, second = np.argpartition(-decision, 1, axis=1)[:, :2].T
    rows = np.arange(len(decision))
    return second, decision[rows, first] - decision[rows, second]
