"""What only a real process shows, and options from a file and the environment."""

import pytest

from fastsvm_apps.cells.cli import main
from processes import seconds_of

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
