"""Pictures of the document's steps from an image to a crop."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from ...cells.data.bad_image import BadImage
from ...cells.data.image_reader import read_scaled
from ...cells.output.cell_drawing import shown_in
from ...common.errors import AppError
from ...common.printing import printable
from .document_crop import locate_report

MAX_STEP = 800  # pixels a side; a figure shows no more of one step
STEPS_IN_A_ROW = 4

Step = tuple[str, np.ndarray | str]


def steps_of(path: str) -> tuple[list[Step], bool]:
    """Return the picture of each step from an image to its crop, and whether there is a crop."""
    try:
        image, _ = read_scaled(path)
    except BadImage as error:
        raise AppError(f"{path}: {error}") from error
    pictures: list[Step] = [("image", image)]
    if locate_report(image, lambda title, picture: pictures.append((title, picture))) is not None:
        return pictures, True
    return [*pictures, ("cropped", "nothing dark is left to be cropped")], False


def steps_size(n: int) -> tuple[float, float]:
    """Return width and height in inches of a figure of `n` steps."""
    columns = min(n, STEPS_IN_A_ROW)
    return 2.6 * columns, 2.4 * -(-n // columns)


def draw_steps(sheet, steps: Sequence[Step]) -> None:
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
