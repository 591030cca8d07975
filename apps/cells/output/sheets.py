"""Pictures for the commands: mistakes, many images on a sheet, and the steps from an image to its cells."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from textwrap import wrap

import cv2
import numpy as np

from ...common.errors import AppError, Skipped
from ...common.figures import figure
from ...common.output import many, printable
from ..data.files import ImageFile
from ..data.header import BadImage
from ..data.images import CellWidth, read_image, read_scaled
from ..data.threads import map_images
from ..finding.document import locate_report
from ..finding.findings import NO_CELL, cut_out
from ..finding.locate import MIN_NUCLEUS, MIN_PURPLE, locate, outlined
from ..finding.stain import usual_field
from ..jobs.evaluation import Mistake
from .drawing import contact_sheet, save_image, shown_in

# Of those that `locate` shows, what follows the nuclei.
CELL_STEPS = ("likeness to a cell", "grown and smoothed")
NOT_REACHED = "not reached"
MAX_STEP = 800  # pixels a side; a figure shows no more of one step
STEPS_IN_A_ROW = 4

Image = np.ndarray
Tile = tuple[Image, str]


def draw_mistakes(path: str, mistakes: Sequence[Mistake], limit: int) -> int:
    """Draw a sheet of mistakes: the cell of each, or the image if no cell was found in it.

    Parameters
    ----------
    path : str
    mistakes : sequence of Mistake
        Of several copies of one original only the first is drawn.
    limit : int
        Most tiles.

    Returns
    -------
    int
        How many originals are left out.
    """
    counts = Counter(mistake.file.original for mistake in mistakes)
    first = {mistake.file.original: mistake for mistake in reversed(mistakes)}
    # The order is that of the surest mistake of each.
    drawn = [first[original] for original in islice(counts, limit)]
    lines = 2 + any(counts[mistake.file.original] > 1 for mistake in drawn)
    # Wide enough for two labels and a score.
    tiles = _mistake_tiles(drawn, counts)
    save_image(path, contact_sheet(tiles, tile=200, title="known label: prediction, score", lines=lines))
    return len(counts) - len(drawn)


def _mistake_tiles(mistakes: Iterable[Mistake], counts: Mapping[str, int]) -> Iterator[Tile]:
    for (file, cell), image in map_images(lambda mistake: read_image(mistake.file.path), mistakes):
        if isinstance(image, BadImage):  # it could be read before
            continue
        caption = [f"{file.label}: {NO_CELL}", os.path.basename(file.name)]
        if cell is not None:
            caption[0] = f"{file.label}: {cell.label} {cell.score:.2f}"
            image = cut_out(image, cell.box)
        if (more := counts[file.original] - 1) > 0:
            caption.append(f"and {many(more, 'more image')} of this original")
        yield image, "\n".join(caption)


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
        return [cut_out(image, cell.box) for cell in locate(usual_field(image))] if crops else [image]

    for file, found in map_images(pictures, files):
        advance()
        if isinstance(found, BadImage):
            skipped.add(file.name, str(found))
            continue
        name = os.path.basename(file.name)
        for k, picture in enumerate(found, start=1):
            yield picture, f"{name} {k}" if len(found) > 1 else name


def steps_of(
    path: str, method: str, cell_width: CellWidth = None
) -> tuple[list[tuple[str, Image | str]], bool]:
    """Return what each step from an image to its cells shows, and whether there are any.

    A step that comes to nothing has words instead of a picture: why, or that it was not reached.
    """
    try:
        image, _ = read_scaled(path, cell_width=cell_width)
    except BadImage as error:
        raise AppError(f"{path}: {error}") from error
    pictures: list[tuple[str, Image | str]] = [("image", image)]

    def show(title: str, picture: Image) -> None:
        pictures.append((title, picture))

    if method == "report":
        found = locate_report(image, show) is not None
        return (pictures if found else [*pictures, ("cropped", "nothing dark is left to be cropped")]), found
    field = usual_field(image)
    show("usual stain", field.image)
    cells = locate(field, show)
    if cells:
        show("outlined", outlined(image, cells))
        show("cropped", cut_out(image, cells[0].box))
        return pictures, True
    reached = {title for title, _ in pictures}
    missing = [title for title in (*CELL_STEPS, "outlined", "cropped") if title not in reached]
    why = _why_nothing(dict(pictures)) if CELL_STEPS[0] in missing else "no cell is left"
    return [*pictures, *((title, why if k == 0 else NOT_REACHED) for k, title in enumerate(missing))], False


def _why_nothing(pictures: Mapping[str, Image | str]) -> str:
    """Say why there is no nucleus, from the picture of what is stained."""
    stained = pictures.get("Otsu's threshold, opened")
    if not isinstance(stained, np.ndarray) or not stained.any():
        return f"no nucleus: nowhere is blue {MIN_PURPLE} levels above green"
    if stained.all():
        return "no nucleus: all is stained, so that none stands out"
    _, _, stats, _ = cv2.connectedComponentsWithStats((stained > 0).astype(np.uint8))
    largest = stats[1:, cv2.CC_STAT_AREA].max()
    return (
        f"no nucleus: the largest spot has {largest:,} pixels, a nucleus at least {MIN_NUCLEUS:,}. If white "
        "cells are seen, the scale is wrong: give --cell-width"
    )


def plot_steps(steps: Sequence[tuple[str, Image | str]], path: str) -> None:
    """Draw the steps from an image to its crop side by side; the ending of `path` says the format."""
    with figure(path, steps_size(len(steps))) as sheet:
        draw_steps(sheet, steps)


def steps_size(n: int) -> tuple[float, float]:
    """Return width and height in inches of a figure of `n` steps."""
    columns = min(n, STEPS_IN_A_ROW)
    return 2.6 * columns, 2.4 * -(-n // columns)


def draw_steps(sheet, steps: Sequence[tuple[str, Image | str]]) -> None:
    """Draw on a figure the steps from an image to its crop.

    Parameters
    ----------
    sheet : matplotlib.figure.Figure
    steps : sequence of (str, ndarray or str)
        What was done, and the image (grey, BGR or a mask) it led to, or why it led to none.
    """
    columns = min(len(steps), STEPS_IN_A_ROW)
    axes = sheet.subplots(-(-len(steps) // columns), columns, squeeze=False).ravel()
    for ax in axes[len(steps) :]:
        ax.set_axis_off()
    for number, (ax, (name, image)) in enumerate(zip(axes, steps, strict=False), 1):
        if isinstance(image, str):
            words = "\n".join(wrap(image, 28))
            ax.text(0.5, 0.5, words, ha="center", va="center", fontsize=8, transform=ax.transAxes)
        else:
            ax.imshow(shown_in(MAX_STEP, image))
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_color("0.8")  # a mask is white
        ax.set_title(f"{number}. {printable(name)}", fontsize=9)
