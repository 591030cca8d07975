"""train: grouped cross-validation, the choice of alpha, and the model."""

import json
import shutil

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.measuring.cell_features import feature_names
from fastsvm_apps.cells.settings import ALPHAS, KERNEL_ALPHAS
from fastsvm_apps.common.classifiers import CLASSIFIERS
from refusal import assert_refused

pytestmark = pytest.mark.blas

CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]
FAST = ("--versions", 0)


@pytest.fixture
def copies(folder):
    """Return a folder of ten originals with three copies of each, and the table that says so."""
    top = folder(*range(5), *range(20, 25))
    for path in list(top.iterdir()):
        image = cv2.imread(str(path))
        for number, copy in enumerate((image[::-1], image[:, ::-1], image[::-1, ::-1])):
            cv2.imwrite(str(top / f"{path.stem}_{number}.png"), copy)
    files = sorted(path.name for path in top.iterdir())
    table = top.parent / "groups.csv"
    label = {True: "LYMPHOCYTE", False: "NEUTROPHIL"}
    lines = [f"{name},{label[name < 'smear_20']},{name[:8]}" for name in files]
    table.write_text("file,label,original\n" + "\n".join(lines) + "\n")
    return top, table


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_classifier(record, smears, classifier):
    """Each has its errors, probabilities that classify gives again, and reasons."""
    trained = record("train", smears / "images", "--folds", 2, "--versions", 1, "--classifier", classifier)
    assert (trained["classifier"], trained["n"], trained["skipped"]) == (classifier, 40, 0)
    assert trained["label_counts"] == dict.fromkeys(CLASSES, 10)
    assert trained["n_features"] == len(feature_names())
    wrong = 40 - np.trace(trained["confusion"])
    assert (np.sum(trained["confusion"]), wrong) == (40, round(40 * trained["error"]))
    low, high = trained["error_interval"]
    assert low <= trained["error"] <= min(high, 0.1)
    assert trained["calibration"]["miscalibration"] < 0.2
    no_alpha = classifier == "perceptron"
    assert (trained["alpha"] is None, trained["relative_gap"] is None) == (no_alpha, no_alpha)
    if not no_alpha:
        alphas = KERNEL_ALPHAS if classifier.startswith("kernel") else ALPHAS
        assert {trained["alpha"], *trained["fold_alphas"]} <= {*alphas}
    image = smears / "images" / "NEUTROPHIL" / "smear_20.jpg"
    (cell,) = record("classify", image, "-m", "cells.safetensors")["images"][0]["cells"]
    assert sum(cell["probabilities"].values()) == pytest.approx(1, abs=1e-3)
    why = record("explain", image, "-m", "cells.safetensors")
    assert why["likeliest"] == "NEUTROPHIL"
    assert why["probabilities"] == pytest.approx(cell["probabilities"], abs=1e-6)
    # In a kernel machine a colour that this cell alone has speaks against all classes.
    most_for = 4 if classifier.startswith("kernel") else 6
    assert sum(reason["contribution"] > 0 for reason in why["reasons"]) > most_for


def test_wrong_labels_are_listed_and_drawn(run, record, smears, work):
    paths = [path for label in CLASSES for path in sorted((smears / "images" / label).iterdir())]
    names = [f"{path.parent.name}/{path.name}" for path in paths]
    wrong = {names[10 * k + at]: CLASSES[said] for k, at, said in ((2, 4, 1), (2, 6, 3), (0, 2, 2))}
    rows = [f"{name},{wrong.get(name, name.split('/')[0])}" for name in names]
    (work / "labels.csv").write_text("\n".join(["file,label", *rows]))
    # Without groups a copy of a mislabelled photograph is contradicted by it.
    options = ("--labels", "labels.csv", "--groups", smears / "groups.csv", "--versions", 0)
    options += ("--suspects", "suspects.png")
    record = record("train", smears / "images", *options)
    first = {(each["file"], each["label"]): each["prediction"] for each in record["suspects"][:3]}
    assert first == {(name, label): name.split("/")[0] for name, label in wrong.items()}
    low, high = record["estimated_wrong_labels"]
    assert low <= 3 / 40 <= high <= 0.2
    assert cv2.imread("suspects.png").shape[1] > 400
    out = run("train", smears / "images", *options).stdout
    assert len(out.splitlines()) <= 14
    *_, suspects, certificate, path, next_line = out.splitlines()
    assert suspects.startswith(f"Models trained on other images contradict {len(record['suspects'])} of")
    assert certificate.startswith("certificate: the objective is within ")
    assert path == "model: cells.safetensors (train -v says more)"
    assert next_line == f"next: fastsvm-cells classify {smears / 'images'} -m cells.safetensors"
    assert "\nAlpha\n" not in out
    assert "\nAlpha\n" in run("train", smears / "images", *options, "-v").stdout


def test_copies_are_counted_by_original(run, copies):
    top, table = copies
    options = ("--labels", table, *FAST, "--alpha", 0.1, "--folds", 5, "--json")
    grouped, plain = run("train", top, *options, "--groups", table), run("train", top, *options)
    note = "note: every image counts as its own original; if some are near copies, give --groups\n"
    assert (grouped.stderr, plain.stderr) == ("", note)
    of_groups, of_images = (json.loads(each.stdout) for each in (grouped, plain))
    assert (of_groups["n"], of_groups["originals"]["n"], of_images["originals"]) == (40, 10, None)
    assert of_groups["originals"]["wrong"] <= of_groups["originals"]["with_mistakes"] <= 10
    # The interval knows that there are 10 originals, not 40.
    assert np.ptp(of_groups["error_interval"]) > np.ptp(of_images["error_interval"])


def test_exact_copies_are_one_original(run, folder):
    """By pixels: in any format, with another label, and where the table of originals parts them."""
    top = folder(0, 1, 2, 20, 21, 22, by_label=True)
    for path in [*top.rglob("*.jpg")]:
        for number in range(2):
            shutil.copy(path, path.with_stem(f"{path.stem}_{number}"))
        cv2.imwrite(str(path.with_suffix(".png")), cv2.imread(str(path)))
    shutil.copy(top / "LYMPHOCYTE/smear_00.jpg", top / "NEUTROPHIL/other.jpg")
    table = top.parent / "groups.csv"
    names = [path.relative_to(top).as_posix() for path in sorted(top.rglob("*.*"))]
    joined = {f"LYMPHOCYTE/{name}.jpg": "joined" for name in ("smear_00_0", "smear_01")}
    table.write_text("file,original\n" + "".join(f"{name},{joined.get(name, name)}\n" for name in names))
    for options, n in ((), 6), (("--groups", table), 5):
        done = run("train", top, *FAST, "--folds", 3, "--json", *options)
        assert "note: exact copies of other images count as the same original: 19, such as '" in done.stderr
        record = json.loads(done.stdout)
        assert (record["n"], record["originals"]["n"]) == (25, n)


def test_few_images(record, folder):
    few = record("train", folder(0, 20, by_label=True), *FAST)
    assert (few["folds"], few["error"], few["confusion"], few["alpha"]) == (0, None, None, 0.1)
    assert record("train", folder(1, 2, 3, 21, 22, 23, by_label=True), *FAST)["folds"] == 4


def test_some_images_cannot_be_used(run, folder, bad):
    top = folder(2, 3, 22, 23, 40, name="smears/sub")
    table = top.parent.parent / "labels.csv"
    lines = [f"smear_{n:02},{'one' if n < 20 else 'two'}" for n in (0, 2, 3, 20, 22, 23, 40)]
    table.write_text(
        "file,label\n" + "\n".join(line.replace(",", ".jpg,") for line in lines) + "\ncut.jpg,one\n"
    )
    result = run("train", bad, "--labels", table, *FAST, "--alpha", 0.1, "--json")
    assert result.exit_code == 3
    record = json.loads(result.stdout)
    assert record["label_counts"] == {"one": 3, "two": 3}
    assert record["skipped"] == 4
    problems = result.stderr.splitlines()[1:]
    assert problems == [
        f"{bad}, gray.png: no label",
        f"{bad}, text.jpg: no label",
        f"{bad}, cut.jpg: cut short; copy or download it again",
        f"{bad}, sub/smear_40.jpg: no white cell",
        f"{bad}: 4 skipped",
    ]


def test_classes(run, record, smears):
    assert record("train", smears, "--classes", "LYMPHOCYTE,NEUTROPHIL", *FAST, "--alpha", 0.1)["n"] == 20
    unknown = run("train", smears, "--classes", "LYMPHOCYTE,BASOPHIL", *FAST)
    assert_refused(unknown, 1, "no image has the label 'BASOPHIL'")
    assert run("train", smears, "--classes", "A,,B").exit_code == 2
