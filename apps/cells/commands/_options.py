"""Options that several commands share."""

from functools import partial, wraps

import click

from ...common import options
from ...common.paths import Reads

NO_GROUPS = "note: every image counts as its own original; if some are copies, give --groups"

command = partial(options.command, "fastsvm-cells")


class Names(click.ParamType):
    """Names with commas between them."""

    name = "names"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        names = [name.strip() for name in value.split(",")]
        if not all(names):
            self.fail(f"{value!r} has an empty name in it.", param, ctx)
        return names


def _is_image(name):
    from ..data.image_files import ENDINGS
    from ..data.slides import NEEDED

    return name.lower().endswith((*ENDINGS, *NEEDED))


IMAGES = Reads(counts=_is_image)
LABELS = Reads(counts=lambda name: name.lower().endswith(".xml"))
images_argument = click.argument("images", nargs=-1, required=True, type=IMAGES)
cell_width_option = click.option(
    "--cell-width",
    type=options.FiniteRange(min=20),
    metavar="PX",
    help="Width of a typical white cell, in pixels of the images.  "
    "[default: read from the red cells, or a quarter of the longer side]",
)
model_option = click.option(
    "-m", "--model", type=Reads(), metavar="MODEL", help="The classifier.  [default: that of fastsvm]"
)
corrections_option = click.option(
    "--corrections",
    type=Reads(),
    multiple=True,
    metavar="FILE.json",
    help="Learn also, or only, from cells that were corrected with `review`. May be repeated.",
)

labels_option = click.option(
    "--labels",
    type=LABELS,
    metavar="CSV|FOLDER",
    help="Known labels, for the page: columns file, label; or a folder of Pascal VOC annotations.  "
    "[default: the folder that an image is in, if it has the name of a class]",
)


class Kinds(Names):
    """Names of other cells to count; the command gets the kinds that they stand for."""

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        from ..finding.findings import OTHER_KINDS

        kinds = []
        for name in super().convert(value, param, ctx):
            if name not in OTHER_KINDS:
                self.fail(f"{name!r} is not counted; there are: {', '.join(OTHER_KINDS)}.", param, ctx)
            kinds.append(OTHER_KINDS[name])
        return tuple(dict.fromkeys(kinds))


also_option = click.option(
    "--also", type=Kinds(), metavar="rbc,platelets", help="Also find and count red cells, platelets, or both."
)


def known_options(command):
    """Add options for labels, originals and classes of images; the command gets one dict `known`."""

    @wraps(command)
    def with_known(labels, groups, classes, **options):
        return command(known={"labels": labels, "groups": groups, "classes": classes}, **options)

    return options.section(
        "Input",
        click.option(
            "--labels",
            type=LABELS,
            metavar="CSV|JSON|FOLDER",
            help="Labels of the images, or of boxes of cells: a table with the columns file, label; a COCO "
            "file; or a folder of Pascal VOC annotations.  [default: the folder that an image is in]",
        ),
        click.option(
            "--groups",
            type=Reads(),
            metavar="CSV",
            help="The original that each image was made from: columns file, original. Copies of an original "
            "are counted together, and stay together in cross-validation.",
        ),
        click.option("--classes", type=Names(), metavar="A,B", help="Use only images with these labels."),
        cell_width_option,
    )(with_known)
