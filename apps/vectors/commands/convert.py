"""`convert`: files of vectors and models in another format."""

import click

from ...common.errors import USAGE, AppError
from ...common.paths import Writes
from ...common.printing import written
from ...common.sections import Section
from . import _options

ROWS = ("csv", "tsv", "npz", "svmlight", "gzip")
MODELS = ("safetensors", "liblinear")


@_options.command("convert a9a a9a.npz", "convert train.csv - ", "convert a9a.safetensors a9a.model")
@_options.file_argument
@click.argument("target", type=Writes(*ROWS, *MODELS, stdout=True))
def convert(source, stage, target):
    """Write vectors, or a model, in another format.

    The ending of TARGET determines the format.
    Vectors become a table (.csv, .tsv), NumPy's .npz, or else svmlight, whose columns are numbered from 1.
    A model is written in LIBLINEAR's format, unless TARGET ends with .safetensors.
    """
    from .. import vector_models
    from ..matrix_writing import write_matrix

    if source.path != "-" and vector_models.is_model_file(source.path):
        Writes(*MODELS).check(target, "TARGET")
        with stage("convert"):
            found = vector_models.load_vector_model(source.path)
            if found.bias is not None:
                told = "is a LIBLINEAR model, whose C is unknown; predict and certify --cost read it directly"
                raise AppError(f"{source.path}: {told}", USAGE)
            vector_models.save_vector_model(found.model, target, found.about)
        return {"target": target}, [Section(lines=written(target))]
    Writes(*ROWS, stdout=True).check(target, "TARGET")
    with stage("read"):
        rows = source.read()
    with stage("write"):
        write_matrix(target, *rows[:2], [*rows.names, rows.label_name] if rows.names else ())
    record = {"target": target, "rows": rows.X.shape[0], "columns": rows.X.shape[1]}
    return record, [Section(lines=written(target))]
