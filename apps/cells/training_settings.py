"""Choices, defaults and settings of a training.

It imports nothing heavy at once, because `--help` shows the choices.
"""

from dataclasses import dataclass

CLASSIFIERS = {"sdca-logistic": "log", "sdca-svm": "hinge"}  # and their losses
MAX_EPOCHS = 1000  # a fit stops earlier, once its duality gap is small

# The squared length of a row is about the number of features, some hundreds; so the best strength lies here.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
USUAL_ALPHA = 0.1  # where there are too few images to choose


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a training.

    Attributes
    ----------
    classifier : str
        A key of `CLASSIFIERS`.
    cell_width : float, optional
        How many pixels of the images a cell is wide, as for `read_scaled`.
    versions : int
        Of each original, that are made by chance to learn from, too.
    folds : int
        Of the cross-validation, at most.
    alpha : float, optional
        Strength of the regularisation; chosen by cross-validation if None.
    seed : int
        Of every random choice.
    """

    classifier: str = "sdca-logistic"
    cell_width: float | None = None
    versions: int = 16
    folds: int = 10
    alpha: float | None = None
    seed: int = 0
