"""suspects: wrong labels come first, and texts that are there more than once are found."""

import csv
import json
import random

import pytest

HEADER = ["place", "label", "suggested", "sure", "why", "text"]


def flipped(pairs, share, seed=0):
    """Give some texts another label; return the pairs, and which they are."""
    rng = random.Random(seed)
    labels = sorted({label for label, _ in pairs})
    wrong = set(rng.sample(range(len(pairs)), round(share * len(pairs))))
    return [
        (rng.choice([other for other in labels if other != label]) if i in wrong else label, text)
        for i, (label, text) in enumerate(pairs)
    ], wrong


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == HEADER
    return [dict(zip(HEADER, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    "labels", [("neg", "pos"), pytest.param(("neg", "pos", "mixed"), marks=pytest.mark.slow)]
)
def test_flipped_labels_come_first(run, write, texts, labels):
    # Texts that say clearly what they are: each word that speaks speaks for the label.
    clear = [(label, f"{text} really {label}ish") for label, text in texts(600, labels)]
    pairs, wrong = flipped(clear, 0.02)
    result = run("suspects", write(pairs, "tsv"), "-o", "found.csv", "-n", 12)
    assert result.exit_code == 0, result.stderr
    rows = rows_of("found.csv")
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


@pytest.mark.slow
def test_texts_that_are_there_twice(run, write, texts):
    pairs = texts(200)
    long = " ".join(f"only{i}" for i in range(40))
    pairs[10] = pairs[11] = ("pos", long)
    pairs[12] = ("neg", f"{long.upper()} !")
    pairs[13] = ("neg", f"{long} again")
    pairs[14] = ("pos", long)
    for i in range(20, 40):
        pairs[i] = (pairs[i][0], pairs[i + 100][1])
    result = run("suspects", write(pairs, "csv"), "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["n_conflicts"]) == (0, 2)
    conflicts = [one for one in record["suspects"] if "which is pos" in one["why"]]
    assert [(one["place"], one["suggested"], one["sure"]) for one in conflicts] == [
        (14, "pos", 0.6),
        (15, "pos", 0.6),
    ]
    assert conflicts[0]["why"] == "the same as line 12, which is pos"
    assert conflicts[1]["why"] == "nearly the same as line 12, which is pos"
    crossing = [one for one in record["suspects"] if one["why"].endswith("which is held out")]
    assert record["n_crossing"] == len(crossing) > 0
    all_in = json.loads(run("suspects", write(pairs, "csv"), "--json", "--holdout", 0).stdout)
    assert all_in["n_crossing"] == 0
    shown = run("suspects", write(pairs, "csv")).stdout
    assert "2 texts with another label elsewhere" in shown
    assert "the same as line 12, which is pos" in shown


@pytest.mark.slow
def test_places_and_formulas(run, write, texts, tmp_path):
    pairs, _ = flipped([(label, f"={text}") for label, text in texts(120)], 0.1)
    assert run("suspects", write(pairs, "folder"), "-o", "found.csv", "-n", 3).exit_code == 0
    row = rows_of("found.csv")[0]
    assert row["place"].split("/")[0] == row["label"]
    assert row["text"].startswith("'=")
    assert run("suspects", write(pairs, "csv"), "-o", "found.csv", "-n", 3, "--raw-csv").exit_code == 0
    assert rows_of("found.csv")[0]["text"].startswith("=")
    assert run("suspects", write(pairs, "csv"), "-n", 0).exit_code == 0


def test_labels_of_one_text_and_what_is_wrong(run, write, texts):
    rare = [*texts(60), ("odd", "a text like no other")]
    record = json.loads(run("suspects", write(rare), "--json").stdout)
    assert all(one["label"] != "odd" for one in record["suspects"])
    two = [("neg", "the same words"), ("pos", "the same words again")]
    for pairs, message in ((texts(20, ("pos",)), "the only label"), (two, "too few texts to judge")):
        result = run("suspects", write(pairs), "--tokens", "words")
        assert result.exit_code == 1
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    assert run("suspects", write(rare), "-o", "-").exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"), [("sentiment.txt", 0.4), ("imdb_10k.tsv", 0.6), ("sms_spam.tsv", 0.65)]
)
def test_real_labels(run, write, shared, name, least):
    """Of the surest, half as many as are flipped; the corpora have wrong labels of their own among them."""
    from fastsvm_apps.sentiment.data.corpus import Source, read_corpus

    corpus = read_corpus(Source(str(shared / name)))
    pairs, wrong = flipped(list(zip(corpus.labels, corpus.texts, strict=True)), 0.02)
    path = write(pairs, "jsonl")
    assert (
        run("suspects", path, "-o", "found.csv", "-n", len(wrong) // 2, "--tokens", corpus.tokens).exit_code
        == 0
    )
    found = [int(row["place"]) - 1 for row in rows_of("found.csv") if row["why"] == "contradicted"]
    assert len(found) == len(wrong) // 2
    assert len(wrong.intersection(found)) >= least * len(found)
