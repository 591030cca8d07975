"""Labels that are given and withheld, images that are unlike those learned from, and reasons."""

import json
from functools import reduce
from operator import getitem

import cv2
import numpy as np
import pytest

from csv_rows import rows_of
from fastsvm.model_files import load_about, load_plain, save_plain
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.finding.findings import UNCLASSIFIED
from fastsvm_apps.cells.jobs.cell_explanation import explain_cell
from fastsvm_apps.cells.jobs.cell_training import train_cell_model
from fastsvm_apps.cells.learning.cell_model import load_cell_model
from fastsvm_apps.cells.learning.familiarity import ImageKind
from fastsvm_apps.cells.measuring.cell_features import feature_names
from fastsvm_apps.cells.measuring.describing import describe_image
from fastsvm_apps.cells.settings import TrainingSettings
from fastsvm_apps.common.statistics import wilson_interval

pytestmark = pytest.mark.blas

CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]


@pytest.fixture(scope="session")
def sure(tmp_path_factory, smears):
    """Return the path of a model of a few versions that knows how good it is."""
    path = str(tmp_path_factory.mktemp("sure") / "sure.safetensors")
    train_cell_model([str(smears / "images")], path, TrainingSettings(alpha=0.1, folds=3, versions=2))
    return path


def records(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def cells_of(record):
    return [cell for image in record["images"] for cell in image["cells"]]


# Scores


@pytest.mark.slow
def test_a_cell_whose_score_is_low_gets_no_label(run, smears, sure, work):
    record = records(run("classify", smears / "images", "-m", sure, "--json", "--min-score", 0))
    scores = sorted(cell["score"] for cell in cells_of(record))
    middle = (scores[9] + scores[10]) / 2
    assert record["unfamiliar"] == 0
    assert UNCLASSIFIED not in record["counts"]
    named = records(run("classify", smears / "images", "-m", sure, "--json", "--min-score", middle))
    assert named["min_score"] == middle
    assert named["counts"][UNCLASSIFIED] == 10
    for before, cell in zip(cells_of(record), cells_of(named), strict=True):
        assert cell["score"] == before["score"] == max(cell["probabilities"].values())
        assert cell["label"] == (before["label"] if cell["score"] >= middle else UNCLASSIFIED)
    done = run("classify", smears / "images", "-m", sure, "--min-score", middle, "-o", "cells.csv")
    assert done.exit_code == 0
    for label, n in named["counts"].items():  # of any class may be those that are undecided
        most = n if label == UNCLASSIFIED else n + 10
        bounds = wilson_interval(n, named["n_cells"])[0], wilson_interval(most, named["n_cells"])[1]
        assert named["percent_intervals"][label] == pytest.approx([100 * bound for bound in bounds])
    rows = rows_of("cells.csv")
    assert sum(row["label"] == UNCLASSIFIED for row in rows) == 10
    for row in rows:
        assert sum(float(row[f"p_{label}"]) for label in CLASSES) == pytest.approx(1, abs=1e-4)


def test_unfamiliar_cells_get_few_labels_or_none(run, smears, monkeypatch):
    monkeypatch.setattr(ImageKind, "are_own", lambda self, stains: False)
    record = records(run("classify", smears, "--json"))
    with_cells = [image for image in record["images"] if image["cells"]]
    assert record["unfamiliar"] == len(with_cells)
    assert all(image["flags"][:2] == ["unfamiliar", "another stain"] for image in with_cells)
    assert record["corrected_percent"] is None
    assert {*record["percent"].values(), *record["percent_intervals"].values()} == {None}
    done = run("classify", smears, "--strict")
    n = record["n_cells"]
    assert done.output.startswith(f"warning: {n} of {n} cells have no label: ")
    strict = records(run("classify", smears, "--strict", "--json"))
    assert {cell["label"] for cell in cells_of(strict)} == {UNCLASSIFIED}
    every = records(run("classify", smears, "--min-score", 0, "--json"))
    assert UNCLASSIFIED not in {cell["label"] for cell in cells_of(every)}
    image = smears / "images" / "LYMPHOCYTE" / "smear_00.jpg"
    assert "the cell is unlike those that the model knows" in run("explain", image).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "least", "most"), [("smears", 0.96, 1), ("tecom", 0, 0), ("pbc", 0, 0), ("lisc", 0, 0.01)]
)
def test_images_of_other_laboratories_are_told_one_by_one(shared, folder, least, most):
    model = load_cell_model(None)
    stains = [describe_image(file).stain for file in find_images([str(shared / folder / "images")])[::2]]
    own = [model.about.kind.are_own([stain]) for stain in stains]
    assert least <= np.mean(own) <= most
    pairs = [model.about.kind.are_own(pair) for pair in zip(stains, stains[7:], strict=False)]
    assert least - 0.02 <= np.mean(pairs) <= most


def test_what_a_model_says_of_its_scores_is_in_its_file(run, smears, sure):
    about, model = load_about(sure), load_cell_model(sure)
    calibration = about["calibration"]
    assert model.about.record == {name: about[name] for name in about if name != "training_items"}
    assert model.least() == calibration["min_score"]
    assert 0 <= calibration["error"] <= 0.1
    assert 0.5 < calibration["coverage"] <= 1
    assert 0 <= calibration["miscalibration"] < 0.3
    confusion = np.array(about["confusion"])
    assert confusion.shape == (4, 5)
    np.testing.assert_allclose(confusion.sum(axis=1), 1, atol=1e-3)
    assert np.diag(confusion).min() > 0.5


@pytest.mark.slow
def test_corrected_shares(run, smears, sure):
    record = records(run("classify", smears / "images", "-m", sure, "--json"))
    assert sum(record["corrected_percent"].values()) == pytest.approx(100)
    for label, share in record["corrected_percent"].items():
        low, high = record["percent_intervals"][label]
        assert low <= share <= high
    assert "corrected %" in run("classify", smears / "images", "-m", sure).stdout
    # Confusions are known at the model's own score only.
    assert "corrected %" not in run("classify", smears / "images", "-m", sure, "--min-score", 0.99).stdout


# Images unlike those learned from


@pytest.fixture
def odd(folder):
    """Return a folder of a usual and a noisy image."""
    top = folder(0, 20)
    image = cv2.imread(str(top / "smear_20.jpg")).astype(float)
    noisy = image + np.random.default_rng(0).normal(0, 25, image.shape)
    cv2.imwrite(str(top / "smear_20.jpg"), np.clip(noisy, 0, 255))
    return top


def test_images_unlike_those_learned_from_are_flagged(run, odd, sure, work):
    result = run("classify", odd, "-m", sure, "--json", "-o", "cells.csv")
    record = records(result)
    assert ["noise" in image.get("flags", ()) for image in record["images"]] == [False, True]
    assert record["flagged"] == 1
    rows = rows_of("cells.csv")
    assert ["noise" in row["flags"] for row in rows] == [False, True]
    assert "1 image unlike the training images: " in run("classify", odd, "-m", sure).stdout


# Versions


def test_cells_are_found_again_in_versions_whatever_the_size(run, folder, work):
    top = folder(0, 1, 20, 21, by_label=True)
    for path in top.rglob("*.jpg"):
        image = cv2.imread(str(path))
        cv2.imwrite(str(path), cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
    record = records(run("train", top, "--versions", 3, "--folds", 2, "--alpha", 0.1, "--json", "-v"))
    assert (record["versions"], record["n"]) == (3, 4)
    assert 0 <= record["versions_error"] <= 1


def test_versions_come_from_the_seed(run, folder, work):
    top = folder(0, 1, 20, 21, by_label=True)
    models = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("train", top, "-o", name, "--versions", 2, "--folds", 1, "--alpha", 0.1, "--seed", seed)
        models.append((work / name).read_bytes())
    assert models[0] == models[1] != models[2]


# Reasons


def test_explain(run, smears, sure, work):
    path = smears / "images" / "NEUTROPHIL" / "smear_23.jpg"
    record = records(run("explain", path, "-m", sure, "--cell", 2, "--json", "-o", "why.png"))
    model = load_cell_model(sure)
    (file,) = find_images([str(path)])
    listed = records(run("classify", path, "-m", sure, "--json"))["images"][0]["cells"][1]
    assert record["box"] == listed["box"]
    assert record["probabilities"] == pytest.approx(listed["probabilities"], abs=1e-6)
    first, second = sorted(record["probabilities"], key=record["probabilities"].get)[:-3:-1]
    assert (record["likeliest"], record["next"]) == (first, second)
    total = sum(reason["contribution"] for reason in record["reasons"]) + record["rest"]
    # One-vs-rest: what is added up are the two decisions, before the shares of all classes.
    row = model.pipeline[0].transform(describe_image(file, usual=model.about.usual).X[1][None])[0]
    decision, coef = model.pipeline[1].decision_function(row[None])[0], model.pipeline[1].coef_
    one, other = map(model.classes.index, (first, second))
    assert total == pytest.approx(decision[one] - decision[other], abs=1e-4)
    shares = dict(zip(feature_names(), (coef[one] - coef[other]) * row, strict=True))
    for reason in record["reasons"]:
        assert reason["contribution"] == pytest.approx(shares[reason["name"]], abs=1e-4)
        assert set(reason["means"]) == set(model.classes)
    weights = [abs(reason["contribution"]) for reason in record["reasons"]]
    assert weights == sorted(weights, reverse=True)
    halfway = np.mean([model.about.means[k] for k in (one, other)], axis=0)
    families = explain_cell(str(path), str(sure), 2).families
    assert sum(families.values()) == pytest.approx((coef[one] - coef[other]) @ (row - halfway), abs=1e-4)
    assert cv2.imread(str(work / "why.png")) is not None


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("images/NEUTROPHIL/smear_20.jpg", "--cell", 5), "has only 1 white cell; --cell 5 is out of range"),
        (("empty/smear_40.jpg",), "no white cell"),
        (("images/NEUTROPHIL/none.jpg",), "none.jpg"),
    ],
)
def test_what_cannot_be_explained(run, smears, sure, args, said):
    image, *options = args
    result = run("explain", smears / image, "-m", sure, *options)
    assert result.exit_code in (1, 2)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_only_models_with_probabilities_are_explained(run, smears, svm):
    result = run("explain", smears / "images" / "NEUTROPHIL" / "smear_20.jpg", "-m", svm)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "gives no probabilities to explain; train with --folds above 1" in result.stderr


# What a model's file says


DROPPED = object()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), DROPPED),
        (("usual",), DROPPED),
        (("usual",), 3),
        (("usual", "density"), 0),
        (("usual", "density"), "much"),
        (("usual", "nuclear"), 0),
        (("usual", "plasma"), [200, 200]),
        (("usual", "plasma"), [200, 200, 256]),
        (("calibration",), []),
        (("calibration", "power"), 0),
        (("calibration", "power"), 1e9),
        (("calibration", "min_score"), -1),
        (("calibration", "error"), DROPPED),
        (("ranges",), None),
        (("ranges", "noise"), [0, 1, 2]),
        (("ranges", "noise"), [0, None]),
        (("confusion",), [[1, 0, 0, 0, 0]]),
        (("confusion", 0), [1]),
        (("means", 3), []),
        (("means",), "none"),
        (("usual_width",), 0),
        (("kind",), DROPPED),
        (("kind", "limit"), -1),
        (("kind", "covariance", 2), [0, 0, 0, 0]),
        (("cautious", "scale", 0), 0),
        (("cautious", "coef", 1), []),
        (("cautious", "min_score"), 2),
        (("training",), DROPPED),
        (("training", "X"), "AAA"),
        (("training", "X"), "fHwA"),
        (("training", "number"), [0, 1, 2, 3]),
        (("training", "number", 0), 4),
        (("training", "number", 0), "0"),
        (("training", "number"), [[0, 1, 2, 3]]),
        (("limits",), 7),
    ],
)
def test_what_a_file_says_is_checked(run, smears, sure, work, path, value):
    about = load_about(sure)
    *way, last = path or (None,)
    part = reduce(getitem, way, about)
    if value is not DROPPED:
        part[last] = value
    elif path:
        del part[last]
    else:
        about.clear()
    save_plain(load_plain(sure), "odd.safetensors", about)
    result = run("classify", smears, "-m", "odd.safetensors")
    assert (result.exit_code, result.stdout) == (1, "")
    message = "error: odd.safetensors: its notes on the model are damaged; train it again\n"
    assert result.stderr == message
