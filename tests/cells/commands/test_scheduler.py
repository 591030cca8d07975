"""--scheduler: images travel as bytes, and what is written is what the local command writes."""

import re
from pathlib import Path

import cv2
import pytest

from fastsvm_apps.cells.data import cluster_images
from fastsvm_apps.common import dask_cluster
from refusal import assert_refused


def written(folder):
    """Return the content of each file below a folder, by its name."""
    paths = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


EVERYTHING = (
    "-o out/cells.csv --overlay out/overlay --report out/page.html --also rbc,platelets"
    " --export out/coco.json --export out/geojson --measurements out/measures.csv --pixel-size .1"
)


@pytest.mark.parametrize("options", [EVERYTHING, "--csv --min-score .9"])
def test_outputs_are_those_of_the_local_command(run, bad, problems, work, pickled, monkeypatch, options):
    pages = [cv2.imread(str(bad / f"smear_{k:02}.jpg")) for k in (0, 20)]
    cv2.imwritemulti(str(bad / "scan.tif"), pages)
    monkeypatch.setattr(cluster_images, "SHARD_IMAGES", 3)
    results = []
    for k, place in enumerate(("", " --scheduler tcp://somewhere:8786")):
        (work / "out").mkdir()
        result = run("classify", bad, *f"{options}{place}".split())
        assert result.exit_code == 3
        assert all(reason in result.stderr for reason in problems.values())
        stdout = re.sub(r'"seconds": (\{.*?\}|[\d.e-]+)', "", result.stdout)
        results.append((stdout, result.stderr, written("out")))
        (work / "out").rename(work / f"out{k}")
    assert results[0] == results[1]
    assert pickled == [3, 3, 1]


def test_large_images_travel_in_smaller_shards(run, folder, pickled, monkeypatch):
    smears = folder(0, 4, 8)
    largest = max(path.stat().st_size for path in smears.iterdir())
    monkeypatch.setattr(cluster_images, "SHARD_BYTES", largest)
    assert run("classify", smears, "-o", "cells.csv", "--scheduler", "a").exit_code == 0
    assert pickled == [1, 1, 1]


def test_no_scheduler_answers(run, smears, work, monkeypatch):
    command = ["classify", "-o", "cells.csv", "--overlay", "out"]
    monkeypatch.setattr(dask_cluster, "CONNECTING", 0.1)
    pytest.importorskip("distributed")
    (work / "cells.csv").write_text("earlier")
    result = run(*command, smears, "--scheduler", "tcp://127.0.0.1:1")
    assert_refused(result, 1, "tcp://127.0.0.1:1: no Dask scheduler answers; start one with dask scheduler")
    assert written(".") == {"cells.csv": b"earlier"}
    assert not (work / "out").exists()
