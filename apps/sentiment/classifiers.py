"""The classifiers `train` offers and their defaults; light, because `--help` shows them."""

from __future__ import annotations

from typing import NamedTuple


class Recipe(NamedTuple):
    """An estimator of fastsvm by name, its fixed parameters and the defaults of the others."""

    estimator: str
    parameters: dict[str, object]
    alpha: float | None
    epochs: int


# Strengths, passes and the missing bias of Pegasos are those of the article this app redoes. Ten passes
# leave the last iterate of an online method to chance, so both return an average. SDCA's strengths: hinge,
# the middle of the range from .002 to .008 in which the accuracies on a corpus of 5,000 reviews, mean of ten
# splits, differ by less than .002; log, the winner of cross-validation there.
CLASSIFIERS = {
    "sdca-svm": Recipe("SDCAClassifier", {"loss": "hinge", "fit_intercept": False}, 0.004, 1000),
    "sdca-logistic": Recipe("SDCAClassifier", {"loss": "log", "fit_intercept": False}, 0.002, 1000),
    "pegasos-svm": Recipe(
        "PegasosClassifier", {"loss": "hinge", "fit_intercept": False, "averaging": "tail"}, 0.015, 10
    ),
    "pegasos-logistic": Recipe(
        "PegasosClassifier", {"loss": "log", "fit_intercept": False, "averaging": "tail"}, 0.01, 10
    ),
    "perceptron": Recipe("PerceptronClassifier", {"averaging": True}, None, 10),
}
