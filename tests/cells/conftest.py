"""The sample smears, a model of them, and ways to run the app."""

import json
import pickle
import shutil
from contextlib import nullcontext
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from fastsvm_apps.cells.cli import main
from fastsvm_apps.cells.data import cluster_images, image_reader
from fastsvm_apps.cells.jobs.cell_training import train_cell_model
from fastsvm_apps.cells.settings import TrainingSettings
from fastsvm_apps.common import dask_cluster
from processes import starting

SAMPLE = Path(__file__).parents[2] / "data" / "cells"


@pytest.fixture(scope="session")
def smears(tmp_path_factory):
    """Return the folder of rendered smears, without those to test on."""
    folder = tmp_path_factory.mktemp("samples") / "cells"
    return shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("new"))


@pytest.fixture
def folder(tmp_path):
    """Copy sample smears, by their numbers, into a folder of a name, or into folders of their labels."""

    def folder(*numbers, name="smears", by_label=False):
        for number in numbers:
            (source,) = SAMPLE.rglob(f"smear_{number:02}.jpg")
            target = tmp_path / name / source.parent.name if by_label else tmp_path / name
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        return tmp_path / name

    return folder


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Return an empty folder, which is the current one."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run(work):
    """Run a command line inside an empty folder."""

    def run(*args, **options):
        return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="fastsvm-cells", **options)

    return run


@pytest.fixture
def record(run):
    """Run a command with --json, and return what it says."""

    def record(*args, exit_code=0):
        result = run(*args, "--json")
        assert result.exit_code == exit_code, result.stderr
        return json.loads(result.stdout)

    return record


@pytest.fixture
def start(work):
    """Start a real process."""
    with starting("cells", work) as start:
        yield start


def _train(tmp_path_factory, classifier):
    path = str(tmp_path_factory.mktemp("model") / f"{classifier}.safetensors")
    train_cell_model(
        [str(SAMPLE / "images")], path, TrainingSettings(classifier, alpha=0.3, folds=1, versions=0)
    )
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """Return the path of a model of the sample smears, with probabilities."""
    return _train(tmp_path_factory, "sdca-logistic")


@pytest.fixture(scope="session")
def svm(tmp_path_factory):
    """Return the path of a model of the sample smears, with decision values."""
    return _train(tmp_path_factory, "sdca-svm")


@pytest.fixture
def bad(folder):
    """Return a folder with two good images and three bad ones."""
    top = folder(0, 20)
    gray = cv2.imread(str(top / "smear_00.jpg"), cv2.IMREAD_GRAYSCALE)
    cv2.imwrite(str(top / "gray.png"), gray)
    (top / "cut.jpg").write_bytes((top / "smear_00.jpg").read_bytes()[:5000])
    (top / "text.jpg").write_text("a table of results\n" * 30)
    return top


BAD = {
    "cut.jpg": "cut short; copy or download it again",
    "gray.png": "greyscale; give an image in colour",
    "text.jpg": "not an image",
}


@pytest.fixture(scope="session")
def problems():
    """Return why each of the bad images is bad."""
    return BAD


@pytest.fixture
def pickled(monkeypatch):
    """Let a cluster's shards be worked on here, as if this were a worker; return how many images each had."""
    counts = []

    def map_shards(client, function, shards, *values):
        for shard in shards:
            counts.append(len(shard))
            shard, *values = pickle.loads(pickle.dumps((shard, *values)))
            with monkeypatch.context() as patch:
                patch.setattr(image_reader, "_image_bytes", None)  # a worker may have none of the files
                results = function(shard, *values)
            yield pickle.loads(pickle.dumps(results))

    monkeypatch.setattr(dask_cluster, "connected", nullcontext)
    monkeypatch.setattr(cluster_images, "map_shards", map_shards)
    return counts


@pytest.fixture
def enlarged(folder):
    """Return a folder with a smear at twice its size, and one with the smear as it is."""
    plain = folder(4)
    target = plain.parent / "large"
    target.mkdir()
    image = cv2.imread(str(plain / "smear_04.jpg"))
    cv2.imwrite(str(target / "smear_04.png"), np.repeat(np.repeat(image, 2, axis=0), 2, axis=1))
    return target, plain
