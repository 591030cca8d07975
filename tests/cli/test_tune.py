"""The search for the best recipe: its table, its config file, and texts that nothing is chosen by."""

import csv
import io
import json
import signal
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from fastsvm_apps.sentiment.data.corpus import Source, read_corpus
from fastsvm_apps.sentiment.jobs import tuning
from fastsvm_apps.sentiment.learning import search
from fastsvm_apps.sentiment.learning.alpha_choice import split_texts

GRID = ("--weightings", "counts,tfidf", "--ngrams", "1,2", "--k", "20,all", "--alphas", "0.1,0.01,0.001")
SMALL = ("--weightings", "tfidf", "--ngrams", "1", "--k", "all", "--alphas", "0.01")


def tune_json(run, *args):
    result = run("tune", *args, "--json")
    assert result.exit_code == 0, (result.stderr, result.exception)
    assert result.stderr == ""
    return json.loads(result.stdout)


def fails(result, exit_code, message):
    assert result.exit_code == exit_code, (result.stderr, result.exception)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert not list(Path.cwd().iterdir())


TWO, THREE = ("neg", "pos"), ("neg", "pos", "mixed")


@pytest.mark.parametrize(
    ("labels", "weighting"),
    [
        (TWO, "counts"),
        pytest.param(THREE, "binary", marks=pytest.mark.slow),
        pytest.param(TWO, "tfidf", marks=pytest.mark.slow),
        (THREE, "nb"),
    ],
)
def test_train_takes_the_config_and_finds_the_same(run, write, texts, labels, weighting):
    corpus = write(texts(200, labels), "csv")
    options = ("--weightings", weighting, "--ngrams", "1,2", "--k", "20,all", "--folds", 3, "--seed", 7)
    found = tune_json(run, corpus, *options, "--holdout", 0.25)
    best = found["best"]
    assert found["config"] == "reviews.toml"
    trained = run("train", corpus, "--config", "reviews.toml", "--json")
    assert trained.exit_code == 0, trained.stderr
    record = json.loads(trained.stdout)
    assert (record["alpha"], record["k"], record["seed"]) == (best["alpha"], best["k"], 7)
    assert (record["n_train"], record["n_test"]) == (found["n_train"], found["n_test"]) == (150, 50)
    assert record["accuracy"] == found["accuracy"] > 0.6
    assert record["accuracy_interval"] == found["accuracy_interval"]


def test_every_trial_once_and_the_best_first(run, write, texts):
    found = tune_json(run, write(texts(150)), *GRID, "--folds", 4)
    trials, best = found["trials"], found["best"]
    points = {(t["weighting"], t["ngrams"], t["k"], t["alpha"]) for t in trials}
    assert len(trials) == len(points) == 2 * 2 * 2 * 3
    assert trials[0] == best
    assert [t["mean"] for t in trials] == sorted((t["mean"] for t in trials), reverse=True)
    assert trials[0]["mean"] > trials[-1]["mean"]
    for trial in trials:
        assert len(trial["scores"]) == 4
        assert trial["mean"] == pytest.approx(np.mean(trial["scores"]))
        assert trial["deviation"] == pytest.approx(np.std(trial["scores"], ddof=1))
        assert trial["low"] < trial["mean"] < trial["high"]
    assert found["seconds"].keys() == {"read", "search", "evaluate", "save"}


def test_csv(run, write, texts):
    corpus = write(texts(100))
    result = run("tune", corpus, *GRID, "--csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    trials = tune_json(run, corpus, *GRID)["trials"]
    assert len(rows) == len(trials)
    for row, trial in zip(rows, trials, strict=True):
        assert (row["weighting"], row["k"], row["ngrams"]) == (
            trial["weighting"],
            str(trial["k"]),
            trial["ngrams"],
        )
        assert float(row["mean"]) == trial["mean"]
        assert [float(row[f"fold {i + 1}"]) for i in range(5)] == trial["scores"]


def test_table(run, write, texts):
    out = run("tune", write(texts(200)), *GRID).stdout
    lines = out.splitlines()
    assert lines[0].endswith("200 texts, 160 in 5 folds and 40 held out")
    head = lines.index("Recipes, each at its best alpha")
    assert lines[head + 1].split() == [
        "weighting",
        "words",
        "characters",
        "k",
        "alpha",
        "accuracy",
        "sd",
        "95",
        "%",
        "interval",
    ]
    table = [line.split() for line in lines[head + 2 : head + 10]]
    accuracies = [float(row[5]) for row in table]
    assert accuracies == sorted(accuracies, reverse=True)
    assert lines[head + 10] == ""
    assert lines[head + 11] == "The first of them on the held-out texts"
    assert lines[-1] == "reviews.toml"


def test_the_texts_held_out_are_those_of_train_and_nothing_learns_from_them(run, write, texts, monkeypatch):
    path = write(texts(200))
    seen = []
    choose = search.choose_alpha

    def watched(X, y, *args, **options):
        seen.append((X.shape[0], sorted(y)))
        return choose(X, y, *args, **options)

    monkeypatch.setattr(search, "choose_alpha", watched)
    found = tune_json(run, path, *GRID, "--seed", 3)
    corpus = read_corpus(Source(path))
    train, test = split_texts(corpus.texts, corpus.labels, 0.2, 3)
    assert seen == [(160, sorted(train[1]))] * 8
    assert found["n_test"] == len(test[0]) == 40


def test_labels_by_chance_stay_a_matter_of_chance(run, write):
    """Naive Bayes weights that had seen the left-out texts would find more."""
    rng = np.random.default_rng(0)
    pairs = [("ab"[i % 2], " ".join(f"word{j}" for j in rng.integers(0, 3000, 30))) for i in range(200)]
    found = tune_json(run, write(pairs), "--weightings", "nb", "--ngrams", 1, "--k", "50,all")
    assert found["best"]["mean"] < 0.65


def test_config_says_how_it_was_found(run, write, texts):
    corpus = write(texts(200), "tsv")
    found = tune_json(run, corpus, *SMALL, "--tokens", "split", "-o", "best.toml", "--format", "tsv")
    first, *rest = Path("best.toml").read_text().splitlines()
    assert first == (
        f"# Found by fastsvm-sentiment tune {corpus}: the best of 1 recipes, "
        f"accuracy {found['best']['mean']:.4f} "
        f"({found['best']['low']:.4f} to {found['best']['high']:.4f}) on 5 folds of 160 texts, "
        f"accuracy {found['accuracy']:.4f} on the 40 held out"
    )
    assert tomllib.loads("\n".join(rest)) == {
        "format": "tsv",
        "weighting": "tfidf",
        "ngrams": "1-1",
        "chars": "none",
        "k": "all",
        "alpha": 0.01,
        "classifier": "sdca-svm",
        "score": "f_classif",
        "tokens": "split",
        "min-df": 2,
        "holdout": 0.2,
        "seed": 0,
        "metric": "accuracy",
    }


def test_columns_go_into_the_config(run, tmp_path):
    corpus = tmp_path / "a \x7f\n.csv"
    corpus.write_text('stars,"bo ""dy""\x7f é"\n' + "5,good\n1,bad\n" * 20)
    columns = ("--text-col", 'bo "dy"\x7f é', "--label-col", "stars")
    tune_json(run, corpus, *SMALL, *columns, "-o", "a.toml")
    config = tomllib.loads(Path("a.toml").read_text())
    assert (config["text-col"], config["label-col"]) == (columns[1], "stars")
    assert run("train", corpus, "--config", "a.toml", "-o", "a.safetensors").exit_code == 0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_file(run, write, texts):
    corpus = write(texts(200))
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        tune_json(run, corpus, "--k", "20,all", "--weightings", "tfidf", "-o", f"{name}.toml", "--seed", seed)
        files.append(Path(f"{name}.toml").read_text())
    assert files[0] == files[1] != files[2]


def test_what_makes_no_difference_is_tried_once(run, write, texts):
    corpus = write(texts(100))
    options = (
        "--weightings",
        "tfidf,tfidf",
        "--ngrams",
        "1,1-1",
        "--k",
        "5000,all,9999,20",
        "--alphas",
        "0.1,0.1",
    )
    found = tune_json(run, corpus, *options)
    assert {(t["ngrams"], t["k"]) for t in found["trials"]} == {("1-1", "all"), ("1-1", 20)}
    assert len(found["trials"]) == 2


def test_without_holdout(run, write, texts):
    corpus = write(texts(100))
    found = tune_json(run, corpus, *SMALL, "--holdout", 0)
    assert (found["n_train"], found["n_test"], found["accuracy"]) == (100, 0, None)
    assert "held out" not in Path("reviews.toml").read_text()
    assert "none: --holdout 0 searches on every text" in run("tune", corpus, *SMALL, "--holdout", 0).stdout


def test_stdin_environment_and_skipped_texts(run, write, texts, monkeypatch):
    monkeypatch.setenv("FASTSVM_SENTIMENT_TUNE_K", "20,all")
    corpus = write([*texts(100), ("", "no label")], "csv")
    result = run(
        "tune", "-", "--weightings", "counts", "--ngrams", "1", "--json", input=Path(corpus).read_text()
    )
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-1] == "<stdin>: 1 skipped"
    record = json.loads(result.stdout)
    assert (record["config"], record["skipped"]) == ("model.toml", 1)
    assert {t["k"] for t in record["trials"]} == {20, "all"}


@pytest.mark.parametrize(
    ("options", "exit_code", "message"),
    [
        (("--weightings", "tfidf,bm25"), 2, "'bm25' is not one of"),
        (("--weightings", "tfidf,"), 2, "'' is not one of"),
        (("--ngrams", "1,2-1"), 2, "'2-1' is neither a number"),
        (("--k", "10,none"), 2, "--k"),
        (("--alphas", "0.1,0"), 2, "--alphas"),
        (("--alphas", "nan"), 2, "--alphas"),
        (("--folds", 1), 2, "--folds"),
        (("--classifier", "perceptron"), 2, "--classifier"),
        (
            ("--folds", 100),
            1,
            "have the label 'neg', too few for 100 folds; give more, or --folds 40",
        ),
        (("--json", "--csv"), 2, "give --json or --csv, not both"),
        (("-o", "-"), 2, "a config file cannot go to stdout"),
        (("-o", "no/such/a.toml"), 1, "no/such/a.toml: cannot be written"),
    ],
)
def test_bad_usage(run, write, texts, options, exit_code, message):
    fails(run("tune", write(texts(100)), *options), exit_code, message)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("pos", "great stuff")] * 9, "'pos' is the only label; give texts with two labels or more"),
        ([("pos", "great"), ("neg", "dull")], "too few"),
        ([("pos", "great"), ("neg", "dull")] * 9 + [("odd", "hm")] * 2, "too few for 5 folds"),
        ([("pos", "!"), ("neg", "?")] * 20, "no words in its texts; try --tokens split"),
    ],
)
def test_bad_corpora(run, write, pairs, message):
    fails(run("tune", write(pairs, "tsv")), 1, message)


def test_only_a_config_of_tune_is_replaced(run, write, texts):
    corpus = write(texts(100))
    mine = Path("reviews.toml")
    mine.write_text("k = 5\n")
    result = run("tune", corpus, *SMALL)
    assert (result.exit_code, mine.read_text()) == (1, "k = 5\n")
    assert result.stderr == (
        "error: reviews.toml: was not written by tune; it is not replaced, choose another path with -o\n"
    )
    mine.unlink()
    tune_json(run, corpus, *SMALL)
    before = mine.read_text()
    tune_json(run, corpus, *SMALL, "--seed", 5)
    assert mine.read_text() != before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_interrupt_leaves_what_was_there(start, write, texts, tmp_path):
    config = tmp_path / "best.toml"
    config.write_text(f"{tuning.FIRST_LINE}\nk = 5\n")
    process = start("tune", write(texts(1000)), "-v", "-o", config, "--folds", 400)
    before = set(tmp_path.rglob("*"))
    while process.stderr.readline() != "search ...\n":
        assert process.poll() is None
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 1
    assert process.stdout.read() == ""
    assert process.stderr.read() == "error: interrupted; no config file was written\n"
    assert set(tmp_path.rglob("*")) == before
    assert config.read_text() == f"{tuning.FIRST_LINE}\nk = 5\n"


@pytest.mark.slow
def test_a_real_corpus_of_six_labels(run, shared_data):
    """The domains of the reviews as labels."""
    lines = (shared_data / "sentiment.txt").read_text().splitlines()
    pairs = [line.split(" ", 3) for line in lines[::5]]
    Path("domains.tsv").write_text(
        "label\ttext\n" + "".join(f"{domain}\t{text}\n" for domain, _, _, text in pairs if '"' not in text)
    )
    options = ("--ngrams", 1, "--weightings", "counts,tfidf", "--k", "2000,all", "--tokens", "split")
    found = tune_json(run, "domains.tsv", *options)
    assert len(found["label_counts"]) == 6
    assert found["accuracy"] > 0.75


@pytest.mark.slow
def test_a_search_with_a_timeout_goes_on_with_the_best_third(run, write, texts):
    corpus = write(texts(1200))
    found = tune_json(run, corpus, *GRID, "--timeout", 600, "--alphas", "0.001,0.01", "--min-df", 1)
    assert found["ended"] is None
    recipes = {n: {} for n in (320, 960)}
    for trial in found["trials"]:
        key = trial["weighting"], trial["ngrams"], trial["k"]
        recipes[trial["n"]][key] = max(trial["mean"], recipes[trial["n"]].get(key, 0))
    assert (len(recipes[320]), len(recipes[960])) == (8, 3)
    assert set(recipes[960]) == set(sorted(recipes[320], key=recipes[320].get, reverse=True)[:3])
    assert found["best"]["n"] == 960
    assert found["best"]["alpha"] in (0.001, 0.01)
    assert {trial["alpha"] for trial in found["trials"] if trial["n"] == 320} == {0.003, 0.03}
    out = run("tune", corpus, *GRID, "--timeout", 600).stdout
    assert out.index("on 960 texts") < out.index("on 320 texts")


def test_what_was_found_when_the_time_is_up_or_on_an_interrupt(run, write, texts, monkeypatch):
    corpus, choose, times = write(texts(1200)), search.choose_alpha, []

    def cut_short(*args, **options):
        times.append(1)
        if len(times) == 6:
            raise KeyboardInterrupt
        return choose(*args, **options)

    monkeypatch.setattr(search, "choose_alpha", cut_short)
    result = run("tune", corpus, *GRID)
    assert (result.exit_code, result.stderr) == (0, "interrupted; the best recipe so far was written\n")
    assert "the best of 5 recipes" in Path("reviews.toml").read_text()
    times.clear()
    seconds = iter(range(1000))
    monkeypatch.setattr(search, "monotonic", lambda: next(seconds))
    found = tune_json(run, corpus, *GRID, "--timeout", 12, "--alphas", "0.001")
    assert found["ended"] == "timeout"
    assert {trial["n"] for trial in found["trials"]} == {320}
    assert len(found["trials"]) == 2
    config = tomllib.loads(Path("reviews.toml").read_text())
    assert config["alpha"] == 0.001
    seconds = iter(range(1000))
    result = run("tune", corpus, *GRID, "--timeout", 1)
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: {corpus}: 1 seconds were too few to try a recipe; raise --timeout\n",
    )
