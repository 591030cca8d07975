"""`sample`: synthetic smears for trying the other commands."""

import os
import shutil
import tempfile

import click

from ...common.errors import AppError
from ...common.files import samples_folder
from ...common.options import section
from ...common.paths import Writes, make_folder
from ...common.printing import next_line, written
from ...common.sections import Section, tell
from ._options import command


@command("sample", "sample -o drawn")
@section(
    "Output",
    click.option("-o", "--output", type=Writes("folder"), default="smears", help="Folder to make."),
)
def sample(output, stage, verbose):
    """Write 54 synthetic smears to a folder, to try fastsvm on.

    The smears show no real blood. The folder contains images for training, other images in `new`, two images
    without white cells, and two tables: groups.csv for --groups, and boxes.csv.
    """
    target = os.path.abspath(output)
    if os.path.lexists(target):
        raise AppError(f"{output}: exists; give another folder with -o")
    make_folder(os.path.dirname(target))
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target), prefix=".fastsvm-") as made:
        os.rename(shutil.copytree(samples_folder() / "cells", os.path.join(made, "cells")), target)
    new = next_line("fastsvm-cells", "classify", os.path.join(output, "new"))
    return tell(False, {}, [Section(lines=[*written(output), new])])
