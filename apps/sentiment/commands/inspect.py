"""`inspect`: what is in a corpus, and which of its labels are probably wrong."""

import click

from ...common.options import json_option, section
from ...common.paths import Writes
from ...common.printing import note
from ...common.sections import tell
from ._options import LABELLED, command, number_option, rows_shown, setting_option, source_options


@command("inspect data/reviews.txt", "inspect reviews.csv.gz -n 500 -o suspects.csv")
@click.argument("corpus", type=LABELLED)
@source_options()
@section(
    "Evaluation",
    click.option(
        "--folds",
        type=click.IntRange(min=0),
        default=5,
        help="Number of parts of the corpus. The labels of each part are checked by a model trained on the "
        "other parts; 0 skips this check.",
    ),
    setting_option(
        "holdout",
        help="Share of the texts that `train` holds out. `inspect` lists held-out texts that also occur "
        "among the training texts.",
    ),
    setting_option("seed"),
)
@section(
    "Output",
    click.option(
        "-o", "--output", type=Writes("csv"), help="Write the suspected texts, in full, to a CSV table."
    ),
    number_option("Number of frequent words to show, and of suspected texts of each kind.", least=0),
    json_option,
)
def inspect(source, number, output, folds, json, stage, verbose, **split):
    """Show what is in CORPUS, and which labels look wrong.

    A label is suspect if a model that was trained on other texts contradicts it. `inspect` also lists texts
    that occur several times with different labels, and texts that occur both among the training texts of
    `train` and among its held-out texts. Words are those that `train` counts, in lower case.

    CORPUS is a file or a folder of labelled texts, or - for stdin. A file may be gzipped. -v also prints
    the lengths of the texts, frequent words, characters and more suspected texts.
    """
    from ..jobs.corpus_inspection import CorpusInspection
    from ..output import inspection_output
    from ..settings import recipe_settings

    settings = recipe_settings("auto", **split)
    with stage:
        found = CorpusInspection(source, settings, folds=folds, number=number, stage=stage)
        if output:
            inspection_output.write_suspects(output, found.suspects)
    if found.unchecked:
        note(f"note: labels were not checked: {found.unchecked}")
    if output:
        note(f"{output}: {len(found.suspects):,} texts")
    shown = found.suspects[: 0 if output else rows_shown(len(found.suspects), 5, verbose)]
    sections = inspection_output.inspection_sections(found, source.name, verbose, shown)
    record = inspection_output.inspection_record(found, stage.seconds)
    return tell(json, record, sections, found.description.skipped)
