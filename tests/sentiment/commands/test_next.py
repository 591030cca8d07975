"""predict --next: the texts to label next, and the round back to train."""

import csv
import json

import numpy as np
import pytest

from fastsvm.text import TextScorer
from fastsvm_apps.common.csv_quoting import unquoted
from fastsvm_apps.sentiment.measures.prediction import least_sure
from refusal import assert_refused

ENDINGS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}


def read_rows(path, separator):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=separator))


@pytest.mark.parametrize("labels", [2, 3])
def test_the_least_certain_texts_come_first_and_no_two_alike(run, texts, write, model, model3, labels):
    path = model if labels == 2 else model3
    new = [text for _, text in texts(300, ("neg", "pos", "mixed")[:labels], seed=7)]
    decision = TextScorer.load(path).decision_function(new)
    lead = dict(zip(new, least_sure(decision, None)[1], strict=True))
    first = min(lead, key=lead.get)
    copies = [first.upper(), " ".join(reversed(first.split())), f"{first} and", ""]
    result = run("predict", path, "--next", "20", "--json", input="\n".join([*new, *copies]))
    assert (result.exit_code, result.stderr) == (0, "")
    records = [*map(json.loads, result.stdout.splitlines())]
    assert [*records[0]] == ["label", "text", "predicted", "unsure", "lead", "place"]
    assert len({*(record["text"] for record in records)}) == 20
    assert [record["lead"] for record in records] == sorted(record["lead"] for record in records)
    assert sum(record["text"].casefold().split()[:3] == first.split()[:3] for record in records) <= 1
    assert records[0]["lead"] <= lead[first] * 1.001
    assert max(record["lead"] for record in records) < np.median([*lead.values()])
    assert {record["label"] for record in records} == {""}


@pytest.mark.parametrize("ending", ENDINGS)
def test_train_reads_the_file_once_labels_are_there(run, texts, write, model, tmp_path, ending):
    new = [*texts(200, seed=8), ("neg", '=a "quoted", great\ttext')]
    known = dict(map(reversed, new))
    output, filled = tmp_path / f"next{ending}", tmp_path / f"filled{ending}"
    assert run("predict", model, write(new, "csv"), "--next", "150", "-o", output).exit_code == 0
    rows = read_rows(output, ENDINGS[ending])
    assert 100 < len(rows) <= 150
    assert rows[0]["place"].startswith("reviews.csv, line ") or "line" in rows[0]["place"]
    with open(filled, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]], delimiter=ENDINGS[ending], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "label": known[unquoted(row["text"])]} for row in rows)
    for options in ([], ["--continue", model]):
        result = run("train", filled, "--json", "-o", tmp_path / "new.safetensors", *options)
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout)["n_train"] > 80
    # Texts that the new model has learned from are not asked for again.
    again = run("predict", tmp_path / "new.safetensors", write(new, "csv"), "--next", "200", "--json")
    left = {json.loads(line)["text"] for line in again.stdout.splitlines()}
    assert left
    assert left.isdisjoint(unquoted(row["text"]) for row in rows)
    assert again.stderr.endswith("all others are training texts of the model, or nearly the same\n")


def test_options_of_other_outputs_are_refused(run, model):
    for option in (["--proba"], ["--top", "2"], ["--threshold", "0"], ["--unsure", "0.6"], ["--strict"]):
        told = f"--next writes texts to label, and does not support {option[0]}"
        assert_refused(run("predict", model, "--next", "5", *option, input="a\n"), 2, told)
