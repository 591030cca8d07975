"""A first look at the images of a run, before the work: scale, stain, and whether they are familiar.

Every job that reads images begins here, so that all jobs see an image alike.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Protocol

import numpy as np

from ...common.printing import note
from ..data.image_reader import CELL_WIDTH, MIN_SIDE, ImageFile, at_working_scale, is_blank, usual_cell_width
from ..data.image_threads import map_images
from ..data.slide_tiles import spread_tiles
from . import image_scale
from .bluish import red_cell_density
from .field import Field
from .image_scale import Scale, Seen, read_scale, red_cells_of, seen_in, white_cell_width
from .nuclei import nuclear_share
from .stain import USUAL, Stain, has_red_cells, raw_field, stain_of

MOST_OWN = 16  # images that are compared with those of the model ...
MOST_OWN_PIXELS = 1 << 24  # ... and their pixels at the working scale, unless the first has more
AS_WIDE = 0.9  # share of the longer side, from which on a white cell counts as wide as the image
MOST_IMAGES = 128  # from which the stain of all is read
# Nuclear stain of red cells over their density of green, from which on they look like nuclei: in an image
# with many of them, and in one where they may be a nucleus, which has no more than the second.
LIKE_NUCLEI, UNLIKE_NUCLEI, MANY_CELLS = 0.9, 1.15, 25
FOLDER = 5  # images; fewer are called bluish only if they are unlike those of the model


class Learned(Protocol):
    """The images that a model has learned from.

    Attributes
    ----------
    usual_width : float
        The width of a white cell in its images, over the usual width in an image of this size.
    """

    usual_width: float

    def are_own(self, stains: Sequence[Stain], /) -> bool:
        """Return whether images with these stains are of the kind that the model learned from."""


@dataclass(frozen=True)
class FirstLook:
    """What holds for all images of a run, or for all tiles of a slide.

    Attributes
    ----------
    scale : float or Scale
        The width of a white cell in pixels, as for `ImageReader.scaled`; by default the usual one.
    bluish : bool
        Whether red cells absorb red light, and must be told from nuclei by their colour.
    own : bool or None
        Whether the images are like those that the model learned from; None if unknown.
    stain : Stain or None
        The stain of a slide and all its tiles; None if each image has its own.
    alone : bool
        Whether there is a single image.
    relative_width : float
        The width of a white cell over the usual width in an image of this size, the median of some images.
    """

    scale: float | Scale = image_scale.UNREAD
    bluish: bool = False
    own: bool | None = None
    stain: Stain | None = None
    alone: bool = False
    relative_width: float = 1.0


NO_LOOK = FirstLook()


def look_of(file: ImageFile, look: FirstLook) -> FirstLook:
    """Return the look of an image: a tile has the look of its slide."""
    return getattr(file, "look", None) or look


def first_look(
    files: Sequence[ImageFile], cell_width: float | None, learned: Learned | None = None
) -> FirstLook:
    """Look at images that came together, and print the width of a white cell if it is unusual.

    Parameters
    ----------
    files : sequence of ImageFile
        A few are read, spread evenly. Those that cannot be read are skipped, and so are slides.
    cell_width : float or None
        The width that a person gave.
    learned : Learned, optional
        The images that the model has learned from. For images unlike these, the width is taken as read,
        however close to the usual one.
    """
    seen = seen_in(files) if cell_width is None else seen_in(files, image_scale.COUNTED_IMAGES)
    bluish = len(seen) >= FOLDER and are_bluish(seen)
    usual = 1.0 if learned is None else learned.usual_width

    def look_with(bluish: bool) -> FirstLook:
        scale = read_scale(seen, bluish, usual) if cell_width is None else cell_width
        look = FirstLook(scale, bluish, alone=len(files) == 1)
        stains = list(_stains_of(seen, look)) if learned is not None else []
        return replace(look, own=learned.are_own(stains)) if stains else look

    look = look_with(bluish)
    if look.own is False and not bluish and are_bluish(seen):
        look = look_with(True)
    if look.own is False and isinstance(look.scale, Scale):
        look = replace(look, scale=look.scale.as_read)
    if isinstance(look.scale, Scale):
        unusual = [
            (size, width)
            for size, width in look.scale.unusual.items()
            if not 1 / image_scale.SAME_FACTOR <= width / usual_cell_width(size) <= image_scale.SAME_FACTOR
        ]
        for size, width in unusual[:1]:
            said = "note: " if width < AS_WIDE * max(size) else "warning: as wide as the image: "
            told = f"{said}a white cell is about {width:,.0f} pixels wide, by the {look.scale.by}"
            note(f"{told}, in images of {size[0]:,} x {size[1]:,}; --cell-width overrides")
    relative = [_width(look.scale, each.size) / usual_cell_width(each.size) for each in seen]
    return replace(look, relative_width=float(np.median(relative))) if relative else look


def _width(scale: float | Scale, size: tuple[int, int]) -> float:
    """Return the width of a white cell in an image of a size."""
    return (scale(size) or usual_cell_width(size)) if isinstance(scale, Scale) else scale


def are_bluish(seen: Sequence[Seen]) -> bool:
    """Return whether red cells absorb so much red light that they look like nuclei."""
    counted = [each for each in seen if each.cells is not None]
    densities = [red_cell_density(Field(each.image)) for each in counted]
    shares = [nuclear_share(own) for own in densities if own is not None]
    if not shares:
        return False
    many = np.median([len(each.cells) for each in counted]) >= MANY_CELLS
    return bool(np.median(shares) >= (LIKE_NUCLEI if many else UNLIKE_NUCLEI))


def look_at_slide(
    file: ImageFile, cell_width: float | None, learned: Learned | None = None
) -> FirstLook | None:
    """Look at a few tiles of a slide, and print the width of a white cell; None if they do not show it."""
    seen = seen_in(spread_tiles(file))
    width = cell_width or white_cell_width(red_cells_of(seen))
    if width is None:
        return None
    if cell_width is None:
        told = f"a white cell is about {width:,.0f} pixels wide, by its red cells"
        note(f"note: {file.name}: {told}; --cell-width overrides")
    look = FirstLook(width, are_bluish(seen))
    tiles = spread_tiles(file, width / CELL_WIDTH)
    stain = _stain_of_tiles(tiles, look)
    own = learned.are_own([stain]) if learned is not None and stain is not None else None
    return replace(look, stain=stain, own=own)


def _stains_of(seen: Sequence[Seen], look: FirstLook) -> Iterator[Stain]:
    """Yield the stains of the first images, which are spread evenly."""
    pixels = 0.0
    for each in seen[:MOST_OWN]:
        scale = each.reduce * CELL_WIDTH / _width(look.scale, each.size)
        size = each.image.shape[1::-1]
        pixels += scale**2 * size[0] * size[1]
        if pixels > MOST_OWN_PIXELS and each is not seen[0]:
            return
        image, _ = at_working_scale(each.image, size, scale)
        if min(image.shape[:2]) >= MIN_SIDE and not is_blank(image):
            yield stain_of(raw_field(image, look.bluish))


def usual_stain_of(files: Sequence[ImageFile], look: FirstLook) -> Stain:
    """Return the usual stain of training images, with `nuclear` if most lack reliable red cells."""
    found = map_images(lambda file: _stain_in(file, look), files[:: ceil(len(files) / MOST_IMAGES) or 1])
    stains = [stain for _, stain in found if isinstance(stain, Stain) and stain.nuclear]
    trusted = sum(has_red_cells(stain) for stain in stains)
    if 2 * trusted >= len(stains):
        return USUAL
    return USUAL._replace(nuclear=float(np.median([stain.nuclear for stain in stains])))


def _stain_in(file: ImageFile, look: FirstLook) -> Stain | None:
    image, _ = file.open().scaled(cell_width=look.scale)
    return None if is_blank(image) else stain_of(raw_field(image, look.bluish))


def _stain_of_tiles(tiles: Iterable[ImageFile], look: FirstLook) -> Stain | None:
    """Return the stain of a slide, the median over a few tiles; None without red cells and nuclei."""
    stains = [stain for tile in tiles if (stain := _stain_in(tile, look))]
    some = [stain for stain in stains if stain.density is not None]
    some = some or [stain for stain in stains if stain.nuclear is not None]
    if not some:
        return None
    plasma, *others = ([value for value in values if value is not None] for values in zip(*some, strict=True))
    return Stain(
        tuple(np.median(plasma, axis=0).tolist()),
        *(float(np.median(values)) if values else None for values in others),
    )
