"""classify --also: red cells and platelets in everything that is printed and written."""

import pytest

from csv_rows import rows_of


@pytest.fixture
def top(folder):
    return folder(0, 27, 40)


def test_json(record, top, model):
    (top / "bad.jpg").write_bytes(b"no image")
    command = "classify", top, "-m", model
    assert "others" not in record(*command, exit_code=3)
    assert list(record(*command, "--also", "rbc", exit_code=3)["others"]) == ["red cell"]
    found = record(*command, "--also", "rbc,platelets", exit_code=3)
    bad, *images = found["images"]
    assert "problem" in bad
    assert "others" not in bad
    for image in images:
        assert list(image["others"]) == ["red cell", "platelet"]
        for kind in image["others"].values():
            assert kind["count"] == len(kind["boxes"])
            assert all(x >= 0 <= y and x + w <= 320 and y + h <= 240 for x, y, w, h in kind["boxes"])
    counts = [image["others"]["red cell"]["count"] for image in images]
    assert min(counts) > 0
    assert found["others"]["red cell"] == {"count": sum(counts), "per_image": sum(counts) / 3}
    assert found["n_cells"] == sum(len(image["cells"]) for image in images)


def test_counts_of_white_cells_stay_as_they_are(run, top, model, work):
    plain = run("classify", top, "-m", model, "--csv").stdout
    printed = run("classify", top, "-m", model, "--also", "rbc", "--csv").stdout
    others = [row for row in rows_of(printed) if row["status"] == "red cell"]
    assert others
    assert {(row["label"], row["score"]) for row in others} == {("", "")}
    assert min(int(row[name]) for row in others for name in ("w", "h", "area")) > 0
    kept = [line for line in printed.splitlines() if not line.endswith("red cell")]
    assert kept == plain.splitlines()
    numbers = [row["cell"] for row in rows_of(printed) if row["file"] == "smear_27.jpg"]
    assert numbers == [str(k + 1) for k in range(len(numbers))]
    (work / "cells.csv").write_text(printed)
    result = run("classify", top, "-m", model, "--labels", "cells.csv", "--report", "page.html")
    assert result.exit_code == 0
    assert "Agreement with the known labels" in (work / "page.html").read_text()
