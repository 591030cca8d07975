"""Several labels per text, from reading to serving."""

import json

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from csv_rows import rows_of
from fastsvm.text import TextScorer
from fastsvm_apps import sentiment
from fastsvm_apps.common.errors import AppError
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.label_fields import separator_of
from fastsvm_apps.sentiment.data.text_source import TextSource
from refusal import assert_refused

TOPICS = {
    "food": ("soup", "bread", "plate", "spoon"),
    "rain": ("cloud", "storm", "umbrella", "drizzle"),
    "song": ("chorus", "guitar", "melody", "drum"),
    "zoo": ("zebra", "parrot", "lemur", "keeper"),
}


def tagged(n, seed=0):
    """Return texts and their labels: none, one or several, each of which puts two words of its own there."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        labels = [label for label in TOPICS if rng.random() < 0.35]
        words = [word for label in labels for word in rng.choice(TOPICS[label], 2, replace=False)]
        filler = [f"word{k}" for k in rng.integers(0, 30, 5)]
        found.append((" ".join(rng.permutation(words + filler)) + f" t{i}", tuple(labels)))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("several")


@pytest.fixture(scope="module")
def corpus(folder):
    path = folder / "tags.tsv"
    rows = "".join(f"{','.join(labels)}\t{text}\n" for text, labels in tagged(400))
    path.write_text(f"labels\ttext\n{rows}")
    return path


@pytest.fixture(scope="module")
def model(corpus, folder):
    path = folder / "tags.safetensors"
    sentiment.train(corpus, save_to=path)
    return path


@pytest.mark.parametrize(
    ("fields", "separator"),
    [
        (["fear", "joy", "fear,joy", "joy", "fear"], ","),
        (["a|b", "a|c", "b|c|d", "d", "a", "c|d"], "|"),
        (["a; b", "b", "b; c", "c", "a; c"], ";"),
        (["Smith, John", "Smith, Anna", "Doe, Jane", "Roe, John", "Poe, Anna"], ""),
        (["Books", "Toys", "Clothing, Shoes & Jewelry", "Books"], ""),
        ([f"{size}, {colour}" for size in "SML" for colour in ("red", "blue", "green", "grey")], ""),
        ([f"City {i}, State {i % 3}" for i in range(30)], ""),
        (["yes, and more", "no, but less", "well"], ""),
        (["positive", "negative"], ""),
        (["a,b", "b,c", "a,c", "c,d", "b,d", "a,d"], ","),
    ],
)
def test_the_separator_is_found(fields, separator):
    assert separator_of(fields) == separator


@pytest.mark.parametrize(
    ("content", "sets"),
    [
        ("__label__a __label__b x\n__label__a y\n__label__ z\n", [("a", "b"), ("a",), ()]),
        ('{"label": ["b", "a"], "text": "x"}\n{"label": "a", "text": "y"}\n{"label": [], "text": "z"}\n',
         [("a", "b"), ("a",), ()]),
        ('text,label\nx,"b, a"\ny,a\nz,\nu,b\nv,"a,b,"\n', [("a", "b"), ("a",), (), ("b",), ("a", "b")]),
    ],
)  # fmt: skip
def test_texts_have_several_labels_or_none(tmp_path, content, sets):
    path = tmp_path / "corpus"
    path.write_text(content)
    labels = read_corpus(TextSource(str(path))).labels
    assert labels.spelled == [", ".join(each) for each in sets]
    assert not labels.exclusive
    assert labels.counts.tolist() == [sum("a" in each for each in sets), sum("b" in each for each in sets)]
    for k, name in enumerate(labels.names):
        assert labels.has(k).tolist() == [name in each for each in sets]
    assert labels[[1, 0]].spelled == ["a", "a, b"]


def test_an_empty_separator_takes_fields_whole(tmp_path):
    path = tmp_path / "corpus.csv"
    path.write_text('text,label\nx,"b,a"\ny,a\nz,\n')
    corpus = read_corpus(TextSource(str(path), label_separator=""))
    assert (corpus.labels.spelled, corpus.labels.exclusive) == (["b,a", "a"], True)
    assert corpus.skipped.named == ["line 4: no label"]
    (tmp_path / "lines").write_text("__label__a x\n__label__a __label__b y\n")
    lines = read_corpus(TextSource(str(tmp_path / "lines"), label_separator=""))
    assert lines.skipped.named == ["line 2: several labels, where one is expected"]


def test_training_says_how_labels_are_separated_and_how_good_it_is(run, corpus, folder):
    output = run("train", corpus, "-o", folder / "again.safetensors").stdout
    assert "labels are separated by ','; 4 labels, 1.4 per text; --label-sep '' takes" in output
    assert "micro F1" in output
    record = json.loads(run("train", corpus, "-o", folder / "a.safetensors", "--json", "--folds", 2).stdout)
    assert record["metric"] == record["alpha_choice"]["metric"] == "micro-f1"
    assert min(record["cross_validation"]["metric_value"], record["micro_f1"]) > 0.9
    assert max(record["relative_gap"]) <= 1e-3
    assert record["confusion"] is None
    assert record["precision_at"]["1"] > 0.7  # a sixth of the texts have no label


def test_predictions_are_those_above_the_thresholds_everywhere(run, corpus, model, folder):
    texts, truth = zip(*tagged(120, seed=1), strict=True)
    (folder / "new.csv").write_text("text,more\n" + "".join(f'"{text}",1\n' for text in texts))
    rows = rows_of(run("predict", model, folder / "new.csv").stdout)
    given = [tuple(filter(None, row["label"].split(","))) for row in rows]
    objects = [
        json.loads(line) for line in run("predict", model, folder / "new.csv", "--json").stdout.splitlines()
    ]
    loaded = sentiment.load(model)
    assert given == [tuple(each["labels"]) for each in objects] == loaded.predict(texts)
    scorer = TextScorer.load(model)
    indicator = scorer.predict(texts)
    indicator = indicator.toarray() if hasattr(indicator, "toarray") else indicator
    named = [{str(name) for name in scorer.classes_[row > 0]} for row in indicator]
    assert [set(each) for each in given] == named
    binarizer = MultiLabelBinarizer(classes=sorted(TOPICS))
    wanted, found = binarizer.fit_transform(truth), binarizer.transform(given)
    assert f1_score(wanted, found, average="micro") > 0.9
    records = []
    for separator in ",;":  # the model's, and another one
        lines = [f'"{t}","{separator.join(y)}"\n' for t, y in zip(texts, truth, strict=True)]
        (folder / "truth.csv").write_text("".join(["text,label\n", *lines]))
        records.append(json.loads(run("evaluate", model, folder / "truth.csv", "--json").stdout))
    record, other = records
    assert record["confusion"] == other["confusion"]
    assert record["micro_f1"] == other["micro_f1"]
    assert record["micro_f1"] == pytest.approx(f1_score(wanted, found, average="micro"))
    assert record["macro_f1"] == pytest.approx(f1_score(wanted, found, average="macro"))
    assert record["accuracy"] == np.mean([set(a) == set(b) for a, b in zip(truth, given, strict=True)])


def test_probabilities_of_labels_are_independent_and_a_threshold_may_be_one_of_them(run, model, folder):
    (folder / "two.txt").write_text("soup and bread under a cloud in a storm\nword1 word2\n")
    lines = run("predict", model, folder / "two.txt", "--json", "--proba", "--top", 2).stdout
    objects = [json.loads(line) for line in lines.splitlines()]
    likely = objects[0]["probabilities"]
    assert set(objects[0]["labels"]) == {"food", "rain"} == {each["label"] for each in objects[0]["top"]}
    assert sum(likely.values()) > 1.5
    assert objects[1]["labels"] == []
    all_of_them = run("predict", model, folder / "two.txt", "--proba", "--threshold", 0).stdout
    assert {*all_of_them.split("\t")[0].split(",")} == set(TOPICS)
    lines = run("predict", model, folder / "two.txt", "--top", 2).stdout.splitlines()
    assert len(lines[0].split("\t")) == 6


def test_an_explanation_is_of_the_best_label_or_of_the_one_asked_for(run, model):
    text = "soup and bread under a cloud in a storm"
    record = json.loads(run("explain", model, text, "--label", "rain", "--json").stdout)
    assert set(record["label"].split(", ")) == {"food", "rain"}
    assert record["terms"][0]["term"].removeprefix("words__").removeprefix("chars__").strip() in "cloud storm"
    assert "speaks against food" in run("explain", model, "soup and bread").stdout
    assert run("explain", model, "word1").stdout.startswith("no label")


def test_inspect_finds_labels_that_are_missing_or_wrong(run, corpus, folder):
    rows = corpus.read_text().splitlines()
    odd = ["food,rain\tguitar melody chorus drum odd", "song\tzebra parrot guitar melody odd"]
    (folder / "odd.tsv").write_text("\n".join([*rows, *odd, ""]))
    record = json.loads(run("inspect", folder / "odd.tsv", "--json", "-n", 10).stdout)
    found = {
        (each["text"], each["suggested"]) for each in record["suspects"] if each["why"] == "contradicted"
    }
    assert ("guitar melody chorus drum odd", "also song") in found
    assert ("guitar melody chorus drum odd", "not food") in found
    assert ("zebra parrot guitar melody odd", "also zoo") in found


def test_python_takes_lists_of_labels(tmp_path):
    texts, labels = zip(*tagged(200), strict=True)
    model = sentiment.train(texts, [list(each) for each in labels], recipe="tfidf-words", metric="macro-f1")
    assert "micro F1" in model.summary
    model.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "True and predicted labels" not in page
    assert "all labels right" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train CORPUS --stream -o M", "--stream and --scheduler cannot learn.*--label-sep ''"),
        ("train CORPUS --classifier kernel-sdca -o M", "give --classifier sdca-svm"),
        ("train CORPUS --k 10 -o M", "--k supports one label per text"),
        ("train CORPUS --continue MODEL -o M", "cannot be trained further"),
        ("export MODEL --to liblinear -o OTHER", "give --to pruned"),
        ("predict MODEL CORPUS --unsure 0.5", "--unsure needs a model of one label"),
        ("evaluate english CORPUS --label-sep ,", "gives a text one label"),
    ],
)
def test_what_needs_one_label_is_refused(run, corpus, model, tmp_path, words, message):
    places = {"CORPUS": corpus, "MODEL": model, "M": tmp_path / "m.safetensors", "OTHER": tmp_path / "m"}
    assert_refused(run(*(places.get(word, word) for word in words.split())), 2, message)


def test_texts_whose_labels_are_a_list_for_all_are_refused(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"label": ["a"], "text": "x"}\n' * 20)
    with pytest.raises(AppError, match="only label"):
        sentiment.train(path)
