"""Texts whose label is probably wrong, as `inspect` and `train` list them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...common.suspicious_labels import SuspiciousLabels, suspicious_labels
from ..learning.learned_model import LearnedModel
from ..measures.answer_scores import AnswerScores

SUSPECTS_LISTED = 5  # that a training lists
LETTERS_SHOWN = 60  # letters that a table shows


class SuspectText(NamedTuple):
    """A text that a person should check.

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


def contradicted_texts(
    found: SuspiciousLabels,
    classes: np.ndarray,
    places: Sequence[int | str],
    labels: Sequence[str],
    texts: Sequence[str],
    number: int,
) -> list[SuspectText]:
    """Return the texts whose label a model of other texts contradicts, at most so many, the surest first."""
    return [
        SuspectText(
            places[i],
            labels[i],
            str(classes[found.suggested[i]]),
            (1 + math.tanh(found.log_odds[i] / 2)) / 2,
            "contradicted",
            texts[i],
        )
        for i in found.order[:number].tolist()
    ]


def suspected_labels(
    tested: LearnedModel,
    evaluation: AnswerScores | None,
    places: Sequence[int | str],
    labels: Sequence[str],
    beginnings: Sequence[str],
) -> dict | None:
    """Judge labels by scores that a training has anyway: of its folds, and of the texts held out.

    Parameters
    ----------
    tested : LearnedModel
        If there were too few texts it has no scores of folds, and nothing is said.
    evaluation : AnswerScores or None
    places, labels, beginnings : sequence
        Of all texts, those held out last.

    Returns
    -------
    dict or None
        `n`, texts with such scores; `n_contradicted` and `n_strong`, those whose label the scores contradict,
        and contradict strongly; `estimated_share` of wrong labels; `texts`, the surest first, at
        most `SUSPECTS_LISTED`.
    """
    left_out = tested.left_out
    if left_out is None:
        return None
    rows, likely = left_out.rows, left_out.probabilities(tested.model["classifier"].calibration_)
    if evaluation is not None:
        rows = np.concatenate([rows, np.arange(len(labels) - evaluation.n, len(labels))])
        likely = np.concatenate([likely, evaluation.probabilities])
    classes, given = left_out.classes, np.asarray(labels)[rows]
    is_known = np.isin(given, classes)
    rows, given = rows[is_known], given[is_known]
    found = suspicious_labels(likely[is_known], np.searchsorted(classes, given))
    of_rows = ([column[i] for i in rows.tolist()] for column in (places, labels, beginnings))
    texts = contradicted_texts(found, classes, *of_rows, SUSPECTS_LISTED)
    return {
        "n": len(rows),
        "n_contradicted": len(found.order),
        "n_strong": found.n_strong,
        "estimated_share": found.estimated_share,
        "texts": [text._asdict() for text in texts],
    }
