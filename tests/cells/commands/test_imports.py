"""What a command does not wait for: scikit-learn."""

import shutil

import pytest
from imported import imported

COMMANDS = {
    "train": "train IMAGES --folds 2 --versions 1 -q",
    "train over a model": "train IMAGES -o MODEL --alpha 0.1 --folds 1 --versions 1 -q",
    "classify": "classify IMAGES -m MODEL -q",
    "classify by the model that comes along": "classify IMAGES --json",
    "classify with a page and overlays": "classify IMAGES -qm MODEL --report r.html --overlay drawn -o a.csv",
    "evaluate": "evaluate MODEL IMAGES --mistakes mistakes.png -q",
    "crop": "crop IMAGES -o crops",
}


@pytest.mark.slow
def test_no_command_imports_scikit_learn(folder, model, tmp_path):
    own = shutil.copy(model, tmp_path / "own.safetensors")  # "model" is for all tests
    places = {"IMAGES": str(folder(0, 1, 2, 20, 21, 22, by_label=True)), "MODEL": str(own)}
    assert imported("cells", COMMANDS, places, tmp_path) == ""
