"""Public data sets: from a folder, from the cache, or from the network.

Every function takes `data_home`, a folder to look in first, for the files that its `Source` names. Then come
the folder that the environment variable FASTSVM_DATA names, the cache, and, unless `download_if_missing` is
False, the network. A set that cannot be had raises DatasetNotFoundError; a file that cannot be read, or is
another one, DatasetError.
"""

import tarfile

import numpy as np

from .dataset_files import Source, cache_folder, find, images_by_class, reading, unpacked

__all__ = [
    "LIBSVM_SETS",
    "fetch_blood_cells",
    "fetch_flame",
    "fetch_imdb",
    "fetch_jain",
    "fetch_libsvm",
    "fetch_prostate",
    "fetch_skin",
    "fetch_usps",
]

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"

# Those of torchvision, which publishes no other.
_USPS = Source(
    "usps.bz2", f"{_LIBSVM}/multiclass/usps.bz2", "md5:ec16c51db3855ca6c91edd34d0e9b197", "usps.npz"
)
_USPS_TEST = Source(
    "usps.t.bz2", f"{_LIBSVM}/multiclass/usps.t.bz2", "md5:8ea070ee2aca1ac39742fdd1ef5ed118", "usps.npz"
)
_SKIN = Source(
    "Skin_NonSkin.txt",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/00229/Skin_NonSkin.txt",
    "sha256:e30c0a845385dcc95a45c45ed263465674a49638e98ef740afd520769c7714a4",
    "skin.tsv.gz",
)
_IMDB = Source(
    "aclImdb_v1.tar.gz",
    "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
    # That of TensorFlow Datasets.
    "sha256:c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe",
)
_CELLS = Source(
    "blood-cells.zip",
    "https://www.kaggle.com/api/v1/datasets/download/paultimothymooney/blood-cells",
    also="cells",
)
_PROSTATE = Source(
    "prostmat.csv", "https://web.stanford.edu/~hastie/CASI_files/DATA/prostmat.csv", also="prostate.npz"
)
_FLAME = Source("flame.txt", "https://cs.uef.fi/sipu/datasets/flame.txt", also="flame.csv")
_JAIN = Source("jain.txt", "https://cs.uef.fi/sipu/datasets/jain.txt", also="jain.csv")

# Names that `fetch_libsvm` knows: where, and the number of columns, which a file need not show.
LIBSVM_SETS = {
    "a9a": ("binary/a9a", 123),
    "a9a.t": ("binary/a9a.t", 123),
    "w8a": ("binary/w8a", 300),
    "w8a.t": ("binary/w8a.t", 300),
    "ijcnn1": ("binary/ijcnn1.bz2", 22),
    "ijcnn1.t": ("binary/ijcnn1.t.bz2", 22),
    "covtype.binary": ("binary/covtype.libsvm.binary.scale.bz2", 54),
    "real-sim": ("binary/real-sim.bz2", 20_958),
    "rcv1.binary": ("binary/rcv1_train.binary.bz2", 47_236),
    "rcv1.binary.t": ("binary/rcv1_test.binary.bz2", 47_236),
    "news20.binary": ("binary/news20.binary.bz2", 1_355_191),
}


def fetch_usps(*, data_home=None, download_if_missing=True):
    """Return USPS, 9,298 handwritten digits of 16 by 16 pixels.

    Returns
    -------
    X : ndarray of shape (9298, 256) and dtype float32
        Ink from 0 to 1, rows of pixels from the top. The first 7,291 are the original training set.
    y : ndarray of shape (9298,) and dtype int
        Digits.

    Notes
    -----
    J. Hull, A database for handwritten text recognition research, PAMI 1994; the files are those of LIBSVM's
    page, where ink is from -1 to 1. No license is given. Checked against the checksums of torchvision.
    """
    path = find(_USPS, data_home, download_if_missing)
    if path.suffix == ".npz":
        return _arrays(path)
    parts = [_svmlight(path, 256), _svmlight(find(_USPS_TEST, data_home, download_if_missing), 256)]
    X = np.vstack([(X.toarray() + 1) / 2 for X, _ in parts])
    return X, np.concatenate([y for _, y in parts]) - 1  # they write 10 for the digit 9


def fetch_skin(*, data_home=None, download_if_missing=True):
    """Return the colours of 245,057 pixels of faces and other things.

    Returns
    -------
    X : ndarray of shape (245057, 3) and dtype float32
        Blue, green and red, from 0 to 255.
    y : ndarray of shape (245057,) and dtype int
        1 skin (50,859 pixels, which come first), 2 anything else.

    Notes
    -----
    R. Bhatt and A. Dhall, Skin segmentation, UCI Machine Learning Repository, 2010; CC BY 4.0.
    """
    path = find(_SKIN, data_home, download_if_missing)
    plain = path.suffix == ".txt"
    return _points(path, "\t" if plain else ",", skiprows=0 if plain else 1)


def fetch_imdb(subset="train", *, data_home=None, download_if_missing=True):
    """Return reviews of films, as favourable as unfavourable ones.

    Parameters
    ----------
    subset : {"train", "test"}, default="train"
        25,000 reviews each; of a film they are all in the same one.

    Returns
    -------
    texts : list of str
        With their HTML line breaks.
    y : ndarray of shape (25000,) and dtype str
        "neg" or "pos", sorted: shuffle before taking a part.

    Raises
    ------
    ValueError
        When `subset` is neither.

    Notes
    -----
    A. Maas et al., Learning word vectors for sentiment analysis, ACL 2011. No license is given; the authors
    ask to be cited. Checked against the checksum of TensorFlow Datasets.
    """
    if subset not in {"train", "test"}:
        raise ValueError(f"subset must be 'train' or 'test', got {subset!r}.")
    texts = {}
    # The archive can only be read from front to back.
    path = find(_IMDB, data_home, download_if_missing)
    with reading(path), tarfile.open(path, "r|gz") as archive:
        for member in archive:
            _, _, place = member.name.partition(f"aclImdb/{subset}/")
            label, _, name = place.partition("/")
            if label in {"neg", "pos"} and name.endswith(".txt"):
                texts[label, name] = archive.extractfile(member).read().decode()
    order = sorted(texts)
    return [texts[each] for each in order], np.array([label for label, _ in order])


def fetch_blood_cells(*, data_home=None, download_if_missing=True):
    """Return the paths of 9,957 microscope pictures of white blood cells.

    A folder has `cells/images`, with a folder for each class, and perhaps `cells/groups.csv` (columns file
    and original); or Kaggle's `blood-cells.zip`.

    Returns
    -------
    files : ndarray of shape (9957,) and dtype str
        Paths of JPEG files, 320 by 240 pixels.
    y : ndarray of shape (9957,) and dtype str
        "EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE" or "NEUTROPHIL"; in this order.
    groups : ndarray of shape (9957,) and dtype str, or None
        The original of each picture: all are turned and mirrored copies of some hundred, so that a random
        split tests on what was learned. None without `groups.csv`, which Kaggle's archive lacks.

    Notes
    -----
    P. Mooney, Blood cell images, Kaggle 2018 (the folder TRAIN of `dataset2-master`), from the BCCD data set
    of Shenggan and others; MIT license. No checksum is published.
    """
    path = find(_CELLS, data_home, download_if_missing)
    if path.is_dir():
        return images_by_class(path)
    folder = cache_folder() / "cells"
    unpacked(path, "dataset2-master/dataset2-master/images/TRAIN", folder / "images")
    return images_by_class(folder)


def fetch_prostate(*, data_home=None, download_if_missing=True):
    """Return the activity of 6,033 genes of 102 men.

    Returns
    -------
    X : ndarray of shape (102, 6033) and dtype float32
    y : ndarray of shape (102,) and dtype int
        0 healthy (50 men, who come first), 1 cancer.

    Notes
    -----
    D. Singh et al., Gene expression correlates of clinical prostate cancer behavior, Cancer Cell 2002, as
    prepared by B. Efron and T. Hastie for Computer age statistical inference. No license is given, and no
    checksum published.
    """
    path = find(_PROSTATE, data_home, download_if_missing)
    if path.suffix == ".npz":
        return _arrays(path)
    with reading(path), open(path, encoding="utf-8") as file:
        names = file.readline().replace('"', "").strip().split(",")
        men = [column for column, name in enumerate(names) if name]  # the rows may have numbers
        table = np.loadtxt(file, np.float32, delimiter=",", usecols=men)
    return np.ascontiguousarray(table.T), np.array(["cancer" in names[column] for column in men], int)


def fetch_flame(*, data_home=None, download_if_missing=True):
    """Return 240 points of the plane in two classes, one bent around the other.

    Returns
    -------
    X : ndarray of shape (240, 2) and dtype float32
    y : ndarray of shape (240,) and dtype int
        1 or 2.

    Notes
    -----
    L. Fu and E. Medico, FLAME, a novel fuzzy clustering method, BMC Bioinformatics 2007; from the page
    "Clustering basic benchmark" of the University of Eastern Finland. No checksum is published.
    """
    return _plane(find(_FLAME, data_home, download_if_missing))


def fetch_jain(*, data_home=None, download_if_missing=True):
    """Return 373 points of the plane in two classes, two crescents that interlock.

    Returns
    -------
    X : ndarray of shape (373, 2) and dtype float32
    y : ndarray of shape (373,) and dtype int
        1 or 2.

    Notes
    -----
    A. Jain and M. Law, Data clustering: a user's dilemma, PReMI 2005; from the same page as
    :func:`fetch_flame`.
    """
    return _plane(find(_JAIN, data_home, download_if_missing))


def fetch_libsvm(name, *, data_home=None, download_if_missing=True):
    """Return a binary problem of LIBSVM's page.

    Parameters
    ----------
    name : str
        A name of `LIBSVM_SETS`: "a9a", "w8a", "ijcnn1", "covtype.binary" (columns scaled to [0, 1]),
        "real-sim", "rcv1.binary" or "news20.binary"; "a9a.t", "w8a.t", "ijcnn1.t" and "rcv1.binary.t" are
        test sets.

    Returns
    -------
    X : csr_array of shape (n_samples, n_features) and dtype float32
    y : ndarray of shape (n_samples,) and dtype int
        -1 and 1, but 1 and 2 for "covtype.binary".

    Raises
    ------
    ValueError
        When there is no such name.

    Notes
    -----
    https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html has the source of each. No checksums
    are published.

    Examples
    --------
    >>> from fastsvm_apps.studies.data import LIBSVM_SETS
    >>> print(*LIBSVM_SETS)
    a9a a9a.t w8a w8a.t ijcnn1 ijcnn1.t covtype.binary real-sim rcv1.binary rcv1.binary.t news20.binary
    """
    if name not in LIBSVM_SETS:
        raise ValueError(f"name must be one of {', '.join(LIBSVM_SETS)}, got {name!r}.")
    place, n_features = LIBSVM_SETS[name]
    source = Source(place.rpartition("/")[2], f"{_LIBSVM}/{place}", also=f"{name}.svm")
    return _svmlight(find(source, data_home, download_if_missing), n_features)


def _svmlight(path, n_features):
    from scipy.sparse import csr_array
    from sklearn.datasets import load_svmlight_file

    with reading(path):
        X, y = load_svmlight_file(str(path), n_features=n_features, dtype=np.float32)
    return csr_array(X), y.astype(int)


def _arrays(path):
    with reading(path), open(path, "rb") as opened, np.lib.npyio.NpzFile(opened) as file:
        return file["X"].astype(np.float32, copy=False), file["y"].astype(int)


def _plane(path):
    is_csv = path.suffix == ".csv"
    return _points(path, "," if is_csv else None, skiprows=int(is_csv))


def _points(path, separator, skiprows):
    """Coordinates and, in the last column, labels."""
    with reading(path):
        table = np.loadtxt(path, np.float32, delimiter=separator, skiprows=skiprows, ndmin=2)
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)
