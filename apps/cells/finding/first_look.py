"""What is read from the images of a run before any of them is worked on: scale, stain, are they like ours.

Every job that reads images begins here, so that all of them see one image alike.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from ...common.printing import note
from ..data.bad_image import BadImage
from ..data.image_reader import CELL_WIDTH, ImageFile, is_blank
from ..data.image_threads import map_images
from ..data.slide_tiles import spread_tiles
from .bluish import red_cell_density
from .field import Field
from .image_scale import (
    COUNTED_IMAGES,
    UNREAD,
    Scale,
    Seen,
    evenly_spread,
    read_scale,
    red_cells_of,
    seen_in,
    white_cell_width,
)
from .nuclei import nuclear_share
from .stain import USUAL, Stain, has_red_cells, raw_field, stain_of

MOST_OWN = 16  # images that are asked whether they are like those of the model ...
MOST_OWN_PIXELS = 1 << 24  # ... and their pixels at the working scale, unless the first has more
AS_WIDE = 0.9  # share of the longer side, from which on a white cell counts as wide as the image
MOST_IMAGES = 128  # that the stain of all is read from
# Nuclear stain over the density of green of what absorbs in most places, from which on red cells look like
# nuclei: where many are seen in an image, and where it may be a nucleus, which has no more than the second.
LIKE_NUCLEI, UNLIKE_NUCLEI, MANY_CELLS = 0.9, 1.15, 25
FOLDER = 5  # images; of fewer that is believed only where they are not like those of the model

IsOwn = Callable[[Sequence[Field]], bool]


@dataclass(frozen=True)
class FirstLook:
    """What holds for all images of a run, or for all tiles of a slide.

    Attributes
    ----------
    scale : float or Scale
        The width of a white cell in pixels, as for `read_scaled`; by default the usual one.
    bluish : bool
        Whether red cells absorb red light, and are to be told from nuclei by their colour.
    own : bool or None
        Whether the images are like those that the model learned from; None if this was not asked.
    stain : Stain or None
        That of a slide, which all its tiles have; None where each image has its own.
    """

    scale: float | Scale = UNREAD
    bluish: bool = False
    own: bool | None = None
    stain: Stain | None = None


NO_LOOK = FirstLook()


def first_look(
    files: Sequence[ImageFile], cell_width: float | None, is_own: IsOwn | None = None
) -> FirstLook:
    """Look at images that came together, and print a width of cells that is unusual.

    Parameters
    ----------
    files : sequence of ImageFile
        A few are read, spread evenly. Those that cannot be read are skipped, and so are slides.
    cell_width : float or None
        That a person gave.
    is_own : callable, optional
        Called with the raw fields, as of `raw_field`, of a few images; returns whether they are like those
        that the model learned from. Of other images the width of cells is taken as it is read, however close
        to the usual one.
    """
    seen = seen_in(files) if cell_width is None else seen_in(files, COUNTED_IMAGES)
    bluish = len(seen) >= FOLDER and are_bluish(seen)
    look = FirstLook(read_scale(seen, bluish) if cell_width is None else cell_width, bluish)
    if is_own is not None and (raws := list(_raw_fields(files, look))):
        look = replace(look, own=is_own(raws))
    if look.own is False:
        bluish = are_bluish(seen)
        if isinstance(look.scale, Scale):
            scale = look.scale if bluish == look.bluish else read_scale(seen, bluish)
            look = replace(look, scale=scale.as_read)
        look = replace(look, bluish=bluish)
    if isinstance(look.scale, Scale):
        for size, width in list(look.scale.unusual.items())[:1]:
            said = "note: " if width < AS_WIDE * max(size) else "warning: as wide as the image: "
            note(
                f"{said}a white cell is about {width:,.0f} pixels wide, by the {look.scale.by}, in images of "
                f"{size[0]:,} x {size[1]:,}; --cell-width overrides"
            )
    return look


def are_bluish(seen: Sequence[Seen]) -> bool:
    """Return whether red cells absorb so much red light that they look like nuclei."""
    counted = [each for each in seen if each.cells is not None]
    densities = [red_cell_density(Field(each.image)) for each in counted]
    shares = [nuclear_share(own) for own in densities if own is not None]
    if not shares:
        return False
    many = np.median([len(each.cells) for each in counted]) >= MANY_CELLS
    return bool(np.median(shares) >= (LIKE_NUCLEI if many else UNLIKE_NUCLEI))


def look_at_slide(file: ImageFile, cell_width: float | None, is_own: IsOwn | None = None) -> FirstLook | None:
    """Look at a few tiles of a slide, and print the width of a white cell; None if they do not tell it."""
    seen = seen_in(spread_tiles(file))
    width = cell_width or white_cell_width(red_cells_of(seen))
    if width is None:
        return None
    if cell_width is None:
        note(
            f"note: {file.name}: a white cell is about {width:,.0f} pixels wide, by its red cells; "
            "--cell-width overrides"
        )
    look = FirstLook(width, are_bluish(seen))
    tiles = spread_tiles(file, width / CELL_WIDTH)
    look = replace(look, stain=_stain_of_tiles(tiles, look))
    raws = list(_raw_fields(tiles, look)) if is_own else []
    return replace(look, own=is_own(raws)) if raws else look


def _raw_fields(files: Sequence[ImageFile], look: FirstLook) -> Iterator[Field]:
    """Yield the raw fields of a few images, spread evenly."""
    pixels = 0
    for file in evenly_spread(files, MOST_OWN):
        try:
            image, _ = file.open().scaled(cell_width=look.scale)
        except (BadImage, OSError):
            continue
        pixels += image[..., 0].size
        if pixels > max(MOST_OWN_PIXELS, image[..., 0].size):
            return
        if not is_blank(image):
            yield raw_field(image, look.bluish)


def usual_stain_of(files: Sequence[ImageFile], look: FirstLook) -> Stain:
    """Return the usual stain of images to learn from; it has `nuclear` if most lack red cells to trust."""
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
