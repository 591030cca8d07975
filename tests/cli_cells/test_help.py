"""What --help and --version say."""

import pytest

from fastsvm_apps.cells.cli import main


@pytest.mark.parametrize("command", [None, *main.commands])
def test_help_has_examples(run, command):
    out = run(*filter(None, [command]), "--help").stdout
    assert out.count("  fastsvm-cells ") >= 2


def test_version(run):
    assert run("--version").stdout.startswith("fastsvm-cells 0.")
    assert run().stdout.startswith("Usage: fastsvm-cells")
