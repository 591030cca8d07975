"""Find the cells of images, and cut them out."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ..data.bad_image import BadImage
from ..data.image_reader import ImageFile
from ..data.image_threads import map_images
from ..finding.findings import FoundCell, ImageFindings, crop_box, crop_square
from ..finding.first_look import NO_LOOK, FirstLook
from ..finding.image_quality import flags_without_cell
from ..finding.stain import usual_field
from ..finding.white_cells import find_white_cells

Writer = Callable[[ImageFile, int, np.ndarray], None]  # of the crop of the n-th cell of a file


def crop_cells(
    files: Sequence[ImageFile],
    *,
    look: FirstLook = NO_LOOK,
    size: int | None = None,
    write: Writer | None = None,
) -> Iterator[ImageFindings]:
    """Find the cells of images, and cut them out.

    Parameters
    ----------
    files : sequence of ImageFile
    look : FirstLook, optional
        What is known of all of them; by default nothing.
    size : int, optional
        Cut squares of this side, in pixels at the working scale. By default a crop is the box of the cell in
        the image as it is.
    write : callable, optional
        Called with each crop, in any thread; by default nothing is cut out.

    Yields
    ------
    ImageFindings
        In the order of the files.
    """
    crop = partial(_crop_image, look=look, size=size, write=write)
    for file, found in map_images(crop, files):
        is_bad = isinstance(found, BadImage)
        yield ImageFindings(file.name, (), problem=str(found)) if is_bad else found


def _crop_image(file: ImageFile, look: FirstLook, size: int | None, write: Writer | None) -> ImageFindings:
    reader = file.open()
    image, scale = reader.scaled(cell_width=look.scale)
    white = find_white_cells(usual_field(image, bluish=look.bluish))
    found = [FoundCell(cell.box, cell.center, cell.area) for cell in white]
    cells = [cell.in_file(scale) for cell in found]
    if write is not None:
        for number, cell in enumerate(cells, start=1):
            middle = tuple(int((side + 0.5) * scale) for side in cell.center)
            crop = crop_square(image, middle, size) if size else crop_box(reader.whole(), cell.box)
            write(file, number, crop)
    flags = () if cells else flags_without_cell(image)
    return ImageFindings(file.name, tuple(cells), flags=flags)
