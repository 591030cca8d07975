"""Compare the texts that a model is given with the held-out texts of its training.

For example, the mean probability of the predicted labels was 0.83 for the held-out texts, and is 0.61 now.
Three figures are compared: this confidence, the known terms per word, and the number of texts that get each
label. The file of a model has the figures of the held-out texts. New texts are counted as they arrive, and
not kept.

A difference is reported if it is more than chance, and more than between two samples of one corpus. Values
are compared by the Mann-Whitney statistic: the share of all pairs of a held-out and a new text in which the
new text has the higher value, minus one half. The share of a label is estimated by the mean of its
probability, which varies less than the number of texts that get the label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastsvm.text import token_regex

from ...common.printing import many

if TYPE_CHECKING:
    from ..data.text_labels import TextLabels
    from .answer_scores import AnswerScores
    from .prediction import Model, Predictions

HELD_OUT = "held_out"  # in the `about` of a model file
BINS = 20  # of the values of held-out texts, with the same number of texts each
CHANCE = 0.01  # that a difference is reported although there is none
FEWEST_TEXTS = 100  # with fewer, nothing is reported
EXPECTED_TEXTS = 5  # with a label; with fewer, the test does not hold (Cochran 1954)
FIRST_TEXTS, LATER_TEXTS = 1000, 5  # words are counted in the first texts, then in one of every five
# Measured on the test parts of twelve corpora (docs/measurements/text.md): a part is reported if half of it
# comes from another corpus, and hardly ever if it is unchanged. Shares of pairs beyond a half:
MOVED_CONFIDENCE = 0.07
MOVED_WORDS = 0.1
SOME_NEW_WORDS = 0.07  # with so many, given labels differ although true labels do not (Hausa tweets)
MOVED_LABEL = 0.4  # of the logarithm of the odds of a label
MOST_LABELS = 3  # that are reported
LEAST_SLOPE = 0.1  # of weak models, which would exaggerate small differences
TINY = 1e-12  # instead of no variance
# Known terms per distinct word, relative to the held-out texts. With models of six corpora, at most 0.42 of
# the texts on other subjects in the same language have fewer, and at least 0.79 of the texts in other
# languages.
FAR_BELOW = 0.3
FEW_KNOWN = 0.5  # per word, if a model's file does not tell the usual number


class Moved(NamedTuple):
    """A difference: its name, and the values for the new and for the held-out texts."""

    what: str
    here: float
    held_out: float

    def __str__(self) -> str:
        show = _percent if self.what.startswith("label ") else "{:.2f}".format
        return f"{self.what} {show(self.here)} (there {show(self.held_out)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"


def held_out_record(
    evaluation: AnswerScores, corpus: TextLabels, known: np.ndarray | None = None
) -> dict[str, Any]:
    """Return what the file of a model keeps about the held-out texts of its training.

    Parameters
    ----------
    evaluation : AnswerScores
        The evaluation on these texts. Shares of labels are kept if it has probabilities.
    corpus : TextLabels
        The labels of all texts of the corpus, which give more exact shares of labels.
    known : ndarray of shape (n_texts,), optional
        Known terms per word in each text, if they were counted.
    """
    record: dict[str, Any] = {}
    if (likely := evaluation.probabilities) is not None:
        record["labels"] = _label_figures(likely, evaluation, corpus).tolist()
        record["confidence"] = _spread(likely.max(axis=1))
    if known is not None and not np.isnan(known).all():
        record["known"] = _spread(known[~np.isnan(known)])
    return {HELD_OUT: record}


def _label_figures(likely: np.ndarray, evaluation: AnswerScores, corpus: TextLabels) -> np.ndarray:
    """Return five rows, with one column per label.

    The rows are the share of the label; the mean probability that corresponds to this share, and the error of
    this mean; the variance of the probability; and a slope: if the share is d larger, the mean is slope * d
    larger.
    """
    has_it = evaluation.truth.table[:, : likely.shape[1]]
    counts = corpus.label_counts
    share = np.array([counts[label] for label in evaluation.classes]) / len(corpus)
    bias, held_out = likely - has_it, has_it.mean(axis=0)
    covariance = (likely * has_it).mean(axis=0) - likely.mean(axis=0) * held_out
    slope = np.clip(covariance / np.maximum(held_out * (1 - held_out), TINY), LEAST_SLOPE, 1)
    error = np.sqrt(bias.var(axis=0) / len(bias) + share * (1 - share) / len(corpus))
    return np.array([share, share + bias.mean(axis=0), error, likely.var(axis=0), slope])


def _spread(values: np.ndarray) -> dict[str, Any]:
    edges = np.unique(np.quantile(values, np.arange(1, BINS) / BINS))
    counts = np.bincount(np.searchsorted(edges, values, side="right"), minlength=len(edges) + 1)
    return {"mean": float(values.mean()), "edges": edges.tolist(), "counts": counts.tolist()}


def known_per_word(texts: Sequence[str], n_terms: np.ndarray) -> np.ndarray:
    """Return the known terms per distinct word in each text; nan for a text without words.

    The terms are words or, if the model has none, sequences of characters. The latter tell little: an English
    model knows as many in German texts as in English ones.
    """
    find = token_regex(r"\w+", marks=True).findall
    return n_terms / np.array([len(set(find(text.lower()))) or np.nan for text in texts])


class _Spread:
    """The ranks of values among the values of the held-out texts: the share of these that are lower."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        there = np.array(record["counts"], float)
        self._edges, self.n_there = np.array(record["edges"], float), there.sum()
        if len(self._edges) + 1 != len(there) or not self.n_there > 0:
            raise ValueError("counts")
        self._below, self.mean_there = (np.cumsum(there) - there / 2) / self.n_there, float(record["mean"])
        self._sums = np.zeros(4)  # of places, values and weights, and of squared weights

    def add(self, values: np.ndarray, weight: int = 1) -> None:
        places = self._below[np.searchsorted(self._edges, values, side="right")]
        n = len(values)
        self._sums += weight * places.sum(), weight * values.sum(), weight * n, weight**2 * n

    def halve(self) -> None:
        """Halve the weight of all values counted so far."""
        self._sums *= 0.5, 0.5, 0.5, 0.25

    @property
    def n(self) -> float:
        return float(self._sums[2])

    @property
    def means(self) -> tuple[float, float]:
        """The mean values of the new texts and of the held-out texts."""
        return float(self._sums[1] / self._sums[2]), self.mean_there

    @property
    def shift(self) -> tuple[float, float]:
        """The share of pairs beyond a half in which the new value is higher, and its limit by chance."""
        places, _, n, squares = self._sums
        if min(n, self.n_there) < FEWEST_TEXTS:
            return 0.0, 1.0
        chance = _deviations(2) * ((squares / n**2 + 1 / self.n_there) / 12) ** 0.5
        return float(places / n) - 0.5, float(chance)


def _deviations(n_sides: int) -> float:
    """Return how many standard deviations one of `n_sides` differences exceeds by chance alone."""
    return NormalDist().inv_cdf(1 - CHANCE / n_sides)


class TextWatch:
    """Compare texts, as they are predicted, with the held-out texts of the model's training.

    Parameters
    ----------
    model : TextScorer or Pipeline
    about : mapping
        The `about` of its file. If no texts were held out, nothing is reported.
    window : int, optional
        After each `window` texts, the weight of all texts counted before is halved.
    """

    def __init__(self, model: Model, about: Mapping[str, Any], window: int | None = None) -> None:
        self._names = [str(label) for label in model.classes_.tolist()]
        self._window, self._sums = window, np.zeros((2, len(self._names)))  # of probabilities, of squares
        self._labels = self._confidence = self._known = None
        self._n = self._n_strange = 0
        record = about.get(HELD_OUT)
        try:  # a file may say anything
            if "confidence" in record:
                self._labels = np.array(record["labels"], float).reshape(5, len(self._names))
                self._confidence = _Spread(record["confidence"])
            if "known" in record:
                self._known = _Spread(record["known"])
        except (KeyError, TypeError, ValueError):
            self._confidence = self._known = None
        usual = None if self._known is None else self._known.mean_there
        self._few_known = FEW_KNOWN if usual is None else FAR_BELOW * usual

    def add(self, texts: Sequence[str], found: Predictions) -> None:
        """Count more texts and their predictions; empty texts are ignored."""
        there = [i for i, text in enumerate(texts) if text]
        if self._confidence is not None and found.probabilities is not None:
            likely = found.probabilities[there]
            self._confidence.add(likely.max(axis=1))
            self._sums += likely.sum(axis=0), (likely**2).sum(axis=0)
        first = there[: max(0, FIRST_TEXTS - self._n)]
        later = there[len(first) + -(self._n + len(first)) % LATER_TEXTS :: LATER_TEXTS]
        before, self._n = self._n, self._n + len(there)
        for rows, weight in ((first, 1), (later, LATER_TEXTS)):
            if not rows:
                continue
            known = known_per_word([texts[i] for i in rows], found.n_first_terms[rows])
            self._n_strange += int((known < self._few_known).sum()) * (rows is first)
            if self._known is not None:
                self._known.add(known[~np.isnan(known)], weight)
        if self._window and before // self._window < self._n // self._window:
            self._sums /= 2
            for spread in filter(None, (self._confidence, self._known)):
                spread.halve()

    @property
    def is_settled(self) -> bool:
        """Whether the texts are enough to tell whether they are strange."""
        return self._n >= FIRST_TEXTS

    @property
    def strangeness(self) -> str:
        """A warning if the model knows few words in most of the first texts; otherwise empty."""
        n = min(self._n, FIRST_TEXTS)
        if 2 * self._n_strange <= n:
            return ""
        first = "the first " if self._n >= FIRST_TEXTS else ""
        found = f"{self._n_strange:,} of {first}{many(n, 'text')}"
        return f"the model knows few words in {found} (another language or subject?)"

    @property
    def moved(self) -> list[Moved]:
        """The differences from the held-out texts; shares of labels only if the texts are similar."""
        found, new_words = [], 0.0
        if self._known is not None:
            shift, chance = self._known.shift
            new_words = -shift
            if new_words - chance > MOVED_WORDS:
                found.append(Moved("known terms per word", *self._known.means))
        if self._confidence is not None:
            shift, chance = self._confidence.shift
            if abs(shift) - chance > MOVED_CONFIDENCE:
                found.append(Moved("confidence", *self._confidence.means))
            if not found and new_words < SOME_NEW_WORDS:
                found = self._moved_labels()
        return found

    def _moved_labels(self) -> list[Moved]:
        """Compare the mean probabilities of labels, and return the shares that they imply."""
        share, there, error, variance, slope = self._labels
        n, n_there = self._confidence.n, self._confidence.n_there
        if min(n, n_there) < FEWEST_TEXTS:
            return []
        mean, squares = self._sums / n
        here = np.clip(share + (mean - there) / slope, 0, 1)
        variance = (squares - mean**2 + variance) / 2
        apart = np.abs(mean - there) / np.sqrt(variance / n + error**2 + TINY)
        odds = (here + 1 / n) / (1 - here + 1 / n) / ((share + 1 / n) / (1 - share + 1 / n))
        is_frequent = (n * mean + n_there * there) / (n + n_there) * min(n, n_there) >= EXPECTED_TEXTS
        is_moved = is_frequent & (apart > _deviations(2 * len(share))) & (np.abs(np.log(odds)) > MOVED_LABEL)
        order = [i for i in np.argsort(-apart, kind="stable")[:MOST_LABELS] if is_moved[i]]
        return [Moved(f"label {self._names[i]}", float(here[i]), float(share[i])) for i in order]

    @property
    def record(self) -> list[dict[str, Any]]:
        """The differences, for JSON."""
        return [each._asdict() for each in self.moved]

    @property
    def difference(self) -> str:
        """The differences in words; empty if there are none."""
        told = ", ".join(map(str, self.moved))
        return told and f"the texts differ from those held out in training: {told}"
