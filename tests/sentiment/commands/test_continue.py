"""train --continue: a model goes on learning by the terms that it knows."""

import random

import numpy as np
import pytest

import fastsvm
from fastsvm_apps import sentiment
from refusal import assert_refused

pytestmark = pytest.mark.blas

FIRST, SECOND = (["good", "fine", "nice"], ["bad", "poor", "sad"]), (["cheap", "light"], ["dear", "heavy"])


def reviews(n, words, seed=0):
    """Texts of two labels; the words that speak are right four times in five."""
    rng = random.Random(seed)
    pairs = []
    for i in range(n):
        label = ("pos", "neg")[i % 2]
        said = [rng.choice(words[(label == "neg") ^ (rng.random() < 0.2)]) for _ in range(3)]
        rest = rng.choices([f"thing{k}" for k in range(30)] + ["cheap", "light", "dear", "heavy"], k=8)
        text = [*said, *rest] if words is FIRST else [*said, *(word for word in rest if "thing" in word)]
        rng.shuffle(text)
        pairs.append((label, " ".join(text)))
    return pairs


@pytest.fixture
def old(run, write):
    """A model that knows all words, but not what half of them say."""
    corpus = write(reviews(600, FIRST), "csv", "first.csv")
    assert run("train", corpus, "--recipe", "nb-words", "-o", "old.safetensors").exit_code == 0
    return "old.safetensors"


def test_a_model_learns_and_forgets_little(run, trained, write, old):
    corpus = write(reviews(200, SECOND, 1), "csv", "second.csv")
    record = trained(corpus, "--continue", old, "-o", "new.safetensors", "--report", "page.html")
    assert record["accuracy"] > record["accuracy_before"]  # on 40 texts
    assert record["relative_gap"] < 1e-3
    again = run("train", corpus, "--continue", old, "-o", "again.safetensors")
    assert f"before further training: {record['accuracy_before']:.2f}\n" in again.stdout

    first, second = sentiment.load(old), sentiment.load("new.safetensors")
    terms = [model.pipeline["vectorizer"].get_feature_names_out().tolist() for model in (first, second)]
    assert terms[0] == terms[1]
    labels, texts = zip(*reviews(400, FIRST, 2), strict=True)
    right = [np.mean(model.predict(texts) == labels) for model in (first, second)]
    assert right[1] > right[0] - 0.1  # of what it knew
    labels, texts = zip(*reviews(400, SECOND, 3), strict=True)
    right = [np.mean(model.predict(texts) == labels) for model in (first, second)]
    assert right[1] > right[0] + 0.2  # of what is new
    likely = second.predict_proba(texts)
    assert (second.classes_[likely.argmax(axis=1)] == second.predict(texts)).mean() > 0.9
    assert fastsvm.load_model("new.safetensors").predict(texts).tolist() == second.predict(texts).tolist()

    in_python = sentiment.train(corpus, start=old)
    assert in_python.decision_function(texts).tolist() == second.decision_function(texts).tolist()
    assert run("train", corpus, "--continue", old, "-o", old).exit_code == 0  # takes its own place


@pytest.mark.slow
def test_a_few_texts_of_the_same_kind_do_no_harm(run, write, old):
    labels, texts = zip(*reviews(600, FIRST, 4), strict=True)
    before = np.mean(sentiment.load(old).predict(texts) == labels)
    few = sentiment.train(write(reviews(24, FIRST, 5), "csv", "few.csv"), start=old)
    assert np.mean(few.predict(texts) == labels) > before - 0.03


def test_what_the_model_decides(run, write, old):
    corpus = write(reviews(40, SECOND), "csv", "second.csv")
    for options, code, message in (
        (("--ngrams", 2), 2, "--ngrams: the model of --continue sets this; leave it out"),
        (("--recipe", "article"), 2, "--recipe: the model"),
        (("--label-col", "id"), 1, "40 labels, such as '0', in 40 texts"),
    ):
        assert_refused(run("train", corpus, "--continue", old, *options), code, message)


def test_a_label_without_new_texts(run, write, texts, model3):
    for pairs, start, code, message in (
        ([("ok", "a b")] * 9 + texts(9), model3, 1, "the model does not know the label 'ok'"),
        (texts(40), model3, 1, "too few texts of 'mixed', which the model knows"),
        (texts(40), __file__, 2, "not a safetensors file"),
    ):
        assert_refused(run("train", write(pairs), "--continue", start), code, message)
