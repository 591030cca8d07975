"""Whether images are of the kind that a model has learned from: the same stain, seen by a similar camera.

Four ratios of optical densities show this: blue over green and red over green, of nuclei and of red cells.
Exposure and white balance also change the plasma, by which colours are divided; a camera's gamma multiplies
all densities. So the ratios change only with the stain or the colours of the camera.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..finding.stain import Stain

OF_NUCLEI = 2  # of the four ratios; if an image has no red cells, only these are known
# The prior has the weight of this many images, with this standard deviation.
PRIOR_IMAGES, PRIOR_SPREAD = 4, 0.1
UNKNOWN_SPREAD = 10.0  # of a ratio that no image shows
MAX_DEVIATION = 5.0  # standard deviations; larger ones count as this when the spread is learned
FOLDS = 5
ACCEPTED = 0.98  # share of the images of its own kind that a limit lets pass
# The limit is kept between these with fewer training images, which are too few to show rare ones.
FEW_LIMITS, MIN_LIMITED = (3.0, 6.0), 50
# The mean of more images is no surer than of this many: they may share light or cells.
MOST_SURE = 4
FAR = 2.0  # limits, beyond which one image among many of the known kind is of another kind


@dataclass(frozen=True, eq=False)
class ImageKind:
    """The stain of the images that a model has learned from, and how much it differs among them.

    Attributes
    ----------
    center : ndarray of shape (4,)
        The medians of the ratios that `_ratios` returns.
    covariance : ndarray of shape (4, 4)
    limit : float
        The distance up to which a single image is of this kind.
    """

    center: np.ndarray
    covariance: np.ndarray
    limit: float

    def distances(self, stains: Iterable[Stain]) -> np.ndarray:
        """Return how far each image is: squared Mahalanobis distances over the number of ratios.

        They are NaN for images without nuclei.
        """
        return _distances(_ratios(stains), self.center, self.covariance)

    def are_own(self, stains: Iterable[Stain]) -> bool:
        """Return whether images that came together are of this kind; True if nothing is known."""
        distances = self.distances(stains)
        known = distances[~np.isnan(distances)]
        if not len(known):
            return True
        return bool(np.median(known) <= 1 + (self.limit - 1) / min(len(known), MOST_SURE) ** 0.5)

    def is_far(self, stain: Stain) -> bool:
        """Return whether an image is of another kind although most images with it are of this kind."""
        return bool(self.distances([stain])[0] > FAR * self.limit)


def fit_image_kind(stains: Sequence[Stain]) -> ImageKind:
    """Learn the kind of images from their stains."""
    ratios = _ratios(stains)
    ratios = ratios[~np.isnan(ratios[:, 0])]
    n = np.arange(len(ratios))
    folds = [n % FOLDS == k for k in range(min(FOLDS, len(n)))] if len(n) > 1 else []
    left_out = [_distances(ratios[fold], *_fitted(ratios[~fold])) for fold in folds]
    limit = float(np.quantile(np.concatenate(left_out), ACCEPTED)) if folds else FEW_LIMITS[0]
    return ImageKind(*_fitted(ratios), limit if len(n) >= MIN_LIMITED else float(np.clip(limit, *FEW_LIMITS)))


def _ratios(stains: Iterable[Stain]) -> np.ndarray:
    """Return blue and red over green of nuclei, then red and blue over green of red cells, per image."""
    rows = [(each.nuclear_blue, each.nuclear_red, each.red, each.hue) for each in stains]
    return np.array(rows, float).reshape(-1, 2 * OF_NUCLEI)


def _fitted(ratios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the center and the covariance of ratios, a row for each image."""
    known = ~np.isnan(ratios)
    columns = zip(ratios.T, known.T, strict=True)
    center = np.array([np.median(column[some]) if some.any() else 0.0 for column, some in columns])
    away = np.where(known, ratios - center, 0)
    most = MAX_DEVIATION * np.sqrt((away**2).sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    away = np.clip(away, -most, most)
    spread = np.where(known.any(axis=0), PRIOR_SPREAD, UNKNOWN_SPREAD)
    pairs = known.T.astype(float) @ known
    return center, (away.T @ away + PRIOR_IMAGES * np.diag(spread**2)) / (pairs + PRIOR_IMAGES)


def _distances(ratios: np.ndarray, center: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    away = ratios - center
    all_four, of_nuclei = (
        np.einsum("ij,jk,ik->i", away[:, :n], np.linalg.inv(covariance[:n, :n]), away[:, :n]) / n
        for n in (len(center), OF_NUCLEI)
    )
    return np.where(np.isnan(all_four), of_nuclei, all_four)
