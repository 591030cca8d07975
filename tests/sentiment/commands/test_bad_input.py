"""Bad input: one line on stderr that says what to do, nothing on stdout, and no model.

Or, where some of it can be used: what cannot is named and counted.
"""

import gzip
import re
from pathlib import Path

import pytest

import fastsvm
from refusal import assert_refused

TWO = "toys pos 1.txt great\ntoys neg 2.txt dull\n"


def fails(*args):
    assert_refused(*args)
    assert not list(Path.cwd().iterdir())


@pytest.mark.parametrize(
    ("content", "exit_code", "pattern"),
    [
        ("", 1, "bad.txt: the file is empty; give a file of labelled texts"),
        ("\n\n", 1, "bad.txt: the file is empty"),
        ("label\ttext\n", 1, "bad.txt: no labelled text, read as tsv"),
        ("toys pos 1.txt great\n" * 5, 1, "'pos' is the only label; give texts with two labels or more"),
        (
            "I like it, a lot\nso much\n",
            1,
            "cannot tell .* line, 'I like it, a lot'; name its columns with --text-col",
        ),
        (
            "title\tlabel\nbook\t5\n",
            2,
            "line 1: no column 'text' among title, label; choose one with --text-col",
        ),
        ("pos\tgood\n", 2, "no column 'text' nor 'label' among pos, good; .* --text-col and --label-col"),
        ("text,shop\nbook,5\n", 2, "no column 'label' among text, shop; choose one with --label-col"),
        ("word, " * 999 + "text,label", 1, "no labelled text"),
        ("word, " * 999 + "x,label\n1", 2, r"no column 'text' among (word, ){12}\.\.\.; choose"),
        ('[{"text": "a", "label": "b"}]', 1, "cannot tell .*; write JSON as one object per line"),
        ('{"text": "a", "label": null}\n', 1, "no labelled text, read as jsonl; .*such as line 1: no label"),
        (" text , label \na,b\n", 1, "'b' is the only label"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", 1, "bad.txt: is not text in UTF-8; give CSV"),
        (b"\xff\xfet\x00o\x00", 1, "cannot tell its format from the first line, 'to'"),
        (gzip.compress(TWO.encode() * 999, mtime=0)[:-20], 1, "bad.txt: damaged gzip data"),
        (TWO, 1, "only the label .* is left to train on, in 1 text; give more texts .*, or --holdout 0"),
        ('{"title": "great"}\n' * 3, 1, "no labelled text, read as jsonl; .*no key 'label' among title"),
        (b"a b 1.txt \xff\na c 2.txt \xff\n", 1, "no labelled text.*line 1: bytes that are not UTF-8"),
        ("text,label\n" + "".join(f"a,{i}\n" for i in range(10)), 1, "10 labels, such as '0', in 10 texts"),
        ('{"text": "a", "text": "b", "label": "c"}\n', 1, r"not JSON \(the key 'text' occurs twice"),
        ("text;text;label\na;b;c\n", 2, "line 1: two columns are called 'text'"),
        ('{\n "text": "a"\n}\n', 1, "cannot tell .*; write JSON as one object per line"),
    ],
)
def test_corpus(run, tmp_path, content, exit_code, pattern):
    corpus = tmp_path / "bad.txt"
    corpus.write_bytes(content if isinstance(content, bytes) else content.encode())
    fails(run("train", corpus), exit_code, pattern)


@pytest.mark.parametrize("command", ["train", "inspect"])
def test_an_error_about_a_format_names_the_help_that_lists_them(run, tmp_path, command):
    (tmp_path / "bad.txt").write_text("I like it, a lot\n")
    help = f"{command} --help"
    fails(run(command, tmp_path / "bad.txt"), 1, rf"cannot tell .* \(formats: '.*{help}'\)$")
    assert "JSON lines" in run(command, "--help").stdout


@pytest.mark.parametrize(
    ("options", "exit_code", "pattern"),
    [
        ("--text-col label", 2, "--text-col and --label-col are both 'label'"),
        ("--alpha nan", 2, "--alpha.*not auto or a number from 1e-30 to 1e\\+30"),
        ("--alpha 1e-300", 2, "--alpha.*'1e-300' is not auto or a number from"),
        ("--class-weight pos=1e300", 2, "--class-weight: '1e300' is not a weight from .* for 'pos'"),
        ("--alpha 1 --classifier perceptron", 2, "--alpha has no effect on the perceptron; leave it out"),
        ("--alpha auto --classifier perceptron", 2, "--alpha auto does not work with perceptron;"),
        ("--recipe best", 2, "'best' is not one of"),
        ("--k 0", 2, "--k"),
        ("--holdout nan", 2, "--holdout"),
        ("--ngrams 3-2", 2, "--ngrams.*such as 1-2"),
        ("--classifier svm", 2, "--classifier.*sdca-svm"),
        ("--class-weight 5", 2, "'5' is neither balanced nor LABEL=W"),
        ("--class-weight pos=much", 2, "'much' is not a weight from 1e-30 to 1e\\+30 for 'pos'"),
        ("--class-weight pos=2 --class-weight pos=3", 2, "a label has two weights"),
        ("--class-weight pos=2 --class-weight balanced", 2, "not both"),
        ("--class-weight spam=2", 2, "has no label 'spam'; it has 'neg', 'pos'"),
        ("--folds 1", 2, "--folds"),
        ("--folds 26", 1, "50 texts are too few for --folds 26"),
        ("--stream --class-weight nix=2", 2, "has no label 'nix'; it has 'neg', 'pos'"),
        ("--stream --recipe nb-both", 2, 'give chars = "none" in --config or --ngrams none'),
        ("--stream --k 9", 2, "give --k all"),
        ("--stream --folds 3", 2, "--folds needs all texts in memory"),
        ("--stream --report page.html", 2, "--report needs all texts in memory"),
        ("--format xml", 2, "--format"),
        ("--format folder", 2, "--format folder cannot read a file"),
        ("--alhpa 1", 2, "No such option.*see 'fastsvm-sentiment train --help'"),
        ("-o -", 2, "cannot go to stdout"),
        ("-o no/m.safetensors", 1, r"cannot be written \(No such file or directory\); choose another path"),
        ("--config missing.toml", 1, "missing.toml: No such file or directory"),
        ("-v --report -", 2, "an HTML page cannot go to stdout"),
        ("-v --report .", 1, "is a folder; give a file"),
        ("--epochs 5", 2, r"--epochs is set in a file: give --config FILE with epochs = 5 \(see"),
        ("--chars 1-5", 2, r'--chars is set in a file: give --config FILE with chars = "1-5" \(see'),
        ("--refit --json", 2, r"--refit is set in a file: give --config FILE with refit = ... \(see"),
    ],
)
def test_options(run, write, texts, options, exit_code, pattern):
    fails(run("train", write(texts(50)), *options.split()), exit_code, pattern)


@pytest.mark.parametrize(
    ("line", "exit_code", "pattern"),
    [
        ("evaluate MODEL CORPUS --groups colour", 2, "no column 'colour' among id, label, text"),
        ("evaluate MODEL CORPUS --precision .9 --recall .9", 2, "one of --precision, --recall and --cost"),
        ("evaluate MODEL CORPUS --cost 1", 2, "is not two numbers above 0, such as 1:5"),
        ("evaluate MODEL CORPUS --mistakes -", 2, "cannot go to stdout"),
        ("evaluate MODEL CORPUS --mistakes missing/a.csv", 1, "cannot be written"),
        ("export MODEL --to pruned -o x", 2, "--to pruned needs --keep N or --min-weight W"),
        ("export MODEL --to liblinear -o -", 2, "a model cannot go to stdout; give a file with -o"),
        ("export MODEL --to pruned --min-weight 1e9 -o x", 2, r"no term has a weight of 1e\+09 or more; "),
        ("export MODEL --to liblinear --keep 0 -o x", 2, "--keep"),
        ("export MODEL --to json -o x", 2, "--to"),
        ("export MODEL --to liblinear", 2, "-o"),
        ("predict MODEL --proba --threshold 1.5", 2, "--threshold"),
        ("predict MODEL --proba --threshold nan", 2, "--threshold"),
        ("explain MODEL --label pos", 2, "--label needs a TEXT"),
        ("explain MODEL great --csv", 2, "show the top words of MODEL; leave out TEXT"),
        ("explain MODEL what a waste", 2, "4 arguments, where MODEL and TEXT are expected; .* in quotes"),
        ("explain MODEL --json --csv", 2, "not both"),
        ("explain MODEL -n 0", 2, "-n"),
        ("explain MODEL3 great --label good", 2, "not know the label 'good'; its labels are mixed, neg, pos"),
        ("evaluate MODEL3 CORPUS --recall .9", 2, "a model of two labels; this one has 3"),
        ("predict MODEL3 --threshold 1", 2, "--threshold needs a model of two labels; this one has 3"),
        ("predict MODEL3 --unsure .4-.6", 2, "--unsure A-B needs a model of two labels, but this one has 3"),
        *((f"predict MODEL --unsure {wrong}", 2, "--unsure") for wrong in (".6-.4", "0-.5", "2", "x", "0")),
        ("predict MODEL --encoding rot13", 2, "'rot13' is not a text encoding"),
        ("predict MODEL --text-col review", 2, "was found; give the format of the file with --format csv"),
        ("predict CORPUS CORPUS", 2, ".*: is not a model .*; MODEL comes first"),
        ("predict MODEL missing.txt", 1, "missing.txt: No such file"),
        ("evaluate missing.safetensors CORPUS", 1, "missing.safetensors"),
        ("export MODEL --to pruned --keep 5 -o missing/out", 1, "missing/out"),
        ("inspect CORPUS -o -", 2, "cannot go to stdout"),
        ("serve missing.safetensors", 1, "missing.safetensors"),
        ("serve CORPUS", 2, "is not a model"),
    ],
)
def test_options_of_other_commands(run, write, texts, model, model3, line, exit_code, pattern):
    places = {"CORPUS": write(texts(50), "csv"), "MODEL": model, "MODEL3": model3}
    words = [places.get(word, word) for word in line.split()]
    fails(run(*words, input="great\n"), exit_code, pattern)


def test_paths(run, write, texts, model, tmp_path):
    corpus = write(texts(50))
    fails(run("train"), 2, "Missing argument 'CORPUS'")
    fails(run("train", "missing.txt"), 1, "missing.txt: No such file or directory")
    before = run("train", "missing.txt", "-o", "missing/m.safetensors")  # the output is checked before
    fails(before, 1, "m.safetensors: cannot be written")
    fails(run("train", tmp_path / "work"), 1, "no labelled text, read as folder")
    fails(run("train", tmp_path / "work", "--format", "csv"), 2, "--format csv cannot read a folder")
    fails(run("train", corpus, "-o", tmp_path), 1, str(tmp_path))
    pytest.importorskip("matplotlib")
    fails(run("explain", model, "--plot", "missing/a.png"), 1, "missing/a.png: cannot be written")


def test_a_model_without_words(run, tmp_path):
    path = str(tmp_path / "bare.safetensors")
    fastsvm.save_model(fastsvm.SDCAClassifier().fit([[0.0], [1.0]], ["a", "b"]), path)
    fails(run("predict", path, input="x\n"), 1, "bare.safetensors: a model without a vocabulary")


# What can be used is used


def test_a_gzip_file_cut_short(reader, texts, tmp_path):
    content = gzip.compress("".join(f"toys {label} 1.txt {text}\n" for label, text in texts(1000)).encode())
    corpus = tmp_path / "a.txt.gz"
    for damaged in (content[:-20], content[: len(content) // 2], content[:5], content[:500] + b"!" * 999):
        corpus.write_bytes(damaged)
        fails(reader(corpus), 1, re.escape(str(corpus)) + ": damaged gzip data; copy or download .* again")
    fails(reader("-", input=content[:-20]), 1, "<stdin>: damaged gzip data")


def test_predict_from_a_gzip_file_cut_short(run, model, tmp_path):
    content = gzip.compress(("great\ndull\n" * 100_000).encode())
    file = tmp_path / "a.gz"
    file.write_bytes(content[: len(content) // 2])
    result = run("predict", model, file)
    assert result.exit_code == 1
    assert result.stdout.endswith("\n")
    assert {line.count("\t") for line in result.stdout.splitlines()} == {1}
    assert re.fullmatch(r"error: .*a\.gz: damaged gzip data; .*\n", result.stderr)


def test_many_labels_the_model_does_not_know(run, model, texts, tmp_path):
    corpus = tmp_path / "a.tsv"
    lines = [f"label{i}\t{text}" for i, (_, text) in enumerate(texts(300))]
    corpus.write_text("\n".join(["label\ttext", *lines]))
    result = run("evaluate", model, corpus)
    assert result.exit_code == 0
    assert re.search(r"unknown to the model: label0, .* \.\.\.; their texts count as mistakes", result.stderr)
    assert max(map(len, result.stderr.splitlines())) < 400
