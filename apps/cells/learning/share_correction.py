"""Shares of the kinds of white cells, from labels that are known to be wrong at times."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..finding.findings import UNCLASSIFIED

STEPS, CHANGE = 10_000, 1e-9  # of the iteration, at most; and the change of a share at which it ends


def corrected_shares(
    counts: Mapping[str | None, int], classes: Sequence[str], confusion: Sequence[Sequence[float]]
) -> dict[str, float] | None:
    """Estimate the true shares of the classes from counts of labels.

    The likeliest shares, if cells of each class get labels as often as those of the cross-validation did, by
    expectation maximisation (Dempster, Laird & Rubin 1977).

    Parameters
    ----------
    counts : dict
        How many cells have each label, or none (`UNCLASSIFIED`).
    classes : sequence of str
    confusion : sequence of sequence of float
        As of `ModelNotes`.

    Returns
    -------
    dict or None
        The share of each class, or None where nothing was counted or nothing is known about confusions.
    """
    found = np.array([counts.get(label, 0) for label in (*classes, UNCLASSIFIED)], float)
    if not len(confusion) or not found.any():
        return None
    # No label is quite impossible.
    chances = np.array(confusion) + 1e-3
    chances /= chances.sum(axis=1, keepdims=True)
    shares = np.full(len(classes), 1 / len(classes))
    for _ in range(STEPS):
        joint = shares[:, None] * chances
        updated = (joint / joint.sum(axis=0) * found).sum(axis=1) / found.sum()
        done = np.abs(updated - shares).max() < CHANGE
        shares = updated
        if done:
            break
    return dict(zip(classes, shares.tolist(), strict=True))
