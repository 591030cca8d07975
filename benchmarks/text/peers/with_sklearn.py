"""A pipeline of scikit-learn.

python -m benchmarks.text.peers.with_sklearn train RECIPE words|split CORPUS MODEL
python -m benchmarks.text.peers.with_sklearn predict MODEL TEXTS
"""

import pickle
import sys

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from .files import labelled, texts

BEST = 5000
# The best of alpha 1e-4, 1e-3, 1e-2, .015, averaged or not; of plain and sublinear frequencies, C .3, 1, 3.
RECIPES = {
    "svm": lambda text: (
        CountVectorizer(**text),
        SelectKBest(k=BEST),
        SGDClassifier(alpha=0.01, random_state=0),
    ),
    "perceptron": lambda text: (CountVectorizer(**text), SelectKBest(k=BEST), Perceptron(random_state=0)),
    "tfidf": lambda text: (TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, **text), LinearSVC(C=3)),
}


def train(recipe, tokens, corpus, model):
    """From a corpus to a model file."""
    labels, found = zip(*labelled(corpus), strict=True)
    text = {"token_pattern": r"\S+"} if tokens == "split" else {}
    pipeline = make_pipeline(*RECIPES[recipe](text)).fit(found, labels)
    with open(model, "wb") as file:
        pickle.dump(pipeline, file, pickle.HIGHEST_PROTOCOL)


def predict(model, path):
    """The label of each text."""
    with open(model, "rb") as file:
        pipeline = pickle.load(file)
    print("\n".join(pipeline.predict(texts(path))))


if __name__ == "__main__":
    {"train": train, "predict": predict}[sys.argv[1]](*sys.argv[2:])
