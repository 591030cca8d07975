"""What is run: curves on each set, the grids of lambda and theta, and table 2 over draws of the rows."""

from collections.abc import Collection
from dataclasses import asdict, dataclass

import numpy as np

from fastsvm._utils.thread_pool import Threads
from fastsvm.fitting import SDCA
from fastsvm_apps.studies.race import compare

from ....common.progress import by_steps
from ...race.cost_to_level import TOLERANCE, cost_to_level
from ...race.given_orders import run_given_order
from ...report.study_report import Arrays, Context
from . import rate_experiments
from .document_solvers import (
    ASDCA_NAME,
    MINI_BATCH,
    PEGASOS,
    PROJECTIONS,
    VANILLA,
    Model,
    Models,
    asdca_by_theta,
    eight,
    four,
)
from .solver_sets import LONG, SIMULATED, WIDE, DataSet, all_sets, simulated

LAMBDAS = 10.0, 1.0, 0.1, 0.01, 0.001  # the document's
PAPER, ASDCA_PAPER = "paper", "ASDCA, the paper's theta"
BATCHES = 1, 2, 8, 32
BATCH_EPOCHS = {SIMULATED: 5, "long-standardised": 2}  # of batches of 1; as many steps of all others
STEP_EPOCHS, LONG_STEPS = 10, 50_000  # of what the document measures at every step; the steps between others
THETAS = 0.001, 0.003, 0.01, 0.03, 0.1, 0.3
LEAST_GAP = 1e-7  # relative gap to which P* is known, and so the least excess that tells anything
OUTPUTS = "last", "tail", "random"
DRAWS, QUICK_DRAWS = 50, 12
CURVE_RUNS = 9  # the interval of a median then leaves out the lowest and the highest
ENOUGH_RUNS = 6  # the fewest that a median has an interval of
FIELDS = "visits", "steps", "seconds", "primal", "gap", "error"


@dataclass(frozen=True)
class Curves:
    """Runs of several algorithms on one set, measured after each epoch.

    Attributes
    ----------
    of : dict of str to dict of str to ndarray of shape (n_runs, n_epochs)
        By algorithm, then by field: "visits" and "steps" from the start, CPU "seconds" of the updates,
        hinge objective ("primal"), "gap", "error" on the test rows.
    optimum : float
        The least objective, P*.
    """

    of: dict[str, dict[str, np.ndarray]]
    optimum: float

    def excess(self, name: str) -> np.ndarray:
        """Return how far an algorithm's objectives are above the least one, as a share of that."""
        known = self.of[name]
        return known["excess"] if "excess" in known else known["primal"] / self.optimum - 1


def curves(
    data: DataSet, models: Models, context: Context, part: str, runs: int, loss: str = "hinge"
) -> Curves:
    """Run algorithms, or take what an earlier run kept of them.

    Parameters
    ----------
    data : DataSet
    models : dict
    context : Context
    part : str
        Names what is kept.
    runs : int
    loss : str, default="hinge"
        That of the objective which is measured.
    """

    def compute() -> dict[str, np.ndarray]:
        total = runs * sum(model.max_iter for model in models.values())
        with context.stage(part, total) as advance:
            how = {"n_jobs": context.threads, "random_state": context.seed, "progress": by_steps(advance)}
            tested = {"X_test": data.X_test, "y_test": data.y_test}
            found = compare(models, data.X, data.y, runs=runs, loss=loss, **tested, **how)
        [optimum] = set(found.optimum.values())
        return {"table": found.table, "optimum": np.array(optimum)}

    settings = {name: _model_settings(model) for name, model in models.items()}
    arrays = {"X": data.X, "y": data.y, "X_test": data.X_test}
    kept = context.part(part, compute, runs=runs, seed=context.seed, settings=settings, loss=loss, **arrays)
    return Curves(_by_solver(kept["table"]), float(kept["optimum"]))


def general(data: DataSet, context: Context, runs: int) -> Curves:
    """All eight algorithms with lambda = 1/n; on long sets those without projection, as in the document."""
    models = eight(data.alpha, data.batch, data.epochs)
    if data.kind == LONG:
        models = {name: model for name, model in models.items() if name not in PROJECTIONS.values()}
    return curves(data, models, context, f"curves-{data.name}", runs)


def lambda_grid(data: DataSet, context: Context, runs: int) -> dict[float, Curves]:
    """The four algorithms with each lambda of the document."""
    return {
        alpha: curves(
            data, four(alpha, data.batch, data.epochs), context, f"lambda-{data.name}-{alpha:g}", runs
        )
        for alpha in LAMBDAS
    }


def theta_grid(data: DataSet, context: Context, runs: int) -> Curves:
    """ASDCA with the paper's theta, and with others, by the objective that it minimises."""
    thetas = {PAPER: "paper"} | {f"{theta:g}": theta for theta in THETAS}
    models = asdca_by_theta(thetas, data.alpha, data.batch, data.epochs)
    return curves(data, models, context, f"theta-{data.name}", runs, "smooth_hinge")


def best_theta(grid: Curves) -> str:
    """Return the theta whose median run is the first to come to `TOLERANCE` for good, or ends the lowest."""
    known = {label: np.median(grid.excess(label), axis=0, keepdims=True) for label in grid.of}
    epochs = {
        label: cost_to_level(e, grid.of[label]["visits"][:1], TOLERANCE)[0] for label, e in known.items()
    }
    return min(known, key=lambda label: (epochs[label], known[label][0, -1]))


def judged_curves(general: Curves, grid: Curves) -> Curves:
    """Return curves in which ASDCA, with its best theta and with the paper's, is above its own optimum."""
    own = {ASDCA_NAME: best_theta(grid), ASDCA_PAPER: PAPER}
    asdca = {name: grid.of[label] | {"excess": grid.excess(label)} for name, label in own.items()}
    return Curves(general.of | asdca, general.optimum)


def batch_grid(data: DataSet, context: Context, runs: int) -> dict[str, Curves]:
    """ASDCA and mini-batch Pegasos with several batches, for as many steps; each by its own objective."""
    epochs = BATCH_EPOCHS[data.name]
    models = {size: eight(data.alpha, size, epochs * size) for size in BATCHES}
    return {
        name: curves(data, {str(size): models[size][name] for size in BATCHES}, context,
                     f"batches-{data.name}-{loss}", runs, loss)
        for name, loss in ((ASDCA_NAME, "smooth_hinge"), (MINI_BATCH, "hinge"))
    }  # fmt: skip


def step_histories(data: DataSet, context: Context) -> dict[str, np.ndarray]:
    """Return the hinge objective of the four algorithms by steps: every one, on long sets every 50,000.

    Each has (points,) values, of one run, as in the document; "every" says how many steps apart.
    """
    every = min(LONG_STEPS, len(data.y)) if data.kind == LONG else 1
    points = (data.epochs if data.kind == LONG else STEP_EPOCHS) * len(data.y) // every
    methods = {VANILLA: "SDCA", PEGASOS: "Pegasos", ASDCA_NAME: "ASDCA", MINI_BATCH: "Pegasos"}
    batches = dict.fromkeys((ASDCA_NAME, MINI_BATCH), data.batch)

    def hinge_objective(w: np.ndarray, intercept: float) -> float:
        return data.alpha / 2 * (w @ w) + np.maximum(0, 1 - data.y * (data.X @ w)).mean()

    def compute() -> dict[str, np.ndarray]:
        found = {"every": np.array(every)}
        with context.stage(f"steps-{data.name}", len(methods)) as advance:
            for name, method in methods.items():
                batch = batches.get(name, 1)
                rows = np.random.default_rng(context.seed).integers(len(data.y), size=(points, every * batch))
                options = {"score": hinge_objective} | ({"batch_size": batch} if batch > 1 else {})
                run = run_given_order(method, data.X, data.y, data.alpha, rows, **options)
                found[name] = np.array([line.score for line in run.history])
                advance()
        return found

    return context.part(f"steps-{data.name}", compute, X=data.X, y=data.y, every=every, points=points,
                        seed=context.seed)  # fmt: skip


@dataclass(frozen=True)
class Draws:
    """What the algorithms of table 2 returned on many draws of the simulated rows.

    Attributes
    ----------
    names : list of str
        Algorithms, in the order of table 2.
    accuracy, distance, excess : ndarray of shape (n_draws, n_algorithms, n_outputs)
        On the test rows; of the coefficients' direction from that of beta, as a length between unit vectors;
        of the hinge objective above the least one, as a share of that. Outputs as in `OUTPUTS`; NaN where an
        algorithm has none.
    beta_accuracy : ndarray of shape (n_draws,)
        That of the true coefficients.
    coef : ndarray of shape (n_draws, n_algorithms, n_outputs, n_features)
    beta : ndarray of shape (n_draws, n_features)
    """

    names: list[str]
    accuracy: np.ndarray
    distance: np.ndarray
    excess: np.ndarray
    beta_accuracy: np.ndarray
    coef: np.ndarray
    beta: np.ndarray


def draws(context: Context, n: int) -> Draws:
    """Fit all algorithms with each output on `n` draws of the simulated rows."""

    def compute() -> dict[str, np.ndarray]:
        seeds = range(context.seed, context.seed + n)
        found = []
        with context.stage("table 2", n) as advance, Threads(context.threads) as pool:
            for one in pool.map(_one_draw, seeds):
                found.append(one)
                advance()
        return {key: np.array([one[key] for one in found]) for key in found[0]}

    names = list(eight(1.0, 1, 1))
    return Draws(names, **context.part("table-2", compute, draws=n, seed=context.seed))


def _one_draw(seed: int) -> dict[str, np.ndarray]:
    """Return scores and coefficients of all algorithms and outputs on one draw."""
    data = simulated(seed)
    coef = np.array([_fitted_coefficients(data, output, seed) for output in OUTPUTS]).swapaxes(0, 1)
    best = SDCA("hinge", alpha=data.alpha, tol=LEAST_GAP, fit_intercept=False).fit(data.X, data.y)
    margins = data.y[:, None, None] * np.einsum("ij,klj->ikl", data.X, coef)
    objective = data.alpha / 2 * (coef**2).sum(axis=-1) + np.maximum(0, 1 - margins).mean(axis=0)
    return {
        "accuracy": _test_accuracy(data, coef),
        "excess": objective / (best.objective_ - best.dual_gap_) - 1,
        "distance": np.linalg.norm(directions(coef) - directions(data.beta), axis=-1),
        "beta_accuracy": _test_accuracy(data, data.beta),
        "coef": coef,
        "beta": data.beta,
    }


def _fitted_coefficients(data: DataSet, output: str, seed: int) -> list[np.ndarray]:
    """Return what each algorithm returns, fitted with a seed; NaN where it has no such output."""
    none = np.full(data.X.shape[1], np.nan)
    models = eight(data.alpha, data.batch, data.epochs, output)
    fitted = {name: model.set_params(random_state=seed).fit(data.X, data.y) for name, model in models.items()}
    return [fitted[name].coef_.ravel() if name in fitted else none for name in eight(1.0, 1, 1)]


def _test_accuracy(data: DataSet, coef: np.ndarray) -> np.ndarray:
    """Return the share of test rows on the right side; the last axis of `coef` is that of the features."""
    margins = data.y_test * np.tensordot(coef, data.X_test, (-1, -1))
    return np.where(np.isnan(margins[..., 0]), np.nan, (margins > 0).mean(axis=-1))


def directions(coef: np.ndarray) -> np.ndarray:
    """Return vectors of length 1: the last axis is that of the features."""
    return coef / np.linalg.norm(coef, axis=-1, keepdims=True)


def _by_solver(table: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    """Return a table of `compare` as arrays of a row for each run."""
    return {
        name: {key: rows[key].reshape(-1, rows["epoch"].max()) for key in FIELDS}
        for name in dict.fromkeys(table["solver"].tolist())
        for rows in [np.sort(table[table["solver"] == name], order=["run", "epoch"])]
    }


def _model_settings(model: Model) -> dict[str, object]:
    return {name: value for name, value in asdict(model).items() if value is not None}


@dataclass(frozen=True)
class Results:
    """All that was run.

    Attributes
    ----------
    words : str
        What the sets are.
    sets : list of DataSet
    absent : dict of str to str
        Why there is no set of a kind.
    curves : dict of str to Curves
        By the name of the set.
    lambdas : dict of str to dict of float to Curves
        Of the wide sets.
    thetas : dict of str to Curves
        ASDCA by its own objective.
    batches : dict of str to dict of str to Curves
        By the title of the set and by algorithm.
    steps : dict of str to dict of str to ndarray
        The objective by steps.
    rates, stops : dict of str to ndarray
        Of `rate_experiments`.
    draws : Draws
    """

    words: str
    sets: list[DataSet]
    absent: dict[str, str]
    curves: dict[str, Curves]
    lambdas: dict[str, dict[float, Curves]]
    thetas: dict[str, Curves]
    batches: dict[str, dict[str, Curves]]
    steps: dict[str, dict[str, np.ndarray]]
    rates: Arrays
    stops: Arrays
    draws: Draws

    def of(self, kinds: Collection[str]) -> list[tuple[str, Curves]]:
        """Return titles and curves of the sets of some kinds, ASDCA by its own optimum."""
        return [
            (data.title, judged_curves(self.curves[data.name], self.thetas[data.name]))
            for data in self.sets
            if data.kind in kinds
        ]


def curve_runs(context: Context) -> int:
    """Return how often each curve is run."""
    return min(context.runs or CURVE_RUNS, ENOUGH_RUNS if context.quick else CURVE_RUNS)


def grid_runs(context: Context) -> int:
    """Return how often each point of a grid is run."""
    return min(context.runs or ENOUGH_RUNS, ENOUGH_RUNS)


def run_all(context: Context) -> Results:
    """Run everything, or take what is kept of an earlier run."""
    sets, absent, words = all_sets(context)
    grid = grid_runs(context)
    wide = [data for data in sets if data.kind == WIDE]
    return Results(
        words,
        sets,
        absent,
        {data.name: general(data, context, curve_runs(context)) for data in sets},
        {data.name: lambda_grid(data, context, grid) for data in wide},
        {data.name: theta_grid(data, context, curve_runs(context)) for data in sets},
        {data.title: batch_grid(data, context, grid) for data in sets if data.name in BATCH_EPOCHS},
        {data.name: step_histories(data, context) for data in sets},
        rate_experiments.rates(context),
        rate_experiments.random_stops(context),
        draws(context, context.runs or (QUICK_DRAWS if context.quick else DRAWS)),
    )
