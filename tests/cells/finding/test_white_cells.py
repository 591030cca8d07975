"""Finding white cells: on drawn smears, whose boxes are known, on real ones, and where there are none."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from drawing import GREY, NUCLEUS, PLASMA, SOME_TURNS, TURNS, blood, drawn, marked_boxes, overlap, plain
from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.masks import black_frame
from fastsvm_apps.cells.finding.stain import raw_field, usual_field
from fastsvm_apps.cells.finding.white_cells import find_white_cells

SMEARS = Path(__file__).parents[3] / "data" / "cells"


BOXES = marked_boxes(SMEARS)
EMPTY = ["empty/smear_40.jpg", "empty/smear_41.jpg"]
TOUCHING = "images/LYMPHOCYTE/smear_09.jpg", "images/MONOCYTE/smear_15.jpg", "images/NEUTROPHIL/smear_23.jpg"


@pytest.fixture
def smear():
    """Read a drawn smear."""

    def read(file):
        return ImageReader(str(SMEARS / file)).whole()

    return read


def within(point, box):
    x, y, w, h = box
    return x <= point[0] < x + w and y <= point[1] < y + h


def boxes_of(image):
    return [cell.box for cell in find_white_cells(Field(image))]


# Drawn smears


def test_every_white_cell_is_found(smear):
    overlaps = []
    for file, boxes in BOXES.items():
        found = boxes_of(smear(file))
        assert len(found) == len(boxes), file
        best = [max(overlap(box, other) for other in found) for box in boxes]
        assert min(best) >= 0.7, file
        overlaps += best
    assert np.mean(overlaps) >= 0.8


@pytest.mark.parametrize("file", EMPTY)
def test_where_there_is_no_white_cell_there_is_none(smear, file):
    assert find_white_cells(Field(smear(file))) == []


@pytest.mark.parametrize("file", TOUCHING)
def test_cells_that_touch_are_parted(smear, file):
    cells = find_white_cells(Field(smear(file)))
    assert len(cells) == 2
    # No pixel belongs to both, and none lies between them.
    masks = np.zeros((2, 240, 320), np.uint8)
    for mask, cell in zip(masks, cells, strict=True):
        (x, y), (h, w) = cell.corner, cell.body.shape
        mask[y : y + h, x : x + w] = cell.body
    assert masks.sum(axis=0).max() == 1
    n, _ = cv2.connectedComponents(masks.max(axis=0))
    assert n == 2
    for box in BOXES[file]:
        assert sum(within(cell.center, box) for cell in cells) == 1


@pytest.mark.parametrize("file", BOXES)
def test_what_is_said_of_a_cell_fits_together(smear, file):
    image = smear(file)
    height, width = image.shape[:2]
    cells = find_white_cells(Field(image))
    assert [cell.area for cell in cells] == sorted((cell.area for cell in cells), reverse=True)
    for cell in cells:
        (x, y), (h, w) = cell.corner, cell.body.shape
        assert cell.nucleus.shape == (h, w)
        assert cell.area == np.count_nonzero(cell.body) == cell.body.sum()
        assert (cell.nucleus <= cell.body).all()
        assert cell.body.any(axis=0).all()  # the corner and the size are tight
        assert cell.body.any(axis=1).all()
        # The box has a margin of 2 or 3 pixels, unless the image ends.
        left, top, box_w, box_h = cell.box
        margins = (x - left, y - top, left + box_w - x - w, top + box_h - y - h)
        ends = (left == 0, top == 0, left + box_w == width, top + box_h == height)
        for margin, end in zip(margins, ends, strict=True):
            assert 2 <= margin <= 3 or (end and 0 <= margin <= 3)
        # The contour lies on the border of the body.
        edge = cell.body - cv2.erode(cell.body, np.ones((3, 3), np.uint8), borderValue=0)
        columns, rows = (cell.contour - cell.corner).T
        assert edge[rows, columns].all()
        assert abs(cv2.contourArea(cell.contour) / cell.area - 1) < 0.1
        # The centre lies in the middle of the nucleus.
        columns, rows = np.nonzero(cell.nucleus.T)
        assert cell.center == (int(columns.mean()) + x, int(rows.mean()) + y)
        assert all(type(number) is int for number in (*cell.box, *cell.center, *cell.corner))


@pytest.mark.parametrize("turn", SOME_TURNS)
def test_a_turned_image_has_turned_boxes(smear, turn):
    moved = []
    for file, boxes in BOXES.items():
        image = smear(file)
        turned = np.ascontiguousarray(TURNS[turn](image))
        found = boxes_of(turned)
        assert len(found) == len(boxes), file
        for x, y, w, h in boxes_of(image):
            mask = np.zeros(image.shape[:2], np.uint8)
            mask[y : y + h, x : x + w] = 1
            expected = cv2.boundingRect(np.ascontiguousarray(TURNS[turn](mask)))
            moved.append(min(np.abs(np.subtract(expected, box)).max() for box in found))
            # The cell is grown at half the size; where cells touch, the line between them moves.
            assert moved[-1] <= (24 if file in TOUCHING else 4), file
    assert np.mean(np.array(moved) <= 2) > 0.95


@pytest.mark.parametrize("degrees", [-25, 13])
def test_black_wedges_are_no_cells(smear, degrees):
    """What a rotation leaves at the borders."""
    turn = cv2.getRotationMatrix2D((160, 120), degrees, 0.9)
    for file in [*EMPTY, *list(BOXES)[::4]]:
        image = smear(file)
        cells = find_white_cells(Field(image))
        turned = boxes_of(cv2.warpAffine(image, turn, (320, 240)))
        assert len(turned) == len(cells), file
        for cell in cells:
            center = turn @ [*cell.center, 1]
            assert any(within(center, box) for box in turned), file


# Drawn here


@pytest.mark.parametrize(("width", "first"), [(240, 110), (320, 200)])
def test_a_label_belongs_to_the_central_cell_of_a_cut_out_image_and_else_to_the_largest(width, first):
    image = drawn((110, 120, 22, 32), (200, 60, 26, 38), (40, 40, 24, 35), shape=(240, width))
    cells = find_white_cells(Field(image))
    assert abs(cells[0].center[0] - first) < 5
    assert cells[1].area > cells[2].area


def test_a_cell_where_it_is_drawn():
    (cell,) = find_white_cells(Field(drawn((130, 90, 24, 38))))
    assert overlap(cell.box, (92, 52, 77, 77)) > 0.75
    assert np.abs(np.subtract(cell.center, (130, 90))).max() <= 1
    assert cell.nucleus.sum() == pytest.approx(np.pi * 24**2, rel=0.1)
    assert cell.area == pytest.approx(np.pi * 38**2, rel=0.15)


def test_lobes_are_one_nucleus_and_neighbours_are_two():
    assert len(boxes_of(drawn((135, 120, 18, 40), (180, 120, 18, 40)))) == 1
    assert len(boxes_of(drawn((80, 120, 24, 38), (200, 120, 24, 38)))) == 2


@pytest.mark.parametrize(("radius", "boxes"), [(10, [(124, 80, 77, 80)]), (8, [])])
def test_lobes_around_cytoplasm_as_pale_as_plasma_are_a_cell_unless_they_may_be_platelets(radius, boxes):
    image = plain()
    for angle in np.arange(5) * 2 * np.pi / 5:
        lobe = round(160 + 26 * np.cos(angle)), round(120 + 26 * np.sin(angle))
        cv2.circle(image, lobe, radius, NUCLEUS, cv2.FILLED)
    found = boxes_of(cv2.GaussianBlur(image, (3, 3), 0))
    assert len(found) == len(boxes)
    assert all(overlap(box, other) > 0.9 for box, other in zip(found, boxes, strict=True))


@pytest.mark.parametrize("apart", [0, 6])
@pytest.mark.parametrize("small", [(20, 27), (24, 34)])
def test_a_small_cell_beside_a_large_one_is_another(small, apart):
    """The waist between them is measured by the smaller."""
    nucleus, radius = small
    x = 110 + 48 + radius - 4 + apart
    cells = drawn((110, 120, 30, 48), (x, 120, nucleus, radius))
    found = boxes_of(cells)
    assert len(found) == 2
    assert max(overlap(box, (62, 72, 97, 97)) for box in found) > 0.75
    assert max(overlap(box, (x - radius, 120 - radius, 2 * radius, 2 * radius)) for box in found) > 0.6


def test_small_spots_count_only_in_a_close_up_or_cut_where_there_is_nothing_else():
    small, large, cut = (60, 60, 12, 14), (200, 140, 24, 38), (0, 60, 20, 26)
    assert boxes_of(drawn(small)) == []
    assert len(boxes_of(drawn((30, 30, 12, 14), shape=(50, 50)))) == 1
    assert within((5, 60), boxes_of(drawn(cut))[0])
    (box,) = boxes_of(drawn(small, cut, large))
    assert within(large[:2], box)


@pytest.mark.parametrize("radius", [6, 10, 13, 15])
def test_platelets_and_their_clumps_are_no_white_cells(radius):
    """Discs of up to the size at which four have the area of a nucleus."""
    gap = radius + 3
    clump = [(160 + x * gap, 120 + y * gap, radius, radius) for x in (-1, 1) for y in (-1, 1)]
    assert boxes_of(drawn((160, 120, radius, radius))) == []
    if radius < 13:
        assert boxes_of(drawn(*clump)) == []


@pytest.mark.parametrize(("x", "y"), [(0, 120), (319, 120), (160, 0), (160, 239), (5, 5), (315, 235)])
def test_a_cell_that_the_border_cuts(x, y):
    (box,) = boxes_of(drawn((x, y, 30, 42)))
    left, top = max(0, x - 42), max(0, y - 42)
    seen = (left, top, min(320, x + 43) - left, min(240, y + 43) - top)
    assert overlap(box, seen) > 0.8


def test_there_may_be_many_cells():
    """More than a byte counts."""
    places = [(x, y, 17, 18) for x in range(40, 1240, 75) for y in range(40, 1240, 75)]
    image = drawn(*places, shape=(1240, 1240))
    cells = find_white_cells(Field(image))
    assert len(places) == len(cells) == 256
    centers = sorted(cell.center for cell in cells)
    np.testing.assert_allclose(centers, sorted((x, y) for x, y, *_ in places), atol=1)


def test_cells_of_a_large_image_are_those_of_its_parts(smear):
    """Of four smears side by side; what is found must not depend on what lies elsewhere."""
    files = [EMPTY[0], TOUCHING[0], *list(BOXES)[30:32]]
    parts = [smear(file) for file in files]
    found = boxes_of(np.hstack(parts))
    expected = [(x + 320 * k, y, w, h) for k, file in enumerate(files) for x, y, w, h in BOXES.get(file, [])]
    assert len(found) == len(expected)
    assert all(max(overlap(box, other) for other in found) > 0.7 for box in expected)


def test_cells_of_a_large_image_are_found_in_its_dark_corners(smear):
    """Of 48 smears side by side, with a corner that has half of the light."""
    files = [*list(BOXES)[30:32], EMPTY[0], TOUCHING[0]] * 12
    image = np.vstack([np.hstack([smear(file) for file in files[k : k + 8]]) for k in range(0, 48, 8)])
    height, width = image.shape[:2]
    light = 1 - 0.5 * np.outer(np.linspace(0, 1, height), np.linspace(0, 1, width))
    cells = find_white_cells(usual_field(np.uint8(image * light[..., None])))
    boxes = [(x + 320 * (k % 8), y + 240 * (k // 8), w, h) for k, file in enumerate(files)
             for x, y, w, h in BOXES.get(file, [])]  # fmt: skip
    assert len(cells) == len(boxes)
    assert all(max(overlap(box, cell.box) for cell in cells) > 0.7 for box in boxes)


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("touching", [False, True])
def test_dark_lines_at_a_border_are_frame(side, touching):
    image = drawn((150, 120, 30, 42), *[(15, 60, 20, 40), (305, 60, 20, 40)] * touching)
    assert not black_frame(image).any()
    lined = image.copy()
    lines = np.rot90(lined, side)
    lines[:3] = (lines[:3] * np.float32([[[0.3]], [[0.6]], [[0.85]]])).astype(np.uint8)
    frame = np.rot90(black_frame(lined), side)
    assert frame[:4].all()
    assert not frame[4:].any()
    assert boxes_of(lined)[0] == pytest.approx(boxes_of(image)[0], abs=4)


# Red cells that absorb red light


def test_red_cells_that_absorb_red_light_are_no_white_cells():
    image, alone = blood(44, white=[(320, 240)], colours=GREY), blood(44, colours=GREY)
    (cell,), of_none = (find_white_cells(usual_field(each)) for each in (image, alone))
    assert overlap(cell.box, (280, 200, 80, 80)) < 0.6
    assert len(of_none) > 1
    (cell,), of_none = (find_white_cells(usual_field(each, bluish=True)) for each in (image, alone))
    assert overlap(cell.box, (280, 200, 80, 80)) > 0.8
    assert of_none == []
    assert raw_field(image, bluish=True).red == pytest.approx(np.log(np.divide(PLASMA, GREY[0])), abs=0.04)


def test_few_red_cells_and_red_ones_are_not_taken_away():
    assert raw_field(plain((250, 250, 250)), bluish=True).red is None
    assert raw_field(blood(44), bluish=True).red is None


# Where there is nothing


@pytest.mark.parametrize(
    "colour",
    [(0, 0, 0), (255, 255, 255), (128, 128, 128), PLASMA, NUCLEUS, (255, 0, 255), (255, 0, 0), (0, 0, 255)],
)
@pytest.mark.parametrize("shape", [(240, 320), (32, 32), (33, 35), (32, 320), (241, 32)])
def test_one_colour_is_no_cell(colour, shape):
    assert find_white_cells(Field(plain(colour, shape))) == []


@pytest.mark.parametrize("shape", [(240, 320), (32, 32), (33, 35), (32, 320), (241, 32)])
@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_cell(shape, seed):
    rng = np.random.default_rng(seed)
    assert find_white_cells(Field(rng.integers(0, 256, (*shape, 3), np.uint8))) == []
    grainy = np.clip(rng.normal(PLASMA, 12, (*shape, 3)), 0, 255).astype(np.uint8)
    assert find_white_cells(Field(grainy)) == []


# Light


def test_the_frame_is_black_and_the_background_is_plasma():
    image = drawn((160, 120, 24, 38))
    image[:40, :60] = 0
    field = Field(image)
    assert field.frame[:40, :60].all()
    assert field.frame.sum() < 50 * 70
    np.testing.assert_allclose(field.background, PLASMA, atol=1)
    densities = field.densities(image)
    assert densities.dtype == np.float32
    assert abs(densities[200, 20]).max() < 0.01
    np.testing.assert_allclose(densities[120, 160], np.log(np.add(PLASMA, 1) / np.add(NUCLEUS, 1)), atol=0.01)


# Real smears


@pytest.fixture
def real_smears(shared):
    """The real smears with one white cell each: path and box."""
    folder = shared / "smears"
    boxes = marked_boxes(folder)
    single = {folder / "images" / file: box[0] for file, box in boxes.items() if len(box) == 1}
    assert len(single) == 270
    return single


@pytest.mark.slow
def test_real_smears(real_smears):
    right, extra, overlaps, counted = 0, 0, [], 0
    for path, box in real_smears.items():
        image, scale = ImageReader(str(path)).scaled()
        found = boxes_of(image)
        best = max((overlap(box, np.divide(other, scale)) for other in found), default=0)
        overlaps.append(best)
        right += best >= 0.5
        extra += len(found) - (best >= 0.5)
        counted += len(found) == 1
    missed = len(real_smears) - right
    assert 2 * right / (2 * right + extra + missed) >= 0.985
    assert np.mean(overlaps) >= 0.86
    assert counted >= 0.99 * len(real_smears)
