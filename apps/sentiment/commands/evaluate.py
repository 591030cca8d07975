"""`evaluate`: test a model on labelled texts."""

from dataclasses import replace
from textwrap import shorten

import click

from ...common.errors import USAGE, AppError
from ...common.options import FiniteRange, Value, json_option, section
from ...common.paths import Writes
from ...common.printing import note, warn
from ...common.sections import tell
from .. import checked_values
from ._options import LABELLED, command, remembering_source, source_options

SHARE = FiniteRange(0, 1, min_open=True)


@command(
    "evaluate reviews.safetensors new.csv",
    "evaluate spam.safetensors new.tsv --precision 0.99",
    "evaluate new.safetensors old.safetensors more.csv",
)
@click.argument("arguments", metavar="MODEL [SECOND] CORPUS", nargs=-1, required=True, type=LABELLED)
@source_options()
@section(
    "Evaluation",
    click.option("--precision", type=SHARE, metavar="P", help="Recommend a threshold with this precision."),
    click.option("--recall", type=SHARE, metavar="R", help="Recommend a threshold with this recall."),
    click.option(
        "--cost",
        type=Value("costs", checked_values.costs),
        metavar="FP:FN",
        help="Recommend the threshold with the lowest cost. FP is the cost of a label given wrongly, FN the "
        "cost of a label missed; for example 1:5.",
    ),
    click.option("--groups", metavar="COLUMN", help="Print the accuracy for each value of COLUMN."),
)
@section(
    "Output",
    click.option("--report", type=Writes("html"), help="Write a page about the model and its mistakes."),
    click.option(
        "--mistakes", type=Writes("csv"), help="Write the texts with a wrong label, the largest margin first."
    ),
    json_option,
)
def evaluate(arguments, source, report, mistakes, json, stage, verbose, **options):
    """Test MODEL on the labelled texts of CORPUS.

    A SECOND model is compared with MODEL. CORPUS is a file or a folder of labelled texts, or - for stdin. A
    file may be gzipped. MODEL may be `english`, the model of reviews that comes with fastsvm. A model
    remembers the names of its training table's columns.

    With two labels, a threshold applies to the probability of the second label, or to its score if the model
    has no probabilities. With more labels, it applies to the highest probability. Expect a threshold that
    was chosen on these texts to do slightly worse on others.
    """
    if not 2 <= len(arguments) <= 3:
        raise AppError("give MODEL and CORPUS, or two models and CORPUS", USAGE)
    *paths, corpus = arguments
    groups = options.pop("groups")
    goals = [(name, value) for name, value in options.items() if value is not None]
    if len(goals) > 1:
        raise AppError("give one of --precision, --recall and --cost", USAGE)
    from ..jobs.corpus_evaluation import CorpusEvaluation
    from ..measures.prediction import about_model, load_scorer
    from ..output import evaluation_output

    with stage:
        with stage("load"):
            models = [(path, load_scorer(path), about_model(path)) for path in paths]
        source = remembering_source(replace(source, path=corpus), models[0][2])
        result = CorpusEvaluation(models, source, groups=groups, goal=next(iter(goals), None), stage=stage)
        if mistakes:
            evaluation_output.write_mistakes(mistakes, result)
        if report:
            with stage("report"):
                evaluation_output.write_evaluation_report(report, result, source.name)
    warn(*result.warnings)
    if unknown := result.evaluation.unknown_labels:
        names = shorten(", ".join(unknown), 200, placeholder=" ...")
        note(f"note: labels unknown to the model: {names}; their texts count as mistakes")
    record = evaluation_output.evaluation_record(result, stage.seconds)
    return tell(json, record, evaluation_output.evaluation_sections(result, verbose), result.skipped)
