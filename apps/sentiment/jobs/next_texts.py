"""The texts to label next: those whose label a model is least sure of, no two of them nearly the same."""

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

CANDIDATES = 10  # for each text wanted, the least certain ones, of which memory holds twice as many
# Cosine of the counts of terms; of two texts nearer than that one is left out. With 0.7 what is chosen of
# tickets is worse than at random: all have the same frequent terms.
NEAR = 0.95


class NextText(NamedTuple):
    """A text to label, and where it is: what the model would give, the label in doubt, and by how little.

    A text that may have several labels has those of the model joined by its separator, and in doubt is the
    one nearest to its threshold. Else the label in doubt is the second best one.
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
        What its file says besides: texts that it has learned from are left out.
    sources : iterable of TextSource
    n : int
        How many texts; there are fewer where the rest is nearly the same as these.

    Returns
    -------
    list of NextText, list of Skipped
        The texts, and what is to be said of each source.
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
    """Return the first texts of which no two are near."""
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
