"""The commands of fastsvm-studies: options in, verdicts out."""

import click

from .compare_command import compare
from .study_commands import STUDIES, all_studies, gallery, study_command

COMMANDS: tuple[click.Command, ...] = (
    *(study_command(name, title) for name, title in STUDIES.items()),
    all_studies,
    gallery,
    compare,
)
