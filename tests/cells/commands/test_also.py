"""classify --also: red cells and platelets in everything that is printed and written."""

import csv
import io
import json

import pytest


@pytest.fixture
def top(folder):
    return folder(0, 27, 40)


def test_json(run, top, model):
    (top / "bad.jpg").write_bytes(b"no image")
    assert "red cell" not in run("classify", top, "-m", model, "--json").stdout
    record = json.loads(run("classify", top, "-m", model, "--also", "rbc", "--json").stdout)
    assert list(record["others"]) == ["red cell"]
    record = json.loads(run("classify", top, "-m", model, "--also", "rbc,platelets", "--json").stdout)
    bad, *images = record["images"]
    assert "problem" in bad
    assert "others" not in bad
    for image in images:
        assert list(image["others"]) == ["red cell", "platelet"]
        for kind in image["others"].values():
            assert kind["count"] == len(kind["boxes"])
            assert all(x >= 0 <= y and x + w <= 320 and y + h <= 240 for x, y, w, h in kind["boxes"])
    counts = [image["others"]["red cell"]["count"] for image in images]
    assert min(counts) > 0
    assert record["others"]["red cell"] == {"count": sum(counts), "per_image": sum(counts) / 3}
    assert record["n_cells"] == sum(len(image["cells"]) for image in images)


def test_counts_of_white_cells_stay_as_they_are(run, top, model, work):
    plain = run("classify", top, "-m", model, "--csv").stdout
    printed = run("classify", top, "-m", model, "--also", "rbc", "--csv").stdout
    others = [row for row in csv.DictReader(io.StringIO(printed)) if row["status"] == "red cell"]
    assert others
    assert {(row["label"], row["score"]) for row in others} == {("", "")}
    assert min(int(row[name]) for row in others for name in ("w", "h", "area")) > 0
    kept = [line for line in printed.splitlines() if not line.endswith("red cell")]
    assert kept == plain.splitlines()
    numbers = [row["cell"] for row in csv.DictReader(io.StringIO(printed)) if row["file"] == "smear_27.jpg"]
    assert numbers == [str(k + 1) for k in range(len(numbers))]
    (work / "cells.csv").write_text(printed)
    result = run("classify", top, "-m", model, "--labels", "cells.csv", "--report", "page.html")
    assert result.exit_code == 0
    assert "Agreement with the known labels" in (work / "page.html").read_text()
