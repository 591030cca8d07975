"""The command line: options in, tables, JSON and pictures out; the work is in `pipeline`."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from functools import partial, wraps

import click

from ..common.app import App
from ..common.errors import USAGE, AppError, Skipped
from ..common.files import check_file, make_folder
from ..common.options import FiniteRange, common_options, examples, json_option, seed_option
from ..common.output import note, note_skipped, print_json, print_line, tidy_warnings
from ..common.progress import Stages
from ..common.streams import going_on
from ..common.tables import raw_csv_option
from .choices import ALPHAS, CLASSIFIERS, FEATURES, METHODS
from .images import find_images
from .quiet import own_stderr

# .pipeline, .report, .plots and .gallery bring scikit-learn, OpenCV and matplotlib, which `--help` must not
# wait for: the commands import them.

_examples = partial(examples, "fastsvm-cells")


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
    type=FiniteRange(min=20),
    metavar="PX",
    help="How many pixels of the images a white cell is wide, typically.  "
    "[default: a quarter of the longer side]",
)


def known_options(command):
    """Add what is known about the images; the command gets one dict `known`."""

    @wraps(command)
    def with_known(labels, groups, classes, **options):
        return command(known={"labels": labels, "groups": groups, "classes": classes}, **options)

    for decorate in (
        click.option(
            "--classes",
            type=Names(),
            metavar="A,B",
            help="Only the images with these labels.",
        ),
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


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"auto_envvar_prefix": "FASTSVM_CELLS", "max_content_width": 100},
    epilog="Options can come from the environment: FASTSVM_CELLS_TRAIN_FOLDS=3 stands for train --folds 3.",
)
@click.version_option(package_name="fastsvm", prog_name="fastsvm-cells", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx):
    """Find the white cells in images of stained blood smears, classify and count them.

    IMAGES are folders, with all their folders, or files: jpg, png, tiff, bmp. Not a medical device.

    \b
    Examples:
      fastsvm-cells classify smears --report smears.html
      fastsvm-cells train data/cells/images -o cells.safetensors
    """
    ctx.with_resource(own_stderr())
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command(
    epilog=_examples(
        "crop smears -o crops",
        "crop smears -o crops --method report --gray-negative",
        "crop smears -o boxes.csv --csv-only",
    )
)
@images_argument
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    help="Folder for the crops and boxes.csv; with --csv-only a CSV file, or - for stdout.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="cells",
    show_default=True,
    help="Find every cell and its box; the centre of the largest nucleus, fast; or that by the steps of the "
    "report this app goes back to.",
)
@click.option(
    "--size",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Cut squares of N pixels around the centre, where cells are about 80 wide.  "
    "[default: the box as it is in the image; 120 for the other methods]",
)
@click.option("--gray-negative", is_flag=True, help="Crops in gray, negative, their black frame filled.")
@click.option("--csv-only", is_flag=True, help="No crops, only the table.")
@raw_csv_option
@cell_width_option
@json_option
@common_options
def crop(images, output, method, size, gray_negative, csv_only, raw_csv, cell_width, json, quiet, verbose):
    """Cut the white cells out of IMAGES.

    Each crop is named after its image, with the number of the cell behind; boxes.csv has a line for each
    cell, the largest of an image first, and for each image without one.
    """
    if csv_only and gray_negative:
        raise AppError("--csv-only makes no crops to be gray and negative; leave one out", USAGE)
    if output == "-" and not csv_only:
        raise AppError("crops cannot go to stdout; give a folder with -o, or --csv-only", USAGE)
    if output == "-" and json:
        raise AppError("-o - and --json both write to stdout; choose one", USAGE)
    from . import pipeline, places, report

    only_table = csv_only and (output == "-" or output.lower().endswith(".csv"))
    folder = None if only_table else output
    table = output if only_table else os.path.join(output, "boxes.csv")
    how = pipeline.Cropping(method, size, gray_negative, cell_width)
    with tidy_warnings(), Stages(verbose, not quiet and not _is_terminal(table)) as stage:
        with stage("find"):
            files = find_images(images)
            if folder:
                files = places.outside(files, folder)
                make_folder(folder)
        count = pipeline.Count(pipeline.source_name(images))
        with stage("crop", total=len(files)) as advance, report.table_file(table) as file:
            write = report.row_writer(file, report.BOX_COLUMNS, raw=raw_csv)
            for _, found in pipeline.crop_cells(files, how, None if csv_only else folder):
                write(found)
                count.add(found)
                advance()
    if json:
        print_json({"output": output, **report.places_record(count, stage.seconds)})
    elif table != "-":
        report.print_places(count)
        print_line(output)
    note_skipped(count.skipped)
    return count.skipped.exit_code


@main.command(
    epilog=_examples(
        "train data/cells/images",
        "train smears --labels labels.csv --groups groups.csv --features shells -o cells.safetensors",
    )
)
@images_argument
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    default="cells.safetensors",
    show_default=True,
    help="Where the model goes.",
)
@known_options
@click.option(
    "--features",
    type=click.Choice(FEATURES),
    default="cells",
    show_default=True,
    help="What of a cell is measured: shape, colours and texture; only the colours in shells around the "
    "border of the nucleus; or the gray pixels of a crop.",
)
@click.option(
    "--classifier",
    type=click.Choice(list(CLASSIFIERS)),
    default="sdca-logistic",
    show_default=True,
    help="Learning algorithm.",
)
@click.option(
    "--pca", type=click.IntRange(min=1), metavar="N", help="Replace the features by N whitened components."
)
@click.option(
    "--alpha",
    type=FiniteRange(min=0, min_open=True),
    help="Strength of the L2 regularisation.  [default: one of "
    f"{', '.join(f'{alpha:g}' for alpha in ALPHAS)}, chosen by cross-validation]",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    help="Passes over the images; SDCA stops earlier, once its gap is small.  [default: "
    f"{', '.join(f'{name} {recipe.epochs}' for name, recipe in CLASSIFIERS.items())}]",
)
@click.option(
    "--folds",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Folds of the cross-validation; 1 does without.",
)
@click.option("--no-intercept", is_flag=True, help="Decide without a constant.")
@cell_width_option
@seed_option
@json_option
@common_options
def train(images, output, known, features, folds, no_intercept, cell_width, json, quiet, verbose, **settings):
    """Train a classifier of white cells on IMAGES, cross-validate and save it.

    Of each image the largest white cell counts.
    """
    if output == "-":
        raise AppError("a model cannot go to stdout; give a file with -o", USAGE)
    try:
        from . import pipeline, report

        if not known["groups"]:
            note("note: every image counts as its own original; if some are copies, say so with --groups")
        with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
            result = pipeline.train(
                images,
                output,
                pipeline.Settings(intercept=not no_intercept, scale=features != "pixels", **settings),
                **known,
                features=features,
                cell_width=cell_width,
                folds=folds,
                stage=stage,
            )
    except KeyboardInterrupt:
        raise AppError("interrupted; no model was written") from None
    if json:
        print_json(report.training_record(result, stage.seconds))
    else:
        report.print_training(result, stage.seconds)
    note_skipped(result.skipped)
    return result.skipped.exit_code


@main.command(
    epilog=_examples(
        "classify smears --report smears.html",
        "classify smears -m cells.safetensors --csv > cells.csv",
        "classify smear.jpg --overlay checked",
    )
)
@images_argument
@click.option(
    "-m", "--model", metavar="MODEL", help="The classifier.  [default: one that comes with fastsvm]"
)
@click.option("-o", "--output", metavar="FILE.csv", help="Write the table of cells to a CSV file.")
@click.option("--csv", is_flag=True, help="Print the table of cells as CSV, and nothing else.")
@raw_csv_option
@click.option("--overlay", metavar="DIR", help="Draw boxes and labels into copies of the images.")
@click.option("--report", "page", metavar="FILE.html", help="Write a page with counts and pictures.")
@click.option(
    "--labels",
    metavar="CSV|FOLDER",
    help="Known labels, for the report: columns file, label; or a folder of Pascal VOC annotations.  "
    "[default: the folder that an image lies in, if it has the name of a class]",
)
@cell_width_option
@json_option
@common_options
def classify(images, model, output, csv, raw_csv, overlay, page, labels, cell_width, json, quiet, verbose):
    """Find, classify and count the white cells in IMAGES."""
    if json and csv:
        raise AppError("give --json or --csv, not both", USAGE)
    if output == "-":
        raise AppError("-o wants a file; --csv prints the table", USAGE)
    from . import pipeline, places, report

    records, printing = [], not (json or csv)
    with ExitStack() as stack:
        stack.enter_context(tidy_warnings())
        # Rows come as the work goes on; on a terminal they show the progress by themselves.
        shown = not quiet and (json or not sys.stdout.isatty())
        stage = stack.enter_context(Stages(verbose, shown))
        with stage("load"):
            model = pipeline.load_cell_model(model)
        with stage("find"):
            files = pipeline.with_truths(find_images(images, labels=labels), model, labels)
            if overlay:
                files = places.outside(files, overlay)
                make_folder(overlay)
            if page:
                check_file(page)
        count = pipeline.Count(pipeline.source_name(images), model.classes)
        sinks = [count.add]
        if output:
            check_file(output)
            file = stack.enter_context(report.table_file(output))
            sinks.append(report.row_writer(file, report.CELL_COLUMNS, raw=raw_csv))
        if json:
            sinks.append(lambda found: records.append(report.image_record(found)))
        else:
            if csv:
                show = partial(report.row_writer, sys.stdout, report.CELL_COLUMNS, raw=raw_csv)
            else:
                show = partial(report.cell_printer, [file.name for file in files], model.classes)
            sinks.append(going_on(show) if output or overlay or page else show())

        def results():
            stream = pipeline.classify(files, model, cell_width=cell_width, thumbnails=bool(page))
            if overlay:
                stream = pipeline.draw_overlays(stream, files, overlay)
            for _, found in stream:
                for sink in sinks:
                    sink(found)
                yield found
                advance()

        with stage("classify", total=len(files)) as advance:
            if page:
                from .gallery import write_report

                write_report(page, results(), title=f"White cells: {count.skipped.source}", model=model.name)
            else:
                for _ in results():
                    pass
    if json:
        print_json({"model": model.name, "images": records, **report.count_record(count, stage.seconds)})
    elif printing:
        report.print_counts(count)
    note_skipped(count.skipped)
    return count.skipped.exit_code


@main.command(
    epilog=_examples(
        "evaluate cells.safetensors data/cells/images",
        "evaluate cells.safetensors smears --labels labels.csv --mistakes mistakes.png --json",
    )
)
@click.argument("model")
@images_argument
@known_options
@click.option(
    "--mistakes", metavar="FILE.png", help="Draw the cells that it is wrong about, the surest first."
)
@cell_width_option
@json_option
@common_options
def evaluate(model, images, known, mistakes, cell_width, json, quiet, verbose):
    """Try MODEL on the largest white cell of each of the labelled IMAGES.

    An image in which no cell is found counts as a mistake.
    """
    from . import pipeline, plots, report

    if mistakes:
        plots.check_ending(mistakes)
        check_file(mistakes)
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = pipeline.evaluate(model, images, **known, cell_width=cell_width, stage=stage)
        if mistakes and result.mistakes:
            with stage("draw"):
                pipeline.draw_mistakes(mistakes, result.mistakes)
    if json:
        print_json(report.evaluation_record(result, stage.seconds))
    else:
        report.print_scores(result.scores)
    if mistakes and not result.mistakes:
        note(f"note: no mistakes, so {mistakes} was not written")
    if unknown := result.scores.unknown_labels:
        note(f"note: the model does not know {', '.join(unknown)}; these images count as mistakes")
    note_skipped(result.skipped)
    return result.skipped.exit_code


@main.command(
    epilog=_examples(
        "steps smear.jpg -o steps.png",
        "steps smear.jpg -o steps.svg --method report",
    )
)
@click.argument("image")
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The figure (.png, .svg or .pdf).")
@click.option(
    "--method",
    type=click.Choice([method for method in METHODS if method != "center"]),
    default="cells",
    show_default=True,
    help="This app's steps, or those of the report that it goes back to.",
)
@cell_width_option
@common_options
def steps(image, output, method, cell_width, quiet, verbose):
    """Draw the steps from IMAGE to the white cell in it."""
    from . import pipeline
    from .plots import plot_steps

    check_file(output)
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("locate"):
            pictures, found = pipeline.steps(image, method, cell_width)
        with stage("draw"):
            plot_steps(pictures, output)
    print_line(output)
    if not found:
        note(f"note: {image}: {pipeline.NO_CELL}")


@main.command(
    epilog=_examples(
        "sheet smears -o sheet.png",
        "sheet smears -o cells.png --crops --columns 10",
    )
)
@images_argument
@click.option("-o", "--output", required=True, metavar="FILE.png", help="The picture.")
@click.option("--crops", is_flag=True, help="Show the white cells found instead of the images.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=400, show_default=True, help="Most pictures to show."
)
@click.option("--columns", type=click.IntRange(min=1), help="Pictures in a row.  [default: about 1.2 x rows]")
@cell_width_option
@common_options
def sheet(images, output, crops, limit, columns, cell_width, quiet, verbose):
    """Lay IMAGES, or the white cells in them, on one sheet."""
    from . import pipeline, plots

    plots.check_ending(output)
    check_file(output)
    skipped = Skipped(pipeline.source_name(images))
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        with stage("find"):
            files = find_images(images)
        with stage("draw", total=len(files)) as advance:
            more = pipeline.draw_sheet(
                output,
                files,
                skipped,
                crops=crops,
                limit=limit,
                columns=columns,
                cell_width=cell_width,
                advance=advance,
            )
    print_line(output)
    if more:
        note(f"note: only the first {limit:,} pictures are on it; --limit allows more")
    note_skipped(skipped)
    return skipped.exit_code


def _is_terminal(path: str) -> bool:
    return path == "-" and sys.stdout.isatty()
