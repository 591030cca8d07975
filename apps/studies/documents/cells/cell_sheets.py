"""Sheets of the images themselves: originals, crops, components, and the steps to a crop."""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from ....cells.data.image_reader import ImageFile, read_image
from ....cells.output.cell_drawing import contact_sheet, encoded
from ...report.study_report import Context, Figure
from .cell_crops import CLASSES, SIDE
from .cell_experiments import SCALE, Images, random_splits
from .document_steps import draw_document_steps, steps_of, steps_size
from .principal_components import components, whitened

SHOWN = 8  # of each class
COLUMNS = 8

Tiles = list[tuple[np.ndarray, str]]


# fmt: off
def cell_sheets(images: Images, context: Context, photographs: bool = False) -> list[Figure]:
    """Return the document's pictures of images; the docs have them of drawn smears alone."""
    crops = images.crops
    train, test = random_splits(crops, 1, context.seed)[0]
    shown = _one_of_each_original(crops.signs[test], crops.groups[test])
    projection = images.projection(train, test)
    mean, axes = components(crops.pixels[train], SCALE, projection)
    rebuilt = (mean + projection[1][shown] @ axes) / SCALE
    pixels = crops.pixels[test[shown]]
    rotated = whitened(projection)[1][shown] @ axes
    names = [CLASSES[int(sign > 0)].lower() for sign in crops.signs[test[shown]]]
    of = "photographs" if photographs else "drawn smears"
    sheets = [
        ("originals", "Original images", "Each of another original.", original_tiles(crops.files),
         "figure 1"),
        ("crops", "Crops", "Grey and negative, as the solvers get them.", _tiles(pixels, names), "figure 5"),
        ("rebuilt", f"Crops rebuilt from {len(axes)} components",
         f"The same crops, of which only {len(axes)} principal components of those to train on are left.",
         _tiles(np.clip(rebuilt, 0, 255), names), "figure 7"),
        ("whitened", "Crops rebuilt from whitened components",
         "The same, each component stretched to the same variance; 0 is grey, and each has its own scale.",
         _tiles(map(_stretched, rotated), names), "figure 7"),
    ]
    steps = steps_of(crops.files[-1].path)
    suffix = "-photographs" if photographs else ""
    return [
        *(Figure(name + suffix, f"{title} of {of}", caption, partial(_drawn, tiles), source=source,
                 shows_data=photographs)
          for name, title, caption, tiles, source in sheets),
        Figure(f"steps{suffix}", f"From an image to its crop, {of}",
               "The document's six steps on one image; the crop's colours are taken away later.",
               partial(draw_document_steps, steps=steps), size=steps_size(len(steps)), source="figure 4",
               shows_data=photographs),
    ]
# fmt: on


def _drawn(tiles: Tiles, sheet) -> bytes:
    return encoded(contact_sheet(tiles, columns=COLUMNS))


def original_tiles(files: Sequence[ImageFile]) -> Tiles:
    """Read some images of each class, each of another original."""
    signs = np.array([CLASSES.index(file.label) for file in files])
    groups = np.array([file.original for file in files])
    some = [files[row] for row in _one_of_each_original(signs, groups)]
    return [(read_image(file.path), file.label.lower()) for file in some]


def _one_of_each_original(signs: np.ndarray, groups: np.ndarray) -> list[int]:
    """Return rows of `SHOWN` originals of each class, class by class."""
    rows: list[int] = []
    for sign in np.unique(signs):
        own = np.flatnonzero(signs == sign)
        _, first = np.unique(groups[own], return_index=True)
        rows += own[np.sort(first)[:SHOWN]].tolist()
    return rows


def _tiles(pictures: Iterable[np.ndarray], names: Sequence[str]) -> Tiles:
    tiles = (picture.reshape(SIDE, SIDE).astype(np.uint8) for picture in pictures)
    return list(zip(tiles, names, strict=True))


def _stretched(picture: np.ndarray) -> np.ndarray:
    """Return values of either sign as grey levels, 0 in the middle."""
    return 127.5 * (1 + picture / np.abs(picture).max())
