"""Whether images are of the kind that a model has learned from."""

import numpy as np
import pytest

from fastsvm_apps.cells.finding.stain import Stain
from fastsvm_apps.cells.learning.familiarity import FEW_LIMITS, fit_image_kind

OWN, OTHER = (-0.1, 0.5, 0.45, 0.8), (0.25, 0.6, 0.7, 0.6)


def stains(center, n, seed=0, red_cells=True):
    """Return stains of images whose ratios are about these."""
    rows = np.random.default_rng(seed).normal(center, 0.08, (n, 4))
    known = ("nuclear_blue", "nuclear_red", *(("red", "hue") if red_cells else ()))
    return [Stain((200, 200, 200), **dict(zip(known, row.tolist(), strict=False))) for row in rows]


def test_one_image_two_images_and_many():
    kind = fit_image_kind(stains(OWN, 200))
    own, other = stains(OWN, 300, seed=1), stains(OTHER, 300, seed=2)
    assert np.mean([kind.are_own([each]) for each in own]) >= 0.95
    assert np.mean([kind.are_own([each]) for each in other]) <= 0.02
    assert not any(kind.are_own(other[k : k + 2]) for k in range(0, 300, 2))
    assert kind.are_own(own)
    assert not kind.are_own(other)
    assert kind.are_own([*own[:40], *other[:10]])  # a few do not decide for all ...
    assert np.mean([kind.is_far(each) for each in other]) >= 0.9  # ... and are told from them
    assert not any(kind.is_far(each) for each in own)


def test_without_red_cells_the_nuclei_decide():
    kind = fit_image_kind(stains(OWN, 200))
    assert np.mean([kind.are_own([each]) for each in stains(OWN, 100, 1, red_cells=False)]) >= 0.9
    assert not kind.are_own(stains(OTHER, 100, 2, red_cells=False))
    bare = fit_image_kind(stains(OWN, 200, red_cells=False))
    assert bare.are_own(stains(OWN, 20, 1))  # what red cells look like is not known
    assert not bare.are_own(stains(OTHER, 20, 2))


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_a_few_images(n):
    kind = fit_image_kind(stains(OWN, n))
    assert FEW_LIMITS[0] <= kind.limit <= FEW_LIMITS[1]
    assert kind.are_own(stains(OWN, 30, 1))
    assert not kind.are_own(stains(OTHER, 30, 2))


def test_an_image_without_nuclei_tells_nothing():
    kind = fit_image_kind([*stains(OWN, 20), Stain((200, 200, 200))])
    assert kind.are_own([Stain((200, 200, 200))])
    assert not kind.is_far(Stain((200, 200, 200)))
