"""Pictures for the commands: mistakes, many images on a sheet, and the steps from an image to its cells."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from ...common.errors import AppError, Skipped
from ...common.figures import figure
from ...common.output import printable
from ..data.files import ImageFile
from ..data.header import BadImage
from ..data.images import CellWidth, read_image, read_scaled
from ..data.threads import map_images
from ..model.document import locate_report
from ..model.evaluation import Mistake
from ..model.findings import NO_CELL, cut_out
from ..model.locate import Field, locate, outlined
from .drawing import contact_sheet, save_image, shown_in

MAX_STEP = 800  # pixels a side; a figure shows no more of one step

Image = np.ndarray
Tile = tuple[Image, str]


def draw_mistakes(path: str, mistakes: Iterable[Mistake]) -> None:
    """Draw a sheet of mistakes: the cell of each, or the image if no cell was found in it."""
    # Wide enough for two labels and a score.
    sheet = contact_sheet(_mistake_tiles(mistakes), tile=200, title="known label: prediction, score")
    save_image(path, sheet)


def _mistake_tiles(mistakes: Iterable[Mistake]) -> Iterator[Tile]:
    for (file, cell), image in map_images(lambda mistake: read_image(mistake.file.path), mistakes):
        if isinstance(image, BadImage):  # it could be read before
            continue
        if cell is None:
            yield image, f"{file.label}: {NO_CELL}"
        else:
            yield cut_out(image, cell.box), f"{file.label}: {cell.label} {cell.score:.2f}"


def draw_sheet(
    path: str, files: list[ImageFile], skipped: Skipped, crops: bool, limit: int, columns: int | None, **how
) -> bool:
    """Draw a sheet of images or, as `crops`, of the cells in them; return whether there are more.

    The other options, `cell_width` and what is called after each image, are those of `_image_tiles`.
    """
    tiles = _image_tiles(files, skipped, crops, **how)
    first = next(tiles, None)
    if first is None:
        what = NO_CELL if crops else "no image that can be shown"
        raise AppError("; ".join([f"{skipped.source}: {what}", *skipped.report()[:1]]))
    save_image(path, contact_sheet(islice(chain([first], tiles), limit), columns=columns))
    return next(tiles, None) is not None


def _image_tiles(
    files: Iterable[ImageFile], skipped: Skipped, crops: bool, cell_width: CellWidth, advance: Callable
) -> Iterator[Tile]:
    def pictures(file: ImageFile) -> list[Image]:
        image, _ = read_scaled(file.path, cell_width=cell_width)
        return [cut_out(image, cell.box) for cell in locate(Field(image))] if crops else [image]

    for file, found in map_images(pictures, files):
        advance()
        if isinstance(found, BadImage):
            skipped.add(file.name, str(found))
            continue
        name = os.path.basename(file.name)
        for k, picture in enumerate(found, start=1):
            yield picture, f"{name} {k}" if len(found) > 1 else name


def steps_of(path: str, method: str, cell_width: CellWidth = None) -> tuple[list[tuple[str, Image]], bool]:
    """Return the pictures of each step from an image to its cells, and whether there are any."""
    try:
        image, _ = read_scaled(path, cell_width=cell_width)
    except BadImage as error:
        raise AppError(f"{path}: {error}") from error
    pictures = [("image", image)]

    def show(title: str, picture: Image) -> None:
        pictures.append((title, picture))

    if method == "report":
        return pictures, locate_report(image, show) is not None
    cells = locate(Field(image), show)
    if cells:
        show("outlined", outlined(image, cells))
        show("cropped", cut_out(image, cells[0].box))
    return pictures, bool(cells)


def plot_steps(steps: Sequence[tuple[str, np.ndarray]], path: str) -> None:
    """Draw the steps from an image to its crop side by side.

    Parameters
    ----------
    steps : sequence of (str, ndarray)
        What was done, and the image (grey, BGR or a mask) it led to.
    path : str
        The picture to write; its ending says the format.
    """
    columns = min(len(steps), 4)
    rows = -(-len(steps) // columns)
    with figure(path, (2.6 * columns, 2.4 * rows)) as sheet:
        axes = sheet.subplots(rows, columns, squeeze=False).ravel()
        for ax in axes:
            ax.set_axis_off()
        for number, (ax, (name, image)) in enumerate(zip(axes, steps, strict=False), 1):
            ax.imshow(shown_in(MAX_STEP, image))
            ax.set_title(f"{number}. {printable(name)}", fontsize=9)
