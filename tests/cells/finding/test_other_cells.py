"""Red cells and platelets: in drawn fields, whose cells are known, in smears, and where there are none."""

from collections import Counter

import cv2
import numpy as np
import pytest

from drawing import CYTOPLASM, NUCLEUS, PLASMA, TURNS, marked_boxes, overlap, plain
from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding import red_cells
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.findings import PLATELET, RED_CELL
from fastsvm_apps.cells.finding.other_cells import find_other_cells
from fastsvm_apps.cells.finding.white_cells import find_white_cells

KINDS = (RED_CELL, PLATELET)
ABSORBED = np.array([0.28, 0.34, 0.13])  # by a red cell, of blue, green and red
STAIN = np.array([0.04, 0.5, 0.45])
SPREAD = [(60, 60, 24), (150, 50, 20), (250, 70, 28), (70, 170, 26), (170, 150, 22), (260, 180, 25)]
OVERLAPPING = [(100, 120, 24), (136, 120, 24), (220, 110, 22), (245, 136, 25)]
CUT = [(10, 120, 24), (160, 8, 24), (312, 180, 24)]


def inside(shape, x, y, radius):
    down, across = np.mgrid[: shape[0], : shape[1]]
    return np.clip(radius - np.hypot(across - x, down - y) + 0.5, 0, 1)[..., None]


def field(*reds, spots=(), white=None, shape=(240, 320), hollow=0.5, gamma=1.0, noise=2.0):
    """Draw red cells as x, y and radius, pale in the middle, platelets in the same way, and a white cell."""
    absorbed = np.zeros((*shape, 3))
    for x, y, radius in reds:
        cell = inside(shape, x, y, radius) - hollow * inside(shape, x, y, radius / 3)
        absorbed += cell * ABSORBED
    for x, y, radius in spots:
        absorbed += inside(shape, x, y, radius) * STAIN
    image = np.array(PLASMA) * np.exp(-absorbed)
    if white:
        for colour, radius in ((CYTOPLASM, 40), (NUCLEUS, 26)):
            cover = inside(shape, *white, radius)
            image = image * (1 - cover) + cover * np.array(colour)
    image = 255 * (cv2.GaussianBlur(image, (0, 0), 1) / 255) ** gamma
    return np.clip(image + np.random.RandomState(0).normal(0, noise, image.shape), 0, 255).astype(np.uint8)


def found_in(image, *kinds):
    shown = Field(image)
    return find_other_cells(shown, find_white_cells(shown), kinds or KINDS)


def boxes_of(cells, shape=(240, 320), margin=3):
    for x, y, radius in cells:
        radius += margin
        left, top = max(0, x - radius), max(0, y - radius)
        yield left, top, min(shape[1], x + radius) - left, min(shape[0], y + radius) - top


def assert_found(found, kind, cells):
    assert len(found) == len(cells)
    for box in boxes_of(cells):
        assert sum(overlap(box, other.box) >= 0.7 for other in found) == 1, box
    assert {other.label for other in found} == {kind}


@pytest.mark.parametrize("hollow", [0, 0.5, 1], ids=["full", "pale", "rings"])
@pytest.mark.parametrize(
    "cells", [SPREAD, OVERLAPPING, CUT], ids=["spread", "overlapping", "cut by the border"]
)
def test_every_red_cell_is_found_once(cells, hollow):
    assert_found(found_in(field(*cells, hollow=hollow)), RED_CELL, cells)


@pytest.mark.parametrize("gamma", [0.6, 1.6])
def test_light_and_contrast_do_not_matter(gamma):
    assert_found(found_in(field(*SPREAD, gamma=gamma)), RED_CELL, SPREAD)
    assert_found(found_in(field(*SPREAD, noise=12)), RED_CELL, SPREAD)
    darker = (0.6 * field(*SPREAD)).astype(np.uint8)
    assert_found(found_in(darker), RED_CELL, SPREAD)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_turned_field_has_as_many(turn):
    found = found_in(np.ascontiguousarray(turn(field(*OVERLAPPING, spots=[(40, 40, 7)]))))
    assert [other.label for other in found] == [RED_CELL] * len(OVERLAPPING) + [PLATELET]


def test_what_is_said_of_a_red_cell():
    (cell,) = found_in(field((160, 120, 24)), RED_CELL)
    assert cell.area == pytest.approx(np.pi * 24**2, rel=0.1)
    assert np.hypot(cell.center[0] - 160, cell.center[1] - 120) <= 3
    assert (cell.score, cell.thumbnail) == (None, None)
    assert cell.outline.dtype == np.int32
    assert np.hypot(*(cell.outline - (160, 120)).T) == pytest.approx(24, abs=3.5)


@pytest.mark.parametrize("reds", [(), SPREAD], ids=["alone", "beside red cells"])
def test_platelets_lie_free_or_on_red_cells(reds):
    spots = [(110, 110, 7), (205, 115, 6), (60, 60, 7)]
    assert_found(found_in(field(*reds, spots=spots), PLATELET), PLATELET, spots)


def test_what_the_border_leaves_of_a_platelet_must_be_most_of_it():
    assert found_in(field(spots=[(160, -3, 7)]), PLATELET) == []
    assert_found(found_in(field(spots=[(160, 5, 8)]), PLATELET), PLATELET, [(160, 5, 8)])


def test_a_white_cell_is_neither():
    image = field(*SPREAD[:3], white=(160, 160))
    assert len(find_white_cells(Field(image))) == 1
    assert_found(found_in(image), RED_CELL, SPREAD[:3])
    assert found_in(field(white=(160, 120))) == []


@pytest.mark.parametrize(
    "image",
    [plain(), plain(0), plain(255), plain(NUCLEUS, (33, 1000)), field(noise=6)],
    ids=["plasma", "black", "white", "stained", "noise"],
)
def test_where_there_is_nothing_nothing_is_found(image):
    assert found_in(image) == []


def test_a_large_field_is_gone_through_in_batches(monkeypatch):
    image = np.tile(field(*SPREAD, spots=[(110, 110, 7)]), (3, 3, 1))
    found = found_in(image)
    assert len(found) == 9 * (len(SPREAD) + 1)
    monkeypatch.setattr(red_cells, "CENTERS_AT_ONCE", 7)
    assert found_in(image) == found


@pytest.mark.slow
def test_red_cells_and_platelets_of_real_smears(shared):
    """Hold the floors a little below what was measured; half of what seems false is only not annotated."""
    names = {RED_CELL: "RBC", PLATELET: "Platelets"}
    known = {kind: marked_boxes(shared / "smears", name) for kind, name in names.items()}
    hits = {kind: Counter() for kind in KINDS}
    for path in sorted((shared / "smears" / "images").iterdir())[1::6]:
        image, scale = ImageReader(str(path)).scaled()
        found = [other.in_file(scale) for other in found_in(image)]
        for kind in KINDS:
            boxes = [other.box for other in found if other.label == kind]
            hits[kind].update(found=len(boxes), known=len(known[kind][path.name]))
            for box in known[kind][path.name]:
                best = max(boxes, key=lambda other, box=box: overlap(box, other), default=None)
                if best and overlap(box, best) >= 0.5:
                    hits[kind]["hit"] += 1
                    boxes.remove(best)
    f1 = {kind: 2 * n["hit"] / (n["found"] + n["known"]) for kind, n in hits.items()}
    assert f1[RED_CELL] > 0.69
    assert f1[PLATELET] > 0.67
    assert hits[RED_CELL]["found"] == pytest.approx(hits[RED_CELL]["known"], rel=0.12)
