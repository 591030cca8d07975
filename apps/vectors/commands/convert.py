"""`convert`: files of vectors and models in another format."""

import click

from ...common.errors import USAGE, AppError
from ...common.files import check_file, check_is_file
from ...common.options import json_option, section
from ...common.printing import print_json, print_line
from . import _options


@_options.command("convert a9a a9a.npz", "convert train.csv - ", "convert a9a.model a9a.safetensors")
@click.argument("source")
@click.argument("target")
@_options.reading_options
@section("Output", json_option)
def convert(source, target, format, zero_based, json, quiet, verbose):
    """Write SOURCE, a file of vectors or a model, to TARGET, whose ending tells the format.

    Vectors become a table (.csv, .tsv), NumPy's .npz, or else svmlight, whose columns are numbered from 1.
    A model becomes fastsvm's (.safetensors), or else LIBLINEAR's.
    """
    from ...common.matrix_reading import read_matrix
    from ..data import vector_models
    from ..data.matrix_writing import write_matrix

    with _options.working(source, quiet, verbose) as stage:
        if source != "-" and vector_models.is_model_file(source):
            check_is_file(target, "a model", "TARGET")
            vector_models.check_vector_model_path(target)
            with stage("convert"):
                found = vector_models.load_vector_model(source)
                if found.loss is None and not target.endswith(vector_models.OURS):
                    raise AppError(f"{source}: is of an objective that we cannot write", USAGE)
                vector_models.save_vector_model(found.model, target, found.zero_based)
            record = {"model": target}
        else:
            if target != "-":
                check_file(target)
            with stage("read"):
                X, y, _ = read_matrix(source, format, zero_based=zero_based)
            with stage("write"):
                write_matrix(target, X, y)
            record = {"rows": X.shape[0], "columns": X.shape[1]}
    if target == "-":
        return
    if json:
        print_json({**record, "target": target})
    else:
        print_line(f"{target}: written")
