"""What a command does not wait for: scikit-learn, unless a page is asked for."""

import shutil
import subprocess
import sys

HEAVY = ("sklearn", "scipy.stats", "pandas", "joblib", "matplotlib")

CODE = """
import sys
from fastsvm_apps.sentiment.cli import main
for name, args in {commands!r}.items():
    try:
        main(args)
    except SystemExit as end:
        assert end.code == 0
    found = [each for each in {heavy!r} if each in sys.modules]
    if found:
        print(name, "imported", *found, file=sys.stderr)
        break
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


def test_no_command_imports_scikit_learn(model, write, texts, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("great stuff\n")
    own = shutil.copy(model, tmp_path)  # "model" is for all tests
    places = {"CORPUS": str(write(texts(60))), "MODEL": own, "LINES": str(lines)}
    commands = {name: [places.get(arg, arg) for arg in args] for name, args in COMMANDS.items()}
    code = CODE.format(commands=commands, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
