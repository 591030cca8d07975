"""The table of the classifiers of both apps. It imports little, because `--help` shows it."""

from typing import Any, NamedTuple

from .errors import USAGE, AppError


class ClassifierRecipe(NamedTuple):
    """The name of a class of fastsvm.fitting, its fixed parameters, and the defaults of the others.

    `alphas` are the candidates for alpha with the features of the app; None if alpha is not chosen.
    """

    model: str
    parameters: dict[str, object]
    alpha: float | None
    epochs: int
    alphas: tuple[float, ...] | None = None

    @property
    def is_kernel(self) -> bool:
        """Whether it compares rows with each other, and has no weight for each column."""
        return self.model.startswith("Kernel")


# After ten passes the last iterate of an online method depends on chance, so Pegasos and the perceptron
# return an average.
HINGE, LOG, TAIL = {"loss": "hinge"}, {"loss": "log"}, {"averaging": "tail"}
CLASSIFIERS = {
    "sdca-svm": ClassifierRecipe("SDCA", HINGE, None, 1000),
    "sdca-logistic": ClassifierRecipe("SDCA", LOG, None, 1000),
    "pegasos-svm": ClassifierRecipe("Pegasos", {**HINGE, **TAIL}, None, 10),
    "pegasos-logistic": ClassifierRecipe("Pegasos", {**LOG, **TAIL}, None, 10),
    "perceptron": ClassifierRecipe("Perceptron", {"averaging": "all"}, None, 10),
    "kernel-sdca": ClassifierRecipe("KernelSDCA", {}, None, -1),
    "kernel-pegasos": ClassifierRecipe("KernelPegasos", {}, None, 10),
}
CLASSIFIER_HELP = (
    "Learning algorithm. Use sdca-svm or sdca-logistic, which reach the optimum and prove it. For "
    "comparisons, pegasos-svm, pegasos-logistic and perceptron stop after ten passes. kernel-sdca and "
    "kernel-pegasos separate labels by curved boundaries. They compare every row with every other, so try "
    "them on at most a few thousand rows."
)


def make_classifier(name: str, recipe: ClassifierRecipe, n_rows: int | None, **parameters: Any):
    """Return the classifier of a recipe, with those of the parameters that it has.

    Parameters
    ----------
    name : str
        A key of `CLASSIFIERS`, for messages.
    recipe : ClassifierRecipe
    n_rows : int, optional
        Number of training rows; if it is unknown, kernel Pegasos takes ten steps per row.
    **parameters
        Parameters of any classifier. If `alpha` or `max_iter` is None, the value of the recipe is used.
    """
    from fastsvm import fitting

    kind = getattr(fitting, recipe.model)
    known = kind().get_params()
    alpha, epochs = (parameters.pop(each, None) for each in ("alpha", "max_iter"))
    if alpha is not None and "alpha" not in known:
        raise AppError(f"--alpha has no effect on the {name}; leave it out", USAGE)
    epochs = epochs or recipe.epochs
    given = {"alpha": recipe.alpha if alpha is None else alpha, "max_iter": epochs}
    given |= {"n_iter": n_rows and epochs * n_rows} | recipe.parameters | parameters
    return kind(**{key: value for key, value in given.items() if key in known})
