"""Public data sets where they are at hand."""

from collections.abc import Callable, Collection

import numpy as np

from fastsvm_apps.studies.data import DatasetError, DatasetNotFoundError

from ...common.errors import AppError

Rows = tuple[np.ndarray, np.ndarray]


def at_hand(
    fetch: Callable[..., Rows], folder: str | None, columns: int, labels: Collection[int]
) -> Rows | None:
    """Return what a function of `fastsvm_apps.studies.data` finds without the network.

    Parameters
    ----------
    fetch : callable
    folder : str or None
        Where it looks first; None: nowhere.
    columns : int
    labels : collection of int
        What there must be, or it is another set.

    Returns
    -------
    X, y : ndarray
        Or None where it is not at hand.

    Raises
    ------
    AppError
        When it is, and cannot be read, or is another set.
    """
    if folder is None:
        return None
    try:
        X, y = fetch(data_home=folder, download_if_missing=False)
    except DatasetNotFoundError:
        return None
    except DatasetError as error:
        raise AppError(str(error)) from error
    found = np.unique(y).tolist()
    if X.shape[1:] != (columns,) or found != [*labels]:
        name = fetch.__name__.removeprefix("fetch_")
        raise AppError(
            f"{folder}: what it has as {name} is another set, of the shape {X.shape} and with the labels "
            f"{', '.join(map(str, found[:20]))}"
        )
    return X, y
