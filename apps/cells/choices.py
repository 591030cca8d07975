"""What the commands let a user choose from, and the defaults; light, because `--help` shows them."""

from __future__ import annotations

from typing import NamedTuple

FEATURES = ("cells", "shells", "pixels")
METHODS = ("cells", "center", "report")


class Recipe(NamedTuple):
    """An estimator of fastsvm by name, its fixed parameters and how many passes it makes at most."""

    estimator: str
    parameters: dict[str, object]
    epochs: int


CLASSIFIERS = {
    "sdca-logistic": Recipe("SDCAClassifier", {"loss": "log"}, 1000),
    "sdca-svm": Recipe("SDCAClassifier", {"loss": "hinge"}, 1000),
    "pegasos-svm": Recipe("PegasosClassifier", {"loss": "hinge", "averaging": "tail"}, 20),
}

# Rows have a squared length of about the number of features (cells, shells: hundreds; pixels: a thousand or
# two; the components of a PCA: tens), so the best strength lies between these.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
USUAL_ALPHA = 0.1  # where there are too few images to choose
