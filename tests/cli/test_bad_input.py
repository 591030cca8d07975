"""Bad input: one line on stderr that says what to do, nothing on stdout, and no model."""

import gzip
import re
from pathlib import Path

import pytest

import fastsvm
from fastsvm_apps.common.output import printable

TWO = "toys pos 1.txt great\ntoys neg 2.txt dull\n"


def fails(result, exit_code, pattern):
    assert result.exit_code == exit_code, (result.stderr, result.exception)
    assert result.stdout == ""
    assert re.fullmatch(rf"error: .*{pattern}.*\n", result.stderr), result.stderr
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize(
    ("content", "exit_code", "pattern"),
    [
        ("", 1, "bad.txt: the file is empty; give a file of labelled texts"),
        ("\n\n", 1, "bad.txt: the file is empty"),
        ("label\ttext\n", 1, "bad.txt: no labelled text, read as tsv"),
        (
            "toys pos 1.txt great\n" * 5,
            1,
            "'pos' is the only label; give texts with two labels or more",
        ),
        (
            "I like it, a lot\nso much\n",
            1,
            "cannot tell .* line, 'I like it, a lot'; name it with --format",
        ),
        (
            "title\tstars\nbook\t5\n",
            2,
            "no column 'text' among title, stars; choose with --text-col",
        ),
        ("text,stars\nbook,5\n", 2, "no column 'label' among text, stars; choose with --label-col"),
        ("word, " * 999 + "text,label", 1, "no labelled text"),
        ("word, " * 999 + "x,label\n1", 2, r"no column 'text' among (word, ){12}\.\.\.; choose"),
        (b"\xff\xfet\x00o\x00", 1, "UTF-16; convert it to UTF-8"),
        (gzip.compress(TWO.encode() * 999)[:-20], 1, "bad.txt: damaged gzip data"),
        (TWO, 1, "only the label .* is left to train on; give more texts, or --holdout 0"),
        ('{"review": "great"}\n' * 3, 1, "no labelled text, read as jsonl .*no key 'label' among review"),
        (
            b"toys pos 1.txt \xff\ntoys neg 2.txt \xff\n",
            1,
            "no labelled text.*line 1: bytes that are not UTF-8",
        ),
        ("toys,pos,1.txt !\ntoys neg 2.txt ?\ntoys pos 3.txt .\n" * 9, 1, "no words in its texts"),
    ],
)
def test_corpus(run, tmp_path, content, exit_code, pattern):
    corpus = tmp_path / "bad.txt"
    corpus.write_bytes(content if isinstance(content, bytes) else content.encode())
    words = ["--tokens", "words"] if "no words" in pattern else []
    fails(run("train", corpus, *words), exit_code, pattern)


@pytest.mark.parametrize(
    ("options", "exit_code", "pattern"),
    [
        (["--alpha", "0"], 2, "--alpha"),
        (["--alpha", "-1"], 2, "--alpha"),
        (["--alpha", "nan"], 2, "--alpha.*not a finite number"),
        (["--alpha", "inf"], 2, "--alpha.*not a finite number"),
        (
            ["--alpha", "1", "--classifier", "perceptron"],
            2,
            "--alpha means nothing to the perceptron; leave it out",
        ),
        (["--k", "0"], 2, "--k"),
        (["--k", "some"], 2, "--k"),
        (["--epochs", "0"], 2, "--epochs"),
        (["--holdout", "1"], 2, "--holdout"),
        (["--holdout", "nan"], 2, "--holdout"),
        (["--ngrams", "3-2"], 2, "--ngrams.*such as 1-2"),
        (["--classifier", "svm"], 2, "--classifier.*sdca-svm"),
        (["--format", "xml"], 2, "--format"),
        (["--format", "folder"], 2, "not a folder"),
        (["--alhpa", "1"], 2, "No such option.*see 'fastsvm-sentiment train --help'"),
        (["-o", "-"], 2, "cannot go to stdout"),
        (
            ["-o", "missing/m.safetensors"],
            1,
            r"cannot be written \(No such file or directory\); choose another path",
        ),
        (["--config", "missing.toml"], 1, "missing.toml: No such file or directory"),
    ],
)
def test_options(run, write, texts, options, exit_code, pattern):
    fails(run("train", write(texts(50)), *options), exit_code, pattern)


def test_paths(run, write, texts, model, tmp_path):
    corpus = write(texts(50))
    fails(run("train"), 2, "Missing argument 'CORPUS'")
    fails(run("train", "missing.txt"), 1, "missing.txt: No such file or directory")
    fails(run("train", tmp_path / "work"), 1, "no labelled text, read as folder")
    fails(run("train", tmp_path, "--format", "csv"), 2, "is a folder")
    fails(run("train", corpus, "-o", tmp_path), 1, str(tmp_path))
    fails(run("evaluate", "missing.safetensors", corpus), 1, "missing.safetensors")
    fails(run("evaluate", model, "missing.txt"), 1, "missing.txt")
    fails(run("predict", corpus), 1, re.escape(corpus))
    fails(run("predict", model, "missing.txt"), 1, "missing.txt: No such file")
    fails(run("words", model, "--json", "--csv"), 2, "not both")
    fails(run("words", model, "-n", 0), 2, "-n")
    pytest.importorskip("matplotlib")
    fails(run("words", model, "--plot", "picture.xyz"), 1, "picture.xyz: .*name the picture with .png")
    fails(run("words", model, "--plot", "missing/a.png"), 1, "missing/a.png: No such file")


def test_the_output_is_checked_before_the_corpus_is_read(run):
    fails(run("train", "missing.txt", "-o", "missing/m.safetensors"), 1, "m.safetensors: cannot be written")


def test_a_model_without_words(run, tmp_path):
    path = str(tmp_path / "bare.safetensors")
    fastsvm.save_model(fastsvm.SDCAClassifier().fit([[0.0], [1.0]], ["a", "b"]), path)
    fails(run("predict", path, input="x\n"), 1, "bare.safetensors: a model without a vocabulary")


def test_printable():
    assert printable("naïve 日本\t\x1b") == "naïve 日本\\t\\x1b"
    assert printable("\udcff") == "\\udcff"
