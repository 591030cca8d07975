"""Files of corrections: labels that a person gave to cells, with `review`.

Such a file is JSON with ``version`` (1), ``model``, ``classes`` and ``corrections``. Each correction has
``file``, ``box`` (x, y, width and height in pixels of the image), ``old`` (the label before), and either
``new`` (the right label, which may be the old one) or ``reject`` (true: this is no white cell).
"""

from collections.abc import Mapping

from ...common.errors import AppError
from ..data.boxes import LabelledBox, checked_box
from ..data.label_tables import read_json
from ..finding.findings import UNCLASSIFIED

VERSION = 1
MAX_NAME = 100  # characters of a new class

Corrections = tuple[list[LabelledBox], set[str]]  # and the classes to choose from


def read_corrections(path: str) -> Corrections:
    """Read the boxes and the classes in a file of corrections.

    Raises
    ------
    AppError
        If it is not a file of corrections, or a correction is wrong; the message has its number.
    """
    return checked_corrections(read_json(path, "corrections"), path)


def checked_corrections(content: Mapping, where: str) -> Corrections:
    """Check what a file of corrections contains."""
    if content.get("version") != VERSION or not isinstance(content.get("corrections"), list):
        raise AppError(f"{where}: no corrections of version {VERSION}; give a file that `review` wrote")
    classes = content.get("classes")
    known = set(map(str, classes)) if isinstance(classes, list) else set()
    entries = enumerate(content["corrections"], start=1)
    said = [_checked_correction(entry, f"{where}, correction {number:,}") for number, entry in entries]
    return said, known | {boxed.label for boxed in said if boxed.label}


def is_class_name(name: object) -> bool:
    """Return whether a person may give a class this name; a model file holds UTF-8."""
    if not isinstance(name, str) or name != name.strip() or not 0 < len(name) <= MAX_NAME:
        return False
    return name.encode(errors="ignore").decode() == name


def _checked_correction(entry: object, where: str) -> LabelledBox:
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise AppError(f"{where}: names no file")
    new, reject = entry.get("new"), entry.get("reject", False)
    if reject is not True and not (isinstance(new, str) and new.strip()):
        raise AppError(f'{where}: has neither a new label nor "reject": true')
    box = checked_box(where, entry.get("box"))
    if min(box[2:]) <= 0:
        raise AppError(f"{where}: the box is empty")
    label = None if reject or new == UNCLASSIFIED else new
    return LabelledBox(where, entry["file"], box, label)
