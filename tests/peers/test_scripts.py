"""Programs written for scikit-learn, run as they are and with fastsvm's classes in their place."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("[!r]*.py"))  # but reporting.py
LOWER = 0.002  # of a score, at most

pytestmark = pytest.mark.slow


def scores(*command):
    """What a script reports, by name."""
    found = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr
    return {name: float(score) for name, score in map(str.split, found.stdout.splitlines())}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_program_keeps_its_scores(script, shared):
    theirs, ours = scores(script), scores("-m", "fastsvm.drop_in", script)
    assert ours.keys() == theirs.keys()
    for name, score in theirs.items():
        assert ours[name] >= score - LOWER, name
