"""The files and lines that `classify` makes of its results.

Modules for pages, pictures and exports are imported only if requested: most runs make none.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from ...common.csv_quoting import table_file
from ...common.printing import until_stdout_closes
from ..data.image_reader import ImageFile
from ..finding.findings import ImageFindings
from ..jobs.cell_classification import CellClassification, Draw, Sink
from ..learning.cell_model import CellModel
from .cell_tables import cell_columns, cell_printer, cell_row_writer, measures_writer, write_groups


@dataclass(frozen=True)
class ClassifyOutputs:
    """The output of `classify`; see `cell_classification.Outputs`.

    Attributes
    ----------
    shown : {"lines", "csv", ""}
        What is printed for each cell when it is found: a line for people, a row of CSV, or nothing.
    keep : bool
        Whether the findings are kept in the result.
    output, overlay, page, measurements, by_group : str, optional
        A CSV file, a folder for copies with boxes and labels, an HTML file, and CSV files of measurements and
        of slides or patients.
    export : tuple of str
        Files and folders in the formats of other programs.
    pixel_size : float, optional
        Micrometres, for measurements.
    """

    shown: Literal["lines", "csv", ""] = ""
    keep: bool = False
    output: str | None = None
    overlay: str | None = None
    page: str | None = None
    measurements: str | None = None
    by_group: str | None = None
    export: tuple[str, ...] = ()
    pixel_size: float | None = None

    @property
    def folders(self) -> list[str]:
        """The folders that are written."""
        folders = [self.overlay] if self.overlay else []
        if self.export:
            from .coco_geojson import is_geojson_folder

            folders += filter(is_geojson_folder, self.export)
        return folders

    @property
    def wanted(self) -> tuple[str, ...]:
        """Which data of the cells are needed, as for `describe_image`."""
        is_needed = {"thumbnails": self.page, "details": self.export or self.measurements}
        return tuple(name for name, needed in is_needed.items() if needed)

    def draw(self, files: Sequence[ImageFile]) -> Draw | None:
        """Return a function that draws findings into copies of images."""
        if not self.overlay:
            return None
        from .picture_files import overlay_writer

        return overlay_writer(files, self.overlay)

    @contextmanager
    def opened(self, files: Sequence[ImageFile], count: CellClassification) -> Iterator[Sink]:
        """Yield a function that prints and writes the findings of an image; files appear after the block."""
        with ExitStack() as stack:
            sinks = [*self._writers(stack, files, count), *self._printers(files, count.model)]
            if self.keep:
                sinks.append(count.findings.append)

            def write(found: ImageFindings) -> None:
                for sink in sinks:
                    sink(found)

            yield write

    def _writers(
        self, stack: ExitStack, files: Sequence[ImageFile], count: CellClassification
    ) -> Iterator[Sink]:
        """Yield functions that write tables, exports and the page, complete once the stack is closed."""
        model = count.model
        if self.output:
            yield cell_row_writer(stack.enter_context(table_file(self.output)), cell_columns(model))
        if self.measurements:
            yield measures_writer(stack.enter_context(table_file(self.measurements)), self.pixel_size)
        for path in self.export:
            from .coco_geojson import export_writer

            yield stack.enter_context(export_writer(path, files, model.classes, self.pixel_size))
        if self.by_group:
            stack.callback(write_groups, stack.enter_context(table_file(self.by_group)), count)
        if self.page:
            yield stack.enter_context(_page_writer(self.page, count))

    def _printers(self, images: Sequence[ImageFile], model: CellModel) -> Iterator[Sink]:
        """Yield a function that prints the findings of each image as they come."""
        if not self.shown:
            return
        start: Callable[[], Sink] = partial(cell_printer, [image.name for image in images], model.classes)
        if self.shown == "csv":
            start = partial(cell_row_writer, sys.stdout, cell_columns(model))
        # A closed stdout ends the work, unless there are files to write.
        files = self.output, self.overlay, self.page, self.export, self.measurements, self.by_group
        yield until_stdout_closes(start) if any(files) else start()


@contextmanager
def _page_writer(path: str, count: CellClassification) -> Iterator[Sink]:
    """Yield a function that takes the findings of an image; the page is written after the block."""
    from ...common.files import replace_file
    from .report_page import MAX_CELLS, ReportTally, report_page

    tally = ReportTally(count, MAX_CELLS)
    yield tally.add
    replace_file(path, report_page(tally).encode())
