"""`fastsvm-sentiment predict --scheduler`: the same bytes, whatever happens to workers."""

import os
import signal

import pytest

pytest.importorskip("distributed")

from click.testing import CliRunner

from fastsvm_apps.common import dask_cluster as of_apps
from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.jobs import text_prediction


def scored(*args):
    return CliRunner().invoke(main, ["predict", "english", *map(str, args)])


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "new.csv"
    lines = [f'{i},"a {("good", "bad", "dull")[i % 3]}, book{i} indeed"' for i in range(2000)]
    lines[7] = "7, "  # no text
    path.write_text("\n".join(["id,text", *lines, ""]))
    return path


@pytest.mark.slow
def test_the_same_bytes_though_a_worker_is_killed(client, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(text_prediction, "SHARD", 1000)
    here = scored(corpus, corpus, "--proba", "--top", 2)
    mapped = of_apps.map_shards

    def watched(connection, *args):
        for n, found in enumerate(mapped(connection, *args)):
            if n == 10:
                os.kill(min(connection.run(os.getpid).values()), signal.SIGKILL)
            yield found

    monkeypatch.setattr(text_prediction, "map_shards", watched)
    there = scored(corpus, corpus, "--proba", "--top", 2, "--scheduler", client.scheduler.address)
    assert there.exit_code == here.exit_code == 3
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr
