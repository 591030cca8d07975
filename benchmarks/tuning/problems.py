"""The problems: binary, of every kind the solvers meet, small enough to be solved a thousand times."""

import numpy as np
from scipy import sparse

from ..common import made
from ..linear import data

TABLES = ("breast-cancer", "digits8", "a9a", "usps", "skin")
MORE = {"newton": (), "certify": (), "kernel": ("made",)}  # of others, a text
VALUES = 600_000  # at most: fewer rows of wide tables
ROWS = {"kernel": 5000}  # at most; of others 20,000
RARE = 3  # rows of the first class


def load(group, folder):
    """(name, X, y of -1 and +1) of each data set of a group; those whose files are missing are left out."""
    there = {"made", *data.available(folder)}
    for name in (*TABLES, *MORE.get(group, ("sentiment",))):
        if name not in there:
            print(f"# {name}: no such file in {folder}")
            continue
        X, y = made(0)[:2] if name == "made" else data.load(name, folder)
        values = X.nnz if sparse.issparse(X) else X.size
        most = min(ROWS.get(group, 20_000), VALUES * X.shape[0] // values)
        order = np.random.default_rng(0).permutation(X.shape[0])[:most]
        above = y[order] > 0
        if group == "rare":
            kept = ~above | (np.cumsum(above) <= RARE)
            order, above = order[kept], above[kept]
        yield name, X[order], np.where(above, 1, -1)
