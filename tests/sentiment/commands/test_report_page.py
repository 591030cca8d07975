"""The page that train --report writes: what it says, hostile texts, and how it fares in a browser."""

import errno
import json
import os
import re
import shlex
from collections import Counter

import numpy as np
import pytest
from devtools import run_in_page

import fastsvm
from browser import HOSTILE, Reader, needs_chromium
from fastsvm_apps.sentiment.output import answer_sections, training_output

QUICK = ("--recipe", "nb-words")  # a search for the recipe would take most of the time


@pytest.fixture
def report(run, tmp_path):
    """Train with a report; return what the page holds and what was printed."""

    def report(corpus, *args):
        path = tmp_path / "report.html"
        result = run("train", corpus, "--json", "--report", path, *args)
        assert result.exit_code == 0, result.stderr
        return Reader(path.read_text(encoding="utf-8")), json.loads(result.stdout)

    return report


def section(reader, name):
    (found,) = reader.texts("section", id=name)
    # The reader puts a space around every element.
    return re.sub(r" (?=[,.;])|(?<=\() | (?=\))", "", found)


def test_the_figures_of_the_page_are_those_of_the_record(report, write, texts):
    reader, record = report(write(texts(400)), "--recipe", "article")
    figures = record["accuracy"], record["baseline"]["accuracy"], record["calibration_error"]["value"]
    counts = record["n_train"], record["n_test"], record["n_features"]
    assert {*map(str, counts), *(f"{figure:.2f}" for figure in figures)} <= {*reader.texts("dd")}
    low, high = record["accuracy_interval"]
    assert f"80 texts (95 % interval {low:.2f} to {high:.2f})" in section(reader, "held-out-texts")
    (confusion,) = reader.texts("table", **{"class": "confusion"})
    (a, b), (c, d) = record["confusion"]
    assert confusion == rf"true \ predicted neg pos neg {a} {b} pos {c} {d}"
    weight = np.abs(fastsvm.load_model(record["model"])["classifier"].coef_).max()
    assert f"{weight:.4f}" in section(reader, "top-words")
    assert f"{record['objective']:.6g}" in section(reader, "certificate")
    assert f"is within {100 * record['relative_gap']:.2g} %" in section(reader, "certificate")


def test_words_are_marked_by_what_they_say(report, write):
    pairs = [("pos", "great thing"), ("neg", "awful thing")] * 100
    pairs += [("neg", f"great thing, <b{i}>word{i}") for i in range(10)]
    reader, record = report(write(pairs, "csv"), "--recipe", "article", "--holdout", 0.5)
    n_wrong = record["confusion"][0][1]
    assert n_wrong > 0
    assert record["confusion"] == [[record["confusion"][0][0], n_wrong], [0, record["confusion"][1][1]]]
    quotes = reader.texts("blockquote")
    assert len(quotes) == n_wrong
    assert quotes[0].startswith("great thing, <b")
    marks = [content for attributes, content in reader.all("mark") if attributes["class"] == "for-4"]
    assert Counter(marks) == {"great": n_wrong}


def test_labels_beyond_a_limit_are_counted_together(report, write, monkeypatch):
    monkeypatch.setattr(answer_sections, "LABELS_LISTED", 10)
    monkeypatch.setattr(answer_sections, "LABELS_CROSSED", 7)
    monkeypatch.setattr(answer_sections, "LABELS_SHADED", 8)
    labels = [f"label{i}" for i in range(14)]
    # Every label is found; the last of all is never told from the one before it.
    words = [*labels[:-1], labels[-2]]
    pairs = [(y, f"{word} word{j}") for y, word in zip(labels, words, strict=True) for j in range(10)]
    reader, record = report(write(pairs), *QUICK)
    assert len(record["labels"]) == 14
    (confusion,) = reader.all("table", **{"class": "confusion"})
    cells = [int(count) for found, count in reader.all("td") if "-" in found.get("class", "")]
    assert (sum(cells), len(cells)) == (2 * 14, 8**2)
    assert labels[-2] in confusion[1]


def test_the_command_gives_the_same_page_again(run, write, texts, tmp_path):
    corpus = write(texts(200), "csv", name="my reviews.csv")
    config = tmp_path / "options.toml"
    config.write_text('k = "all"\nngrams = 2\nmin_df = 3\n')
    args = ("--config", config, "--seed", 3, "--report", "a.html", "-q")
    assert run("train", corpus, *args).exit_code == 0
    first = (tmp_path / "work" / "a.html").read_text()
    *_, command = Reader(first).texts("code")
    assert command.startswith(f"fastsvm-sentiment train '{corpus}'")
    assert "--k all" in command
    assert "--ngrams 1-2" in command
    assert "--seed 3" in command
    again = *shlex.split(command)[1:], "--output", "my reviews.safetensors", "--report", "b.html"
    assert run(*again).exit_code == 0
    again = (tmp_path / "work" / "b.html").read_text()
    assert re.sub("<code>.*</code>", "", first) == re.sub("<code>.*</code>", "", again)


# Files


def test_a_page_that_cannot_be_written_costs_no_result(run, write, texts, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(training_output, "replace_file", full)
    result = run("train", write(texts(100)), "--json", "--report", "report.html")
    assert (result.exit_code, result.stderr) == (1, "error: report.html: No space left on device\n")
    record = json.loads(result.stdout)
    assert fastsvm.load_model(record["model"])
    assert os.listdir(tmp_path / "work") == ["reviews.safetensors"]


# Hostile texts, and a browser


LOOK = """
document.querySelector(".sortable th button").click();
return { title: document.title, wide: document.documentElement.scrollWidth > innerWidth };
"""


@needs_chromium
def test_hostile_texts_in_the_browser(report, tmp_path):
    """Everything in the texts is foul, but for surrogates and NUL: texts with these are skipped."""
    labels = [re.sub("[\ud800\x00]", "", name) for name in HOSTILE] + ["long" * 2_500]
    with open(tmp_path / "reviews.jsonl", "w") as corpus:
        for i in range(160):
            label, other = labels[i % len(labels)], labels[(i + i // 20) % len(labels)]
            text = f"{label} {other} {'x' * 10_000}{i % 7} word{i}\n\u202eover"
            corpus.write(json.dumps({"text": text, "label": label}) + "\n")
    report(corpus.name, *QUICK, "--k", "all", "--classifier", "sdca-logistic")
    content = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not set("\u202e\u2066\x00\x1b") & set(content)
    assert len(content) < 300_000
    found, problems = run_in_page(content, LOOK, tmp_path, width=360)
    assert problems == []
    assert not found["wide"]
    assert found["title"].startswith("Text classifier: ")
