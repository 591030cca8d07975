"""Public data sets where they are at hand."""

from collections.abc import Callable

import numpy as np

from fastsvm.datasets import DatasetError, DatasetNotFoundError

from ...common.errors import AppError

Rows = tuple[np.ndarray, np.ndarray]


def at_hand(fetch: Callable[..., Rows], folder: str | None) -> Rows | None:
    """Return what a function of `fastsvm.datasets` finds without the network.

    Parameters
    ----------
    fetch : callable
    folder : str or None
        Where it looks first; None: nowhere.

    Returns
    -------
    X, y : ndarray
        Or None where it is not at hand.

    Raises
    ------
    AppError
        When it is, and cannot be read.
    """
    if folder is None:
        return None
    try:
        return fetch(data_home=folder, download_if_missing=False)
    except DatasetNotFoundError:
        return None
    except DatasetError as error:
        raise AppError(str(error)) from error
