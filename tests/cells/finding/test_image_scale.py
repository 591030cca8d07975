"""How wide a white cell is, by nuclei and red cells: drawn ones, few, many, of two sizes, and real smears."""

import cv2
import numpy as np
import pytest

from drawing import NUCLEUS, PALE, RED, blood, drawn, marked_boxes, plain
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageFile, ImageReader
from fastsvm_apps.cells.finding import image_scale
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.first_look import first_look
from fastsvm_apps.cells.finding.image_scale import (
    Scale,
    nuclei_width,
    read_scale,
    scale_words,
    seen_in,
    white_cell_width,
)
from fastsvm_apps.cells.finding.red_circles import find_red_circles
from fastsvm_apps.cells.finding.stain import usual_field
from fastsvm_apps.cells.finding.white_cells import find_white_cells


@pytest.fixture
def saved(tmp_path):
    """Save images in a folder, and return the files."""

    def saved(*images):
        for k, image in enumerate(images):
            cv2.imwrite(str(tmp_path / f"{k:03}.png"), image)
        return find_images([str(tmp_path)])

    return saved


@pytest.mark.parametrize("diameter", [60, 84, 120])
def test_red_cells_are_found_where_they_are(diameter):
    image = plain(shape=(480, 640))
    places = [(x, y) for x in (110, 320, 530) for y in (120, 360)]
    for place in places:
        cv2.circle(image, place, diameter // 2, RED, cv2.FILLED)
        cv2.circle(image, place, diameter // 5, PALE, cv2.FILLED)
    found = find_red_circles(image)
    assert len(found) == len(places)
    for place in places:
        assert np.hypot(*(found[:, :2] - place).T).min() < 0.12 * diameter
    np.testing.assert_allclose(found[:, 2], diameter, rtol=0.13)


@pytest.mark.parametrize("shape", [(32, 32), (33, 200), (240, 320)])
def test_where_there_are_no_red_cells_there_are_none(shape):
    noise = np.random.default_rng(0).integers(0, 256, (*shape, 3), np.uint8)
    for image in (plain(shape=shape), plain(0, shape), noise):
        found = find_red_circles(image)
        assert found.shape[1] == 3
        assert white_cell_width(found) is None


def test_a_width_needs_red_cells_that_agree():
    def of(*diameters):
        return np.array([(0, 0, diameter) for diameter in diameters], float).reshape(-1, 3)

    assert white_cell_width(of()) is None
    assert white_cell_width(of(80, 80, 80, 80)) is None
    assert white_cell_width(of(80, 85, 90, 95, 88)) == 160
    assert white_cell_width(of(80, 85, 90, 95, 88, 20, 25, 18)) == 160  # small rings are noise
    assert white_cell_width(of(20, 30, 45, 70, 105, 160, 240)) is None


def test_near_the_usual_width_the_usual_one_is_kept():
    scale = Scale({None: 160.0}, ((640, 480), (320, 240), (6400, 4800)))
    assert scale((640, 480)) is None
    assert scale((850, 640)) is None
    assert scale((320, 240)) == 160
    assert scale((6400, 4800)) == 160
    assert scale.record == 160
    assert scale.unusual == dict.fromkeys([(320, 240), (6400, 4800)], 160)
    usual = Scale({None: 150.0}, ((640, 480),))
    assert usual.record is None
    of_sizes = Scale({(640, 480): 80.0, (1280, 960): 160.0}, ((640, 480), (1280, 960)))
    assert of_sizes((640, 480)) == 80
    assert of_sizes((320, 240)) is None
    assert of_sizes.record == {"640x480": 80.0, "1280x960": 160.0}
    assert scale_words(of_sizes) == "80 to 160 pixels wide, as read from the red cells"
    assert scale_words(Scale({}, of_sizes.sizes)) == "160 to 320 pixels wide, the usual width; none was read"
    assert scale_words(Scale({})) == "as wide as the red cells of each slide show"
    assert scale_words(72.5) == "72.5 pixels wide, as given by --cell-width"


@pytest.mark.parametrize(("diameter", "expected"), [(84, None), (40, 72), (28, 50)])
def test_the_scale_of_a_folder(saved, diameter, expected):
    scale = read_scale(seen_in(saved(*(blood(diameter, seed=seed) for seed in range(4)))))
    if expected is None:
        assert scale((640, 480)) is None
    else:
        assert scale((640, 480)) == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("width", [60, 300])
def test_nuclei_tell_the_scale_where_no_red_cell_is_stained(saved, width):
    """One cell an image, which is round and might be taken for a red one."""
    images = []
    for seed in range(12):
        size = round(width * (1 + seed % 4 / 10))
        cell = 200 + 20 * seed, 200, round(size / 2.8), size // 2
        images.append(drawn(cell, shape=(480, 640)))
    scale = read_scale(seen_in(saved(*images)))
    assert scale.by == "nuclei"
    assert scale_words(scale) == f"{scale((640, 480)):.0f} pixels wide, as read from the nuclei"
    assert scale((640, 480)) == pytest.approx(1.15 * width, rel=0.1)


def test_many_red_cells_overrule_nuclei_that_are_much_wider(saved):
    """A spot of stain or a heap of cells in each image, as wide as a nucleus in a photograph of one cell."""
    images = [blood(28, seed=seed) for seed in range(4)]
    for image in images:
        cv2.circle(image, (300, 240), 110, NUCLEUS, cv2.FILLED)
    seen = seen_in(saved(*images))
    assert nuclei_width([each.image for each in seen])[0] > 200
    scale = read_scale(seen)
    assert (scale.by, scale((640, 480))) == ("red cells", pytest.approx(50, rel=0.15))


def test_what_is_seen_from_afar_but_differs_is_no_nucleus():
    """Spots a fifth as wide as the cell that was looked for, or of all sizes."""
    small = [drawn((200, 150, 30, 31), shape=(480, 640))] * 4
    assert nuclei_width(small)[0] == pytest.approx(84, rel=0.1)
    mixed = [drawn((300, 240, radius, radius + 1), shape=(480, 640)) for radius in (20, 45, 100, 200)]
    assert nuclei_width(mixed) == (None, 0)


def test_of_images_with_too_many_pixels_some_are_looked_at(saved, monkeypatch):
    images = [drawn((150 + 40 * k, 200, 14, 20), shape=(480, 640)) for k in range(8)]
    monkeypatch.setattr(image_scale, "MOST_LOOK_PIXELS", 4_000_000)
    width, n = nuclei_width(images)
    assert (width, n < 8) == (pytest.approx(40, rel=0.15), True)


def test_an_unusual_scale_is_printed(saved, capsys):
    files = saved(*(blood(28, seed=seed) for seed in range(4)))
    assert first_look(files, 200).scale == 200
    assert capsys.readouterr().err == ""
    (width,) = first_look(files, None).scale.unusual.values()
    note = f"note: a white cell is about {width:.0f} pixels wide, by the red cells, in images of 640 x 480"
    assert capsys.readouterr().err == f"{note}; --cell-width overrides\n"


def test_the_scale_of_one_large_field(saved):
    """Too large for its red cells to be seen at one glance."""
    places = [(700, 500), (1500, 300), (1800, 1300), (400, 1200)]
    (file,) = saved(blood(42, (2400, 1800), white=places))
    scale = read_scale(seen_in([file]))
    assert scale((2400, 1800)) == pytest.approx(75, rel=0.15)
    image, factor = ImageReader(file.path).scaled(cell_width=scale)
    assert factor == 80 / scale((2400, 1800))
    centers = sorted(tuple(np.divide(cell.center, factor)) for cell in find_white_cells(Field(image)))
    np.testing.assert_allclose(centers, sorted(places), atol=8)


def test_sizes_that_do_not_agree_have_a_scale_each(saved):
    images = [blood(28, seed=seed) for seed in range(4)]
    images += [blood(100, (960, 720), seed=seed) for seed in range(12)]
    scale = read_scale(seen_in(saved(*images)))
    assert scale((640, 480)) == pytest.approx(50, rel=0.15)


def test_few_images_of_many_are_looked_at(saved, monkeypatch):
    files = saved(plain(shape=(64, 64)))
    opened = []
    original = ImageFile.open
    monkeypatch.setattr(ImageFile, "open", lambda self: opened.append(1) or original(self))
    assert read_scale(seen_in(files * 2000)).widths == {}
    assert len(opened) == 64


def test_what_cannot_be_read_is_passed_over(tmp_path, saved):
    (tmp_path / "a.jpg").write_text("no image")
    files = [ImageFile(str(tmp_path / "gone.png"), "gone.png"), *saved(blood(28), blood(28, seed=1))]
    assert read_scale(seen_in(files))((640, 480)) == pytest.approx(50, rel=0.15)
    assert read_scale(seen_in(files[:1])).widths == {}


# Real smears


@pytest.fixture
def photographs(shared):
    """Paths and boxes of the white cells of real smears; six hold a white cell that nobody marked."""
    folder = shared / "smears"
    unmarked = {f"BloodImage_{number:05}.jpg" for number in (133, 135, 171, 178, 228, 327)}
    boxes = marked_boxes(folder)
    return {folder / "images" / name: boxes[name] for name in boxes if name not in unmarked}


@pytest.mark.slow
def test_photographs_are_of_the_usual_scale(photographs):
    for path in list(photographs)[::9]:
        assert read_scale(seen_in([ImageFile(str(path), path.name)])).unusual == {}
    files = [ImageFile(str(path), path.name) for path in photographs]
    assert read_scale(seen_in(files)).widths[640, 480] == pytest.approx(160, rel=0.1)


@pytest.mark.parametrize("columns", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_a_mosaic_needs_no_option(photographs, tmp_path, columns):
    chosen = list(photographs.items())[100 : 100 + columns**2]
    images = [ImageReader(str(path)).whole() for path, _ in chosen]
    rows = [np.hstack(images[k : k + columns]) for k in range(0, len(images), columns)]
    path = str(tmp_path / "mosaic.jpg")
    cv2.imwrite(path, np.vstack(rows))
    scale = read_scale(seen_in([ImageFile(path, "mosaic.jpg")]))
    assert scale((640 * columns, 480 * columns)) == pytest.approx(160, rel=0.2)
    image, factor = ImageReader(path).scaled(cell_width=scale)
    boxes = [(k, box) for k, (_, marked) in enumerate(chosen) for box in marked]
    known = [(x + w / 2 + 640 * (k % columns), y + h / 2 + 480 * (k // columns)) for k, (x, y, w, h) in boxes]
    centers = [np.divide(cell.center, factor) for cell in find_white_cells(usual_field(image))]
    assert abs(len(centers) - len(known)) <= 0.05 * len(known)
    assert sum(min(np.hypot(*np.subtract(c, k)) for c in centers) < 50 for k in known) >= 0.95 * len(known)


@pytest.mark.slow
def test_where_nobody_marked_a_white_cell_there_is_none(photographs):
    """At most 3 in 400 patches of 160 to 240 pixels."""
    rng = np.random.default_rng(1)
    false = made = 0
    images = {}
    while made < 400:
        path = list(photographs)[rng.integers(len(photographs))]
        w, h = rng.integers(160, 241, 2).tolist()
        x, y = int(rng.integers(640 - w)), int(rng.integers(480 - h))
        if any(x - 8 < b + c and b < x + w + 8 and y - 8 < d + e and d < y + h + 8
               for b, d, c, e in photographs[path]):  # fmt: skip
            continue
        if path not in images:
            images[path] = ImageReader(str(path)).whole()
        patch = cv2.resize(images[path][y : y + h, x : x + w], None, fx=0.5, fy=0.5, interpolation=3)
        false += len(find_white_cells(Field(patch)))
        made += 1
    assert false <= 3
