"""The article's classifiers to the letter, against scikit-learn's pipeline."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from fastsvm import PegasosClassifier, PerceptronClassifier
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.studies.documents import literal_classifiers
from fastsvm_apps.studies.documents.sentiment_texts import ARTICLE

K = 30
PEGASOS = {"fit_intercept": False, "order": "random", "averaging": "last", "max_iter": 10}
THEIRS = {
    "perceptron": PerceptronClassifier(fit_intercept=False, averaging="last", max_iter=10),
    "pegasos-svm": PegasosClassifier(loss="hinge", alpha=0.015, **PEGASOS),
    "pegasos-logistic": PegasosClassifier(loss="log", alpha=0.01, **PEGASOS),
}


@pytest.fixture
def corpus(tmp_path):
    """Texts of which nine in ten have one label, and those first."""
    random = np.random.default_rng(0)
    lines = []
    for i in range(240):
        label = "pos" if i >= 216 else "neg"
        words = " ".join(f"w{k}" for k in random.integers(60, size=7))
        told = ("bad", "good")[(label == "pos") ^ (random.random() < 0.1)]
        lines.append(f"toys {label} {i}.txt {told} {words}\n")
    (tmp_path / "sentiment.txt").write_text("".join(lines))
    return TextSource(str(tmp_path / "sentiment.txt"))


@pytest.mark.parametrize("name", ARTICLE)
def test_it_is_the_articles_pipeline(corpus, name):
    found, settings = literal_classifiers.read(
        corpus, replace(literal_classifiers.LITERAL, classifier=name, k=K, seed=3)
    )
    assert (settings.class_weight, settings.threshold) == (None, None)
    (train, y), (test, y_test) = literal_classifiers.split_texts(found.texts, found.labels, 0.2, 3)
    wanted = train_test_split(found.texts, found.labels.spelled, random_state=3, test_size=0.2)
    assert [train, test, y.spelled, y_test.spelled] == wanted
    theirs = make_pipeline(
        CountVectorizer(token_pattern=r"\S+", dtype=np.float32),
        SelectKBest(k=K),
        THEIRS[name].set_params(random_state=3),
    ).fit(train, y.spelled)
    ours = literal_classifiers.fit(train, y, settings).model
    np.testing.assert_allclose(ours.decision_function(test), theirs.decision_function(test), rtol=1e-5)
    assert ours["classifier"].intercept_ == 0
    assert not hasattr(ours["classifier"], "calibration_")
