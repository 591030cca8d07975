"""The command line: the group of the commands in `commands`."""

import click

from ..common.app import App
from .commands import COMMANDS


@click.group(
    cls=App,
    invoke_without_command=True,
    context_settings={"auto_envvar_prefix": "FASTSVM_SENTIMENT", "max_content_width": 100},
    epilog="Options can come from the environment: FASTSVM_SENTIMENT_TRAIN_K=2000 stands for train --k 2000.",
)
@click.version_option(package_name="fastsvm", prog_name="fastsvm-sentiment", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx):
    """Train, evaluate and use linear classifiers of texts.

    \b
    Examples:
      fastsvm-sentiment train data/reviews.txt
      fastsvm-sentiment predict reviews.safetensors new.txt
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for _command in COMMANDS:
    main.add_command(_command)
