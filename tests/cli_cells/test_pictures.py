"""steps and sheet: pictures to check by eye."""

import cv2
import numpy as np
import pytest


@pytest.mark.parametrize("method", ["cells", pytest.param("report", marks=pytest.mark.slow)])
def test_steps(run, folder, method):
    pytest.importorskip("matplotlib")
    result = run("steps", folder(23) / "smear_23.jpg", "-o", "steps.png", "--method", method)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "steps.png\n", "")
    assert min(cv2.imread("steps.png").shape[:2]) > 500


def test_steps_to_no_cell(run, folder, work):
    pytest.importorskip("matplotlib")
    image = folder(40) / "smear_40.jpg"
    result = run("steps", image, "-o", "steps.svg")
    start = f"note: {image}: no white cell: no nucleus: "
    assert (result.exit_code, result.stderr[: len(start)]) == (0, start)
    assert b"<svg" in (work / "steps.svg").read_bytes()


def test_steps_say_what_they_did_not_find(folder, tmp_path):
    sheets = pytest.importorskip("fastsvm_apps.cells.output.sheets")
    titles = [title for title, _ in sheets.steps_of(str(folder(0) / "smear_00.jpg"), "cells")[0]]

    def said(image, cell_width=None):
        path = str(tmp_path / "field.png")
        cv2.imwrite(path, image)
        steps, found = sheets.steps_of(path, "cells", cell_width)
        assert not found
        assert [title for title, _ in steps] == titles
        return [words for _, words in steps if isinstance(words, str)]

    plasma = np.full((240, 320, 3), (225, 220, 230), np.uint8)
    nothing = said(plasma)
    assert nothing == ["no nucleus: nowhere is blue 40 levels above green", *["not reached"] * 3]
    purple = cv2.circle(plasma.copy(), (160, 120), 8, (150, 60, 120), cv2.FILLED)
    assert said(purple)[0].startswith("no nucleus: the largest spot has ")
    assert "a nucleus at least 600" in said(purple)[0]
    assert "give --cell-width" in said(purple)[0]


def test_names_are_cut_in_the_middle(monkeypatch):
    drawing = pytest.importorskip("fastsvm_apps.cells.output.drawing")
    drawn = []
    put = drawing.cv2.putText
    monkeypatch.setattr(drawing.cv2, "putText", lambda *args: (drawn.append(args[1]), put(*args)))
    tile = np.zeros((9, 9, 3), np.uint8)
    name = "BloodImage_of_a_very_long_series_00017.jpeg 2"
    drawing.contact_sheet([(tile, f"A: B 0.98\n{name}")], tile=120, lines=2)
    assert drawn[0] == "A: B 0.98"
    assert drawn[1].startswith("Blo")
    assert drawn[1].endswith("017.jpeg 2")
    assert "..." in drawn[1]


def test_steps_of_a_bad_image(run, bad, work):
    result = run("steps", bad / "text.jpg", "-o", "steps.png")
    assert (result.exit_code, result.stderr) == (1, f"error: {bad / 'text.jpg'}: not an image\n")
    result = run("steps", bad / "smear_00.jpg", "-o", "steps.xyz")
    assert result.exit_code == 2
    assert "no format of pictures; name it with .png, .svg or .pdf" in result.stderr
    assert list(work.iterdir()) == []


def test_sheet(run, folder):
    top = folder(*range(6))
    assert run("sheet", top, "-o", "sheet.png", "--columns", 3).exit_code == 0
    three = cv2.imread("sheet.png").shape
    assert run("sheet", top, "-o", "sheet.jpg", "--columns", 6).exit_code == 0
    six = cv2.imread("sheet.jpg").shape
    assert six[1] > 1.8 * three[1]
    assert three[0] > 1.8 * six[0]


def test_sheet_of_cells(run, folder):
    top = folder(4, 9, 40)  # two cells in each of two
    assert run("sheet", top, "-o", "all.png", "--crops", "--columns", 1).stderr == ""
    result = run("sheet", top, "-o", "some.png", "--crops", "--columns", 1, "--limit", 2)
    assert result.stderr == "note: only the first 2 pictures are on it; --limit allows more\n"
    assert cv2.imread("all.png").shape[0] > 1.8 * cv2.imread("some.png").shape[0]


def test_sheet_of_bad_images(run, bad, work):
    result = run("sheet", bad, "-o", "sheet.png")
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-1] == f"{bad}: 3 skipped"
    (work / "sheet.png").unlink()
    result = run("sheet", bad / "text.jpg", "-o", "sheet.png")
    assert result.exit_code == 1
    assert "no image that can be shown" in result.stderr
    result = run("sheet", bad, "-o", "sheet.xyz")
    assert "no image format" in result.stderr
    assert list(work.iterdir()) == []


def test_sheet_without_cells(run, folder):
    result = run("sheet", folder(40, 41), "-o", "sheet.png", "--crops")
    assert result.exit_code == 1
    assert "no white cell" in result.stderr
