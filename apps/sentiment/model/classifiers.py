"""The classifiers that `train` offers, and their defaults; light, because `--help` shows them."""

from typing import NamedTuple


class Classifier(NamedTuple):
    """A class of fastsvm.fitting by name, its fixed parameters and the defaults of the others.

    `alphas` are those to choose from where a text's weights have the norm 1, and None where none are tried.
    """

    model: str
    parameters: dict[str, object]
    alpha: float | None
    epochs: int
    alphas: tuple[float, ...] | None = None


# Strengths, passes and the missing bias of Pegasos are those of the article this app redoes. Ten passes
# leave the last iterate of an online method to chance, so both return an average. SDCA's strengths: hinge,
# the middle of the range from .002 to .008 in which the accuracies on a corpus of 5,000 reviews, mean of ten
# splits, differ by less than .002; log, the winner of cross-validation there. They are for counts. Of texts
# of norm 1, the best hinge alpha was from .00003 (six domains) to .003 (400 texts), and for log one to three
# decades below.
CLASSIFIERS = {
    "sdca-svm": Classifier(
        "SDCA",
        {"loss": "hinge", "fit_intercept": False},
        0.004,
        1000,
        (0.01, 0.003, 0.001, 0.0004, 0.0002, 0.0001, 0.00003),
    ),
    "sdca-logistic": Classifier(
        "SDCA",
        {"loss": "log", "fit_intercept": False},
        0.002,
        1000,
        (0.001, 0.0003, 0.0001, 0.00003, 0.00001, 0.000003, 0.000001),
    ),
    "pegasos-svm": Classifier(
        "Pegasos", {"loss": "hinge", "fit_intercept": False, "averaging": "tail"}, 0.015, 10
    ),
    "pegasos-logistic": Classifier(
        "Pegasos", {"loss": "log", "fit_intercept": False, "averaging": "tail"}, 0.01, 10
    ),
    "perceptron": Classifier("Perceptron", {"averaging": "all"}, None, 10),
}
