"""`classify`: find, classify and count the cells of images."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Protocol

import numpy as np

from ...common.errors import USAGE, AppError
from ...common.progress import Stages
from ...common.training_items import count_learned
from ..data.bad_image import BadImage
from ..data.image_files import find_images, groups_of, outside_folders, source_name
from ..data.image_reader import ImageFile, ImageReader
from ..data.image_threads import MapImages, map_images
from ..data.slide_tiles import Tile, with_tiles
from ..finding.findings import OTHER_CAMERA, OTHER_STAIN, UNCLASSIFIED, UNFAMILIAR, CellCounts, ImageFindings
from ..finding.first_look import NO_LOOK, FirstLook, first_look, look_at_slide, look_of
from ..finding.image_quality import quality_flags
from ..finding.slide_findings import Found, merge_tiles
from ..learning.calibration import corrected_shares
from ..learning.cell_model import CellModel, load_cell_model
from ..measuring.describing import DescribedImage, describe_image
from ..settings import ClassifySettings
from .classify_cache import kept_results

# Images, or tiles, whose cells are classified at once; an interrupted run loses an unfinished batch.
IMAGES_AT_ONCE, TILES_AT_ONCE = 64, 8

Draw = Callable[[ImageFile, np.ndarray, ImageFindings], None]
Sink = Callable[[ImageFindings], object]


class Outputs(Protocol):
    """The receivers of the results of `classify_images`."""

    @property
    def output(self) -> str | None:
        """The CSV file that is written; an interrupted run keeps its results beside it."""

    @property
    def overlay(self) -> str | None:
        """The folder that images are drawn into."""

    @property
    def folders(self) -> Sequence[str]:
        """The folders that are written; images in these folders are ignored."""

    @property
    def wanted(self) -> Sequence[str]:
        """Which data of the cells are needed, as for `describe_image`."""

    def opened(self, files: Sequence[ImageFile], count: "CellClassification") -> AbstractContextManager[Sink]:
        """Return a context of a function that takes the results of each image, which `count` already has.

        The files are complete at the end of its block.
        """

    def draw(self, files: Sequence[ImageFile]) -> Draw | None:
        """Return a function that draws the findings in the image of a file, in any thread; None: none."""


class CellClassification(CellCounts):
    """Counts of the cells that a model has classified, and the scores that a label needs.

    Parameters
    ----------
    model : CellModel
    sources : sequence of str
        Folders and images.
    settings : ClassifySettings
    look : FirstLook, optional
        What is known of all images; by default nothing.

    Attributes
    ----------
    model, settings, look
        As given.
    min_score : float or None
        The lowest score of a label; None if scores are not probabilities.
    min_unfamiliar : float
        The same for cells unlike those of the training.
    groups : dict of str to CellCounts
        The counts of each slide or patient, if there are several.
    findings : list of ImageFindings
        The images and their cells, if they are kept.
    """

    def __init__(
        self, model: CellModel, sources: Sequence[str], settings: ClassifySettings, look: FirstLook = NO_LOOK
    ) -> None:
        self.model, self.settings, self.look = model, settings, look
        self.min_score = model.least(settings.min_score)
        self.min_unfamiliar = model.least_unfamiliar(look.alone, settings.min_score, settings.strict)
        classes = model.classes + [UNCLASSIFIED] * bool(self.min_score or look.own is False)
        super().__init__(source_name(sources), classes, settings.also)
        self.groups: dict[str, CellCounts] = {}
        self.findings: list[ImageFindings] = []

    def add(self, found: ImageFindings, group: str | None = None) -> None:
        """Count an image and its cells, in all and for the slide or patient if there are several."""
        super().add(found)
        if group is not None:
            self.groups.setdefault(group, CellCounts(group, self.labels)).add(found)

    def to_records(self) -> list[dict[str, object]]:
        """Return a dict per image: its file, cells, flags and problem, as in the JSON of the command."""
        return [found.record(self.model.classes, self.settings.also) for found in self.findings]

    @property
    def corrected(self) -> dict[str, float] | None:
        """Shares of the classes, corrected for known confusions; None if these are not known."""
        known = self.model.about
        # The confusions are known at the model's own score, for cells like those of the training.
        is_usual = self.min_score == known.calibration.min_score and not self.flags[UNFAMILIAR]
        if not is_usual or self.why_no_shares:
            return None
        return corrected_shares(self.labels, self.model.classes, known.confusion)


def classify_images(
    sources: Sequence[str],
    model: CellModel | str | None,
    outputs: Outputs,
    settings: ClassifySettings,
    stage: Stages,
    *,
    labels: str | None = None,
    groups: str | None = None,
    describing: MapImages = map_images,
) -> CellClassification:
    """Classify the cells of images.

    Parameters
    ----------
    sources : sequence of str
        Folders and images.
    model : CellModel or str, or None
        A model or its file; None is the included model. Without a loaded model an interrupted run can resume.
    outputs : Outputs
    settings : ClassifySettings
    stage : Stages
        Times the stages.
    labels : str, optional
        Known labels, as for `find_images`.
    groups : str, optional
        Slides or patients of the images, as for `find_images`; by default taken from the folders.
    describing : callable, default=map_images
        Maps a function over the images.
    """
    is_loaded = isinstance(model, CellModel)
    table, path = (None, None) if is_loaded else (outputs.output, model)
    with stage("load"):
        model = model if is_loaded else load_cell_model(path)
    with stage("find"):
        found = find_known_images(sources, model.classes, labels, groups)
        files = outside_folders(found, outputs.folders)
        look = first_look(files, settings.cell_width, model.about)
        of_slide = partial(look_at_slide, cell_width=settings.cell_width, learned=model.about)
        items = list(with_tiles(files, of_slide))
    draw = outputs.draw(files)
    has_tiles = any(isinstance(item, Tile) for item in items)
    if draw and has_tiles:
        raise AppError("--overlay does not support slides; use --report to see their cells", USAGE)
    count = CellClassification(model, sources, settings, look)
    count.left_out = len(found) - len(files)
    batch, wanted = TILES_AT_ONCE if has_tiles else IMAGES_AT_ONCE, outputs.wanted
    work = partial(classify_cells, count=count, wanted=wanted, draw=draw, describing=describing, batch=batch)
    how = {"settings": settings, "look": look, "wanted": wanted, "drawn": outputs.overlay}
    with (
        kept_results(table, items, path, batch, work, **how) as results,
        outputs.opened(files, count) as write,
        stage("classify", total=len(items)) as advance,
    ):
        group_of = groups_of(files, len(sources), model.classes, given=groups is not None)
        for group, found in zip(group_of, merge_tiles(results, advance), strict=True):
            count.add(found, group)
            write(found)
    return count


@contextmanager
def image_workers(address: str | None) -> Iterator[MapImages]:
    """Yield what maps a function over images: threads here, or the workers of the scheduler at an address."""
    if address is None:
        yield map_images
        return
    from ...common.dask_cluster import connected
    from ..data.cluster_images import map_images_on_cluster

    with connected(address) as client:
        yield partial(map_images_on_cluster, client=client)


def find_known_images(
    sources: Sequence[str], classes: Sequence[str], labels: str | None, groups: str | None = None
) -> list[ImageFile]:
    """Find images; the names of their folders are labels if one of them is the name of a class."""
    files = find_images(sources, labels=labels, groups=groups)
    if labels is not None or not {file.label for file in files}.isdisjoint(classes):
        return files
    return [replace(file, label=None) for file in files]


def classify_cells(
    files: Iterable[ImageFile],
    count: CellClassification,
    *,
    wanted: Sequence[str] = (),
    draw: Draw | None = None,
    describing: MapImages = map_images,
    batch: int = IMAGES_AT_ONCE,
    **how,
) -> Iterator[Found]:
    """Find and classify the cells of images.

    Parameters
    ----------
    files : iterable of ImageFile
    count : CellClassification
        Has the model and the settings; nothing is counted here.
    wanted : sequence of str
        Which data of the cells are needed, as for `describe_image`.
    draw : callable, optional
        Called in any thread with each file that could be read, its image and what was found in it.
    describing : callable, default=map_images
        Maps a function over the images. The cells are classified in this process: that takes little time, and
        sums are rounded alike.
    batch : int, default=64
        Images whose cells are classified at once.
    **how
        As for `describe_image`: `most`.

    Yields
    ------
    file : ImageFile
        In the order they came.
    found : ImageFindings
        Its `truth` is the label of the image, if there is one.
    """
    about, settings = count.model.about, count.settings
    keep = draw is not None and describing is map_images  # a cluster would send the pixels back
    how |= {"look": count.look, "also": settings.also, "usual": about.usual, "keep": keep}
    describe = partial(describe_image, wanted=(*wanted, "quality"), **how)
    classified = _classified(describing(describe, files), count, batch)
    yield from _drawn(classified, draw) if draw else ((file, found) for file, found, _ in classified)


def _classified(
    results: Iterator[tuple[ImageFile, DescribedImage | BadImage]], count: CellClassification, size: int
) -> Iterator[tuple[ImageFile, ImageFindings, ImageReader | None]]:
    model, classes = count.model, count.model.classes
    while batch := list(islice(results, size)):
        described = [(file.name, result.X) for file, result in batch if isinstance(result, DescribedImage)]
        names = [name for name, rows in described for _ in rows]
        X = [row for _, rows in described for row in rows]
        scores = iter(model.scores(np.stack(X), names).astype(float) if X else ())
        for file, result in batch:
            if not isinstance(result, DescribedImage):
                yield file, ImageFindings(file.name, (), file.label, str(result)), None
                continue
            of_image, least = [*islice(scores, len(result.cells))], count.min_score
            why = why_unfamiliar(model, count.look, file, result)
            if why:
                X, least = np.stack(result.X), count.min_unfamiliar
                of_image = model.about.cautious.scores(X, classes)
            pairs = zip(result.cells, of_image, strict=True)
            cells = tuple(cell.labelled(classes, scores_of_cell, least) for cell, scores_of_cell in pairs)
            flags = result.flags  # why nothing can be measured, or else:
            if not flags and result.quality:
                flags = quality_flags(result.quality, model.about.ranges)
            flags = (*why, *flags)
            known = file.label is not None and result.hash is not None
            learned = count_learned([result.hash], model.record) if known else None
            rest = result.size, flags, result.others, learned
            found = ImageFindings(file.name, cells, file.label, None, *rest)
            yield file, found, result.reader


def why_unfamiliar(
    model: CellModel, look: FirstLook, file: ImageFile, found: DescribedImage
) -> tuple[str, ...]:
    """Return the flags of an image and its cells if they are unlike those that the model learned from.

    An image of the same kind, or without cells, has none.
    """
    look = look_of(file, look)
    if not found.cells or (look.own is not False and not model.about.kind.is_far(found.stain)):
        return ()
    is_fine = 2 * np.count_nonzero(model.about.cautious.is_too_fine(np.stack(found.X))) > len(found.X)
    return UNFAMILIAR, OTHER_STAIN, *[OTHER_CAMERA] * bool(is_fine)


def _drawn(
    classified: Iterable[tuple[ImageFile, ImageFindings, ImageReader | None]], draw: Draw
) -> Iterator[Found]:
    def work(item) -> None:
        file, found, reader = item
        if found.problem is None:
            draw(file, (reader or file.open()).whole(), found)

    for (file, found, _), problem in map_images(work, classified):
        yield file, found if problem is None else replace(found, cells=(), others=(), problem=str(problem))
