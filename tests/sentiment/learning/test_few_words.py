"""Models of few words: an l1 penalty in training, its table, and what it is not for."""

import json

import numpy as np
import pytest

import fastsvm
from fastsvm_apps import sentiment
from refusal import assert_refused


@pytest.mark.parametrize("labels", [("neg", "pos"), ("neg", "pos", "mixed")])
@pytest.mark.parametrize(
    "options",
    [(), ("--recipe", "tfidf-words", "--k", 60, "--alpha", 0.02), ("--classifier", "sdca-logistic")],
)
def test_the_model_has_the_words_with_a_weight_alone(run, trained, write, texts, labels, options):
    corpus = write(texts(400, labels), "tsv")
    record = trained(corpus, "--penalty", "l1", *options)
    classifier = fastsvm.load_model(record["model"])["classifier"]
    assert classifier.coef_.any(axis=0).all()
    assert record["n_features"] == classifier.n_features_in_ < record["n_features_seen"]
    assert np.max(record["relative_gap"]) <= 1e-3
    assert record["penalty"] == "l1"
    answers = json.loads(run("evaluate", record["model"], corpus, "--json").stdout)
    assert answers["accuracy"] > record["accuracy"] - 0.1
    points = record["scores_by_words"]
    words = [point["words"] for point in points]
    assert words == sorted(set(words))
    assert points[-1]["accuracy"] > record["accuracy"] - 0.1
    assert all(point["alpha"] > 0 for point in points)


def test_a_line_of_the_table_is_a_model_trained_alone(run, trained, write, texts):
    corpus = write(texts(400), "tsv")
    options = ("--penalty", "l1", "--recipe", "tfidf-words", "--class-weight", "balanced")
    point = trained(corpus, *options)["scores_by_words"][1]
    alone = sentiment.train(
        corpus, penalty="l1", recipe="tfidf-words", class_weight="balanced", alpha=point["alpha"], refit=False
    )
    assert alone.training.n_features == pytest.approx(point["words"], abs=2)
    assert alone.scores.accuracy == pytest.approx(point["accuracy"], abs=0.03)
    told = run("train", corpus, *options, "-v").stdout.partition("Accuracy by number of words\n")[2]
    assert f"{point['alpha']:.3g}  {point['accuracy']:>8.4f}" in told


def test_what_has_no_l1_penalty_refuses_in_one_line(run, write, texts):
    corpus = write(texts(60), "tsv")
    assert_refused(run("train", corpus, "--penalty", "l1", "--stream"), 2, "needs all texts in memory")
    assert_refused(
        run("train", corpus, "--penalty", "l1", "--classifier", "perceptron"),
        2,
        "needs --classifier sdca-svm",
    )
    tagged = write([("a,b", "one two"), ("a", "one"), ("b,a", "two one"), ("b", "two")] * 10, "tsv")
    assert_refused(run("train", tagged, "--penalty", "l1"), 2, "supports one label per text")
