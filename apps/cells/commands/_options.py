"""Options that several commands share."""

from functools import partial

import click

from ...common import options
from ...common.paths import Reads, Writes
from ..settings import NAMES, ClassifySettings

NO_GROUPS = "note: every image counts as its own original; if some are near copies, give --groups"

command = partial(options.command, "fastsvm-cells")


def _is_image(name):
    from ..data.image_files import ENDINGS
    from ..data.slides import NEEDED

    return name.lower().endswith((*ENDINGS, *NEEDED))


IMAGES = Reads(counts=_is_image)
LABELS = Reads(counts=lambda name: name.lower().endswith(".xml"))
images_argument = click.argument("images", nargs=-1, required=True, type=IMAGES)
(cell_width_option,) = options.options_of_fields(ClassifySettings, "cell_width")
model_option = click.option(
    "-m", "--model", type=Reads(), metavar="MODEL", help="Model file.  [default: shipped, the included model]"
)
corrections_option = click.option(
    "--corrections",
    type=Reads(),
    multiple=True,
    metavar="FILE.json",
    help="Learn from cells corrected with `review`, with or without labelled images. May be repeated.",
)


def model_output(default):
    """Return the option for the file of a model."""
    kind, told = Writes("safetensors"), "Model file to write."
    return click.option("-o", "--output", type=kind, default=default, help=told)


labels_option = click.option(
    "--labels",
    type=LABELS,
    metavar="CSV|FOLDER",
    help="Known labels, shown on the page: a table with the columns file, label; or a folder of Pascal VOC "
    "annotations.  [default: the name of the image's folder, if a folder is named after a class]",
)
# Labels, originals and classes of images, and the width of a cell; the jobs take all of these as `known`.
known_options = options.section(
    "Input",
    click.option(
        "--labels",
        type=LABELS,
        metavar="CSV|JSON|FOLDER",
        help="Labels of images, or of boxes round cells: a table with the columns file, label; a COCO file; "
        "or a folder of Pascal VOC annotations.  [default: the name of the image's folder]",
    ),
    click.option(
        "--groups",
        type=Reads(),
        metavar="CSV",
        help="The original that each image was made from: a table with the columns file, original. Copies of "
        "one original count as one image, and stay together in cross-validation.",
    ),
    click.option("--classes", type=NAMES, metavar="A,B", help="Use only images with these labels."),
    cell_width_option,
)
