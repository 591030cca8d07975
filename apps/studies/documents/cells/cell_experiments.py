"""The experiments of the study: runs of three solvers, traced, and their errors over splits of the images."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fastsvm.fitting import SDCA, Pegasos
from fastsvm_apps.studies.race import compare

from ....common.folds import grouped_folds, random_split
from ....common.progress import by_steps
from ...report.study_report import Context
from .cell_crops import Crops
from .principal_components import Projection, inner_products, project, singular_values, whitened

ALPHA = 1.6
EPOCHS, PEGASOS_EPOCHS = 10, 25
PEGASOS_BATCH = 100
COMPONENTS = 40
SINGULAR = 1000  # values that are shown
TEST = 0.2  # of the images
FOLDS = 5
SPLITS, QUICK_SPLITS = 10, 5  # random ones, of which the first is that of the curves
SCALE = 1 / 255  # of the pixels

SDCA_LABEL, STARTED, PEGASOS = SOLVERS = "SDCA", "SDCA, SGD start", "Pegasos"
RAW, WHITENED, PLAIN = FEATURES = "raw", "PCA whitened", "PCA plain"

Rows = tuple[np.ndarray, np.ndarray]  # to train on, to test on


def models() -> dict[str, SDCA | Pegasos]:
    """Return the document's three solvers; each does all its epochs."""
    shared = {"alpha": ALPHA, "fit_intercept": False}
    sdca = {"max_iter": EPOCHS, "tol": None, "solver": "coordinate", **shared}
    return {
        SDCA_LABEL: SDCA(**sdca),
        STARTED: SDCA(sgd_init=True, **sdca),
        PEGASOS: Pegasos(max_iter=PEGASOS_EPOCHS, batch_size=PEGASOS_BATCH, **shared),
    }


def parameters() -> dict[str, dict]:
    """Return the parameters of each solver."""
    return {label: model.get_params() for label, model in models().items()}


class Images:
    """The crops, and what is made of them to train on.

    Parameters
    ----------
    crops : Crops
    """

    def __init__(self, crops: Crops) -> None:
        self.crops = crops

    @cached_property
    def products(self) -> np.ndarray:
        """Inner products of all crops."""
        return inner_products(self.crops.pixels, SCALE)

    def rows(self, rows: np.ndarray) -> np.ndarray:
        """Return crops as rows of float32 in [0, 1]."""
        return self.crops.pixels[rows] * np.float32(SCALE)

    def projection(self, train: np.ndarray, test: np.ndarray) -> Projection:
        """Return crops on the principal components of those to train on."""
        return project(self.products, train, test, min(COMPONENTS, len(train) - 1))

    def features(self, train: np.ndarray, test: np.ndarray) -> Iterator[tuple[str, Rows]]:
        """Yield each of `FEATURES`, and both parts by it, in turn: the raw ones are large."""
        yield RAW, (self.rows(train), self.rows(test))
        projection = self.projection(train, test)
        yield WHITENED, whitened(projection)
        yield PLAIN, projection[:2]


class CellCurves(NamedTuple):
    """What runs of one solver went through.

    Attributes
    ----------
    seconds, primal, gap, error : ndarray of shape (runs, epochs)
        CPU seconds of the updates so far; the objective, its duality gap and the test error.
    optimum : float
        A lower bound on the objective.
    """

    seconds: np.ndarray
    primal: np.ndarray
    gap: np.ndarray
    error: np.ndarray
    optimum: float

    @property
    def excess(self) -> np.ndarray:
        """The objective above its lower bound, as a share of that."""
        return self.primal / self.optimum - 1


Traces = dict[str, dict[str, CellCurves]]  # by features and solver


def traced(context: Context, name: str, rows: Rows, signs: Rows, runs: int) -> dict[str, CellCurves]:
    """Run the three solvers `runs` times on the same rows, and measure every epoch.

    Parameters
    ----------
    context : Context
    name : str
        Of the features.
    rows, signs : (ndarray, ndarray)
        To train on, to test on.
    runs : int
    """

    def compute() -> dict[str, np.ndarray]:
        solvers = models()
        total = runs * sum(model.max_iter for model in solvers.values())
        with context.stage(f"run on {name}", total=total) as advance:
            found = compare(
                solvers,
                rows[0],
                signs[0],
                runs=runs,
                X_test=rows[1],
                y_test=signs[1],
                n_jobs=context.threads,
                random_state=context.seed,
                progress=by_steps(advance),
            )
        return {"table": found.table, "optimum": np.float64(found.optimum[SDCA_LABEL])}

    key = {"rows": rows, "signs": signs, "runs": runs, "seed": context.seed, "solvers": parameters()}
    part = context.part(f"runs-{name.replace(' ', '-')}", compute, **key)
    found = {}
    for label in SOLVERS:
        lines = part["table"][part["table"]["solver"] == label].reshape(runs, -1)
        found[label] = CellCurves(*(lines[each] for each in CellCurves._fields[:-1]), float(part["optimum"]))
    return found


class CellErrors(NamedTuple):
    """Test errors over several splits.

    Attributes
    ----------
    values : ndarray of shape (n_splits, n_features, n_solvers)
        In the order of `FEATURES` and `SOLVERS`.
    sizes : (float, float)
        Rows to train on and to test on, on average.
    """

    values: np.ndarray
    sizes: tuple[float, float]

    def of(self, feature: str, solver: str = SDCA_LABEL) -> np.ndarray:
        """Return the error of one solver on each split."""
        return self.values[:, FEATURES.index(feature), SOLVERS.index(solver)]


def random_splits(crops: Crops, n: int, seed: int) -> list[Rows]:
    """Split crops at random `n` times, whatever they are copies of; rows are in random order."""
    return [random_split(len(crops.signs), TEST, seed + k, crops.signs) for k in range(n)]


def grouped_splits(crops: Crops, seed: int) -> list[Rows]:
    """Split crops into folds that no original's copies share; rows to train on are in random order.

    There are none where a class has fewer originals than folds.
    """
    if any(len(np.unique(crops.groups[crops.signs == sign])) < FOLDS for sign in (-1, 1)):
        return []
    random = np.random.RandomState(seed)
    folds = grouped_folds(crops.signs, crops.groups, FOLDS, seed)
    return [(random.permutation(train), test) for train, test in folds]


def errors(context: Context, name: str, images: Images, splits: Sequence[Rows]) -> CellErrors:
    """Train the three solvers on all features of each split, once."""
    signs = images.crops.signs

    def compute() -> dict[str, np.ndarray]:
        values = []
        with context.stage(f"errors of {name}", total=len(splits)) as advance:
            for train, test in splits:
                known = signs[train], signs[test]
                features = images.features(train, test)
                values.append([_last_errors(rows, known, context.seed) for _, rows in features])
                advance()
        return {"values": np.array(values)}

    key = {"pixels": images.crops.pixels, "splits": [list(rows) for rows in splits], "seed": context.seed}
    part = context.part(f"errors-{name.replace(' ', '-')}", compute, **key, solvers=parameters())
    sizes = np.mean([[len(train), len(test)] for train, test in splits], axis=0)
    return CellErrors(part["values"], (float(sizes[0]), float(sizes[1])))


def _last_errors(rows: Rows, signs: Rows, seed: int) -> list[float]:
    """Return the test error of each solver's last iterate."""
    fitted = (model.set_params(random_state=seed).fit(rows[0], signs[0]) for model in models().values())
    return [float(np.mean(model.predict(rows[1]) != signs[1])) for model in fitted]


def spectrum(context: Context, images: Images) -> np.ndarray:
    """Return the largest singular values of the centred crops to train on."""
    train, _ = random_splits(images.crops, 1, context.seed)[0]
    k = min(SINGULAR, len(train) - 1)
    key = {"pixels": images.crops.pixels, "train": train, "k": k}
    values = context.part(
        "singular-values", lambda: {"values": singular_values(images.products, train, k)}, **key
    )
    return values["values"]


def measured(context: Context, images: Images, runs: int) -> tuple[Traces, CellErrors, CellErrors | None]:
    """Run the solvers `runs` times on one random split, and once on each of several.

    Returns
    -------
    traces : dict of str to dict of str to CellCurves
        By features and solver.
    at_random, grouped : CellErrors
        Over random splits, and over folds that share no original; None where there are too few originals.
    """
    crops = images.crops
    random = random_splits(crops, QUICK_SPLITS if context.quick else SPLITS, context.seed)
    train, test = random[0]
    signs = crops.signs[train], crops.signs[test]
    traces = {name: traced(context, name, rows, signs, runs) for name, rows in images.features(train, test)}
    folds = grouped_splits(crops, context.seed)
    at_random = errors(context, "random splits", images, random)
    return traces, at_random, errors(context, "grouped folds", images, folds) if folds else None
