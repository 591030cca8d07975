"""Rules of reading that hold in every format, and for every command that takes a corpus."""

import json
import os
import re
from pathlib import Path
from unicodedata import normalize

import pytest

from fastsvm_apps import sentiment
from fastsvm_apps.common.paths import Writes
from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.record_formats import FORMATS, SEPARATORS
from fastsvm_apps.sentiment.data.text_source import TextSource


def table(separator, label="Label", text="Text"):
    return f"{label}{separator}{text}\n", f"{{}}{separator}{{}}\n"


# One corpus in many forms: what begins it, each line, the encoding, and the options that read it.
ODD = {
    **{f"fasttext {b!r}": ("", f"\t__label__{{}}{b}{{}}\n", "utf-8") for b in " \t\v\f\0\r"},
    "label at the end": ("", "{1}\t__label__{0} \n", "utf-8"),
    **{f"Text{s}Label": (*table(s), "utf-8-sig") for s in "".join(SEPARATORS.values())},
    "Excel's separator": (f'"sep=;"\n{table(";")[0]}', table(";")[1], "utf-8-sig"),
    "names": (*table(";", "Mood", "Review"), "utf-8", "--text-col", "REVIEW", "--label-col", "mood"),
    "UTF-16": (*table("\t"), "utf-16"),
    "JSON": ("", '{{"TEXT": "{1}", "Label": " {0} "}}\n', "utf-8"),
}
COMMANDS = {  # each that has --format: its arguments, and what it says of a corpus
    "train": ("--alpha 0.01 --holdout 0", "label_counts"),
    "train --stream": ("--alpha 0.01 --holdout 0", "label_counts"),
    "evaluate": ("{model}", "accuracy"),
    "inspect": ("--folds 0", "label_counts"),
    "predict": ("{model}", "score"),
}
READERS = [name for name, command in main.commands.items() if "format" in [p.name for p in command.params]]


@pytest.mark.parametrize("command", ["train --stream", *READERS])
@pytest.mark.parametrize("name", ODD)
def test_every_command_reads_it_alike(run, write, texts, tmp_path, model, name, command):
    (begin, line, encoding, *options), (given, field) = ODD[name], COMMANDS[command]
    content = begin + "".join(line.format(*pair) for pair in texts(60))
    (tmp_path / "odd").write_bytes(content.encode(encoding))
    found = []
    for more in [write(texts(60), "csv")], [tmp_path / "odd", *options[: 2 if command == "predict" else 4]]:
        result = run(*command.split(), *given.format(model=model).split(), *more, "--json", "-q")
        found.append([json.loads(each)[field] for each in result.stdout.splitlines()])
    assert found[0] == found[1] != []


@pytest.mark.parametrize("command", ["train --stream", *READERS])
def test_every_command_reads_the_folders_in_a_folder(run, write, texts, tmp_path, model, command):
    given, field = COMMANDS[command]
    flat, deep = (Path(write(texts(60), "folder", name)) for name in ("flat", "deep"))
    for folder in [*deep.iterdir()]:
        (inner := deep / "inner").mkdir()
        (folder.rename(inner / "2023")).parent.rename(folder)
    for path in flat, deep:
        (path / "README.txt").write_text("about")
        os.symlink("nowhere", path / "pos/link")
    told = "2 files left out, in no label's folder or not regular, such as README.txt"
    found = []
    for path in flat, deep:
        result = run(*command.split(), *given.format(model=model).split(), path, "--json")
        found.append([json.loads(each)[field] for each in result.stdout.splitlines()])
        assert result.stderr.count(told) == (command != "predict"), result.stderr
    assert found[0] == found[1] != []
    [reads] = [p.type for p in main.commands[command.split()[0]].params if p.param_type_name == "argument"]
    inner = str(next(deep.rglob("2023/*.txt")))
    assert reads.uses(str(deep), inner, Writes("text")), "an output may replace what is read"


@pytest.mark.parametrize("command", ["train --stream", *READERS])
def test_every_command_says_what_it_could_not_read(run, tmp_path, model, command):
    """In another encoding are 299 of 300 texts, or all, or the head of the table."""
    given, rows = COMMANDS[command][0].format(model=model).split(), ["K\xf6ln;neg\n", "caf\xe9;pos\n"] * 150
    given += ["--cost", "1:5"] if command == "evaluate" else []
    for head, first in ("text;label\n", "sure;Ja\n"), ("text;label\n", ""), ("Gr\xf6\xdfe des;label\n", ""):
        (tmp_path / "new.csv").write_bytes("".join([head, first, *rows[bool(first) :]]).encode("cp1252"))
        result = run(*command.split(), *given, tmp_path / "new.csv")
        told, name = result.stderr, "new.csv: " if command == "train" else ""
        assert result.exit_code > 0
        assert re.search("UTF-8.*--encoding|--encoding.*UTF-8", told, re.DOTALL), told
        assert "udc" not in told
        assert not first or re.search(rf"{name}.*299 (skipped|predicted)", told), told
        if command == "train":
            with pytest.raises(ValueError, match=r"UTF-8.* encoding\b"):
                sentiment.train(tmp_path / "new.csv")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_may_have_a_byte_order_mark(write, texts, tmp_path, format, encoding):
    path = write(texts(9), format, "there")
    for file in (tmp_path / "there").rglob("*.txt") if format == "folder" else [tmp_path / "there"]:
        file.write_bytes(file.read_text().encode(encoding))
    found = read_corpus(TextSource(path, format))
    assert sorted(zip(found.labels, found.texts, strict=True)) == sorted(texts(9))


@pytest.mark.parametrize("more", [(), ("--stream",)])
def test_a_model_remembers_its_columns_and_names_labels_that_are_alike(run, write, texts, tmp_path, more):
    pairs = [(y.title() if i < 9 else y, x) for i, (y, x) in enumerate(texts(90))]
    begin, line = table(";", "Mood", "Body")
    (own := tmp_path / "own.csv").write_text(begin + "".join(line.format(*pair) for pair in pairs))
    given = "--text-col", "Body", "--label-col", "Mood", "-o", "m.safetensors"
    assert "'Neg' and 'neg', 'Pos' and 'pos' count" in run("train", own, *given, *more).stderr
    first, second = (run("evaluate", "m.safetensors", path).stdout for path in (own, write(pairs, "csv")))
    (*first, command), (*second, _) = first.splitlines(), second.splitlines()
    assert first == second != []
    assert command == f"next: fastsvm-sentiment evaluate m.safetensors {own} -v"
    assert run("predict", "m.safetensors", own).stdout.startswith("Mood;Body;label;score;note\n")
    assert run("predict", "m.safetensors", input="great\n").exit_code == 0
    assert "no column 'text' among" in run("predict", "m.safetensors", own, "--text-col", "text").stderr


@pytest.mark.parametrize("signs", ["कि की", "বি বা", "தி தா", "בֶּ בָּ", "vị vĩ", "😀 😂"])
def test_words_keep_their_marks(run, write, signs):
    """Texts that differ in a vowel sign only; of signs alone, characters are tried."""
    words, is_word = normalize("NFD", signs).split(), signs[0].isalpha()
    form, recipe = ("w{} {} w{}", "nb-words") if is_word else ("{1}!", "auto")
    pairs = [("ab"[i % 2], form.format(i % 7, words[i % 2], i % 5)) for i in range(120)]
    scores = []
    for each in "NFC", "NFD":
        corpus = write([(y, normalize(each, x)) for y, x in pairs], "csv")
        assert json.loads(run("train", corpus, "--recipe", recipe, "--json", "-q").stdout)["accuracy"] == 1
        asked = "explain", "reviews.safetensors", normalize(each, pairs[1][1])
        scores.append(json.loads(run(*asked, "--json").stdout)["score"])
        assert normalize(each, words[1]) in run(*asked).stdout
    assert scores[0] == scores[1]
