"""The terms of a model: how they are shown, and their effects on a score, weight times factor."""

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.errors import AppError
from .prediction import TRAIN_AGAIN, is_kernel_machine

WORDS, CHARACTERS = "words__", "chars__"  # what a vectorizer of both puts before its terms


def shown_term(term: str) -> str:
    """Return a term as it is shown.

    In a model that also has words, dots show where the word of a character n-gram continues: `…ing`, `un…`,
    `…o…`; `bad (characters)` is a whole word. In a model of characters only, `␣` is a blank at an end.
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
    """Refuse a kernel machine for a purpose that needs a weight for each term."""
    if is_kernel_machine(model["classifier"]):
        told = f"{what} needs a weight for each word, which a kernel machine does not have"
        raise AppError(f"{told}; train one with --classifier sdca-svm")


class TermEffect(NamedTuple):
    """The way from the count of a term to its value: a function, a factor, and a norm of the row."""

    value: str
    factors: np.ndarray
    norm: str | None


def term_effect(model: Pipeline) -> TermEffect:
    """Return the effect of a model's weighting; scikit-learn's pipelines have the same steps."""
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


def of_terms(model: Pipeline, kept: np.ndarray) -> Pipeline:
    """Return a linear model of some of its terms, without the results of a fit to all terms."""
    vectorizer = _restricted_vectorizer(model["vectorizer"], kept)
    others = [(name, _of_columns(step, kept)) for name, step in model.steps[1:]]
    for name in ("objective_", "dual_gap_", "dual_coef_", "history_"):
        vars(others[-1][1]).pop(name, None)
    return type(model)([("vectorizer", vectorizer), *others])


def _restricted_vectorizer(vectorizer, kept: np.ndarray):
    """Return a vectorizer of some terms."""
    if hasattr(vectorizer, "restrict"):
        return copy(vectorizer).restrict(kept, indices=True)
    words = vectorizer.get_feature_names_out()[kept].tolist()  # of scikit-learn's CountVectorizer
    part = type(vectorizer)(**{**vectorizer.get_params(deep=False), "vocabulary": words})
    part.get_feature_names_out()  # sets vocabulary_
    return part


def _of_columns(step, kept: np.ndarray):
    """Return a fitted step for some of its columns."""
    part, n = copy(step), step.n_features_in_
    for name, value in vars(step).items():
        if isinstance(value, np.ndarray) and value.shape[-1:] == (n,) and name != "dual_coef_":
            setattr(part, name, np.ascontiguousarray(value[..., kept]))
    part.n_features_in_ = len(kept)
    return part


def weighted_rows(model: Pipeline) -> Iterator[np.ndarray]:
    """Yield the rows of `coef_`, multiplied by the factors of the weighting."""
    factors = term_effect(model).factors
    for coef in model["classifier"].coef_:
        with np.errstate(over="ignore"):
            row = coef.astype(float) * factors
        if not np.isfinite(row).all():
            word = model["vectorizer"].get_feature_names_out()[~np.isfinite(row)][0]
            raise AppError(f"the weight of '{word}' is beyond range; {TRAIN_AGAIN}")
        yield row


def top_words(model: Pipeline, n: int) -> dict[str, list[tuple[str, float]]]:
    """Return the `n` words with the largest weights, and these, for each label; none for a kernel machine.

    A weight is the effect of one occurrence in a text, before the text is scaled to norm 1. The first of two
    labels has weights below 0.
    """
    if is_kernel_machine(model["classifier"]):
        return {}
    signs = (1.0,) if len(model["classifier"].coef_) > 1 else (-1.0, 1.0)
    best = [_largest(row, sign, n) for row in weighted_rows(model) for sign in signs]
    words = _terms_at(model["vectorizer"], np.unique(np.concatenate([columns for columns, _ in best])))
    return {
        str(label): [(words[i], weight) for i, weight in zip(*map(np.ndarray.tolist, pair), strict=True)]
        for label, pair in zip(model.classes_, best, strict=True)
    }


def _largest(row: np.ndarray, sign: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the `n` largest weights of this sign, the largest first; and these weights."""
    weight, n = sign * row, min(n, len(row))
    columns = np.flatnonzero((weight >= np.partition(weight, -n)[-n]) & (weight > 0))
    columns = columns[np.argsort(-weight[columns], kind="stable")[:n]]
    return columns, row[columns]


def _terms_at(vectorizer, columns: np.ndarray) -> dict[int, str]:
    """Return the terms of some columns; to compute all terms would take as long as a fit."""
    if not len(columns):  # of which scikit-learn makes no vectorizer
        return {}
    terms = _restricted_vectorizer(vectorizer, columns).get_feature_names_out()
    return dict(zip(columns.tolist(), map(str, terms), strict=True))
