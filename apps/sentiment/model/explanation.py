"""Why a model gives a text its label: the share of each term in the score, and of each place in the text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError
from .languages import UNSEGMENTED_BLOCKS
from .prediction import TRAIN_AGAIN
from .terms import bags_of, has_characters, shown_terms

Place = tuple[int, int]  # of a part of a text: text[start:stop]
Token = tuple[str, Place]


class Term(NamedTuple):
    """A word or n-gram that a model knows, how often the text has it, and what it adds to the score."""

    term: str
    count: int
    contribution: float


class Span(NamedTuple):
    """A word of the text as `text[start:stop]`, and what it adds to the score in all its terms."""

    start: int
    stop: int
    contribution: float


class Explanation(NamedTuple):
    """A text's label, and what the score for `side` is the sum of: the intercept and the terms.

    Attributes
    ----------
    label : str
        What the model predicts.
    side : str
        The label that positive contributions speak for: the second of two, as in all scores; of more, the
        predicted one, unless another was asked for.
    score : float
        The decision value for `side`.
    intercept : float
        What a text without a known term has as its score.
    words : list of Term
        The terms of the text that the model knows, those of the largest contributions, of whatever sign,
        first.
    spans : list of Span
        The words of the text that are part of such a term, from left to right. Their contributions have the
        sum of those of the terms.
    n_words : int
        How many words the text has.
    unknown : list of str
        Those that are part of no term the model knows, each time they occur.
    """

    label: str
    side: str
    score: float
    intercept: float
    words: list[Term]
    spans: list[Span]
    n_words: int
    unknown: list[str]


def explain(model, text: str, label: str | None = None) -> Explanation:
    """Split the score of a text into the contributions of its terms.

    Parameters
    ----------
    model : Pipeline
        A vectorizer, perhaps a weighting, and a linear classifier.
    text : str
        A text as `predict` takes it.
    label : str, optional
        The label whose score is explained; see `Explanation.side`.

    Returns
    -------
    Explanation
        `intercept` and the contributions of `words` add up to `score`: each is the value that the term has
        in the row which the classifier sees, times its weight.
    """
    return Explainer(model).explain(text, label)


class Explainer:
    """Explain many texts: see `explain`. The names of the model's terms, maybe a million, are made once."""

    def __init__(self, model) -> None:
        self._model = model
        self._bags = bags_of(model["vectorizer"])
        self._names = [bag.get_feature_names_out() for bag in self._bags]
        self._shown = shown_terms(model["vectorizer"])
        self._ends = np.cumsum([len(names) for names in self._names])

    def explain(self, text: str, label: str | None = None) -> Explanation:
        """Split the score of a text into the contributions of its terms."""
        vectorizer, classifier = self._model["vectorizer"], self._model["classifier"]
        row = counts = vectorizer.transform([text])
        for _, step in self._model.steps[1:-1]:
            row = step.transform(row)
        with np.errstate(over="ignore", invalid="ignore"):  # found below
            decision = classifier.decision_function(row)[0]
        winner = int(decision > 0) if np.ndim(decision) == 0 else int(decision.argmax())
        side, weights, intercept, score = _side(classifier, decision, winner, label)

        share_of = dict.fromkeys(counts.indices.tolist(), 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            shares = row.data * weights[row.indices]
            most = np.abs(shares).sum(dtype=float) + abs(float(intercept))  # no sum of some is beyond it
        if not np.isfinite([*np.ravel(decision), most]).all():
            raise AppError(f"the score of the text is beyond range; {TRAIN_AGAIN}")
        share_of |= zip(row.indices.tolist(), shares.tolist(), strict=True)
        places = self._places(text, share_of)
        words = [Term(self._shown[column], len(places[column]), share_of[column]) for column in places]
        words.sort(key=lambda word: (-abs(word.contribution), word.term))
        units = _units(vectorizer, text)
        spans, unknown = _spread(units, places, share_of)
        predicted = str(classifier.classes_.tolist()[winner])
        return Explanation(predicted, side, float(score), float(intercept), words, spans, len(units), unknown)

    def _places(self, text: str, known: Iterable[int]) -> dict[int, list[list[Place]]]:
        """Find the places of each occurrence of each column: parts of the text."""
        columns: list[dict[str, int]] = [{} for _ in self._bags]
        starts = self._ends - [len(names) for names in self._names]
        for column in known:
            which = int(np.searchsorted(self._ends, column, side="right"))
            columns[which][self._names[which][column - starts[which]]] = column
        places: dict[int, list[list[Place]]] = {}
        for bag, own in zip(self._bags, columns, strict=True):
            for term, members in _occurrences(bag, text):
                if term in own:
                    places.setdefault(own[term], []).append(members)
        return places


def _spread(units: list[Token], places: dict, share_of: dict) -> tuple[list[Span], list[str]]:
    """Share out what terms add among the parts of the text that they cover; return those they leave too."""
    starts = [start for _, (start, _) in units]
    shares: dict[int, float] = {}
    for column, occurrences in places.items():
        for members in occurrences:
            for start, stop in members:
                share = share_of[column] / len(occurrences) / len(members)
                unit = max(bisect_right(starts, start) - 1, 0)
                while unit < len(units) and starts[unit] < stop:
                    shared = min(stop, units[unit][1][1]) - max(start, starts[unit])
                    if shared > 0:
                        shares[unit] = shares.get(unit, 0.0) + share * shared / (stop - start)
                    unit += 1
    spans = [Span(*units[unit][1], share) for unit, share in sorted(shares.items())]
    unknown = [token for unit, (token, _) in enumerate(units) if unit not in shares]
    return spans, unknown


def _side(classifier, decision, winner: int, label: str | None):
    """Return the label that is explained, its weights, its intercept and its score."""
    classes = [str(name) for name in classifier.classes_.tolist()]
    two = len(classes) == 2
    if label is None:
        index = 1 if two else winner
    elif label in classes:
        index = classes.index(label)
    else:
        raise AppError(f"the model knows no label {label!r}; its labels are {', '.join(classes)}", USAGE)
    if not two:
        return classes[index], classifier.coef_[index], classifier.intercept_[index], decision[index]
    sign = 1 if index else -1
    return classes[index], sign * classifier.coef_[0], sign * classifier.intercept_[0], sign * decision


_PIECES = re.compile(r"&#?\w+;|.", re.DOTALL)  # an entity becomes one character; tags keep their length


def _units(vectorizer, text: str) -> list[Token]:
    """Return what a text is shown as: its words, or of scripts without blanks its characters."""
    bag = bags_of(vectorizer)[0]
    if has_characters(vectorizer):
        plain, starts, stops = _plain(bag, text)
        found = _SHOWN.finditer(plain)
        return [(match[0], (starts[match.start()], stops[match.end()])) for match in found]
    return _tokens(bag, text)


# A character of a script without blanks between words, a word, or what is neither.
_ALONE = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSEGMENTED_BLOCKS)
_SHOWN = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+|[^\w\s]+")


def _occurrences(bag, text: str) -> Iterator[tuple[str, list[Place]]]:
    """Yield what may be terms of a bag, as they come in a text, and the parts of it that they cover."""
    shortest, longest = bag.ngram_range
    if bag.analyzer != "char_wb":
        tokens = _tokens(bag, text)
        for start in range(len(tokens)):
            for stop in range(start + shortest, min(start + longest, len(tokens)) + 1):
                words, places = zip(*tokens[start:stop], strict=True)
                yield " ".join(words), list(places)
        return
    plain, starts, stops = _plain(bag, text)
    for match in re.finditer(r"\S+", plain):
        word = f" {match[0]} "
        first, last = match.start() - 1, match.end()
        for size in range(shortest, longest + 1):
            n = max(len(word) - size + 1, 1)
            for k in range(n):
                begin, end = max(first + k, first + 1), min(first + k + size, last)
                # A blank beside a word has the word's nearest character for its place.
                begin, end = min(begin, last - 1), max(end, first + 2)
                yield word[k : k + size], [(starts[begin], stops[end])]
            if n == 1:
                break


def _plain(bag, text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return a text as a bag cuts it, and of each place in it where that begins and ends in `text`."""
    preprocess = bag.build_preprocessor()
    plain = preprocess(text)
    # Lower case may be longer (İ), but never shorter; without accents a text may be either.
    if bag.strip_accents is None and len(plain) == len(text):
        return plain, range(len(plain) + 1), range(len(plain) + 1)
    pieces = text if bag.preprocessor is None else _PIECES.findall(text)
    places = [0, *accumulate(map(len, pieces))]
    owners = [i for i, piece in enumerate(pieces) for _ in preprocess(piece)]
    return plain, [places[i] for i in owners], [0, *(places[i + 1] for i in owners)]


def _tokens(bag, text: str) -> list[Token]:
    """Find the tokens as a bag of words does, stop words left out, and their places in `text`."""
    pattern = re.compile(r"\S+" if bag.analyzer == "split" else bag.token_pattern)
    plain, starts, stops = _plain(bag, text)
    stop_words = bag.get_stop_words() or ()
    group = pattern.groups  # what a pattern has in brackets is the token
    return [
        (match[group], (starts[match.start(group)], stops[match.end(group)]))
        for match in pattern.finditer(plain)
        if match[group] not in stop_words
    ]
