"""The digits of the study: USPS, or those of scikit-learn."""

from dataclasses import dataclass

import numpy as np

from ..data.public_sets import public_set_at_hand


@dataclass(frozen=True)
class Digits:
    """Handwritten digits.

    Attributes
    ----------
    X : ndarray of shape (n, side * side) and dtype float32
        Ink from 0 to 1.
    y : ndarray of shape (n,) and dtype int
    side : int
        Pixels.
    usps : bool
        Whether they are all digits of USPS, so that errors compare with the document's.
    words : str
        What they are, for the report.
    """

    X: np.ndarray
    y: np.ndarray
    side: int
    usps: bool
    words: str


def digits_of(folder: str | None, most: int | None) -> Digits:
    """Return USPS from a folder, or scikit-learn's digits where there is none.

    Parameters
    ----------
    folder : str or None
    most : int or None
        Of more rows than this, a stratified sample.
    """
    found, name, absent = public_set_at_hand("usps", folder), "USPS", ""
    if found is not None:
        X, y = found
    else:
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        X, name = (X / 16).astype(np.float32), "scikit-learn's digits"
        absent = " The folder of the data has no usps.npz." if folder is not None else ""
    size = f"{len(y):,} images of {round(X.shape[1] ** 0.5)} x {round(X.shape[1] ** 0.5)} pixels"
    whole = most is None or len(y) <= most
    if not whole:
        X, y = _digit_sample(X, y, most)
        size = f"{most:,} of the {size}"
    return Digits(X, y, round(X.shape[1] ** 0.5), found is not None and whole, f"{name}, {size}.{absent}")


def _digit_sample(X: np.ndarray, y: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.model_selection import train_test_split

    X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=0)
    return X, y
