"""Inspect a corpus: its statistics, labels that are probably wrong, and texts that occur several times."""

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from fastsvm.fitting import ConvergenceWarning, softmax

from ...common.errors import AppError, place_of
from ...common.folds import stratified_folds
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import MOST_LABELS, Corpus, read_corpus
from ..data.text_source import CorpusError, TextSource, names_corpus
from ..learning.learned_model import CountedTexts
from ..learning.recipe_choice import choose_recipe
from ..learning.text_splits import split_rows
from ..measures.metrics import columns_of
from ..settings import Settings, settle
from ..text_recipes import AUTO
from .corpus_description import CorpusDescription
from .suspect_texts import SuspectText, contradicted_texts, groups_of_equals, same_texts, similar_texts


class CorpusInspection:
    """The statistics of a corpus, labels that are probably wrong, and texts that occur several times.

    Parameters
    ----------
    source : TextSource
    settings : Settings
        The recipe. `holdout` and `seed` decide which texts `train` would hold out.
    folds : int
        Number of parts of the corpus. The labels of each part are checked by a model trained on the other
        parts; similar texts are in the same part. 0 skips this check.
    number : int
        Number of frequent words, and of suspected texts of each kind, to list.
    stage : Stages, optional
        Times the stages.

    Attributes
    ----------
    description : CorpusDescription
    suspects : list of SuspectText
        First contradicted labels, the most certain first; then texts that occur several times.
    accuracy : float or None
        Share of the labels that agree with models trained without these texts; None without such models.
    n_contradicted : int or None
        Number of the other labels: wrong ones, and those of texts that are too hard for the model.
    n_conflicts : int
        Number of texts that occur elsewhere with another label.
    n_crossing : int
        Number of training texts that also occur, exactly or nearly, among the held-out texts.
    unchecked : str
        The reason why no model was trained; empty if a model was trained.
    """

    @names_corpus
    def __init__(
        self, source: TextSource, settings: Settings, *, folds: int, number: int, stage: Stages = UNWATCHED
    ) -> None:
        with stage("read"):
            corpus = read_corpus(source, most_labels=None)
        with stage("describe"):
            self.description = CorpusDescription(corpus, settings.tokens, number)
        with stage("find duplicates"):
            same, similar = same_texts(corpus.texts), similar_texts(corpus.texts)
        self.accuracy = self.n_contradicted = None
        self.suspects, self.unchecked = [], "--folds 0" if folds == 0 else ""
        if folds:
            try:
                likely = _held_out_probabilities(corpus, similar, settings, max(folds, 2), stage)
                columns = corpus.places, corpus.texts
                found = contradicted_texts(likely, corpus.labels, columns, number)
                self.n_contradicted, self.suspects = found.n_contradicted, found.texts
                self.accuracy = 1 - self.n_contradicted / len(corpus.labels)
            except AppError as error:
                self.unchecked = error.message
        is_held_out = np.zeros(len(corpus.texts), bool)
        with suppress(AppError):  # too few texts
            is_held_out[split_rows(corpus.texts, corpus.labels, settings.holdout, settings.seed)[1]] = True
        groups = sorted(groups_of_equals(enumerate(similar.tolist()))[1])
        conflicts = list(_conflicting_suspects(corpus, same, groups))
        crossing = list(_crossing_suspects(corpus, same, groups, is_held_out))
        self.n_conflicts, self.n_crossing = len(conflicts), len(crossing)
        self.suspects += conflicts[:number] + crossing[:number]


def _held_out_probabilities(
    corpus: Corpus, groups: np.ndarray, settings: Settings, k: int, stage: Stages
) -> np.ndarray:
    """Return the probabilities of the labels by models trained without the text and similar texts.

    The probability of a label that a model has not learned is nan.
    """
    y = corpus.labels
    if len(y.names) > MOST_LABELS:
        raise CorpusError(f"more than {MOST_LABELS:,} labels")
    settings = settle(settings, corpus.format, corpus.texts, corpus.labels)
    if settings.recipe == AUTO:
        settings, _ = choose_recipe(corpus.texts, corpus.labels, settings, stage)
    with stage("vectorize"):
        everything = CountedTexts.of(corpus.texts, y, settings)
    first = np.unique(groups, return_index=True)[1]
    likely, learned = np.full((len(y), len(y.names)), np.nan), None
    with stage("cross-validate", total=k) as advance:
        for _, part in stratified_folds(y[first].strata, min(k, len(first)), settings.seed):
            is_tried = np.isin(groups, groups[first[part]])
            known = y[~is_tried].present().names
            if len(known) < 2:
                raise CorpusError("too few texts to check some of them by the others; give more texts")
            others, X = everything.parted(np.flatnonzero(~is_tried), np.flatnonzero(is_tried))
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                # The best alpha and the calibration of one part are used for the others.
                if learned is None or set(learned.model.classes_) != set(known):
                    learned = others.learn(settings)
                else:
                    learned = others.fit(learned.settings, left_out=learned.left_out)
            decision, probabilities = learned.scores(X)
            if probabilities is None:  # scores as if they were log odds
                probabilities = softmax(columns_of(decision))
            likely[np.ix_(is_tried, np.isin(y.names, known))] = probabilities
            advance()
    return likely


def _conflicting_suspects(corpus: Corpus, same: np.ndarray, groups: list[list[int]]) -> Iterator[SuspectText]:
    """Yield the texts that also occur with another label; of each group, those with the rarer labels."""
    labels = [*corpus.labels]
    for members in groups:
        counts = Counter(labels[i] for i in members)
        if len(counts) < 2:
            continue
        (usual, n), (_, second) = counts.most_common(2)
        for i in members:
            label = labels[i]
            if n > second and label == usual:
                continue
            others = (j for j in members if labels[j] != label)
            other = next(j for j in others if n == second or labels[j] == usual)
            why = f"{_likeness_of_suspects(corpus, same, i, other)} {labels[other]}"
            suggested = usual if n > second else ""
            yield SuspectText(corpus.places[i], label, suggested, n / len(members), why, corpus.texts[i])


def _crossing_suspects(
    corpus: Corpus, same, groups: list[list[int]], is_held_out: np.ndarray
) -> Iterator[SuspectText]:
    """Yield the training texts that also occur, with the same label, among the held-out texts."""
    labels = [*corpus.labels]
    for members in groups:
        for i in members:
            others = [j for j in members if is_held_out[j] and labels[j] == labels[i]]
            if not is_held_out[i] and others:
                why = f"{_likeness_of_suspects(corpus, same, i, others[0])} held out"
                yield SuspectText(corpus.places[i], labels[i], "", 0.0, why, corpus.texts[i])


def _likeness_of_suspects(corpus: Corpus, same: np.ndarray, i: int, j: int) -> str:
    """Return how similar a text is to another one, and where the other one is."""
    likeness = "the same as" if same[i] == same[j] else "nearly the same as"
    return f"{likeness} {place_of(corpus.places[j])}, which is"
