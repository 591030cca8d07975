"""Pictures of the document's steps from an image to a crop."""

from collections.abc import Sequence

import numpy as np

from ....cells.data.image_reader import read_scaled
from ....cells.output.cell_drawing import shown_in
from .document_crop import locate_report

MAX_STEP = 800  # pixels a side; a figure shows no more of one step
STEPS_IN_A_ROW = 4

Step = tuple[str, np.ndarray]


def steps_of(path: str) -> list[Step]:
    """Return the picture of each step from an image to its crop."""
    image, _ = read_scaled(path)
    pictures: list[Step] = [("image", image)]
    locate_report(image, lambda title, picture: pictures.append((title, picture)))
    return pictures


def steps_size(n: int) -> tuple[float, float]:
    """Return width and height in inches of a figure of `n` steps."""
    return 2.6 * STEPS_IN_A_ROW, 2.4 * -(-n // STEPS_IN_A_ROW)


def draw_document_steps(sheet, steps: Sequence[Step]) -> None:
    """Draw on a figure (`matplotlib.figure.Figure`) what each step from an image to its crop led to."""
    axes = sheet.subplots(-(-len(steps) // STEPS_IN_A_ROW), STEPS_IN_A_ROW, squeeze=False).ravel()
    for ax in axes[len(steps) :]:
        ax.set_axis_off()
    for number, (ax, (name, image)) in enumerate(zip(axes, steps, strict=False), 1):
        ax.imshow(shown_in(MAX_STEP, image))
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_color("0.8")  # a mask is white
        ax.set_title(f"{number}. {name}", fontsize=9)
