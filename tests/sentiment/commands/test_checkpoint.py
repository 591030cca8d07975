"""train with a checkpoint: a training that is killed, and the same command again."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fastsvm._utils.atomic import held
from fastsvm.io import MatrixWriter
from fastsvm.text import Bag
from fastsvm_apps.sentiment.data import corpus as corpora
from fastsvm_apps.sentiment.jobs import streamed_training, text_training
from fastsvm_apps.sentiment.jobs.streamed_training import StoredRows
from fastsvm_apps.sentiment.learning import learned_model, pipeline_steps

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and locks")
COMMAND = "--recipe", "nb-words", "--json", "-o", "m.safetensors", "--config", "../resume.toml"
MODES = {"memory": (), "fixed": ("--alpha", "0.001"), "stream": ("--stream",)}
# Where each is killed: what it is about to do, and what is kept by then.
DEATHS = {
    "memory": [(pipeline_steps, "fit_classifier", ["choose alpha"]), (text_training, "save_plain", 3)],
    "fixed": [(learned_model.CountedTexts, "fit", ["calibrate"]), (text_training, "save_plain", 3)],
    "stream": [
        (streamed_training, "_alpha_on_sample", ["terms"]),
        (StoredRows, "write", ["terms", "choose alpha"]),
        (streamed_training, "_calibrate_on_rows", 4),
    ],
}


def names():
    """Return the names of the steps in the checkpoint, the oldest first."""
    paths = sorted(Path("run.ckpt").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    return [path.stem.rpartition("-")[0] for path in paths if path.is_file()]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(autouse=True)
def config(tmp_path):
    """Write the file that names the checkpoint, beside the folder of `run`."""
    (tmp_path / "resume.toml").write_text('checkpoint = "run.ckpt"\n')


@pytest.fixture(autouse=True)
def in_memory(monkeypatch, request):
    """Spare the disk where no process is killed."""
    if "slow" not in request.keywords:
        monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def killed(*_, **__):
    raise Killed


def die(run, *command):
    with pytest.raises(Killed):
        run(*command)


def facts(done):
    record = json.loads(done.stdout)
    return {
        name: record[name]
        for name in ("objective", "accuracy", "alpha", "n_iter", "label_counts", "n_features")
    }


@pytest.mark.parametrize("mode", MODES)
def test_what_was_done_is_not_done_again(mode, run, write, texts, monkeypatch):
    options = "--recipe", "nb-words", "--json", "-o", "m.safetensors", *MODES[mode]
    command = "train", write(texts(240, ("neg", "pos", "mixed"))), *options
    expected = facts(run(*command))
    command += "--config", "../resume.toml"
    os.unlink("m.safetensors")
    for place, name, there in DEATHS[mode]:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, killed)
            die(run, *command)
        done = names()
        assert (len(done) if isinstance(there, int) else done) == there
        assert not os.path.exists("m.safetensors")
    monkeypatch.setattr(learned_model.CountedTexts, "choose", killed)
    monkeypatch.setattr(StoredRows, "count", killed)
    monkeypatch.setattr(StoredRows, "write", killed)
    again = run(*command)
    assert again.exit_code == 0, again.stderr
    assert again.stderr.startswith(f"run.ckpt: resuming after {', '.join(done)}\n")
    found = facts(again)
    np.testing.assert_allclose(found.pop("objective"), expected.pop("objective"), rtol=1e-9)
    assert found == expected
    assert sorted(os.listdir()) == ["m.safetensors"]


@pytest.mark.parametrize("cut", ["append", "finish"])
def test_the_second_pass_goes_on_after_the_last_batch(cut, run, write, texts, monkeypatch):
    monkeypatch.setattr(corpora, "BATCH_CHARACTERS", 1000)
    transform, counted = Bag.transform, []
    monkeypatch.setattr(Bag, "transform", lambda *args: counted.append(1) or transform(*args))
    options = "--stream", "--recipe", "nb-words", "--json", "-o", "m.safetensors"
    command = "train", write(texts(150)), "--alpha", "0.001", *options
    expected, n_batches = facts(run(*command)), len(counted)
    command += "--config", "../resume.toml"
    done, calls = getattr(MatrixWriter, cut), []

    def die_later(self, *args, **more):
        calls.append(self)
        if len(calls) == (2 if cut == "finish" else 14):
            raise Killed
        return done(self, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(MatrixWriter, cut, die_later)
        die(run, *command)
    counted.clear()
    found = facts(run(*command))
    left = n_batches - 4  # three parts each, and some of the fifth
    assert len(counted) == (0 if cut == "finish" else left)
    np.testing.assert_allclose(found.pop("objective"), expected.pop("objective"), rtol=1e-9)
    assert found == expected


@pytest.fixture(params=["corpus"])
def begun(request, run, write, texts, monkeypatch):
    """A corpus, and the command of a training of it that was killed; its checkpoint."""
    corpus = write(texts(60), request.param, "reviews")
    command = ("train", corpus, *COMMAND, "--alpha", "0.01")
    with monkeypatch.context() as patch:
        patch.setattr(text_training, "save_plain", killed)
        die(run, *command)
    return corpus, command


def content():
    return {path.name: path.read_bytes() for path in Path("run.ckpt").iterdir()}


def starts_anew(run, command):
    """Run a training that has nothing in common with the checkpoint, which stays as it is."""
    before = content()
    done = run(*command)
    assert done.exit_code == 0, done.stderr
    assert "the training starts anew, and the other files stay" in done.stderr
    assert content() == before


@pytest.mark.parametrize(
    "more",
    [
        ("--alpha", "0.02"),
        ("--seed", "3"),
        ("--class-weight", "balanced"),
        ("--stream",),
        ("--format", "corpus"),
    ],
    ids=lambda more: more[0],
)
def test_other_options_start_anew(more, begun, run):
    command = begun[1][:-2] if more[0] == "--alpha" else begun[1]  # it ends with an alpha
    starts_anew(run, [*command, *more])


@pytest.mark.parametrize("change", ["longer", "touched", "head"])
def test_another_corpus_starts_anew(change, begun, run):
    corpus, command = begun
    status = os.stat(corpus)
    if change == "touched":
        os.utime(corpus, ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
    else:
        text = Path(corpus).read_text()
        with open(corpus, "w") as file:
            file.write(text + text if change == "longer" else text.replace("toys", "tors", 1))
        os.utime(corpus, ns=(status.st_atime_ns, status.st_mtime_ns))
    starts_anew(run, command)


@pytest.mark.parametrize("begun", ["folder"], indirect=True)
def test_a_folder_of_texts_is_known_by_its_files(begun, run):
    os.unlink(next(Path(begun[0]).glob("*/*.txt")))
    starts_anew(run, begun[1])


def test_a_damaged_step_is_done_again_and_files_of_others_stay(begun, run):
    for path in Path("run.ckpt").glob("*.npz"):
        path.write_bytes(path.read_bytes()[:-30])
    Path("run.ckpt/notes.txt").write_text("mine")
    assert run(*begun[1]).exit_code == 0
    assert os.listdir("run.ckpt") == ["notes.txt"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("notes", "notes: is a file; give a folder"),
        ("run.ckpt", "run.ckpt: another process is working on it; wait for it, or choose another"),
    ],
)
def test_a_file_and_a_folder_in_use_are_refused(path, message, begun, run):
    if sys.platform == "win32":
        pytest.skip("no locks here")
    Path("notes").write_text("notes")
    Path("../resume.toml").write_text(f'checkpoint = "{path}"')
    before = content()
    with held("run.ckpt"):
        done = run(*begun[1])
    assert (done.exit_code, done.stderr) == (1, f"error: {message}\n")
    assert content() == before


def test_stdin_is_refused_and_a_failure_that_kept_nothing_leaves_nothing(run, write, texts):
    done = run("train", "-", *COMMAND)
    assert (done.exit_code, "<stdin> can be read only once" in done.stderr) == (2, True)
    done = run("train", write([("same", "a text")] * 9), *COMMAND)
    assert (done.exit_code, "the only label" in done.stderr) == (1, True)
    assert os.listdir() == []


def test_ctrl_c_says_that_it_can_go_on(begun, run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(text_training, "save_plain", interrupt)
    done = run(*begun[1])
    assert done.exit_code == 1
    assert done.stderr.endswith("interrupted; no model was written; the same command resumes from run.ckpt\n")


@pytest.mark.slow
@posix
@pytest.mark.parametrize("more", [(), ("--stream",)], ids=["memory", "stream"])
def test_kills_at_random_moments(more, start, write, tmp_path):
    rng = random.Random(len(more))
    words = [f"w{i}" for i in range(3000)]
    pairs = []
    for _ in range(4000):
        label = rng.choice(["neg", "pos", "mixed"])
        said = f"{label}{rng.randrange(50)}" if rng.random() < 0.6 else "nothing"
        pairs.append((label, " ".join([said, *rng.choices(words, k=30)])))
    corpus = write(pairs, "csv", "reviews.csv")
    command = ("train", corpus, "--ngrams", "1-2", "--alpha", "1e-6", "--json", *more)
    began = time.monotonic()
    (tmp_path / "whole.toml").write_text(f"epochs = {10**6}\n")
    (tmp_path / "resume.toml").write_text(f'epochs = {10**6}\ncheckpoint = "run.ckpt"\n')
    whole = start(*command, "-o", "whole.safetensors", "--config", "whole.toml")
    expected = json.loads(whole.communicate(timeout=100)[0])
    seconds = time.monotonic() - began
    command += ("-o", "m.safetensors", "--config", "resume.toml")
    first = start(*command)
    while not {path.suffix for path in tmp_path.glob("run.ckpt/*")} & {".npz", ".fit"}:
        assert first.poll() is None
        time.sleep(0.005)
    first.kill()
    first.wait()
    heard = ""
    for share in [rng.random() for _ in range(4)] + [100]:
        process = start(*command)
        try:
            out, err = process.communicate(timeout=share * seconds)
            break
        except subprocess.TimeoutExpired:
            process.kill()
            heard += process.communicate()[1]
    assert process.returncode == 0, err
    assert "resuming after" in heard + err
    record = json.loads(out)
    for one, other in zip(
        *[zip(each["objective"], each["gap"], strict=True) for each in (record, expected)], strict=True
    ):
        assert one[1] <= 1e-3 * one[0]
        assert abs(one[0] - other[0]) <= max(one[1], other[1])
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {"reviews.csv", "m.safetensors", "whole.safetensors", "whole.toml", "resume.toml"}
