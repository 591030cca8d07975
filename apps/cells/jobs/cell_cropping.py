"""Find the cells of images, and cut them out."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import cv2
import numpy as np

from ..data.bad_image import BadImage
from ..data.image_reader import ImageFile
from ..data.image_threads import map_images
from ..finding.document_crop import SIZE, Step, locate_report, without_frame
from ..finding.field import Field
from ..finding.findings import FoundCell, ImageFindings, crop_box, crop_square, square_box
from ..finding.first_look import NO_LOOK, FirstLook
from ..finding.image_quality import flags_without_cell
from ..finding.stain import usual_field
from ..finding.white_cells import WhiteCell, find_white_cells
from ..settings import CropSettings

Writer = Callable[[ImageFile, int, np.ndarray], None]  # of the crop of the n-th cell of a file
DrawSteps = Callable[[ImageFile, Sequence[Step]], None]  # from a file to its crops


def crop_cells(
    files: Sequence[ImageFile],
    settings: CropSettings,
    *,
    look: FirstLook = NO_LOOK,
    write: Writer | None = None,
    draw: DrawSteps | None = None,
    jobs: int | None = None,
) -> Iterator[ImageFindings]:
    """Find the cells of images, and cut them out.

    Parameters
    ----------
    files : sequence of ImageFile
    settings : CropSettings
    look : FirstLook, optional
        What is known of all images; by default nothing.
    write : callable, optional
        Called with each crop, in any thread; by default nothing is cut out.
    draw : callable, optional
        Called with the steps from each image to its crops, in any thread.
    jobs : int, optional
        Number of threads; by default one per processor available to this process.

    Yields
    ------
    ImageFindings
        In the order of the files.
    """
    crop = partial(_crop_image, settings=settings, look=look, write=write, draw=draw)
    for file, found in map_images(crop, files, jobs=jobs):
        is_bad = isinstance(found, BadImage)
        yield ImageFindings(file.name, (), problem=str(found)) if is_bad else found


def _crop_image(
    file: ImageFile, settings: CropSettings, look: FirstLook, write: Writer | None, draw: DrawSteps | None
) -> ImageFindings:
    reader = file.open()
    image, scale = reader.scaled(cell_width=look.scale)
    size, steps = settings.size, [("image", image)]
    if settings.style == "document":
        size = size or SIZE
        center = locate_report(image, steps, size)
        found = [] if center is None else [FoundCell(square_box(image, center, size), center, 0)]
    else:
        field = usual_field(image, bluish=look.bluish)
        white = find_white_cells(field)
        found = [FoundCell(cell.box, cell.center, cell.area) for cell in white]
        if draw is not None:
            steps += _steps_to_white_cells(field, white)
    cells = [cell.in_file(scale) for cell in found]
    if write is not None:
        for number, (scaled, cell) in enumerate(zip(found, cells, strict=True), start=1):
            crop = crop_square(image, scaled.center, size) if size else crop_box(reader.whole(), cell.box)
            write(file, number, _toned(crop, settings))
    if draw is not None:
        draw(file, steps)
    flags = () if cells else flags_without_cell(image)
    return ImageFindings(file.name, tuple(cells), flags=flags)


def _steps_to_white_cells(field: Field, cells: Sequence[WhiteCell]) -> list[Step]:
    outlined = field.image.copy()
    cv2.polylines(outlined, [cell.contour for cell in cells], True, (0, 0, 0), 2)
    return [("usual stain", field.image), ("stained like nuclei", 255 * field.stained), ("cells", outlined)]


def _toned(crop: np.ndarray, settings: CropSettings) -> np.ndarray:
    """Return a crop in gray, as a negative, or both."""
    if settings.gray:
        crop = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
        if settings.style == "document":
            crop = without_frame(crop)
    return 255 - crop if settings.negative else crop
