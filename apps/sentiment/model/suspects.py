"""Labels of a corpus that are probably wrong, and texts that it has more than once."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...common.errors import AppError, Skipped
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Source
from . import steps
from .alpha_choice import k_folds, split_texts
from .duplicates import same_texts, similar_texts
from .prediction import winners_of
from .settings import Settings
from .training import Counted, _choice, _is_automatic


class Suspect(NamedTuple):
    """A text of a corpus to look at.

    Attributes
    ----------
    place : int or str
        Its line, or its file in a folder.
    label : str
    suggested : str
        The label it probably should have; empty where it is only there too often.
    sure : float
        Of a label that the model contradicts, by how much the score of the suggested one is higher; of texts
        that are there with several labels, the share of the suggested one.
    why : str
    text : str
    """

    place: int | str
    label: str
    suggested: str
    sure: float
    why: str
    text: str


@dataclass(frozen=True)
class Inspection:
    """What is wrong with a corpus.

    Attributes
    ----------
    suspects : list of Suspect
        First the labels that the model contradicts, the surest first; then what is there more than once.
    n_texts : int
    accuracy : float
        Share of the labels that models trained without these texts agree with.
    n_contradicted : int
        The other labels: wrong ones, and texts that are too hard for the model.
    n_conflicts : int
        Texts that are there with another label as well.
    n_crossing : int
        Texts to train on that are, nearly, among those held out as well.
    skipped : Skipped
    """

    suspects: list[Suspect]
    n_texts: int
    accuracy: float
    n_contradicted: int
    n_conflicts: int
    n_crossing: int
    skipped: Skipped


def inspect(
    source: Source, settings: Settings, *, folds: int = 5, number: int = 100, stage: Stages = UNWATCHED
) -> Inspection:
    """Find the labels of a corpus that a model trained on other texts contradicts, and texts that come again.

    Parameters
    ----------
    source : Source
    settings : Settings
        The recipe; `holdout` and `seed` say which split is looked at for texts on both sides.
    folds : int
        Parts of the texts; each is tried by what is trained on the others. Texts that are nearly the same
        are in the same part.
    number : int
        Most texts of each kind to return.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Inspection
    """
    with stage("read"):
        corpus, settings = steps.read_labelled(source, settings, places=True)
    with stage("duplicates"):
        same = same_texts(corpus.texts)
        similar = similar_texts(corpus.texts)
    y = np.asarray(corpus.labels)
    decision, classes = _left_out(source, corpus.texts, y, similar, settings, folds, stage)
    suggested, sure = _contradictions(decision, classes, y)
    found = [
        Suspect(corpus.places[i], y[i], suggested[i], float(sure[i]), "contradicted", corpus.texts[i])
        for i in np.argsort(-sure, kind="stable")[:number]
        if sure[i] > 0
    ]
    is_held_out = _held_out(corpus.texts, corpus.labels, settings)
    conflicts = list(_conflicts(corpus, same, similar))
    crossing = list(_crossing(corpus, same, similar, is_held_out))
    n_wrong = int(np.count_nonzero(sure > 0))
    return Inspection(
        [*found, *conflicts[:number], *crossing[:number]],
        len(y),
        1 - n_wrong / len(y),
        n_wrong,
        len(conflicts),
        len(crossing),
        corpus.skipped,
    )


def _left_out(
    source: Source, texts: list[str], y: np.ndarray, groups: np.ndarray, settings: Settings, k: int, stage
) -> tuple[np.ndarray, np.ndarray]:
    """Return the decision values of texts by models trained without them and their likes, and the labels."""
    with stage("vectorize"):
        vectorizer = steps.vectorizer(settings)
        X = steps.count_terms(source, texts, vectorizer)
    if _is_automatic(settings):
        choice = _choice(Counted(vectorizer, X, y), settings, stage)
        settings = replace(settings, alpha=choice.alpha if choice else None)
    classes = np.unique(y)
    decision = np.full((len(y), len(classes)), -np.inf, np.float32)
    first = np.unique(groups, return_index=True)[1]
    with stage("cross-validate", total=k) as advance:
        for _, part in k_folds(y[first], min(k, len(first)), settings.seed):
            is_tried = np.isin(groups, groups[first[part]])
            known = np.unique(y[~is_tried])
            if len(known) < 2:
                raise AppError(f"{source.name}: too few texts to judge some of them by others; give more")
            found = _decision(X[~is_tried], y[~is_tried], X[is_tried], settings)
            found = np.column_stack([-found, found]) if found.ndim == 1 else found
            decision[np.ix_(is_tried, np.isin(classes, known))] = found
            advance()
    return decision, classes


def _decision(X, y: np.ndarray, X_new, settings: Settings) -> np.ndarray:
    """Return decision values of some rows by a model trained on others."""
    X, X_new = X.astype(np.float32), X_new.astype(np.float32)
    for step in (steps.selection(settings), steps.weighting(settings)):
        if step is not None:
            step = deepcopy(step).fit(X, y)
            X, X_new = step.transform(X), step.transform(X_new)
    estimator = steps.classifier(settings)
    steps.fit_classifier(estimator, X, y)
    return estimator.decision_function(X_new)


def _contradictions(
    decision: np.ndarray, classes: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each text the best label but its own, and by how much its score is higher.

    Of two labels it is twice the score, in the units of all scores.
    """
    rows, own = np.arange(len(y)), np.searchsorted(classes, y)
    given = decision[rows, own]
    others = decision.copy()
    others[rows, own] = -np.inf
    winners, best = winners_of(others)
    # Of a label that is nowhere else nothing was learned.
    return classes[winners], np.where(np.isinf(given), 0, best - given)


def _held_out(texts: list[str], labels: list[str], settings: Settings) -> list[bool]:
    """Tell of each text whether `train` holds it out."""
    _, held_out = split_texts(texts, labels, settings.holdout, settings.seed)
    left = Counter(zip(*held_out, strict=True))
    found = []
    for key in zip(texts, labels, strict=True):
        found.append(left[key] > 0)
        left[key] -= 1
    return found


def _conflicts(corpus, same: np.ndarray, similar: np.ndarray) -> Iterator[Suspect]:
    """Yield the texts that are there with another label, those of the rarer label of each."""
    for members in _groups(similar):
        counts = Counter(corpus.labels[i] for i in members)
        if len(counts) < 2:
            continue
        (usual, n), (_, second) = counts.most_common(2)
        for i in members:
            label = corpus.labels[i]
            if n > second and label == usual:
                continue
            other = next(
                j for j in members if corpus.labels[j] != label and (n == second or corpus.labels[j] == usual)
            )
            why = f"{_likeness(same, i, other)} {_place(corpus, other)}, which is {corpus.labels[other]}"
            suggested = usual if n > second else ""
            yield Suspect(corpus.places[i], label, suggested, n / len(members), why, corpus.texts[i])


def _crossing(corpus, same, similar, is_held_out: Sequence[bool]) -> Iterator[Suspect]:
    """Yield the texts to train on that are among those held out, with the same label."""
    for members in _groups(similar):
        for i in members:
            others = [j for j in members if is_held_out[j] and corpus.labels[j] == corpus.labels[i]]
            if not is_held_out[i] and others:
                why = f"{_likeness(same, i, others[0])} {_place(corpus, others[0])}, which is held out"
                yield Suspect(corpus.places[i], corpus.labels[i], "", 0.0, why, corpus.texts[i])


def _groups(numbers: np.ndarray) -> Iterator[list[int]]:
    """Yield the texts of each number that several have."""
    order = np.argsort(numbers, kind="stable")
    edges = np.flatnonzero(np.diff(numbers[order])) + 1
    for members in np.split(order, edges):
        if len(members) > 1:
            yield members.tolist()


def _likeness(same: np.ndarray, i: int, j: int) -> str:
    return "the same as" if same[i] == same[j] else "nearly the same as"


def _place(corpus, i: int) -> str:
    place = corpus.places[i]
    return f"line {place}" if isinstance(place, int) else place
