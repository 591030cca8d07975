"""The commands of fastsvm-studies: options in, verdicts out."""

import click

from ..frame.study_list import STUDIES
from .compare_command import compare
from .gallery_command import gallery
from .study_commands import all_studies, study_command

COMMANDS: tuple[click.Command, ...] = (
    *(study_command(name, study) for name, study in STUDIES.items()),
    all_studies,
    gallery,
    compare,
)
