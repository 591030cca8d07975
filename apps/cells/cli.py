"""The command line: the group of the commands in `commands`."""

import click

from ..common.app import App
from .commands import COMMANDS
from .data.decoder_messages import own_stderr


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


for _command in COMMANDS:
    main.add_command(_command)
