"""Pictures of cells: what is drawn where, sheets, files and figures."""

import os

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.finding.findings import FoundCell, ImageFindings
from fastsvm_apps.cells.output import cell_drawing as plots
from fastsvm_apps.cells.output.cell_drawing import MAX_SHEET_PIXELS, contact_sheet, draw_overlay, save_image
from fastsvm_apps.common.errors import AppError


def pink(height=240, width=320):
    return np.full((height, width, 3), (200, 180, 230), np.uint8)


@pytest.fixture
def written(monkeypatch):
    """Note each text that is drawn."""
    notes, draw = [], cv2.putText
    monkeypatch.setattr(cv2, "putText", lambda on, text, *how: notes.append(text) or draw(on, text, *how))
    return notes


def test_letters_that_opencv_lacks_are_replaced(written):
    labels = ("Éosino\n", "中性", "x" * 99, "\ud800")
    cells = [FoundCell((0, 0, 40, 40), (9, 9), 9, label, 0.5) for label in labels]
    draw_overlay(pink(), ImageFindings("pink.png", cells))
    assert written == ["Eosino\\n 0.50", "?? 0.50", f"{'x' * 21}... 0.50", "\\ud800 0.50"]


# Sheets


@pytest.mark.parametrize("columns", [None, 1, 10_000])
def test_a_sheet_has_a_limit(columns, written, monkeypatch):
    monkeypatch.setattr(plots, "MAX_SHEET_PIXELS", MAX_SHEET_PIXELS // 100)
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield pink(24, 32), "again"

    sheet = contact_sheet(endless(), columns=columns, title="Endless")
    assert sheet.shape[0] * sheet.shape[1] <= MAX_SHEET_PIXELS // 100
    assert taken > 10  # of the last one it is only known that it is there
    assert written == ["Endless", *["again"] * (taken - 2), "... and more"]


# Files


@pytest.mark.parametrize("name", ["a.png", "b.JPG", "c.tiff", "d.bmp", "e.webp", "Zellen é中.png"])
def test_save_image(tmp_path, name):
    path = str(tmp_path / name)
    image = pink()
    image[:120] = 20
    save_image(path, image)
    saved = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
    assert np.abs(saved.astype(int) - image).max() < 40
    assert os.listdir(tmp_path) == [name]


def test_save_image_says_what_is_wrong(tmp_path):
    for name in ("a.xyz", "a", "png", "a.pdf"):
        with pytest.raises(AppError, match=r"try \.png"):
            save_image(str(tmp_path / name), pink())
    with pytest.raises(AppError, match=r"cannot write 20,000 x 2 pixels as \.webp"):
        save_image(str(tmp_path / "a.webp"), np.zeros((2, 20_000, 3), np.uint8))
    assert os.listdir(tmp_path) == []
