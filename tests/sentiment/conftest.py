"""Invented texts in every format, and ways to run the app on them."""

import csv
import gzip
import io
import json
import random
import re

import pytest
from click.testing import CliRunner

from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.data.text_source import TextSource
from fastsvm_apps.sentiment.jobs import text_training as pipeline
from fastsvm_apps.sentiment.settings import recipe_settings
from processes import starting

NEUTRAL = [f"thing{i}" for i in range(60)]
FLAVOURS = {
    "neg": ["awful", "broken", "dull", "waste", "refund"],
    "pos": ["great", "lovely", "sturdy", "bright", "perfect"],
    "mixed": ["average", "mediocre", "passable", "middling", "fair"],
    "so so": ["usual", "plain", "common", "normal", "modest"],
}


def make_texts(n, labels=("neg", "pos"), seed=0):
    """Return n pairs of label and text; three words in ten speak, and one in five of these is wrong."""
    rng = random.Random(seed)
    pairs = []
    for i in range(n):
        label = labels[i % len(labels)]
        words = rng.choices(NEUTRAL, k=7)
        for _ in range(3):
            words.append(rng.choice(FLAVOURS[label if rng.random() < 0.8 else rng.choice(labels)]))
        rng.shuffle(words)
        pairs.append((label, " ".join(words)))
    return pairs


def _table(pairs, delimiter):
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["id", "label", "text"])
    writer.writerows([i, *pair] for i, pair in enumerate(pairs))
    return file.getvalue()


WRITERS = {
    "corpus": lambda pairs: "".join(
        f"toys {label} {i}.txt {text}\n" for i, (label, text) in enumerate(pairs)
    ),
    "tsv": lambda pairs: _table(pairs, "\t"),
    "csv": lambda pairs: _table(pairs, ","),
    "jsonl": lambda pairs: "".join(json.dumps({"text": t, "label": y}) + "\n" for y, t in pairs),
    "fasttext": lambda pairs: "".join(f"__label__{y} {t}\n" for y, t in pairs),
}


@pytest.fixture
def write(tmp_path):
    """Write pairs in a format; return the path as text."""

    def write(pairs, format="corpus", name=None, packed=False):
        path = tmp_path / (name or f"reviews.{format}")
        if format == "folder":
            for i, (label, text) in enumerate(pairs):
                folder = path / label
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{i}.txt").write_text(text, encoding="utf-8")
        else:
            content = WRITERS[format](pairs).encode()
            path.write_bytes(gzip.compress(content) if packed else content)
        return str(path)

    return write


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line inside an empty folder; `config` is a dict for a file of --config."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def run(*args, config=None, **options):
        if config:
            lines = [f"{name} = {json.dumps(value)}\n" for name, value in config.items()]
            (tmp_path / "options.toml").write_text("".join(lines))
            args = (*args, "--config", tmp_path / "options.toml")
        return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="fastsvm-sentiment", **options)

    return run


@pytest.fixture
def trained(run):
    """Train by command, and return the record of --json; `stderr` is a pattern of what is said besides."""

    def trained(*args, stderr="", **more):
        result = run("train", *args, "--json", **more)
        assert result.exit_code == 0, result.stderr
        assert re.fullmatch(stderr, result.stderr), result.stderr
        return json.loads(result.stdout)

    return trained


@pytest.fixture
def start(tmp_path):
    """Start a real process."""
    with starting("sentiment", tmp_path) as start:
        yield start


def _train(tmp_path_factory, labels):
    folder = tmp_path_factory.mktemp("model")
    corpus = folder / "reviews.txt"
    corpus.write_text(WRITERS["corpus"](make_texts(300, labels)))
    path = str(folder / "model.safetensors")
    counts = recipe_settings("article", classifier="sdca-logistic", alpha=0.002)
    pipeline.train_text_model(TextSource(str(corpus)), counts, path)
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """Return the path of a model of two labels."""
    return _train(tmp_path_factory, ("neg", "pos"))


@pytest.fixture(scope="session")
def model3(tmp_path_factory):
    """Return the path of a model of three labels."""
    return _train(tmp_path_factory, ("neg", "pos", "mixed"))


@pytest.fixture(scope="session")
def texts():
    """Return `make_texts`."""
    return make_texts


# Each command that reads a corpus, as quick as can be.
READERS = {"train": ("-o", "m.safetensors"), "inspect": ("--folds", 0), "evaluate": ()}


@pytest.fixture(params=READERS)
def reader(request, run, model):
    """Run each command that reads a corpus."""

    def read(*args, **options):
        before = (model,) if request.param == "evaluate" else ()
        return run(request.param, *before, *READERS[request.param], *args, **options)

    return read
