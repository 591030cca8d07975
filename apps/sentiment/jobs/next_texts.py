"""The texts to label next: those whose label a model is least sure of, no two of them nearly the same."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...common.errors import Skipped, place_of
from ...common.training_items import are_learned, text_hashes
from ..data.corpus import open_unlabelled
from ..data.text_source import TextSource
from ..measures.prediction import classify_shard, leads

CANDIDATES = 10  # for each text wanted, the least certain ones, of which memory holds twice as many
# Cosine of the counts of terms; of two texts nearer than that one is left out. With 0.7 what is chosen of
# tickets is worse than at random: all have the same frequent terms.
NEAR = 0.95


class NextText(NamedTuple):
    """A text to label, with the label that the model gives, by how much it leads, and where the text is."""

    text: str
    predicted: str
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
    skipped = []
    for source in sources:
        skipped.append(Skipped(source.name))
        with open_unlabelled(source, skipped[-1]) as found:
            for batch in found.blocks:
                texts, places = [each.text for each in batch], [each.where for each in batch]
                answers = classify_shard((source.name, texts, places), model, {})
                learned, lead = are_learned(text_hashes(texts), about), leads(answers.decision)
                for i in np.flatnonzero(~learned):
                    if texts[i]:
                        predicted, place = names[answers.winners[i]], f"{source.name}, {place_of(places[i])}"
                        candidates.append(NextText(texts[i], predicted, float(lead[i]), place))
                if len(candidates) > 2 * CANDIDATES * n:
                    candidates = _least_certain(candidates, CANDIDATES * n)
    return _apart(model, _least_certain(candidates, CANDIDATES * n), n), skipped


def _least_certain(candidates: list[NextText], n: int) -> list[NextText]:
    return sorted(candidates, key=lambda each: each.lead)[:n]


def _apart(model, candidates: list[NextText], n: int) -> list[NextText]:
    """Return the first texts of which no two are near."""
    if not candidates:
        return []
    X = model["vectorizer"].transform([each.text for each in candidates]).astype(np.float32)
    norms = np.sqrt(X.multiply(X).sum(axis=1)).A1
    X.data /= np.repeat(norms, np.diff(X.indptr))
    is_near, chosen = np.zeros(len(candidates), bool), []
    for i, candidate in enumerate(candidates):
        if is_near[i]:
            continue
        chosen.append(candidate)
        if len(chosen) == n:
            break
        is_near |= (X @ X[i].T).toarray().ravel() > NEAR
    return chosen
