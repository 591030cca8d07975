"""Data sets to try things on: samples of the project, sets that are made, and public ones.

All return plain arrays, ``X, y``; texts and images take the place of `X` as a list of strings or an array
of paths. `docs/datasets.md` has a table.
"""

from typing import TYPE_CHECKING

from .._utils.lazy import lazily

if TYPE_CHECKING:
    from ._download import DatasetError, DatasetNotFoundError
    from .fetched import (
        LIBSVM_SETS,
        fetch_blood_cells,
        fetch_flame,
        fetch_imdb,
        fetch_jain,
        fetch_libsvm,
        fetch_prostate,
        fetch_skin,
        fetch_usps,
    )
    from .made import make_overlap, make_simulated
    from .shipped import load_cells, load_reviews

__all__ = [
    "LIBSVM_SETS",
    "DatasetError",
    "DatasetNotFoundError",
    "fetch_blood_cells",
    "fetch_flame",
    "fetch_imdb",
    "fetch_jain",
    "fetch_libsvm",
    "fetch_prostate",
    "fetch_skin",
    "fetch_usps",
    "load_cells",
    "load_reviews",
    "make_overlap",
    "make_simulated",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "._download": "DatasetError DatasetNotFoundError",
        ".fetched": "LIBSVM_SETS fetch_blood_cells fetch_flame fetch_imdb fetch_jain fetch_libsvm "
        "fetch_prostate fetch_skin fetch_usps",
        ".made": "make_overlap make_simulated",
        ".shipped": "load_cells load_reviews",
    },
)
