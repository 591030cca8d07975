"""What makes the report a page to work in: the menu of labels, and the bar above the cells."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256

from ...common import html
from ..finding.findings import UNCLASSIFIED
from .drawing import color_of
from .tally import Shown

NOT_A_CELL = "not a cell"

_filled = partial(html.filled, __package__)


@dataclass(frozen=True)
class About:
    """What a page says besides what was found.

    Attributes
    ----------
    title : str
        The heading.
    model : str, optional
        What classified the cells.
    classes : sequence of str
        The labels it knows.
    limits : str
        What is known to go wrong with it.
    served : bool
        Whether a server gives the pictures and keeps the corrections.
    """

    title: str
    model: str | None = None
    classes: Sequence[str] = field(default=())
    limits: str = ""
    served: bool = False

    def choices(self, labels: Iterable[str | None]) -> list[str]:
        """Return the labels to choose from: the classes, others that were found, and that there is none."""
        found = {label for label in labels if label is not None}
        if not found:
            return []
        return [*self.classes, *sorted(found - {*self.classes, UNCLASSIFIED}), UNCLASSIFIED]


def toolbar(about: About, choices: Sequence[str], content: str) -> str:
    """Return the bar and the menu; work on a page is kept under a name that its content gives."""
    if not choices:
        return ""
    known = {
        "key": sha256(content.encode()).hexdigest()[:16],
        "model": about.model,
        "classes": list(about.classes),
        "choices": list(choices),
        "served": about.served,
    }
    last = len(choices) - 1
    items = [
        _filled("menu item", key=_key(k, last), choice=k, color=color_of(label), name=html.bdi(label))
        for k, label in enumerate(choices)
    ]
    items.append(
        _filled("menu item", key="x", choice="reject", color=color_of(None), name=html.text(NOT_A_CELL))
    )
    kept = "Every step is saved" if about.served else "What you do stays in this browser until you start over"
    return _filled("editing", known=attribute(known), items="\n".join(items), kept=kept)


def _key(choice: int, last: int) -> str:
    """Return the key that a choice has; only the first nine have one, and 0 is for none of them."""
    if choice == last:
        return "0"
    return str(choice + 1) if choice < 9 else ""


def attribute(value: object) -> str:
    """Return JSON for an attribute: of names nothing is lost, and nothing of them is on the page as it is."""
    return html.text(json.dumps(value))


def crop_button(cell: Shown, picture: str) -> str:
    """Return a picture as a button that opens the menu."""
    label = html.text(cell.found.label or "no label")
    return _filled("crop", picture=picture, number=cell.number, label=label)
