"""What only a real process shows, and options from a file and the environment."""

import json
import sys

import pytest

from fastsvm_apps.cells.cli import main
from processes import seconds_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


COMMANDS = [pytest.param(name, marks=[pytest.mark.slow] * (name != "classify")) for name in main.commands]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_starts_fast(start, command):
    assert any(seconds_of(lambda: start(*filter(None, [command]), "--help")) < 0.3 for _ in range(4))


@pytest.mark.parametrize("command", [None, *main.commands])
def test_help_has_examples(run, command):
    out = run(*filter(None, [command]), "--help").stdout
    assert out.count("  fastsvm-cells ") >= 2


def test_version(run):
    assert run("--version").stdout.startswith("fastsvm-cells 0.")
    assert run().stdout.startswith("Usage: fastsvm-cells")


@pytest.mark.slow
def test_options_from_a_file_and_the_environment(run, folder, tmp_path, monkeypatch):
    top = folder(0, 1, 20, 21, by_label=True)
    config = tmp_path / "train.toml"
    config.write_text(
        "versions = 0\nalpha = 0.5\nfolds = 2\njson = true\ncell-width = 80\n"
        'classes = "LYMPHOCYTE, NEUTROPHIL"\n'
    )

    def alpha(*options):
        result = run("train", top, "--config", config, *options)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)["alpha"]

    assert alpha() == 0.5
    assert alpha("--alpha", 1) == 1
    config.write_text("alfa = 3\n")
    result = run("train", top, "--config", config)
    assert result.exit_code == 2
    assert "unknown key alfa; 'train' knows alpha, " in result.stderr
    monkeypatch.setenv("FASTSVM_CELLS_TRAIN_ALPHA", "0.25")
    assert run("train", top).stderr.startswith("error: FASTSVM_CELLS_TRAIN_ALPHA has no effect")


@pytest.mark.slow
@posix
def test_a_reader_that_leaves_is_no_error(start, folder, svm):
    top = folder(0)
    content = (top / "smear_00.jpg").read_bytes()
    for n in range(400):
        (top / f"{n:04}.jpg").write_bytes(content)
    process = start("classify", top, "-m", svm)
    assert process.stdout.readline().startswith("file")
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
