"""The data sets of the study of solvers: rows drawn as the document does, prostate and skin, scaled."""

from dataclasses import dataclass

import numpy as np

from .public_sets import public_set_at_hand

BETA_ACCURACY = 0.878  # of the true coefficients on test rows, the document's
SIMULATED_ROWS, SIMULATED_COLUMNS = 1000, 10
QUICK_ROWS = 20_000  # of skin
EVERY = 50_000  # steps, after which the document measured on skin
SIMULATED = "simulated"
# The document names no scaling. With these all of its curves converge.
WIDE, SKIN = "prostate, rows of norm 1", "skin, divided by 255"


@dataclass(frozen=True)
class DataSet:
    """Rows of two classes.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of -1 and +1
    batch : int
        Rows in a batch of the mini-batch solvers, the document's.
    epochs : int
        Of the solvers that process one row per step; those with batches do as many steps.
    every : int
        After how many steps the document measured the objective.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    batch: int
    epochs: int
    every: int = 1

    @property
    def alpha(self) -> float:
        """The document's lambda, 1/n."""
        return 1 / len(self.y)

    @property
    def rows(self) -> tuple:
        """What runs are given: rows to train on, and none to test on."""
        return self.X, self.y, None, None


def simulated(seed: int, rows: int = SIMULATED_ROWS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw y = sign(X beta + noise), X and noise standard normal; return X, y and beta.

    The document has no more of beta than its accuracy. That is 1 - arctan(1 / ||beta||) / pi, so beta, also
    drawn from a normal distribution, is made as long as that asks for.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, SIMULATED_COLUMNS))
    beta = rng.normal(size=SIMULATED_COLUMNS)
    beta /= np.linalg.norm(beta) * np.tan(np.pi * (1 - BETA_ACCURACY))
    return X, np.where(X @ beta + rng.normal(size=rows) > 0, 1, -1), beta


def all_sets(folder: str | None, seed: int, quick: bool) -> dict[str, DataSet]:
    """Return the simulated rows, and prostate and skin where the folder has them."""
    X, y, _ = simulated(seed)
    sets = [DataSet(SIMULATED, X, y, 8, 20 if quick else 50)]
    if found := public_set_at_hand("prostate", folder):
        X, y = found[0].astype(float), np.where(found[1] == 1, 1, -1)
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        sets.append(DataSet(WIDE, unit, y, 8, 10 if quick else 15))
    if found := public_set_at_hand("skin", folder):
        rows = np.random.default_rng(seed).permutation(len(found[1]))
        rows = rows[:QUICK_ROWS] if quick else rows
        X, y = found[0][rows].astype(float), np.where(found[1][rows] == 1, 1, -1)
        sets.append(DataSet(SKIN, X / 255, y, 2, 8, min(EVERY, len(y))))
    return {each.name: each for each in sets}
