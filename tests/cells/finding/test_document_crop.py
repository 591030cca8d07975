"""The document on cells: its six steps to a crop."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.data.image_reader import ImageReader
from fastsvm_apps.cells.finding.document_crop import (
    FRAME,
    SIZE,
    locate_report,
    without_frame,
)
from fastsvm_apps.cells.finding.findings import crop_square

SMEAR = Path(__file__).parents[3] / "data" / "cells" / "images" / "LYMPHOCYTE" / "smear_03.jpg"
STAIN = (150, 70, 120)
BOX = (2, 102, 73, 68)
TITLES = ["blurred (mean shift)", "gray", "frame neutralised", "darkest 2 %", "opened", "cropped"]


@pytest.fixture(scope="module")
def smear():
    return ImageReader(str(SMEAR)).whole()


def plain(colour=(228, 220, 232), shape=(120, 160)):
    return np.full((*shape, 3), colour, np.uint8)


# The steps


def test_the_six_steps(smear):
    steps = []
    center = locate_report(smear, steps)
    x, y, w, h = BOX
    assert x <= center[0] < x + w
    assert y <= center[1] < y + h
    titles, (blurred, gray, neutral, dark, opened, cropped) = zip(*steps, strict=True)
    assert list(titles) == TITLES
    # Each does what it is called.
    flat, noisy = ((np.diff(picture, axis=1) == 0).mean() for picture in (blurred, smear))
    assert flat > 1.5 * noisy
    np.testing.assert_array_equal(gray, cv2.cvtColor(blurred, cv2.COLOR_BGR2GRAY))
    assert neutral.min() >= FRAME
    np.testing.assert_array_equal(neutral[gray >= FRAME], gray[gray >= FRAME])
    assert neutral[dark == 0].max() < neutral[dark == 255].min()
    assert 0.015 < (dark == 0).mean() < 0.06
    assert (opened >= dark).all()  # opening takes from what is dark, which is shown black
    rows, columns = np.nonzero(opened == 0)
    assert center == (int(columns.mean()), int(rows.mean()))
    np.testing.assert_array_equal(cropped, crop_square(smear, center, SIZE))


@pytest.mark.parametrize("colour", [0, 60, 128, 255, (150, 60, 110)])
def test_where_all_is_alike_nothing_is_dark(colour):
    steps = []
    assert locate_report(plain(colour), steps) is None
    assert [title for title, _ in steps] == TITLES[:-1]


def test_a_spot_is_found_however_small():
    """Also where less than 2 % of the image is darker than the rest."""
    for radius in (3, 5, 7):
        image = plain()
        cv2.circle(image, (100, 40), radius, STAIN, cv2.FILLED)
        assert np.abs(np.subtract(locate_report(image), (100, 40))).max() <= 2


def test_specks_and_black_wedges_are_not_found():
    image = plain()
    image[50, 50] = 100
    assert locate_report(image) is None
    image[:30, :40] = 0
    cv2.circle(image, (110, 80), 12, STAIN, cv2.FILLED)
    assert np.abs(np.subtract(locate_report(image), (110, 80))).max() <= 2


# Crops


@pytest.mark.parametrize("gray", [False, True])
@pytest.mark.parametrize("center", [(100, 80), (59, 61), (0, 0), (199, 149), (-50, 1000)])
def test_a_crop_lies_inside_the_image(gray, center):
    image = np.random.default_rng(0).integers(0, 256, (150, 200) if gray else (150, 200, 3), np.uint8)
    left, top = (min(max(at - SIZE // 2, 0), n - SIZE) for at, n in zip(center, (200, 150), strict=True))
    expected = image[top : top + SIZE, left : left + SIZE]
    np.testing.assert_array_equal(crop_square(image, center, SIZE), expected)


@pytest.mark.parametrize("shape", [(50, 200), (200, 50), (50, 60), (1, 1)])
def test_where_the_image_is_smaller_its_border_is_repeated(shape):
    image = np.random.default_rng(1).integers(0, 256, (*shape, 3), np.uint8)
    part = crop_square(image, (shape[1] // 2, shape[0] // 2), 64)
    assert part.shape == (64, 64, 3)
    top, left = (max(0, n // 2 - 32) for n in shape)
    rows = np.minimum(np.arange(top, top + 64), shape[0] - 1)
    columns = np.minimum(np.arange(left, left + 64), shape[1] - 1)
    np.testing.assert_array_equal(part, image[np.ix_(rows, columns)])


# The frame


def test_the_frame_becomes_the_mean_of_the_rest():
    gray = np.array([[0, 79, 80], [100, 200, 120]], np.uint8)
    np.testing.assert_array_equal(without_frame(gray), [[125, 125, 80], [100, 200, 120]])
    np.testing.assert_array_equal(gray[0], [0, 79, 80])
