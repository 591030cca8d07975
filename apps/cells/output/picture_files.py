"""Files of pictures: crops and overlays, in folders like those of the images, and sheets of mistakes."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePath

import numpy as np

from ...common.errors import AppError
from ...common.paths import Kind, check_kind
from ..data.bad_image import BadImage
from ..data.image_reader import ImageFile
from ..data.image_threads import map_images
from ..finding.findings import NO_CELL, crop_box
from ..jobs.cell_classification import Draw
from ..jobs.cell_cropping import DrawSteps
from ..jobs.cell_evaluation import Mistake
from .cell_drawing import MARKED, contact_sheet, draw_overlay, save_image, steps_sheet

MAX_ORIGINALS = 100  # originals on a sheet of mistakes


def mirrored_paths(
    files: Sequence[ImageFile], folder: str, ending: str, kind: Kind, option: str
) -> dict[ImageFile, str]:
    """Return the path in a folder, without ending, for the results of each image.

    Parameters
    ----------
    files : sequence of ImageFile
    folder : str
    ending : str
        Of the names of results, as a regular expression.
    kind : Kind
        The kind of the results. No user gave their names: an existing file of another kind is an error.
    option : str
        The option of the folder, for this error.
    """
    paths = {file: os.path.join(folder, *_parts(file.name)) for file in files}
    stems = Counter(os.path.splitext(path)[0] for path in paths.values())
    owners: dict[str, ImageFile] = {}
    for file, path in paths.items():
        stem = os.path.splitext(path)[0]
        place = stem if stems[stem] == 1 else path  # a.jpg beside a.png
        if owners.setdefault(place, file) is not file:
            told = f"the results of {file.path} and {owners[place].path} would have one name"
            raise AppError(f"{told}; rename a file, or process their folders separately")
    names = {place.casefold() for place in owners}  # on some systems A.JPG is a.jpg
    for parent in filter(os.path.isdir, sorted({*map(os.path.dirname, owners)})):
        for path in (os.path.join(parent, name) for name in sorted(os.listdir(parent))):
            found = re.fullmatch(f"(.*){ending}", path.casefold(), re.DOTALL)
            if found and found[1] in names:
                check_kind(path, [kind], option)
    return {file: place for place, file in owners.items()}


def _parts(name: str) -> list[str]:
    """Return the parts of a name that stay below the folder it is joined to."""
    path = PurePath(name)
    return [part for part in path.parts if part not in (path.anchor, "..")]


def crop_writer(files: Sequence[ImageFile], folder: str) -> Callable[[ImageFile, int, np.ndarray], None]:
    """Return a function that writes the crop of the n-th cell of an image into a folder, as PNG."""
    places = mirrored_paths(files, folder, r"_\d+\.png", MARKED, "-o")
    return lambda file, number, crop: write_image(f"{places[file]}_{number}.png", crop)


def steps_writer(files: Sequence[ImageFile], folder: str) -> DrawSteps:
    """Return a function that draws the steps from an image to its crops into a folder, as PNG."""
    places = mirrored_paths(files, folder, r"_steps\.png", MARKED, "--steps")
    return lambda file, steps: write_image(f"{places[file]}_steps.png", steps_sheet(steps))


def overlay_writer(files: Sequence[ImageFile], folder: str) -> Draw:
    """Return a function that writes a copy of an image, with what was found drawn into it, into a folder."""
    places = mirrored_paths(files, folder, r"\.jpg", MARKED, "--overlay")
    return lambda file, image, found: write_image(f"{places[file]}.jpg", draw_overlay(image, found))


def write_image(path: str, image: np.ndarray) -> None:
    """Write an image, and the folders that it lies in."""
    # A full disk ends the work: the image is not at fault.
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        save_image(path, image, marked=True)
    except OSError as error:
        raise AppError(f"{path}: {error.strerror}") from error


def draw_mistakes(path: str, mistakes: Sequence[Mistake]) -> int:
    """Draw a sheet of mistakes: the cell of each, or the image if no cell was found in it.

    Parameters
    ----------
    path : str
    mistakes : sequence of Mistake
        Only the first of several copies of one original is drawn.

    Returns
    -------
    int
        How many originals are left out.
    """
    counts = Counter(file.original for file, _ in mistakes)
    first = {mistake[0].original: mistake for mistake in reversed(mistakes)}
    # Ordered by the highest score of each.
    drawn = [first[original] for original in islice(counts, MAX_ORIGINALS)]
    lines = 2 + any(counts[file.original] > 1 for file, _ in drawn)
    # Wide enough for two labels and a score.
    tiles = _mistake_tiles(drawn, counts)
    save_image(path, contact_sheet(tiles, tile=200, title="known label: prediction, score", lines=lines))
    return len(counts) - len(drawn)


def _mistake_tiles(
    mistakes: Iterable[Mistake], counts: Mapping[str, int]
) -> Iterator[tuple[np.ndarray, str]]:
    for (file, cell), image in map_images(lambda mistake: mistake[0].open().whole(), mistakes):
        if isinstance(image, BadImage):  # it could be read before
            continue
        caption = [f"{file.label}: {NO_CELL}", os.path.basename(file.name)]
        if cell is not None:
            caption[0] = f"{file.label}: {cell.label} {cell.score:.2f}"
            image = crop_box(image, cell.box)
        if (more := counts[file.original] - 1) > 0:
            caption.append(f"and {more:,} more of this original")
        yield image, "\n".join(caption)
