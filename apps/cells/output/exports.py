"""What was found, in the formats of other programs: COCO, Pascal VOC, GeoJSON as QuPath has it, and masks."""

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

import cv2
import numpy as np

from fastsvm._utils.atomic import replacing

from ...common.errors import USAGE, AppError
from ...common.files import check_file, make_folder, replace_file
from ...common.output import printable
from ..data.files import ImageFile
from ..finding.findings import Finding, ImageFindings
from ..measuring.measures import column_names, with_units
from .drawing import color_of
from .places import mirrored, write_image

ENDINGS = {".json": "coco", ".geojson": "geojson"}  # of files; everything else is a folder
NO_LABEL = "white cell"  # for formats that have to have one
MASK_CELLS = 65_535  # of 16 bits

Sink = Callable[[ImageFindings], object]


class Export(NamedTuple):
    """Where to, in which format, and whether that is a folder with files for each image."""

    path: str
    kind: str
    folder: bool


def export_of(path: str, kind: str | None) -> Export:
    """Tell what is to be written to a path: its ending says it, or, of a folder, the kind asked for."""
    ending = os.path.splitext(path)[1].lower()
    if ending in ENDINGS and not os.path.isdir(path):
        return Export(path, ENDINGS[ending], folder=False)
    if kind is None:
        raise AppError(
            f"--export {path}: give a file that ends in {' or '.join(ENDINGS)}, or --export-as for a folder",
            USAGE,
        )
    return Export(path, kind, folder=True)


@contextmanager
def exporting(
    export: Export, files: Sequence[ImageFile], classes: Sequence[str], pixel_size: float | None
) -> Iterator[Sink]:
    """Give what writes the findings of each image; a single file is there once all is written.

    Parameters
    ----------
    export : Export
    files : sequence of ImageFile
        All images there are.
    classes : sequence of str
        The labels that the classifier knows.
    pixel_size : float, optional
        Micrometres; measurements are given in them, too.
    """
    if export.kind == "coco":
        check_file(export.path)
        with replacing(export.path) as file:
            dataset = _Coco(file, classes)
            yield dataset.add
            dataset.end()
        return
    if not export.folder:
        if len(files) > 1:
            raise AppError(
                f"--export {export.path}: one GeoJSON file is for one image; for {len(files):,} give a "
                "folder with --export-as geojson",
                USAGE,
            )
        check_file(export.path)
        yield lambda found: _write_geojson(export.path, found, classes, pixel_size)
        return
    make_folder(export.path)
    places = {file.name: place for file, place in mirrored(files, export.path).items()}
    yield lambda found: _write_one(export.kind, places[found.file], found, classes, pixel_size)


def _write_one(
    kind: str, place: str, found: ImageFindings, classes: Sequence[str], pixel_size: float | None
) -> None:
    if found.problem is not None or found.size is None:
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if kind == "voc":
        replace_file(f"{place}.xml", _voc(found))
    elif kind == "geojson":
        _write_geojson(f"{place}.geojson", found, classes, pixel_size)
    else:
        cells, nuclei = _masks(found)
        write_image(f"{place}_cells.png", cells)
        write_image(f"{place}_nuclei.png", nuclei)


# Polygons


def _ring(outline: np.ndarray) -> list[list[float]]:
    """Return corners in a plane in which the first pixel reaches from 0 to 1."""
    return (outline.reshape(-1, 2) + 0.5).tolist()


def _rings(outlines: Sequence[np.ndarray]) -> list[list[list[float]]]:
    return [_ring(outline) for outline in outlines if len(outline) > 2]


def _outline(cell: Finding) -> list[list[float]]:
    """Return the corners of a cell, or of its box where it has no outline."""
    if cell.outline is not None and len(cell.outline) > 2:
        return _ring(cell.outline)
    x, y, w, h = cell.box
    return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]


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

    def _annotation(self, image: int, cell: Finding) -> dict:
        return {
            "id": self._annotations,
            "image_id": image,
            "category_id": self._labels.setdefault(cell.label or NO_LABEL, len(self._labels) + 1),
            "bbox": list(cell.box),
            "area": cell.area,
            "iscrowd": 0,
            "segmentation": [_flat(_outline(cell))],
            "nucleus": [_flat(ring) for ring in _rings(cell.nucleus)],
            "score": cell.score,
        }

    def end(self) -> None:
        categories = [
            {"id": number, "name": label, "supercategory": "white blood cell"}
            for label, number in self._labels.items()
        ]
        rest = {"images": self._images, "categories": categories}
        self._file.write(b"\n], " + json.dumps(rest).encode()[1:] + b"\n")


def _flat(ring: Sequence[Sequence[float]]) -> list[float]:
    return [side for corner in ring for side in corner]


def _voc(found: ImageFindings) -> bytes:
    root = ElementTree.Element("annotation")

    def put(parent, name: str, text: object = None):
        element = ElementTree.SubElement(parent, name)
        element.text = None if text is None else printable(str(text))
        return element

    put(root, "filename", found.file.rpartition("/")[2])
    size = put(root, "size")
    for name, side in zip(("width", "height", "depth"), (*found.size, 3), strict=True):
        put(size, name, side)
    for cell in found.cells:
        element = put(root, "object")
        put(element, "name", cell.label or NO_LABEL)
        put(element, "difficult", 0)
        x, y, w, h = cell.box
        box = put(element, "bndbox")
        for name, side in zip(("xmin", "ymin", "xmax", "ymax"), (x, y, x + w, y + h), strict=True):
            put(box, name, side)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8") + b"\n"


def _write_geojson(path: str, found: ImageFindings, classes: Sequence[str], pixel_size: float | None) -> None:
    if found.problem is not None:
        return
    features = [
        _feature(found.file, number, cell, classes, pixel_size)
        for number, cell in enumerate(found.cells, start=1)
    ]
    replace_file(path, json.dumps({"type": "FeatureCollection", "features": features}).encode())


def _feature(file: str, number: int, cell: Finding, classes: Sequence[str], pixel_size: float | None) -> dict:
    """Return a cell as QuPath reads and writes it."""
    label = cell.label or NO_LABEL
    measurements: dict[str, float | None] = {"score": cell.score}
    if cell.probabilities is not None:
        measurements |= {f"p_{name}": p for name, p in zip(classes, cell.probabilities, strict=True)}
    if cell.measures is not None:
        measurements |= dict(
            zip(column_names(pixel_size), with_units(cell.measures, pixel_size), strict=True)
        )
    feature = {
        "type": "Feature",
        "id": str(uuid5(NAMESPACE_URL, f"{file!a} {number}")),
        "geometry": _geometry([_outline(cell)]),
        "properties": {
            "objectType": "cell" if cell.nucleus else "detection",
            "name": f"{number}",
            "classification": {"name": label, "color": list(bytes.fromhex(color_of(cell.label)[1:]))},
            "measurements": _finite(measurements),
        },
    }
    if rings := _rings(cell.nucleus):
        feature["nucleusGeometry"] = _geometry(rings)
    return feature


def _finite(numbers: Mapping[str, float | None]) -> dict[str, float]:
    """Leave out what JSON has no word for."""
    return {name: value for name, value in numbers.items() if value is not None and math.isfinite(value)}


def _geometry(rings: Sequence[list]) -> dict:
    closed = [[*ring, ring[0]] for ring in rings]
    if len(closed) == 1:
        return {"type": "Polygon", "coordinates": closed}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in closed]}


def _masks(found: ImageFindings) -> tuple[np.ndarray, np.ndarray]:
    """Return images of the cells and of their nuclei, whose pixels have the number of the cell, or 0."""
    if len(found.cells) > MASK_CELLS:
        raise AppError(f"{found.file}: {len(found.cells):,} cells are too many for a mask of 16 bits")
    width, height = found.size
    cells, nuclei = (np.zeros((height, width), np.uint16) for _ in range(2))
    for number, cell in enumerate(found.cells, start=1):
        outline = cell.outline if cell.outline is not None else np.array(_outline(cell), np.int32)
        cv2.fillPoly(cells, [outline.reshape(-1, 1, 2)], number)
        if cell.nucleus:
            cv2.fillPoly(nuclei, [part.reshape(-1, 1, 2) for part in cell.nucleus], number)
    return cells, nuclei
