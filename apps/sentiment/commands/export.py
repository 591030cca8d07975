"""`export`: write a smaller model, or a model for other programs."""

import click

from ...common.errors import USAGE, AppError
from ...common.options import COUNT, FiniteRange, json_option, section
from ...common.paths import Reads, Writes
from ...common.printing import note
from ...common.sections import Section, tell
from ._options import command


@command(
    "export english --to pruned --keep 999 -o small.safetensors",
    "export reviews.safetensors --to liblinear -o reviews.model",
)
@click.argument("model", type=Reads())
@section(
    "Output",
    click.option(
        "-o", "--output", type=Writes("model"), metavar="FILE", required=True, help="File to write."
    ),
    click.option(
        "--to",
        type=click.Choice(["pruned", "liblinear"]),
        required=True,
        help="Write a model with fewer terms, or a model file for LIBLINEAR.",
    ),
    click.option(
        "--keep", type=COUNT, metavar="N", help="Keep the N terms with the largest effective weights."
    ),
    click.option(
        "--min-weight",
        type=FiniteRange(min=0),
        metavar="W",
        help="Keep the terms with an effective weight of at least W.",
    ),
    json_option,
)
def export(model, output, to, json, stage, verbose, **cut):
    """Write MODEL in another format.

    The effective weight of a term is its largest absolute weight for any label, multiplied by the factor of
    the weighting, such as the inverse document frequency. --keep and --min-weight apply to every format.

    With --to liblinear, `export` also writes FILE.vocabulary.tsv, with the term of each feature number and a
    description of the feature values. MODEL may be `english`, the included model of reviews.
    """
    if to == "pruned" and not any(limit is not None for limit in cut.values()):
        raise AppError("--to pruned needs --keep N or --min-weight W", USAGE)
    from ..jobs import model_export
    from ..measures import prediction

    with stage:
        with stage("load"):
            about, model = prediction.about_model(model), prediction.load_text_model(model)
        with stage("export"):
            record, notes = model_export.export_model(model, output, to, about, **cut)
    for told in notes:
        note(f"note: {told}")
    lines = [f"{record['n_terms']:,} of {record['n_terms_before']:,} terms"]
    lines += [f"{file}: {size:,} bytes" for file, size in record["bytes"].items()]
    return tell(json, record, [Section(lines=lines)])
