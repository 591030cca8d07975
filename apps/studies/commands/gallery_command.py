"""`gallery`: pages of the documentation from reports."""

import click

from ...common.options import Command
from ...common.paths import Continues, Reads
from ...common.printing import print_line


@click.command(cls=Command, epilog="Example: fastsvm-studies gallery studies -o docs/studies")
@click.argument("folder", type=Reads(is_folder=True))
@click.option(
    "-o", "--output", type=Continues("folder"), required=True, metavar="DOCS", help="Folder for the pages."
)
def gallery(folder, output):
    """Make pages in Markdown from the report in FOLDER, that of a study or of all.

    A page has the verdicts, the figures as small pictures, and how to run the study again; README.md leads
    to all pages that DOCS has. Figures that show images or texts of the data themselves are left out.
    """
    from ..report.docs_pages import write_gallery

    for path in write_gallery(folder, output):
        print_line(path)
