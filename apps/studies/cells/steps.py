"""Pictures of the steps from an image to a cell: the document's, or those of fastsvm-cells."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

import cv2
import numpy as np

from ...cells.data.bad_image import BadImage
from ...cells.data.images import CellWidth, read_scaled
from ...cells.finding.findings import cut_out
from ...cells.finding.locate import MIN_NUCLEUS, MIN_PURPLE, Cell, locate
from ...cells.finding.stain import usual_field
from ...cells.output.drawing import shown_in
from ...common.errors import AppError
from ...common.figures import figure
from ...common.output import printable
from .document import locate_report

# What follows the nuclei, of the steps that `locate` shows.
CELL_STEPS = ("likeness to a cell", "grown and smoothed")
NOT_REACHED = "not reached"
MAX_STEP = 800  # pixels a side; a figure shows no more of one step
STEPS_IN_A_ROW = 4

Image = np.ndarray


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


def outlined(image: Image, cells: Sequence[Cell]) -> Image:
    """Draw the outlines of cells (yellow) and of their nuclei (green) into a copy of an image."""
    picture = image.copy()
    for cell in cells:
        nuclei, _ = cv2.findContours(cell.nucleus, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE, offset=cell.corner)
        cv2.drawContours(picture, nuclei, -1, (0, 200, 0), 1)
        cv2.drawContours(picture, [cell.contour], -1, (0, 220, 255), 1)
    return picture


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


def plot_steps(image: str, path: str, method: str = "cells", cell_width: CellWidth = None) -> bool:
    """Draw the steps from an image to its cells side by side.

    Parameters
    ----------
    image : str
        The file to read.
    path : str
        The picture to write: .png, .svg or .pdf.
    method : {"cells", "report"}
        The steps of fastsvm-cells, or the document's.
    cell_width : float, optional
        As for `read_scaled`.

    Returns
    -------
    bool
        Whether a cell is found.
    """
    steps, found = steps_of(image, method, cell_width)
    with figure(path, steps_size(len(steps))) as sheet:
        draw_steps(sheet, steps)
    return found


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
