"""One study, run."""

from importlib import import_module

from .study_context import Context
from .study_list import Study
from .study_report import Report


def run(study: Study, context: Context) -> Report:
    """Run a study; what it needs is imported now."""
    return import_module(study.module, __package__.rpartition(".")[0]).run(context)
