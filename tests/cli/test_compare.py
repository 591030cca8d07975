import csv
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from fastsvm import PegasosClassifier
from fastsvm_apps.common.statistics import resampled_interval, wilson_interval
from fastsvm_apps.sentiment.data.corpus import Source
from fastsvm_apps.sentiment.jobs import comparison
from fastsvm_apps.sentiment.learning import steps
from fastsvm_apps.sentiment.learning.alpha_choice import split_texts
from fastsvm_apps.sentiment.settings import CLASSIFIERS, Settings

NAMES = ["default", "logistic-regression", "perceptron", "pegasos-svm", "pegasos-logistic"]


def compare_json(run, *args):
    result = run("compare", *args, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


# What train does to be each of them.
GIVEN = {
    "default": [],
    "logistic-regression": [
        *("--classifier", "sdca-logistic", "--weighting", "tfidf"),
        *("--ngrams", 1, "--min-df", 1, "--k", "all"),
    ],
}


OPTIONS = [
    pytest.param((), marks=pytest.mark.slow),
    pytest.param(("--k", "all", "--ngrams", 2), marks=pytest.mark.slow),
    ("--k", 9, "--score", "chi2"),
]


@pytest.mark.parametrize("options", OPTIONS)
def test_each_run_is_what_train_does_with_its_seed(run, write, texts, options):
    # The recipe of the default, which these options do not change, is chosen from 100 training texts on.
    corpus = write(texts(60 if options else 150, ("neg", "pos", "mixed")))
    record = compare_json(run, corpus, "--runs", 2, "--seed", 5, *options)
    assert record["seeds"] == [5, 6]
    assert [item["classifier"] for item in record["classifiers"]] == NAMES
    for item in record["classifiers"]:
        name = item["classifier"]
        given = GIVEN.get(name, ["--recipe", "article", "--classifier", name, *options])
        for number, seed in enumerate(record["seeds"]):
            trained = run("train", corpus, *given, "--seed", seed, "--no-refit", "--json")
            expected = json.loads(trained.stdout)
            assert item["accuracies"][number] == expected["accuracy"], name
            assert item["n_features"][number] == expected["n_features"]
            if item["alphas"]:
                assert item["alphas"][number] == expected["alpha"]
            else:
                assert expected["alpha"] is None
            if item["gaps"]:
                assert item["gaps"][number] == pytest.approx(np.max(expected["relative_gap"]), rel=1e-6)
            else:
                assert expected["gap"] is None
        assert item["alpha"] == min(item["alphas"], default=None)  # the middle of two is the lower one
    assert record["n_features"] == record["classifiers"][-1]["n_features"]


def test_options_are_those_of_the_article(run, write, texts):
    pairs = sorted(texts(150, ("neg", "pos", "mixed")))
    options = ("--weighting", "tfidf", "--k", 12, "--alpha", 0.01)
    record = compare_json(run, write(pairs), *options, "--runs", 1, "--seed", 3)
    labels, words = ([*column] for column in zip(*pairs, strict=True))
    (train, y_train), (test, y_test) = split_texts(words, labels, 0.2, 3)
    model = make_pipeline(
        CountVectorizer(token_pattern=r"\S+", dtype=np.float32),
        SelectKBest(k=12),
        steps.weighting(Settings(weighting="tfidf")),
        PegasosClassifier(
            loss="hinge", fit_intercept=False, averaging="tail", alpha=0.01, max_iter=10, random_state=3
        ),
    )
    pegasos = record["classifiers"][3]
    assert pegasos["accuracies"] == [model.fit(train, y_train).score(test, y_test)]
    assert record["weighting"] == "tfidf"
    assert [item["alpha"] for item in record["classifiers"][2:]] == [None, 0.01, 0.01]
    assert 0.01 not in [item["alpha"] for item in record["classifiers"][:2]]
    assert [len(item["n_features"]) for item in record["classifiers"]] == [1] * 5
    assert record["n_features"] == [12]


def test_the_summary_is_that_of_the_runs(run, write, texts):
    record = compare_json(run, write(texts(120)), "--runs", 4, "--holdout", 0.25)
    assert (record["n_train"], record["n_test"], record["majority"]) == (90, 30, 0.5)
    best = max(record["classifiers"], key=lambda item: item["accuracy"])
    for item in record["classifiers"]:
        accuracies = item["accuracies"]
        assert item["accuracy"] == pytest.approx(np.mean(accuracies))
        assert (item["worst"], item["best"]) == (min(accuracies), max(accuracies))
        assert len(item["seconds"]) == 4
        assert item["median_seconds"] == np.median(item["seconds"]) > 0
        assert item["relative_gap"] == max(item["gaps"], default=None)
        low, high = resampled_interval(accuracies, 90, 30)
        if max(accuracies) > min(accuracies):
            assert (item["accuracy_low"], item["accuracy_high"]) == (max(low, 0), min(high, 1))
        behind = np.subtract(best["accuracies"], accuracies)
        assert item["behind_best"] == pytest.approx(behind.mean(), abs=1e-12)
        expected = (None, None)
        if max(behind) - min(behind) > 0.01:
            expected = resampled_interval(behind, 90, 30)
        assert (item["behind_best_low"], item["behind_best_high"]) == pytest.approx(expected)
    for item in record["classifiers"][:2]:
        assert 0 < item["relative_gap"] <= 1e-3
        assert item["stopped_short"] == 0


@pytest.mark.slow
def test_nothing_beyond_what_can_be(run, write, tmp_path):
    """All are right, or nearly: an interval has no end beyond 1, and is no point where all runs agree."""
    pairs = [("pos", f"great word{i % 9}") for i in range(30)] + [
        ("neg", f"awful word{i % 7}") for i in range(30)
    ]
    for runs in (2, 3):
        record = compare_json(run, write(pairs), "--runs", runs)
        for item in record["classifiers"]:
            assert 0 <= item["accuracy_low"] < item["accuracy"] <= item["accuracy_high"] <= 1
            assert item["behind_best_low"] is None or item["behind_best_low"] < item["behind_best_high"] <= 1
    out = run("compare", write(pairs), "--runs", 2).stdout
    assert not re.search(
        r" 1\.0*[1-9]| -|\(-|nan", out.split("Classifiers\n")[1].split("How they are made")[0]
    )


def test_two_runs_are_too_few_for_an_interval_of_differences(run, write, texts):
    corpus = write(texts(50))
    record = compare_json(run, corpus, "--runs", 2)
    for item in record["classifiers"]:
        assert (item["accuracy_low"], item["accuracy_high"]) == wilson_interval(
            round(10 * item["accuracy"]), 10
        )
        assert item["behind_best_low"] is None
    out = run("compare", corpus, "--runs", 2).stdout
    assert "mean difference in accuracy on the same splits, too few for an interval" in out
    assert "(" not in out.split("How they are made")[0]


def test_one_run_has_wilsons_interval(run, write, texts):
    record = compare_json(run, write(texts(50)), "--runs", 1)
    for item in record["classifiers"]:
        expected = wilson_interval(round(10 * item["accuracy"]), 10)
        assert (item["accuracy_low"], item["accuracy_high"]) == expected
        assert item["behind_best_low"] is None
    assert record["interval"].startswith("Wilson")


def test_corrected_interval():
    """Without the correction for what the splits share, it is Student's."""
    values = [0.8, 0.83, 0.79, 0.82, 0.85]
    student = stats.t.interval(0.95, 4, np.mean(values), stats.sem(values))
    np.testing.assert_allclose(resampled_interval(values, 10**12, 1), student)
    low, high = resampled_interval(values, 4000, 1000)
    assert high - low == pytest.approx((student[1] - student[0]) * (1 + 5 / 4) ** 0.5)
    assert (low + high) / 2 == pytest.approx(np.mean(values))


@pytest.mark.slow
def test_the_order_of_the_file_changes_nothing(run, write, texts):
    def numbers(pairs, seed=0):
        record = compare_json(run, write(pairs), "--runs", 2, "--seed", seed)
        return [(item["accuracies"], item["gaps"]) for item in record["classifiers"]]

    pairs = texts(60)
    assert numbers(pairs) == numbers(pairs[::-1]) != numbers(pairs, seed=2)


def test_words_of_the_held_out_texts_are_not_seen(run, write):
    pairs = [("pos" if i % 2 else "neg", f"word{i} shared") for i in range(50)]
    record = compare_json(run, write(pairs), "--runs", 2, "--k", "all")
    assert record["n_features"] == [41, 41]
    assert record["classifiers"][0]["n_features"] == [1, 1]  # in two texts or more


def test_what_is_printed(run, write, texts):
    result = run("compare", write(texts(100)), "--runs", 3)
    assert (result.exit_code, result.stderr) == (0, "")
    for pattern in (
        r"100 texts with 2 labels, 3 splits into 80 to train on and 20 held out\n",
        r"\nclassifier +accuracy +95 % interval +worst +best +behind best +CPU s +gap\n",
        r"\nperceptron +0\.\d{4} +0\.\d{4} to [01]\.\d{4} .* none\n",
        r"\ndefault .* \d\.\d{3} +\d\.\de-\d\d\n",
        r"\ndefault +what train chooses: .* in \d of 3.*; sdca-svm",
        r"\nlogistic-regression +words, weighed by tfidf; sdca-logistic",
        r"\nperceptron +words, the best 5,000, weighed by counts; perceptron",
        r"always guessing one label gets 0\.5000\n",
        r"corrected t, wider than Student's as the splits share their texts\n",
    ):
        assert re.search(pattern, result.stdout), (pattern, result.stdout)
    rows = result.stdout.split("Classifiers\n")[1].split("\n\n")[0].splitlines()
    assert [row.split()[0] for row in rows[1:]] == NAMES
    assert len({len(row.rstrip()) for row in rows}) == 1
    assert "Wilson's, of one split" in run("compare", write(texts(20)), "--runs", 1).stdout


@pytest.mark.slow
def test_where_most_texts_have_one_label_accuracy_is_not_what_counts(run, write, texts):
    pairs = texts(300)
    few = [pair for pair in pairs if pair[0] == "pos"][:15]
    corpus = write([pair for pair in pairs if pair[0] == "neg"] + few)
    record = compare_json(run, corpus, "--runs", 3)
    assert record["metric"] == "balanced-accuracy"
    for item in record["classifiers"]:
        assert item["value"] == pytest.approx(np.mean(item["values"]))
        assert item["value"] < item["accuracy"] or item["value"] == 1
    best = max(record["classifiers"], key=lambda item: item["value"])
    for item in record["classifiers"]:
        assert item["behind_best"] == pytest.approx(best["value"] - item["value"], abs=1e-12)
    out = run("compare", corpus, "--runs", 1).stdout
    assert re.search(r" best +balanced-accuracy +behind best ", out)
    assert "mean difference in balanced-accuracy" in out


def test_csv(run, write, texts):
    corpus = write(texts(60))
    rows = list(csv.DictReader(io.StringIO(run("compare", corpus, "--runs", 2, "--csv").stdout)))
    record = compare_json(run, corpus, "--runs", 2)
    assert [row["classifier"] for row in rows] == NAMES
    assert [float(row["accuracy"]) for row in rows] == [item["accuracy"] for item in record["classifiers"]]
    assert [row["relative_gap"] == "" for row in rows] == [False, False, True, False, False]
    both = run("compare", corpus, "--csv", "--json")
    assert (both.exit_code, both.stderr) == (2, "error: give --json or --csv, not both\n")


@pytest.mark.parametrize(("runs", "ending"), [pytest.param(1, "png", marks=pytest.mark.slow), (2, "svg")])
def test_plot(run, write, texts, tmp_path, runs, ending):
    pytest.importorskip("matplotlib")
    picture = tmp_path / f"a.{ending}"
    assert run("compare", write(texts(60)), "--runs", runs, "--plot", picture).exit_code == 0
    start = picture.read_bytes()[:100]
    assert start.startswith(b"\x89PNG") or b"<?xml" in start


def test_a_clock_that_stands_still_is_no_obstacle(run, write, texts, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(comparison, "process_time", lambda: 0.0)
    result = run("compare", write(texts(40)), "--runs", 1, "--plot", tmp_path / "a.png")
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_picture_that_cannot_be_written_is_found_before_the_work(run, tmp_path):
    pytest.importorskip("matplotlib")
    result = run("compare", "missing.txt", "--plot", "a.txt")
    assert (result.exit_code, result.stderr[:12]) == (2, "error: a.txt")


def test_runs_that_stop_short_are_counted(run, write, texts, monkeypatch):
    hasty = CLASSIFIERS["sdca-logistic"]._replace(epochs=1, alphas=(1e-9,))
    monkeypatch.setitem(CLASSIFIERS, "sdca-logistic", hasty)
    result = run("compare", write(texts(100)), "--runs", 2)
    assert result.exit_code == 0
    stopped = "note: the logistic-regression stopped short of the gap it aims at in 2 of 2 runs\n"
    assert result.stderr == stopped


def test_corpora_without_enough(run, write, texts):
    result = run("compare", write([("pos", "good")] * 9))
    assert result.exit_code == 1
    assert "'pos' is the only label; give texts with two labels or more" in result.stderr
    result = run("compare", write([("pos", "!"), ("neg", "?")] * 9, "csv"))
    assert result.exit_code == 1
    assert "no words in its texts; try --tokens split" in result.stderr
    result = run("compare", write([("pos", "a"), ("neg", "b")]), "--holdout", 0.5)
    assert result.exit_code == 1
    assert "is left to train on; give more texts" in result.stderr


def test_a_label_that_is_only_held_out_counts_as_a_mistake(run, write, texts):
    pairs = [*texts(100), ("rare", "mediocre words")]
    path = write(pairs)
    rare_out = [
        seed
        for seed in range(30)
        if "rare" in split_texts(*zip(*[p[::-1] for p in pairs], strict=True), 0.2, seed)[1][1]
    ]
    assert rare_out
    settings = replace(comparison.COUNTS, seed=rare_out[0])
    result = comparison.compare(Source(path), settings, runs=1)
    assert all(runs.accuracy <= 20 / 21 for runs in result.results)


def test_skipped_lines_are_named(run, tmp_path, texts):
    corpus = tmp_path / "a.txt"
    corpus.write_text(
        "".join(f"toys {y} {i}.txt {t}\n" for i, (y, t) in enumerate(texts(40))) + "toys 9.txt x\n"
    )
    result = run("compare", corpus, "--runs", 1)
    assert result.exit_code == 3
    assert result.stderr.splitlines() == [f"{corpus}, line 41: no label", f"{corpus}: 1 skipped"]


def test_verbose_names_the_stages(run, write, texts):
    result = run("compare", write(texts(50)), "--runs", 1, "-v")
    assert result.stderr.splitlines() == ["read ...", "compare ..."]


@pytest.mark.slow
def test_a_real_corpus(run, shared_data):
    record = compare_json(run, shared_data / "sentiment.txt", "--runs", 3)
    default, *others = record["classifiers"]
    assert default["accuracy"] > 0.86
    assert all(0.79 < item["accuracy"] < 0.85 and item["behind_best_low"] > 0 for item in others)
