"""The texts to label next: those with the least certain labels, no two of them nearly the same."""

from collections.abc import Iterable
from heapq import nsmallest
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ...common.errors import Skipped, place_of
from ...common.training_items import are_learned, text_hashes
from ..data.corpus import open_unlabelled
from ..data.text_source import TextSource
from ..measures.prediction import classify_shard, least_sure, separator_of_model, thresholds_of

CANDIDATES = 10  # per text to choose, the least certain ones; memory holds up to twice as many
# Cosine similarity of term counts; of two texts that are more similar, one is left out. With 0.7, the texts
# chosen among tickets were worse than random ones: all tickets have the same frequent terms.
NEAR = 0.95


class NextText(NamedTuple):
    """A text to label, its predicted label, the label in doubt, the lead of the former, and its place.

    With several labels per text, `predicted` has them joined by the model's separator, and the label in doubt
    is the one nearest to its threshold. Otherwise the label in doubt is the second best one.
    """

    text: str
    predicted: str
    unsure: str
    lead: float
    place: str


def texts_to_label(
    model, about: dict, sources: Iterable[TextSource], n: int
) -> tuple[list[NextText], list[Skipped]]:
    """Choose texts to label, the least certain first.

    Parameters
    ----------
    model : TextScorer or Pipeline
    about : dict
        The `about` of its file. Texts that the model has learned from are left out.
    sources : iterable of TextSource
    n : int
        Number of texts; fewer are returned if all others are nearly the same as these.

    Returns
    -------
    list of NextText, list of Skipped
        The texts, and the skipped records of each source.
    """
    names = [str(label) for label in model.classes_.tolist()]
    candidates: list[NextText] = []
    skipped, by_lead = [], attrgetter("lead")
    for source in sources:
        skipped.append(Skipped(source.name))
        with open_unlabelled(source, skipped[-1]) as found:
            for batch in found.blocks:
                texts, places = [each.text for each in batch], [each.where for each in batch]
                answers = classify_shard((source.name, texts, places), model, {})
                predicted = [*map(separator_of_model(about).join, answers.given.called(names))]
                unsure, lead = least_sure(answers.decision, thresholds_of(model))
                for i in np.flatnonzero(~are_learned(text_hashes(texts), about)):
                    if texts[i]:
                        place = f"{source.name}, {place_of(places[i])}"
                        doubt = names[unsure[i]], float(lead[i])
                        candidates.append(NextText(texts[i], predicted[i], *doubt, place))
                if len(candidates) > 2 * CANDIDATES * n:
                    candidates = nsmallest(CANDIDATES * n, candidates, key=by_lead)
    return _apart(model, nsmallest(CANDIDATES * n, candidates, key=by_lead), n), skipped


def _apart(model, candidates: list[NextText], n: int) -> list[NextText]:
    """Return the first texts of which no two are similar."""
    if not candidates:
        return []
    X = model["vectorizer"].transform([each.text for each in candidates]).astype(np.float32)
    norms = np.sqrt(X.multiply(X).sum(axis=1)).A1
    X.data /= np.repeat(norms, np.diff(X.indptr))
    is_near, chosen = np.zeros(len(candidates), bool), []
    while len(chosen) < n and not is_near.all():
        i = int(is_near.argmin())
        chosen.append(candidates[i])
        is_near |= (X @ X[i].T).toarray().ravel() > NEAR
        is_near[i] = True
    return chosen
