"""Versions of an image, as another microscope, camera or hand would have taken it, for training.

A version is turned, mirrored and zoomed; at random it has another gamma, exposure, white balance, mixture of
channels, light that falls off to one side, blur, noise or JPEG artefacts. Every number comes from the seed.
"""

import cv2
import numpy as np

from ..finding.field import CHANNELS, Field, median

EFFECT_SHARE = 0.5  # of the versions that each effect is in
MAX_ZOOM = 1.35  # at most, and at least one over it
MAX_GAMMA = 1.6  # likewise
EXPOSURES = (0.6, 1.1)  # of the light, from and to
GAIN_DEVIATION = 0.1  # standard deviation of the logarithm of each channel's gain
MIXING_DEVIATION = 0.05  # standard deviation of what a channel gets of each other one
MAX_GRADIENT = 0.25  # of the light, from the middle to a side, at most
MAX_BLUR = 1.6  # standard deviation, in pixels at the working scale, at most
MAX_NOISE = 8.0  # standard deviation at the working scale, of 255 levels, at most
JPEG_QUALITIES = (15, 90)  # of JPEG, from and to
# Of another stain: standard deviation of what each density gets of the others, and of its logarithm. In a
# held-out laboratory with yellow light, 40 % of the labels were wrong without such versions, 6 % with them.
STAIN_DEVIATION = 0.2
MIN_DARKNESS = 0.05  # density of nuclei; less would be made darker without bound


def augmented(
    image: np.ndarray, rng: np.random.Generator, scale: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Make a version of an image.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3) and dtype uint8
        Blue, green, red.
    rng : Generator
    scale : float
        Pixels at the working scale per pixel of the image; lengths and noise are given at the working scale.

    Returns
    -------
    version : ndarray of the same shape and dtype
    matrix : ndarray of shape (2, 3)
        Maps the points (x, y, 1) of the image to the version.
    zoom : float
        How much larger everything is.
    """
    height, width = image.shape[:2]
    zoom = float(np.exp(rng.uniform(-1, 1) * np.log(MAX_ZOOM)))
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), rng.uniform(0, 360), zoom)
    if rng.random() < EFFECT_SHARE:  # mirrored first
        matrix = matrix @ np.array([[-1.0, 0, width - 1], [0, 1, 0], [0, 0, 1]])
    turned = cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101)
    light = _lit(turned.astype(np.float32) / 255, rng)
    if rng.random() < EFFECT_SHARE:
        light = cv2.GaussianBlur(light, (0, 0), max(0.05, rng.uniform(0, MAX_BLUR)) / scale)
    if rng.random() < EFFECT_SHARE:
        light += _noise(light.shape, rng) * np.float32(rng.uniform(0, MAX_NOISE) / scale / 255)
    pixels = np.rint(255 * np.clip(light, 0, 1)).astype(np.uint8)
    if rng.random() < EFFECT_SHARE:
        quality = (cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*JPEG_QUALITIES)))
        pixels = cv2.imdecode(cv2.imencode(".jpg", pixels, quality)[1], cv2.IMREAD_COLOR)
    return pixels, matrix, zoom


def with_other_stain(field: Field, rng: np.random.Generator) -> Field:
    """Return a field as another stain and camera would show it, with mixed densities and perhaps blurred.

    Nuclei stay as dark as they are, plasma keeps its colour, and masks stay.
    """
    mixing = np.eye(3) + rng.normal(0, STAIN_DEVIATION, (3, 3))
    mixing *= np.exp(rng.normal(0, STAIN_DEVIATION, (3, 1))) / mixing.sum(axis=1, keepdims=True)
    before, after = (field.densities(field.image, mixes.astype(np.float32)) for mixes in (CHANNELS, mixing))
    dark, other = (median(each[field.stained > 0]).mean() for each in (before, after))
    after = np.clip(after * np.float32(dark / max(other, MIN_DARKNESS)), -1, 6)  # of white, and of black
    image = np.clip(np.rint((field.background + 1) * np.exp(-after) - 1), 0, 255).astype(np.uint8)
    if rng.random() < EFFECT_SHARE:
        image = cv2.GaussianBlur(image, (0, 0), max(0.05, rng.uniform(0, MAX_BLUR)))
    return Field(image, field.frame, field.stained, field.red)


def box_in_version(
    box: tuple[float, float, float, float], matrix: np.ndarray, zoom: float
) -> tuple[int, int, int, int]:
    """Return a square around the place of a box in a version, of about its size."""
    x, y, w, h = box
    middle = matrix @ (x + w / 2, y + h / 2, 1)
    side = zoom * (w + h) / 2
    return (*(round(float(each - side / 2)) for each in middle), round(side), round(side))


def _lit(light: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Change light and colours; `light` goes from 0 to 1."""
    if rng.random() < EFFECT_SHARE:
        mixing = np.eye(3) + rng.normal(0, MIXING_DEVIATION, (3, 3))
        light = cv2.transform(light, (mixing / mixing.sum(axis=1, keepdims=True)).astype(np.float32))
    gain = np.ones(3)
    if rng.random() < EFFECT_SHARE:
        gain *= np.exp(rng.normal(0, GAIN_DEVIATION, 3))
    if rng.random() < EFFECT_SHARE:
        gain *= rng.uniform(*EXPOSURES)
    light = np.maximum(light * gain.astype(np.float32), 0)
    if rng.random() < EFFECT_SHARE:
        light = light * _gradient(light.shape[:2], rng)[..., None]
    if rng.random() < EFFECT_SHARE:
        light = cv2.pow(light, float(np.exp(rng.uniform(-1, 1) * np.log(MAX_GAMMA))))
    return light


def _gradient(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return light that falls off evenly in some direction, 1 in the middle."""
    direction, strength = rng.uniform(0, 2 * np.pi), rng.uniform(0, MAX_GRADIENT)
    y, x = (np.linspace(-1, 1, side, dtype=np.float32) for side in shape)
    across = np.cos(direction) * x + (np.sin(direction) * y)[:, None]
    return (1 + strength * across).astype(np.float32)


def _noise(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Return noise of deviation 1: of each channel, or the same in all."""
    shape = shape if rng.random() < EFFECT_SHARE else (*shape[:2], 1)
    return rng.standard_normal(shape, dtype=np.float32)
