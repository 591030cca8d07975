"""Results in the formats of other programs: COCO, and GeoJSON as QuPath reads it."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import BinaryIO
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from fastsvm._utils.atomic import replacing

from ...common.errors import USAGE, AppError
from ...common.files import replace_file
from ...common.paths import make_folder
from ..data.image_reader import ImageFile
from ..finding.findings import FoundCell, ImageFindings
from ..measuring.cell_measures import column_names, with_units
from .cell_drawing import color_of
from .picture_files import mirrored_paths

ENDINGS = (".json", ".geojson")  # of files, COCO and GeoJSON; everything else is a folder

Sink = Callable[[ImageFindings], object]


def is_geojson_folder(path: str) -> bool:
    """Return whether an export is a folder with a GeoJSON file for each image."""
    return os.path.isdir(path) or not path.lower().endswith(ENDINGS)


@contextmanager
def export_writer(
    path: str, files: Sequence[ImageFile], classes: Sequence[str], pixel_size: float | None
) -> Iterator[Sink]:
    """Return what writes the findings of each image; a single file is there once all is written.

    Parameters
    ----------
    path : str
        ``.json`` is COCO; ``.geojson`` is GeoJSON of one image; anything else a folder with GeoJSON files.
    files : sequence of ImageFile
        All images there are.
    classes : sequence of str
        The labels of the classifier.
    pixel_size : float, optional
        Micrometres; measurements are given in them, too.
    """
    if is_geojson_folder(path):
        make_folder(path)
        places = {file.name: f"{place}.geojson" for file, place in mirrored_paths(files, path).items()}
        yield lambda found: _write_geojson(places[found.file], found, classes, pixel_size)
    elif path.lower().endswith(".geojson"):
        if len(files) > 1:
            raise AppError(
                f"--export {path}: one GeoJSON file is for one image; for {len(files):,} give a folder", USAGE
            )
        yield lambda found: _write_geojson(path, found, classes, pixel_size)
    else:
        with replacing(path) as file:
            dataset = _Coco(file, classes)
            yield dataset.add
            dataset.end()


# Polygons


def _ring(outline: np.ndarray) -> list[list[float]]:
    """Return corners in a plane in which the first pixel reaches from 0 to 1."""
    return (outline.reshape(-1, 2) + 0.5).tolist()


def _nucleus_rings(cell: FoundCell) -> list[list[list[float]]]:
    return [_ring(part) for part in cell.nucleus if len(part) > 2]


# The formats


class _Coco:
    """A data set in the format of COCO: one object, whose many annotations are written as they come."""

    def __init__(self, file: BinaryIO, classes: Sequence[str]) -> None:
        self._file = file
        self._labels = {label: number for number, label in enumerate(classes, start=1)}
        self._images: list[dict] = []
        self._annotations = 0
        file.write(b'{"annotations": [')

    def add(self, found: ImageFindings) -> None:
        if found.problem is not None:
            return
        number = len(self._images) + 1
        width, height = found.size or (0, 0)
        self._images.append({"id": number, "file_name": found.file, "width": width, "height": height})
        for cell in found.cells:
            self._annotations += 1
            comma = b",\n" if self._annotations > 1 else b"\n"
            self._file.write(comma + json.dumps(self._annotation(number, cell)).encode())

    def _annotation(self, image: int, cell: FoundCell) -> dict:
        return {
            "id": self._annotations,
            "image_id": image,
            "category_id": self._labels.setdefault(cell.label, len(self._labels) + 1),
            "bbox": list(cell.box),
            "area": cell.area,
            "iscrowd": 0,
            "segmentation": [_flat(_ring(cell.outline))],
            "nucleus": [_flat(ring) for ring in _nucleus_rings(cell)],
            "score": cell.score,
        }

    def end(self) -> None:
        kind = {"supercategory": "white blood cell"}
        categories = [{"id": number, "name": label, **kind} for label, number in self._labels.items()]
        rest = {"images": self._images, "categories": categories}
        self._file.write(b"\n], " + json.dumps(rest).encode()[1:] + b"\n")


def _flat(ring: Sequence[Sequence[float]]) -> list[float]:
    return [side for corner in ring for side in corner]


def _write_geojson(path: str, found: ImageFindings, classes: Sequence[str], pixel_size: float | None) -> None:
    if found.problem is not None:
        return
    if folder := os.path.dirname(path):
        os.makedirs(folder, exist_ok=True)
    numbered = enumerate(found.cells, start=1)
    features = [_feature(found.file, number, cell, classes, pixel_size) for number, cell in numbered]
    replace_file(path, json.dumps({"type": "FeatureCollection", "features": features}).encode())


def _feature(
    file: str, number: int, cell: FoundCell, classes: Sequence[str], pixel_size: float | None
) -> dict:
    """Return a cell as QuPath reads and writes it."""
    measurements: dict[str, float | None] = {"score": cell.score}
    if cell.probabilities is not None:
        measurements |= {f"p_{name}": p for name, p in zip(classes, cell.probabilities, strict=True)}
    values = with_units(cell.measures, pixel_size)
    measurements |= dict(zip(column_names(pixel_size), values, strict=True))
    feature = {
        "type": "Feature",
        "id": str(uuid5(NAMESPACE_URL, f"{file!a} {number}")),
        "geometry": _geometry([_ring(cell.outline)]),
        "properties": {
            "objectType": "cell" if cell.nucleus else "detection",
            "name": f"{number}",
            "classification": {"name": cell.label, "color": list(bytes.fromhex(color_of(cell.label)[1:]))},
            # JSON has no word for other numbers.
            "measurements": {name: x for name, x in measurements.items() if x is not None and isfinite(x)},
        },
    }
    if rings := _nucleus_rings(cell):
        feature["nucleusGeometry"] = _geometry(rings)
    return feature


def _geometry(rings: Sequence[list]) -> dict:
    closed = [[*ring, ring[0]] for ring in rings]
    if len(closed) == 1:
        return {"type": "Polygon", "coordinates": closed}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in closed]}
