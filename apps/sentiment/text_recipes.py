"""Classifiers, recipes and settings of a training; light, because `--help` shows the defaults."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..common import classifiers
from ..common.classifiers import ClassifierRecipe
from . import checked_values

# Alphas, passes and the missing intercept of Pegasos are those of the article that this app follows. The
# alphas of SDCA are for counts. Hinge: the middle of the range from 0.002 to 0.008 in which the accuracies on
# 5,000 reviews, mean of ten splits, differ by less than 0.002. Log: the winner of cross-validation there. For
# texts of norm 1, the best alpha for hinge was from 0.00003 (six domains) to 0.003 (400 texts), and for log
# one to three decades below. Kernel machines have few candidates, as each is a fit of its own.
HINGE_ALPHAS = (0.01, 0.003, 0.001, 0.0004, 0.0002, 0.0001, 0.00003)
PLAIN = {"fit_intercept": False}  # of linear classifiers
# Of gaussians, where texts have the norm 1. The best accuracy of three alphas, mean of 7 corpora with two
# recipes and two draws of 1,750 texts to train on: 0.869; 0.863 with 0.1, 0.867 with 0.5, 0.864 with 1, and
# 0.865 for the linear SVM.
GAMMA = 0.25
ALPHAS: dict[str, tuple[float | None, tuple[float, ...] | None]] = {
    "sdca-svm": (0.004, HINGE_ALPHAS),
    "sdca-logistic": (0.002, (0.001, 0.0003, 0.0001, 0.00003, 0.00001, 0.000003, 0.000001)),
    "pegasos-svm": (0.015, None),
    "pegasos-logistic": (0.01, None),
    "perceptron": (None, None),
    "kernel-sdca": (0.0003, ()),
    "kernel-pegasos": (0.0003, ()),
}
CLASSIFIERS = {
    name: recipe._replace(
        parameters=recipe.parameters | ({"n_jobs": -1} if recipe.is_kernel else PLAIN),
        alpha=ALPHAS[name][0],
        alphas=ALPHAS[name][1],
    )
    for name, recipe in classifiers.CLASSIFIERS.items()
}

# Of more than two labels, the squared hinge is more accurate one against the rest: by 0.003 on test texts of
# seven corpora of 6 to 20 labels with three recipes (from -0.006 to 0.027), and as quick. Of more than MANY,
# three alphas are enough: 0.906 for 77 labels, in half the time. Alpha times the texts, LIBLINEAR's 1 / C:
# the best of nb-both was from 0.12 to 4 on 38 of 39 corpora of 450 to 13,500 texts.
MANY = 20
SHORT = (2, 0.5, 0.12)

WEIGHTINGS = ("counts", "binary", "tfidf", "nb")
SCORES = ("f_classif", "chi2")
TOKENS = ("words", "split")
METRICS = ("accuracy", "balanced-accuracy", "macro-f1", "average-precision")
RECIPE = ("classifier", "weighting", "ngrams", "chars", "min_df", "k")  # a recipe decides these
FEATURES = ("weighting", "ngrams", "chars")  # the search for a recipe chooses these


@dataclass(frozen=True)
class RecipeSettings:
    """The decisions of a training; the defaults are the most accurate ones.

    Attributes
    ----------
    classifier : str
        A key of `CLASSIFIERS`.
    weighting : {"counts", "binary", "tfidf", "nb"}
        The weight of a feature in a text; see `pipeline_steps.weighting`.
    ngrams : (int, int) or None
        Lengths of the word n-grams; None counts no words.
    chars : (int, int) or None
        Lengths of the character n-grams inside words; None counts no characters.
    min_df : int
        The number of training texts in which a feature must occur.
    k : int or None
        The number of features to keep; None keeps all.
    score : {"f_classif", "chi2"}
        The score that ranks the features.
    tokens : {"words", "split"}, optional
        Cut texts into words, or at white space; by default at white space for the format "corpus" alone.
    keep_markup : bool
        Keep HTML tags and entities; otherwise they are removed.
    markup : bool
        Whether the corpus has tags or entities to remove; known once it was read.
    n_labels : int
        Labels of the corpus; known once it was read.
    alpha : float or "auto", optional
        Strength of the regularisation; "auto" chooses it within the training texts. The default is "auto" for
        SDCA and kernel machines, and the alpha of the classifier otherwise.
    epochs : int, optional
        Largest number of passes; by default that of the classifier.
    holdout : float
        The share of texts held out, in [0, 1).
    seed : int
        The seed of the split and of the classifier.
    metric : one of `METRICS`, optional
        The measure to choose alpha by; by default accuracy, or balanced accuracy if one label has over 80 %
        of the texts.
    class_weight : "balanced" or pairs of label and weight, optional
        Weights of the labels; "balanced" gives all labels the same total weight. The default is "balanced" if
        one of two labels has over 80 %, and `threshold` is chosen then.
    threshold : metric other than average precision, optional
        Shift the scores so that this measure is best when scores of at least 0 give the second label.
    recipe : str, optional
        "auto" chooses the features among `RECIPES` within the training texts. Otherwise the name of the
        recipe that the features are from, if any.
    refit : bool
        Save a model of all texts, trained like the tested one; otherwise the tested model.
    """

    classifier: str = "sdca-svm"
    weighting: str = "nb"
    ngrams: tuple[int, int] | None = (1, 3)
    chars: tuple[int, int] | None = None
    min_df: int = 2
    k: int | None = None
    score: str = "f_classif"
    tokens: str | None = None
    keep_markup: bool = False
    markup: bool = False
    n_labels: int = 2
    alpha: float | str | None = None
    epochs: int | None = None
    holdout: float = 0.2
    seed: int = 0
    metric: str | None = None
    class_weight: str | tuple[tuple[str, float], ...] | None = None
    threshold: str | None = None
    recipe: str | None = None
    refit: bool = True

    @property
    def method(self) -> ClassifierRecipe:
        """The classifier; the SVM of many labels has no candidates for alpha but `short_alphas`."""
        usual = CLASSIFIERS[self.classifier]
        if self.n_labels == 2 or self.classifier != "sdca-svm":
            return usual
        squared = usual.parameters | {"loss": "squared_hinge"}
        return usual._replace(parameters=squared, alphas=usual.alphas if self.n_labels <= MANY else ())

    @property
    def has_norm(self) -> bool:
        """Whether all texts have the norm 1."""
        return self.weighting in ("tfidf", "nb")

    @property
    def has_own_ratios(self) -> bool:
        """Tell whether each label has naive Bayes ratios of its own."""
        return self.weighting == "nb" and 2 < self.n_labels <= MANY and self.method.model == "SDCA"


def short_alphas(n: int) -> tuple[float, ...]:
    """Return a few candidates for alpha of `n` texts scaled to norm 1."""
    return tuple(float(f"{each / n:.2g}") for each in SHORT)


def spelled_setting(value: object, none: str = "all") -> str:
    """Return the value of an option in the words of a command line; `none` stands for None."""
    if isinstance(value, tuple):  # a range, such as --ngrams, or a label and its weight
        return ("=" if isinstance(value[0], str) else "-").join(map(str, value))
    return none if value is None else str(value)


def _features_recipe(
    weighting: str, ngrams: tuple[int, int] | None, chars: tuple[int, int] | None = None
) -> RecipeSettings:
    """Return the settings of a recipe of the default classifier."""
    return RecipeSettings(weighting=weighting, ngrams=ngrams, chars=chars)


# article: counts of single words. Each of the others was the best on several of 39 corpora: one to three
# words for the polarity of long reviews, words and characters elsewhere, characters for texts without blanks
# between words. Words alone with tf-idf, and characters alone of texts with blanks, were not.
ARTICLE = RecipeSettings("pegasos-svm", "counts", (1, 1), None, 1, 5000)
RECIPES = {
    "nb-words": _features_recipe("nb", (1, 3)),
    "nb-both": _features_recipe("nb", (1, 2), (1, 5)),
    "tfidf-both": _features_recipe("tfidf", (1, 2), (1, 5)),
    "nb-signs": _features_recipe("nb", None, (1, 4)),
    "tfidf-signs": _features_recipe("tfidf", None, (1, 4)),
    "article": ARTICLE,
}
AUTO, DEFAULT = "auto", "nb-words"
SEARCHED = ("nb-words", "nb-both", "tfidf-both")  # the last one is for three labels or more
UNSEGMENTED = ("nb-signs", "tfidf-signs")  # tried where no blanks stand between words

# The Unicode Standard, sections 16 (Thai, Lao, Myanmar, Khmer) and 18 (Han, Hiragana, Katakana).
UNSEGMENTED_SCRIPTS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
LETTERS = re.compile("[a-zA-Z\x80-\U0010ffff]")
MOSTLY = 0.5  # of the letters
LOOKED_AT = 100_000  # characters at most, the first of each text
SKEWED = 0.8  # the share of the most frequent label from which accuracy says little about the others


# Each returns the value of a setting, or raises ValueError with what is wrong and what to give.
CHECKS = {
    "classifier": checked_values.one_of(*CLASSIFIERS),
    "weighting": checked_values.one_of(*WEIGHTINGS),
    "ngrams": checked_values.length_range,
    "chars": checked_values.length_range,
    "min_df": checked_values.positive_count,
    "k": checked_values.count_or_all,
    "score": checked_values.one_of(*SCORES),
    "tokens": checked_values.one_of(*TOKENS),
    "keep_markup": bool,
    "alpha": checked_values.strength_or_auto,
    "epochs": checked_values.positive_count,
    "holdout": checked_values.share_below_one,
    "seed": checked_values.seed,
    "metric": checked_values.one_of(*METRICS),
    "class_weight": checked_values.label_weights,
    "refit": bool,
}


def is_unsegmented(texts: Sequence[str]) -> bool:
    """Tell whether most letters of texts are of scripts without blanks between words, or none has a word."""
    each = max(1, LOOKED_AT // max(len(texts), 1))
    joined = "".join(text[:each] for text in texts[:LOOKED_AT])
    if joined and not re.search(r"\w", joined):  # emoji, say
        return True
    return len(UNSEGMENTED_SCRIPTS.findall(joined)) > MOSTLY * len(LETTERS.findall(joined))


def is_skewed(y: Sequence | Counter) -> bool:
    """Tell whether most texts have one label; of their labels, or how many have each."""
    counts = Counter(y)
    return max(counts.values()) > SKEWED * counts.total()


def usual_metric(y: Sequence | Counter) -> str:
    """Return what to judge by where nobody says: accuracy, unless most texts have one label."""
    return METRICS[int(is_skewed(y))]


def recipe_settings(name: str, given: Mapping[str, Any]) -> RecipeSettings:
    """Return the settings of a recipe, with other values for some of them.

    If the recipe is "auto" and features are given, the default recipe provides the other features.
    """
    if name == AUTO and not given.keys() & set(FEATURES):
        return replace(RECIPES[DEFAULT], **given, recipe=AUTO)
    features = {field: given[field] for field in FEATURES if field in given}
    return replace(RECIPES[DEFAULT if name == AUTO else name], **given, recipe=None if features else name)


def with_recipe_features(settings: RecipeSettings, name: str) -> RecipeSettings:
    """Return settings with the features of a recipe."""
    recipe = RECIPES[name]
    return replace(
        settings, recipe=name, weighting=recipe.weighting, ngrams=recipe.ngrams, chars=recipe.chars
    )
