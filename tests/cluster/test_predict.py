"""`fastsvm-sentiment predict --scheduler`: the same bytes, whatever happens to workers."""

import importlib
import os
import signal

import pytest

pytest.importorskip("distributed")

from click.testing import CliRunner

from fastsvm_apps.common import dask_cluster as of_apps
from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.data.unlabelled_texts import UnlabelledBatch, joined_batches

predict = importlib.import_module("fastsvm_apps.sentiment.commands.predict")


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
    monkeypatch.setattr(predict, "SHARD", 1000)
    here = scored(corpus, corpus, "--proba", "--top", 2)
    mapped = of_apps.map_shards

    def watched(connection, *args):
        for n, found in enumerate(mapped(connection, *args)):
            if n == 10:
                os.kill(min(connection.run(os.getpid).values()), signal.SIGKILL)
            yield found

    monkeypatch.setattr(predict, "map_shards", watched)
    there = scored(corpus, corpus, "--proba", "--top", 2, "--scheduler", client.scheduler.address)
    assert there.exit_code == here.exit_code == 3
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr


def test_nothing_is_left_where_the_scheduler_is_not(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(of_apps, "CONNECTING", 0.1)
    done = scored(corpus, "--scheduler", "tcp://127.0.0.1:1", "-o", tmp_path / "out.csv")
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "no Dask scheduler answers" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_batches_are_put_together():
    batches = [
        UnlabelledBatch(["a"], [1], [["a"]], [], [None]),
        UnlabelledBatch(["", "bc"], [2, 3], [[""], ["bc"]], [0], [None] * 2),
    ]
    batches *= 2
    whole, rest = joined_batches(iter(batches), 4)
    assert whole.texts == ["a", "", "bc", "a"]
    assert whole.places == [1, 2, 3, 1]
    assert whole.missing == [1]
    assert rest == batches[1]
