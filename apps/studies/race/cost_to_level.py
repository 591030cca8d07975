"""What runs spend until they are near the optimum for good."""

import numpy as np

TOLERANCE = 0.01  # of P*: the level that counts as converged
FINEST = 1e-6  # of P*: no level is below, as P* is known to 1e-7


def cost_to_level(excess: np.ndarray, cost: np.ndarray, level: np.ndarray | float) -> np.ndarray:
    """Return what each run has spent when it comes to its level for good; infinite if it does not.

    Parameters
    ----------
    excess, cost : ndarray of shape (n_runs, n_epochs)
    level : ndarray of shape (n_runs,) or float

    Returns
    -------
    ndarray of shape (n_runs,)
    """
    above = excess > np.broadcast_to(level, len(excess))[:, None]
    epochs = np.where(above.any(axis=1), excess.shape[1] - above[:, ::-1].argmax(axis=1), 0)
    padded = np.column_stack([cost, np.full(len(cost), np.inf)])
    return padded[np.arange(len(cost)), epochs]


def level_beyond_an_epoch(*excess: np.ndarray, level: float = TOLERANCE) -> float:
    """Return the level, or the first tenth of it and so on that no median run meets after one epoch."""
    first = min(float(np.median(one[:, 0])) for one in excess)
    while first <= level > FINEST:
        level /= 10
    return level


def paired_ratio(
    excess: tuple[np.ndarray, np.ndarray], spent: tuple[np.ndarray, np.ndarray], level: float
) -> np.ndarray:
    """Return how many times as much each run of the first needs as that of the second with its seed.

    If only one of the two gets to the level, the ratio is 0 or infinite. If none does, they need only come
    as low as the worse of the two ends.
    """
    ends = np.stack([one[:, -1] for one in excess])
    levels = np.where(ends.min(axis=0) <= level, level, ends.max(axis=0))
    first, second = (cost_to_level(*one, levels) for one in zip(excess, spent, strict=True))
    return first / second
