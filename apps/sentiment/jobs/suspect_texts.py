"""Texts whose label is probably wrong, as `inspect` and `train` list them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ...common.suspicious_labels import SuspiciousLabels


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
            float(expit(found.log_odds[i])),
            "contradicted",
            texts[i],
        )
        for i in found.order[:number].tolist()
    ]
