"""Options that several commands share."""

from functools import partial, wraps

import click

from ...common import options

NO_GROUPS = "note: every image counts as its own original; if some are copies, say so with --groups"

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


images_argument = click.argument("images", nargs=-1, required=True)
cell_width_option = click.option(
    "--cell-width",
    type=options.FiniteRange(min=20),
    metavar="PX",
    help="How many pixels of the images a white cell is wide, typically.  "
    "[default: read from the red cells, or a quarter of the longer side]",
)


class Kinds(Names):
    """Names of what else is counted; the command gets what they stand for."""

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
    "--also",
    type=Kinds(),
    metavar="rbc,platelets",
    help="Find and count red cells, platelets or both as well.",
)


def known_options(command):
    """Add what is known about the images; the command gets one dict `known`."""

    @wraps(command)
    def with_known(labels, groups, classes, **options):
        return command(known={"labels": labels, "groups": groups, "classes": classes}, **options)

    for decorate in (
        click.option("--classes", type=Names(), metavar="A,B", help="Only the images with these labels."),
        click.option(
            "--groups",
            metavar="CSV",
            help="Which original each image was made from: columns file, original. Copies of one original "
            "are counted together, and never split.",
        ),
        click.option(
            "--labels",
            metavar="CSV|FOLDER",
            help="Labels of the images: columns file, label; or a folder of Pascal VOC annotations.  "
            "[default: the folder that an image lies in]",
        ),
    ):
        with_known = decorate(with_known)
    return with_known
