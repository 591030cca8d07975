"""Classifiers and recipes, and the defaults for texts and labels; `--help` imports this quickly."""

import re
from collections import Counter
from collections.abc import Sequence

from ..common import classifiers

# Alphas, passes and the missing intercept of Pegasos are as in the paper of the study sentiment. The
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

# With more than two labels, one against the rest, the squared hinge is more accurate: by 0.003 on test texts
# of seven corpora of 6 to 20 labels with three recipes (from -0.006 to 0.027), and as fast. With more labels,
# three alphas are enough: 0.906 for 77 labels, in half the time. The best product of alpha and the number of
# texts, LIBLINEAR's 1 / C, was from 0.12 to 4 for nb-both on 38 of 39 corpora of 450 to 13,500 texts.
FINE_LABELS = 20  # labels whose alphas are searched finely
# Ratios per label are more accurate by 0.011 with 24 to 35 labels (16 draws of 2,000 or 5,000 texts, sets of
# three corpora; from 0.001 to 0.029), by 0.004 with 45 to 50 (7 draws; from -0.009), in 1.2 times the time.
OWN_RATIOS = 40  # labels that have ratios of their own
ALPHAS_TIMES_TEXTS = (2, 0.5, 0.12)
ALPHAS_OF_SEVERAL = (8, 2, 0.5)  # where a text may have several labels, most of them rare

WEIGHTINGS = {  # and what each multiplies a term by
    "counts": "how often the text has them (counts)",
    "binary": "whether the text has them (presence)",
    "tfidf": "tf-idf: how often the text has them, the more the rarer they are",
    "nb": "naive Bayes log-count ratios (nb): how much more often texts of a label have them",
}
METRICS = ("accuracy", "balanced-accuracy", "macro-f1", "average-precision", "micro-f1")
FEATURES = ("weighting", "ngrams", "chars")  # the search for a recipe chooses these


def short_alphas(n: int, several: bool = False) -> tuple[float, ...]:
    """Return a few candidates for alpha for `n` texts of norm 1, with one label each or `several`."""
    products = ALPHAS_OF_SEVERAL if several else ALPHAS_TIMES_TEXTS
    return tuple(float(f"{product / n:.2g}") for product in products)


def recipe(
    weighting: str, ngrams: tuple[int, int] | None, chars: tuple[int, int] | None = None, **others: object
) -> dict[str, object]:
    """Return the settings that a recipe decides."""
    return {"weighting": weighting, "ngrams": ngrams, "chars": chars, **others}


# article: counts of single words. Each of the others was the best on several of 39 corpora: one to three
# words for the polarity of long reviews, words and characters elsewhere, characters for texts without blanks
# between words. Words alone with tf-idf, and characters alone of texts with blanks, were not.
RECIPES = {
    "nb-words": recipe("nb", (1, 3)),
    "nb-both": recipe("nb", (1, 2), (1, 5)),
    "tfidf-words": recipe("tfidf", (1, 2)),
    "tfidf-stems": recipe("tfidf", (1, 2), (4, 4)),
    "tfidf-both": recipe("tfidf", (1, 2), (1, 5)),
    "nb-signs": recipe("nb", None, (1, 4)),
    "tfidf-signs": recipe("tfidf", None, (1, 4)),
    "article": recipe("counts", (1, 1), classifier="pegasos-svm", min_df=1, k=5000),
}
AUTO, DEFAULT_RECIPE = "auto", "nb-words"
UNSEGMENTED = ("nb-signs", "tfidf-signs")  # tried where no blanks stand between words

# The Unicode Standard, sections 16 (Thai, Lao, Myanmar, Khmer) and 18 (Han, Hiragana, Katakana).
UNSEGMENTED_SCRIPTS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
LETTERS = re.compile("[a-zA-Z\x80-\U0010ffff]")
UNSEGMENTED_SHARE = 0.5  # of the letters
CHARACTERS_SAMPLED = 100_000  # characters at most, the first of each text
SKEWED_SHARE = 0.8  # the share of the most frequent label from which accuracy says little about the others


def is_unsegmented(texts: Sequence[str]) -> bool:
    """Tell whether most letters belong to scripts without blanks between words, or no text has a word."""
    n_characters = max(1, CHARACTERS_SAMPLED // max(len(texts), 1))  # of each text
    joined = "".join(text[:n_characters] for text in texts[:CHARACTERS_SAMPLED])
    if joined and not re.search(r"\w", joined):  # emoji, say
        return True
    return len(UNSEGMENTED_SCRIPTS.findall(joined)) > UNSEGMENTED_SHARE * len(LETTERS.findall(joined))


def is_skewed(y: Sequence | Counter) -> bool:
    """Tell whether most texts have the same label, given the labels of all texts or their counts."""
    counts = Counter(y)
    return max(counts.values()) > SKEWED_SHARE * counts.total()


def usual_metric(y: Sequence | Counter, exclusive: bool = True) -> str:
    """Return the default metric: accuracy, unless most texts have the same label, or texts have several."""
    return METRICS[int(is_skewed(y))] if exclusive else "micro-f1"


def usual_tokens(format: str) -> str:
    """Return how texts of a format are cut: at white space if they are already cut into words."""
    return "split" if format == "corpus" else "words"
