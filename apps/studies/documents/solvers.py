"""The study of "Distributed and stochastic optimisation": SDCA, ASDCA and Pegasos side by side."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, product

import numpy as np

from fastsvm.fitting import ASDCA, SDCA, Pegasos

from ..data.solver_sets import BETA_ACCURACY, EVERY, SIMULATED, SKIN, WIDE, DataSet, all_sets, simulated
from ..race.kept_races import NEAR, add_race, cost_ratio, cost_to, excess, plain_sdca
from ..report import charts
from ..report.charts import BLUE, GREEN, LOG_LOG, PURPLE, VERMILION
from ..report.study import Advance, Arrays, Context, Figure, Findings, Key, Measured, Runs, Table, array_hash
from ..report.verdicts import Found, Statistic, exactly, mean, median, of_a_draw, share

TITLE = "SDCA, ASDCA and Pegasos: which converges faster"
DOCUMENT = (
    "S. Ouillade and S. Vengathesa Sarma, Distributed and stochastic optimisation for machine learning, 2017"
)

# The four of figures 1 to 3.
VANILLA, PEGASOS, ASDCA_NAME, MINI_BATCH = FOUR = "SDCA random", "Pegasos", "ASDCA", "mini-batch Pegasos"
PERMUTATION, CYCLIC = "SDCA permutation", "SDCA cyclic"
ORDERS = VANILLA, PERMUTATION, CYCLIC
PROJECTED, MINI_BATCH_PROJECTED = "Pegasos projected", "mini-batch projected"
PROJECTIONS = {PEGASOS: PROJECTED, MINI_BATCH: MINI_BATCH_PROJECTED}
EIGHT = (*ORDERS, PEGASOS, PROJECTED, ASDCA_NAME, MINI_BATCH, MINI_BATCH_PROJECTED)  # of table 2

RUNS = {SIMULATED: 25, WIDE: 25, SKIN: 9}
FEW_RUNS = 6  # of projections and lambdas, and of all with --quick
LONGER = 2  # times as many epochs of SDCA, when its orders are compared
BY_EYE, HALF_WAY = 0.25, 0.5  # of P*: where a curve of figures 1 to 3 has come down
PARTS = 1024  # of the first epoch, at most
STEP_EPOCHS = 10  # of runs measured at every step, or `STEP_POINTS` times per epoch if it has more
STEP_POINTS = 200
LAMBDAS = 10.0, 1.0, 0.1, 0.01, 0.001  # the document's
BATCHES, BATCH_STEPS, BATCH_POINTS, BATCH_THETA = (1, 2, 8, 32), 1500, 50, 0.03
ROWS = 250, 1000, 4000, 16_000  # of the steps to an excess of epsilon, on simulated rows
ALPHAS = 0.1, 0.01, 0.001
EPSILONS = 0.1, 0.03, 0.01, 0.003  # of P itself
STEP_COUNTS = tuple(int(steps) for steps in 2 ** np.arange(5, 18.5, 0.5) // 2 * 2)
ROW_DRAWS, QUICK_ROW_DRAWS, SEEDS = 6, 2, 3  # of rows; of the steps on each
STOPS, STOP_STEPS, STOP_BATCH, DELTA = 200, 10_000, 8, 0.05
CLOSER = (0.1, 0.05, 0.01)  # of P*
DRAWS, QUICK_DRAWS, DRAW_EPOCHS = 50, 12, 50  # of the simulated rows, for table 2
FEWER = {20: "test 20 epochs", 5: "test 5 epochs"}
LAST, TAIL, RANDOM = AVERAGING = "last", "tail", "random"
# The document's table 2: accuracy of the last and of the averaged output, in the order of `EIGHT`.
TABLE_2 = np.array(
    [(0.863, 0.872), (0.881, 0.875), (0.872, 0.875), (0.866, 0.863),
     (0.860, 0.869), (0.869, 0.875), (0.881, 0.866), (0.872, 0.878)]
)  # fmt: skip

Models = dict[str, SDCA | Pegasos | ASDCA]


# What is measured


def measure(context: Context) -> Measured:
    """Run all experiments, in the order of the document."""
    runs, sets = Runs(), all_sets(context.data, context.seed, context.quick)
    repeats = dict.fromkeys(sets, FEW_RUNS) | ({} if context.quick else RUNS)
    repeats |= dict.fromkeys(sets, context.runs) if context.runs else {}
    add_rates(runs, context)
    add_stops(runs, context)
    for name, data in sets.items():
        race_four(runs, context, data, repeats[name])
    for name in (SIMULATED, SKIN) if SKIN in sets else (SIMULATED,):
        race_batches(runs, context, sets[name], repeats[name])
    for name in [name for name in sets if name != SIMULATED]:
        race_orders(runs, context, sets[name], repeats[name])
    add_draws(runs, context)
    if WIDE in sets:
        race_projections(runs, context, sets[WIDE], FEW_RUNS)
        race_lambdas(runs, context, sets[WIDE], FEW_RUNS)
    for each in sets.values():
        shape = {"epoch": each.epochs, "steps": len(each.y), "visits": each.batch, "value": [each.X.shape[1]]}
        runs.add("sets", each.name, **shape)
    shapes = ", ".join("{} ({:,} x {:,})".format(each.name, *each.X.shape) for each in sets.values())
    data = f"Rows simulated as in the document; prostate in place of its genomic rows: {shapes}."
    originals = [words for name, words in ((WIDE, "wide rows"), (SKIN, "skin")) if name in sets]
    settings = {"lambda": "1/n", "intercept": "none", "theta of ASDCA": "the paper's"}
    curves = f"{min(repeats.values())} to {max(repeats.values())}"
    settings |= {"runs of each curve": curves, "epochs of table 2": DRAW_EPOCHS}
    hashes = {each.name: array_hash(each.X, each.y) for each in sets.values()}
    return Measured(data, originals, settings, hashes, runs)


def eight_algorithms(
    alpha: float, batch: int, epochs: int, averaging: str = LAST, batch_epochs: int = 0
) -> Models:
    """Return the eight algorithms of table 2 by name, without intercepts.

    Parameters
    ----------
    alpha : float
    batch : int
        Rows in a batch of ASDCA and of mini-batch Pegasos, drawn anew for each step.
    epochs : int
        Epochs of the algorithms that process one row per step.
    averaging : {"last", "tail", "random"}, default="last"
        The returned iterate: the last one, the mean of the last half, or a random one of that half, which
        ASDCA does not support; then it is left out.
    batch_epochs : int, default=0
        Epochs of the algorithms with batches; 0: for the same number of steps.
    """
    common = {"alpha": alpha, "fit_intercept": False, "averaging": averaging}
    single = {"order": "random", "max_iter": epochs, **common}
    batches = {"order": "batches", "batch_size": batch, "max_iter": batch_epochs or epochs * batch, **common}
    output = {} if averaging == LAST else {"averaging": averaging, "average_from": None}
    orders = {"random": VANILLA, "permutation": PERMUTATION, "cyclic": CYCLIC}
    asdca = {} if averaging == RANDOM else {ASDCA_NAME: ASDCA("smooth_hinge", tol=None, **batches)}
    return {
        **{name: plain_sdca(alpha, epochs, order=order, **output) for order, name in orders.items()},
        PEGASOS: Pegasos("hinge", **single),
        PROJECTED: Pegasos("hinge", project=True, **single),
        **asdca,
        MINI_BATCH: Pegasos("hinge", **batches),
        MINI_BATCH_PROJECTED: Pegasos("hinge", project=True, **batches),
    }


def chosen(models: Models, names: Iterable[str]) -> Models:
    """Return some of the algorithms."""
    return {name: models[name] for name in names}


# Sections 2.3, 2.4 and 3.3: numbers of steps


def given_order(kind: type, X, y, alpha: float, order: np.ndarray, **options):
    """Return SDCA or Pegasos, fitted on rows in a given order; each line of it is an epoch."""
    exact = {"solver": "coordinate", "tol": None} if kind is SDCA else {}
    shape = {"order": order, "max_iter": len(order), "fit_intercept": False}
    return kind("hinge", alpha=alpha, **shape, **exact, **options).fit(X, y)


def averaged_run(kind: type, X, y, alpha: float, steps: int, seed: int):
    """Draw rows at random, and return the model of the average of the last half of the steps."""
    order = np.random.default_rng(seed).integers(len(y), size=(2, -(-steps // 2)))
    return given_order(kind, X, y, alpha, order, averaging=TAIL)


def proven_steps(n: int, alpha: float, epsilon: float) -> int:
    """Return the T of section 2.4, for rows of norm at most 1 and L = 1."""
    first = max(0, int(np.ceil(n * np.log(max(0.5 * alpha * n, 1)))))
    return int(np.ceil(first + n + 5 / (alpha * epsilon)))


def least_objective(X, y, alpha: float) -> float:
    """Return the lowest hinge objective."""
    best = SDCA("hinge", alpha=alpha, tol=1e-6, max_iter=10_000, fit_intercept=False).fit(X, y)
    return best.objective_ - best.dual_gap_


def steps_needed(above: np.ndarray) -> np.ndarray:
    """Return the first of `STEP_COUNTS` from which an excess stays within each of `EPSILONS`, or inf."""
    counts = [len(above) - int(np.argmax((above > epsilon)[::-1])) for epsilon in EPSILONS]
    inside = [above.max() <= epsilon for epsilon in EPSILONS]
    return np.append(STEP_COUNTS, np.inf)[np.where(inside, 0, counts)]


def add_rates(runs: Runs, context: Context) -> None:
    """Measure steps until the mean excess stays below epsilon, and the gap of SDCA after `proven_steps`."""
    draws = QUICK_ROW_DRAWS if context.quick else ROW_DRAWS
    cells = [*product(ROWS, ALPHAS)]

    def measure_cell(place):
        draw, (rows, alpha) = place
        X, y, _ = simulated(context.seed + draw, rows)
        least = least_objective(X, y, alpha)
        objectives = [
            [[averaged_run(kind, X, y, alpha, steps, seed).objective_ for steps in STEP_COUNTS]
             for seed in range(SEEDS)]
            for kind in (Pegasos, SDCA)
        ]  # fmt: skip
        short = X / np.linalg.norm(X, axis=1).max()
        gaps = [averaged_run(SDCA, short, y, alpha, proven_steps(rows, alpha, epsilon), 0).dual_gap_
                for epsilon in EPSILONS]  # fmt: skip
        return [steps_needed(each - least) for each in np.mean(objectives, axis=1)], gaps

    def compute(advance: Advance) -> Arrays:
        found = context.in_threads(measure_cell, [*product(range(draws), cells)], advance)
        shape = draws, len(cells)
        needed, gaps = (np.reshape([one[k] for one in found], (*shape, -1)) for k in range(2))
        return {"needed": needed, "gaps": gaps}

    key = {"rows": ROWS, "alphas": ALPHAS, "epsilons": EPSILONS, "steps": STEP_COUNTS}
    kept = context.part("rates", compute, total=draws * len(cells), draws=draws, seed=context.seed, **key)
    for k, (rows, alpha) in enumerate(cells):
        data, setting = f"n {rows}", f"lambda {alpha:g}"
        needed = kept["needed"][:, k].reshape(draws, 2, -1)
        for m, name in enumerate((PEGASOS, VANILLA)):
            runs.add("steps to epsilon", data, name, setting, value=[EPSILONS], steps=needed[:, m])
        proven = {"value": [EPSILONS], "gap": kept["gaps"][:, k]}
        runs.add("gap after the proven steps", data, VANILLA, setting, **proven)


def add_stops(runs: Runs, context: Context) -> None:
    """Stop mini-batch Pegasos at random steps on simulated rows; `value` is the bound of section 3.3."""
    X, y, _ = simulated(context.seed)
    alpha = 1 / len(y)

    def compute(advance: Advance) -> Arrays:
        rng, objectives = np.random.default_rng(context.seed), []
        for steps in rng.integers(1, STOP_STEPS + 1, size=STOPS):
            order = rng.integers(len(y), size=(1, steps * STOP_BATCH))
            objectives.append(given_order(Pegasos, X, y, alpha, order, batch_size=STOP_BATCH).objective_)
            advance()
        return {"primal": np.array(objectives), "optimum": np.array(least_objective(X, y, alpha))}

    kept = context.part("stops", compute, total=STOPS, stops=STOPS, steps=STOP_STEPS, seed=context.seed)
    c = 4 * np.linalg.norm(X, axis=1).max() ** 2
    bound = 42 * c * np.log(STOP_STEPS / DELTA) / (alpha * STOP_STEPS)
    runs.add("stops", SIMULATED, MINI_BATCH, value=bound, **kept)


# Section 4.2 and 4.3: figures 1 to 5


def race_four(runs: Runs, context: Context, data: DataSet, repeats: int) -> None:
    """Run the four algorithms; measure some runs at every step, as the document does."""
    models = chosen(eight_algorithms(data.alpha, data.batch, data.epochs), FOUR)
    inside = {"parts": min(PARTS, len(data.y)), "every": None if data.every == 1 else data.every}
    if data.every == 1:
        few = chosen(eight_algorithms(data.alpha, data.batch, STEP_EPOCHS), FOUR)
        draws = repeats if data.name == SIMULATED else 1  # of the rows
        how = {"loss": "hinge", "every": -(-len(data.y) // STEP_POINTS), "repeats": repeats // draws}
        for draw in range(draws):
            own, of_draw = replace(context, seed=context.seed + draw), f"draw {draw}"
            X, y = simulated(own.seed)[:2] if draws > 1 else (data.X, data.y)
            add_race(runs, own, "every step", data.name, few, (X, y, None, None), setting=of_draw, **how)
    add_race(runs, context, "curves", data.name, models, data.rows, repeats=repeats, loss="hinge", **inside)


def race_orders(runs: Runs, context: Context, data: DataSet, repeats: int) -> None:
    """Run SDCA in three orders."""
    models = chosen(eight_algorithms(data.alpha, 1, data.epochs * LONGER), ORDERS)
    every = data.every if data.every > 1 else len(data.y) // 10
    add_race(runs, context, "orders", data.name, models, data.rows, repeats=repeats, every=every)


def race_batches(runs: Runs, context: Context, data: DataSet, repeats: int) -> None:
    """Run the same number of steps with each batch size, each algorithm by its own objective."""
    epochs = max(2, BATCH_STEPS // len(data.y))
    how = {"repeats": repeats, "every": epochs * len(data.y) // BATCH_POINTS}
    for size in BATCHES:
        models = eight_algorithms(data.alpha, size, epochs)
        asdca, rows = models[ASDCA_NAME].get_params(), data.rows
        same = ASDCA(**asdca | {"theta": BATCH_THETA})
        both = {ASDCA_NAME: models[ASDCA_NAME], f"{ASDCA_NAME}, theta {BATCH_THETA:g}": same}
        for part, some in ("batches", chosen(models, [MINI_BATCH])), ("batches of ASDCA", both):
            add_race(runs, context, part, data.name, some, rows, setting=f"batch {size}", **how)


# Section 4.4: averaging, table 2 and figure 7


def add_draws(runs: Runs, context: Context) -> None:
    """Fit all algorithms with each output on many draws of the simulated rows."""
    n = context.runs or (QUICK_DRAWS if context.quick else DRAWS)

    def compute(epochs: int, advance: Advance) -> Arrays:
        fit, seeds = partial(fit_draw, epochs=epochs), range(context.seed, context.seed + n)
        found = context.in_threads(fit, seeds, advance)
        return {key: np.array([one[key] for one in found]) for key in found[0]}

    for epochs, test in {DRAW_EPOCHS: "test", **FEWER}.items():
        part, run = f"table-2{test[4:]}", partial(compute, epochs)
        kept = context.part(part, run, total=n, draws=n, seed=context.seed)
        runs.add("accuracy", test, "beta", value=kept["accuracy of beta"])
        for (k, name), (m, output) in product(enumerate(EIGHT), enumerate(AVERAGING)):
            if np.isfinite(kept["coef"][0, k, m]).all():
                for experiment in "accuracy", "distance to beta", "distance of directions":
                    runs.add(experiment, test, name, output, value=kept[experiment][:, k, m])
                if epochs == DRAW_EPOCHS:
                    runs.add("coefficients", "first draw", name, output, value=kept["coef"][:1, k, m])
        for plain, other in PROJECTIONS.items():
            pair = kept["coef"][:, [EIGHT.index(plain), EIGHT.index(other)], AVERAGING.index(LAST)]
            apart = np.linalg.norm(np.diff(pair, axis=1)[:, 0], axis=-1)
            runs.add("distance to projected", test, plain, value=apart)
    runs.add("coefficients", "first draw", "beta", value=kept["beta"][:1])


def fit_draw(seed: int, epochs: int = DRAW_EPOCHS) -> Arrays:
    """Return accuracies, and directions of the coefficients with their distances, on one draw."""
    X, y, beta = simulated(seed)
    n = 2 * len(y) // 3
    none, fitted = np.full(X.shape[1], np.nan), {}
    for output in AVERAGING:
        for name, model in eight_algorithms(1 / n, 8, epochs, output, epochs).items():
            fitted[name, output] = model.set_params(random_state=seed).fit(X[:n], y[:n]).coef_[0]
    coef = np.array([[fitted.get((name, output), none) for output in AVERAGING] for name in EIGHT])
    unit, true = coef / np.linalg.norm(coef, axis=-1, keepdims=True), beta / np.linalg.norm(beta)
    return {
        "accuracy": (y[n:] * (unit @ X[n:].T) > 0).mean(axis=-1),
        "accuracy of beta": (y[n:] * (X[n:] @ true) > 0).mean(),
        "distance to beta": np.linalg.norm(coef - beta, axis=-1),
        "distance of directions": np.linalg.norm(unit - true, axis=-1),
        "coef": unit,
        "beta": true,
    }


# Sections 4.5 and 4.6: figure 6, figures 8 to 11


def race_projections(runs: Runs, context: Context, data: DataSet, repeats: int) -> None:
    """Run Pegasos with and without projection, measured at every step."""
    models = eight_algorithms(data.alpha, data.batch, STEP_EPOCHS)
    models = chosen(models, [name for pair in PROJECTIONS.items() for name in pair])
    add_race(runs, context, "projection", data.name, models, data.rows, repeats=repeats, every=1)


def race_lambdas(runs: Runs, context: Context, data: DataSet, repeats: int) -> None:
    """Run the four algorithms with each lambda."""
    for alpha in LAMBDAS:
        four = chosen(eight_algorithms(alpha, data.batch, STEP_EPOCHS), FOUR)
        common = {"setting": f"lambda {alpha:g}", "repeats": repeats, "loss": "hinge", "parts": len(data.y)}
        add_race(runs, context, "lambda", data.name, four, data.rows, **common)


# What is made of it

COSTS = {"steps": "steps", "visits": "rows visited", "seconds": "CPU seconds"}
FILES = {WIDE: "prostate.npz", SKIN: "skin.tsv.gz"}
ABSENT = {name: f"{file} is not in the folder of data." for name, file in FILES.items()}


def findings(measured: Measured) -> Findings:
    """Judge the claims, in the order of the document, and draw."""
    runs = measured.runs
    present = [key.data for key in runs.select("sets")]
    found = {
        **rate_findings(runs),
        **speed_findings(runs, present),
        **order_findings(runs, present),
        **batch_findings(runs, present),
        **output_findings(runs),
        **wide_findings(runs, present),
    }
    return Findings(found, solver_figures(runs, present), [set_table(runs), accuracy_table(runs)])


def ratios(
    races: Mapping[Key, Arrays],
    pairs: Iterable[tuple[str, str]],
    cost: str = "steps",
    level: float = BY_EYE,
    *,
    for_good: bool = False,
) -> dict[str, Statistic]:
    """Return how many times as much the first of each pair needs as the second, if one gets there."""
    of = {key.solver: race for key, race in races.items()}
    [data], found = {key.data for key in races}, {}
    sight = f"{COSTS[cost]} {'to stay' if for_good else 'until'} within {100 * level:g} % of P*"
    for first, second in pairs:
        ends = [np.median(cost_to(of[each], cost, level, for_good=for_good)) for each in (first, second)]
        if {*ends} == {np.median(of[each][cost][:, 0]) for each in (first, second)} and len({*ends}) == 1:
            continue  # both are there at the first look
        if ratio := cost_ratio(of[first], of[second], cost, level, for_good=for_good):
            found[f"{data}, {first} / {second}, {sight}"] = ratio
    return found


def speed_found(runs: Runs, present: Collection[str], main: str, pairs: Sequence[tuple[str, str]]) -> Found:
    """Judge by figures 1 to 3: the step at which a curve first comes down to `BY_EYE`.

    It is searched where the document measured. Wider: half-way, for good, and by other costs.
    """
    if main not in present:
        return Found(ABSENT[main])
    races = runs.select("curves", main)
    wider = {
        **ratios(as_measured_there(runs, main), pairs, level=HALF_WAY),
        **ratios(races, pairs, for_good=True),
        **ratios(races, pairs, "visits"),
        **ratios(races, pairs, "seconds"),
    }
    theirs = ratios(as_measured_there(runs, main), pairs)
    alike = f"both are within {100 * BY_EYE:g} % of P* when the document first looks, or neither ever is."
    return Found(theirs or f"The two cannot be told apart: {alike}", wider)


def as_measured_there(runs: Runs, data: str) -> dict[Key, Arrays]:
    """Return runs at the document's points: every step, of all draws, and on skin every 50,000th step."""
    found: dict[Key, list[Arrays]] = {}
    for key, race in runs.select("every step", data).items():
        found.setdefault(key._replace(setting=""), []).append(race)
    if found:
        return {
            key: {name: np.concatenate([race[name] for race in races]) for name in races[0]}
            for key, races in found.items()
        }
    return {
        key: {name: values[:, race["steps"][0] >= EVERY] for name, values in race.items()}
        for key, race in runs.select("curves", data).items()
    }


def pairs_of(name: str, slower: bool = False) -> list[tuple[str, str]]:
    """Return the pairs of an algorithm and each of the other three, the one claimed to be slower first."""
    return [(name, other) if slower else (other, name) for other in FOUR if other != name]


def speed_findings(runs: Runs, present: Collection[str]) -> dict[str, Found]:
    """Judge the claims on figures 1 to 3, and the document's conclusions from them."""
    judged = {
        "pegasos-slowest-simulated": (SIMULATED, pairs_of(PEGASOS, slower=True)),
        "pegasos-slowest-wide": (WIDE, pairs_of(PEGASOS, slower=True)),
        "pegasos-slowest-skin": (SKIN, pairs_of(PEGASOS, slower=True)),
        "mini-batch-fastest": (WIDE, pairs_of(MINI_BATCH)),
        "sdca-asdca-simulated": (SIMULATED, [(MINI_BATCH, VANILLA), (MINI_BATCH, ASDCA_NAME)]),
        "sdca-asdca-skin": (SKIN, [(MINI_BATCH, VANILLA), (MINI_BATCH, ASDCA_NAME)]),
        "asdca-fastest": (SIMULATED, pairs_of(ASDCA_NAME)),
        "sdca-follows": (SIMULATED, [(VANILLA, ASDCA_NAME)]),
        "same-rate": (SKIN, [(ASDCA_NAME, VANILLA)]),
    }
    found = {name: speed_found(runs, present, *each) for name, each in judged.items()}
    sets = [data for data in (SIMULATED, WIDE, SKIN) if data in present]
    plain, batches = [(PEGASOS, VANILLA)], [(VANILLA, ASDCA_NAME), (PEGASOS, MINI_BATCH)]
    always, overall, wider = {}, {}, {}
    for data in sets:
        races, steps = runs.select("curves", data), as_measured_there(runs, data)
        always |= ratios(races, plain, level=NEAR, for_good=True)
        theirs = batches[data == WIDE :][:1]  # ASDCA where there are more rows than columns
        overall |= ratios(steps, theirs)
        wider |= ratios(steps, [pair for pair in batches if pair not in theirs])
        wider |= ratios(races, batches, "visits")
    return found | {"sdca-always-faster": Found(always), "mini-batches-better": Found(overall, wider)}


def order_findings(runs: Runs, present: Collection[str]) -> dict[str, Found]:
    """Judge the claims on figures 4 and 5: when an order of SDCA is within a level of P* for good."""

    def orders(main: str, pairs: Sequence[tuple[str, str]]) -> Found:
        if main not in present:
            return Found(ABSENT[main])
        near, races = partial(ratios, pairs=pairs, level=NEAR, for_good=True), runs.select("orders", main)
        # On wide rows the figure shows the whole descent, on skin only the end.
        return Found(near(races)) if main == SKIN else Found(near(races, level=BY_EYE), near(races))

    pairs = [(PERMUTATION, VANILLA), (CYCLIC, VANILLA), (CYCLIC, PERMUTATION)]
    varies = Found(ABSENT[SKIN])
    if SKIN in present:
        varied = [total_variation(runs["orders", SKIN, name, ""]) for name in (PERMUTATION, VANILLA)]
        varies = Found({"": median(varied[0] / varied[1])})
    return {
        "permutation-slowest": orders(WIDE, [(PERMUTATION, VANILLA), (PERMUTATION, CYCLIC)]),
        "orders-alike": orders(WIDE, pairs),
        "cyclic-slower": orders(SKIN, pairs[1:]),
        "permutation-as-fast": orders(SKIN, pairs[:1]),
        "permutation-varies": varies,
        "random-is-good": orders(SKIN, [(VANILLA, PERMUTATION), (VANILLA, CYCLIC)]),
    }


def total_variation(race: Arrays) -> np.ndarray:
    """Return the total variation of the objective of each run."""
    return np.abs(np.diff(race["primal"], axis=1)).sum(axis=1)


def wide_findings(runs: Runs, present: Collection[str]) -> dict[str, Found]:
    """Judge the claims on figure 6 and figures 8 to 11."""
    names = "projection-same-speed", "projection-smoother", "lambda-faster", "lambda-final"
    if WIDE not in present:
        return dict.fromkeys(names, Found(ABSENT[WIDE]))
    speed, smooth = ({plain: {} for plain in PROJECTIONS} for _ in range(2))
    faster, final = {}, {}
    for plain, other in PROJECTIONS.items():
        one, two = (runs["projection", WIDE, name, ""] for name in (plain, other))
        for level in BY_EYE, NEAR:
            if ratio := cost_ratio(two, one, "steps", level):
                speed[plain][f"{plain}, steps to stay within {100 * level:g} % of P*"] = ratio
        smooth[plain][plain] = median(total_variation(two) / total_variation(one))
    for name, (large, small) in product(FOUR, pairwise(LAMBDAS)):
        more, less = (runs["lambda", WIDE, name, f"lambda {alpha:g}"] for alpha in (large, small))
        if ratio := cost_ratio(less, more, "steps"):
            faster[f"{name}, lambda {small:g} / lambda {large:g}"] = ratio
        end = median(more["primal"][:, -1] / less["primal"][:, -1])
        final[f"{name}, lambda {large:g} / lambda {small:g}"] = end
    return {
        "projection-same-speed": Found(*speed.values()),  # plain Pegasos, as in figure 6; wider: mini-batches
        "projection-smoother": Found(*smooth.values()),
        "lambda-faster": Found(faster),
        "lambda-final": Found(final),
    }


def batch_findings(runs: Runs, present: Collection[str]) -> dict[str, Found]:
    """Judge the claims on the batch size, on skin; wider: with one theta for all, and simulated."""
    same = f"{ASDCA_NAME}, theta {BATCH_THETA:g}"
    solvers = {MINI_BATCH: "batches", same: "batches of ASDCA", ASDCA_NAME: "batches of ASDCA"}

    def end(data: str, name: str, size: int, field: str) -> np.ndarray:
        race = runs[solvers[name], data, name, f"batch {size}"]
        return (excess(race) if field == "excess" else race[field])[:, -1]

    def steps(data: str, names: Iterable[str], field: str, sizes=BATCHES) -> dict[str, Statistic]:
        return {
            f"{data}, {name}, batch {more} / batch {less}": median(
                end(data, name, more, field) / end(data, name, less, field)
            )
            for name, (less, more) in product(names, pairwise(sizes))
        }

    def spread(data: str, names: Iterable[str]) -> dict[str, Statistic]:
        found = {}
        for name in names:
            best, *_, worst = sorted((end(data, name, size, "excess") for size in BATCHES), key=np.median)
            found[f"{data}, {name}"] = median(worst / best)
        return found

    def on_skin(field: str) -> Found:
        wider = steps(SIMULATED, solvers, field)
        if SKIN not in present:
            return Found(ABSENT[SKIN], wider)
        theirs = steps(SKIN, (MINI_BATCH, ASDCA_NAME), field, BATCHES[1:])
        return Found(theirs, steps(SKIN, [same], field) | wider)

    wider = spread(SKIN, solvers) if SKIN in present else {}
    return {
        "batch-better": on_skin("excess"),
        "batch-costs": on_skin("seconds"),
        "batch-matters": Found(spread(SIMULATED, (MINI_BATCH, same)), wider),
    }


def log_steps(runs: Runs, name: str) -> np.ndarray:
    """Return logarithms of the steps to epsilon, of shape (draws, rows, alphas, epsilons)."""
    steps = [
        [runs["steps to epsilon", f"n {n}", name, f"lambda {alpha:g}"]["steps"] for alpha in ALPHAS]
        for n in ROWS
    ]
    return np.log(np.minimum(np.moveaxis(steps, 2, 0), 2 * STEP_COUNTS[-1]))


def powers(log: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """Return least-squares powers of some quantities, all given as logarithms."""
    columns = np.column_stack([*(np.ravel(each) for each in of), np.ones(log.size)])
    return np.linalg.lstsq(columns, log.ravel(), rcond=None)[0][:-1]


def rate_findings(runs: Runs) -> dict[str, Found]:
    """Judge the claims on numbers of steps."""
    pegasos, sdca = log_steps(runs, PEGASOS), log_steps(runs, VANILLA)
    grid = np.meshgrid(np.log(ROWS), -np.log(ALPHAS), -np.log(EPSILONS), indexing="ij")
    of_pegasos = np.array([powers(draw, *grid) for draw in pegasos])
    both = np.log(np.array(ROWS)[:, None, None] + 1 / np.multiply.outer(ALPHAS, EPSILONS))
    many, precise = sdca[:, -1, 0] - pegasos[:, -1, 0], pegasos[:, 0, -1, -1] - sdca[:, 0, -1, -1]
    gaps = {
        f"n {n:,}, lambda {alpha:g}, epsilon {epsilon:g}": mean(
            runs["gap after the proven steps", f"n {n}", VANILLA, f"lambda {alpha:g}"]["gap"][:, k] / epsilon
        )
        for n, alpha in product(ROWS, ALPHAS) for k, epsilon in enumerate(EPSILONS)
    }  # fmt: skip
    stops = runs["stops", SIMULATED, MINI_BATCH, ""]
    above = stops["primal"][:, 0] - stops["optimum"][:, 0]
    bounded = above <= stops["value"][:, 0]
    found = {
        "pegasos-rate": {
            "power of 1/lambda": mean(of_pegasos[:, 1]),
            "power of 1/epsilon": mean(of_pegasos[:, 2]),
        },
        "pegasos-any-n": {"power of n": mean(of_pegasos[:, 0])},
        "sdca-rate": {"power of n + 1/(lambda epsilon)": mean(np.array([powers(d, both)[0] for d in sdca]))},
        "many-rows-strong-lambda": {
            f"epsilon {epsilon:g}": Statistic(*np.exp(mean(many[:, k]))) for k, epsilon in enumerate(EPSILONS)
        },
        "accurate-weak-lambda": {"": Statistic(*np.exp(mean(precise)))},
        "proven-steps": gaps,
        "random-stop": {"": share(bounded)},
        "two-attempts": {"": share(bounded.reshape(-1, 2).any(axis=1))},
    }
    closer = {}
    for level in CLOSER:
        within = (above <= level * stops["optimum"][:, 0]).reshape(-1, 2).any(axis=1)
        closer[f"within {100 * level:g} %"] = share(within)
    wider = {"two-attempts": closer}
    return {name: Found(cases, wider.get(name, {})) for name, cases in found.items()}


def output_cases(runs: Runs, test: str) -> dict[str, dict[str, Statistic]]:
    """Return the findings on averaging, and on the output of the projection."""

    def of(experiment: str, name: str, output: str) -> np.ndarray:
        return runs[experiment, test, name, output]["value"][:, 0]

    def closer(experiment: str, name: str) -> Statistic:
        return median(of(experiment, name, TAIL) / of(experiment, name, LAST))

    return {
        "averaging-accuracy": {
            name: mean(of("accuracy", name, TAIL) - of("accuracy", name, LAST)) for name in EIGHT
        },
        "averaging-beta": {name: closer("distance to beta", name) for name in EIGHT},
        "directions": {name: closer("distance of directions", name) for name in EIGHT},
        "projection-accuracy": {
            plain: mean(of("accuracy", other, TAIL) - of("accuracy", plain, TAIL))
            for plain, other in PROJECTIONS.items()
        },
        "projection-coefficients": {
            plain: median(of("distance to projected", plain, "")) for plain in PROJECTIONS
        },
        "accuracies-around-beta": {
            f"{name}, {output}": mean(of("accuracy", name, output) - of("accuracy", "beta", ""))
            for name in EIGHT for output in (LAST, TAIL)
        },
    }  # fmt: skip


def output_findings(runs: Runs) -> dict[str, Found]:
    """Judge the claims on averaging, the projection and table 2; wider: after fewer epochs."""
    inside, found = 0, output_cases(runs, "test")
    for m, output in enumerate((LAST, TAIL)):
        for theirs, values in zip(TABLE_2[:, m] - BETA_ACCURACY, beta_differences(runs, output), strict=True):
            draw = of_a_draw(values)
            inside += draw.low <= theirs <= draw.high
    wider = {name: {} for name in found}
    for epochs, test in FEWER.items():
        for name, cases in output_cases(runs, test).items():
            wider[name] |= {f"{where}, {epochs} epochs": s for where, s in cases.items()}
    wider["averaging-beta"] |= {f"{where}, direction": s for where, s in found.pop("directions").items()}
    judged = {name: Found(cases, wider[name]) for name, cases in found.items()}
    return judged | {"table-2-again": Found({"": exactly(float(inside))})}


# Figures and tables

COLORS = BLUE, VERMILION, GREEN, VERMILION, BLUE, GREEN, PURPLE, GREEN
STYLES = dict(zip(EIGHT, zip(COLORS, ("-", "-", "-", "--", "-", "-.", ":", "-"), strict=True), strict=True))
LEAST_EXCESS = 1e-5  # of P*, below which nothing is drawn
MARKERS = {LAST: "o", TAIL: "s", RANDOM: "^"}
# Titles of figure 7, and the first words of the algorithms in each panel.
FAMILIES = {"SDCA": "SDCA", "Pegasos": "Pegasos", "ASDCA": "ASDCA", "Mini-batch Pegasos": "mini-batch"}


def solver_figures(runs: Runs, present: Collection[str]) -> list[Figure]:
    """Return the figures, in the order of the document."""

    def two_panels(name: str, data: str, names: Sequence[str]) -> list[Figure]:
        draw = partial(draw_objective_and_excess, runs=runs, data=data, names=names)
        return [Figure(name, draw, (10.5, 4.4), subject=data)] if data in present else []

    wide = [
        Figure("projection", partial(draw_projection, runs=runs), (10.5, 4.2)),
        Figure("lambda", partial(draw_lambdas, runs=runs), (11.0, 5.8)),
    ]
    return [
        Figure("rates", partial(draw_rates, runs=runs), (10.5, 4.4)),
        *two_panels("four-simulated", SIMULATED, FOUR),
        *two_panels("four-wide", WIDE, FOUR),
        *two_panels("four-skin", SKIN, FOUR),
        Figure("batches", partial(draw_batches, runs=runs, present=present), (10.5, 4.2)),
        *two_panels("orders-wide", WIDE, ORDERS),
        *two_panels("orders-skin", SKIN, ORDERS),
        Figure("coefficients", partial(draw_coefficients, runs=runs), (10.5, 6.4)),
        Figure("table-2", partial(draw_table_2, runs=runs), (9.5, 4.6)),
        *(wide if WIDE in present else []),
    ]


def draw_objective_and_excess(sheet, runs: Runs, data: str, names: Sequence[str]) -> None:
    """Draw the document's own figure, the objective of one run by steps; beside it medians of the excess."""
    own, fuller = sheet.subplots(1, 2)
    fuller_of = "orders" if PERMUTATION in names else "curves"
    steps = as_measured_there(runs, data) if ASDCA_NAME in names else runs.select("orders", data)
    for name in names:
        color, line = STYLES[name]
        race = next(race for key, race in steps.items() if key.solver == name)
        places = np.argsort(race["steps"][0])
        own.plot(race["steps"][0, places], race["primal"][0, places], line, color=color, linewidth=1)
        draw_excess(fuller, runs[fuller_of, data, name, ""], color, name, line)
    level, optimum = NEAR if fuller_of == "orders" and data == SKIN else BY_EYE, race["optimum"][0, 0]
    for ax, place, words in (own, optimum, "P*"), (fuller, level, f"{100 * level:g} %"):
        ax.axhline(place, color="black", linestyle=":", linewidth=1)
        ax.annotate(words, (1, place), (4, 0), ("axes fraction", "data"), "offset points")
    own.set(**LOG_LOG, xlabel="steps", ylabel="objective P", title="The document's: one run")
    charts.name_band(fuller)
    handles = fuller.get_legend_handles_labels()
    sheet.legend(*handles, loc="outside lower center", ncols=len(names) + 1)


def draw_excess(ax, race: Arrays, color, label: str, line: str = "-", cost: str = "steps") -> None:
    """Draw the median excess of runs by their cost, in a band."""
    above = charts.median_band(np.maximum(excess(race), LEAST_EXCESS))
    charts.draw_band(ax, np.median(race[cost], axis=0), above, color, label, line)
    ax.set(**LOG_LOG, xlabel="steps", ylabel="(P - P*) / P*", title="The median of all runs")


def draw_projection(sheet, runs: Runs) -> None:
    """Draw one run with and one without projection, at every step."""
    for ax, pair in zip(sheet.subplots(1, 2, sharey=True), PROJECTIONS.items(), strict=True):
        for name, label, color in zip(pair, ("plain", "projected"), (VERMILION, BLUE), strict=True):
            race = runs["projection", WIDE, name, ""]
            variation = np.median(total_variation(race))
            ax.plot(race["steps"][0], race["primal"][0], color=color, linewidth=1,
                    label=f"{label}, up and down by {variation:.3g} in all")  # fmt: skip
        ax.axhline(race["optimum"][0, 0], color="black", linestyle=":", linewidth=1, label="P*")
        ax.set(**LOG_LOG, xlabel="steps", ylabel="objective P", title=pair[0])
        ax.legend()


def draw_lambdas(sheet, runs: Runs) -> None:
    """Draw the objective and its excess for each lambda."""
    above, below = sheet.subplots(2, len(FOUR), sharex=True, sharey="row")
    for objective, gap, name in zip(above, below, FOUR, strict=True):
        for k, alpha in enumerate(LAMBDAS):
            label, color = f"lambda {alpha:g}", charts.viridis_color(k, len(LAMBDAS))
            race, line = runs["lambda", WIDE, name, label], "--" if k == 1 else "-"  # it lies on the first
            steps, band = np.median(race["steps"], axis=0), charts.median_band(race["primal"])
            charts.draw_band(objective, steps, band, color, label, line)
            draw_excess(gap, race, color, "", line)
        gap.axhline(NEAR, color="black", linestyle=":", linewidth=1)
        gap.set(title="")
        objective.set(**LOG_LOG, ylabel="objective P", title=name)
    charts.name_band(above[0], "80 % of runs")
    charts.legend_below(sheet, len(LAMBDAS) + 1)


def draw_batches(sheet, runs: Runs, present: Collection[str]) -> None:
    """Draw the excess by steps for each batch size."""
    same = f"{ASDCA_NAME}, theta {BATCH_THETA:g}"
    shown = [("batches", SIMULATED, MINI_BATCH), ("batches of ASDCA", SIMULATED, same)]
    shown += [("batches", SKIN, MINI_BATCH)] if SKIN in present else []
    for ax, (experiment, data, name) in zip(sheet.subplots(1, len(shown), sharey=True), shown, strict=True):
        for k, size in enumerate(BATCHES):
            race = runs[experiment, data, name, f"batch {size}"]
            draw_excess(ax, race, charts.viridis_color(k, len(BATCHES)), f"batch {size}")
        ax.set(title=f"{name}\n{data}")
    charts.name_band(sheet.axes[0])
    charts.legend_below(sheet, len(BATCHES) + 1)


def draw_rates(sheet, runs: Runs) -> None:
    """Draw the steps to two epsilons by the number of rows."""
    found = {PEGASOS: log_steps(runs, PEGASOS), "SDCA": log_steps(runs, VANILLA)}
    for a, ax in enumerate(sheet.subplots(1, len(ALPHAS), sharey=True)):
        for (name, log), color in zip(found.items(), (VERMILION, BLUE), strict=True):
            for e, line in ((0, "o-"), (len(EPSILONS) - 1, "s--")):
                steps = np.exp(charts.mean_band(log[:, :, a, e].T))
                charts.draw_band(ax, ROWS, steps, color, f"{name}, epsilon {EPSILONS[e]:g}", line)
        ax.plot(ROWS, ROWS, ":", color="0.5", label="n")
        ax.set(**LOG_LOG, xlabel="rows n", ylabel="steps", title=f"lambda {ALPHAS[a]:g}")
    charts.legend_below(sheet, 5)


def draw_coefficients(sheet, runs: Runs) -> None:
    """Draw figure 7: the coefficients of each algorithm on one draw, and the true beta."""
    unit = {key[2:]: fields["value"][0] for key, fields in runs.select("coefficients").items()}
    beta = unit.pop(("beta", ""))
    places, words = np.arange(1, 1 + len(beta)), {LAST: "last", TAIL: "averaged", RANDOM: "one at random"}
    axes = sheet.subplots(2, 2, sharex=True, sharey=True).flat
    for ax, (title, start) in zip(axes, FAMILIES.items(), strict=True):
        ax.bar(places, beta, color="0.88", label="beta")
        own = {key: weights for key, weights in unit.items() if key[0].startswith(start)}
        for k, ((name, output), weights) in enumerate(own.items()):
            color = STYLES[name][0] if title == "SDCA" else VERMILION if "projected" in name else BLUE
            x = places + 0.8 * ((k + 0.5) / len(own) - 0.5)
            ax.plot(x, weights, MARKERS[output], color=color, fillstyle="none")
        ax.axhline(0, color="0.5")
        ax.set(title=title, xlabel="feature", ylabel="coefficient (length 1)", xticks=places)
    known = {"SDCA random, others plain": BLUE, "permutation, projected": VERMILION, "cyclic": GREEN}
    for label, color in known.items():
        axes[0].plot([], [], "-", color=color, linewidth=4, label=label)
    for output, label in words.items():
        axes[0].plot([], [], MARKERS[output], color="black", label=label, fillstyle="none")
    charts.legend_below(sheet, 7)


def beta_differences(runs: Runs, output: str) -> list[np.ndarray]:
    """Return the accuracies of the eight algorithms minus the accuracy of beta, one per draw."""
    beta = runs["accuracy", "test", "beta", ""]["value"][:, 0]
    return [runs["accuracy", "test", name, output]["value"][:, 0] - beta for name in EIGHT]


def draw_table_2(sheet, runs: Runs) -> None:
    """Draw accuracies as differences from the accuracy of beta."""
    panels = enumerate((LAST, TAIL))
    for ax, (m, output) in zip(sheet.subplots(1, 2, sharex=True, sharey=True), panels, strict=True):
        found, rows = beta_differences(runs, output), range(len(EIGHT))
        ax.hlines(rows, *np.quantile(found, (0.025, 0.975), axis=1), color=BLUE, label="95 % of single draws",
                  alpha=0.35)  # fmt: skip
        values, *ends = np.transpose([mean(each) for each in found])
        ax.hlines(rows, *ends, color=BLUE)
        ax.plot(values, rows, "o", color=BLUE, label=f"mean of {len(found[0])} draws, 95 %")
        ax.plot(TABLE_2[:, m] - BETA_ACCURACY, rows, "x", color=VERMILION, label="document, one draw")
        ax.axvline(0, color="0.6")
        ax.set(yticks=rows, yticklabels=EIGHT, ylim=(len(EIGHT) - 0.5, -0.5))
        ax.set(xlabel="accuracy - accuracy of beta", title=("last", "averaged")[m] + " output")
    charts.legend_below(sheet, 3)


def set_table(runs: Runs) -> Table:
    """Return table 1."""
    header = "set", "rows", "features", "lambda", "batch", "epochs (one row per step)"
    rows = [
        [key.data, *(int(each[name][0, 0]) for name in ("steps", "value")), 1 / each["steps"][0, 0],
         *(int(each[name][0, 0]) for name in ("visits", "epoch"))]
        for key, each in runs.select("sets").items()
    ]  # fmt: skip
    return Table("sets", header, rows)


def accuracy_table(runs: Runs) -> Table:
    """Return table 2."""
    rows = []
    for k, name in enumerate(EIGHT):
        row: list[object] = [name]
        for m, output in enumerate((LAST, TAIL)):
            accuracy = runs["accuracy", "test", name, output]["value"].mean()
            difference = mean(beta_differences(runs, output)[k])
            row += [accuracy, difference, TABLE_2[k, m], TABLE_2[k, m] - BETA_ACCURACY]
        rows.append(row)
    parts = "accuracy", "minus beta's", "document", "document minus beta's"
    header = "algorithm", *parts, *(f"averaged: {part}" for part in parts)
    return Table("accuracy", header, rows, "difference")
