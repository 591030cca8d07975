"""The explanation of a label: the contribution of each term to the score, and of each place in the text."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple
from unicodedata import category

import numpy as np

from fastsvm.text import token_regex

from ...common.errors import USAGE, AppError
from ..data.text_labels import TextLabels
from ..measures.prediction import TRAIN_AGAIN, bags_of_model, is_kernel_machine, thresholds_of, weighed
from ..text_recipes import is_unsegmented

MOST_VALUES = 1 << 22  # of the rows that a kernel machine scores at a time


class ExplainedTerm(NamedTuple):
    """A word or n-gram of a model, its count in a text, and its contribution to the score."""

    term: str
    count: int
    contribution: float


class ExplainedSpan(NamedTuple):
    """A word of the text as `text[start:stop]`, and its contribution to the score in all its terms."""

    start: int
    stop: int
    contribution: float


class TextExplanation(NamedTuple):
    """The label of a text, and the parts of its score: the intercept and the contributions of the terms.

    Attributes
    ----------
    label : str
        The predicted label, or all of several, joined by commas.
    side : str
        The label that positive contributions speak for: the second of two, as in all scores; of more labels,
        the best one, unless another was given.
    score : float
        The decision value for `side`.
    intercept : float
        The score of a text without a known term.
    words : list of ExplainedTerm
        The terms of the text that the model knows, the largest absolute contributions first.
    spans : list of ExplainedSpan
        The words of the text that are part of such a term, from left to right. Their contributions have the
        same sum as the terms' contributions.
    n_words : int
        Number of words in the text.
    unknown : list of str
        The words that are part of no known term, each time they occur.
    against : str
        The label that negative contributions speak for, if there are two exclusive labels; otherwise empty.
    together : float
        The rest of the score: what the terms of a kernel machine add only together. Otherwise 0.
    """

    label: str
    side: str
    score: float
    intercept: float
    words: list[ExplainedTerm]
    spans: list[ExplainedSpan]
    n_words: int
    unknown: list[str]
    against: str = ""
    together: float = 0.0

    def __str__(self) -> str:
        """The label, and the contributions to its score."""
        rows = [(each.term, each.contribution) for each in self.words]
        rows += [("(terms together)", self.together)] * bool(self.together)
        rows += [("(intercept)", self.intercept), ("(score)", self.score)]
        wide = max(len(name) for name, _ in rows)
        head = f"{self.label or 'no label'} (score {self.score:+.4f} for {self.side})"
        return "\n".join([head, *(f"{name:<{wide}}  {share:+.4f}" for name, share in rows)])


class TextExplainer:
    """Explain texts; the names of the model's terms, perhaps a million, are computed only once.

    Parameters
    ----------
    model : Pipeline
        A vectorizer, perhaps a weighting, and a classifier.
    """

    def __init__(self, model) -> None:
        self._model = model
        self._bags = bags_of_model(model)
        self._names = [bag.get_feature_names_out() for bag in self._bags]
        parts = getattr(model["vectorizer"], "transformer_list", [])
        self._prefixes = [f"{name}__" for name, _ in parts] or [""]  # as its terms have it

    @np.errstate(over="ignore", invalid="ignore")  # what is not finite is found
    def explain(self, text: str, label: str | None = None) -> TextExplanation:
        """Split the score of a text into the contributions of its terms.

        Parameters
        ----------
        text : str
            A text as `predict` takes it.
        label : str, optional
            The label whose score is explained; see `TextExplanation.side`.

        Returns
        -------
        TextExplanation
            `intercept` and the contributions of `words` add up to `score`. A contribution is the value of the
            term in the row that the classifier sees, times the term's weight. For a kernel machine, it is
            what the score loses without the term, and `together` belongs to the sum.
        """
        classifier = self._model["classifier"]
        counts = self._model["vectorizer"].transform([text])
        row = weighed(self._model, counts)
        decision = classifier.decision_function(row)[0]
        labels = TextLabels.given(classifier.classes_, np.array([decision]), thresholds_of(classifier))
        best = labels.codes[0] if labels.exclusive else decision.argmax()
        side, index, sign, against = _explained_side(classifier, np.ndim(decision) == 0, int(best), label)
        score, together = sign * float(np.ravel(decision)[index]), 0.0
        if is_kernel_machine(classifier):
            shares, intercept = self._losses_without(counts, row.indices, index)
            together = score - sign * float(intercept + shares.sum())
        else:
            shares, intercept = _linear_shares(classifier, row, index)
        shares, intercept = sign * shares, float(sign * intercept)
        most = np.abs(shares).sum(dtype=float) + abs(intercept)  # no sum of some is beyond it
        if not np.isfinite([*np.ravel(decision), most]).all():
            raise AppError(f"the score of the text is beyond range; {TRAIN_AGAIN}")
        words: list[ExplainedTerm] = []
        marks = ExplanationMarks(self._bags[0], text)
        start = 0
        for bag, names, prefix in zip(self._bags, self._names, self._prefixes, strict=True):
            stop = start + len(names)
            there, own = ((found >= start) & (found < stop) for found in (counts.indices, row.indices))
            share_of = dict.fromkeys(names[counts.indices[there] - start].tolist(), 0.0)
            share_of |= zip(names[row.indices[own] - start].tolist(), shares[own].tolist(), strict=True)
            words += [term._replace(term=prefix + term.term) for term in marks.add(bag, share_of)]
            start = stop
        words.sort(key=lambda word: (-abs(word.contribution), word.term))
        has_characters = any(bag.analyzer == "char_wb" for bag in self._bags)
        spans, n_words, unknown = marks.spans(marks.pieces() if has_characters else marks.tokens)
        others = n_words, unknown, against, together
        return TextExplanation(labels.spelled[0], side, score, intercept, words, spans, *others)

    def _losses_without(self, counts, columns: np.ndarray, index: int) -> tuple[np.ndarray, float]:
        """Return what one decision value loses without each of some terms, and its value without terms."""
        from scipy.sparse import csr_matrix

        def score(left_out: np.ndarray) -> np.ndarray:
            rows, places = np.nonzero(counts.indices != left_out[:, np.newaxis])
            shape = len(left_out), counts.shape[1]
            X = weighed(self._model, csr_matrix((counts.data[places], (rows, counts.indices[places])), shape))
            return self._model["classifier"].decision_function(X).reshape(len(left_out), -1)[:, index]

        every = np.append(columns, -1)  # and none is left out
        step = max(1, MOST_VALUES // (counts.nnz + 1))
        found = np.concatenate([score(every[k : k + step]) for k in range(0, len(every), step)])
        nothing = self._model.decision_function([""])
        return found[-1] - found[:-1], float(nothing.ravel()[index])


class ExplanationMarks:
    """The contribution of each character of a text to a score.

    Parameters
    ----------
    bag : Bag
        Prepares the text, as all bags of the model do, and finds its words.
    text : str
    """

    def __init__(self, bag, text: str) -> None:
        self._plain, self._starts, self._stops = _prepared_text(bag, text)
        self.tokens = [] if bag.analyzer == "char_wb" else _tokens_with_places(bag, self._plain)
        self._shares = np.zeros(len(self._plain))
        self._known = np.zeros(len(self._plain), bool)

    def add(self, bag, share_of: dict[str, float]) -> list[ExplainedTerm]:
        """Distribute the contributions of a bag's terms over their places; return the terms that occur."""
        if bag.analyzer == "char_wb":
            places = _places_of_characters(bag, self._plain, share_of)
        else:
            places = _places_of_words(bag, self.tokens, share_of)
        for term, occurrences in places.items():
            for members in occurrences:
                share = share_of[term] / len(occurrences) / len(members)
                for start, stop in members:
                    self._shares[start:stop] += share / (stop - start)
                    self._known[start:stop] = True
        return [ExplainedTerm(term, len(found), share_of[term]) for term, found in places.items()]

    def pieces(self) -> list[tuple[str, int, int]]:
        """Return the words and signs of the text, or its characters if no blanks stand between words."""
        if is_unsegmented([self._plain]):
            whole = _with_marks(self._plain)
            stops = accumulate(map(len, whole))
            return [(s, stop - len(s), stop) for s, stop in zip(whole, stops, strict=True) if not s.isspace()]
        pattern = token_regex(r"\w+", marks=True).pattern + r"|[^\w\s]+"
        return [(match[0], *match.span()) for match in re.finditer(pattern, self._plain)]

    def spans(self, pieces: list[tuple[str, int, int]]) -> tuple[list[ExplainedSpan], int, list[str]]:
        """Return what each piece contributes, the number of pieces, and the pieces without a known term."""
        spans, unknown = [], []
        for piece, start, stop in pieces:
            if self._known[start:stop].any():
                share = float(self._shares[start:stop].sum())
                spans.append(ExplainedSpan(self._starts[start], self._stops[stop], share))
            else:
                unknown.append(piece)
        return spans, len(pieces), unknown


def _linear_shares(classifier, row, index: int) -> tuple[np.ndarray, float]:
    """Return what each value of a row adds to one decision value, and the intercept."""
    shares = row.data * classifier.coef_[index][row.indices]
    if (squares := getattr(classifier, "squares_", None)) is not None:
        # as `decision_scores` of fastsvm divides by the norm
        shares /= np.sqrt(row.data**2 @ squares[index][row.indices]) or 1
    return shares, classifier.intercept_[index]


def _explained_side(classifier, two: bool, best: int, label: str | None) -> tuple[str, int, int, str]:
    """Return the label that is explained, the index of its decision value and the sign it has there, and the
    opposite label, if there are two."""
    classes = [str(name) for name in classifier.classes_.tolist()]
    if label is None:
        index = 1 if two else best
    elif label in classes:
        index = classes.index(label)
    else:
        there = ", ".join(classes)
        raise AppError(f"the model does not know the label {label!r}; its labels are {there}", USAGE)
    if two:
        return classes[index], 0, 1 if index else -1, classes[1 - index]
    return classes[index], index, 1, ""


_PIECES = re.compile(r"&#?\w+;|.", re.DOTALL)  # an entity becomes one character; tags keep their length


def _with_marks(pieces: Iterable[str], shown: Callable[[str], str] = str) -> list[str]:
    """Add to each piece its marks and the parts of Hangul, which NFC may combine; a tag has no marks."""
    whole: list[str] = []
    for piece in pieces:
        first = shown(piece)[:1] or " "
        if (category(first)[0] == "M" or "\u1160" <= first <= "\u11ff") and whole and whole[-1] != ">":
            whole[-1] += piece
        else:
            whole.append(piece)
    return whole


def _prepared_text(bag, text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """Return a text as a bag reads it, and where in `text` its characters start and stop."""
    preprocess = bag.build_preprocessor()
    plain = preprocess(text)
    starts = stops = range(len(plain) + 1)
    # Lower case may be longer (İ), but never shorter; without accents, or in NFC, a text may be either.
    if not text.isascii() or len(plain) != len(text):
        pieces = _with_marks(text if bag.preprocessor is None else _PIECES.findall(text), preprocess)
        places = [0, *accumulate(map(len, pieces))]
        owners = [i for i, piece in enumerate(pieces) for _ in preprocess(piece)]
        starts = [places[i] for i in owners]
        stops = [0, *(places[i + 1] for i in owners)]
    return plain, starts, stops


def _tokens_with_places(bag, plain: str) -> list[tuple[str, int, int]]:
    """Find the tokens as the bag does, stop words left out: token, start and stop."""
    pattern = r"\S+" if bag.analyzer == "split" else bag.token_pattern
    pattern = token_regex(pattern, getattr(bag, "marks", False))
    stop_words = bag.get_stop_words() or ()
    group = pattern.groups  # the group of a pattern is the token
    found = (match for match in pattern.finditer(plain) if match[group] not in stop_words)
    return [(match[group], *match.span(group)) for match in found]


Places = dict[str, list[list[tuple[int, int]]]]  # of each term, for each time it occurs, where its parts are


def _places_of_words(bag, tokens: list[tuple[str, int, int]], known: Container[str]) -> Places:
    """Find the tokens of each occurrence of each known term."""
    shortest, longest = bag.ngram_range
    places: Places = {}
    for start in range(len(tokens)):
        for stop in range(start + shortest, min(start + longest, len(tokens)) + 1):
            term = " ".join(token for token, _, _ in tokens[start:stop])
            if term in known:
                places.setdefault(term, []).append([(a, b) for _, a, b in tokens[start:stop]])
    return places


def _places_of_characters(bag, plain: str, known: Container[str]) -> Places:
    """Find known character n-grams inside words, with a blank on either side of each word."""
    shortest, longest = bag.ngram_range
    places: Places = {}
    for match in re.finditer(r"\S+", plain):
        first, last = match.span()
        padded = f" {match[0]} "
        for n in range(shortest, longest + 1):
            for i in range(max(len(padded) - n, 0) + 1):
                term = padded[i : i + n]
                if term in known:
                    start, stop = max(first, first + i - 1), min(last, first + i - 1 + n)
                    if start >= stop:  # a single blank counts for its neighbour
                        start, stop = (first, first + 1) if i == 0 else (last - 1, last)
                    places.setdefault(term, []).append([(start, stop)])
            if n >= len(padded):
                break  # what is shorter counts once
    return places
