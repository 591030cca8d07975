"""Python that is started in a clone finds its folder `fastsvm` before the one that is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import fastsvm

PACKAGE = Path(fastsvm.__file__).parent


def run(code, folder):
    """What Python says that is started in a folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_a_clone_that_was_not_built_says_so(tmp_path):
    source = tmp_path / "fastsvm"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    message = f"ImportError: {source} has no compiled modules for this Python: in a clone of the repository "
    message += "run 'pip install -e .', or start Python in another folder."
    names = "SDCAClassifier", "solvers.sdca", "text.BagOfWords", "estimators.persistence.load_model"
    for module, _, name in (f"fastsvm.{name}".rpartition(".") for name in names):
        result = run(f"from {module} import {name}", tmp_path)
        assert (result.returncode, result.stderr.splitlines()[-1]) == (1, message)


def test_a_clone_that_was_built_is_used(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "fastsvm")
    result = run("import fastsvm.solvers; print(fastsvm.solvers.__file__)", tmp_path)
    assert result.stdout.strip() == str(tmp_path / "fastsvm" / "solvers" / "__init__.py")
