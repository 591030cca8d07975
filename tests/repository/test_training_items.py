"""Who tests a model on what it has learned from is told so, by every command that prints a figure of it."""

import json
import shutil
from pathlib import Path

import click
import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse

from fastsvm.model_files import load_about
from fastsvm_apps import sentiment
from fastsvm_apps.cells.cli import main as cells
from fastsvm_apps.common import training_items
from fastsvm_apps.common.training_items import (
    count_learned,
    image_hash,
    learned_items,
    row_hashes,
    text_hashes,
)
from fastsvm_apps.sentiment.cli import main as texts
from fastsvm_apps.vectors.cli import main as vectors

DATA = Path(__file__).parents[2] / "data"
ROWS, TEXTS, CELLS = ("rows.csv", "new.csv"), ("reviews.txt", "reviews_test.txt"), ("images", "new")
TOLD = "the model has learned from all of these"

# The commands that test a model on labelled items: their arguments, with {} for the items.
JUDGING = {
    (vectors, "predict"): ("rows.safetensors {}", ROWS),
    (vectors, "certify"): ("rows.safetensors {}", ROWS),
    (texts, "evaluate"): ("texts.safetensors {} --report page.html", TEXTS),
    (texts, "train"): ("{} --continue texts.safetensors -o new.safetensors", TEXTS),
    (cells, "classify"): ("{} -m cells.safetensors --report page.html", CELLS),
    (cells, "evaluate"): ("cells.safetensors {}", CELLS),
    (cells, "adapt"): ("cells.safetensors {} -o new.safetensors", CELLS),
}
# Those that do not: they make models and test these by cross-validation, have no use for labels, or serve.
OTHERS = {
    vectors: {"fit", "cv", "path", "convert"},
    texts: {"predict", "explain", "inspect", "export", "serve"},
    cells: {"train", "explain", "crop", "review"},
}


def run(main, *args):
    done = CliRunner().invoke(main, [*args])
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with a model of each app, and with what it has learned from and has not."""
    work, rng = tmp_path_factory.mktemp("work"), np.random.default_rng(0)
    for name in ROWS:
        X = rng.normal(size=(40, 3)).round(2)
        np.savetxt(work / name, np.column_stack([X, X[:, 0] > 0]), delimiter=",")
    for name in TEXTS:
        (work / name).write_text("".join((DATA / name).read_text().splitlines(keepends=True)[:200]))
    for name in CELLS:
        shutil.copytree(DATA / "cells" / name, work / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(work)
        run(vectors, "fit", "rows.csv")
        run(texts, "train", "reviews.txt", "--recipe", "nb-words", "-o", "texts.safetensors")
        run(cells, "train", "images", "--folds", "1", "--versions", "0", "-o", "cells.safetensors")
    return work


def test_every_command_is_in_the_table():
    for main, others in OTHERS.items():
        known = others | {name for app, name in JUDGING if app is main}
        assert {*main.list_commands(click.Context(main))} == known, "does it test a model on labelled items?"


@pytest.mark.parametrize(("main", "name"), JUDGING)
def test_every_command_says_what_its_figures_are_of(main, name, work, monkeypatch):
    monkeypatch.chdir(work)
    args, sources = JUDGING[main, name]
    for source, known in zip(sources, (True, False), strict=True):
        done = run(main, name, *args.format(source).split())
        if name == "certify":  # it wants the rows of the training
            assert ("fitted to 0 of these 40 rows" in done.stderr) != known
            continue
        assert (TOLD in done.stderr) == known
        if "page.html" in args:
            assert (TOLD[1:] in (work / "page.html").read_text()) == known
        if "page.html" not in args or main is texts:
            found = json.loads(run(main, name, *args.format(source).split(), "--json").stdout)
            assert bool(found.get("learned", known)) == known


def test_every_way_to_make_a_model_keeps_them(work, monkeypatch):
    monkeypatch.chdir(work)
    lines = ((work / name).read_text().splitlines() for name in TEXTS)
    known, new = (text_hashes(line.split(None, 3)[3] for line in each) for each in lines)
    run(texts, "train", "reviews.txt", "--stream", "--holdout", "0", "-o", "stream.safetensors")
    run(texts, "export", "texts.safetensors", "--to", "pruned", "--keep", "9", "-o", "pruned.safetensors")
    sentiment.load("texts.safetensors").save("saved.safetensors")
    for name in "stream", "pruned", "saved":
        assert count_learned(known, load_about(f"{name}.safetensors")) == 200
        assert count_learned(new, load_about(f"{name}.safetensors")) == 0
    run(texts, "train", TEXTS[1], "--continue", "texts.safetensors", "-o", "both.safetensors")
    assert count_learned(np.append(known, new), load_about("both.safetensors")) == 400
    run(vectors, "convert", "rows.safetensors", "copy.safetensors")
    run(cells, "adapt", "cells.safetensors", "new", "-o", "adapted.safetensors")
    for name, n in ("copy", 40), ("adapted", 52):
        assert len(load_about(f"{name}.safetensors")["training_items"]) == n


def test_the_same_item_in_another_file_is_recognised():
    assert len(np.unique(text_hashes(["a  fine pén\n", "a fine pe\u0301n", " a fine\tpén "]))) == 1
    assert len(np.unique(text_hashes(["a fine pen", "a fine pan", "A fine pen"]))) == 3
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (5000, 4)) / 4
    rows = sparse.csr_array(X.astype(np.float32))
    rows.data[::9] = 0
    X[rows.toarray() != X] = 0
    assert (row_hashes(X) == row_hashes(rows)).all()
    assert (row_hashes(X[::-1])[::-1] == row_hashes(X)).all()
    assert len(np.unique(row_hashes(X))) == len(np.unique(X, axis=0))
    image = cv2.imread(str(DATA / "cells/empty/smear_40.jpg"))
    again = cv2.imdecode(cv2.imencode(".png", image)[1], cv2.IMREAD_COLOR)
    assert image_hash(again) == image_hash(image) != image_hash(image[::-1])


def test_many_items_are_in_a_filter(monkeypatch):
    monkeypatch.setattr(training_items, "MOST", 1000)
    known, new, others = (text_hashes(f"{name} {i}" for i in range(2000)) for name in "abc")
    few = learned_items(known[:1000])
    assert few["training_items"].shape == (1000, 5)
    many = learned_items(known, few)
    assert many["training_items"].shape == (6000,)
    assert count_learned(known, many) == 2000
    assert count_learned(others, many) < 5
    assert count_learned(np.append(known, new[:100]), learned_items(new[:100], many)) == 2100
    assert count_learned(known, {}) is None
