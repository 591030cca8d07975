import json
import os
import random
import re
import sys

import numpy as np
import pytest
from peak_memory import peak_of
from sklearn.pipeline import make_pipeline

import fastsvm
from fastsvm import SDCAClassifier
from fastsvm.text import BagOfWords, SelectTerms, TermWeighting
from fastsvm_apps.common.folds import stratified_folds
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs.text_training import train_text_model
from fastsvm_apps.sentiment.learning.text_splits import split_rows, text_folds
from fastsvm_apps.sentiment.settings import Settings
from fastsvm_apps.sentiment.text_recipes import CLASSIFIERS

pytestmark = pytest.mark.blas

SCORES = ("f_classif", "chi2")


def vocabulary_of(record):
    return fastsvm.load_model(record["model"])["vectorizer"].get_feature_names_out().tolist()


@pytest.mark.parametrize("format", ["corpus", "csv", "fasttext"])
def test_gzip_and_stdin(run, trained, write, texts, format):
    path = write(texts(60), format, name="reviews.txt.gz", packed=True)
    record = trained(path, "--alpha", 0.01)
    assert record["model"] == "reviews.safetensors"
    with open(path, "rb") as file:
        piped = run("train", "-", "--json", "--alpha", 0.01, "-o", "m.safetensors", input=file.read())
    assert json.loads(piped.stdout)["confusion"] == record["confusion"]


@pytest.mark.parametrize("labels", [("neg", "pos"), ("neg", "pos", "mixed")])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_classifier(trained, write, texts, classifier, labels):
    options = ("--recipe", "nb-words", "--classifier", classifier)
    record = trained(write(texts(300, labels)), *options)
    assert record["labels"] == sorted(labels)
    assert (record["n_train"], record["n_test"], record["skipped"]) == (240, 60, 0)
    assert np.sum(record["confusion"]) == 60
    assert record["accuracy"] == np.trace(record["confusion"]) / 60 > 0.6
    low, high = record["accuracy_interval"]
    assert low < record["accuracy"] <= high
    if classifier == "perceptron":
        assert record["gap"] is record["relative_gap"] is record["alpha"] is None
    else:
        assert np.shape(record["gap"]) == (() if len(labels) == 2 else (3,))
        choice, recipe = record["alpha_choice"], CLASSIFIERS[classifier]
        assert record["alpha"] in (choice["alphas"] if choice else [recipe.alpha])
        assert not choice or set(choice["alphas"]) >= set(recipe.alphas)
        assert bool(choice) == (recipe.alphas is not None)
        np.testing.assert_allclose(np.multiply(record["relative_gap"], record["objective"]), record["gap"])
    assert 0 <= record["calibration_error"]["value"] < 0.25
    model = fastsvm.load_model(record["model"])
    likely = model.predict_proba([text for _, text in texts(50, labels)])
    np.testing.assert_allclose(likely.sum(axis=1), 1)
    assert likely.max() > 0.7
    assert getattr(model["classifier"], "alpha", None) == record["alpha"]
    if classifier.startswith("sdca"):
        assert np.max(record["relative_gap"]) <= 1e-3


def test_the_order_of_the_file_changes_nothing(trained, write, texts):
    pairs = texts(120)
    orders = {"a.safetensors": pairs, "b.safetensors": sorted(pairs)}
    records = [trained(write(orders[name]), "-o", name) for name in orders]
    assert records[0]["accuracy"] == records[1]["accuracy"]
    a, b = (fastsvm.load_model(record["model"])["classifier"] for record in records)
    np.testing.assert_array_equal(a.coef_, b.coef_)


def test_same_seed_same_numbers(trained, write, texts):
    corpus = write(texts(300))
    options = ("--recipe", "article", "--classifier", "pegasos-svm")

    def numbers(seed):
        record = trained(corpus, "--seed", seed, *options)
        return record["objective"], record["confusion"]

    assert numbers(1) == numbers(1) != numbers(2)


def test_features(trained, write, texts):
    corpus = write(texts(200))

    def train(*args, **more):
        return trained(corpus, "--recipe", "article", *args, **more)

    everything = train("--k", "all")
    assert everything["k"] == "all"
    assert everything["n_features"] == everything["n_features_seen"] == 70
    assert train("--k", 7)["n_features"] == 7
    assert train("--k", 1000)["n_features"] == 70
    assert train("--k", 1000)["k"] == 1000
    pairs_too = train("--k", "all", "--ngrams", 2)["n_features"]
    assert train("--k", "all", "--ngrams", "2-2")["n_features"] == pairs_too - 70
    repeated = train("--k", "all", "--ngrams", 2, config={"min_df": 2})
    assert 70 < repeated["n_features"] == repeated["n_features_seen"] < pairs_too
    for score in SCORES:
        record = train("--k", 10, "--score", score)
        words = set(vocabulary_of(record))
        assert len(words & {"awful", "broken", "dull", "waste", "refund", "great", "lovely", "sturdy"}) >= 7


def test_options_come_before_a_file_and_its_recipe(trained, write, texts):
    corpus = write(texts(100))
    keys = ("recipe", "classifier", "weighting", "ngrams", "chars", "min_df", "k")
    with open("article.toml", "w") as file:
        file.write('recipe = "article"\nk = 20\nmin-df = 3\nweighting = "tfidf"\n')
    record = trained(corpus, "--config", "article.toml", "--k", "all")
    assert [record[key] for key in keys] == [None, "pegasos-svm", "tfidf", "1-1", "none", 3, "all"]
    assert fastsvm.load_model(record["model"])["weighting"].weighting == "tfidf"


def test_alpha_where_a_label_is_too_rare_for_folds(trained, write):
    pairs = [("pos", "good thing")] * 30 + [("neg", "bad thing")] * 2
    assert trained(write(pairs), "--holdout", 0)["alpha_choice"]["n_folds"] == 2
    record = trained(write(pairs), "--holdout", 0.5, stderr=".*too good\n")
    assert record["alpha_choice"] is None
    assert record["alpha"] == CLASSIFIERS["sdca-svm"].alpha


@pytest.mark.parametrize(
    ("name", "preset", "seeds", "expected"),
    [
        pytest.param("sentiment.txt", "auto", range(5), 0.862, marks=pytest.mark.slow),
        ("sentiment.txt", "article", range(2), 0.80),
        pytest.param("imdb_10k.tsv", "auto", range(3), 0.905, marks=pytest.mark.slow),
        pytest.param("imdb_10k.tsv", "article", range(3), 0.85, marks=pytest.mark.slow),
    ],
)
def test_accuracy_on_real_texts(trained, shared, name, preset, seeds, expected):
    corpus = shared / name
    records = [trained(corpus, "--recipe", preset, "--seed", seed) for seed in seeds]
    assert np.mean([record["accuracy"] for record in records]) >= expected


def test_tokens(trained, tmp_path):
    corpus = tmp_path / "a.txt"
    corpus.write_text("toys pos 1.txt not-bad , i like it\ntoys neg 2.txt no ! a waste\n" * 5)

    def vocabulary(**config):
        return set(vocabulary_of(trained(corpus, config=config, stderr=".*too good\n")))

    assert vocabulary(ngrams=1) == {"not-bad", ",", "i", "like", "it", "no", "!", "a", "waste"}
    assert vocabulary(ngrams=1, tokens="words") == {*("not", "bad", "i", "like", "it", "no", "a", "waste")}


def test_holdout_zero_trains_on_everything(trained, write, texts):
    record = trained(write(texts(80)), "--holdout", 0)
    assert (record["n_train"], record["n_test"]) == (80, 0)
    assert record["accuracy"] is record["confusion"] is record["accuracy_interval"] is None


def test_the_vocabulary_comes_from_the_training_part_only(trained, write):
    pairs = [("pos", f"word{i} good") if i % 2 else ("neg", f"word{i} bad") for i in range(50)]
    options = ("--recipe", "article", "--k", "all")
    record = trained(write(pairs), *options, config={"refit": False})
    assert record["n_features"] == record["n_train"] + 2
    refitted = trained(write(pairs), *options)
    assert refitted["n_features"] == 52
    assert refitted["confusion"] == record["confusion"]


def test_a_label_with_one_text_is_no_obstacle(trained, write, texts):
    record = trained(write([*texts(100), ("mixed", "average passable")]))
    assert set(record["labels"]) == {"neg", "pos", "mixed"}


def test_at_most_ten_skipped_lines_are_named(run, tmp_path, texts):
    corpus = tmp_path / "a.txt"
    corpus.write_text("".join(f"__label__{y} {t}\n" for y, t in texts(40)) + "no label\n" * 15)
    result = run("train", corpus)
    assert result.exit_code == 3
    assert result.stderr.splitlines()[10:] == ["... and 5 more", f"{corpus}: 15 skipped"]
    quiet = run("train", corpus, "-q")
    assert (quiet.exit_code, quiet.stderr) == (3, "")


def test_a_warning_is_one_line_on_stderr(run, write, texts):
    result = run("train", write(texts(100)), "--json", config={"epochs": 1, "alpha": 1e-6})
    assert result.exit_code == 0
    assert re.fullmatch(
        r"warning: training stopped at epoch 1 .*; allow more epochs, or a larger alpha\n", result.stderr
    )
    assert json.loads(result.stdout)["n_iter"] == 1
    assert run("train", write(texts(100)), "-q", config={"epochs": 1, "alpha": 1e-6}).stderr == ""


@pytest.mark.parametrize("k", ["all", 5])
def test_cross_validation_is_that_of_separate_trainings(trained, write, texts, k):
    pairs, fixed = sorted(texts(200)), ("--alpha", "0.001", "--recipe", "nb-words", "--k", k)
    more = ("--folds", 4, "--report", "page.html")
    record = trained(write(pairs), *fixed, *more, config={"metric": "macro-f1"})
    assert len(record["learning_curve"]) == 4  # it does not change what cross-validation sees
    found = record["cross_validation"]
    assert (found["n_train"], found["n_test"]) == (150, 50)
    assert found["accuracy"] == pytest.approx(np.mean(found["accuracies"]))
    low, high = found["accuracy_interval"]
    assert low < found["accuracy"] <= high
    assert len(found["values"]) == 4
    assert found["metric_value"] == pytest.approx(found["accuracy"], abs=0.05)
    texts_of, labels_of = ([pair[i] for pair in pairs] for i in (1, 0))
    train, test = split_rows(texts_of, TextLabels.of(labels_of), 0.2, 0)
    everything, known = [texts_of[i] for i in train + test], np.array(labels_of)[train + test]
    for accuracy, (rows, left) in zip(found["accuracies"], stratified_folds(known, 4, 0), strict=True):
        model = make_pipeline(
            BagOfWords(ngram_range=(1, 3), min_df=2, analyzer="split"),
            SelectTerms(k),
            TermWeighting("nb", norm="l2"),
            SDCAClassifier(alpha=0.001, fit_intercept=False),
        ).fit([everything[i] for i in rows], known[rows])
        assert accuracy == model.score([everything[i] for i in left], known[left])


@pytest.mark.parametrize("more", [("--folds", 4, "--report", "page.html"), ("--alpha", 0.001), ("--stream",)])
def test_no_figure_is_of_copies_of_training_texts(trained, write, texts, more):
    """The labels are drawn: who finds them in unseen texts has seen the texts."""
    drawn = random.Random(1)
    pairs = [(drawn.choice(["neg", "pos"]), text) for _, text in texts(150)]
    forms = ("{0}", " {1}\n") if "--stream" not in more else ("{0}",)  # its parts are drawn by exact text
    pairs = [
        (label, forms[i % len(forms)].format(text, text.title())) for i in range(6) for label, text in pairs
    ]
    recipe = ("--classifier", "sdca-logistic", "--recipe", "nb-words")
    record = trained(write(pairs, "csv"), *recipe, *more, stderr=r"(?s).*")
    figures = [record["accuracy"], *(point["accuracy"] for point in record["learning_curve"])]
    if record["alpha_choice"]:
        figures += record["alpha_choice"]["scores"]
    if record["cross_validation"]:
        figures += record["cross_validation"]["accuracies"]
    assert max(figures) < 0.75, figures
    if "--stream" not in more:  # its probabilities are of a few texts
        likely = fastsvm.load_model("reviews.safetensors").predict_proba([text for _, text in pairs])
        assert likely.max() < 0.8


def test_texts_that_all_differ_are_split_as_rows(texts):
    found, texts_of = zip(*texts(90, ("neg", "mixed", "pos")), strict=True)
    y = TextLabels.of(found, texts=texts_of)
    for mine, rows in zip(text_folds(y, 4, 3), stratified_folds(found, 4, 3), strict=True):
        assert all(map(np.array_equal, mine, rows))
    twice = TextLabels.of(found * 2, texts=texts_of * 2)
    train, test = split_rows(texts_of * 2, twice, 0.2, 0)
    once = split_rows(texts_of, y, 0.2, 0)
    assert [i % 90 for i in test[::2]] == once[1]
    assert sorted(train + test) == [*range(180)]
    for mine, rows in zip(text_folds(twice, 4, 3), text_folds(y, 4, 3), strict=True):
        assert all(map(np.array_equal, mine, (np.append(part, part + 90) for part in rows)))
    assert text_folds(twice[np.arange(0, 180, 90)], 2, 0) == []


def test_a_first_try_with_copies_of_few_texts_is_warned_of(trained, write):
    told = "warning: the model learned from all of these 4 held-out texts: the figures are too good\n"
    assert trained(write([("pos", "good"), ("neg", "bad")] * 10), stderr=told)["n_test"] == 4


def test_the_learning_curve_of_a_report_ends_at_the_held_out_accuracy(trained, write, texts):
    record = trained(write(texts(400)), "--recipe", "nb-words", "--report", "page.html")
    points = record["learning_curve"]
    assert [point["n_train"] for point in points] == [20, 40, 80, 160, 320]
    assert points[-1]["accuracy"] == record["accuracy"]
    assert points[0]["accuracy"] < points[-1]["accuracy"]


def test_training_holds_each_text_once(tmp_path):
    # Few different words, so that texts weigh much more than counts.
    corpus = tmp_path / "long.tsv"
    words = [f"{('bad', 'good')[i % 2]} word{i % 7} " for i in range(400)]
    lines = [f"{('neg', 'pos')[i % 2]}\t{each * 2000}\n" for i, each in enumerate(words)]
    corpus.write_text("".join(["label\ttext\n", *lines]))
    held = sum(map(sys.getsizeof, read_corpus(TextSource(str(corpus))).texts))
    assert held > 8e6
    model = str(tmp_path / "m.safetensors")
    assert peak_of(lambda: train_text_model(TextSource(str(corpus)), Settings(), model)) < 1.3 * held


def test_a_frequent_text_is_never_held_out():
    texts = [*(f"text {i}" for i in range(50)), *["again"] * 150]
    y = TextLabels.of(["a", "b"] * 25 + ["a"] * 150, texts=texts)
    for seed in range(5):
        train, test = split_rows(texts, y, 0.2, seed)
        assert (len(train), len(test)) == (190, 10)
        assert sorted(train + test) == [*range(200)]


def test_folders_for_training_and_testing_are_no_labels(run, write, texts, tmp_path):
    (top := tmp_path / "all").mkdir()
    for part in "train", "test":
        os.rename(write(texts(60), "folder", part), top / part)
    told = "the folders of labels have the same folders: neg, pos; if these are the labels, give one of the"
    assert f"warning: {top}: {told}" in run("train", top, "-o", "m.safetensors").stderr
    assert "same folders" not in run("train", top / "train", "-o", "m.safetensors").stderr
