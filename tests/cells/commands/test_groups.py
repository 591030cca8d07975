"""Slides and patients, of which each has a count of its own."""

import shutil

import pytest

from csv_rows import rows_of
from fastsvm_apps.cells.data.image_files import find_images, groups_of
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.cells.finding.findings import UNFAMILIAR
from fastsvm_apps.common.statistics import wilson_interval


@pytest.fixture
def patients(folder):
    """Return a folder with a folder for each of two patients."""
    top = folder(0, 1, 20, name="ward/ann")
    folder(10, 21, 40, name="ward/bob")
    return top.parent


def counts(record):
    return {
        each["group"]: {label: n for label, n in each["counts"].items() if n} for each in record["groups"]
    }


def test_each_patient_has_a_row(run, record, patients, model, work):
    found = record("classify", patients, "-m", model, "--by-group", "g.csv", "--report", "p.html")
    ann, bob = found["groups"]
    assert (ann["group"], ann["n_images"], ann["n_cells"], bob["n_images"]) == ("ann", 3, 3, 3)
    assert ann["counts"]["LYMPHOCYTE"] == 2
    low, high = wilson_interval(2, 3)
    assert ann["percent_intervals"]["LYMPHOCYTE"] == pytest.approx([100 * low, 100 * high])
    for label, n in found["counts"].items():
        assert n == ann["counts"][label] + bob["counts"][label]

    row, _ = rows_of("g.csv")
    assert (row["group"], row["images"], row["cells"], row["counted"]) == ("ann", "3", "3", "3")
    assert row["LYMPHOCYTE"] == "2"
    shares = [float(row[f"LYMPHOCYTE_{kind}"]) for kind in ("percent", "low", "high")]
    assert shares == pytest.approx([200 / 3, 100 * low, 100 * high], rel=1e-5)
    assert "66.7 (20.8-93.9), n = 2" in (work / "p.html").read_text()
    said = run("classify", patients, "-m", model).stdout
    assert "By slide or patient" in said
    assert "67 (21-94)" in next(line for line in said.splitlines() if line.startswith("ann"))


def test_a_table_tells_the_patients(record, patients, model, work):
    (work / "t.csv").write_text("file,original\nsmear_00.jpg,x\nsmear_10.jpg,x\nsmear_20.jpg,y\n")
    found = counts(record("classify", patients, "-m", model, "--groups", "t.csv"))
    assert list(found) == ["x", "", "y"]
    assert (sum(found["x"].values()), found["y"]) == (2, {"NEUTROPHIL": 1})


def test_only_patients_of_unfamiliar_cells_have_no_percentages(run, record, patients, monkeypatch):
    monkeypatch.setattr(
        "fastsvm_apps.cells.jobs.cell_classification.why_unfamiliar",
        lambda model, look, file, found: (UNFAMILIAR,) if found.cells and file.name.startswith("bob") else (),
    )
    ann, bob = record("classify", patients, "--by-group", "g.csv")["groups"]
    assert None not in ann["percent"].values()
    assert {*bob["percent"].values()} == {None}
    assert [row["NEUTROPHIL_percent"] == "" for row in rows_of("g.csv")] == [False, True]
    assert "n = " in next(
        line for line in run("classify", patients).stdout.splitlines() if line.startswith("bob")
    )


def test_classes_and_one_folder_are_no_patients(record, folder, model, work):
    assert record("classify", folder(0, 20, by_label=True), "-m", model)["groups"] == []
    top = folder(0, 20, name="one")
    assert record("classify", top, "-m", model, "--by-group", "g.csv")["groups"] == []
    assert [(row["group"], row["cells"]) for row in rows_of("g.csv")] == [(str(top), "2")]


def test_groups_by_place(patients, monkeypatch):
    monkeypatch.chdir(patients.parent)

    def groups(*sources):
        return list(dict.fromkeys(groups_of(find_images(sources), len(sources), ["A"], given=False)))

    assert groups("ward") == ["ann", "bob"]
    assert groups("ward/ann", "ward/bob") == ["ward/ann", "ward/bob"]
    assert groups("ward/ann/smear_00.jpg", "ward/bob/smear_10.jpg") == ["ward/ann", "ward/bob"]
    assert groups("ward/ann/smear_00.jpg", "ward/ann/smear_01.jpg") == [None]
    shutil.copy("ward/ann/smear_00.jpg", "ward")
    assert groups("ward") == ["ward", "ann", "bob"]
    shutil.move("ward/bob", "ward/A")
    assert groups("ward") == [None]
    slides = [ImageFile(f"s/p/{name}.svs", f"p/{name}.svs") for name in "ab"]
    assert groups_of(slides, 1, [], given=False) == ["p/a.svs", "p/b.svs"]
