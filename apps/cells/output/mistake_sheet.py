"""The sheet of mistakes that `evaluate --mistakes` draws."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from ...common.printing import many
from ..data.bad_image import BadImage
from ..data.image_threads import map_images
from ..finding.findings import NO_CELL, crop_box
from ..jobs.cell_evaluation import Mistake
from .cell_drawing import contact_sheet, save_image

MAX_ORIGINALS = 100  # originals

Tile = tuple[np.ndarray, str]


def draw_mistakes(path: str, mistakes: Sequence[Mistake]) -> int:
    """Draw a sheet of mistakes: the cell of each, or the image if no cell was found in it.

    Parameters
    ----------
    path : str
    mistakes : sequence of Mistake
        Of several copies of one original only the first is drawn.

    Returns
    -------
    int
        How many originals are left out.
    """
    counts = Counter(file.original for file, _ in mistakes)
    first = {mistake[0].original: mistake for mistake in reversed(mistakes)}
    # The order is that of the surest mistake of each.
    drawn = [first[original] for original in islice(counts, MAX_ORIGINALS)]
    lines = 2 + any(counts[file.original] > 1 for file, _ in drawn)
    # Wide enough for two labels and a score.
    tiles = _mistake_tiles(drawn, counts)
    save_image(path, contact_sheet(tiles, tile=200, title="known label: prediction, score", lines=lines))
    return len(counts) - len(drawn)


def _mistake_tiles(mistakes: Iterable[Mistake], counts: Mapping[str, int]) -> Iterator[Tile]:
    for (file, cell), image in map_images(lambda mistake: mistake[0].open().whole(), mistakes):
        if isinstance(image, BadImage):  # it could be read before
            continue
        caption = [f"{file.label}: {NO_CELL}", os.path.basename(file.name)]
        if cell is not None:
            caption[0] = f"{file.label}: {cell.label} {cell.score:.2f}"
            image = crop_box(image, cell.box)
        if (more := counts[file.original] - 1) > 0:
            caption.append(f"and {many(more, 'more image')} of this original")
        yield image, "\n".join(caption)
