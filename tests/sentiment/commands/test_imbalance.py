"""Labels of which one is rare: weights, metrics, what guessing gets, and what is said aloud."""

import re

import numpy as np
import pytest

import fastsvm

pytestmark = pytest.mark.blas


@pytest.fixture
def corpus(write, texts):
    """Return the path of a corpus of 300 negative texts and 30 positive ones."""
    pairs = texts(600)
    return write(pairs[::2] + pairs[1:60:2], "csv")


def recall(record):
    row = record["confusion"][1]
    return row[1] / sum(row)


def test_weights_of_labels_raise_the_recall_of_the_rare_one(trained, corpus):
    recalls = []
    for seed in range(3):  # six of the texts held out are rare
        alpha = ("--recipe", "article", "--alpha", 0.1, "--seed", seed)
        plain = trained(corpus, *alpha, "--class-weight", "pos=1")
        balanced = trained(corpus, *alpha, "--class-weight", "balanced")
        recalls.append((recall(plain), recall(balanced)))
    same = trained(corpus, *alpha, "--class-weight", "pos=5.5", "--class-weight", "neg=0.55")
    assert np.diff(recalls).sum() > 0
    assert same["confusion"] == balanced["confusion"]
    assert plain["class_weight"] == {"pos": 1.0}
    assert balanced["class_weight"] == "balanced"
    assert plain["threshold"] is balanced["threshold"] is None
    assert same["class_weight"] == {"pos": 5.5, "neg": 0.55}


@pytest.mark.slow
def test_the_baseline_and_the_metric(trained, corpus):
    record = trained(corpus)
    assert record["metric"] == record["alpha_choice"]["metric"] == "balanced-accuracy"
    assert record["baseline"] == {"label": "neg", "accuracy": 60 / 66, "metric_value": 0.5}
    confusion = np.array(record["confusion"])
    assert record["metric_value"] == pytest.approx(np.mean(confusion.diagonal() / confusion.sum(axis=1)))
    for metric in ("accuracy", "macro-f1", "average-precision"):
        other = trained(corpus, config={"metric": metric})
        assert other["metric"] == other["alpha_choice"]["metric"] == metric
        assert other["baseline"]["metric_value"] < other["metric_value"] <= 1


def test_a_label_that_is_never_predicted_is_said_aloud(run, trained, write, texts):
    pairs = [("pos" if i % 12 == 0 else "neg", f"thing{i % 7} stuff{i % 5}") for i in range(240)]
    plain = ("--recipe", "nb-words", "--alpha", 1, "--class-weight", "pos=1")
    record = trained(write(pairs), *plain, stderr="warning: .*\nwarning: .*\n")
    stderr = run("train", write(pairs), *plain).stderr
    assert record["warnings"] == [line.removeprefix("warning: ") for line in stderr.splitlines()]
    never, no_better = record["warnings"]
    told = "1 label of held-out texts never predicted: pos; [0-9.]+ % of the texts have such a label"
    assert re.match(f"{told}; try --class-weight balanced", never)
    assert no_better.startswith("the model is no better than always guessing 'neg': balanced-accuracy 0.5000")
    assert run("train", write(pairs), *plain, "-q").stderr == ""


@pytest.mark.parametrize(
    "metric",
    [None, *(pytest.param(each, marks=pytest.mark.slow) for each in ("accuracy", "balanced-accuracy"))],
)
def test_by_default_a_rare_label_weighs_more_and_scores_are_moved(trained, corpus, metric):
    record = trained(corpus, config=metric and {"metric": metric})
    assert record["class_weight"] == "balanced"
    assert record["threshold"]["metric"] == (metric or "macro-f1")
    model = fastsvm.load_model(record["model"])
    assert model["classifier"].intercept_[0] == pytest.approx(-record["threshold"]["shift"], rel=1e-5)
    assert recall(record) > 0


def test_what_balanced_weights_give_a_label_that_is_rarely_found(run, trained, write, texts):
    pairs = texts(1200, ("neg", "pos", "mixed"))
    corpus = write([pair for i, pair in enumerate(pairs) if i % 3 < 2 or i % 60 == 2])
    plain = ("--recipe", "nb-words", "--alpha", 0.01)
    (said,) = trained(corpus, *plain, stderr="warning: .*\n")["warnings"]
    numbers = [float(number) for number in re.findall(r"\d\.\d+", said)]
    assert said.startswith("the share of unseen training texts of 'mixed' that get this label is 0.")
    assert "; with --class-weight balanced 0." in said
    assert numbers[2] > numbers[0] < 0.2
    assert trained(corpus, *plain, "--class-weight", "balanced")["warnings"] == []
