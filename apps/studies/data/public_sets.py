"""The public data sets of the documents: addresses of their files, and how they are read."""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile
from zlib import error as BadStream

import numpy as np

from ...common.errors import AppError

Rows = tuple[np.ndarray, np.ndarray]

VARIABLE = "FASTSVM_DATA"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
CASI = "https://web.stanford.edu/~hastie/CASI_files/DATA"
SIPU = "https://cs.uef.fi/sipu/datasets"
USPS_MD5, USPS_TEST_MD5 = "ec16c51db3855ca6c91edd34d0e9b197", "8ea070ee2aca1ac39742fdd1ef5ed118"
SKIN_SHA256 = "e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4"


class DatasetError(OSError):
    """A data set cannot be used; the message, one line, says what to do."""


class DatasetNotFoundError(DatasetError):
    """A data set is in no folder, and cannot be downloaded."""


class PublicSet(NamedTuple):
    """A public data set.

    Attributes
    ----------
    read : callable
        Takes the path of each file; returns X and y.
    ours : str
        The name of a file with the same content in the format of this project.
    sources : dict of str to str or None
        The addresses of the public files, with "sha256:..." or "md5:..."; None: none is published.
    """

    read: Callable[..., Rows]
    ours: str
    sources: dict[str, str | None]


def _read_usps(train: Path, test: Path | None = None) -> Rows:
    if test is None:
        return _read_npz(train)
    parts = [_read_svmlight(train, 256), _read_svmlight(test, 256)]
    X = np.vstack([(X.toarray() + 1) / 2 for X, _ in parts])
    return X, np.concatenate([y for _, y in parts]) - 1  # they write 10 for the digit 9


def _read_prostate(path: Path) -> Rows:
    if path.suffix == ".npz":
        return _read_npz(path)
    with open(path, encoding="utf-8") as file:
        names = file.readline().replace('"', "").strip().split(",")
        men = [column for column, name in enumerate(names) if name]  # the rows may have numbers
        table = np.loadtxt(file, np.float32, delimiter=",", usecols=men)
    return np.ascontiguousarray(table.T), np.array(["cancer" in names[column] for column in men], int)


def _read_svmlight(path: Path, n_features: int) -> Rows:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path), n_features=n_features, dtype=np.float32)
    return X, y.astype(int)


def _read_npz(path: Path) -> Rows:
    with open(path, "rb") as opened, np.lib.npyio.NpzFile(opened) as file:
        return file["X"].astype(np.float32, copy=False), file["y"].astype(int)


def _read_points(path: Path) -> Rows:
    """Read coordinates and, in the last column, labels; our own tables have commas and a header."""
    ours = {} if path.suffix == ".txt" else {"delimiter": ",", "skiprows": 1}
    table = np.loadtxt(path, np.float32, ndmin=2, **ours)
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)


PUBLIC_SETS = {
    # 9,298 handwritten digits of 16 by 16 pixels; ink from 0 to 1. The first 7,291 are the original training
    # set. J. Hull, A database for handwritten text recognition research, PAMI 1994; the files come from
    # LIBSVM's page, where ink is from -1 to 1. No licence is given. The checksums are torchvision's.
    "usps": PublicSet(_read_usps, "usps.npz", {
        f"{LIBSVM}/usps.bz2": f"md5:{USPS_MD5}", f"{LIBSVM}/usps.t.bz2": f"md5:{USPS_TEST_MD5}",
    }),
    # The colours (blue, green and red, from 0 to 255) of 245,057 pixels: 1 skin (the first 50,859 pixels),
    # 2 anything else. R. Bhatt and A. Dhall, Skin segmentation, UCI Machine Learning Repository, 2010;
    # CC BY 4.0.
    "skin": PublicSet(
        _read_points, "skin.tsv.gz", {f"{UCI}/00229/Skin_NonSkin.txt": f"sha256:{SKIN_SHA256}"}
    ),
    # The activity of 6,033 genes of 102 men: 0 healthy (the first 50 men), 1 cancer. D. Singh et al., Gene
    # expression correlates of clinical prostate cancer behavior, Cancer Cell 2002, as prepared by B. Efron
    # and T. Hastie for Computer age statistical inference. No licence or checksum is published.
    "prostate": PublicSet(_read_prostate, "prostate.npz", {f"{CASI}/prostmat.csv": None}),
    # 240 points of the plane in two classes, one bent around the other. L. Fu and E. Medico, FLAME, a novel
    # fuzzy clustering method, BMC Bioinformatics 2007; from the page "Clustering basic benchmark" of the
    # University of Eastern Finland. No checksum is published.
    "flame": PublicSet(_read_points, "flame.csv", {f"{SIPU}/flame.txt": None}),
    # 373 points of the plane in two crescents that interlock. A. Jain and M. Law, Data clustering: a user's
    # dilemma, PReMI 2005; from the same page.
    "jain": PublicSet(_read_points, "jain.csv", {f"{SIPU}/jain.txt": None}),
}  # fmt: skip


def fetch_public_set(
    name: str, *, data_home: str | Path | None = None, download_if_missing: bool = True
) -> Rows:
    """Return a public data set from a folder, from the cache, or from the network.

    Parameters
    ----------
    name : str
        A name of `PUBLIC_SETS`.
    data_home : str, path or None
        Searched first; then the folder that the environment variable FASTSVM_DATA names, and the cache.
    download_if_missing : bool, default=True

    Returns
    -------
    X : ndarray of shape (n_samples, n_features) and dtype float32
    y : ndarray of shape (n_samples,) and dtype int

    Raises
    ------
    DatasetNotFoundError
        If the set is in no folder and cannot be downloaded.
    DatasetError
        If a file cannot be read, or is another file.
    """
    known = PUBLIC_SETS[name]
    paths = _files_in([data_home, os.environ.get(VARIABLE)], known) or _download(known, download_if_missing)
    try:
        return known.read(*paths)
    except (ValueError, KeyError, EOFError, OSError, BadZipFile, BadStream) as error:
        raise DatasetError(f"{paths[0]}: cannot be read ({error}); copy or download it again") from error


def _files_in(folders: Sequence[str | Path | None], known: PublicSet) -> list[Path]:
    """Return the files of a set in the first folder that has them, our own before the public ones."""
    for folder in (Path(folder) for folder in folders if folder):
        if not folder.is_dir():
            raise DatasetError(f"{folder}: no such folder; name a folder that contains {known.ours}")
        if (folder / known.ours).exists():
            return [folder / known.ours]
        checksums = {folder / url.rpartition("/")[2]: checksum for url, checksum in known.sources.items()}
        if all(path.exists() for path in checksums):
            for path, checksum in checksums.items():
                kind, _, digest = (checksum or "").partition(":")
                if digest and hashlib.new(kind, path.read_bytes()).hexdigest() != digest:
                    raise DatasetError(f"{path}: is incomplete or another file; its {kind} is not {digest}")
            return [*checksums]
    return []


def _download(known: PublicSet, allowed: bool) -> list[Path]:
    """Return the files of a set in the cache; missing ones are downloaded."""
    where = f"put {known.ours} into a folder, and name the folder by data_home or {VARIABLE}"
    try:
        import pooch
    except ImportError as error:
        words = f'downloads need pooch: pip install "fastsvm[datasets]"; or {where}'
        raise DatasetNotFoundError(words) from error
    cache = pooch.os_cache("fastsvm")
    names = {url.rpartition("/")[2]: url for url in known.sources}
    if not (allowed or all((cache / name).exists() for name in names)):
        raise DatasetNotFoundError(f"{', '.join(names)}: not in {cache}, and downloading is off; {where}")
    try:
        return [Path(pooch.retrieve(url, known.sources[url], name, cache)) for name, url in names.items()]
    except (OSError, ValueError) as error:  # of the network; of a wrong checksum
        raise DatasetNotFoundError(f"{', '.join(names)}: cannot be downloaded ({error}); {where}") from error


def public_set_at_hand(name: str, folder: str | None) -> Rows | None:
    """Return a public data set from a folder, without the network; None if it is not there.

    Parameters
    ----------
    name : str
        A name of `PUBLIC_SETS`.
    folder : str or None
        None: no data set is found.

    Raises
    ------
    AppError
        If the set cannot be read.
    """
    if folder is None:
        return None
    try:
        return fetch_public_set(name, data_home=folder, download_if_missing=False)
    except DatasetNotFoundError:
        return None
    except DatasetError as error:
        raise AppError(str(error)) from error


def usps_or_small_digits(folder: str | None) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return ink from 0 to 1 and digits of USPS, or of scikit-learn's digits, and whether it is USPS."""
    found = public_set_at_hand("usps", folder)
    if found is not None:
        return *found, True
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X / 16, y, False
