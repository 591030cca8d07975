"""Results in the formats of other programs: COCO, and GeoJSON as QuPath reads it."""

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from math import isfinite
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from fastsvm._utils.atomic import replacing

from ...common.errors import USAGE, AppError
from ...common.files import replace_file
from ...common.paths import Kind, make_folder
from ..data.image_reader import ImageFile
from ..finding.findings import FoundCell, ImageFindings
from ..measuring.cell_measures import column_names, with_units
from .cell_drawing import color_of
from .picture_files import mirrored_paths

COLLECTION = {"type": "FeatureCollection", "generator": "fastsvm-cells"}  # an editor writes its own
START = re.escape(json.dumps(COLLECTION)[:-1].encode())
GEOJSON = Kind("GeoJSON that fastsvm-cells wrote", (".geojson",), START)
ENDINGS = (".json", ".geojson")  # of files, COCO and GeoJSON; everything else is a folder

Sink = Callable[[ImageFindings], object]


def is_geojson_folder(path: str) -> bool:
    """Return whether an export is a folder with a GeoJSON file for each image."""
    return os.path.isdir(path) or not path.lower().endswith(ENDINGS)


@contextmanager
def export_writer(
    path: str, files: Sequence[ImageFile], classes: Sequence[str], pixel_size: float | None
) -> Iterator[Sink]:
    """Yield a function that writes the findings of each image; a single file appears when all is written.

    Parameters
    ----------
    path : str
        ``.json`` is COCO; ``.geojson`` is GeoJSON of one image; anything else a folder with GeoJSON files.
    files : sequence of ImageFile
        All images there are.
    classes : sequence of str
        The labels of the classifier.
    pixel_size : float, optional
        Micrometres; measurements are also given in micrometres.
    """
    if is_geojson_folder(path):
        make_folder(path)
        places = mirrored_paths(files, path, r"\.geojson", GEOJSON, "--export")
        names = {file.name: f"{place}.geojson" for file, place in places.items()}
        yield lambda found: _write_geojson(names[found.file], found, classes, pixel_size)
    elif path.lower().endswith(".geojson"):
        if len(files) > 1:
            told = f"a GeoJSON file holds one image, not {len(files):,}; give a folder"
            raise AppError(f"--export {path}: {told}", USAGE)
        yield lambda found: _write_geojson(path, found, classes, pixel_size)
    else:
        with _coco_writer(path, classes) as write:
            yield write


def _corners(outline: np.ndarray) -> np.ndarray:
    """Return corners in coordinates in which the first pixel reaches from 0 to 1."""
    return outline.reshape(-1, 2) + 0.5


def _nucleus(cell: FoundCell) -> list[np.ndarray]:
    return [_corners(part) for part in cell.nucleus if len(part) > 2]


@contextmanager
def _coco_writer(path: str, classes: Sequence[str]) -> Iterator[Sink]:
    """Yield a function that writes a COCO data set: one object, whose annotations come one by one."""
    labels = {label: number for number, label in enumerate(classes, start=1)}
    images: list[dict] = []
    numbers = count(1)

    def write(found: ImageFindings) -> None:
        if found.problem is not None:
            return
        width, height = found.size or (0, 0)
        image = {"id": len(images) + 1, "file_name": found.file, "width": width, "height": height}
        images.append(image)
        for cell in found.cells:
            annotation = {
                "id": next(numbers),
                "image_id": image["id"],
                "category_id": labels.setdefault(cell.label, len(labels) + 1),
                "bbox": list(cell.box),
                "area": cell.area,
                "iscrowd": 0,
                "segmentation": [_corners(cell.outline).ravel().tolist()],
                "nucleus": [part.ravel().tolist() for part in _nucleus(cell)],
                "score": cell.score,
            }
            comma = b",\n" if annotation["id"] > 1 else b"\n"
            file.write(comma + json.dumps(annotation).encode())

    with replacing(path) as file:
        file.write(b'{"annotations": [')
        yield write
        kind = {"supercategory": "white blood cell"}
        categories = [{"id": number, "name": label, **kind} for label, number in labels.items()]
        rest = {"images": images, "categories": categories}
        file.write(b"\n], " + json.dumps(rest).encode()[1:] + b"\n")


def _write_geojson(path: str, found: ImageFindings, classes: Sequence[str], pixel_size: float | None) -> None:
    if found.problem is not None:
        return
    if folder := os.path.dirname(path):
        os.makedirs(folder, exist_ok=True)
    numbered = enumerate(found.cells, start=1)
    features = [_feature(found.file, number, cell, classes, pixel_size) for number, cell in numbered]
    replace_file(path, json.dumps({**COLLECTION, "features": features}).encode())


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
        "geometry": _geometry([_corners(cell.outline)]),
        "properties": {
            "objectType": "cell" if cell.nucleus else "detection",
            "name": f"{number}",
            "classification": {"name": cell.label, "color": list(bytes.fromhex(color_of(cell.label)[1:]))},
            # JSON cannot hold infinity or nan.
            "measurements": {name: x for name, x in measurements.items() if x is not None and isfinite(x)},
        },
    }
    if parts := _nucleus(cell):
        feature["nucleusGeometry"] = _geometry(parts)
    return feature


def _geometry(parts: Sequence[np.ndarray]) -> dict:
    closed = [[*part.tolist(), part[0].tolist()] for part in parts]
    if len(closed) == 1:
        return {"type": "Polygon", "coordinates": closed}
    return {"type": "MultiPolygon", "coordinates": [[part] for part in closed]}
