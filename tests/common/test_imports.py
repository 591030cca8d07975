"""What a command does not wait for: --help for no library, the others for none that they can do without."""

import shutil
import subprocess
import sys
from importlib import import_module
from importlib.resources import files

import pytest
from click.testing import CliRunner

from app_runs import with_samples

LINES = {  # on samples, with a model that comes along
    "sentiment": """train reviews.txt -o new.safetensors -q
        train reviews.txt -o MODEL -q
        train reviews.txt -o new.safetensors --k 50 --score chi2 -q
        train reviews.txt -o new.safetensors --recipe article --k all -q
        evaluate MODEL reviews.txt -q
        predict MODEL reviews.txt -q
        predict MODEL reviews.txt --proba --json -q
        explain MODEL""",
    "cells": """train smears --folds 2 --versions 1 -q
        train smears -o MODEL --alpha 0.1 --folds 1 --versions 1 -q
        classify smears -m cells.safetensors -q
        classify smears --json
        classify smears -qm MODEL --report r.html --overlay drawn -o a.csv
        evaluate MODEL smears --mistakes mistakes.png -q
        crop smears -o crops""",
}
CODE = """
import sys
from fastsvm_apps.{app}.cli import main
for line in {lines!r}:
    try:
        main(line.split())
    except SystemExit as end:
        assert end.code == 0
    found = [each for each in {heavy!r} if each in sys.modules]
    if found:
        sys.exit(f"{{line}} imported {{found}}")
"""


def assert_light(app, lines, cwd, *heavy):
    """Run command lines in a process of their own, which says nothing and imports none of the packages."""
    code = CODE.format(app=app, lines=lines, heavy=heavy)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("app", ["sentiment", pytest.param("cells", marks=pytest.mark.slow)])
def test_no_command_imports_scikit_learn(app, tmp_path):
    (shipped,) = (files(f"fastsvm_apps.{app}") / "shipped").glob("*.safetensors")
    shutil.copy(shipped, with_samples(tmp_path) / "MODEL")
    heavy = "sklearn", "scipy.stats", "pandas", "joblib", "matplotlib"
    assert_light(app, LINES[app].splitlines(), tmp_path, *heavy)


@pytest.mark.parametrize("app", ["vectors", "sentiment", "cells", "studies"])
def test_help_has_examples_and_imports_no_library(app, tmp_path):
    main = import_module(f"fastsvm_apps.{app}.cli").main
    commands = ["", *main.list_commands(None)]
    assert_light(app, [f"{name} --help" for name in commands], tmp_path, "numpy", "rich", "fastsvm")

    def said(line):
        return CliRunner().invoke(main, line.split(), prog_name=main.name).stdout

    told = {name: said(f"{name} --help") for name in commands}
    assert {name for name in told if told[name].count(f"  {main.name} ") < 2} <= {"gallery"}
    assert not any("None" in text for text in told.values())
    assert said("--version").startswith(f"{main.name} 0.")
    assert said("").startswith(f"Usage: {main.name}")
