"""The data sets of the study of solvers: rows simulated as in the document, prostate and skin, scaled."""

from dataclasses import dataclass

import numpy as np

from .public_sets import public_set_at_hand

BETA_ACCURACY = 0.878  # of the true coefficients on test rows, in the document
SIMULATED_ROWS, SIMULATED_COLUMNS = 1000, 10
QUICK_ROWS = 20_000  # of skin
EVERY = 50_000  # steps between the document's measurements on skin
SIMULATED = "simulated"
# The document gives no scaling. With these, all of its curves converge.
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
        Batch size of the mini-batch solvers, from the document.
    epochs : int
        Epochs of the solvers that process one row per step; solvers with batches do as many steps.
    every : int
        Steps between the document's measurements of the objective.
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
        """The data of runs: training rows, and no test rows."""
        return self.X, self.y, None, None


def simulated(seed: int, rows: int = SIMULATED_ROWS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw y = sign(X beta + noise), X and noise standard normal; return X, y and beta.

    The document gives only the accuracy of beta, which is 1 - arctan(1 / ||beta||) / pi. So beta, drawn from
    a normal distribution, is scaled to the length with this accuracy.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, SIMULATED_COLUMNS))
    beta = rng.normal(size=SIMULATED_COLUMNS)
    beta /= np.linalg.norm(beta) * np.tan(np.pi * (1 - BETA_ACCURACY))
    return X, np.where(X @ beta + rng.normal(size=rows) > 0, 1, -1), beta


def all_sets(folder: str | None, seed: int, quick: bool) -> dict[str, DataSet]:
    """Return the simulated rows, and prostate and skin if the folder has them."""
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
