"""Find the cells of images, and cut them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..data.files import ImageFile
from ..data.header import BadImage
from ..data.images import CellWidth, ImageReader
from ..data.threads import MapImages, map_images
from ..finding.document import SIZE, crop, gray_negative, locate_report
from ..finding.findings import Finding, ImageFindings, cut_out
from ..finding.locate import find_center, locate
from ..finding.stain import usual_field

Writer = Callable[[ImageFile, int, Any], None]  # of the crop of a file's n-th cell


class Cropping(NamedTuple):
    """How cells are cropped: `find` with `method`, `size` of squares, as `gray_negative`."""

    method: str = "cells"
    size: int | None = None
    gray_negative: bool = False
    cell_width: CellWidth = None


class Cropped(NamedTuple):
    """The cells of an image, and what was made of their crops."""

    cells: list[Finding]
    crops: list


def crop_cells(
    files: Sequence[ImageFile],
    how: Cropping,
    write: Writer | None = None,
    make: Callable[[np.ndarray], object] | None = None,
    *,
    jobs: int | None = None,
    cropping: MapImages = map_images,
) -> Iterator[tuple[ImageFile, ImageFindings]]:
    """Find the cells of images, and cut them out.

    Parameters
    ----------
    files : sequence of ImageFile
    how : Cropping
    write : callable, optional
        Gets each crop, in any thread of this process; by default none is made.
    make : callable, optional
        What makes of a crop, where it was cut out, what `write` gets.
    jobs : int, optional
        Threads, as for `map_images`.
    cropping : callable, default=map_images
        What finds the cells, and cuts them out.

    Yields
    ------
    file : ImageFile
        In the order they came.
    found : ImageFindings
    """
    if how.method != "cells" and how.size is None:
        how = how._replace(size=SIZE)
    crop = partial(_crop_image, how=how, cut=write is not None, make=make)
    if cropping is map_images:  # what is written at once need not be kept
        results = map_images(lambda file: _written(file, crop(file), write), files, jobs=jobs)
    else:
        cropped = map_images(lambda item: _written(*item, write), cropping(crop, files), jobs=jobs)
        results = ((file, cells) for (file, _), cells in cropped)
    for file, cells in results:
        if isinstance(cells, BadImage):
            yield file, ImageFindings(file.name, (), problem=str(cells))
        else:
            yield file, ImageFindings(file.name, tuple(cells))


def _written(file: ImageFile, cropped: Cropped | BadImage, write: Writer | None) -> list[Finding] | BadImage:
    if isinstance(cropped, BadImage):
        return cropped
    for number, made in enumerate(cropped.crops, start=1):
        write(file, number, made)
    return cropped.cells


def _crop_image(file: ImageFile, how: Cropping, cut: bool, make: Callable | None) -> Cropped:
    # Half the size is enough for a centre, and takes half the time.
    fraction = 0.5 if how.method == "center" else 1
    reader = file.open()
    image, scale = reader.scaled(cell_width=how.cell_width, fraction=fraction)
    size = how.size and max(1, round(how.size * fraction))
    cells = [cell.at_scale_of_file(scale) for cell in _located(image, how.method, size)]
    parts: Iterable = _cut_out(reader, cells, how) if cut and cells else ()
    for change in (gray_negative if how.gray_negative else None, make):
        parts = map(change, parts) if change else parts
    return Cropped(cells, list(parts))


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
