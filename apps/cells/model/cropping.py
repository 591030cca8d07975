"""Find the cells of images, and cut them out."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..data.files import ImageFile
from ..data.header import BadImage
from ..data.images import CellWidth, ImageReader
from ..data.threads import map_images
from .document import SIZE, crop, gray_negative, locate_report
from .findings import Finding, ImageFindings, cut_out
from .locate import find_center, locate
from .stain import usual_field

Writer = Callable[[ImageFile, int, np.ndarray], None]  # of the crop of a file's n-th cell


class Cropping(NamedTuple):
    """How cells are cropped: `find` with `method`, `size` of squares, as `gray_negative`."""

    method: str = "cells"
    size: int | None = None
    gray_negative: bool = False
    cell_width: CellWidth = None


def crop_cells(
    files: Sequence[ImageFile], how: Cropping, write: Writer | None = None, *, jobs: int | None = None
) -> Iterator[tuple[ImageFile, ImageFindings]]:
    """Find the cells of images, and have their crops written by `write`, in any of `jobs` threads."""
    if how.method != "cells" and how.size is None:
        how = how._replace(size=SIZE)
    for file, cells in map_images(partial(_crop_image, how=how, write=write), files, jobs=jobs):
        if isinstance(cells, BadImage):
            yield file, ImageFindings(file.name, (), problem=str(cells))
        else:
            yield file, ImageFindings(file.name, tuple(cells))


def _crop_image(file: ImageFile, how: Cropping, write: Writer | None) -> list[Finding]:
    # Half the size is enough for a centre, and takes half the time.
    fraction = 0.5 if how.method == "center" else 1
    reader = ImageReader(file.path)
    image, scale = reader.scaled(cell_width=how.cell_width, fraction=fraction)
    size = how.size and max(1, round(how.size * fraction))
    cells = [cell.at_scale_of_file(scale) for cell in _located(image, how.method, size)]
    if write and cells:
        for number, part in enumerate(_cut_out(reader, cells, how), start=1):
            write(file, number, gray_negative(part) if how.gray_negative else part)
    return cells


def _cut_out(reader: ImageReader, cells: Sequence[Finding], how: Cropping) -> Iterator[np.ndarray]:
    """Yield squares at the working scale, or what is in each box as it is in the file."""
    if how.size is None:
        yield from (cut_out(reader.whole(), cell.box) for cell in cells)
    else:
        image, scale = reader.scaled(cell_width=how.cell_width)
        for cell in cells:
            yield crop(image, tuple(int((side + 0.5) * scale) for side in cell.center), how.size)


def _located(image: np.ndarray, method: str, size: int | None) -> list[Finding]:
    """Find cells at the working scale; what finds a centre only has a square for its box, and no area."""
    if method == "cells":
        return [Finding(cell.box, cell.center, cell.area) for cell in locate(usual_field(image))]
    center = find_center(image) if method == "center" else locate_report(image)
    if center is None:
        return []
    sides = [
        (max(0, min(middle - size // 2, length - size)), min(size, length))
        for middle, length in zip(center, image.shape[1::-1], strict=True)
    ]
    (x, w), (y, h) = sides
    return [Finding((x, y, w, h), center, 0)]
