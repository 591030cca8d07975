"""Bad input: one line on stderr that says what to do, nothing on stdout, and nothing half-written."""

import os
import re
from importlib.resources import files

import numpy as np
import pytest

import fastsvm
from fastsvm_apps.common.classifiers import CLASSIFIERS
from fastsvm_apps.common.options import STRENGTH
from refusal import assert_refused

ENGLISH = files("fastsvm_apps.sentiment") / "shipped" / "english.safetensors"


@pytest.fixture
def fails(run, work):
    """Run a command line that must fail."""

    def fails(*args, code=1, pattern):
        before = sorted(work.rglob("*"))
        assert_refused(run(*args), code, pattern)
        assert sorted(work.rglob("*")) == before

    return fails


COMMANDS = {"crop": "TOP -o out", "train": "TOP", "classify": "TOP -m MODEL", "evaluate": "MODEL TOP"}


def on(command, model, top):
    """Return the line of a command on some images."""
    return [command, *({"TOP": top, "MODEL": model}.get(word, word) for word in COMMANDS[command].split())]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_images(fails, svm, command, tmp_path):
    fails(*on(command, svm, "missing"), pattern="missing: .*No such file or directory")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/notes.txt").touch()
    fails(*on(command, svm, tmp_path / "empty"), pattern="empty: no images .* found; give an image or a ")


@pytest.mark.parametrize(
    ("options", "code", "pattern"),
    [
        (("crop", "-o", "o", "--size", "0"), 2, "--size"),
        (("crop", "-o", "o", "--cell-width", "nan"), 2, "--cell-width"),
        (("crop", "-o", "o", "--cell-width", "10"), 2, "--cell-width"),
        (("crop", "-o", "-", "--json"), 2, "both write to stdout"),
        (("crop", "-o", "boxes.csv", "--gray"), 2, "change crops; give -o a folder to write crops to"),
        (("crop", "-o", "no/boxes.csv"), 1, "no/boxes.csv: cannot be written"),
        (("crop", "-o", "file"), 1, "file: is a file; give a folder"),
        (("classify", "--overlay", "file"), 1, "file: is a file; give a folder"),
        (("train", "--alpha", "0"), 2, "--alpha"),
        (("train", "--alpha", "inf"), 2, "--alpha"),
        (("train", "--folds", "0"), 2, "--folds"),
        (("train", "--classifier", "tree"), 2, "--classifier"),
        (("train", "--classifier", "perceptron", "--alpha", "1"), 2, "--alpha has no effect on the perc"),
        (("train", "-o", "-"), 2, "cannot go to stdout"),
        (("train", "-o", "no/m.safetensors"), 1, r"no/m.safetensors: cannot be written \(No such"),
        (("train", "-o", "."), 1, "is a folder; give a file"),
        (("train", "--labels", "no.csv"), 1, "no.csv: No such file"),
        (("train", "--groups", "no.csv"), 1, "no.csv: No such file"),
        (("classify", "--json", "--csv"), 2, "give --json or --csv, not both"),
        (("classify", "-o", "-"), 2, "--csv prints the table"),
        (("classify", "-o", "no/c.csv"), 1, "no/c.csv: cannot be written"),
        (("classify", "--report", "no/r.html"), 1, "no/r.html: cannot be written"),
        (("classify", "--config", "no.toml"), 1, "no.toml: No such file"),
        (("classify", "--export", "a.txt"), 2, "writes no .txt files; give .json or .geojson or a folder"),
        (("classify", "--pixel-size", "0"), 2, "0.0 is not in the range"),
        (("classify", "--measurements", "-"), 2, "cannot go to stdout"),
        *((("classify", "--also", names), 2, "--also") for names in ("wbc", "rbc,", "", "rbc,parasites")),
        *((("classify", "--min-score", value), 2, "--min-score") for value in ("1.5", "-1", "nan", "much")),
        (("evaluate", "--mistakes", "no/a.png"), 1, "no/a.png: cannot be written"),
    ],
)
def test_options(fails, folder, svm, work, options, code, pattern):
    (work / "file").write_text("mine")
    command, *rest = options
    top = folder(0, 1, 20, 21, by_label=True)
    model = {"classify": ["-m", svm], "evaluate": [svm]}.get(command, [])
    fails(command, *model, top, *rest, code=code, pattern=pattern)
    assert (work / "file").read_text() == "mine"


def test_labels(fails, folder, svm, tmp_path):
    top = folder(0, 1)
    fails("train", top, pattern="no image has a label; use one folder per label, or give --labels")
    fails("evaluate", svm, top, pattern="no image has a label")
    only = folder(0, 1, name="only", by_label=True)
    fails("train", only, pattern="'LYMPHOCYTE' is the only label; give images of two or more")
    table = tmp_path / "labels.csv"
    table.write_text("file,label\nother.jpg,a\n")
    fails("train", top, "--labels", table, pattern="line 2: 'other.jpg' is not among the images")
    none = folder(40, 41, name="none", by_label=True)
    fails("train", none, pattern="no image could be used; .*smear_40.jpg: no white cell")


@pytest.mark.parametrize("command", ["classify", "evaluate"])
def test_models(fails, folder, command, tmp_path):
    top = folder(0, 20, by_label=True)

    def fails_with(path, pattern, code=1):
        fails(*on(command, path, top), pattern=pattern, code=code)

    path = tmp_path / "other.safetensors"
    fastsvm.save_model(fastsvm.SDCAClassifier(alpha=0.1).fit(np.eye(3), [0, 1, 1]), path)
    for other in path, ENGLISH:
        fails_with(other, f"{other.name}: a model of other features; give a model that .* train wrote")
    fails_with("missing.safetensors", "missing.safetensors")
    fails_with(top / "LYMPHOCYTE/smear_00.jpg", "smear_00.jpg: is not a model; MODEL comes first", code=2)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(fails, folder, svm, work):
    top = folder(0, 20, by_label=True)
    (work / "closed").mkdir(mode=0o500)
    for output in ("closed/crops", "closed"):
        fails("crop", top, "-o", output, pattern="Permission denied")
    fails("train", top, "-o", "closed/m.safetensors", pattern="Permission denied")
    for option in ("-o=closed/c.csv", "--report=closed/c.html", "--overlay=closed/o"):
        fails("classify", top, "-m", svm, *option.split("="), pattern="Permission denied")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_endless_names_make_short_lines(run, folder, tmp_path, encoding):
    """Whatever is in a file, a message is one line that a terminal can show, with both of its ends."""
    top, notes = folder(0), tmp_path / "voc"
    notes.mkdir()
    name = "x\u202e " * 1_000_000
    (notes / "1.xml").write_text(f"<a><filename>{name}</filename></a>", encoding=encoding)
    result = run("classify", top, "--labels", notes)
    assert result.exit_code == 1
    assert len(result.stderr) < 700
    assert re.fullmatch(r"error: .*1\.xml: 'x.* \.\.\. .*nor is any other; .*\n", result.stderr)
    (notes / "1.xml").unlink()
    for name in "ab":
        label = f"<object><name>{name * 1_000_000}</name></object>"
        text = f"<a><filename>smear_00.jpg</filename>{label}</a>"
        (notes / f"{name}.xml").write_text(text, encoding=encoding)
    result = run("classify", top, "--labels", notes)
    assert len(result.stderr) < 700
    assert re.search(r"is 'b+\.\.\.' here, but 'a+\.\.\.' before", result.stderr)


@pytest.mark.parametrize("classifier", sorted(CLASSIFIERS.keys() - {"perceptron"}))
def test_every_alpha_that_is_allowed_can_be_learned_with(run, folder, classifier):
    top = folder(0, 1, 20, 21, by_label=True)
    command = "train", top, "--versions", 0, "--folds", 1, "--classifier", classifier, "--alpha"
    for alpha in STRENGTH.min, STRENGTH.max:
        assert run(*command, alpha).exit_code == 0
        assert_refused(run(*command, alpha**2), 2, r"is not in the range 1e-30<=x<=1e\+30")
