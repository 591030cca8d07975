"""Features of white cells: what they say of a drawn cell, and what must not change them."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from drawing import SOME_TURNS, TURNS, drawn
from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.white_cells import find_white_cells
from fastsvm_apps.cells.measuring.cell_features import describe, feature_names, features_of

SMEARS = Path(__file__).parents[3] / "data" / "cells" / "images"
COLOURS = ("ratio_", "whole_")


@pytest.fixture(scope="module")
def smears():
    """Some drawn smears, with one white cell each, two of each kind."""
    paths = [path for k in (0, 3, 10, 13, 24, 25, 31, 33) for path in SMEARS.rglob(f"smear_{k:02}.jpg")]
    return [ImageReader(str(path)).whole() for path in paths]


def only_cell(image):
    field = Field(image)
    (cell,) = find_white_cells(field)
    return field, cell


def measured(image):
    return describe(*only_cell(image))


def named(values):
    return dict(zip(feature_names(), values.tolist(), strict=True))


ROUND = drawn((160, 120, 24, 40))


def columns(prefix):
    return np.array([name.startswith(prefix) for name in feature_names()])


# Names and values


def test_each_value_has_a_name(smears):
    names = feature_names()
    assert len(set(names)) == len(names)
    for image in smears:
        values = measured(image)
        assert [name for name, _ in features_of(*only_cell(image))] == names
        assert values.shape == (len(names),)
        assert values.dtype == np.float32
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(values, measured(image.copy()))


# Drawn cells


def test_a_round_nucleus_in_a_round_cell():
    values = named(measured(ROUND))
    _, cell = only_cell(ROUND)
    area = np.count_nonzero(cell.nucleus)
    assert values["nucleus_area"] == pytest.approx(np.sqrt(area), rel=1e-5)
    assert values["nucleus_area"] == pytest.approx(np.sqrt(np.pi) * 24, rel=0.05)
    assert values["cell_area"] == pytest.approx(np.sqrt(cell.area), rel=1e-5)
    assert values["cell_nucleus_share"] == pytest.approx(area / cell.area, rel=1e-5)
    assert values["nucleus_parts"] == 1
    assert [v for name, v in values.items() if name.startswith("nucleus_lobes")] == [1, 1, 1, 1]
    assert values["nucleus_thickness_max"] == pytest.approx(1 / np.sqrt(np.pi), rel=0.06)
    full = ("nucleus_solidity", "nucleus_convexity", "nucleus_elongation", "cell_solidity", "cell_roundness")
    for name in full:
        assert values[name] == pytest.approx(1, abs=0.08), name
    assert values["cell_eccentricity"] < 0.03
    assert values["nucleus_dent_1"] < 0.05


# What must not change them


def between(smears, some):
    """Return how far the features of two cells are apart, on average."""
    rows = np.stack([measured(image)[some] for image in smears])
    pairs = np.triu_indices(len(rows), 1)
    return np.abs(rows[pairs[0]] - rows[pairs[1]]).mean()


@pytest.mark.parametrize("turn", SOME_TURNS)
def test_a_turned_cell_has_the_same_features(smears, turn):
    differences = []
    for image in smears:
        straight, turned = (measured(view) for view in (image, np.ascontiguousarray(TURNS[turn](image))))
        assert np.corrcoef(straight, turned)[0, 1] > 0.999
        differences.append(np.abs(straight - turned))
    for prefix in (*COLOURS, "nucleus_"):
        some = columns(prefix)
        assert np.mean(differences, axis=0)[some].mean() < 0.25 * between(smears, some), prefix


def test_a_cell_beside_a_black_wedge():
    image = ROUND.copy()
    cv2.fillConvexPoly(image, np.array([(190, 0), (320, 0), (320, 240), (205, 240)]), (0, 0, 0))
    values = measured(image)
    assert np.isfinite(values).all()
    # The wedge is neither cytoplasm nor stain.
    whole = measured(ROUND)
    colours = columns("whole_pink")
    assert np.corrcoef(values[colours], whole[colours])[0, 1] > 0.95


def test_a_weaker_lamp_changes_little(smears):
    """Densities are against the image's own background; what is left is rounding."""
    plain = np.stack([measured(image) for image in smears])
    dimmed = np.stack([measured((image * 0.65).astype(np.uint8)) for image in smears])
    for prefix in COLOURS:
        some = columns(prefix)
        assert np.abs(dimmed - plain)[:, some].mean() < 0.3 * between(smears, some), prefix
