"""Stains whose red cells absorb red light, as nuclei do: what is absorbed beside the red cells' own colour.

Red cells that are red have no nuclear stain by the usual measure. Grey and blue red cells have as much of it
as of green density, and would all be nuclei. Their colour is the colour of most absorbing places of a field;
subtracted from all pixels, it leaves nuclei, which absorb more, and in another ratio of the channels.
"""

import numpy as np

from .field import Field

SAMPLE_STEP = 4  # every fourth pixel in each direction shows the colour of red cells
MIN_DENSITY = 0.25  # sum over the channels; less is plasma
MIN_SHARE = 0.05  # of the pixels that red cells cover, at least
SPREAD = 2  # factor between their densities and the median
UNLIKE, REFINED = 0.3, 3  # share of the pixels least like the rest that is left out, and how often
# Largest multiple of their own density that red cells have where two overlap. The rest is of nuclei, whose
# density of green and half that of red is raised to the usual nuclear stain.
MOST_OWN, OF_NUCLEI = 1.3, np.float32([0, 1.2, 0.6])
# Spots of overlapping red cells: highest multiple of the density of one cell, lowest share of its redness.
STACKED, SAME_COLOUR = 2.5, 0.9
CYTOPLASM = np.float32([-3, 3, 0])  # weights of the densities of cytoplasm, before those of red cells


def red_cell_density(field: Field) -> np.ndarray | None:
    """Return the densities of blue, green and red of red cells, which absorb in most places; None if few."""
    some = np.s_[::SAMPLE_STEP, ::SAMPLE_STEP]
    densities = field.densities(field.image[some])[field.frame[some] == 0]
    total = densities.sum(axis=1)
    some = np.sort(total[total > MIN_DENSITY])
    if len(some) <= MIN_SHARE * len(total):
        return None
    usual = some[len(some) // 2]
    cells = densities[(total > max(usual / SPREAD, MIN_DENSITY)) & (total < usual * SPREAD)]
    for _ in range(REFINED):
        own = np.median(cells, axis=0)
        alike = cells @ own / np.linalg.norm(cells, axis=1)
        cells = cells[alike >= np.quantile(alike, UNLIKE)]
    own = np.median(cells, axis=0)
    return own if own[1] > 0 else None


def beside_red_cells(densities: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the nuclear stain that densities have without those of red cells."""
    length = np.linalg.norm(own)
    towards = (own / length).astype(np.float32)
    part = np.clip(densities @ towards, 0, MOST_OWN * length)
    return densities @ OF_NUCLEI - part * (towards @ OF_NUCLEI)


def are_red_cells(sums: np.ndarray, areas: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return which spots have the colour of red cells, and no more density than overlapping ones.

    Parameters
    ----------
    sums : ndarray of shape (n, 3)
        The densities of each spot, summed over its pixels.
    areas : ndarray of shape (n,)
        Pixels of each.
    own : ndarray of shape (3,)
        The density of red cells.
    """
    _, green, red = sums.T
    return (green < STACKED * own[1] * areas) & (red * own[1] > SAME_COLOUR * own[2] * green)


def cytoplasm_beside(own: np.ndarray) -> np.ndarray:
    """Return weights of the densities that are high in cytoplasm, and 0 in sum for red cells."""
    return CYTOPLASM - own * (CYTOPLASM @ own / (own @ own))
