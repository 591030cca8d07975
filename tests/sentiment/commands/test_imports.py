"""What a command does not wait for: scikit-learn, unless a page is asked for."""

import shutil

from imported import imported

COMMANDS = {
    "train": "train CORPUS -o new.safetensors --quiet",
    "train over a model": "train CORPUS -o MODEL --quiet",
    "train on the best terms": "train CORPUS -o new.safetensors --k 50 --score chi2",
    "train with Pegasos": "train CORPUS -o new.safetensors --recipe article --k all",
    "evaluate": "evaluate MODEL CORPUS --quiet",
    "predict": "predict MODEL LINES",
    "predict probabilities": "predict MODEL LINES --proba --json",
    "words": "explain MODEL",
}


def test_no_command_imports_scikit_learn(model, write, texts, tmp_path):
    lines = tmp_path / "lines.txt"
    lines.write_text("great stuff\n")
    own = shutil.copy(model, tmp_path)  # "model" is for all tests
    places = {"CORPUS": str(write(texts(60))), "MODEL": own, "LINES": str(lines)}
    assert imported("sentiment", COMMANDS, places, tmp_path) == ""
