"""The stain of an image, read from its red cells, and the usual one that it is given."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.data.image_reader import ImageFile, ImageReader
from fastsvm_apps.cells.finding.first_look import NO_LOOK, usual_stain_of
from fastsvm_apps.cells.finding.image_quality import WORDS, measure_quality, quality_flags, quality_ranges
from fastsvm_apps.cells.finding.masks import black_frame
from fastsvm_apps.cells.finding.stain import (
    NUCLEAR_OF_RED,
    USUAL,
    normalised,
    raw_field,
    stain_of,
    usual_field,
)
from fastsvm_apps.cells.finding.white_cells import find_white_cells
from fastsvm_apps.cells.learning.augmentation import augmented, box_in_version

SMEARS = Path(__file__).parents[3] / "data" / "cells" / "images"
SOME = ("LYMPHOCYTE/smear_01", "MONOCYTE/smear_13", "NEUTROPHIL/smear_24", "EOSINOPHIL/smear_35")


@pytest.fixture(scope="module", params=SOME)
def image(request):
    return ImageReader(str(SMEARS / f"{request.param}.jpg")).whole()


def changed(image, gamma=1.0, gain=1.0):
    return np.clip(np.rint(255 * (image / 255 * gain) ** gamma), 0, 255).astype(np.uint8)


def stain(image):
    return stain_of(raw_field(image))


def close(one, other, levels=6):
    """Whether most pixels of two images differ by few levels only."""
    return np.quantile(cv2.absdiff(one, other), 0.98) <= levels


@pytest.mark.parametrize("gamma", [0.67, 1.5])
def test_gamma_scales_the_density_of_red_cells(image, gamma):
    before, after = stain(image), stain(changed(image, gamma))
    assert after.density == pytest.approx(gamma * before.density, rel=0.05)
    assert after.hue == pytest.approx(before.hue, rel=0.06)


@pytest.mark.parametrize("gain", [0.6, np.array([1.1, 1, 0.9]), np.array([0.9, 1, 1.1])])
def test_light_and_white_balance_do_not(image, gain):
    before, after = stain(image), stain(changed(image, gain=gain))
    assert after.density == pytest.approx(before.density, rel=0.06)
    np.testing.assert_allclose(after.plasma, np.array(before.plasma) * gain, rtol=0.02)


def test_an_image_gets_the_usual_stain_whatever_was_done_to_it(image):
    usual = normalised(image, stain(image), USUAL)
    again = stain(usual)
    assert again.density == pytest.approx(USUAL.density, rel=0.04)
    np.testing.assert_allclose(again.plasma, USUAL.plasma, atol=2)
    for version in (changed(image, 1.5), changed(image, 0.67), changed(image, gain=0.6)):
        assert close(normalised(version, stain(version), USUAL), usual)


def test_without_red_cells_the_nuclei_get_the_usual_density():
    image = np.full((240, 320, 3), (210, 180, 190), np.uint8)
    cv2.circle(image, (160, 120), 30, (150, 60, 100), cv2.FILLED)
    found = stain(image)
    assert found.density is found.hue is None
    assert found.plasma == (210, 180, 190)
    usual = normalised(image, found, USUAL)
    assert usual[0, 0].tolist() == list(USUAL.plasma)
    blue, green, red = np.log((np.array(USUAL.plasma) + 1) / (usual[120, 160] + 1))
    assert red + green / 2 - blue / 2 == pytest.approx(NUCLEAR_OF_RED * USUAL.density, rel=0.03)


def test_red_cells_that_hardly_take_the_stain_do_not_count(image):
    """As on a slide whose red cells are pale: they fit the nuclei no longer, which get the usual density."""
    found = stain(image)
    pale = found._replace(density=found.density / 5)
    by_nuclei = normalised(image, found._replace(density=None), USUAL)
    assert (normalised(image, pale, USUAL) == by_nuclei).all()


def nucleus(darkness):
    """Draw a nucleus on plasma; `darkness` multiplies its densities."""
    image = np.full((240, 320, 3), (210, 180, 190), np.uint8)
    colour = np.array((210, 180, 190)) * np.array((0.71, 0.33, 0.53)) ** darkness
    return cv2.circle(image, (160, 120), 30, colour.round().tolist(), cv2.FILLED)


def files_of(images, folder):
    for k, image in enumerate(images):
        cv2.imwrite(f"{folder}/{k}.png", image)
    (folder / "none.png").write_bytes(b"")  # is skipped
    return [ImageFile(str(path), path.name) for path in sorted(folder.iterdir())]


def test_without_red_cells_images_to_learn_from_are_scaled_alike(tmp_path):
    darkness = (0.8, 1.0, 1.4)
    images = [nucleus(each) for each in darkness]
    usual = usual_stain_of(files_of(images, tmp_path), NO_LOOK)
    assert usual == USUAL._replace(nuclear=pytest.approx(stain(images[1]).nuclear, rel=0.02))
    seen = [stain(usual_field(image, usual).image).nuclear for image in images]
    np.testing.assert_allclose(np.array(seen) / seen[1], darkness, rtol=0.04)
    alike = [stain(usual_field(image).image).nuclear for image in images]
    np.testing.assert_allclose(alike, seen[1], rtol=0.04)


def test_with_red_cells_each_image_is_scaled_by_its_own(tmp_path):
    images = [ImageReader(str(SMEARS / f"{name}.jpg")).whole() for name in SOME]
    assert usual_stain_of(files_of([*images, nucleus(1)], tmp_path), NO_LOOK) == USUAL


def test_empty_images_tell_no_stain(tmp_path):
    assert usual_stain_of(files_of([np.full((90, 90, 3), 255, np.uint8)], tmp_path), NO_LOOK) == USUAL


@pytest.mark.parametrize("image", [np.zeros((64, 64, 3), np.uint8), np.full((40, 90, 3), 255, np.uint8)])
def test_black_and_white(image):
    found = stain(image)
    assert found.density is None
    assert normalised(image, found, USUAL).shape == image.shape


def test_the_frame_that_a_rotation_leaves_is_no_stain(image):
    turn = cv2.getRotationMatrix2D((160, 120), 20, 1)
    turned = cv2.warpAffine(image, turn, (320, 240))
    assert stain(turned).density == pytest.approx(stain(image).density, rel=0.1)
    black = turned.max(axis=2) == 0
    assert usual_field(turned).frame[black].mean() > 0.99


# How an image is taken


def quality(image):
    return measure_quality(image, black_frame(image), stain(image), find_white_cells(usual_field(image)))


def noisy(image, deviation):
    noise = np.random.default_rng(0).normal(0, deviation, image.shape)
    return np.clip(np.rint(image + noise), 0, 255).astype(np.uint8)


def test_what_is_done_to_an_image_shows_in_its_quality(image):
    before = quality(image)
    assert quality(noisy(image, 8))["noise"] == pytest.approx(np.hypot(8, before["noise"]), rel=0.15)
    assert quality(cv2.GaussianBlur(image, (0, 0), 2))["sharpness"] < 0.7 * before["sharpness"]
    assert quality(changed(image, gain=1.5))["clipped"] > before["clipped"] + 0.2
    after = quality(image[:, ::-1].copy())
    assert after == pytest.approx({**before, "cell_size": after["cell_size"]}, rel=0.05)


def test_flags():
    usual = dict(zip(WORDS, (0.25, 0.8, 1.0, 0.05, 0.0, 60.0), strict=True))
    ranges = quality_ranges([usual | {"density": d, "cell_size": c} for d, c in ((0.2, 50.0), (0.3, 70.0))])
    assert quality_flags(usual, ranges) == ()
    flags = quality_flags(usual | {"density": 0.4, "noise": 5.0}, ranges)
    assert flags == ("strong stain or contrast", "noise")
    assert quality_flags(usual | {"noise": 0.0, "clipped": -1.0}, ranges) == ()  # no harm
    unknown = dict.fromkeys(("density", "hue", "cell_size"))
    assert quality_flags(usual | unknown, ranges) == ("no red cells",)
    assert quality_flags(usual | {"cell_size": 40.0}, ranges) == ("scale: small cells",)


# Versions


def test_a_box_moves_with_its_cell(image):
    (cell, *_) = find_white_cells(usual_field(image))
    found = 0
    for seed in range(10):
        version, matrix, zoom = augmented(image, np.random.default_rng(seed), 1.0)
        x, y, w, h = box_in_version(cell.box, matrix, zoom)
        centers = [other.center for other in find_white_cells(usual_field(version))]
        found += any(x < cx < x + w and y < cy < y + h for cx, cy in centers)
    assert found >= 8  # the border may have cut it off
