"""What the apps may import, and when."""

import re
import subprocess
import sys
from pathlib import Path

APPS = Path(__file__).parents[2] / "apps"


def test_apps_use_public_names_only():
    for file in APPS.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\b(from|import) fastsvm\.", text), file
        assert not re.search(r"\bfastsvm\.(solvers|base|linear|losses|engine|persistence)\b", text), file


def test_the_command_line_waits_for_nothing_heavy():
    heavy = {"sklearn", "scipy", "numpy", "matplotlib", "rich", "fastsvm"}
    code = "import sys, fastsvm_apps.sentiment.cli; print(*sys.modules)"
    out = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not heavy & set(out.split())
