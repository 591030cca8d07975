"""The problems: binary, of every kind the solvers meet, small enough to be solved a thousand times."""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from ..common import a9a, made, sentiment_words, skin, usps


def _digits():
    X, y = load_digits(return_X_y=True)
    return X / 16, y % 2


def _usps(folder):
    X, y = usps(folder)
    return X, y >= 5


def _plane(folder, name):
    table = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1)
    return StandardScaler().fit_transform(table[:, :2]), table[:, 2] == table[0, 2]


def _sms(folder):
    lines = (folder / "sms_spam.tsv").read_text(encoding="utf-8").splitlines()[1:]
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return TfidfVectorizer().fit_transform(texts), np.array(labels) == labels[0]


def _scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y == y[0]


TABLES = {
    "breast_cancer": lambda _: _scaled(load_breast_cancer),
    "wine": lambda _: _scaled(load_wine),
    "digits": lambda _: _digits(),
    "a9a": a9a,
    "usps": _usps,
    "skin": skin,
    "flame": partial(_plane, name="flame"),
    "jain": partial(_plane, name="jain"),
}
MADE = {"made": lambda _: made(0)[:2]}
TEXTS = {"sentiment": sentiment_words, "sms": _sms}
VALUES = 600_000  # at most: fewer rows of wide tables
SETS = {
    "newton": TABLES,
    "certify": TABLES,
    "auto": TABLES | TEXTS,
    "sdca": TABLES | TEXTS,
    "rare": TABLES | TEXTS,
    "kernel": TABLES | MADE,
}
ROWS = {"kernel": 5000}  # at most; of others 20,000
RARE = 3  # rows of the first class


def load(group, folder):
    """(name, X, y of -1 and +1) of each data set of a group; those whose files are missing are left out."""
    for name, make in SETS[group].items():
        try:
            X, positive = make(folder)
        except OSError:
            print(f"# {name}: no such file in {folder}")
            continue
        values = X.nnz if sparse.issparse(X) else X.size
        most = min(ROWS.get(group, 20_000), VALUES * X.shape[0] // values)
        order = np.random.default_rng(0).permutation(X.shape[0])[:most]
        above = np.asarray(positive)[order] > 0
        if group == "rare":
            kept = ~above | (np.cumsum(above) <= RARE)
            order, above = order[kept], above[kept]
        yield name, X[order], np.where(above, 1, -1)
