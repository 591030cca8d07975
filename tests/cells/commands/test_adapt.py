"""adapt: a laboratory learned from a handful of its cells."""

import json
import re
import shutil
from collections import Counter

import cv2
import numpy as np
import pytest

from csv_rows import rows_of
from fastsvm.model_files import load_about, load_plain, save_plain
from fastsvm_apps.cells.finding.findings import UNFAMILIAR
from fastsvm_apps.cells.jobs import cell_adaptation
from fastsvm_apps.cells.jobs.cell_adaptation import adapt_cell_model
from fastsvm_apps.cells.jobs.cell_evaluation import evaluate_cell_model
from fastsvm_apps.cells.learning import training_samples
from fastsvm_apps.cells.learning.adaptation import fit_adapted_model
from fastsvm_apps.cells.learning.cautious_model import CautiousModel
from fastsvm_apps.cells.learning.cell_model import load_cell_model
from fastsvm_apps.cells.learning.familiarity import fit_image_kind
from fastsvm_apps.cells.learning.model_notes import ModelNotes, read_notes
from fastsvm_apps.cells.learning.training_samples import TrainingSamples
from fastsvm_apps.cells.measuring.cell_features import feature_names, n_travelling
from refusal import assert_refused

pytestmark = pytest.mark.blas

CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]
STAIN = np.array([[0.8, 0.15, 0.05], [0.3, 0.6, 0.1], [0.0, 0.25, 0.75]])  # of densities: blue, green, red


@pytest.fixture(scope="session")
def laboratory(smears, tmp_path_factory):
    """Return a folder with the sample smears as another stain would have them, by label."""
    top = tmp_path_factory.mktemp("laboratory")
    for path in (smears / "images").rglob("*.jpg"):
        density = -np.log(np.maximum(cv2.imread(str(path)), 1) / 255.0)
        (top / path.parent.name).mkdir(exist_ok=True)
        image = 255 * np.exp(-1.3 * density @ STAIN.T)
        cv2.imwrite(str(top / path.parent.name / f"{path.stem}.png"), image)
    return top


@pytest.fixture
def few(laboratory, tmp_path):
    """Copy the first images of classes of the laboratory, in folders of these or other names."""

    def few(n, **names):
        for label, name in (names or dict(zip(CLASSES, CLASSES, strict=True))).items():
            (tmp_path / "few" / name).mkdir(parents=True, exist_ok=True)
            for path in sorted((laboratory / label).iterdir())[:n]:
                shutil.copy(path, tmp_path / "few" / name)
        return tmp_path / "few"

    return few


@pytest.fixture
def adapted(record):
    return lambda *args: record("adapt", *args, "-o", "new.safetensors")


def wrong(path, top):
    """Return the share of wrong labels of the largest cells of the images, every one labelled."""
    return evaluate_cell_model(str(path), [str(top)])[1].error


def test_another_stain(run, adapted, model, few, laboratory):
    record = adapted(model, few(4))
    assert record["label_counts"] == dict.fromkeys(CLASSES, 4)
    assert record["error"] <= 0.2 <= record["error_before"]
    assert (record["unseen"], record["skipped"]) == ([], 0)
    assert all(0 <= gap <= 1e-3 for gap in record["relative_gap"])
    assert record["calibration"]["min_score"] == cell_adaptation.USUAL_SCORE
    assert wrong("new.safetensors", laboratory) <= 0.1 < wrong(model, laboratory)
    about = load_about("new.safetensors")
    assert about["training"] is None
    assert about["limits"].startswith("It is adapted to one laboratory, with 16 of its cells")
    out = run("classify", laboratory, "-m", "new.safetensors").stdout
    assert "unfamiliar" not in out


def test_the_model_that_comes_along(adapted, few):
    record = adapted("shipped", few(6))
    assert record["adapted"] == "white_cells.safetensors (comes with fastsvm)"
    assert record["calibration"]["error"] is not None
    assert record["error"] <= 0.2
    loaded = load_cell_model("new.safetensors")
    assert loaded.about.cautious.classes == load_cell_model(None).about.cautious.classes
    assert loaded.about.means


def test_new_classes(adapted, model, few):
    names = {"LYMPHOCYTE": "LYMPHOCYTE", "MONOCYTE": "BASOPHIL", "NEUTROPHIL": "NEUTROPHIL"}
    top = few(4, **names)
    record = adapted(model, top)
    assert load_cell_model("new.safetensors").classes == ["BASOPHIL", *CLASSES]
    assert record["unseen"] == ["EOSINOPHIL", "MONOCYTE"]
    assert record["label_counts"] == {"BASOPHIL": 4, "LYMPHOCYTE": 4, "NEUTROPHIL": 4}
    assert wrong("new.safetensors", top) <= 0.1


def test_corrections(run, model, few, work):
    top = few(3, LYMPHOCYTE="a", NEUTROPHIL="a", MONOCYTE="b")
    entries = []
    for row in rows_of(run("crop", top / "a", "-o", "-").stdout):
        new = CLASSES[1] if row["file"] < "smear_20" else CLASSES[3]
        box = [int(row[side]) for side in "xywh"]
        entries.append({"file": row["file"], "box": box, "old": "x", "new": new})
    content = {"version": 1, "classes": CLASSES, "corrections": entries}
    (work / "corrections.json").write_text(json.dumps(content))
    result = run("adapt", model, top, "--corrections", "corrections.json", "--json")
    assert result.exit_code == 0
    assert result.stderr == "note: left out 3 images without a label or correction\n"
    assert json.loads(result.stdout)["label_counts"] == Counter(entry["new"] for entry in entries)


def test_cells_of_one_image_and_labels_of_some(run, adapted, model, few, work):
    top = few(3)
    names = sorted(path.name for path in top.rglob("*.png"))
    (work / "groups.csv").write_text("\n".join(["file,original", *(f"{name},one" for name in names)]))
    assert 0 <= adapted(model, top, "--groups", "groups.csv")["error"] <= 0.5
    lines = [f"{name},{label}" for name, label in zip(names[:4], CLASSES[:2] * 2, strict=True)]
    (work / "labels.csv").write_text("\n".join(["file,label", *lines]) + "\n")
    result = run("adapt", model, top, "--labels", "labels.csv")
    assert (result.exit_code, result.stderr) == (0, "note: left out 8 images without a label\n")


def test_bad_input(run, model, few, folder, work):
    top = few(2)
    assert run("adapt", model, top, "-o", "new.safetensors").exit_code == 0
    save_plain(load_plain(model), "bare.safetensors")
    of_one = few(2, LYMPHOCYTE="x/LYMPHOCYTE") / "x"
    unknown = few(2, LYMPHOCYTE="y/A", NEUTROPHIL="y/B") / "y"
    one_each = few(1, LYMPHOCYTE="z/LYMPHOCYTE", NEUTROPHIL="z/B") / "z"
    for args, said in [
        (("new.safetensors", top), "new.safetensors: cannot be adapted again; give the model that"),
        (("bare.safetensors", top), "its notes on the model are damaged"),
        (("none.safetensors", top), "none.safetensors"),
        ((model, of_one), "'LYMPHOCYTE' is the only label"),
        ((model, unknown), f"no cell has a label of sdca-logistic.safetensors ({', '.join(CLASSES)})"),
        ((model, one_each), "B: one cell is too few for a new label"),
        ((model, folder(0, 20)), "no image has a label"),
        ((model, top, "-o", "-"), "a model of fastsvm cannot go to stdout"),
    ]:
        assert_refused(run("adapt", *args), 2 if "-" in args else 1, re.escape(said))
    assert not (work / "adapted.safetensors").exists()


def test_a_few_cells_that_are_alike():
    rng, n = np.random.default_rng(0), len(feature_names())
    others, labels = rng.normal(size=(40, n)).astype(np.float32), np.repeat(["A", "B"], 20)
    others[:20, :20] += 4
    own = np.stack([others[:20].mean(axis=0), others[20:].mean(axis=0)]) + 100
    for some in (slice(2), slice(1)):
        both = np.array(["A", "B"]), np.arange(2), np.zeros(2, bool), *np.zeros((2, 2))
        samples = TrainingSamples(own, *both, own)
        fitted, _ = fit_adapted_model((others, labels), samples.rows(np.arange(2)[some]))
        assert np.isfinite(fitted[-1].coef_).all()
        assert fitted.predict(own[some]).tolist() == ["A", "B"][some]


def test_large_sets_are_thinned_class_by_class(monkeypatch):
    monkeypatch.setattr(training_samples, "MOST_KEPT_CELLS", 20)
    y = np.repeat(["A", "B", "B"], [3, 100, 100])
    n, numbers = n_travelling(), np.arange(203)
    X = numbers[:, None] + np.zeros(n + 4, np.float32)
    samples = TrainingSamples(X, y, numbers, numbers >= 103, *np.zeros((2, 203)), X)
    X, number = samples.kept_for_adaptation()
    assert np.bincount(number).tolist() == [3, 10]
    assert X.shape[1] == n
    cautious = CautiousModel(("A", "B"), np.zeros(n), np.ones(n), np.zeros((2, 2, n)), np.zeros((2, 2)))
    notes = ModelNotes(fit_image_kind([]), cautious, training=(X, number))
    again = read_notes(notes.record, 2).training
    np.testing.assert_array_equal(again[0], X)
    assert again[1].tolist() == number.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("k", "most"), [(5, 0.19), (10, 0.15)])
def test_ten_cells_a_class_of_a_real_laboratory(shared, work, k, most):
    checked = rows_of(shared / "tecom" / "labels_checked.csv")
    rows = [row for row in checked if not row["doubtful"] and row["checked"] in CLASSES]
    rng, errors = np.random.default_rng(0), []
    for _ in range(3):
        order = rng.permutation(len(rows))
        own = {j for label in CLASSES for j in [i for i in order if rows[i]["checked"] == label][:k]}
        for name, kept in (("own", own), ("rest", set(range(len(rows))) - own)):
            lines = [f"{rows[i]['file']},{rows[i]['checked']}" for i in sorted(kept)]
            (work / f"{name}.csv").write_text("\n".join(["file,label", *lines]) + "\n")
        images = [str(shared / "tecom" / "images")]
        adapt_cell_model(None, images, "new.safetensors", labels="own.csv")
        found, report = evaluate_cell_model("new.safetensors", images, labels="rest.csv")
        errors.append(report.error)
        assert found.flags[UNFAMILIAR] <= 0.02 * found.images  # the share that the limit of a kind leaves
    assert np.mean(errors) <= most
