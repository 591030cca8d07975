"""`convert`: files of vectors and models in another format."""

import click

from ...common.errors import USAGE, AppError
from ...common.files import check_file, check_is_file
from ...common.printing import print_line
from . import _options


@_options.command("convert a9a a9a.npz", "convert train.csv - ", "convert a9a.safetensors a9a.model")
@click.argument("file")
@click.argument("target")
def convert(source, stage, target):
    """Write vectors, or a model, in another format.

    The ending of TARGET tells the format.
    Vectors become a table (.csv, .tsv), NumPy's .npz, or else svmlight, whose columns are numbered from 1.
    A model becomes LIBLINEAR's.
    """
    from ..data import vector_models
    from ..data.matrix_writing import write_matrix

    if source.path != "-" and vector_models.is_model_file(source.path):
        check_is_file(target, "a model", "TARGET")
        vector_models.check_vector_model_path(target)
        with stage("convert"):
            found = vector_models.load_vector_model(source.path)
            if found.bias is not None:
                told = "is LIBLINEAR's, without its C; predict and certify --cost take it as it is"
                raise AppError(f"{source.path}: {told}", USAGE)
            vector_models.save_vector_model(found.model, target, found.about)
        return {"target": target}, lambda: print_line(f"{target}: written")
    if target != "-":
        check_file(target)
    with stage("read"):
        X, y, _ = source.read()
    with stage("write"):
        write_matrix(target, X, y)
    record = {"target": target, "rows": X.shape[0], "columns": X.shape[1]}
    return record, lambda: None if target == "-" else print_line(f"{target}: written")
