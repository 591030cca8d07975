"""Find the red cells of a smear: the outline of each, even if cells overlap or the border cuts them.

A red cell is darker than its surroundings, whatever its middle is like, so the gradients along its outline
point to its centre, and vote for it. Around each centre with votes, the closed line of the steepest slopes is
taken for an outline. The more of it is visible, the surer it is a cell; of overlapping boxes the surest wins.

Lengths are in pixels at the working scale, at which a red cell is 30 to 70 pixels wide.
"""

import cv2
import numpy as np

from .field import Field
from .masks import halved
from .white_cells import WhiteCell

ABSORBED = np.float32([[0.5, 0.5, 0]])  # by red cells: weights of blue, green and red
MIN_CONTRAST = 0.06  # density of red cells, at least
LEVELS = 256  # of a density of 1, for the threshold
BLUR = 1.2  # standard deviation
SAMPLE_STEP = 4  # pixels; every fourth in each direction shows the contrast
BESIDE = 2  # pixels this close to a white cell or the black frame belong to its edge

# Centres. Slopes are in contrasts per 2 pixels.
MIN_SLOPE = 0.06  # of an edge, so that it votes ...
MAX_VOTE = 2  # ... with its slope, but no more than this many times the smallest
VOTED_RADII = np.arange(16, 32, 2)
VOTES_BLUR = 4  # standard deviation
CENTER_GAP = 8  # between two centres, at least
MIN_VOTES = 0.1  # full ones; more than half of all outlines are 3 or above

# Outlines. Slopes are in contrasts per pixel.
DIRECTIONS = 24
RADII = np.arange(12, 37.5, 1.5, dtype=np.float32)
USUAL_RADIUS, UNUSUAL_BY, UNUSUAL = 24, 12, 0.08  # a radius this unusual needs this much more slope
MAX_GAIN = 0.25  # steeper slopes count like this
BEND = 0.016  # gain that an outline needs to go to the next radius
CENTERS_AT_ONCE = 512  # centres whose surroundings are held at once

# How sure a cell is, by rounded weights of a linear classifier: shares of the directions in which there is an
# edge, in which other cells are beyond it, and in which anything is visible; votes in parts of the best.
SEEN_EDGE = 0.03
CROWDED = 0.5  # contrasts, 3 steps of the radius farther out
WEIGHTS = np.float32([1, -0.4, 1.2, 0.4])
MIN_SHARE = 0.2  # of those votes; no outline is searched around centres with fewer
MIN_SURE = 2.06  # finds as many cells as people drew boxes; 1.75 finds 1.4 times as many, 93 % of them right
SAME_PLACE = 0.4  # intersection of two boxes over their union
MARGIN = 2.5  # from a cell to its box

_ANGLES = np.linspace(0, 2 * np.pi, DIRECTIONS, endpoint=False)
_RAYS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)]).astype(np.float32)
_STEP = RADII[1] - RADII[0]


def light_around(field: Field, cells: list[WhiteCell]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the light of an image outside its white cells.

    Returns
    -------
    dark : ndarray of shape (height, width) and dtype float32
        The density of the light that red cells absorb.
    seen : ndarray of shape (height, width) and dtype uint8
        0 where a white cell or the black frame hides red cells, and beside it.
    contrast : float
        The density of red cells; 0 if nothing is dark enough for them.
    """
    dark = cv2.GaussianBlur(field.densities(field.image, ABSORBED)[..., 0], (0, 0), BLUR)
    hidden = field.frame.copy()
    for cell in cells:
        x, y = cell.corner
        height, width = cell.body.shape
        hidden[y : y + height, x : x + width] |= cell.body
    seen = 1 - cv2.dilate(hidden, np.ones((2 * BESIDE + 1,) * 2, np.uint8))
    some = np.s_[::SAMPLE_STEP, ::SAMPLE_STEP]
    sample = dark[some][seen[some] > 0]
    contrast = _contrast(sample) if len(sample) else 0.0
    return dark, seen, contrast if contrast >= MIN_CONTRAST else 0.0


def _contrast(sample: np.ndarray) -> float:
    """Return the density of the darker of two kinds of pixels."""
    levels = np.clip(sample * LEVELS, 0, 255).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 1, cv2.THRESH_OTSU)
    darker = sample[levels > threshold]
    return float(np.median(darker)) if len(darker) else 0.0


def find_red_cells(dark: np.ndarray, seen: np.ndarray, contrast: float) -> list[np.ndarray]:
    """Find red cells.

    Parameters
    ----------
    dark, seen, contrast
        As `light_around` returns them.

    Returns
    -------
    list of ndarray of shape (24, 2) and dtype float32
        x and y along the outline of each, the surest first; outlines may leave the image, middles do not.
    """
    if not contrast:
        return []
    dark = dark / contrast
    middles, votes = _centers(dark, seen)
    if not len(middles):
        return []
    # Relative to a mean that weights high votes, and does not change with the size of an image.
    votes = votes * (votes**2).sum() / (votes**3).sum()
    middles, votes = middles[votes > MIN_SHARE], votes[votes > MIN_SHARE]
    batches = [np.s_[start : start + CENTERS_AT_ONCE] for start in range(0, len(middles), CENTERS_AT_ONCE)]
    found = [_red_cell_outlines(dark, seen, middles[batch], votes[batch]) for batch in batches]
    radii, sure = (np.concatenate(parts) for parts in zip(*found, strict=True))
    outlines = (middles[:, :, None] + _RAYS * radii[:, None]).transpose(0, 2, 1)
    low, high = corners_around(outlines, MARGIN, dark.shape)
    boxes = np.hstack([low, high - low])
    order = cv2.dnn.NMSBoxes(boxes.tolist(), sure.tolist(), MIN_SURE, SAME_PLACE)
    return [outlines[k] for k in np.ravel(order).astype(int)]


def corners_around(
    outlines: np.ndarray, margin: float, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the upper left and the lower right of one outline or of each, as far as it is in the image."""
    low = np.maximum(outlines.min(-2) - margin, 0)
    return low, np.minimum(outlines.max(-2) + 1 + margin, shape[::-1])


def _centers(dark: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of each point that many slopes point to, and the votes that it got."""
    dark = halved(dark)
    across, down = (cv2.Sobel(dark, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    slope = cv2.magnitude(across, down)
    slope[cv2.resize(seen, slope.shape[::-1], interpolation=cv2.INTER_NEAREST) == 0] = 0
    y, x = np.nonzero(slope > MIN_SLOPE)
    steepness = slope[y, x]
    # Votes outside the image are counted in a margin, which is cut off.
    reach = VOTED_RADII.astype(np.float32) / 2
    margin = int(reach.max()) + 1
    height, width = (side + 2 * margin for side in slope.shape)
    columns, rows = (
        (start + margin)[:, None] + np.rint((slope[y, x] / steepness)[:, None] * reach).astype(np.int32)
        for start, slope in ((x, across), (y, down))
    )
    weights = np.minimum(steepness / MIN_SLOPE / MAX_VOTE, 1)
    votes = np.bincount((rows * width + columns).ravel(), np.repeat(weights, len(reach)), height * width)
    votes = votes.reshape(height, width)[margin:-margin, margin:-margin].astype(np.float32)
    votes = cv2.GaussianBlur(votes, (0, 0), VOTES_BLUR / 2)
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (CENTER_GAP + 1,) * 2)
    y, x = np.nonzero((votes >= cv2.dilate(votes, around)) & (votes > MIN_VOTES))
    return 2 * np.column_stack([x, y]).astype(np.float32) + 0.5, votes[y, x]


def _red_cell_outlines(
    dark: np.ndarray, seen: np.ndarray, middles: np.ndarray, votes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the radii of the outline around each middle in all directions, and how sure a cell it is."""
    n = len(middles)
    reach = np.concatenate([[RADII[0] - _STEP], RADII, RADII[-1] + _STEP * np.arange(1, 4)])
    x, y = (
        (middle[:, None, None] + ray[:, None] * reach).astype(np.float32).reshape(n, -1)
        for middle, ray in zip(middles.T, _RAYS, strict=True)
    )
    dark = cv2.remap(dark, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.remap(seen, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    dark, seen = (plane.reshape(n, DIRECTIONS, -1) for plane in (dark, seen))
    inner, outer = np.s_[..., : len(RADII)], np.s_[..., 2 : len(RADII) + 2]
    seen = seen[inner] & seen[outer]
    slope = (dark[inner] - dark[outer]) / (2 * _STEP) * seen
    unusual = UNUSUAL * ((RADII - USUAL_RADIUS) / UNUSUAL_BY) ** 2
    at = _closed_lines(np.clip(slope, -MAX_GAIN / 2, MAX_GAIN) - unusual.astype(np.float32))
    each = *np.ogrid[:n, :DIRECTIONS], at
    seen = seen[each]
    edge, crowd = slope[each] > SEEN_EDGE, dark[*each[:2], at + 4] > CROWDED
    shares = [(found * seen).sum(1) / np.maximum(seen.sum(1), 1) for found in (edge, crowd)]
    return RADII[at], np.column_stack([*shares, seen.mean(1), votes]) @ WEIGHTS


def _closed_lines(gains: np.ndarray) -> np.ndarray:
    """Return the line of the largest gain around each centre, by dynamic programming.

    Parameters
    ----------
    gains : ndarray of shape (n, directions, radii) and dtype float32

    Returns
    -------
    ndarray of shape (n, directions) and dtype intp
        The number of the radius in each direction. It changes by one at most from one to the next; the last
        and the first may differ by more, since a turn from the middle of the best turn and a half is taken.
    """
    n, turn, n_radii = gains.shape
    length = turn + turn // 2
    best = np.full((length, n, n_radii + 2), -np.inf, np.float32)  # a wall on either side
    best[0, :, 1:-1] = gains[:, 0]
    for k in range(1, length):
        before, now = best[k - 1], best[k, :, 1:-1]
        np.maximum(before[:, :-2], before[:, 2:], out=now)
        now -= BEND
        np.maximum(now, before[:, 1:-1], out=now)
        now += gains[:, k % turn]
    line = np.empty((length, n), np.intp)
    line[-1] = best[-1].argmax(1)
    steps, each = np.arange(-1, 2), np.arange(n)[:, None]
    for k in range(length - 1, 0, -1):
        near = best[k - 1][each, line[k][:, None] + steps] - BEND * np.abs(steps)
        line[k - 1] = line[k] + near.argmax(1) - 1
    start = turn // 4
    return np.roll(line[start : start + turn], start, axis=0).T - 1
