"""What --help and --version of every app say, and that these import no library."""

from importlib import import_module

import pytest
from click.testing import CliRunner
from imported import imported


@pytest.mark.parametrize("app", ["vectors", "sentiment", "cells", "studies"])
def test_help_has_examples_and_imports_no_library(app, tmp_path):
    main = import_module(f"fastsvm_apps.{app}.cli").main
    lines = {"": "--help", **{name: f"{name} --help" for name in main.list_commands(None)}}
    assert imported(app, lines, {}, tmp_path, heavy=("numpy", "rich", "fastsvm")) == ""
    lines["gallery"] = "--help"  # it has no examples

    def said(line):
        return CliRunner().invoke(main, line.split(), prog_name=main.name).stdout

    assert [line for line in lines.values() if said(line).count(f"  {main.name} ") < 2] == []
    assert not any("None" in said(line) for line in lines.values())
    assert said("--version").startswith(f"{main.name} 0.")
    assert said("").startswith(f"Usage: {main.name}")
