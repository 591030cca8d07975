"""Paths of pictures, in folders that mirror the folders of the images."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePath

import numpy as np

from ...common.errors import AppError
from ..data.image_reader import ImageFile
from ..finding.findings import ImageFindings
from .cell_drawing import draw_overlay, save_image


def mirrored_paths(files: Sequence[ImageFile], folder: str) -> dict[ImageFile, str]:
    """Return for each image the path in a folder, without ending, of what is made from it."""
    paths = {file: os.path.join(folder, *_parts(file.name)) for file in files}
    stems = Counter(os.path.splitext(path)[0] for path in paths.values())
    places = {}
    owners: dict[str, ImageFile] = {}
    for file, path in paths.items():
        stem = os.path.splitext(path)[0]
        place = stem if stems[stem] == 1 else path  # a.jpg beside a.png
        if owners.setdefault(place, file) is not file:
            raise AppError(
                f"{file.path} and {owners[place].path} have the same name; work on their folders one by one"
            )
        places[file] = place
    return places


def _parts(name: str) -> list[str]:
    """Return the parts of a name that stay below the folder it is joined to."""
    path = PurePath(name)
    return [part for part in path.parts if part not in (path.anchor, "..")]


def crop_writer(files: Sequence[ImageFile], folder: str) -> Callable[[ImageFile, int, np.ndarray], None]:
    """Return a function that writes the crop of the n-th cell of an image into a folder, as PNG."""
    places = mirrored_paths(files, folder)
    return lambda file, number, crop: write_image(f"{places[file]}_{number}.png", crop)


def overlay_writer(
    files: Sequence[ImageFile], folder: str
) -> Callable[[ImageFile, np.ndarray, ImageFindings], None]:
    """Return what writes a copy of an image, with what was found drawn into it, into a folder."""
    places = mirrored_paths(files, folder)

    def write(file: ImageFile, image: np.ndarray, found: ImageFindings) -> None:
        write_image(f"{places[file]}.jpg", draw_overlay(image, found.cells, found.others))

    return write


def write_image(path: str, image: np.ndarray) -> None:
    """Write an image, and the folders that it lies in."""
    # A full disk ends the work; it is no fault of the image.
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        save_image(path, image)
    except OSError as error:
        raise AppError(f"{path}: {error.strerror}") from error
