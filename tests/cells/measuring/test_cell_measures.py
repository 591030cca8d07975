"""Measurements: of shapes whose size is known, with units."""

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.white_cells import WhiteCell
from fastsvm_apps.cells.measuring.cell_measures import MEASURES, column_names, measure, with_units

PLASMA, PURPLE, PINK = (230, 230, 230), (160, 60, 120), (200, 180, 210)  # blue, green, red


def drawn(*nucleus, axes=(40, 40), angle=0):
    """Return a picture of one cell: an ellipse, with discs (x, y, radius) for its nucleus."""
    image = np.full((160, 160, 3), PLASMA, np.uint8)
    body, core = (np.zeros((160, 160), np.uint8) for _ in range(2))
    cv2.ellipse(body, (80, 80), axes, angle, 0, 360, 1, cv2.FILLED)
    for x, y, radius in nucleus:
        cv2.circle(core, (x, y), radius, 1, cv2.FILLED)
    image[body > 0], image[core > 0] = PINK, PURPLE
    x, y, w, h = cv2.boundingRect(body)
    part = np.s_[y : y + h, x : x + w]
    contours, _ = cv2.findContours(body, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cell = WhiteCell(
        (x, y, w, h), (80, 80), int(body.sum()), contours[0][:, 0], (x, y), core[part], body[part]
    )
    return Field(image), cell


def measured(*args, scale=1, **options):
    values = measure(*drawn(*args, **options), scale)
    return dict(zip(MEASURES, values, strict=True))


def test_a_disc():
    found = measured((80, 80, 20))
    assert found["cell_area"] == pytest.approx(np.pi * 40**2, rel=0.03)
    assert found["cell_perimeter"] == pytest.approx(2 * np.pi * 40.5, rel=0.02)
    for name in ("diameter", "length", "width"):
        assert found[f"cell_{name}"] == pytest.approx(80.5, rel=0.02)
        assert found[f"nucleus_{name}"] == pytest.approx(40.5, rel=0.02)
    assert found["cell_eccentricity"] < 0.1
    assert found["cell_solidity"] > 0.97
    assert found["cell_roundness"] > 0.94
    assert found["nucleus_cell_ratio"] == pytest.approx(0.25, rel=0.05)
    assert found["nucleus_lobes"] == 1


def test_an_ellipse_whichever_way_it_lies():
    for angle in (0, 30, 90):
        found = measured((80, 80, 10), axes=(50, 25), angle=angle)
        assert found["cell_length"] == pytest.approx(101, rel=0.02)
        assert found["cell_width"] == pytest.approx(51, rel=0.03)
        assert found["cell_eccentricity"] == pytest.approx(np.sqrt(0.75), rel=0.02)


def test_lobes_and_colours():
    found = measured((65, 65, 11), (95, 65, 11), (80, 95, 11))
    assert found["nucleus_lobes"] == 3
    assert found["nucleus_solidity"] < 0.8
    for k, channel in enumerate(("blue", "green", "red")):
        for region, color in (("nucleus", PURPLE), ("cytoplasm", PINK)):
            expected = np.log(231 / (color[k] + 1))
            assert found[f"{region}_density_{channel}"] == pytest.approx(expected, abs=1e-3)


def test_a_cell_that_is_all_nucleus():
    found = measured((80, 80, 60))
    assert np.isnan(found["cytoplasm_density_red"])
    assert found["nucleus_density_red"] > 0


def test_pixels_of_the_file_and_micrometres():
    plain, halved = measured((80, 80, 20)), measured((80, 80, 20), scale=0.5)
    for name, power in MEASURES.items():
        assert halved[name] == pytest.approx(plain[name] * 2**power)
    values = measure(*drawn((80, 80, 20)))
    table = dict(zip(column_names(0.1), with_units(values, 0.1), strict=True))
    assert table["cell_area_um2"] == pytest.approx(table["cell_area_px2"] / 100)
    assert table["cell_length_um"] == pytest.approx(table["cell_length_px"] / 10)
    assert {"nucleus_lobes", "cell_solidity"} < table.keys()
    assert not any(name.endswith("um") for name in column_names())
