"""The data sets of the study of solvers: drawn, read, or made in their place; scaled, and split."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.public_sets import Rows, public_set_at_hand
from ..report.study_report import Context

SIMULATED_ROWS, SIMULATED_COLUMNS = 1000, 10
BETA_ACCURACY = 0.878  # of the true coefficients on test rows, the document's
EPOCHS, QUICK_EPOCHS = 50, 20
LONG_EPOCHS, QUICK_LONG_EPOCHS = 20, 10
WIDE_SHAPE = 102, 6033  # that of prostate.npz
LONG_ROWS, QUICK_LONG_ROWS = 20_000, 6000  # of rows that are made in place of skin's 245,057
STAND_IN_SEED = 0
MOST_TEST_ROWS = 20_000  # more would cost time after every epoch, and tell no more

SIMULATED, WIDE, LONG = "simulated", "wide", "long"


@dataclass(frozen=True)
class DataSet:
    """One set, two thirds of it to train on.

    Attributes
    ----------
    name : str
        Of files.
    kind : str
        "simulated", "wide" (the document's genomic set) or "long" (skin).
    called : str
        What figures and tables call the rows.
    scaling : str
        What was done to the columns or rows.
    X, X_test : ndarray of shape (n_samples, n_features), float64
    y, y_test : ndarray of -1 and +1
    batch : int
        Rows in a batch of the mini-batch solvers, the document's.
    epochs : int
    beta : ndarray of shape (n_features,) or None
        The true coefficients, of columns scaled as X is.
    """

    name: str
    kind: str
    called: str
    scaling: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    batch: int
    epochs: int
    beta: np.ndarray | None = None

    @property
    def alpha(self) -> float:
        """The document's lambda, 1/n."""
        return 1 / len(self.y)

    @property
    def title(self) -> str:
        """What figures and tables call it."""
        return f"{self.called}, {self.scaling}"


def simulated(seed: int, rows: int = SIMULATED_ROWS) -> DataSet:
    """Draw y = sign(X beta + noise), X and noise standard normal, and standardise X.

    The document has no more of beta than its accuracy. That is 1 - arctan(1 / ||beta||) / pi, so beta, also
    drawn from a normal distribution, is made as long as that asks for.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, SIMULATED_COLUMNS))
    beta = rng.normal(size=SIMULATED_COLUMNS)
    beta /= np.linalg.norm(beta) * np.tan(np.pi * (1 - BETA_ACCURACY))
    y = np.where(X @ beta + rng.normal(size=len(X)) > 0, 1, -1)
    parts = _train_test_parts(X, y, rng)
    mean, deviation = parts[0].mean(axis=0), parts[0].std(axis=0)
    scaled = _scaled_parts(parts, lambda rows: (rows - mean) / deviation)
    return DataSet(SIMULATED, SIMULATED, SIMULATED, "standardised", *scaled, 8, EPOCHS, beta * deviation)


def all_sets(context: Context) -> tuple[list[DataSet], dict[str, str], str]:
    """Return the simulated set, and the wide and the long one in each of their scalings.

    Also those that are not there, with the reason, and a sentence on them all.
    """
    sets, absent, shapes = [simulated(context.seed)], {}, []
    rng = np.random.default_rng(context.seed)
    words = "prostate for its genomic set, no longer public; skin"
    if context.data is None:
        words = "for its genomic set and skin, rows that scikit-learn makes"
    for kind, name, file in (WIDE, "prostate", "prostate.npz"), (LONG, "skin", "skin.tsv.gz"):
        called, found = f"made, {kind}", _made_rows(kind, context.quick)
        if context.data is not None:
            called, found = name, public_set_at_hand(name, context.data)
        if found is None:
            absent[kind] = f"{file} is not in the folder of data"
            continue
        X, y = found[0].astype(float), np.where(found[1] == 1, 1, -1)
        shapes.append("{:,} x {:,}".format(*X.shape))
        sets += _scaled_sets(kind, called, _train_test_parts(X, y, rng), context.quick)
    words = f"Simulated rows as in the document; {words} ({' and '.join(shapes) or 'both absent'})."
    return sets, absent, words


Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _scaled_sets(kind: str, called: str, parts: Parts, quick: bool) -> list[DataSet]:
    """Return a set in each of its scalings; by the training rows, of which a constant column becomes 0."""
    mean, deviation = parts[0].mean(axis=0), parts[0].std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1)
    standardised = _scaled_parts(parts, lambda rows: (rows - mean) / deviation)
    if kind == WIDE:
        shape = 8, QUICK_EPOCHS if quick else EPOCHS
        unit = _scaled_parts(parts, _unit_rows)
        return [
            DataSet("wide-standardised", WIDE, called, "standardised", *standardised, *shape),
            DataSet("wide-unit", WIDE, called, "rows of norm 1", *unit, *shape),
        ]
    epochs, divided = QUICK_LONG_EPOCHS if quick else LONG_EPOCHS, _scaled_parts(parts, lambda X: X / 255)
    return [
        DataSet("long-standardised", LONG, called, "standardised", *standardised, 2, epochs),
        DataSet("long-255", LONG, called, "divided by 255", *divided, 2, epochs),
        DataSet("long-raw", LONG, called, "raw", *parts, 2, epochs // 2),  # converges in no time anyhow
    ]


def _train_test_parts(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Parts:
    rows = rng.permutation(len(y))
    train, test = rows[: 2 * len(y) // 3], rows[2 * len(y) // 3 :][:MOST_TEST_ROWS]
    return X[train], y[train], X[test], y[test]


def _scaled_parts(parts: Parts, scale: Callable[[np.ndarray], np.ndarray]) -> Parts:
    X, y, X_test, y_test = parts
    return scale(X), y, scale(X_test), y_test


def _unit_rows(X: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1)


def _made_rows(kind: str, quick: bool) -> Rows:
    """Make wide rows with few columns that tell, or numbers from 0 to 255 in three columns."""
    from sklearn.datasets import make_classification

    options = {"n_redundant": 0, "random_state": STAND_IN_SEED}
    if kind == WIDE:
        return make_classification(*WIDE_SHAPE, n_informative=50, flip_y=0.05, **options)
    rows = QUICK_LONG_ROWS if quick else LONG_ROWS
    X, y = make_classification(rows, 3, n_informative=3, weights=[0.8], **options)
    return np.clip(128 + 32 * X, 0, 255).round(), y
