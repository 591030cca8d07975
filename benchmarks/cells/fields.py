"""White cells under changed light, at other scales and where there are none.

    python -m benchmarks.cells.fields --data FOLDER

FOLDER has `smears/` (images of 640x480, boxes.csv with the columns file, x, y, w, h, kind). A cell is found
where boxes overlap by half. With --light it prints how dark and how flat images may be, of all folders there
that have `images/`.
"""

import tempfile

import cv2
import numpy as np

from fastsvm_apps.cells.data.boxes import box_overlap
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.data.image_reader import ImageReader, contrast, is_blank, usual_cell_width
from fastsvm_apps.cells.finding.field import Field
from fastsvm_apps.cells.finding.image_quality import brightest_part
from fastsvm_apps.cells.finding.image_scale import read_scale, seen_in, white_cell_width
from fastsvm_apps.cells.finding.masks import is_cut
from fastsvm_apps.cells.finding.red_circles import find_red_circles
from fastsvm_apps.cells.finding.stain import USUAL, normalised, raw_field, stain_of, usual_field
from fastsvm_apps.cells.finding.white_cells import find_white_cells

from ..machine import parser_of
from .find import Tally, read_boxes

WHITE_CELL = 160  # pixels, of the photographs
CORNERS = 0.8, 0.6, 0.4  # light there, of that in the middle
PATCH = 160, 240  # pixels, sides
# Smears with a clear white cell, cut by the border, that nobody marked.
UNMARKED = "00133", "00135", "00171", "00178", "00228", "00327"


def _levels(image, gain=1.0, gamma=1.0):
    """Multiply the channels, and raise them to a power."""
    levels = np.arange(256)[:, None] / 255
    table = np.clip(255 * (levels * gain) ** gamma, 0, 255).round().astype(np.uint8)
    return cv2.LUT(image, np.broadcast_to(table, (256, 3)).reshape(256, 1, 3).copy())


def _noisy(image, deviation=12):
    noise = np.random.default_rng(0).normal(0, deviation, image.shape)
    return np.clip(image + noise, 0, 255).round().astype(np.uint8)


def _jpeg(image, quality=20):
    return cv2.imdecode(cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, quality))[1], cv2.IMREAD_COLOR)


CONDITIONS = {
    "clean": lambda image: image,
    "half size": lambda image: cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA),
    "double size": lambda image: cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC),
    "gamma 1.5": lambda image: _levels(image, gamma=1.5),
    "gamma .67": lambda image: _levels(image, gamma=0.67),
    "white balance blue": lambda image: _levels(image, np.array([1.15, 1, 0.85])),
    "white balance warm": lambda image: _levels(image, np.array([0.85, 1, 1.15])),
    "white balance green": lambda image: _levels(image, np.array([0.92, 1.08, 0.92])),
    "noise sigma 12": _noisy,
    "JPEG quality 20": _jpeg,
    "blur sigma 3": lambda image: cv2.GaussianBlur(image, (0, 0), 3),
    "40 % darker": lambda image: _levels(image, gain=0.6),
}


def found_boxes(image, cell_width=WHITE_CELL):
    """Return the boxes of white cells, in pixels of the image."""
    scale = 80 / cell_width
    sides = [round(side * scale) for side in image.shape[1::-1]]
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    cells = find_white_cells(usual_field(cv2.resize(image, sides, interpolation=interpolation)))
    return [[side / scale for side in cell.box] for cell in cells]


def mosaic(images, boxes, columns=10, rows=10):
    """Lay images side by side; return the picture and its boxes."""
    picture = np.vstack([np.hstack(images[columns * row : columns * (row + 1)]) for row in range(rows)])
    height, width = images[0].shape[:2]
    known = [
        [x + width * (k % columns), y + height * (k // columns), w, h]
        for k, of_image in enumerate(boxes[: columns * rows])
        for x, y, w, h in of_image
    ]
    return picture, known


def patches(images, boxes, n, seed=0):
    """Cut n patches that no box touches, seeded."""
    rng = np.random.default_rng(seed)
    made = []
    while len(made) < n:
        k = int(rng.integers(len(images)))
        height, width = images[k].shape[:2]
        w, h = rng.integers(PATCH[0], PATCH[1] + 1, 2).tolist()
        x, y = int(rng.integers(width - w + 1)), int(rng.integers(height - h + 1))
        # A fringe of a cell may reach beyond its box.
        if all(box_overlap([x - 8, y - 8, w + 16, h + 16], box) == 0 for box in boxes[k]):
            made.append((k, images[k][y : y + h, x : x + w]))
    return made


def unmarked(name):
    """Tell whether a smear holds a clear white cell, cut by the border, that nobody marked."""
    return any(number in name for number in UNMARKED)


def touching_pairs(singles, gap, n, seed=0):
    """Paste cells beside others so that their nuclei are `gap` pixels apart; yield images and boxes.

    `singles` are an image at the working scale and the white cell in it. Of the lower cell 60 % or more stay.
    """
    rng = np.random.default_rng(seed)
    while n:
        (image, lower), (other, upper) = (singles[k] for k in rng.choice(len(singles), 2, replace=False))
        nucleus, body = np.zeros((2, *image.shape[:2]), np.uint8)
        (x, y), (h, w) = lower.corner, lower.body.shape
        nucleus[y : y + h, x : x + w], body[y : y + h, x : x + w] = lower.nucleus, lower.body
        away = cv2.distanceTransform(1 - nucleus, cv2.DIST_L2, cv2.DIST_MASK_5)
        direction, rows, columns = rng.uniform(0, 2 * np.pi), *np.nonzero(upper.nucleus)
        h, w = upper.body.shape
        for distance in range(300):
            x = int(lower.center[0] + np.cos(direction) * distance - w / 2)
            y = int(lower.center[1] + np.sin(direction) * distance - h / 2)
            if x < 3 or y < 3 or x + w > image.shape[1] - 3 or y + h > image.shape[0] - 3:
                break
            if away[rows + y, columns + x].min() <= gap:
                continue
            part = np.s_[y : y + h, x : x + w]
            body[part][upper.body > 0] = 0
            if np.count_nonzero(body) < 0.6 * lower.area:
                break
            (left, top), light = upper.corner, Field(image).background / Field(other).background
            cell = np.clip(other[top : top + h, left : left + w] * light, 0, 255)
            soft = cv2.GaussianBlur(
                cv2.copyMakeBorder(upper.body, 4, 4, 4, 4, 0).astype(np.float32), (0, 0), 1
            )
            soft = soft[4:-4, 4:-4, None]
            pasted = image.copy()
            pasted[part] = (pasted[part] * (1 - soft) + cell * soft).astype(np.uint8)
            yield pasted, [[x, y, w, h], cv2.boundingRect(body)]
            n -= 1
            break


def report_conditions(names, images, boxes):
    """Print F1 under each condition, and without the smears where nobody marked a cell."""
    print("| condition | all | missed, too many | well marked |\n| --- | --- | --- | --- |")
    for name, change in CONDITIONS.items():
        everything, marked = Tally(), Tally()
        for file, image, known in zip(names, images, boxes, strict=True):
            changed = change(image)
            size = changed.shape[1] / image.shape[1]
            found = [[side / size for side in box] for box in found_boxes(changed, WHITE_CELL * size)]
            everything.add(found, known)
            if not unmarked(file):
                marked.add(found, known)
        print(f"| {name} | {everything.f1:.4f} | {everything.missed}, {everything.extra} | {marked.f1:.4f} |")


def report_mosaics(images, boxes):
    """Print the scale read from mosaics and F1 at it, without an option."""
    for size in (1, 0.5, 0.25):
        for start in (0, 100, len(images) - 100):
            picture, known = mosaic(images[start:], boxes[start:])
            picture = _smaller(picture, size) if size < 1 else picture
            tally, width = Tally(), _width(picture)
            tally.add(found_boxes(picture, width), [[side * size for side in box] for box in known])
            print(f"mosaic of 100, {picture.shape[1]:,} pixels across: white cell {width:.0f}, {tally}")
    picture, known = mosaic(images, boxes)
    for light in CORNERS:
        tally = Tally()
        tally.add(found_boxes(_with_dark_corners(picture, light)), known)
        print(f"mosaic of 100, {light:g} of the light in its corners: {tally}")


def _with_dark_corners(image, light):
    across, down = (np.linspace(-1, 1, side) ** 2 / 2 for side in image.shape[1::-1])
    return np.uint8(image * (1 - (1 - light) * np.add.outer(down, across))[..., None])


def _smaller(image, size):
    return cv2.resize(image, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)


def _width(*images):
    """Return the width of a white cell as `read_scale` reads it from images of one size."""
    with tempfile.TemporaryDirectory() as folder:
        for k, image in enumerate(images):
            cv2.imwrite(f"{folder}/{k:04}.jpg", image)
        size = images[0].shape[1::-1]
        return read_scale(seen_in(find_images([folder])))(size) or usual_cell_width(size)


def report_patches(images, boxes):
    """Print false cells in patches without a white cell."""
    for seed in range(3):
        cut = patches(images, boxes, 393, seed)
        print(f"393 patches, seed {seed}: {sum(len(found_boxes(patch)) for _, patch in cut)} false cells")


def report_touching(images, boxes):
    """Print how many of composed pairs of cells that touch are found as two."""
    singles = []
    for image, known in zip(images, boxes, strict=True):
        image = _smaller(image, 0.5)
        found = find_white_cells(usual_field(image))
        cut = any(is_cut((*c.corner, *c.body.shape[::-1]), image.shape[:2], 2) for c in found)
        if len(found) == len(known) == 1 and not cut:
            singles.append((image, found[0]))
    for gap in (12, 8, 3):
        tally = Tally()
        for image, known in touching_pairs(singles, gap, 100):
            tally.add([cell.box for cell in find_white_cells(usual_field(image))], known)
        print(f"100 pairs, nuclei {gap} pixels apart: {tally}")


def report_scale(images):
    """Print the width of a white cell by single photographs and by a few together, and the time."""
    cells = [find_red_circles(image) for image in images]
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12):
        chosen = [[k] for k in range(len(cells))] if n == 1 else rng.integers(len(cells), size=(1000, n))
        widths = [white_cell_width(np.concatenate([cells[k] for k in some])) for some in chosen]
        told = [width for width in widths if width is not None]
        print(
            f"{n:2} photographs: told in {100 * len(told) / len(widths):.0f} %, "
            f"{min(told):.0f} to {max(told):.0f}"
        )
    for name, change in CONDITIONS.items():
        changed = [find_red_circles(change(image)) for image in images[::3]]
        factor = 2 if name == "half size" else 1
        widths = [
            white_cell_width(factor * np.concatenate(changed[k : k + 5])) for k in range(0, len(changed), 5)
        ]
        told = [width for width in widths if width is not None]
        print(
            f"5 photographs, {name}: told in {len(told)} of {len(widths)}, {min(told):.0f} to {max(told):.0f}"
        )


def report_light(folder, n=60):
    """Print in how many images that have a cell one is still found, less bright or with less contrast."""
    files = find_images([str(folder)])
    images = [ImageReader(file.path).scaled()[0] for file in files[:: len(files) // min(n, len(files))]]
    images = [image for image in images if _has_cell(image)]
    for what, levels, part, change in (
        ("brightest part", (96, 64, 56, 48, 40, 32, 24), brightest_part, lambda image, by: image * by),
        ("contrast", (64, 48, 40, 32, 28, 24, 16), contrast, _flatter),
    ):
        print(
            f"{folder.parent.name}, {len(images)} images, {what} {min(map(part, images))} or more:",
            end="",
            flush=True,
        )
        for level in levels:
            changed = [np.clip(change(each, level / part(each)), 0, 255).round() for each in images]
            found = np.mean([_has_cell(each.astype(np.uint8)) for each in changed])
            print(f"  {level}: {100 * found:.0f} %", end="")
        print()


def _flatter(image, by):
    """Bring all levels nearer to the highest of their channel."""
    white = image.max(axis=(0, 1)).astype(float)
    return white + (image - white) * by


def _has_cell(image):
    raw = raw_field(image)
    made = normalised(image, stain_of(raw), USUAL)
    return not is_blank(image) and bool(find_white_cells(Field(made, raw.frame, raw.stained)))


def main():
    """Run the command line."""
    parser = parser_of("cells.fields", __doc__)
    parser.add_argument("--light", action="store_true", help="how dark and how flat images may be")
    options = parser.parse_args()
    if options.light:
        for images in sorted(options.data.glob("*/images")):
            report_light(images)
        return
    folder = options.data / "smears"
    boxes = {name: known["WBC"] for name, known in read_boxes(folder).items()}
    names = list(boxes)
    images = [ImageReader(str(folder / "images" / name)).whole() for name in names]
    report_conditions(names, images, list(boxes.values()))
    report_mosaics(images, list(boxes.values()))
    well = [k for k, name in enumerate(names) if not unmarked(name)]
    images, marked = [images[k] for k in well], [boxes[names[k]] for k in well]
    report_patches(images, marked)
    report_touching(images, marked)
    report_scale(images)


if __name__ == "__main__":
    main()
