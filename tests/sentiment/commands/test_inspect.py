"""inspect: statistics of a corpus, duplicates, and wrong labels, the surest first."""

import json
import random
from collections import Counter

import numpy as np
import pytest

from csv_rows import rows_of
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs import corpus_description

QUICK = "inspect", "--folds", 0


def describe_json(run, *args, exit_code=0):
    result = run(*QUICK, *args, "--json")
    assert result.exit_code == exit_code, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("format", ["corpus", "tsv", "csv", "jsonl", "fasttext", "folder"])
def test_labels_lengths_and_words_of_every_format(run, write, texts, format):
    pairs = texts(101)
    record = describe_json(run, write(pairs, format), "-n", 3)
    assert (record["format"], record["n_texts"], record["skipped"]) == (format, 101, 0)
    assert record["label_counts"] == {"neg": 51, "pos": 50}
    assert [part["label"] for part in record["lengths"]] == [None, "neg", "pos"]
    for part in record["lengths"]:
        own = [text for label, text in pairs if part["label"] in (None, label)]
        assert part["n_texts"] == len(own)
        for unit, lengths in ("tokens", [len(t.split()) for t in own]), ("characters", [*map(len, own)]):
            quantiles = np.percentile(lengths, [0, 25, 50, 75, 95, 100])
            np.testing.assert_allclose([*part[unit].values()], [np.mean(lengths), *quantiles])
    counts = Counter(word for _, text in pairs for word in text.split())
    words = record["words"]
    assert (words["total"], words["distinct"]) == (1010, len(counts))
    assert words["once"] == sum(n == 1 for n in counts.values())
    assert [word["count"] for word in words["frequent"]] == sorted(counts.values())[:-4:-1]
    for word in words["frequent"]:
        assert counts[word["word"]] == word["count"]
        assert word["texts"] == sum(word["word"] in text.split() for _, text in pairs)


def test_words_are_those_that_train_counts(run, write):
    corpus = write([("pos", "A Good, good-ish thing !"), ("neg", "? - !")], "csv")
    record = describe_json(run, corpus)
    assert {word["word"] for word in record["words"]["frequent"]} == {"a", "good", "ish", "thing"}
    assert (record["words"]["texts_without"], record["words"]["places_without"]) == (1, [3])
    assert "1 text without words: line 3\n" in run(*QUICK, "-v", corpus).stdout


def test_copies(run, tmp_path):
    corpus = tmp_path / "a.txt"
    lines = ["pos good", "neg bad thing", "pos bad thing", "pos good", "", "neg Bad  THING", "neg dull"]
    lines += ["pos good", *["neg many"] * 7, "pos many"]
    corpus.write_text("".join(f"__label__{line}\n" if line else "\n" for line in lines))
    record = describe_json(run, corpus)
    exact, near = record["exact_copies"], record["near_copies"]
    assert (exact["groups"], exact["spare"], exact["conflicts"]) == (3, 10, 2)
    assert [(one["size"], [(m["place"], m["label"]) for m in one["members"]]) for one in exact["named"]] == [
        (8, [(9, "neg"), (10, "neg"), (11, "neg"), (12, "neg"), (16, "pos")]),
        (2, [(2, "neg"), (3, "pos")]),
        (3, [(1, "pos"), (4, "pos"), (8, "pos")]),
    ]
    assert (near["groups"], near["spare"], near["conflicts"]) == (1, 1, 0)
    assert near["named"][0]["members"] == [{"place": 2, "label": "neg"}, {"place": 6, "label": "neg"}]


def test_characters(run, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_description, "BATCH_CHARACTERS", 4)
    corpus = tmp_path / "a.txt"
    lines = "pos 1.txt abcé привет 好かカ 7!", "neg 2.txt ab\x01c\x85\x1b\ttab \ufffd ａΩ", "pos 3.txt plain"
    corpus.write_bytes("\n".join(f"toys {line}" for line in lines).encode())
    characters = describe_json(run, corpus)["characters"]
    letters = {"ASCII": 14, "Cyrillic": 6, "Latin beyond ASCII": 2, "Chinese characters": 1}
    letters |= {"Hiragana": 1, "Katakana": 1, "Greek": 1}
    assert characters["letters"] == sum(letters.values())
    assert characters["scripts"] == {name: n / 26 for name, n in letters.items()}
    assert [*characters["scripts"]][:3] == ["ASCII", "Cyrillic", "Latin beyond ASCII"]
    assert (characters["texts_beyond_ascii"], characters["replacement"]) == (2, 1)
    assert (characters["control"], characters["texts_with_control"]) == (3, 1)


def test_what_is_skipped_is_counted_by_problem(run, tmp_path):
    corpus = tmp_path / "a.txt"
    lines = [b"toys pos 1.txt caf\xe9", b"toys neg 2.txt fine", b"toys pos 3.txt", b"toys 4.txt no label"]
    corpus.write_bytes(b"\n".join([*lines, b"toys pos 5.txt b\xff"]))
    record = describe_json(run, corpus, exit_code=3)
    assert record["skipped"] == 4
    assert record["skipped_by_problem"] == {"bytes that are not UTF-8": 2, "no text": 1, "no label": 1}
    result = run(*QUICK, "-v", corpus)
    assert "bytes that are not UTF-8        2\n" in result.stdout
    assert f"{corpus}: 4 skipped" in result.stderr.splitlines()


def flipped(pairs, share, seed=0):
    """Give some texts another label; return the pairs, and which they are."""
    rng = random.Random(seed)
    labels = sorted({label for label, _ in pairs})
    wrong = set(rng.sample(range(len(pairs)), round(share * len(pairs))))
    others = {label: [other for other in labels if other != label] for label in labels}
    return [(rng.choice(others[y]) if i in wrong else y, x) for i, (y, x) in enumerate(pairs)], wrong


@pytest.mark.parametrize(
    "labels", [("neg", "pos"), pytest.param(("neg", "pos", "mixed"), marks=pytest.mark.slow)]
)
def test_flipped_labels_come_first(run, write, texts, labels):
    # Texts that say clearly what they are: each word that speaks speaks for the label.
    clear = [(label, f"{text} really {label}ish") for label, text in texts(600, labels)]
    pairs, wrong = flipped(clear, 0.02)
    result = run("inspect", write(pairs, "tsv"), "-o", "found.csv", "-n", 12)
    assert result.exit_code == 0, result.stderr
    rows = rows_of("found.csv")
    assert [*rows[0]] == ["place", "label", "suggested", "sure", "why", "text"]
    contradicted = [row for row in rows if row["why"] == "contradicted"]
    places = [int(row["place"]) - 2 for row in contradicted]  # there is a header
    assert len(wrong) == 12
    assert len(wrong & set(places)) >= 11
    for row, i in zip(contradicted, places, strict=True):
        assert (row["label"], row["text"]) == pairs[i]
        if i in wrong:
            assert row["suggested"] == clear[i][0]
    sure = [float(row["sure"]) for row in contradicted]
    assert sure == sorted(sure, reverse=True)
    assert 0.5 <= sure[-1] <= sure[0] <= 1


@pytest.mark.parametrize("options", [(), ("--alpha", 0.0003, "--holdout", 0)], ids=["auto", "fixed"])
def test_train_lists_flipped_labels_and_estimates_their_share(run, write, texts, options):
    clear = [(label, f"{text} really {label}ish") for label, text in texts(600, ("neg", "pos", "mixed"))]
    pairs, wrong = flipped(clear, 0.1)
    result = run("train", write(pairs, "tsv"), "--recipe", "nb-words", "--json", *options)
    found = json.loads(result.stdout)["suspected_labels"]
    assert (found["n"], len(found["texts"])) == (600, 5)
    assert found["n_strong"] <= found["n_contradicted"] < 1.5 * len(wrong)
    assert found["estimated_share"] == pytest.approx(0.1, abs=0.07)
    for one in found["texts"]:
        i = one["place"] - 2  # there is a header
        assert i in wrong
        assert (one["label"], one["text"]) == (pairs[i][0], pairs[i][1][:80])
        assert one["suggested"] == clear[i][0]


@pytest.mark.parametrize("more", [(), ("--stream",)])
def test_train_says_nothing_of_labels_that_it_has_no_scores_of(run, write, texts, more):
    pairs = texts(200) if more else [("pos", "good word"), ("pos", "good thing"), ("neg", "bad word")]
    result = run("train", write(pairs), "--recipe", "nb-words", "--json", "--holdout", 0, *more)
    assert json.loads(result.stdout)["suspected_labels"] is None


@pytest.mark.slow
def test_texts_that_are_there_twice(run, write, texts):
    pairs = texts(200)
    long = " ".join(f"only{i}" for i in range(40))
    pairs[10] = pairs[11] = ("pos", long)
    pairs[12] = ("neg", f"{long.upper()} !")
    pairs[13] = ("neg", f"{long} again")
    pairs[14] = ("pos", long)
    for i in range(20, 40):
        pairs[i] = pairs[i + 100][0], " ".join(f"both{i}x{k}" for k in range(40))
        pairs[i + 100] = pairs[i][0], f"{pairs[i][1]} again"  # exact copies are on one side
    result = run("inspect", write(pairs, "csv"), "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["n_conflicts"]) == (0, 2)
    conflicts = [one for one in record["suspects"] if "which is pos" in one["why"]]
    found = [(one["place"], one["suggested"], one["sure"]) for one in conflicts]
    assert found == [(14, "pos", 0.6), (15, "pos", 0.6)]
    assert conflicts[0]["why"] == "the same as line 12, which is pos"
    assert conflicts[1]["why"] == "nearly the same as line 12, which is pos"
    crossing = [one for one in record["suspects"] if one["why"].endswith("which is held out")]
    assert record["n_crossing"] == len(crossing) > 0
    all_in = json.loads(run("inspect", write(pairs, "csv"), "--json", "--holdout", 0).stdout)
    assert all_in["n_crossing"] == 0


def test_labels_of_one_text_and_what_is_wrong(run, write, texts):
    rare = [*texts(60), ("odd", "a text like no other")]
    record = json.loads(run("inspect", write(rare), "--json").stdout)
    assert all(one["label"] != "odd" for one in record["suspects"])
    two = [("neg", "the same words"), ("pos", "the same words again")]
    for pairs, message in ((texts(20, ("pos",)), "the only label"), (two, "too few texts to check")):
        result = run("inspect", write(pairs, "csv"))
        assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
        assert result.stderr.startswith("note: labels were not checked: ")
        assert message in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"), [("sentiment.txt", 0.4), ("imdb_10k.tsv", 0.6), ("sms_spam.tsv", 0.65)]
)
def test_real_labels(run, write, shared, name, least):
    """Of the surest, half as many as are flipped; the corpora have wrong labels of their own among them."""
    corpus = read_corpus(TextSource(str(shared / name)))
    pairs, wrong = flipped(list(zip(corpus.labels, corpus.texts, strict=True)), 0.02)
    path = write(pairs, "jsonl")
    assert run("inspect", path, "-o", "found.csv", "-n", len(wrong) // 2).exit_code == 0
    found = [int(row["place"]) - 1 for row in rows_of("found.csv") if row["why"] == "contradicted"]
    assert len(found) == len(wrong) // 2
    assert len(wrong.intersection(found)) >= least * len(found)
