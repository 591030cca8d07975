"""The commands of fastsvm-studies: options in, verdicts out."""

import click

from ..frame.settings import STUDIES
from .compare import compare
from .gallery import gallery
from .study import all_studies, study_command

COMMANDS: tuple[click.Command, ...] = (
    *(study_command(name, study) for name, study in STUDIES.items()),
    all_studies,
    gallery,
    compare,
)
