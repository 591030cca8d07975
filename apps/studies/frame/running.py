"""One study, run."""

from importlib import import_module

from .context import Context
from .report import Report
from .settings import Study


def run(study: Study, context: Context) -> Report:
    """Run a study; what it needs is imported now."""
    return import_module(study.module, __package__.rpartition(".")[0]).run(context)
