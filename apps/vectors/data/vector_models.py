"""Model files of classifiers of vectors: fastsvm's, and LIBLINEAR's."""

from typing import Any, NamedTuple

from ...common.errors import AppError
from ...common.files import replace_file
from ...common.liblinear_files import START, WRITTEN, read_liblinear, write_liblinear

OURS = ".safetensors"


class VectorModel(NamedTuple):
    """A classifier, whether its columns were numbered from 0, and LIBLINEAR's bias, if it wrote the file.

    `loss` is None where LIBLINEAR minimised another objective than ours; `about` is what the file says of the
    `rows` that it was fitted to, and of its columns.
    """

    model: Any
    zero_based: bool | None
    bias: float | None
    loss: str | None
    about: dict[str, Any]


def is_model_file(path: str) -> bool:
    """Tell whether a file begins as a model does."""
    start = _start_of(path)
    return start.startswith(START) or start[8:9] == "{"


def _start_of(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(16).decode("latin-1")


def load_vector_model(path: str) -> VectorModel:
    """Load a model of either format."""
    from fastsvm.fitting import SDCA
    from fastsvm.model_files import ModelFileError, load_with_about

    if not _start_of(path).startswith(START):
        try:
            model, about = load_with_about(path)
        except ModelFileError as error:
            raise AppError(str(error)) from error
        if not hasattr(model, "n_features_in_"):
            raise AppError(f"{path}: is no classifier of vectors; give a model that fastsvm fit wrote")
        loss = getattr(model, "loss", None)
        return VectorModel(model, about.get("zero_based"), None, loss, about)
    loss, labels, coef, intercepts, bias = read_liblinear(path)
    model = SDCA(loss or "hinge", fit_intercept=bias >= 0)
    model.classes_, model.coef_, model.intercept_ = labels, coef, intercepts
    model.n_features_in_ = coef.shape[1]
    return VectorModel(model, False, bias, loss, {})


def save_vector_model(model, path: str, about: dict[str, Any], X=None) -> None:
    """Write a model, perhaps just fitted to X: LIBLINEAR's format, unless the name ends with .safetensors."""
    if path.lower().endswith(OURS):
        from fastsvm.model_files import save_plain

        from ...common.training_items import learned_items, row_hashes

        learned = {} if X is None else {"rows": X.shape[0]} | learned_items(row_hashes(X))
        save_plain(model, path, about | learned)
        return
    labels = model.classes_.tolist()
    loss = getattr(model, "loss", "perceptron")
    check_liblinear_has(path, labels, hasattr(model, "coef_"), loss)
    content = write_liblinear(loss, [*map(int, labels)], model.coef_, model.intercept_)
    replace_file(path, content)


def check_liblinear_has(path: str, labels: list, linear: bool, loss: str) -> None:
    """Refuse what only a file of fastsvm has, unless it is to be one."""
    if path.lower().endswith(OURS):
        return
    if not linear:
        raise AppError(f"{path}: LIBLINEAR has no kernels; give a name that ends with {OURS}")
    if loss not in WRITTEN:
        raise AppError(f"{path}: LIBLINEAR has no {loss}; give a name that ends with {OURS}")
    if any(isinstance(label, str) or label != int(label) for label in labels):
        raise AppError(f"{path}: LIBLINEAR's labels are whole numbers; give a name that ends with {OURS}")
