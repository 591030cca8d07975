"""evaluate, predict and explain: what a saved model is used for."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import fastsvm
from fastsvm.model_files import load_plain, save_plain
from fastsvm.text import TextScorer
from fastsvm_apps import sentiment
from fastsvm_apps.sentiment.measures import prediction
from refusal import assert_refused

MIXED = "neg", "pos", "mixed"
NO_WORD = "1 text without a word that the model knows: the label follows from the intercept alone\n"


def test_evaluate_counts_unknown_labels_as_mistakes(run, write, texts, model):
    result = run("evaluate", model, write(texts(30, ("neg", "pos", "mixed"))), "--json")
    record = json.loads(result.stdout)
    assert record["labels"] == ["neg", "pos", "mixed"]
    assert sum(record["confusion"][2]) == 10
    assert record["accuracy"] <= 20 / 30
    warning, note = result.stderr.splitlines()
    assert warning.endswith("the model learned from 3 of these 30 texts: the figures may be too good")
    assert note == "note: labels unknown to the model: mixed; their texts count as mistakes"


@pytest.mark.parametrize("labels", [2, 3])
def test_predict_gives_labels_scores_and_probabilities_in_order(run, texts, model, model3, tmp_path, labels):
    path = model if labels == 2 else model3
    lines = [text for _, text in texts(3000, ("neg", "pos", "mixed"), seed=2)]
    lines[1] = ""
    (file := tmp_path / "new.txt").write_text("\n".join(lines))
    fitted = fastsvm.load_model(path)
    given, proba = fitted.predict(lines), fitted.predict_proba(lines)
    decision = fitted.decision_function(lines)
    score = decision if labels == 2 else decision.max(axis=1)
    own = proba[np.arange(len(lines)), np.searchsorted(fitted.classes_, given)]  # of the highest score
    for options, values in ((), score), (("--proba",), own):
        result = run("predict", path, file, *options)
        assert (result.exit_code, result.stderr) == (0, NO_WORD)
        found = [line.split("\t") for line in result.stdout.splitlines()]
        assert [i for i, row in enumerate(found) if row[2:] == ["no known term"]] == [1]
        assert [row[0] for row in found] == given.tolist()
        np.testing.assert_allclose([float(row[1]) for row in found], values, rtol=1e-5, atol=1e-6)
    objects = run("predict", path, file, "--proba", "--json").stdout.splitlines()
    records = [*map(json.loads, objects)]
    assert [record["label"] for record in records] == given.tolist()
    assert list(records[0]["probabilities"]) == fitted.classes_.tolist()
    np.testing.assert_array_equal([list(r["probabilities"].values()) for r in records], proba)
    np.testing.assert_array_equal([record["score"] for record in records], score)


@pytest.mark.parametrize(
    "way",
    [
        "",
        "--alpha 0.01 --class-weight balanced",
        "--classifier kernel-sdca",
        "--classifier perceptron",
        "--recipe tfidf-both --classifier sdca-logistic",
        "--stream",
        "--continue {model3}",
    ],
)
def test_the_label_is_the_most_probable_one_at_every_door(run, write, texts, model3, way):
    """Of labels that are unlike in number and in how hard they are."""
    pairs = [pair for i, pair in enumerate(texts(1800, MIXED)) if i % 3 < 2 or i % 2]
    corpus, new = write(pairs), write(texts(300, MIXED, seed=1), "csv")
    assert run("train", corpus, "-o", "m.safetensors", *way.format(model3=model3).split()).exit_code == 0
    pruned = run("export", "m.safetensors", "--to", "pruned", "--keep", 60, "-o", "p.safetensors")
    for path in ["m.safetensors", "p.safetensors"][: 2 if pruned.exit_code == 0 else 1]:
        records = [
            *map(json.loads, run("predict", path, new, "--proba", "--json", "--top", 3).stdout.splitlines())
        ]
        likely = np.array([list(record["probabilities"].values()) for record in records])
        loaded = sentiment.load(path)
        best = loaded.classes_[likely.argmax(axis=1)].tolist()
        assert [record["predicted_label"] for record in records] == best
        assert all(np.all(np.diff([each["probability"] for each in r["top"]]) <= 0) for r in records)
        rows = csv.DictReader(io.StringIO(run("predict", path, new, "--proba").stdout))
        assert [row["predicted_label"] for row in rows] == best
        lines = [record["text"] for record in records]
        for model in loaded, fastsvm.load_model(path), TextScorer.load(path):
            np.testing.assert_allclose(model.predict_proba(lines), likely, rtol=1e-9)
            assert model.predict(lines).tolist() == best
        accuracy = json.loads(run("evaluate", path, new, "--json").stdout)["accuracy"]
        assert accuracy == np.mean(
            [record["label"] == given for record, given in zip(records, best, strict=True)]
        )


def test_predict_reads_stdin_in_any_shape(run, model):
    plain = run("predict", model, input=b"great\ndull\n")
    assert [line.split("\t")[0] for line in plain.stdout.splitlines()] == ["pos", "neg"]
    for same in (b"great\ndull", b"great\r\ndull\r\n", b"\xef\xbb\xbfgreat\ndull\n"):
        assert run("predict", model, "-", input=same).stdout == plain.stdout
    assert run("predict", model, input=b"").stdout == ""


def test_predict_counts_texts_without_a_known_word(run, model):
    lines = b"great\nxyzzy\n\ngreat xyzzy\n\xe5\xa5\xbd\ngreat lovely sturdy bright perfect"
    result = run("predict", model, input=lines)
    assert result.exit_code == 0
    assert result.stderr == NO_WORD.replace("1 text", "3 texts")
    intercept = fastsvm.load_model(model)["classifier"].intercept_[0]
    label = "pos" if intercept > 0 else "neg"
    assert result.stdout.splitlines()[1] == f"{label}\t{intercept:.6g}\tno known term"
    assert run("predict", model, input=b"great lovely sturdy\nxyzzy").stderr == NO_WORD
    assert run("predict", model, "-q", input=lines).stderr == ""


def test_predict_threshold(run, texts, model):
    lines = [text for _, text in texts(40, seed=4)]
    fitted = fastsvm.load_model(model)
    decision, likely = fitted.decision_function(lines), fitted.predict_proba(lines)[:, 1]
    for options, values in ([], decision), (["--proba"], likely):
        threshold = float(np.sort(values)[-5])  # that value itself is enough
        result = run("predict", model, *options, "--threshold", repr(threshold), input="\n".join(lines))
        labels = [line.split("\t")[0] for line in result.stdout.splitlines()]
        assert labels == ["pos" if value >= threshold else "neg" for value in values]
        assert labels.count("pos") == 5
    # The probability is that of the label given, even where it is the smaller one.
    likely = run("predict", model, "--proba", "--threshold", "1", input="great great").stdout
    assert likely.startswith("neg\t0.0")


def test_predict_has_no_probabilities_where_the_model_has_none(run, write, texts):
    corpus = write(texts(60, ("neg", "pos", "mixed")))
    assert run("train", corpus, "-o", "m.safetensors", "--classifier", "perceptron").exit_code == 0
    uncalibrated = load_plain("m.safetensors")
    del uncalibrated["classifier"].calibration_
    save_plain(uncalibrated, "m.safetensors")
    error = "this model has scores but no probabilities; train one with --classifier sdca-logistic"
    assert_refused(run("predict", "m.safetensors", "--proba", input="great"), 2, error)


def test_the_model_that_comes_along(run, model, write, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(prediction, "SHIPPED", model)
    file = tmp_path / "new.txt"
    file.write_text("great\ndull\n")
    expected = run("predict", model, file).stdout
    assert run("predict", input="great\ndull\n").stdout == expected
    assert run("predict", "english", file).stdout == expected
    assert run("explain").stdout == run("explain", model).stdout
    expected = run("explain", model, "great dull").stdout
    for arguments in (["great dull"], ["english", "great dull"], ["-"]):
        assert run("explain", *arguments, input="great dull\n").stdout == expected
    corpus = write(texts(20))
    expected = run("evaluate", model, corpus).stdout
    result = run("evaluate", "english", corpus)
    assert result.stdout == expected.replace(
        f"next: fastsvm-sentiment evaluate {model} ", "next: fastsvm-sentiment evaluate english "
    )
    monkeypatch.setattr(prediction, "SHIPPED", "shipped/none.safetensors")
    assert_refused(run("predict", input="great"), 1, "this installation comes without a model; give a MODEL ")


def test_words_are_the_largest_weights(run, model):
    pipeline = fastsvm.load_model(model)
    weights = pipeline["classifier"].coef_[0]
    names = pipeline["vectorizer"].get_feature_names_out()
    order = np.argsort(weights)
    record = json.loads(run("explain", model, "-n", 4, "--json").stdout)["words"]
    assert [item["word"] for item in record["pos"]] == names[order[::-1][:4]].tolist()
    assert [item["word"] for item in record["neg"]] == names[order[:4]].tolist()
    np.testing.assert_array_equal([item["weight"] for item in record["neg"]], weights[order[:4]])


def test_words_as_csv(run, model):
    rows = list(csv.DictReader(io.StringIO(run("explain", model, "-n", 3, "--csv").stdout)))
    assert [row["label"] for row in rows] == ["neg"] * 3 + ["pos"] * 3


def test_words_plot(run, tmp_path, model3):
    pytest.importorskip("matplotlib")
    for name, start in ("words.png", b"\x89PNG"), ("words.svg", b"<?xml"):
        assert run("explain", model3, "--plot", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(start)


def test_words_without_matplotlib(run, model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = run("explain", model, "--plot", "a.png")
    assert_refused(result, 1, r'pictures need matplotlib: pip install "fastsvm\[plot\]"')


def test_words_that_look_like_formulas_are_drawn(run, tmp_path):
    corpus = tmp_path / "a.txt"
    corpus.write_text("toys pos 1.txt good \x1b[2J [bold]\ntoys neg 2.txt bad $x^\n" * 9)
    assert run("train", corpus, "-o", "m.safetensors").exit_code == 0
    pytest.importorskip("matplotlib")
    assert run("explain", "m.safetensors", "--plot", "a.png").exit_code == 0


def test_sample_is_a_table_of_reviews_to_train_on(run):
    rows = [*csv.DictReader(io.StringIO(run("sample").stdout))]
    assert len(rows) == 2000
    assert {row["label"] for row in rows} == {"neg", "pos"}
    assert all(row["text"] for row in rows)


def test_well_known_names_of_columns_are_found_and_named(run, texts):
    rows = [f"{i};{text};{label};-" for i, (label, text) in enumerate(texts(60))]
    Path("excel.csv").write_text("\n".join(["Id;Comment;Sentiment;review", *rows]))
    told = run("train", "excel.csv", "-o", "m.safetensors", "--recipe", "nb-words")
    assert told.exit_code == 0
    assert "texts are taken from 'Comment'; --text-col chooses another column" in told.stderr
    assert "labels are taken from 'Sentiment'; --label-col chooses" in told.stderr
    given = run(
        "train", "excel.csv", "-o", "m.safetensors", "--text-col", "Comment", "--label-col", "Sentiment"
    )
    assert "are taken from" not in given.stderr
    rows = [json.dumps({"content": text, "class": label}) for label, text in texts(60)]
    Path("web.jsonl").write_text("\n".join(rows))
    told = run("train", "web.jsonl", "-o", "m.safetensors", "--recipe", "nb-words")
    assert told.exit_code == 0
    assert "labels are taken from 'class'; --label-col chooses" in told.stderr


def test_a_line_of_a_table_with_one_column_is_one_text(run, model):
    texts = ["great, sturdy and bright", "awful", 'two, "quoted"', 'He said,"no"', "", "a, quoted, text"]
    Path("one.csv").write_text("Text\n" + "\n".join([*texts[:-1], f'"{texts[-1]}"']))
    result = run("predict", model, "one.csv")
    assert result.exit_code == 0
    rows = [*csv.DictReader(io.StringIO(result.stdout))]
    assert [row["Text"] for row in rows] == [*filter(None, texts)]
    assert all(row["label"] for row in rows)


def test_a_file_is_explained_as_one_text_and_lines_of_it_are_said_to_be_texts(run, texts):
    for i, (label, text) in enumerate(texts(60)):
        Path("mail", label).mkdir(parents=True, exist_ok=True)
        Path("mail", label, f"{i}.txt").write_text(text)
    assert run("train", "mail", "-o", "m.safetensors", "--recipe", "nb-words").exit_code == 0
    Path("letter.txt").write_text("great\n\nlovely\n")
    whole, told = (
        run("explain", "m.safetensors", "great\n\nlovely"),
        run("explain", "m.safetensors", "letter.txt"),
    )
    assert told.stdout == whole.stdout
    assert "letter.txt: the whole file is taken as one text" in told.stderr
    told = run("predict", "m.safetensors", "letter.txt")
    assert told.stdout.count("\n") == 3
    assert "letter.txt: each line is taken as a text; for one text per file" in told.stderr
