"""Why a model gives a text its label: the share of each term in the score, and of each place in the text."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ...common.errors import USAGE, AppError
from .places import Occurrences, places
from .prediction import TRAIN_AGAIN


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
        self._names = model["vectorizer"].get_feature_names_out()

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

        share_of = dict.fromkeys(self._names[counts.indices].tolist(), 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            shares = row.data * weights[row.indices]
            most = np.abs(shares).sum(dtype=float) + abs(float(intercept))  # no sum of some is beyond it
        if not np.isfinite([*np.ravel(decision), most]).all():
            raise AppError(f"the score of the text is beyond range; {TRAIN_AGAIN}")
        share_of |= zip(self._names[row.indices].tolist(), shares.tolist(), strict=True)
        tokens, occurrences = places(vectorizer, text, share_of)
        words, token_shares = _spread(share_of, occurrences)
        spans = [Span(*tokens[i][1:], share) for i, share in sorted(token_shares.items())]
        unknown = [token for i, (token, _, _) in enumerate(tokens) if i not in token_shares]
        predicted = str(classifier.classes_.tolist()[winner])
        return Explanation(
            predicted, side, float(score), float(intercept), words, spans, len(tokens), unknown
        )


def _spread(share_of: dict[str, float], found: Occurrences) -> tuple[list[Term], dict[int, float]]:
    """Return the terms, the largest first, and what each token has of them."""
    words = []
    token_shares: dict[int, float] = defaultdict(float)
    for term, occurrences in found.items():
        share = share_of[term]
        words.append(Term(term, len(occurrences), share))
        for members in occurrences:
            for token in members:
                token_shares[token] += share / len(occurrences) / len(members)
    words.sort(key=lambda word: (-abs(word.contribution), word.term))
    return words, token_shares


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
