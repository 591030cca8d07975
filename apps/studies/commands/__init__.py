"""The commands of fastsvm-studies, one a file: options in, verdicts out."""

import click

COMMANDS: tuple[click.Command, ...] = ()
