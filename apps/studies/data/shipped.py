"""Samples of the project itself, which lie in the folder `data` of a clone of its repository."""

from pathlib import Path

import numpy as np

from .dataset_files import DatasetError, images_by_class

__all__ = ["load_cells", "load_reviews"]

DATA = Path(__file__).parents[3] / "data"


def _sample(name):
    path = DATA / name
    if not path.exists():
        raise DatasetError(
            f"data/{name} is not installed with fastsvm: work in a clone of its repository (pip install -e .)"
        )
    return path


def load_reviews():
    """Return 2,000 invented product reviews.

    Returns
    -------
    texts : list of str
        Lower-case words with blanks between them.
    y : ndarray of shape (2000,) and dtype str
        "neg" or "pos", in random order.

    Raises
    ------
    DatasetError
        Outside a clone of the repository.

    Notes
    -----
    `data/reviews.txt`, made by `data/make_reviews.py`, MIT license.
    """
    lines = _sample("reviews.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ", 3) for line in lines]
    return [text for _, _, _, text in rows], np.array([label for _, label, _, _ in rows])


def load_cells():
    """Return 40 invented microscope pictures of white blood cells, ten of each of four classes.

    Returns
    -------
    files : ndarray of shape (40,) and dtype str
        Paths of JPEG files, 320 by 240 pixels.
    y : ndarray of shape (40,) and dtype str
        "EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE" or "NEUTROPHIL"; in this order.
    groups : ndarray of shape (40,) and dtype str
        The original of each picture: eight pictures are turned copies of others, and a fair test has all
        copies of an original on one side.

    Raises
    ------
    DatasetError
        Outside a clone of the repository.

    Notes
    -----
    `data/cells`, made by `data/make_smears.py`, MIT license.
    """
    return images_by_class(_sample("cells"))
