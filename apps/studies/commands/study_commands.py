"""A command for each study, and `all`: they share everything but their name."""

import os

import click

from ...common.errors import DONE, FAILED, AppError
from ...common.printing import note, print_json
from ..frame.study_list import STUDIES, Study
from .study_options import HELP, command, study_options
from .study_running import run_study


def study_command(name: str, study: Study) -> click.Command:
    """Return the command of a study."""

    def run(output, json, **options):
        from ..output.printed_verdicts import print_verdicts
        from ..output.study_folder import PAGE

        choices = {choice: options.pop(choice) for choice in study.choices}
        record = run_study(name, study, output, choices=choices, **options)
        if json:
            print_json(record)
        else:
            print_verdicts(record, os.path.join(output, PAGE))

    run.__name__ = name
    run.__doc__ = f"{study.title}.\n{HELP}"
    run = study_options(name)(run)
    for choice, (values, words) in study.choices.items():
        option = click.option(f"--{choice}", type=click.Choice(values), default=values[0], help=words)
        run = option(run)
    return command(name, f"{name} --data data --runs 20 -o results", only_in_config=["threads"])(run)


@command("all --quick", "all --data data -o results", only_in_config=["threads"])
@study_options("studies")
def all_studies(output, json, **options):
    """Run all studies, one after the other, and make one page of their verdicts."""
    from ..output import study_folder
    from ..output.printed_verdicts import print_all_verdicts, print_verdicts

    study_folder.take_folder(output, "all")
    records, failed = [], []
    for name, study in STUDIES.items():
        place = os.path.join(output, name)
        try:
            records.append(run_study(name, study, place, **options))
        except AppError as error:
            note(f"{name}: {error.format_message()}")
            failed.append(name)
            continue
        if not json:
            print_verdicts(records[-1], os.path.join(place, study_folder.PAGE))
    study_folder.write_index_files(output, records)
    if json:
        print_json({"studies": records, "failed": failed})
    else:
        print_all_verdicts(records, os.path.join(output, study_folder.INDEX))
    return FAILED if failed else DONE


all_studies.name = "all"
all_studies.help += f"\n{HELP}"
