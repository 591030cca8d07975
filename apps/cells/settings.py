"""What a user can choose from, the defaults, and the settings of a training.

It imports nothing heavy at once, because `--help` shows the choices.
"""

from dataclasses import dataclass
from typing import NamedTuple

FEATURES = ("cells", "shells", "pixels")
METHODS = ("cells", "center", "report")
EXPORTS = ("coco", "geojson", "voc", "masks")


class Classifier(NamedTuple):
    """A class of fastsvm.fitting by name, its fixed parameters and how many passes it makes at most."""

    estimator: str
    parameters: dict[str, object]
    epochs: int


CLASSIFIERS = {
    "sdca-logistic": Classifier("SDCA", {"loss": "log"}, 1000),
    "sdca-svm": Classifier("SDCA", {"loss": "hinge"}, 1000),
    "pegasos-svm": Classifier("Pegasos", {"loss": "hinge", "averaging": "tail"}, 20),
}

# Rows have a squared length of about the number of features (cells, shells: hundreds; pixels: a thousand or
# two; the components of a PCA: tens), so the best strength lies between these.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
USUAL_ALPHA = 0.1  # where there are too few images to choose


@dataclass(frozen=True)
class Settings:
    """How a model is made.

    Attributes
    ----------
    classifier : str
        A key of `CLASSIFIERS`.
    features : {"cells", "shells", "pixels"}
        What of a cell is measured.
    cell_width : float, optional
        How many pixels of the images a cell is wide, as for `read_scaled`.
    versions : int
        Of each original, that are made by chance to learn from, too.
    folds : int
        Of the cross-validation, at most.
    alpha, epochs : float and int, optional
        Strength of the regularisation, chosen by cross-validation if None, and most passes.
    intercept : bool
        Whether the decision has one.
    pca : int, optional
        How many whitened principal components replace the features.
    seed : int
        Of every random choice.
    """

    classifier: str = "sdca-logistic"
    features: str = "cells"
    cell_width: float | None = None
    versions: int = 10
    folds: int = 10
    alpha: float | None = None
    epochs: int | None = None
    intercept: bool = True
    pca: int | None = None
    seed: int = 0
