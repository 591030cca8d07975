"""fastsvm-cells on a cluster: its output is that of the local command, whatever happens to workers."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("distributed")


from fastsvm_apps.cells.cli import main
from fastsvm_apps.cells.data import cluster_images

SAMPLE = Path(__file__).parents[2] / "data" / "cells" / "images"


@pytest.fixture
def smears(tmp_path, monkeypatch):
    """Return a folder of 14 smears, and of one file that cannot be read, two images a shard."""
    folder = tmp_path / "smears"
    folder.mkdir()
    for path in sorted(SAMPLE.rglob("smear_*.jpg"))[::3]:
        shutil.copy(path, folder)
    (folder / "smear_99.jpg").write_text("no picture")
    monkeypatch.setattr(cluster_images, "SHARD_IMAGES", 2)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def at_image(monkeypatch):
    """Have something done when so many images were read to be sent."""

    def at_image(number, do):
        read, seen = cluster_images.image_content, []

        def image_content(path):
            seen.append(path)
            if len(seen) == number:
                do()
            return read(path)

        monkeypatch.setattr(cluster_images, "image_content", image_content)

    return at_image


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args], prog_name="fastsvm-cells")


def everything(folder, result):
    """Return what a command wrote, said and ended with."""
    files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return files, result.stdout.replace(folder.name, "out"), result.stderr, result.exit_code


@pytest.mark.slow
def test_a_lost_worker_changes_nothing(client, smears, at_image, tmp_path):
    output = ["--overlay", "{}", "-o", "{}/cells.csv"]

    def outcome(name, *options):
        (tmp_path / name).mkdir()
        result = run("classify", smears, *(word.format(name) for word in output), *options)
        return everything(tmp_path / name, result)

    local = outcome("local")
    process = min(client.run(os.getpid).values())
    at_image(11, lambda: os.kill(process, signal.SIGKILL))
    assert outcome("cluster", "--scheduler", client.scheduler.address) == local
    assert process not in client.run(os.getpid).values()
    assert "smear_99.jpg: not an image" in local[-2]
    assert local[-1] == 3
