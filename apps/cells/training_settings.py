"""Choices, defaults and settings of a training.

It imports nothing heavy at once, because `--help` shows the choices.
"""

from dataclasses import dataclass

from ..common.classifiers import CLASSIFIERS, ClassifierRecipe

# The squared length of a row is about the number of features, some hundreds; so the best strength lies here.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
USUAL_ALPHA = 0.1  # where there are too few images to choose
# A gaussian of a row with itself is 1. On the photographs of two laboratories the best was from 1e-5 to 1e-3.
KERNEL_ALPHAS = (1e-5, 1e-4, 1e-3, 1e-2)
USUAL_KERNEL_ALPHA = 1e-4


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a training.

    Attributes
    ----------
    classifier : str
        A key of `common.classifiers.CLASSIFIERS`.
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

    @property
    def method(self) -> ClassifierRecipe:
        """The classifier, and the strengths to choose from."""
        recipe = CLASSIFIERS[self.classifier]
        if recipe.model == "Perceptron":
            return recipe
        usual = (USUAL_KERNEL_ALPHA, KERNEL_ALPHAS) if recipe.is_kernel else (USUAL_ALPHA, ALPHAS)
        return recipe._replace(alpha=usual[0], alphas=usual[1])
