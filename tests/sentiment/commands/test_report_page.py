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
from fastsvm_apps.common import html_pages
from fastsvm_apps.sentiment.output import answer_sections

TESTED = "held-out-texts labels true-and-predicted-labels roc-and-precision-recall calibration thresholds"
MODEL = "top-words the-most-certain-mistakes suspected-labels certificate reproduction"


def every_section(*choices, several=False):
    tested = TESTED.replace("roc-and-precision-recall", "precision-and-recall") if several else TESTED
    return ["corpus", *tested.split(), *choices, "learning-curve", *MODEL.split()]


QUICK = ("--recipe", "nb-words")  # a search for the recipe would take most of the time
SPLIT = (*QUICK, "--k", "all")


@pytest.fixture
def report(run, tmp_path):
    """Train with a report; return what the page holds and what was printed."""

    def report(corpus, *args):
        path = tmp_path / "report.html"
        result = run("train", corpus, "--json", "--report", path, *args)
        assert result.exit_code == 0, result.stderr
        return Reader(path.read_text(encoding="utf-8")), json.loads(result.stdout)

    return report


def sections(reader):
    return [attributes["id"] for attributes, _ in reader.all("section") if "id" in attributes]


def section(reader, name):
    (found,) = reader.texts("section", id=name)
    # The reader puts a space around every element.
    return re.sub(r" (?=[,.;])|(?<=\() | (?=\))", "", found)


def f1_of(table):
    """Return the mean F1 of a confusion table."""
    table = np.array(table)
    return np.mean(2 * table.diagonal() / (table.sum(axis=0) + table.sum(axis=1)))


def charts(reader):
    return [attributes["aria-label"] for attributes, _ in reader.all("svg", role="img")]


def test_the_figures_of_the_page_are_those_of_the_record(report, write, texts):
    reader, record = report(write(texts(400)), "--recipe", "article")
    assert sections(reader) == every_section()
    assert reader.texts("dd")[:4] == ["320", "80", "2", f"{record['n_features']}"]
    low, high = record["accuracy_interval"]
    assert f"80 texts (95 % interval {low:.4f} to {high:.4f})" in section(reader, "held-out-texts")
    model, guessing, _, f1, error = reader.texts("dd")[4:]
    assert model == f"{record['accuracy']:.4f}"
    assert guessing == f"{record['baseline']['accuracy']:.4f}"
    assert float(f1) == pytest.approx(f1_of(record["confusion"]), abs=1e-4)
    assert error == f"{record['calibration_error']['value']:.4f}"
    (confusion,) = reader.texts("table", **{"class": "confusion"})
    (a, b), (c, d) = record["confusion"]
    assert confusion == rf"true \ predicted neg pos neg {a} {b} pos {c} {d}"
    counts = charts(reader)[3].removeprefix("Texts by probability.")
    assert sum(map(int, re.findall(r": (\d+)", counts))) == 80
    weight = np.abs(fastsvm.load_model(record["model"])["classifier"].coef_).max()
    assert f"{weight:.4f}" in section(reader, "top-words")
    mistakes = section(reader, "the-most-certain-mistakes")
    assert len(re.findall("true neg, predicted pos|true pos, predicted neg", mistakes)) == min(b + c, 12)
    assert f"{record['objective']:.6g}" in section(reader, "certificate")
    assert f"by more than {100 * record['relative_gap']:.2g} %" in section(reader, "certificate")


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

    monkeypatch.setattr(html_pages, "replace_file", full)
    result = run("train", write(texts(100)), "--json", "--report", "report.html")
    assert (result.exit_code, result.stderr) == (1, "error: report.html: No space left on device\n")
    record = json.loads(result.stdout)
    assert fastsvm.load_model(record["model"])
    assert os.listdir(tmp_path / "work") == ["reviews.safetensors"]


# Hostile texts, and a browser


def hostile_pairs():
    """Return labelled texts in which everything is foul."""
    # No corpus gives surrogates or NUL: texts with these are skipped.
    labels = [re.sub("[\ud800\x00]", "", name) for name in HOSTILE] + ["long" * 2_500]
    for i in range(160):
        label = labels[i % len(labels)]
        other = labels[(i + i // 20) % len(labels)]
        yield label, f"{label} {other} {'x' * 10_000}{i % 7} word{i}\n\u202eover"


@pytest.fixture(scope="module")
def hostile_corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "reviews.jsonl"
    path.write_text("".join(json.dumps({"text": t, "label": y}) + "\n" for y, t in hostile_pairs()))
    return str(path)


def test_hostile_texts_stay_text(report, hostile_corpus, tmp_path):
    reader, record = report(hostile_corpus, *SPLIT)
    assert len(record["labels"]) == 8
    assert sections(reader) == every_section("alpha", several=True)
    assert Counter(tag for tag, *_ in reader.elements)["script"] == 1
    for _, attributes, _ in reader.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src")]
    for name in HOSTILE[:4]:
        assert any(name.startswith(shown.rstrip("…")) for shown in reader.texts("bdi") if shown)
    content = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not set("\u202e\u2066\x00\x1b") & set(content)
    assert "x" * 1_000 not in content
    assert "long" * 100 not in content
    assert len(content) < 300_000


LOOK = """
document.querySelector(".sortable th button").click();
return { title: document.title, wide: document.documentElement.scrollWidth > innerWidth };
"""


@needs_chromium
def test_hostile_texts_in_the_browser(report, hostile_corpus, tmp_path):
    report(hostile_corpus, *SPLIT, "--classifier", "sdca-logistic")
    content = (tmp_path / "report.html").read_text(encoding="utf-8")
    found, problems = run_in_page(content, LOOK, tmp_path, width=360)
    assert problems == []
    assert not found["wide"]
    assert found["title"].startswith("Text classifier: ")
