"""Who tests a model on what it has learned from is told so, by every command that prints a figure of it."""

import json
import re
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
from fastsvm_apps.sentiment.cli import main as texts
from fastsvm_apps.vectors.cli import main as vectors

DATA = Path(__file__).parents[2] / "data"
# What a model of each app learns from, and other items.
ITEMS = {
    vectors: ("rows.csv", "new.csv"),
    texts: (f"{DATA}/reviews.txt", f"{DATA}/reviews_test.txt"),
    cells: (f"{DATA}/cells/images", f"{DATA}/cells/new"),
}
# The commands that test a model M on labelled items, {}.
JUDGING = {
    vectors: {"predict": "M {}", "certify": "M {}"},
    texts: {"evaluate": "M {} --report page.html", "train": "{} --continue M -o new"},
    cells: {"classify": "{} -m M --report page.html", "evaluate": "M {}", "adapt": "M {} -o new"},
}
# Those that do not: they make models and test these by cross-validation, have no use for labels, or serve.
OTHERS = {
    vectors: {"fit", "cv", "path", "convert"},
    texts: {"predict", "explain", "inspect", "export", "serve", "sample"},
    cells: {"train", "explain", "crop", "review", "sample"},
}
TRAIN = {vectors: ["fit"], texts: ["train", "--recipe", "nb-words"], cells: ["train", "--versions", "0"]}


def run(main, *args):
    done = CliRunner().invoke(main, [*args])
    assert done.exit_code == 0, (done.stderr, done.exception)
    return done


@pytest.fixture(scope="module", params=OTHERS, ids=["vectors", "texts", "cells"])
def app(request, tmp_path_factory):
    """An app; the current folder has its model M."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("work"))
        for name in ITEMS[vectors]:
            X = np.random.default_rng(len(name)).normal(size=(40, 3))
            np.savetxt(name, np.column_stack([X, X[:, 0] > 0]), delimiter=",")
        run(request.param, *TRAIN[request.param], ITEMS[request.param][0], "-o", "M.safetensors")
        yield request.param


def test_every_command_says_what_its_figures_are_of(app):
    names = {*app.list_commands(click.Context(app))}
    assert names == JUDGING[app].keys() | OTHERS[app], "does it test a model on labelled items?"
    for name, args in JUDGING[app].items():
        for items, known in zip(ITEMS[app], (True, False), strict=True):
            args_of = [name, *args.replace("M", "M.safetensors").format(items).split()]
            told = run(app, *args_of).stderr
            if name == "certify":  # it wants the rows of the training
                assert ("fitted to 0 of these 40 rows" in told) != known
            else:
                assert ("the model learned from all of these" in told) == known, name
            if "page.html" in args_of:
                page = Path("page.html").read_text()
                assert ("he model learned from all of these" in page) == known
            if name != "train":
                assert bool(json.loads(run(app, *args_of, "--json").stdout)["learned"]) == known


def test_every_way_to_make_a_model_keeps_them(app):
    if app is vectors:
        run(app, "convert", "M.safetensors", "copy.safetensors")
        n = {"copy": 40}
    elif app is cells:
        run(app, "adapt", "M.safetensors", ITEMS[app][1], "-o", "adapted.safetensors")
        n = {"adapted": 52}
    else:
        learned, new = ITEMS[app]
        run(app, "train", learned, "--stream", "--holdout", "0", "-o", "stream.safetensors")
        run(app, "export", "M.safetensors", "--to", "pruned", "--keep", "9", "-o", "pruned.safetensors")
        run(app, "train", new, "--continue", "M.safetensors", "-o", "both.safetensors")
        sentiment.load("M.safetensors").save("saved.safetensors")
        n = {"stream": 2000, "pruned": 2000, "both": 2400, "saved": 2000}
    for name, expected in n.items():
        assert len(load_about(f"{name}.safetensors")["training_items"]) == expected, name


# The commands that learn from labels, here of items {}; the others learn nothing from those they read.
TRAINING = {
    vectors: ["fit {}", "fit {} -v 2", "cv {}", "path {}"],
    texts: ["train {} --recipe nb-words", "train {} --stream"],
    cells: ["train {} --versions 0", "adapt M.safetensors {} -o new.safetensors"],
}
OTHERS_LABELS = {
    vectors: {"certify", "predict", "convert"},
    texts: {"evaluate", "predict", "explain", "inspect", "export", "serve", "sample"},
    cells: {"classify", "evaluate", "explain", "crop", "review", "sample"},
}


def test_every_training_warns_of_labels_that_are_nearly_alike(app):
    names = {*app.list_commands(click.Context(app))}
    assert names == {line.split()[0] for line in TRAINING[app]} | OTHERS_LABELS[app], "does it learn labels?"
    if app is cells:
        shutil.copytree(f"{DATA}/cells/images", "alike")
        few = sorted(Path("alike/EOSINOPHIL").iterdir())[::2]
        Path("alike/eosinophil").mkdir()
        for path in few:
            path.rename(f"alike/eosinophil/{path.name}")
    else:
        words = np.random.default_rng(0).integers(10, 99, (300, 2))
        rows = [f"{a},{b},{('pos', 'Pos')[k % 2]}\n" for k, (a, b) in enumerate(words.tolist())]
        if app is texts:
            rows = ["text,label\n", *(row.replace(",", " ", 1) for row in rows)]
        Path("alike.csv").write_text("".join(rows))
    for line in TRAINING[app]:
        told = run(app, *line.format("alike" if app is cells else "alike.csv").split()).stderr
        assert re.search("warning: '.*' and '.*' count as different labels; spell them alike", told), line


def test_the_same_item_in_another_file_is_recognised():
    assert len({*training_items.text_hashes(["a  fine pén\n", "a fine pe\u0301n", " a fine\tpén "])}) == 1
    assert len({*training_items.text_hashes(["a fine pen", "a fine pan", "A fine pen"])}) == 3
    rows = sparse.random(5000, 4, 0.6, "csr", np.float32, random_state=0)
    rows.data[::9] = 0
    X = rows.toarray().astype(float)
    assert (training_items.row_hashes(X[::-1])[::-1] == training_items.row_hashes(rows)).all()
    assert len({*training_items.row_hashes(X)}) == len(np.unique(X, axis=0))
    image = cv2.imread(f"{DATA}/cells/empty/smear_40.jpg")
    again = cv2.imdecode(cv2.imencode(".png", image)[1], cv2.IMREAD_COLOR)
    hashes = [training_items.image_hash(each) for each in (image, again, image[::-1])]
    assert hashes[0] == hashes[1] != hashes[2]


def test_many_items_are_in_a_filter(monkeypatch):
    monkeypatch.setattr(training_items, "EXACT_ITEMS", 1000)
    known, others = (training_items.text_hashes(f"{name} {i}" for i in range(2000)) for name in "ab")
    few = training_items.learned_items(known[:1000])
    many = training_items.learned_items(known, few)
    assert [found["training_items"].shape for found in (few, many)] == [(1000, 5), (6000,)]
    assert training_items.count_learned(known, many) == 2000
    assert training_items.count_learned(others, many) < 5
    assert training_items.count_learned(others[:9], training_items.learned_items(others[:9], many)) == 9
