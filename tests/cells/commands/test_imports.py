"""What a command does not wait for: scikit-learn."""

import shutil

import numpy as np
import pytest
from imported import imported
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import fastsvm
from fastsvm.model_files import load_about
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.learning.cell_model import load_cell_model
from fastsvm_apps.cells.measuring.cell_features import feature_names
from fastsvm_apps.cells.measuring.describing import describe_image

COMMANDS = {
    "train": "train IMAGES --folds 2 --versions 1 -q",
    "train over a model": "train IMAGES -o MODEL --alpha 0.1 --folds 1 --versions 1 -q",
    "classify": "classify IMAGES -m MODEL -q",
    "classify by the model that comes along": "classify IMAGES --json",
    "classify with a page and overlays": "classify IMAGES -qm MODEL --report r.html --overlay drawn -o a.csv",
    "evaluate": "evaluate MODEL IMAGES --mistakes mistakes.png -q",
    "crop": "crop IMAGES -o crops",
}


@pytest.fixture
def places(folder, model, tmp_path):
    """Some images, and a model that no other test has."""
    own = shutil.copy(model, tmp_path / "own.safetensors")
    return {"IMAGES": str(folder(0, 1, 2, 20, 21, 22, by_label=True)), "MODEL": str(own)}


@pytest.mark.slow
def test_no_command_imports_scikit_learn(places, tmp_path):
    assert imported("cells", COMMANDS, places, tmp_path) == ""


def both_sides(model, X):
    decisions = model.decision_function(X)
    return np.column_stack([-decisions, decisions])


@pytest.mark.parametrize("classifier", ["sdca-logistic", "sdca-svm"])
def test_estimators_make_the_same_file(run, folder, work, classifier):
    top = folder(0, 1, 2, 20, 21, 22, by_label=True)
    options = ("--classifier", classifier, "--alpha", 0.2, "--folds", 1, "--versions", 0)
    result = run("train", top, "-o", "plain.safetensors", *options, "--seed", 5)
    assert result.exit_code == 0, result.stderr
    files = find_images([str(top)])
    X = np.array([describe_image(file, most=1).X[0] for file in files], np.float32)
    y = np.array([file.label for file in files])
    loss = "log" if classifier == "sdca-logistic" else "hinge"
    estimator = fastsvm.SDCAClassifier(loss=loss, alpha=0.2, max_iter=1000, random_state=5)
    model = Pipeline([("scaler", StandardScaler()), ("classifier", estimator)]).fit(X, y)
    model[0].feature_names_in_ = np.array(feature_names(), dtype=object)
    fastsvm.save_model(model, "estimators.safetensors", load_about("plain.safetensors"))
    assert (work / "plain.safetensors").read_bytes() == (work / "estimators.safetensors").read_bytes()
    loaded = load_cell_model("plain.safetensors")
    scores = loaded.scores(X, [file.name for file in files])
    assert type(loaded.pipeline).__module__.startswith("fastsvm.")
    vars(model[0]).pop("feature_names_in_")
    assert np.array(loaded.classes)[scores.argmax(axis=1)].tolist() == model.predict(X).tolist()
    # Without folds nothing is known about its probabilities, and they stay as they are.
    expected = model.predict_proba(X) if loss == "log" else both_sides(model, X)
    np.testing.assert_allclose(scores, expected, rtol=1e-6)
