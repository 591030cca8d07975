"""`fastsvm-sentiment train --scheduler`: the terms and the objective of `--stream`, whatever happens."""

import json
import os
import random

import numpy as np
import pytest

pytest.importorskip("distributed")

from click.testing import CliRunner
from dask.distributed import LocalCluster

from fastsvm import load_model
from fastsvm.dask.shard_actors import Cluster
from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.jobs import streamed_training

LABELS = "dull", "fine", "great"
IN_THREADS = {"processes": False, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A table of reviews of three labels, sorted by label, in pieces of which there are a dozen; only the
    last text has markup. The current folder is beside it."""
    rng = random.Random(0)
    rows = ["label,text"]
    for i in range(900):
        label = LABELS[i * 3 // 900]
        said = [label if rng.random() < 0.8 else rng.choice(LABELS), *rng.choices(range(200), k=9)]
        rows.append(f"{label},{' '.join(map(str, said))}")
    rows.append("fine,fine <b>thing</b>")
    path = tmp_path / "reviews.csv"
    path.write_text("\n".join(rows))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(streamed_training, "SHARD", 5000)
    return str(path)


@pytest.fixture(scope="module")
def threads():
    """The address of a cluster of two workers, which are threads of this process."""
    with LocalCluster(n_workers=2, **IN_THREADS) as cluster:
        yield cluster.scheduler_address


def train(*args):
    return CliRunner().invoke(main, ["train", *args, "--ngrams", "2", "-q", "--json", "-o", "m.safetensors"])


def trained(*args):
    """What a training says, and the terms of its model."""
    done = train(*args)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout), load_model("m.safetensors")["vectorizer"].get_feature_names_out()


def assert_alike(there, here):
    """Compare what follows from the texts, and the optima that the gaps leave possible."""
    for name in "n_features", "n_train", "n_test", "label_counts", "alpha", "metric":
        assert there[0][name] == here[0][name]
    np.testing.assert_array_equal(there[1], here[1])
    intervals = [np.array([r["objective"], np.subtract(r["objective"], r["gap"])]) for r, _ in (there, here)]
    assert (intervals[0][0] >= intervals[1][1]).all()
    assert (intervals[1][0] >= intervals[0][1]).all()
    assert max(there[0]["relative_gap"]) <= 1e-3
    assert there[0]["accuracy"] > 0.7


def test_terms_and_objective_are_those_of_one_machine(threads, corpus):
    options = "--class-weight", "great=2", "--class-weight", "dull=1", "--alpha", "0.01"
    here, there = trained(corpus, "--stream", *options), trained(corpus, "--scheduler", threads, *options)
    assert_alike(there, here)
    assert os.listdir() == ["m.safetensors"]
    done = CliRunner().invoke(main, ["evaluate", "m.safetensors", corpus, "--json"])
    assert json.loads(done.stdout)["learned"] == there[0]["n_train"] + there[0]["n_calibrate"]


@pytest.mark.slow
def test_log_loss_and_stdin(threads, corpus):
    with open(corpus) as file:
        text = file.read()
    args = ["train", "-", "--scheduler", threads, "--classifier", "sdca-logistic", "--json", "-q"]
    done = CliRunner().invoke(main, [*args, "--holdout", "0", "-o", "model.safetensors"], input=text)
    assert done.exit_code == 0, done.stderr
    assert load_model("model.safetensors").predict(["dull 7", "great 7"]).tolist() == ["dull", "great"]


def test_a_scheduler_that_goes_away_leaves_nothing(corpus, monkeypatch):
    with LocalCluster(n_workers=1, **IN_THREADS) as cluster:
        replies = Cluster._replies

        def closing(self, calls):
            if ("close", ()) in calls.values():
                cluster.close()
            return replies(self, calls)

        monkeypatch.setattr(Cluster, "_replies", closing)
        done = train(corpus, "--scheduler", cluster.scheduler_address, "--alpha", "0.01")
    assert done.exit_code == 1
    assert "scheduler is gone" in done.stderr
    assert done.stderr.count("\n") == 1
    assert os.listdir() == []


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["add", "advance"])
def test_a_killed_worker_costs_time_only(client, kill, corpus, monkeypatch, moment):
    replies, restart, methods, restarted = Cluster._replies, Cluster._restart_shard, [], []

    def killing(self, calls):
        now = {method for method, _ in calls.values()}
        methods.extend(now)
        if moment in now and methods.count(moment) == 3:
            kill(client, min(client.scheduler_info()["workers"]))
        return replies(self, calls)

    here = trained(corpus, "--stream")
    monkeypatch.setattr(Cluster, "_replies", killing)
    monkeypatch.setattr(Cluster, "_restart_shard", lambda self, k: restarted.append(k) or restart(self, k))
    there = trained(corpus, "--scheduler", client.scheduler.address)
    assert_alike(there, here)
    assert restarted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "3"], "leave out --folds or --scheduler"),
        (["--recipe", "nb-both"], "--scheduler counts words"),
        (
            ["--classifier", "pegasos-svm"],
            "--scheduler does not support pegasos-svm; give sdca-svm, sdca-logistic",
        ),
    ],
)
def test_what_a_cluster_does_not_do_is_refused_before_it_is_looked_for(corpus, options, message):
    done = train(corpus, "--scheduler", "tcp://127.0.0.1:1", *options)
    assert done.exit_code == 2
    assert message in done.stderr
