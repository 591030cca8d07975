"""Training and using a classifier of texts from Python, in one line each."""

import json
import re
import subprocess
import sys
from dataclasses import fields
from inspect import signature
from pathlib import Path

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import fastsvm
from fastsvm.text import TextScorer
from fastsvm_apps import sentiment
from fastsvm_apps.sentiment.commands.train import train
from fastsvm_apps.sentiment.settings import OF_OUTPUT, SETTINGS, Settings

NEW = ["great lovely thing1", "awful dull thing2", "thing3", ""]


@pytest.fixture
def corpus(write, texts):
    return write(texts(120), "csv")


def test_the_same_bits_as_the_command(run, corpus, tmp_path):
    assert run("train", corpus, "-o", "command.safetensors", "--ngrams", "1-2", "--k", "all").exit_code == 0
    model = sentiment.train(corpus, ngrams=(1, 2), k=None)
    path = tmp_path / "python.safetensors"
    model.save(path)
    assert path.read_bytes() == Path("command.safetensors").read_bytes()

    lines = run("predict", path, input="".join(f"{text}\n" for text in NEW)).stdout.splitlines()
    predicted = [line.split("\t")[0] for line in lines]
    loaded = sentiment.load(path)
    for one in (model, loaded):
        assert one.predict(NEW).tolist() == predicted
        np.testing.assert_array_equal(one.decision_function(iter(NEW)), model.decision_function(NEW))
    assert model.scores.accuracy > 0.7
    assert f"accuracy {model.scores.accuracy:.2f} on 24 texts" in model.summary
    assert (loaded.scores, loaded.skipped) == (None, None)
    found = model.explain(NEW[0])
    assert found.label == "pos"
    assert {word.term for word in found.words} >= {"great", "lovely"}
    head, *terms, intercept, score = str(found).splitlines()
    assert head == f"pos (score {found.score:+.4f} for pos)"
    assert len(terms) == len(found.words)
    assert (intercept[:11], score.split()[-1]) == ("(intercept)", f"{found.score:+.4f}")

    model.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "fastsvm_apps.sentiment.train(" in page
    assert str(path) in page
    with pytest.raises(ValueError, match="train"):
        loaded.report(tmp_path / "report.html")


def test_a_table_in_memory(texts):
    labels, given = zip(*texts(60), strict=True)
    stars = [5 if label == "pos" else 1 for label in labels]
    named = {"text_col": "Review", "label_col": "Stars", "recipe": "nb-words"}
    model = sentiment.train(pandas.DataFrame({"Review": given, "Stars": stars}), **named)
    same = sentiment.train(given, [*map(str, stars)], recipe="nb-words")
    assert model.classes_.tolist() == ["1", "5"]
    np.testing.assert_array_equal(model.decision_function(NEW), same.decision_function(NEW))
    with pytest.raises(ValueError, match="no column 'text' among Review, Stars; give text_col"):
        sentiment.train(pandas.DataFrame({"Review": given, "Stars": stars}))


def test_a_model_is_evaluated_as_by_the_command(run, corpus, write, texts):
    model = sentiment.train(corpus, recipe="nb-words")
    model.save("model.safetensors")
    path = write(texts(80, seed=9), "csv", name="others.csv")
    record = json.loads(run("evaluate", "model.safetensors", path, "--json").stdout)
    labels, given = zip(*texts(80, seed=9), strict=True)
    low, high = (f"{each:.2f}" for each in record["accuracy_interval"])
    for one in (model, sentiment.load("model.safetensors")):
        for found in (one.evaluate(path), one.evaluate(given, labels)):
            assert (found.accuracy, found.confusion) == (record["accuracy"], record["confusion"])
    told = f"accuracy {found.accuracy:.2f} on 80 texts (95 % interval {low} to {high})"
    assert repr(found) == f"<AnswerScores: {told}>"
    with pytest.warns(sentiment.api.TrainingWarning, match="learned from all of these 120 texts"):
        model.evaluate(corpus)
    with pytest.raises(TypeError, match="path of a corpus"):
        model.evaluate(7)


def test_texts_and_labels_in_memory(texts):
    labels, given = zip(*texts(300, ("neg", "pos", "mixed")), strict=True)
    model = sentiment.train(given, labels, recipe="nb-words", seed=4, cv=2)
    assert len(model.training.cross_validation["accuracies"]) == 2
    assert model.classes_.tolist() == ["mixed", "neg", "pos"]
    assert (model.training.n_train, model.training.n_test) == (240, 60)
    probabilities = model.predict_proba(NEW)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-6)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(NEW)).all()

    rare = [i for i, label in enumerate(labels) if label != "pos" or i < 20]
    quick = {"recipe": "nb-words", "refit": False, "alpha": 100}
    with pytest.warns(UserWarning, match="never predicted"):
        thin = sentiment.train([given[i] for i in rare], [labels[i] for i in rare], **quick)
    assert thin.training.settings.refit is False
    weight = {"pos": 5, "neg": 2.5}
    weighted = sentiment.train(given, labels, recipe="nb-words", class_weight=weight)
    assert weighted.training.settings.class_weight == (*weight.items(),)

    with pytest.warns(UserWarning, match="text 301: no text\n.*\n.*: 2 skipped"):
        some = sentiment.train([*given, "  ", "\ud800"], [*labels, "neg", "pos"], recipe="nb-words")
    assert some.skipped.report() == [
        "the texts given, text 301: no text",
        "the texts given, text 302: half of a surrogate pair, such as \\ud83d alone",
        "the texts given: 2 skipped",
    ]


def test_a_model_of_the_command_is_a_pipeline_of_scikit_learn(run, corpus, texts):
    assert run("train", corpus, "-o", "m.safetensors").exit_code == 0
    pipeline = fastsvm.load_model("m.safetensors")
    labels, given = zip(*texts(200, seed=5), strict=True)
    assert pipeline.predict(given).tolist() == sentiment.load("m.safetensors").predict(given).tolist()
    assert cross_val_score(clone(pipeline), given, labels, cv=3).mean() > 0.7


def test_the_english_model_by_name():
    model = sentiment.load()
    assert model.predict(["a lovely, moving film", "what a waste of time"]).tolist() == ["pos", "neg"]
    scorer = TextScorer.load(sentiment.ENGLISH)
    np.testing.assert_array_equal(scorer.decision_function(NEW), model.decision_function(NEW))


@pytest.mark.parametrize(
    ("args", "options", "error", "message"),
    [
        (["CORPUS"], {"learning_rate": 1}, TypeError, "unexpected keyword argument 'learning_rate'"),
        (["CORPUS"], {"alpha": -1}, ValueError, r"^alpha: -1 is not auto or a number from 1e-30 to 1e\+30$"),
        (["CORPUS"], {"ngrams": (3, 2)}, ValueError, r"^ngrams: \(3, 2\) is not a number"),
        (
            ["CORPUS"],
            {"class_weight": {"spam": 0}},
            ValueError,
            "^class_weight: 0 is not a weight from",
        ),
        (["CORPUS"], {"alpha": 1e300}, ValueError, "^alpha: 1e\\+300 is not auto or a number from"),
        (["CORPUS"], {"min_df": 2000}, ValueError, "; try min_df=1$"),
        (["CORPUS"], {"start": "x", "k": 5}, ValueError, "^k: the model of start sets this; leave it out"),
        (["CORPUS"], {"stream": True, "cv": 3}, ValueError, "^cv needs all texts in memory; .* stream$"),
        (["CORPUS"], {"recipe": "best"}, ValueError, "^recipe: 'best' is not one of 'auto', "),
        (["CORPUS"], {"text_col": "a"}, ValueError, "no column 'a' among .*; choose one with text_col$"),
        ([__file__ + "x"], {}, OSError, "No such file"),
        ([["a b", "c d"]], {}, TypeError, "texts and their labels"),
        ([["a b", "c d"], ["x"]], {}, ValueError, "2 texts, but 1 labels"),
        ([["a b", "c d"], ["x", "x"]], {}, ValueError, "the texts given: 'x' is the only label"),
        ([["a b", "c d"], [0, 1]], {}, TypeError, "labels must be strings; number 0 is a int: 0"),
        ([["a b", None], ["x", "y"]], {}, TypeError, "texts must be strings; number 1 is a NoneType"),
        ([["a b", "c d"], ["x", "y"]], {"text_col": "t"}, TypeError, "text_col: only for files"),
    ],
)
def test_what_is_wrong_is_said(corpus, args, options, error, message):
    with pytest.raises(error, match=message):
        sentiment.train(*[corpus if arg == "CORPUS" else arg for arg in args], **options)


def test_a_text_is_not_a_list_of_texts(model, tmp_path):
    loaded = sentiment.load(model)
    with pytest.raises(TypeError, match="not one string"):
        loaded.predict("great")
    with pytest.raises(TypeError, match="not a string"):
        loaded.explain(["great"])
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="not replaced"):
        loaded.save(tmp_path / "notes.txt")
    with pytest.raises(ValueError, match="not a safetensors file"):
        sentiment.load(tmp_path / "notes.txt")


def test_the_signature_is_the_table_of_settings():
    parameters = signature(sentiment.train).parameters
    assert {*parameters} - {"source", "labels", "stage"} == {*SETTINGS}
    assert all(parameters[name].default == setting.default for name, setting in SETTINGS.items())
    assert {"source", "labels", "stage", *SETTINGS} == documented(sentiment.train)
    options = {param.name for param in train.params} | {*train.only_in_config}
    assert {*SETTINGS} - options == {*OF_OUTPUT}
    # What a training is to do has the same names; what is left follows from the corpus.
    assert {field.name for field in fields(Settings)} - {*SETTINGS} == {
        "markup",
        "n_problems",
        "several",
        "threshold",
    }


def documented(function):
    lists = re.findall(r"^    (\w[\w, ]*) : ", function.__doc__.partition("Returns")[0], re.MULTILINE)
    return {name for names in lists for name in names.split(", ")}


def test_values_in_words_and_in_python_are_the_same(corpus):
    words = {"ngrams": "1-2", "k": "all", "class_weight": ["pos=2"], "seed": "3"}
    values = {"ngrams": 2, "k": None, "class_weight": {"pos": 2}, "seed": 3}
    one, other = (sentiment.train(corpus, recipe="tfidf-both", **each) for each in (words, values))
    assert one.training.settings == other.training.settings


def test_the_import_is_light():
    code = "import sys, fastsvm_apps.sentiment as s; s.__doc__; assert 'train' in dir(s)"
    code += "; sys.exit('numpy' in sys.modules or 'click' in sys.modules)"
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0
