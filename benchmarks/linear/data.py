"""The data sets: binary problems, rows X and signs y, made once and kept in the temporary folder."""

import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from ..common import a9a, imdb_texts, sentiment_words, skin, usps, with_int32

CACHE = Path(tempfile.gettempdir()) / "fastsvm-benchmarks"


class Data(NamedTuple):
    """One data set."""

    X: object
    y: np.ndarray


class Source(NamedTuple):
    """How a data set is made from a folder, which file it needs."""

    make: object
    file: str | None = None


def imdb(folder, vectorizer=TfidfVectorizer, **options):
    """tf-idf, or else, of film reviews."""
    texts, labels = imdb_texts(folder)
    X = vectorizer(dtype=np.float64, **options).fit_transform(texts)
    return with_int32(X), labels == "pos"


def crops(folder):
    """Grey squares of 120 x 120 around the nuclei of two kinds of cells, float32, rows of length 1."""
    import cv2

    from fastsvm_apps.cells.data.image_reader import ImageReader
    from fastsvm_apps.cells.finding.document_crop import SIZE, locate_report
    from fastsvm_apps.cells.finding.findings import crop_square

    rows, labels = [], []
    for kind in ("LYMPHOCYTE", "NEUTROPHIL"):
        for path in sorted((folder / "cells" / "images" / kind).iterdir()):
            image = ImageReader(str(path)).whole()
            gray = cv2.cvtColor(crop_square(image, locate_report(image), SIZE), cv2.COLOR_BGR2GRAY)
            rows.append(gray.ravel().astype(np.float32))
            labels.append(kind == "NEUTROPHIL")
    X = np.array(rows)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.array(labels)


def crops_pca(folder):
    """The crops' first 40 principal components, whitened."""
    data = load("crops", folder)
    X = PCA(40, whiten=True, random_state=0).fit_transform(data.X)
    return np.ascontiguousarray(X), data.y > 0


def digits(folder):
    """The digits of USPS: 0 to 4 against 5 to 9."""
    X, y = usps(folder)
    return X, y >= 5


def digits8(_):
    """The digits of scikit-learn: 8 or not."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y == 8


def breast_cancer(_):
    """scikit-learn's, standardised."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def rcv1_like(_, n=500_000, d=47_000, per_row=73, seed=0):
    """Sparse rows like those of the RCV1 news: Zipf columns, log-normal lengths and values, unit norm.

    The labels are those of a sparse linear model, with noise.
    """
    rng = np.random.default_rng(seed)
    lengths = np.maximum(5, rng.lognormal(np.log(per_row * 0.93), 0.5, n)).astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    frequency = np.cumsum(1 / (np.arange(d) + 30.0))  # no word is in more than about a quarter of the rows
    columns = np.searchsorted(frequency, rng.random(indptr[-1]) * frequency[-1]).astype(np.int32)
    values = rng.lognormal(0, 0.5, len(columns)) * np.log(np.arange(d) + 30.0)[columns]
    columns = rng.permutation(d).astype(np.int32)[columns]
    X = sparse.csr_matrix((values, columns, indptr), (n, d))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))
    w = rng.normal(size=d) * (rng.random(d) < 0.2)
    margins = X @ w
    return with_int32(X), margins + rng.normal(scale=0.4 * margins.std(), size=n) > 0


def dense(_, n=200_000, normal=10, binary=44, seed=0):
    """A dense table, 10 normal and 44 binary columns; the class is that of a linear rule, with noise."""
    rng = np.random.default_rng(seed)
    X = np.hstack([rng.normal(size=(n, normal)), rng.random((n, binary)) < rng.random(binary) / 2])
    margins = X @ rng.normal(size=normal + binary)
    return X, margins - np.median(margins) + rng.normal(scale=margins.std() / 2, size=n) > 0


def normal(_, n, d, used=None, noise=1 / 2, seed=0):
    """A dense table of normal columns; the class is that of a linear rule of the first ones, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    margins = X[:, :used] @ rng.normal(size=d)[:used]
    return X, margins + rng.normal(scale=margins.std() * noise, size=n) > 0


SOURCES = {
    "sentiment": Source(sentiment_words, "sentiment.txt"),
    "imdb": Source(imdb, "imdb_10k.tsv"),
    "a9a": Source(a9a, "a9a.svm"),
    "skin": Source(skin, "skin.tsv.gz"),
    "breast-cancer": Source(breast_cancer),
    "digits8": Source(digits8),
    "dense": Source(dense),
    "normal": Source(partial(normal, n=200_000, d=54)),
    "normal-tall": Source(partial(normal, n=1_000_000, d=20)),
    "wide": Source(partial(normal, n=60, d=5000, used=10, noise=1 / 4)),
    "tall": Source(partial(normal, n=200_000, d=54, used=27, noise=1 / 4)),
    "imdb-bigrams": Source(partial(imdb, ngram_range=(1, 2)), "imdb_10k.tsv"),
    "rcv1-like": Source(rcv1_like),
    "crops": Source(crops, "cells"),
    "crops-pca": Source(crops_pca, "cells"),
    "usps": Source(digits, "usps.npz"),
    "imdb-counts": Source(partial(imdb, vectorizer=CountVectorizer), "imdb_10k.tsv"),
}


def available(folder):
    """Names of the data sets whose files are there."""
    return [name for name, s in SOURCES.items() if s.file is None or (folder / s.file).exists()]


def load(name, folder, rows=None):
    """A data set by name; `rows` shrinks the generated one."""
    source = SOURCES[name]
    make, kept = source.make, name
    if rows and source.file is None:
        make, kept = partial(make, n=rows), f"{name}-{rows}"
    path = CACHE / f"{kept}.npz"
    if not path.exists():
        X, positive = make(folder)
        _save(path, X, np.where(np.asarray(positive) > 0, 1.0, -1.0))
    arrays = np.load(path)
    X = arrays["values"]
    if "indices" in arrays:
        X = sparse.csr_matrix((X, arrays["indices"], arrays["indptr"]), arrays["shape"])
    return Data(X, arrays["y"])


def _save(path, X, y):
    arrays = {"values": X, "y": y}
    if sparse.issparse(X):
        arrays = {"values": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "y": y}
    path.parent.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, **arrays)
    unfinished.replace(path)
