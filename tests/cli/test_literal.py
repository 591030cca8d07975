"""The article's settings to the letter: `train --recipe article-literal`."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import fastsvm
from fastsvm import PegasosClassifier, PerceptronClassifier
from fastsvm_apps.studies.model.sentiment.comparison import ARTICLE

K = 30
PEGASOS = {"fit_intercept": False, "order": "random", "averaging": "last", "max_iter": 10}
THEIRS = {
    "perceptron": PerceptronClassifier(fit_intercept=False, averaging="last", max_iter=10),
    "pegasos-svm": PegasosClassifier(loss="hinge", alpha=0.015, **PEGASOS),
    "pegasos-logistic": PegasosClassifier(loss="log", alpha=0.01, **PEGASOS),
}


@pytest.fixture
def corpus(write, texts):
    """Texts of which three in four have one label, and those first: nothing is evened out."""
    pairs = texts(240)
    return write(sorted(pair for i, pair in enumerate(pairs) if pair[0] == "neg" or i % 3 == 0))


def split_of(corpus, seed):
    lines = [line.split(" ", 3) for line in Path(corpus).read_text().splitlines()]
    return train_test_split(
        [line[3] for line in lines], [line[1] for line in lines], random_state=seed, test_size=0.2
    )


@pytest.mark.parametrize("name", ARTICLE)
def test_it_is_the_articles_pipeline(run, corpus, name):
    options = ("--recipe", "article-literal", "--classifier", name, "--k", K, "--seed", 3, "--no-refit")
    result = run("train", corpus, "-o", "model.safetensors", *options, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    record = json.loads(result.stdout)
    train, test, y, y_test = split_of(corpus, 3)
    model = make_pipeline(
        CountVectorizer(token_pattern=r"\S+", dtype=np.float32),
        SelectKBest(k=K),
        THEIRS[name].set_params(random_state=3),
    ).fit(train, y)
    assert record["accuracy"] == model.score(test, y_test)
    assert (record["class_weight"], record["threshold"]) == (None, None)
    ours = fastsvm.load_model("model.safetensors")
    np.testing.assert_allclose(ours.decision_function(test), model.decision_function(test), rtol=1e-5)
    assert ours["classifier"].intercept_ == 0


def test_what_the_article_has_not(run, corpus):
    result = run("train", corpus, "--recipe", "article-literal", "--classifier", "sdca-svm")
    assert (result.exit_code, result.stdout) == (2, "")
    has = "it has pegasos-svm, pegasos-logistic, perceptron"
    assert result.stderr == f"error: --recipe article-literal has no sdca-svm; {has}\n"
    out = run("train", corpus, "--recipe", "article-literal").stdout
    assert "no probabilities: the article has none\n" in out
