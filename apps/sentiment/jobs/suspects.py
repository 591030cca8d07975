"""Labels of a corpus that are probably wrong, and texts that it has more than once."""

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from fastsvm.fitting import ConvergenceWarning

from ...common.errors import AppError, Skipped
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import Source
from ..learning import steps
from ..learning.alpha_choice import k_folds, split_texts
from ..learning.counted import Counted
from ..learning.recipe_choice import choose_recipe
from ..measures.prediction import winners_of
from ..measures.scores import HeldOut
from ..settings import AUTO, Settings
from .duplicates import same_texts, similar_texts


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
        Of a label that the model contradicts, the probability of the suggested one, if it is one of the two;
        of texts that are there with several labels, the share of the suggested one.
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
    classes, likely = _probabilities(source, corpus.texts, y, similar, settings, folds, stage)
    suggested, odds = _contradictions(likely, classes, y)
    found = [
        Suspect(
            corpus.places[i],
            y[i],
            classes[suggested[i]],
            float(expit(odds[i])),
            "contradicted",
            corpus.texts[i],
        )
        for i in np.argsort(-odds, kind="stable")[:number]
        if odds[i] > 0
    ]
    is_held_out = _held_out(corpus.texts, corpus.labels, settings)
    conflicts = list(_conflicts(corpus, same, similar))
    crossing = list(_crossing(corpus, same, similar, is_held_out))
    n_wrong = int(np.count_nonzero(odds > 0))
    return Inspection(
        [*found, *conflicts[:number], *crossing[:number]],
        len(y),
        1 - n_wrong / len(y),
        n_wrong,
        len(conflicts),
        len(crossing),
        corpus.skipped,
    )


def _probabilities(
    source: Source, texts: list[str], y: np.ndarray, groups: np.ndarray, settings: Settings, k: int, stage
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels, and their probabilities by models trained without each text and its likes.

    A label that a model has not learned is nan.
    """
    if settings.recipe == AUTO:
        settings, _ = choose_recipe(texts, y.tolist(), settings, stage)
    with stage("vectorize"):
        everything = Counted.of(source, texts, y, settings)
    classes, first = np.unique(y), np.unique(groups, return_index=True)[1]
    likely, learned = np.full((len(y), len(classes)), np.nan), None
    with stage("cross-validate", total=k) as advance:
        for _, part in k_folds(y[first], min(k, len(first)), settings.seed):
            is_tried = np.isin(groups, groups[first[part]])
            known = np.unique(y[~is_tried])
            if len(known) < 2:
                raise AppError(f"{source.name}: too few texts to judge some of them by others; give more")
            others, X = everything.parted(source, np.flatnonzero(~is_tried), np.flatnonzero(is_tried))
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                # What is best for one part is for the others: alpha, and what makes scores probabilities.
                if learned is None or set(learned.model.classes_) != set(known):
                    learned = others.learn(settings)
                else:
                    learned = others.fit(learned.settings, left_out=learned.left_out)
            found = learned.try_on(X, [], [])
            likely[np.ix_(is_tried, np.isin(classes, known))] = _likely(found)
            advance()
    return classes, likely


def _likely(found: HeldOut) -> np.ndarray:
    """Return probabilities; where too few texts were there to learn them, what the scores say as they are."""
    if found.probabilities is not None:
        return found.probabilities
    scores = found.decision
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))


def _contradictions(likely: np.ndarray, classes: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each text the likeliest label but its own, and the log of how much likelier it is."""
    rows, own = np.arange(len(y)), np.searchsorted(classes, y)
    with np.errstate(divide="ignore"):
        log = np.log(likely)
    given = log[rows, own]
    others = np.where(np.isnan(log), -np.inf, log)
    others[rows, own] = -np.inf
    winners, best = winners_of(others)
    # Of a label that is nowhere else nothing was learned.
    return winners, np.where(np.isnan(given), -np.inf, best - given)


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
