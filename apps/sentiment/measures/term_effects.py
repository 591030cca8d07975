"""The terms of a model: how people read them, and their effects on a score, weight times factor."""

from copy import copy
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.errors import AppError
from .prediction import TRAIN_AGAIN, is_kernel_machine

WORDS, CHARACTERS = "words__", "chars__"  # what a vectorizer of both puts before its terms


def shown_term(term: str) -> str:
    """Return a term for people.

    Beside words, a piece has dots where its word goes on: `…ing`, `un…`, `…o…`; `bad (characters)` is all of
    its word. Where there are characters alone, a blank at its ends is a sign of its own.
    """
    if term.startswith(WORDS):
        return term.removeprefix(WORDS)
    piece = term.removeprefix(CHARACTERS)
    if piece != term and piece.strip(" "):
        if piece[0] == piece[-1] == " ":
            return f"{piece.strip(' ')} (characters)"
        return f"{'' if piece[0] == ' ' else '…'}{piece.strip(' ')}{'' if piece[-1] == ' ' else '…'}"
    inner = piece.strip(" ")
    start = len(piece) - len(piece.lstrip(" ")) if inner else len(piece)
    return "␣" * start + inner + "␣" * (len(piece) - start - len(inner))


def check_linear(model: Pipeline, what: str) -> None:
    """Refuse what needs a weight for each term, of a kernel machine."""
    if is_kernel_machine(model["classifier"]):
        raise AppError(
            f"{what} needs a weight for each word, which a kernel machine does not have; train one with "
            "--classifier sdca-svm"
        )


class TermEffect(NamedTuple):
    """The way from the count of a term to its value: a function, a factor, and a norm of the row."""

    value: str
    factors: np.ndarray
    norm: str | None


def term_effect(model: Pipeline) -> TermEffect:
    """Read off what a model's weighting does; scikit-learn's pipelines have the same steps."""
    factors = np.ones(model["classifier"].coef_.shape[1])
    value = "binary" if model["vectorizer"].binary else "count"
    step = model.named_steps.get("weighting")
    if step is None:
        return TermEffect(value, factors, None)
    if step.weighting in ("binary", "nb"):
        value = "binary"
    elif step.sublinear_tf and value == "count":
        value = "log"
    norm = "l2" if step.norm == "l2" or (step.norm == "auto" and step.weighting == "tfidf") else None
    return TermEffect(value, factors if step.weights_ is None else step.weights_, norm)


def weighted_coef(model: Pipeline) -> np.ndarray:
    """Return the weights of the terms, times what the weighting multiplies them by; a row as in `coef_`."""
    with np.errstate(over="ignore"):
        coef = model["classifier"].coef_.astype(float) * term_effect(model).factors
    if not np.isfinite(coef).all():
        word = model["vectorizer"].get_feature_names_out()[~np.isfinite(coef).all(axis=0)][0]
        raise AppError(f"the weight of '{word}' is beyond range; {TRAIN_AGAIN}")
    return coef


def top_words(model: Pipeline, n: int) -> dict[str, list[tuple[str, float]]]:
    """Return, for each label, its `n` words with the largest weights, and these; a kernel machine has none.

    A weight is the effect of one occurrence in a text, before the text is scaled to norm 1. The first of two
    labels has weights below 0.
    """
    if is_kernel_machine(model["classifier"]):
        return {}
    classes, coef = model.classes_, weighted_coef(model)
    weights = coef if len(coef) > 1 else (-coef[0], coef[0])
    signs = [1.0] * len(classes) if len(coef) > 1 else (-1.0, 1.0)
    best = [_largest(weight, n) for weight in weights]
    words = _terms_at(model["vectorizer"], np.unique(np.concatenate(best)))
    return {
        str(label): [(words[i], sign * float(weight[i])) for i in columns.tolist()]
        for label, weight, sign, columns in zip(classes, weights, signs, best, strict=True)
    }


def _largest(weight: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the `n` largest weights above 0, the largest first."""
    n = min(n, len(weight))
    columns = np.flatnonzero((weight >= np.partition(weight, -n)[-n]) & (weight > 0))
    return columns[np.argsort(-weight[columns], kind="stable")[:n]]


def _terms_at(vectorizer, columns: np.ndarray) -> dict[int, str]:
    """Return the terms of some columns; those of all would take as long as a fit."""
    if hasattr(vectorizer, "restrict"):
        terms = copy(vectorizer).restrict(columns, indices=True).get_feature_names_out()
    else:
        terms = vectorizer.get_feature_names_out()[columns]
    return dict(zip(columns.tolist(), map(str, terms), strict=True))
