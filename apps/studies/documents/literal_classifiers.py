"""The article's classifiers, split and training to the letter."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...common.classifiers import HINGE, LOG, ClassifierRecipe
from ...sentiment.data.corpus import Corpus, read_corpus
from ...sentiment.data.text_labels import TextLabels
from ...sentiment.data.text_source import TextSource, names_corpus
from ...sentiment.learning.learned_model import CountedTexts, LearnedModel
from ...sentiment.settings import Settings, settle
from ...sentiment.text_recipes import PLAIN, RECIPES

# Rows are drawn with replacement, the weights are those after the last step, and there is no bias: the
# article's classes have nothing else.
CLASSIFIERS = {
    "perceptron": ClassifierRecipe("Perceptron", PLAIN, None, 10),
    "pegasos-svm": ClassifierRecipe("Pegasos", {**HINGE, **PLAIN, "order": "random"}, 0.015, 10),
    "pegasos-logistic": ClassifierRecipe("Pegasos", {**LOG, **PLAIN, "order": "random"}, 0.01, 10),
}


@dataclass(frozen=True)
class LiteralSettings(Settings):
    """Settings whose classifiers are the article's own; all labels weigh the same."""

    @property
    def method(self) -> ClassifierRecipe:
        """The classifier."""
        return CLASSIFIERS[self.classifier]


LITERAL = LiteralSettings(**RECIPES["article"])


@names_corpus
def read(source: TextSource, settings: Settings) -> tuple[Corpus, Settings]:
    """Read a corpus; a rare label weighs no more than others, and no threshold is chosen."""
    corpus = read_corpus(source)
    settings = settle(settings, corpus.format, corpus.texts, corpus.labels)
    return corpus, replace(settings, class_weight=None, threshold=None)


def split_texts(texts: Sequence[str], labels: TextLabels, holdout: float, seed: int):
    """Split at random, whatever the labels: texts and labels to train on, texts and labels to test on."""
    from sklearn.model_selection import train_test_split

    parts = train_test_split(range(len(texts)), test_size=holdout, random_state=seed)
    return tuple(([texts[i] for i in rows], labels[rows]) for rows in parts)


def fit(texts: Sequence[str], y: TextLabels, settings: Settings) -> LearnedModel:
    """Train a classifier: its own lambda, no probabilities."""
    return CountedTexts.of(texts, y, settings).fit(settings)
