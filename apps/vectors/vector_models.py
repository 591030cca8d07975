"""Models of vectors: made from options, cross-validated, and stored in files of fastsvm or LIBLINEAR."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..common.errors import USAGE, AppError
from ..common.files import replace_file
from ..common.liblinear_files import START, WRITTEN, read_liblinear, write_liblinear

OURS = ".safetensors"

# The loss and penalty of each of LIBLINEAR's numbers.
SOLVER_TYPES = {
    **{"0": ("log", "l2"), "1": ("squared_hinge", "l2"), "2": ("squared_hinge", "l2"), "3": ("hinge", "l2")},
    **{"5": ("squared_hinge", "l1"), "6": ("log", "l1"), "7": ("log", "l2")},
}


def make_model(y, cost: float, settings: Any, **parameters: Any):
    """Return the model, not fitted, that minimises 1/2 ||w||^2 + C sum_i c_i phi(y_i (w.x_i + b0)).

    Another penalty of `settings` replaces 1/2 ||w||^2.

    Parameters
    ----------
    y : ndarray
        The labels of the training rows.
    cost : float
        C.
    settings : MachineSettings
        `weight` has pairs of a label, as text, and the c_i of its rows.
    **parameters
        Further parameters of `fastsvm.fitting.SDCA`, or of `KernelSDCA` unless the kernel is linear.
    """
    import numpy as np

    from fastsvm import fitting

    solver_type = settings.solver_type
    loss, penalty = given = settings.loss, settings.penalty
    if solver_type is not None:
        loss, penalty = SOLVER_TYPES[solver_type]
        for name, value, own in zip(("loss", "penalty"), given, (loss, penalty), strict=True):
            if value not in (None, own):
                raise AppError(f"-s {solver_type} contradicts --{name} {value}; give one of them", USAGE)
    by_label, total = {}, float(len(y))
    if settings.weight:
        labels, counts = np.unique(y, return_counts=True)
        known = {str(label): label for label in labels.tolist()}
        for text, value in settings.weight:
            if (name := text.removeprefix("+")) not in known:
                there = ", ".join([*known][:10])
                raise AppError(f"-w {text}: no row has this label; give one of {there}", USAGE)
            if known[name] in by_label:
                raise AppError(f"-w {text}: the label has two weights; give one", USAGE)
            by_label[known[name]] = value
        total = float(counts @ [by_label.get(label, 1.0) for label in labels.tolist()])
    is_linear = settings.kernel == "linear"
    loss = loss or ("squared_hinge" if is_linear else "hinge")
    parameters |= {"loss": loss, "alpha": 1 / (cost * total), "class_weight": by_label or None}
    parameters |= {"tol": settings.tol, "random_state": settings.seed}
    parameters["fit_intercept"] = not settings.no_intercept
    if is_linear:
        return fitting.SDCA(**parameters, penalty=penalty or "l2", l1_ratio=settings.l1_ratio)
    if penalty not in (None, "l2"):
        raise AppError(f"--penalty {penalty} needs a linear machine; leave out --kernel", USAGE)
    given = {"gamma": settings.gamma or "scale", "degree": settings.degree, "coef0": settings.coef0}
    return fitting.KernelSDCA(settings.kernel, **given, **parameters)


def cross_validate(X, y, folds: int, costs: Sequence[float], advance: Callable[[], None], settings: Any):
    """Return the accuracy of each fold for each value of C: an array (n_costs, n_folds)."""
    import numpy as np

    from ..common.folds import stratified_folds

    shares = np.empty((len(costs), folds))
    for fold, (train, test) in enumerate(stratified_folds(y, folds, settings.seed)):
        X_train, X_test, model = X[train], X[test], None
        for place in np.argsort(costs):  # each fit starts from the previous solution
            made = make_model(y[train], costs[place], settings, warm_start=True)
            model = model.set_params(alpha=made.alpha) if model is not None else made
            model.fit(X_train, y[train])
            shares[place, fold] = np.mean(model.predict(X_test) == y[test])
            advance()
    return shares


class VectorModel(NamedTuple):
    """A classifier, whether its columns are numbered from 0, and the bias if LIBLINEAR wrote the file.

    `loss` is None if LIBLINEAR minimised an objective that fastsvm does not have. `about` is what the file
    says about its columns and its training rows (`rows`).
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

    if not is_model_file(path):
        raise AppError(f"{path}: is not a model; MODEL comes first")
    if not _start_of(path).startswith(START):
        try:
            model, about = load_with_about(path)
        except ModelFileError as error:
            raise AppError(str(error)) from error
        if not hasattr(model, "n_features_in_"):
            raise AppError(f"{path}: is not a model of vectors; give a model that fastsvm fit wrote")
        loss = getattr(model, "loss", None)
        return VectorModel(model, about.get("zero_based"), None, loss, about)
    (loss, penalty), labels, coef, intercepts, bias = read_liblinear(path)
    model = SDCA(loss or "hinge", penalty=penalty, fit_intercept=bias >= 0)
    model.classes_, model.coef_, model.intercept_ = labels, coef, intercepts
    model.n_features_in_ = coef.shape[1]
    return VectorModel(model, False, bias, loss, {})


def save_vector_model(model, path: str, about: dict[str, Any], X=None) -> None:
    """Write a model, fitted to X if given, in LIBLINEAR's format unless `path` ends with .safetensors."""
    if path.lower().endswith(OURS):
        from fastsvm.model_files import save_plain

        from ..common.training_items import learned_items, row_hashes

        learned = {} if X is None else {"rows": X.shape[0]} | learned_items(row_hashes(X))
        save_plain(model, path, about | learned)
        return
    labels = model.classes_.tolist()
    objective = getattr(model, "loss", "perceptron"), getattr(model, "penalty", "l2")
    check_liblinear_has(path, labels, hasattr(model, "coef_"), objective)
    content = write_liblinear(objective, [*map(int, labels)], model.coef_, model.intercept_)
    replace_file(path, content)


def check_liblinear_has(path: str, labels: list, linear: bool, objective: tuple) -> None:
    """Refuse a model that LIBLINEAR's format does not support, unless `path` ends with .safetensors."""
    if path.lower().endswith(OURS):
        return
    if not linear:
        raise AppError(f"{path}: LIBLINEAR does not support kernels; give a name that ends with {OURS}")
    if objective not in WRITTEN:
        loss, penalty = objective
        lacks = penalty if (loss, "l2") in WRITTEN else loss
        raise AppError(f"{path}: LIBLINEAR does not support {lacks}; give a name that ends with {OURS}")
    if any(isinstance(label, str) or label != int(label) for label in labels):
        raise AppError(f"{path}: LIBLINEAR's labels are whole numbers; give a name that ends with {OURS}")
