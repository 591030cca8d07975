"""The classifiers `train` offers and their defaults; light, because `--help` shows them."""

from __future__ import annotations

from typing import NamedTuple


class Recipe(NamedTuple):
    """An estimator of fastsvm by name, its fixed parameters and the defaults of the others."""

    estimator: str
    parameters: dict[str, object]
    alpha: float | None
    epochs: int


# The Pegasos strengths and the missing bias are those of the article this app redoes; the perceptron has
# no strength to choose, and its bias.
CLASSIFIERS = {
    "sdca-svm": Recipe("SDCAClassifier", {"loss": "hinge", "fit_intercept": False}, 0.015, 1000),
    "sdca-logistic": Recipe("SDCAClassifier", {"loss": "log", "fit_intercept": False}, 0.01, 1000),
    "pegasos-svm": Recipe("PegasosClassifier", {"loss": "hinge", "fit_intercept": False}, 0.015, 10),
    "pegasos-logistic": Recipe("PegasosClassifier", {"loss": "log", "fit_intercept": False}, 0.01, 10),
    "perceptron": Recipe("PerceptronClassifier", {}, None, 10),
}
