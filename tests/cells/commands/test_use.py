"""classify and evaluate: what a model is used for."""

import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

import fastsvm
from csv_rows import rows_of
from fastsvm_apps.cells.commands._options import NO_GROUPS
from fastsvm_apps.cells.data import image_reader
from fastsvm_apps.cells.data.image_files import find_images
from fastsvm_apps.cells.measuring.describing import describe_image
from fastsvm_apps.common.statistics import wilson_interval
from refusal import assert_refused

TOO_GOOD = "warning: the model learned from {} of these {} labelled images: the figures are too good"
COUNTS = {"EOSINOPHIL": 11, "LYMPHOCYTE": 12, "MONOCYTE": 11, "NEUTROPHIL": 12}
COLUMNS = ["file", "cell", *"xywh", "cx", "cy", "area", "label", "score"]
COLUMNS += [*(f"p_{label}" for label in COUNTS), "flags", "status"]


def test_json_and_csv(run, smears, model, work):
    result = run("classify", smears, "-m", model, "--json", "-o", "cells.csv")
    assert (result.exit_code, result.stderr) == (0, TOO_GOOD.format(40, 42) + "\n")
    record = json.loads(result.stdout)
    assert len(record["images"]) == record["n_images"] == 42
    assert record["images"][0] == {"file": "empty/smear_40.jpg", "cells": []}
    cells = [cell for image in record["images"] for cell in image["cells"]]
    for cell in cells:
        assert cell.keys() - {"probabilities"} == {"box", "center", "area", "label", "score"}
        x, y, w, h = cell["box"]
        assert x <= cell["center"][0] < x + w <= 320
        assert y <= cell["center"][1] < y + h <= 240
        assert 0.5 <= cell["score"] <= 1
    assert record["counts"] == Counter(cell["label"] for cell in cells)
    assert record["counts"] == COUNTS
    assert record["percent"]["LYMPHOCYTE"] == pytest.approx(100 * 12 / 46)
    assert (record["n_cells"], record["without_cell"], record["skipped"]) == (46, 2, 0)

    rows = rows_of("cells.csv")
    assert list(rows[0]) == COLUMNS
    assert Counter(row["label"] for row in rows) == {"": 2, **COUNTS}
    assert Counter(row["status"] for row in rows) == {"no white cell": 2, "ok": 46}
    assert (work / "cells.csv").read_text() == run("classify", smears, "-m", model, "--csv").stdout
    by_file = {image["file"]: image["cells"] for image in record["images"]}
    for row in rows[2:]:
        cell = by_file[row["file"]][int(row["cell"]) - 1]
        assert [int(row[name]) for name in COLUMNS[2:8]] == [*cell["box"], *cell["center"]]
        assert row["label"] == cell["label"]
        assert float(row["score"]) == pytest.approx(cell["score"], rel=1e-5)


def test_without_cells_there_is_no_share(run, folder, model):
    done = run("classify", folder(40), "-m", model)
    assert (done.exit_code, "100.0" in done.stdout) == (0, False)
    assert done.stdout.startswith("0 white cells in 1 image, 1 of them without a white cell\n")


def test_that_most_images_have_no_cell_is_said_first(run, folder, model, work):
    said = "In 2 of 3 images no white cell was found; a white cell was taken to be 80 pixels wide, the usual"
    top = folder(0, 40, 41)
    for command in (("classify", top, "-m", model, "--report", "page.html"), ("crop", top, "-o", "-")):
        lines = run(*command).stderr.splitlines()
        assert lines[0].startswith(f"warning: {said}")
        assert lines[0].endswith("check with classify --overlay, or give --cell-width.")
    assert said in (work / "page.html").read_text().split("<section", 1)[0]
    assert run("crop", folder(0, 1, 40, 41), "-o", "boxes.csv").stderr == ""


def test_an_image_in_which_nothing_can_be_measured_is_flagged(run, record, folder, model, work):
    top = folder(0)
    image = cv2.imread(str(top / "smear_00.jpg"))
    clear = np.dstack([image, image[..., 0] * 0])
    images = {"black": image * 0, "clear": clear, "dim": image // 12}
    for name, pixels in (images | {"flat": image // 6 + 200, "white": image | 255}).items():
        cv2.imwrite(str(top / f"{name}.png"), pixels)
    flags = {"black.png": "dark", "dim.png": "dark"}
    flags |= dict.fromkeys(("clear.png", "flat.png", "white.png"), "no contrast")
    done = run("classify", top, "-m", model, "-o", "cells.csv", "-v")
    rows = rows_of("cells.csv")
    assert {row["file"]: row["flags"] for row in rows if row["status"] != "ok"} == flags
    assert all(f"{name:12}  nothing to measure: {flag}\n" in done.stdout for name, flag in flags.items())
    assert "1 white cell in 6 images, 5 of them too dark or without contrast\n" in done.stdout
    record = record("classify", top, "-m", model)
    assert {each["file"]: each["flags"][0] for each in record["images"] if not each["cells"]} == flags
    assert (record["without_cell"], record["unmeasured"]) == (0, 5)
    assert run("explain", top / "dim.png", "-m", model).stderr.endswith("dim.png: nothing to measure: dark\n")


def test_the_count_comes_first_and_cells_where_they_are_asked_for(run, folder, model):
    top = folder(0, 1, 20, 21)
    brief = run("classify", top, "-m", model).stdout.splitlines()
    assert brief[0] == "Count"
    assert len(brief) == 10
    assert "4 white cells in 4 images" in brief
    assert brief[-1] == f"next: fastsvm-cells classify {top} -m {model} --report cells.html"
    lines = run("classify", top, "-m", model, "-v").stdout.splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["file", *sorted(path.name for path in top.iterdir())]
    assert lines[6:] == brief[:-1]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_score_of_an_svm_that_is_not_calibrated_is_its_decision(run, record, folder, svm, n_classes):
    top = folder(0, 1, 20, 21)
    if n_classes == 2:
        options = ("--classifier", "sdca-svm", "--alpha", 0.3, "--folds", 1, "-o", "two.safetensors")
        run("train", folder(*range(3), *range(20, 23), name="two", by_label=True), *options)
        svm = "two.safetensors"
    images = record("classify", top, "-m", svm)["images"]
    scores = [cell["score"] for image in images for cell in image["cells"]]
    assert min(scores) >= 0
    model = fastsvm.load_model(svm)
    files = find_images([str(top)])
    X = np.stack([describe_image(file).X[0] for file in files])
    with pytest.warns(UserWarning, match="feature names"):
        decision = model.decision_function(X)
    expected = np.abs(decision) if n_classes == 2 else decision.max(axis=1)
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


@pytest.mark.parametrize("ending", ["jpg", "png"])
def test_an_image_is_decoded_once(run, folder, model, work, monkeypatch, ending):
    top = folder(0, 1, 20, 40)
    if ending == "png":  # at twice the size, which is brought to the working scale
        for path in sorted(top.iterdir()):
            image = np.repeat(np.repeat(cv2.imread(str(path)), 2, axis=0), 2, axis=1)
            cv2.imwrite(str(path.with_suffix(".png")), image)
            path.unlink()
    decoded, decode = [], image_reader.decode_image
    monkeypatch.setattr(image_reader, "decode_image", lambda *args: decoded.append(args) or decode(*args))
    width = ("--cell-width", 80 if ending == "jpg" else 160)
    sinks = ("--overlay", "drawn", "--report", "page.html")
    assert run("classify", top, "-m", model, *sinks, *width).exit_code == 0
    assert len(decoded) == 8  # looked at first, then worked on
    drawn = sorted((work / "drawn").iterdir())
    changed = [
        np.ptp(cv2.absdiff(cv2.imread(str(path)), cv2.imread(str(of)))) > 100
        for path, of in zip(drawn, sorted(top.iterdir()), strict=True)
    ]
    assert changed == [True, True, True, False]  # the last has no cell
    assert run("crop", top, "-o", "crops", *width).exit_code == 0
    assert len(decoded) == 16
    monkeypatch.setattr("fastsvm_apps.cells.measuring.describing.KEPT_PIXELS", 1000)  # as of a large image
    assert run("classify", top, "-m", model, "--overlay", "again", *width).exit_code == 0
    assert len(decoded) == 28
    for path in (work / "drawn").iterdir():
        assert (work / "again" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("option", ["--labels", "--groups"])
def test_an_endless_table(run, folder, model, option, monkeypatch):
    monkeypatch.setattr("fastsvm_apps.cells.data.label_tables.MAX_TABLE_BYTES", 1 << 20)
    result = run("evaluate", model, folder(0, by_label=True), option, "/dev/zero")
    assert_refused(result, 1, "/dev/zero: larger than 1,048,576 bytes, too large for a table of images")


def test_bad_images(run, bad, problems, model, work):
    outputs = "-o", "cells.csv", "--report", "p.html", "--overlay", "o"
    result = run("classify", bad, "-m", model, "--json", *outputs)
    assert result.exit_code == 3
    record = json.loads(result.stdout)
    assert record["skipped"] == 3
    assert {i["file"]: i["problem"] for i in record["images"] if "problem" in i} == problems
    assert sum(record["counts"].values()) == 2
    assert result.stderr.splitlines()[-1] == f"{bad}: 3 skipped"
    status = [row["status"] for row in rows_of("cells.csv")]
    cut, gray, text = (f"skipped: {problem}" for problem in problems.values())
    assert status == [cut, gray, "ok", "ok", text]
    assert "not an image" in (work / "p.html").read_text()
    assert len(list((work / "o").iterdir())) == 2


def test_without_a_model(run, folder, model, monkeypatch, tmp_path):
    top = folder(0)
    monkeypatch.setattr("fastsvm_apps.cells.learning.cell_model.SHIPPED", "shipped/none.safetensors")
    assert_refused(run("classify", top), 1, "this installation comes without a model; give one with -m")


def test_evaluate(run, smears, folder, model):
    result = run("evaluate", model, smears / "images", "--json")
    assert (result.exit_code, result.stderr.splitlines()) == (0, [TOO_GOOD.format("all", 40), NO_GROUPS])
    record = json.loads(result.stdout)
    assert record["n"] == 40
    assert record["labels"] == list(COUNTS)
    assert record["error"] == 1 - np.trace(record["confusion"]) / 40
    low, high = record["error_interval"]
    assert 0 <= low <= record["error"] < high < 0.15


def test_evaluate_counts_what_it_does_not_know_or_find(run, smears, folder, model, work):
    pytest.importorskip("matplotlib")
    result = run("evaluate", model, smears, "--mistakes", "wrong.png", "--json")
    unknown = "note: the model does not know empty; images so labelled count as mistakes"
    assert result.stderr.splitlines() == [TOO_GOOD.format(40, 42), NO_GROUPS, unknown]
    assert "no cell" in run("evaluate", model, folder(0, 40, by_label=True)).stdout
    assert cv2.imread("wrong.png").shape[1] > 200
    record = json.loads(result.stdout)
    assert record["error"] >= 2 / 42
    assert record["without_cell"] == [0, 0, 0, 0, 2]
    nothing = {"label": "empty", "prediction": None, "score": None}
    assert record["mistakes"][-2:] == [{"file": f"empty/smear_{n}.jpg", **nothing} for n in (40, 41)]
    assert np.sum(record["confusion"]) == 40


@pytest.mark.parametrize("table", ["boxes.csv", "boxes.json"])
def test_evaluate_on_boxes(run, record, folder, model, work, table):
    pytest.importorskip("matplotlib")
    top = folder(*range(5), *range(20, 25))
    found = rows_of(run("classify", top, "-m", model, "--csv").stdout)
    boxes = [(row["file"], *(int(row[side]) for side in "xywh"), row["label"]) for row in found]
    wrong = next(label for *_, label in boxes if label != boxes[0][-1])
    boxes[0] = *boxes[0][:-1], wrong
    boxes.append((boxes[0][0], 0, 0, 6, 6, wrong))  # no cell is there
    n, names = len(boxes), sorted({file for file, *_ in boxes})
    lines = ["file,x,y,w,h,label", *(",".join(map(str, box)) for box in boxes)]
    (work / "boxes.csv").write_text("\n".join(lines))
    (work / "groups.csv").write_text("\n".join(["file,original", *(f"{name},{name}" for name in names)]))
    content = {
        "images": [{"id": k, "file_name": name} for k, name in enumerate(names)],
        "categories": [{"id": k, "name": label} for k, label in enumerate(COUNTS)],
        "annotations": [
            {"image_id": names.index(file), "bbox": sides, "category_id": [*COUNTS].index(label)}
            for file, *sides, label in boxes
        ],
    }
    (work / "boxes.json").write_text(json.dumps(content))
    told = record("evaluate", model, top, "--labels", table, "--mistakes", "wrong.png")
    assert (told["n"], told["error"], told["learned"]) == (n, 2 / n, len(names))
    assert sum(told["without_cell"]) == 1
    # The cells of an image are not independent.
    assert told["originals"]["n"] == len(names) < n - 1
    assert told["error_interval"] == list(wilson_interval(2 / n * len(names), len(names)))
    grouped = record("evaluate", model, top, "--labels", table, "--groups", "groups.csv")
    assert grouped["error_interval"] == told["error_interval"]
    trained = record(
        "train", top, "--labels", table, "--folds", 2, "--alpha", 0.3, "--versions", 0, exit_code=3
    )
    assert trained["originals"]["n"] == len(names) < trained["n"]


def test_evaluate_by_original(run, folder, model, work, monkeypatch):
    top = folder(0, 1, 20, 21, 22)
    labels = [(0, "LYMPHOCYTE", "a"), (1, "NEUTROPHIL", "a"), (20, "LYMPHOCYTE", "b")]
    labels += [(21, "LYMPHOCYTE", "b"), (22, "NEUTROPHIL", "b")]
    lines = [f"smear_{k:02}.jpg,{label},{original}" for k, label, original in labels]
    (work / "t.csv").write_text("\n".join(["file,label,original", *lines]))
    args = ("evaluate", model, top, "--labels", "t.csv", "--groups", "t.csv")
    record = json.loads(run(*args, "--json").stdout)
    assert record["error"] == 3 / 5
    assert record["originals"] == {"n": 2, "wrong": 1, "with_mistakes": 2}  # half wrong is not wrong yet
    monkeypatch.setattr("fastsvm_apps.cells.output.picture_files.MAX_ORIGINALS", 1)
    result = run(*args, "--mistakes", "m.png")
    notes = [TOO_GOOD.format("all", 5), "note: m.png leaves out 1 mistake; --json lists all"]
    assert result.stderr.splitlines() == notes
    assert cv2.imread("m.png") is not None


def test_no_mistakes(run, folder, model, work):
    result = run("evaluate", model, folder(0, 20, by_label=True), "--mistakes", "m.png")
    notes = [TOO_GOOD.format("all", 2), NO_GROUPS, "note: no mistakes, so m.png was not written"]
    assert result.stderr.splitlines() == notes
    assert list(work.iterdir()) == []


@pytest.mark.slow
def test_a_field_needs_no_cell_width_and_says_what_was_read(run, smears, model, work):
    files = sorted((smears / "images").rglob("*.jpg"))[:16]
    rows = [np.hstack([cv2.imread(str(file)) for file in files[k : k + 4]]) for k in range(0, 16, 4)]
    cv2.imwrite("field.jpg", np.vstack(rows))
    result = run("classify", "field.jpg", "-m", model, "--json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert 68 <= record["cell_width"] <= 100
    assert record["n_cells"] >= 16
    (said,) = (line for line in result.stderr.splitlines() if "red cells" in line)
    assert said.startswith("note: ")
    assert "--cell-width" in said
    assert said in run("crop", "field.jpg", "-o", "boxes.csv").stderr
    given = run("classify", "field.jpg", "-m", model, "--json", "--cell-width", 80)
    assert "red cells" not in given.stderr
    assert json.loads(given.stdout)["cell_width"] == 80


def test_red_cells_and_platelets_are_in_the_record(record, folder, model):
    top = folder(0, 27, 40)
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


def test_red_cells_change_no_count_of_white_ones(run, folder, model, work):
    top = folder(0, 27, 40)
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


def test_sample_copies_the_smears_and_keeps_what_is_there(run):
    assert run("sample", "-o", "a/b").stdout == "a/b: written\nnext: fastsvm-cells classify a/b/new\n"
    assert len([*Path("a/b").rglob("*.jpg")]) == 54
    assert Path("a/b/groups.csv").is_file()
    Path("a/b/groups.csv").unlink()
    again = run("sample", "-o", "a/b")
    assert (again.exit_code, again.stderr) == (1, "error: a/b: exists; give another folder with -o\n")
    assert not Path("a/b/groups.csv").exists()
    assert [*Path("a").iterdir()] == [Path("a/b")]
