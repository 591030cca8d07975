"""`review`: look through the cells of images in a browser, and correct their labels."""

import sys

import click

from ...common.limits import limit
from ...common.options import section
from ...common.paths import Continues
from ...common.printing import many, print_line
from ..settings import NAMES
from ._options import cell_width_option, command, images_argument, labels_option, model_option


@command("review smears -o corrections.json", "review smears -m cells.safetensors", needs_stdout=False)
@images_argument
@section(
    "Input",
    model_option,
    cell_width_option,
    labels_option,
    click.option("--classes", type=NAMES, metavar="A,B", help="More classes to choose from."),
)
@section(
    "Output",
    click.option(
        "-o",
        "--output",
        type=Continues("json"),
        default="corrections.json",
        metavar="FILE.json",
        help="File to save corrections to. If it exists, `review` continues it.",
    ),
)
def review(images, model, output, stage, verbose, **known):
    """Correct the labels of the white cells in IMAGES, in a browser.

    `review` prints the address of a page that only this computer can open. Each correction is saved at once;
    Ctrl-C ends the program. To learn from the corrections, pass FILE.json to `adapt` or `train` with
    --corrections. The page begins with the cells whose labels help the model most. It shows the 2,000 least
    certain cells; FASTSVM_MAX_REVIEW_CELLS changes this number.
    """
    from fastsvm._utils.atomic import held

    from ...common.sections import Section, tell
    from ..output.review_server import review_server_of

    with held(output):
        with stage:
            most = limit("FASTSVM_MAX_REVIEW_CELLS")
            server, adapt, skipped = review_server_of(images, model, output, most, stage, **known)
        print_line(server.url)
        sys.stdout.flush()
        server.run()
    lines = [f"{many(len(server.work.verdicts), 'cell')} looked at: {output}"]
    lines += [f"next: {adapt}"] * bool(server.work.verdicts)
    return tell(False, {}, [Section(lines=lines)], skipped)
