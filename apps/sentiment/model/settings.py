"""How a model is made: classifiers, settings and presets; light, because `--help` shows the defaults."""

from dataclasses import dataclass
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
HINGE, LOG = ({"loss": loss, "fit_intercept": False} for loss in ("hinge", "log"))
HINGE_ALPHAS = (0.01, 0.003, 0.001, 0.0004, 0.0002, 0.0001, 0.00003)
LOG_ALPHAS = (0.001, 0.0003, 0.0001, 0.00003, 0.00001, 0.000003, 0.000001)
CLASSIFIERS = {
    "sdca-svm": Classifier("SDCA", HINGE, 0.004, 1000, HINGE_ALPHAS),
    "sdca-logistic": Classifier("SDCA", LOG, 0.002, 1000, LOG_ALPHAS),
    "pegasos-svm": Classifier("Pegasos", {**HINGE, "averaging": "tail"}, 0.015, 10),
    "pegasos-logistic": Classifier("Pegasos", {**LOG, "averaging": "tail"}, 0.01, 10),
    "perceptron": Classifier("Perceptron", {"averaging": "all"}, None, 10),
}

METRICS = ("accuracy", "balanced-accuracy", "macro-f1", "average-precision")
PRESET = ("classifier", "weighting", "ngrams", "min_df", "k")  # what a preset decides


@dataclass(frozen=True)
class Settings:
    """What `train`, `tune` and `compare` do with a corpus; by default what is most accurate.

    Attributes
    ----------
    classifier : str
        A key of `CLASSIFIERS`.
    weighting : {"counts", "binary", "tfidf", "nb"}
        What a feature of a text weighs; see `steps.weighting`.
    ngrams : (int, int)
        Fewest and most words in a row that make a feature.
    min_df : int
        In how many training texts a feature has to be.
    k : int or None
        How many features to keep; None keeps all.
    score : {"f_classif", "chi2"}
        What the features are chosen by.
    tokens : {"words", "split"}, optional
        Cut texts into words, or at white space; by default at white space where they are cut already.
    alpha : float or "auto", optional
        Strength of the regularisation; "auto" chooses it within the training texts. By default "auto" for
        SDCA, and that of the classifier for others.
    epochs : int, optional
        Most passes; by default those of the classifier.
    holdout : float
        The share of texts held out, in [0, 1).
    seed : int
        Of the split and of the classifier.
    metric : one of `METRICS`, optional
        What alpha is chosen by; by default accuracy, and balanced accuracy where one label has over 80 %.
    class_weight : "balanced" or pairs of label and weight, optional
        How much more texts of a label weigh; "balanced" makes all labels weigh the same.
    refit : bool
        Save a model of all texts, by the recipe of the one that was tried; else the one that was tried.
    """

    classifier: str = "sdca-svm"
    weighting: str = "nb"
    ngrams: tuple[int, int] = (1, 3)
    min_df: int = 2
    k: int | None = None
    score: str = "f_classif"
    tokens: str | None = None
    alpha: float | str | None = None
    epochs: int | None = None
    holdout: float = 0.2
    seed: int = 0
    metric: str | None = None
    class_weight: str | tuple[tuple[str, float], ...] | None = None
    refit: bool = True


def spelled(value: object) -> str:
    """Return the value of an option as a command line has it."""
    if isinstance(value, tuple):  # a range, such as --ngrams, or a label and its weight
        return ("=" if isinstance(value[0], str) else "-").join(map(str, value))
    return "all" if value is None else str(value)


# accurate: the best mean accuracy on the texts held out of two corpora, of one to three words in a row, four
# weightings, three losses, with and without an intercept and rare terms. It was picked by those texts, so its
# own accuracy on them flatters it a little. article: counts of single words, as the article has it.
PRESETS = {"accurate": Settings(), "article": Settings("pegasos-svm", "counts", (1, 1), 1, 5000)}
