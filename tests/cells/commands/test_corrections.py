"""train --corrections: corrected cells are learned from, rejected ones left out."""

import json
import re

import pytest

from csv_rows import rows_of
from refusal import assert_refused


@pytest.fixture
def corrections(work):
    """Write a file of corrections."""

    def write(*entries, name="corrections.json", **more):
        content = {"version": 1, "classes": ["LYMPHOCYTE", "NEUTROPHIL"], "corrections": entries, **more}
        (work / name).write_text(json.dumps(content))
        return name

    return write


def correct(row, new):
    """Return a correction of a row of boxes.csv; without a new label it is rejected."""
    box = [int(row[side]) for side in "xywh"]
    verdict = {"reject": True} if new is None else {"new": new}
    return {"file": row["file"].rpartition("/")[2], "box": box, "old": "x", **verdict}


@pytest.fixture
def located(run, folder):
    """Return a folder of ten sample smears, and where their cells are."""
    top = folder(*range(5), *range(20, 25))
    return top, rows_of(run("crop", top, "-o", "-").stdout)


@pytest.fixture
def counted(record):
    """Train, and return how many cells there are of each label."""
    fast = "-o", "m.safetensors", "--alpha", 0.3, "--folds", 1, "--versions", 0
    return lambda *args: record("train", *args, *fast)["label_counts"]


def test_corrections_alone(run, counted, located, corrections):
    top, rows = located
    entries = [correct(row, "ODD" if k % 2 else "EVEN") for k, row in enumerate(rows)]
    counts = counted(top, "--corrections", corrections(*entries), "-q")
    assert counts == {"EVEN": (len(rows) + 1) // 2, "ODD": len(rows) // 2}
    found = rows_of(run("classify", top, "-m", "m.safetensors", "--csv").stdout)
    assert [row["label"] for row in found] == [entry["new"] for entry in entries]


@pytest.mark.slow
def test_boxes_of_whole_fields(run, counted, located, corrections, work):
    top, rows = located
    lines = ["file,x,y,w,h,label", *(f"{row['file']},0,0,6,6,RBC" for row in rows)]
    for k, row in enumerate(rows):  # a person's boxes are not those that are found
        x, y, w, h = (int(row[side]) for side in "xywh")
        lines.append(f"{row['file']},{x + 4},{y + 4},{w - 8},{h - 8},{'AB'[k % 2]}")
    (work / "fields.csv").write_text("\n".join(lines))
    n = len(rows)
    boxes = ("--labels", "fields.csv", "--classes", "A,B")
    assert counted(top, *boxes) == {"A": (n + 1) // 2, "B": n // 2}
    name = corrections(correct(rows[0], None), correct(rows[1], "A"))
    assert counted(top, *boxes, "--corrections", name) == {"A": (n + 1) // 2, "B": n // 2 - 1}
    result = run("train", top, "--labels", "fields.csv", "--folds", 1, "--alpha", 1)
    assert result.exit_code == 3
    assert "10 skipped" in result.stderr  # a box in each image


def test_corrections_and_folders(counted, folder, located, corrections):
    top = folder(*range(5), *range(20, 25), name="labelled", by_label=True)
    _, rows = located
    single = [row for row in rows if sum(row["file"] == other["file"] for other in rows) == 1]
    plain = counted(top)
    name = corrections(*(correct(single[k], new) for k, new in enumerate((None, "NEW", "unclassified"))))
    changed = counted(top, "--corrections", name)
    assert changed["NEW"] == 1
    assert sum(changed.values()) == sum(plain.values()) - 2
    # A second file is heard last.
    second = corrections(correct(single[1], "NEWER"), name="second.json")
    assert "NEWER" in counted(top, "--corrections", name, "--corrections", second)
    kept = counted(top, "--corrections", name, "--classes", "LYMPHOCYTE,NEUTROPHIL")
    assert kept == {label: n for label, n in changed.items() if label != "NEW"}


def test_a_box_without_a_cell(run, located, corrections):
    top, rows = located
    far = {**correct(rows[0], "A"), "box": [0, 0, 9, 9]}
    name = corrections(far, correct(rows[1], "A"), correct(rows[2], "B"))
    result = run("train", top, "--corrections", name, "--folds", 1, "--alpha", 1)
    assert result.exit_code == 3
    assert f"{rows[0]['file']}: no cell was found in a box ({name}, correction 1)" in result.stderr


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"box": [0, 0, 9, 9], "new": "A"}, "correction 1: names no file"),
        ({"file": "smear_00.jpg", "box": [0, 0, 9, 9]}, 'has neither a new label nor "reject": true'),
        ({"file": "smear_00.jpg", "new": "A"}, "correction 1: 'None' is not a box"),
        ({"file": "smear_00.jpg", "box": "1234", "new": "A"}, "correction 1: '1234' is not a box"),
        ({"file": "smear_00.jpg", "box": [0, 0, 9, 10**400], "new": "A"}, "is not a box"),
        ({"file": "smear_00.jpg", "box": [0, 0, 0, 9], "new": "A"}, "correction 1: the box is empty"),
        ({"file": "smear_00.jpg", "box": [0, 0, 9, 9999], "new": "A"}, "is not inside smear_00.jpg"),
        ({"file": "other.jpg", "box": [0, 0, 9, 9], "new": "A"}, "'other.jpg' is not among the images"),
    ],
)
def test_corrections_that_cannot_be_used(run, work, folder, corrections, entry, problem):
    assert_refused(run("train", folder(0, 20), "--corrections", corrections(entry)), 1, re.escape(problem))
    assert not (work / "cells.safetensors").exists()


def test_files_that_are_no_corrections(run, work, folder):
    for content, problem in {
        "[1]": "c.json: no corrections",
        '{"version": 2, "corrections": []}': "no corrections of version 1",
        '{"version": 1, "corrections": []}': "the file has no corrections",
    }.items():
        (work / "c.json").write_text(content)
        assert problem in run("train", folder(0), "--corrections", "c.json").stderr
