"""The differential count, and what there is to say about the images beside it."""

from collections.abc import Iterable

from ...common.errors import Skipped
from .findings import ImageFindings


class Count:
    """Counts of images and of the cells in them.

    Parameters
    ----------
    source : str
        What the images are called.
    classes : iterable of str
        Labels to count from 0; others are added as they come.

    Attributes
    ----------
    images, cells, without_cell : int
        The images that could be used, the white cells in them, and the images without one.
    labels : dict
        How many cells have each label; None for those without.
    skipped : Skipped
        The images that could not be used.
    """

    def __init__(self, source: str, classes: Iterable[str] = ()) -> None:
        self.images = self.cells = self.without_cell = 0
        self.labels: dict[str | None, int] = dict.fromkeys(classes, 0)
        self.skipped = Skipped(source)

    def add(self, found: ImageFindings) -> None:
        """Count an image and its cells."""
        if found.problem is not None:
            self.skipped.add(found.file, found.problem)
            return
        self.images += 1
        self.cells += len(found.cells)
        self.without_cell += not found.cells
        for cell in found.cells:
            self.labels[cell.label] = self.labels.get(cell.label, 0) + 1

    @property
    def percents(self) -> dict[str | None, float]:
        """How many of a hundred cells have each label."""
        return {label: 100 * n / max(self.cells, 1) for label, n in self.labels.items()}
