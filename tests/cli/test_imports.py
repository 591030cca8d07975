"""What a command does not wait for: scikit-learn, unless a page is asked for."""

import shutil
import subprocess
import sys

import pytest

HEAVY = ("sklearn", "scipy.stats", "pandas", "joblib", "matplotlib")

CODE = """
import sys
from fastsvm_apps.sentiment.cli import main
try:
    main({args!r})
except SystemExit as end:
    assert end.code == 0
print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""

COMMANDS = {
    "train": ["train", "CORPUS", "-o", "new.safetensors", "--quiet"],
    "train over a model": ["train", "CORPUS", "-o", "MODEL", "--quiet"],
    "train on the best terms": ["train", "CORPUS", "-o", "new.safetensors", "--k", "50", "--score", "chi2"],
    "train with Pegasos": ["train", "CORPUS", "-o", "new.safetensors", "--recipe", "article", "--k", "all"],
    "evaluate": ["evaluate", "MODEL", "CORPUS"],
    "predict": ["predict", "MODEL", "LINES"],
    "words": ["words", "MODEL"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_not_import_scikit_learn(name, model, write, texts, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("great stuff\n")
    own = shutil.copy(model, tmp_path)  # "model" is for all tests
    places = {"CORPUS": str(write(texts(60))), "MODEL": own, "LINES": str(lines)}
    args = [places.get(arg, arg) for arg in COMMANDS[name]]
    code = CODE.format(args=args, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "[]\n")
