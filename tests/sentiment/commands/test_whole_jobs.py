"""Whole jobs of a user, for each format: train on a file, give labels to another one, try the model on it."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from csv_rows import rows_of
from fastsvm.text import TextScorer
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_source import TextSource
from refusal import assert_refused


@pytest.mark.parametrize("format", ["corpus", "csv", "tsv", "jsonl", "fasttext", "folder"])
def test_train_predict_evaluate(run, write, texts, format):
    packed = format in ("tsv", "jsonl")
    ending = ".gz" if packed else ""
    trained = run(
        *("train", write(texts(200), format, f"old.{format}{ending}", packed), "-o", "m.safetensors"),
        *("--recipe", "nb-words", "--classifier", "sdca-logistic", "--alpha", 0.002, "--json"),
    )
    assert trained.exit_code == 0, (trained.stderr, trained.exception)
    pairs = texts(60, seed=1)
    if format in ("csv", "tsv", "jsonl"):
        pairs[5] = "pos", 'a "great", great\nthing, it\'s "great"'
    new = write(pairs, format, f"new.{format}{ending}", packed)
    scored = run("predict", "m.safetensors", new, "--proba", "-o", "scored.csv")
    assert (scored.exit_code, scored.stdout, scored.stderr) == (0, "", "scored.csv: written\n")

    given = rows_of("scored.csv")
    if format == "folder":  # in the order of names
        by_place = {f"{label}/{i}.txt": (label, text) for i, (label, text) in enumerate(pairs)}
        pairs = [by_place[row["file"]] for row in given]
    mine = "label" if format == "folder" else "predicted_label"
    model = TextScorer.load("m.safetensors")
    expected = model.predict_proba([text for _, text in pairs])
    assert [row[mine] for row in given] == model.classes_[expected.argmax(axis=1)].tolist()
    assert [float(row["p(pos)"]) for row in given] == pytest.approx(expected[:, 1], rel=1e-5)
    if format != "folder":  # its columns are carried along
        assert [(row["label"], row["text"]) for row in given] == pairs

    evaluated = json.loads(run("evaluate", "m.safetensors", new, "--json").stdout)
    right = sum(row[mine] == label for row, (label, _) in zip(given, pairs, strict=True))
    assert evaluated["accuracy"] == right / 60
    if format != "folder":  # what predict wrote is a corpus in its turn
        again = run("evaluate", "m.safetensors", "scored.csv", "--json").stdout
        assert json.loads(again)["accuracy"] == right / 60


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "fasttext"])
def test_what_is_quoted_for_spreadsheets_is_read_as_it_was(run, write, texts, format):
    signs, beginnings = {"neg": "-", "pos": "+"}, ["=", "- ", "@", "a\n-" if format != "fasttext" else "+"]
    beginnings += ["'=", "''-", "'"] if format in ("jsonl", "fasttext") else []
    pairs = [
        (signs[label], f"{beginnings[i // 2 % len(beginnings)]}{text}")
        for i, (label, text) in enumerate(texts(400))
    ]
    old, new = (write(part, format, f"{len(part)}.{format}") for part in (pairs[:199], pairs[199:]))
    assert run("train", old, "-o", "m.safetensors").exit_code == 0
    outputs = {f"scored.{ending}": ("predict", "m.safetensors", new) for ending in ("csv", "tsv", "jsonl")}
    outputs |= {path.replace("scored", "next"): (*each, "--next", 9) for path, each in outputs.items()}
    outputs |= {"mistakes.csv": ("evaluate", "m.safetensors", new), "suspects.csv": ("inspect", old)}
    answers = {"next": "predicted", "suspects": "suggested"}
    for path, command in outputs.items():
        written = "--mistakes" if path == "mistakes.csv" else "-o"
        assert run(*command, written, path).exit_code == 0, path
        answer = answers.get(path.partition(".")[0], "predicted_label")
        answered = read_corpus(TextSource(path, label_column=answer))
        assert {*answered.labels.names} == {*signs.values()}, path
        assert len(answered.texts) == 201 if path.startswith("scored") else len(answered.texts) > 5, path
        assert {*answered.texts} <= {text for _, text in pairs}, path
        if not path.startswith("next"):  # whose labels are to be filled in
            found = read_corpus(TextSource(path))
            assert {*zip(found.labels.spelled, found.texts, strict=True)} <= {*pairs}, path
    told = [
        json.loads(run("evaluate", "m.safetensors", each, "--json").stdout) for each in (new, "scored.csv")
    ]
    assert told[0]["accuracy"] == told[1]["accuracy"] > 0.7


def test_several_labels_are_quoted_together(run, write):
    """A spreadsheet and the reader see one field, whatever stands between its labels."""
    kinds = {"+a": "good fine", "-b": "late slow", "@c": "cheap", "e": "rest"}
    pairs = [
        (f"{first};{second}", f"{kinds[first]} {kinds[second]} {i}")
        for i in range(30)
        for first, second in combinations(kinds, 2)
    ]
    mine = write(pairs, "csv")
    assert run("train", mine, "-o", "m.safetensors", "--label-sep", ";").exit_code == 0
    assert run("predict", "m.safetensors", mine, "-o", "scored.csv").exit_code == 0
    found = read_corpus(TextSource("scored.csv", label_column="predicted_label", label_separator=";"))
    assert [*found.labels.names] == sorted(kinds)


@pytest.fixture
def answers(run, model, tmp_path):
    """Run predict on the content of a file of that name, and return what it did."""

    def answers(content, *options, name="new.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return run("predict", model, path, *options)

    return answers


def test_what_is_no_table_of_texts_keeps_its_lines(answers):
    prose = "text, and more of it\ngreat, really\ndull, I say\n"
    result = answers(prose, name="new.txt")
    assert [line.count("\t") for line in result.stdout.splitlines()] == [2, 2, 2]  # nothing is known
    table = answers("text,id\ngreat,1\ndull,2\n", name="new.txt").stdout
    assert table.startswith("text,id,label,score,note\n")
    assert answers("text,id\nno other line\nhas a comma\n", name="new.txt").stdout.count("\n") == 3
    forced = answers("text,id\ngreat,1\ndull,2\n", "--format", "text")
    assert forced.stdout.count("\n") == 3
    refused = answers("great, really\ndull\n")
    assert_refused(refused, 2, "no column 'text' among great, really; choose one with --text-col")


def test_json_objects_are_carried_through(answers):
    lines = [{"text": "great", "deep": {"a": [1]}, "n": 1.5}, {"text": None}, {"x": 1}]
    lines += [{"text": "dull", "label": 3}]
    content = "\n".join([*map(json.dumps, lines), "oops"])
    result = answers(content, "--proba", name="new.jsonl")
    assert result.exit_code == 3
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["label"] for record in found] == ["pos", None, None, 3, None]
    assert found[3]["predicted_label"] == "neg"
    assert {name: found[0][name] for name in lines[0]} == lines[0]
    assert found[0]["probabilities"].keys() == {"neg", "pos"}
    assert found[1] == {"text": None, "label": None, "score": None, "probabilities": None}


def test_the_ending_says_what_is_written(answers):
    content = 'text\tid\ngreat "stuff"\t1\n"dull\tthing"\t2\n'
    table = 'text\tid\tlabel\tscore\tnote\ngreat "stuff"\t1\tpos\t'
    assert answers(content, name="new.tsv").stdout.startswith(table)
    for name, delimiter in (("s.csv", ","), ("s.tsv", "\t"), ("s.txt", "\t")):
        assert answers(content, "-o", name, name="new.tsv").exit_code == 0
        assert [row["text"] for row in rows_of(name, delimiter)] == ['great "stuff"', "dull\tthing"]
    assert answers("great\ndull\n", "-o", "s.jsonl", name="new.txt").exit_code == 0
    found = [json.loads(line) for line in Path("s.jsonl").read_text().splitlines()]
    assert [(record["text"], record["label"]) for record in found] == [("great", "pos"), ("dull", "neg")]


def test_several_inputs(run, model, write, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("text,id\ngreat,1\n")
    second.write_text("text,id\ndull,2\n")
    both = run("predict", model, first, second).stdout.splitlines()
    one = run("predict", model, second).stdout.splitlines()
    assert both[0] == one[0]
    assert both[2:] == one[1:]
    second.write_text("id,text\n2,dull\n")
    refused = run("predict", model, first, second, "-o", "scored.csv")
    assert_refused(refused, 1, f"{second}: has other columns than {first}; predict it separately")


def test_folders_keep_their_names(run, model, tmp_path):
    for name, content in {"new/b.txt": "dull", "new/more/a.txt": "great", "new/.hidden": "no"}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    lines = run("predict", model, tmp_path / "new").stdout.splitlines()
    found = [line.split("\t")[:2] for line in lines]
    assert found == [["file", "label"], ["b.txt", "neg"], ["more/a.txt", "pos"]]


def test_other_encodings_and_separators(answers):
    content = "id;text\n1;great caf\xe9\n2;dull or so\n"
    for encoding in ("cp1252", "utf-16", "utf-8-sig", "utf-32-le"):
        result = answers(content.encode(encoding), "--encoding", encoding)
        assert (result.exit_code, result.stderr) == (0, ""), encoding
        rows = [line.split(";")[:3] for line in result.stdout.splitlines()]
        assert rows[1:] == [["1", "great caf\xe9", "pos"], ["2", "dull or so", "neg"]]
    result = answers(content.encode("cp1252"))
    assert result.exit_code == 3
    assert "new.csv, line 2: bytes that are not UTF-8\n" in result.stderr
    assert "give their encoding with --encoding, for example cp1252 or utf-16\n" in result.stderr
    wrong = answers("text\ngreat\n".encode("utf-16-le") + b"\0\xd8", "--encoding", "utf-16-le")
    assert wrong.exit_code == 1
    assert "new.csv: is not utf-16-le" in wrong.stderr


def test_unsure(answers, model):
    scorer = TextScorer.load(model)
    lines = ["great", "dull", "thing1", "great dull"]
    second = scorer.predict_proba(lines)[:, 1]
    low, high = sorted(abs(second[2:] - 0.5))[-1] + 0.001, 0.999
    band = f"{0.5 - low:.4f}-{0.5 + low:.4f}"
    found = answers("\n".join(lines), "--unsure", band, name="new.txt").stdout.splitlines()
    assert [line.split("\t")[0] for line in found] == ["pos", "neg", "unsure", "unsure"]
    found = answers("\n".join(lines), "--unsure", high, "--proba", name="new.txt").stdout.splitlines()
    assert {line.split("\t")[0] for line in found} == {"unsure"}


def test_top(answers, run, model, model3, tmp_path):
    result = answers("text\ngreat\ndull\n", "--top", 5, "--proba")
    rows = rows_of(result.stdout)
    assert [(row["label"], row["label_2"]) for row in rows] == [("pos", "neg"), ("neg", "pos")]
    assert all(float(row["score"]) == -float(row["score_2"]) > 0 for row in rows)
    file = tmp_path / "new3.txt"
    file.write_text("great\nmediocre\n")
    decision = TextScorer.load(model3).decision_function(["great", "mediocre"])
    found = [line.split("\t") for line in run("predict", model3, file, "--top", 2).stdout.splitlines()]
    for row, values in zip(found, decision, strict=True):
        best = sorted(values, reverse=True)[:2]
        assert [float(row[1]), float(row[3])] == pytest.approx(best, rel=1e-5)
    lines = run("predict", model3, file, "--top", 2, "--json").stdout.splitlines()
    objects = [*map(json.loads, lines)]
    assert [[best["label"] for best in one["top"]] for one in objects] == [row[::2] for row in found]


def test_records_are_written_as_they_stand(answers):
    lines = ["text,id", '"great",1', 'great "x" y,2', '"two\nlines, dull",3', ",4", '"""q"" great","5"']
    lines += ['"great" it is,6', "great,=1+1", "short", "not,two,fields"]
    result = answers("\n".join(lines))
    assert result.exit_code == 3
    written = result.stdout.split("\n", 1)[1]
    for line in lines[1:4] + lines[5:8]:
        assert f"{line},pos," in written or f"{line},neg," in written
    assert "\n,4,,,\n" in written
    assert written.endswith('\nshort,,,,\nnot,"two,fields",,,\n')
    assert "new.csv, line 6: no text\n" in result.stderr
    assert "new.csv, line 10: 1 fields, where the header has 2\n" in result.stderr
    assert "new.csv: 3 without a label\n" in result.stderr


def test_a_column_that_is_asked_for_is_not_overlooked(answers, run, model):
    result = answers("review,id\ngreat,1\n", "--text-col", "text1", name="new.txt")
    assert_refused(result, 2, r"was found; give the format of the file with --format csv\|tsv\|jsonl")
    streamed = run("predict", model, "--text-col", "review", "--format", "csv", input="review,id\ngreat,1\n")
    assert streamed.stdout.startswith("review,id,label,score,note\ngreat,1,pos,")
