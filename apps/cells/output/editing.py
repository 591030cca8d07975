"""The controls of the review page: the menu of labels, and the bar above the cells."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

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
        Whether `review` serves the page: then its labels can be corrected.
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


def toolbar(choices: Sequence[str]) -> str:
    """Return the bar and the menu of a page that `review` serves."""
    last = len(choices) - 1
    items = [
        _filled("menu item", key=_key(k, last), choice=k, color=color_of(label), name=html.bdi(label))
        for k, label in enumerate(choices)
    ]
    items.append(
        _filled("menu item", key="x", choice="reject", color=color_of(None), name=html.text(NOT_A_CELL))
    )
    return _filled("editing", choices=attribute(list(choices)), items="\n".join(items))


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
