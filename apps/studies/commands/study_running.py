"""A study from options to a folder with its results."""

import os
import shlex
from collections.abc import Mapping
from time import process_time
from types import MappingProxyType

from ...common.printing import note, tidy_warnings
from ...common.progress import Stages
from ..frame.study_list import Study
from .study_options import threads_of

PARTS = "parts"  # the folder of what is finished


def run_study(name: str, study: Study, folder: str, *, quiet: bool, verbose: bool, **options) -> dict:
    """Run a study and write its results; return their record."""
    from ...common.cache import Cache
    from ..frame import running
    from ..frame.study_context import Context
    from ..output import study_folder
    from ..output.study_record import record_study

    study_folder.take_folder(folder, name)
    place = os.path.join(folder, PARTS)
    threads = threads_of({name: options.pop(name) for name in ("threads",) if name in options})
    start = process_time()
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        try:
            context = Context(**options, parts=Cache(place), threads=threads, stage=stage)
            report = running.run(study, context)
        except KeyboardInterrupt:
            if os.path.isdir(place):
                note(f"note: finished parts are kept in {place}; the same command resumes")
            raise
        how = {"command": command_line(name, **options), "quick": options["quick"], "seed": options["seed"]}
        # Of all threads; nobody knows what parts of an earlier run took.
        how["cpu_seconds"] = None if context.taken_up else process_time() - start
        record = record_study(report, how, stage.seconds)
        study_folder.write_study_folder(folder, report, record, stage)
    return record


def command_line(
    name: str,
    *,
    data: str | None,
    runs: int | None,
    seed: int,
    quick: bool,
    choices: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the command that gives the same results again; the folder of the data may lie elsewhere then."""
    words = ["fastsvm-studies", name, *(["--data", "DIR"] if data else [])]
    words += ["--runs", str(runs)] if runs else []
    for choice, value in choices.items():
        words += [f"--{choice}", value]
    words += ["--seed", str(seed), *(["--quick"] if quick else []), "-o", name]
    return shlex.join(words)
