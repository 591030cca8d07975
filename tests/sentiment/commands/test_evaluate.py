"""What evaluate says beyond the accuracy: against scikit-learn, SciPy, and what predict then does."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.pipeline import Pipeline

import fastsvm
from csv_rows import rows_of
from fastsvm import PerceptronClassifier
from fastsvm.text import BagOfWords, TextScorer
from fastsvm_apps.sentiment.measures.metrics import calibration_error


@pytest.fixture(scope="module")
def corpus(texts, tmp_path_factory):
    """Two labels, of which the second is rare, and a column of groups."""
    pairs = texts(300, seed=5)
    pairs = [pair for i, pair in enumerate(pairs) if pair[0] == "neg" or i % 6 == 1]
    pairs += [("neg", text) for label, text in pairs if label == "pos"][:4]  # so that some scores are equal
    path = tmp_path_factory.mktemp("corpus") / "more.csv"
    lines = [f"{y},{text},{'ABC'[i % 3]}" for i, (y, text) in enumerate(pairs)]
    path.write_text("\n".join(["label,text,shop", *lines]))
    return str(path)


@pytest.fixture
def measure(run):
    """Return what evaluate --json prints."""
    return lambda *args: json.loads(run("evaluate", *args, "--json").stdout)


def test_measures_are_scikit_learns(measure, model, corpus):
    rows, scorer = rows_of(corpus), TextScorer.load(model)
    truth = [row["label"] for row in rows]
    proba = scorer.predict_proba([row["text"] for row in rows])
    given = scorer.classes_[proba.argmax(axis=1)]
    found = measure(model, corpus)
    assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(truth, given))
    assert found["macro_f1"] == pytest.approx(metrics.f1_score(truth, given, average="macro"))
    assert found["baseline"] == {"label": "neg", "accuracy": truth.count("neg") / len(truth)}
    table = metrics.precision_recall_fscore_support(truth, given)
    for j, each in enumerate(found["per_label"]):
        has_it = [label == each["label"] for label in truth]
        expected = [column[j] for column in table]
        assert [each[name] for name in ("precision", "recall", "f1", "n")] == pytest.approx(expected)
        assert each["roc_area"] == pytest.approx(metrics.roc_auc_score(has_it, proba[:, j]))
        assert each["average_precision"] == pytest.approx(
            metrics.average_precision_score(has_it, proba[:, j])
        )
    error = calibration_error(proba[:, 1], np.array(truth) == scorer.classes_[1])
    assert found["calibration_error"] == dict(zip(("value", "by_chance"), error, strict=True))


@pytest.mark.parametrize(
    "wish", [("--precision", ".6"), ("--recall", ".9"), ("--cost", "1:4"), ("--cost", "5:.5")]
)
@pytest.mark.parametrize("proba", [True, False])
def test_the_threshold_does_what_is_said_of_it(run, measure, texts, model, corpus, wish, proba):
    if not proba:
        steps = [("vectorizer", BagOfWords()), ("classifier", PerceptronClassifier())]
        labels, lines = zip(*texts(200), strict=True)
        model = "p.safetensors"
        fastsvm.save_model(Pipeline(steps).fit(lines, labels), model)
    found = measure(model, corpus, *wish)["recommended"]
    assert run("predict", model, corpus, "-o", "s.csv", *found["option"].split()).exit_code == 0
    rows = rows_of("s.csv")
    has_it = np.array([row["label"] == "pos" for row in rows])
    given = np.array([row["predicted_label"] == "pos" for row in rows])
    assert found["false_positives"] == np.sum(given & ~has_it)
    assert found["false_negatives"] == np.sum(has_it & ~given)
    value = np.array([float(row["p(pos)" if proba else "score"]) for row in rows])
    every = [(value >= v, v) for v in np.unique(value)]
    scores = [(np.mean(has_it[g]), g[has_it].mean(), g[~has_it].sum(), (~g[has_it]).sum()) for g, _ in every]
    number = wish[1]
    if wish[0] == "--precision":
        assert found["precision"] >= 0.6
        assert found["recall"] == max(recall for precision, recall, *_ in scores if precision >= 0.6)
    elif wish[0] == "--recall":
        assert found["recall"] >= 0.9
        assert found["precision"] == max(precision for precision, recall, *_ in scores if recall >= 0.9)
    else:
        a, b = map(float, number.split(":"))
        cost = a * found["false_positives"] + b * found["false_negatives"]
        assert cost == min(a * fp + b * fn for *_, fp, fn in scores)
    assert f"{found['threshold']:g}, the " in run("evaluate", model, corpus, *wish).stdout


def test_no_threshold_is_recommended_if_giving_no_label_costs_less(run, write, texts, model):
    turned = [({"pos": "neg", "neg": "pos"}[label], text) for label, text in texts(100)]
    done = run("evaluate", model, write(turned, "csv"), "--cost", "100:1")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "at 100:1, mistakes cost least if no text is given the label" in done.stderr


def test_a_share_of_right_answers_of_several_labels(run, measure, write, texts):
    labels = ("neg", "pos", "mixed")
    options = ("--recipe", "nb-words", "--classifier", "sdca-logistic", "-o", "m.safetensors")
    assert run("train", write(texts(300, labels)), *options).exit_code == 0
    new = write(texts(200, labels, seed=2), "csv")
    found = measure("m.safetensors", new, "--precision", ".95")["recommended"]
    assert found["option"].startswith("--unsure ")
    assert found["precision"] >= 0.95
    assert run("predict", "m.safetensors", new, "-o", "s.csv", *found["option"].split()).exit_code == 0
    answered = [row for row in rows_of("s.csv") if row["predicted_label"] != "unsure"]
    assert np.mean([row["label"] == row["predicted_label"] for row in answered]) == found["precision"]


def test_groups_and_mistakes(measure, model, corpus):
    found = measure(model, corpus, "--groups", "shop", "--mistakes", "wrong.csv")
    rows, scorer = rows_of(corpus), TextScorer.load(model)
    given = scorer.predict([row["text"] for row in rows])
    right = np.array([row["label"] for row in rows]) == given
    for group in found["groups"]:
        own = [ok for ok, row in zip(right, rows, strict=True) if row["shop"] == group["value"]]
        assert (group["n"], group["accuracy"]) == (len(own), np.mean(own))
        assert group["interval"][0] < group["accuracy"] <= group["interval"][1]
    wrong = rows_of("wrong.csv")
    assert sorted(int(row["place"]) - 2 for row in wrong) == np.flatnonzero(~right).tolist()
    assert [row["text"] for row in wrong] == [rows[int(row["place"]) - 2]["text"] for row in wrong]
    assert all(row["label"] != row["predicted_label"] for row in wrong)
    sure = [abs(float(row["score"])) for row in wrong]
    assert sure == sorted(sure, reverse=True)
    assert all(float(row["probability"]) >= 0.5 for row in wrong)


def test_a_second_model(run, measure, model, corpus, write, texts):
    options = ("--recipe", "article", "-o", "b.safetensors", "--holdout", "0")
    assert run("train", write(texts(40, seed=9)), *options).exit_code == 0
    found = measure(model, "b.safetensors", corpus)
    rows = rows_of(corpus)
    truth, lines = np.array([row["label"] for row in rows]), [row["text"] for row in rows]
    a, b = (TextScorer.load(path).predict(lines) == truth for path in (model, "b.safetensors"))
    pair = found["paired"]
    only = (int(np.sum(a & ~b)), int(np.sum(b & ~a)))
    assert (pair["only_first"], pair["only_second"]) == only
    assert pair["p_value"] == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)
    assert pair["difference"] == pytest.approx(a.mean() - b.mean())
    assert found["accuracy"] == a.mean()
    assert pair["accuracy"] == b.mean()
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]
    out = run("evaluate", model, "b.safetensors", corpus).stdout
    assert out.startswith(f"Comparison\n{model}: accuracy ")
    assert f"only the first is right: {only[0]}, only the second: {only[1]}" in out
    same = measure(model, model, corpus)["paired"]
    assert (same["p_value"], same["difference"], same["only_first"]) == (1.0, 0.0, 0)
