"""Sums over the pixels of a region for which OpenCV and NumPy have no primitive.

A region map gives each pixel a number: 0 is ignored, 1 to n are the regions. The loops do not need the GIL.
"""

from libc.math cimport fmaxf, fminf
from libc.stdint cimport uint8_t

import numpy as np

cdef enum:
    MAX_BINS = 65536  # far fewer than the whole numbers that a float holds, which bins are computed as


cdef inline float place(float value, float low, float per_unit, int n, int* bin) noexcept nogil:
    """Return how far a value lies between the centre of its bin and of the next."""
    cdef float at = fminf(fmaxf((value - low) * per_unit - 0.5, 0), n - 1)
    bin[0] = <int> at
    if bin[0] == n - 1:
        bin[0] = n - 2
    return at - bin[0]


def densities(const uint8_t[:, :, :] pixels, const float[:, ::1] table, const float[:, ::1] mixes):
    """Look up each channel of each pixel, and mix the three values.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3) and dtype uint8
    table : ndarray of shape (3, 256) and dtype float32
        The value for each level of each channel.
    mixes : ndarray of shape (k, 3) and dtype float32
        Weights of the channels in each plane of the result.

    Returns
    -------
    ndarray of shape (height, width, k) and dtype float32
    """
    cdef int height = pixels.shape[0], width = pixels.shape[1], k = mixes.shape[0], y, x, i
    if pixels.shape[2] != 3 or table.shape[0] != 3 or table.shape[1] != 256 or mixes.shape[1] != 3:
        raise ValueError("pixels, table and mixes do not fit")
    result = np.empty((height, width, k), np.float32)
    cdef float[:, :, ::1] out = result
    cdef float blue, green, red
    with nogil:
        for y in range(height):
            for x in range(width):
                blue = table[0, pixels[y, x, 0]]
                green = table[1, pixels[y, x, 1]]
                red = table[2, pixels[y, x, 2]]
                for i in range(k):
                    out[y, x, i] = mixes[i, 0] * blue + mixes[i, 1] * green + mixes[i, 2] * red
    return result


def joint_histograms(const float[:, :, :] planes, const uint8_t[:, ::1] regions, int n_regions, axes):
    """Count pixels by their values in several planes at once, for each region, with soft bins.

    A pixel is shared among the bins around it by linear interpolation, so that a small change of a colour
    is a small change of the counts.

    Parameters
    ----------
    planes : ndarray of shape (height, width, k) and dtype float32
        k is 1, 2 or 3; a missing axis has one bin.
    regions : ndarray of shape (height, width) and dtype uint8
    n_regions : int
    axes : sequence of (low, high, bins)
        One for each plane; bins >= 2. Values outside count at the ends, NaN at the lower end.

    Returns
    -------
    ndarray of shape (n_regions, bins, ...) and dtype float64
    """
    cdef int k = planes.shape[2], height = planes.shape[0], width = planes.shape[1]
    if not 1 <= k <= 3 or len(axes) != k or regions.shape[0] != height or regions.shape[1] != width:
        raise ValueError("planes, regions and axes do not fit")
    cdef int bins[3]
    cdef float low[3]
    cdef float per_unit[3]
    cdef float weights[8]
    cdef Py_ssize_t cells[8]
    cdef int i, y, x, corner, corners, region, at
    cdef float part
    for i in range(k):
        low[i], high, bins[i] = axes[i]
        if not 2 <= bins[i] <= MAX_BINS or not high > low[i]:
            raise ValueError(f"an axis needs 2 to {MAX_BINS} bins, and a high above its low")
        per_unit[i] = bins[i] / (high - low[i])
    counts = np.zeros((n_regions, *(axis[2] for axis in axes)))
    cdef double[::1] out = counts.reshape(-1)
    with nogil:
        for y in range(height):
            for x in range(width):
                region = regions[y, x]
                if region == 0 or region > n_regions:
                    continue
                # Each axis doubles the corners that the pixel is shared among.
                cells[0] = region - 1
                weights[0] = 1
                corners = 1
                for i in range(k):
                    part = place(planes[y, x, i], low[i], per_unit[i], bins[i], &at)
                    for corner in range(corners):
                        cells[corner] = cells[corner] * bins[i] + at
                        cells[corner + corners] = cells[corner] + 1
                        weights[corner + corners] = weights[corner] * part
                        weights[corner] = weights[corner] * (1 - part)
                    corners = 2 * corners
                for corner in range(corners):
                    out[cells[corner]] += weights[corner]
    return counts


def moments(const float[:, :, :] planes, const uint8_t[:, ::1] regions, int n_regions):
    """Sum the values of each region's pixels, their squares and their cubes, in each plane.

    Parameters
    ----------
    planes : ndarray of shape (height, width, k) and dtype float32
    regions : ndarray of shape (height, width) and dtype uint8
    n_regions : int

    Returns
    -------
    ndarray of shape (3, n_regions, k) and dtype float64
    """
    cdef int k = planes.shape[2], height = planes.shape[0], width = planes.shape[1], y, x, i, region
    if regions.shape[0] != height or regions.shape[1] != width:
        raise ValueError("planes and regions do not fit")
    result = np.zeros((3, n_regions, k))
    cdef double[:, :, ::1] out = result
    cdef double value
    with nogil:
        for y in range(height):
            for x in range(width):
                region = regions[y, x]
                if region == 0 or region > n_regions:
                    continue
                for i in range(k):
                    value = planes[y, x, i]
                    out[0, region - 1, i] += value
                    out[1, region - 1, i] += value * value
                    out[2, region - 1, i] += value * value * value
    return result


def add_looked_up(
    const float[:, :] base, const float[:, :, :] planes, const float[:, :, ::1] table, axes
):
    """Add to a plane the values that a table has for three other planes.

    Parameters
    ----------
    base : ndarray of shape (height, width) and dtype float32
    planes : ndarray of shape (height, width, 3) and dtype float32
    table : ndarray of shape (bins, bins, bins) and dtype float32
        Read by linear interpolation between the centres of the bins; values outside count as at the
        ends, NaN as at the lower end.
    axes : sequence of (low, high, bins)

    Returns
    -------
    ndarray of shape (height, width) and dtype float32
    """
    cdef int height = planes.shape[0], width = planes.shape[1]
    if base.shape[0] != height or base.shape[1] != width or planes.shape[2] != 3:
        raise ValueError("planes do not fit")
    if [axis[2] for axis in axes] != [table.shape[i] for i in range(3)]:
        raise ValueError("table and axes do not fit")
    cdef int at[3]
    cdef float low[3]
    cdef float per_unit[3]
    cdef float part[3]
    cdef int bins[3]
    cdef int i, j, y, x
    cdef float total, share
    for i in range(3):
        low[i], high, bins[i] = axes[i]
        if not 2 <= bins[i] <= MAX_BINS or not high > low[i]:
            raise ValueError(f"an axis needs 2 to {MAX_BINS} bins, and a high above its low")
        per_unit[i] = bins[i] / (high - low[i])
    result = np.empty((height, width), np.float32)
    cdef float[:, ::1] out = result
    with nogil:
        for y in range(height):
            for x in range(width):
                for i in range(3):
                    part[i] = place(planes[y, x, i], low[i], per_unit[i], bins[i], &at[i])
                total = base[y, x]
                for i in range(2):
                    for j in range(2):
                        share = (part[0] if i else 1 - part[0]) * (part[1] if j else 1 - part[1])
                        total = total + share * (
                            (1 - part[2]) * table[at[0] + i, at[1] + j, at[2]]
                            + part[2] * table[at[0] + i, at[1] + j, at[2] + 1]
                        )
                out[y, x] = total
    return result
