"""The study of "SDCA vs. Pegasos for linear SVM fitting": lymphocytes against neutrophils."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from time import thread_time

import numpy as np

from fastsvm._utils.threads import one_blas_thread
from fastsvm.fitting import SDCA, Pegasos

from ...cells.data.image_reader import ImageFile
from ...cells.finding.document_crop import SIZE, locate_report
from ...cells.output.cell_drawing import contact_sheet, encoded, steps_sheet
from ...common.folds import Split
from ..data.cell_crops import FOLDS, Crops, crop_by_six_steps, digest, drawn_smears, photographs
from ..data.public_sets import public_set_at_hand
from ..race.kept_races import add_race, cost_ratio, plain_sdca
from ..report import charts
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.study import Advance, Arrays, Context, Figure, Findings, Measured, Runs, array_hash
from ..report.verdicts import ALIKE, Found, Statistic, mean, median

TITLE = "White blood cells: SDCA against Pegasos"
DOCUMENT = "D. Bouche and C. Verluise, SDCA vs. Pegasos for linear SVM fitting, applied to blood cells (2018)"

ALPHA, EPOCHS, BATCH, COMPONENTS, SINGULAR_VALUES = 1.6, 10, 100, 40, 1000  # the document's
PEGASOS_EPOCHS = 25  # after ten it has not converged
RUNS, QUICK_RUNS = 100, 10
PYTHON_RUNS, QUICK_PYTHON_RUNS = 20, 6  # of the document's Python
SPLITS, QUICK_SPLITS = 10, 5  # random ones; the first has the curves
QUICK_PHOTOGRAPHS = 80
PARTS = 32  # of the first epoch, after which compiled solvers are measured on components
LAMBDAS = ALPHA, 0.1, 0.01, 1e-4, 1 / 245_057  # for many rows, those of skin; the last is 1/n
SKIN_RUNS, SKIN_PARTS, QUICK_ROWS = 7, 128, 20_000
COSTS = {"visits": "rows visited", "seconds": "CPU time"}
PART, SHOWN = 500, 8  # images whose crops are kept in one file; images of each class on a sheet

SDCA_NAME, STARTED, PEGASOS = SOLVERS = "SDCA", "SDCA, SGD start", "Pegasos"
RAW, PLAIN = FEATURES = "raw", "PCA"
PYTHON, COMPILED = "Python", "compiled"  # experiments: the code that runs the epochs
RANDOM, GROUPED = "random splits", "folds that share no original"  # experiments: how rows were split
DRAWN, PHOTOGRAPHS = "drawn smears", "photographs"


# What is measured


def measure(context: Context) -> Measured:
    """Run the three solvers on crops and their components, and two of them on many rows."""
    files = photographs(context.data)
    crops = cropped(context, drawn_smears()).turned()
    runs, pictures = Runs(), {DRAWN: shown_images(crops)}
    if files:
        step = len(files) // QUICK_PHOTOGRAPHS or 1 if context.quick else 1
        crops = cropped(context, files[::step])
        pictures[PHOTOGRAPHS] = shown_images(crops)
    data = f"Crops of {PHOTOGRAPHS if files else DRAWN}: {crops.counts()}."
    add_solvers(runs, context, crops)
    add_spectrum(runs, context, crops)
    add_many_rows(runs, context)
    originals = [f"all {PHOTOGRAPHS}"] if files and not context.quick else []
    settings = {"lambda": ALPHA, "epochs": f"{EPOCHS}, Pegasos {PEGASOS_EPOCHS}", "batch of Pegasos": BATCH}
    hashes = {"crops": array_hash(crops.pixels, crops.signs)}
    return Measured(data, originals, settings, hashes, runs, pictures)


def cropped(context: Context, files: list[ImageFile]) -> Crops:
    """Crop cells; crops of an earlier run are read from its files."""
    parts = []
    for first in range(0, len(files), PART):
        some = files[first : first + PART]
        compute = partial(crop_by_six_steps, some, context.threads)
        parts.append(context.part("crops", compute, total=len(some), files=[*map(digest, some)]))
    found, pixels = (np.concatenate([part[name] for part in parts]) for name in ("found", "pixels"))
    return Crops([file for file, is_found in zip(files, found, strict=True) if is_found], pixels)


def models() -> dict[str, SDCA | Pegasos]:
    """Return the document's three solvers; each runs all its epochs."""
    return {
        SDCA_NAME: plain_sdca(ALPHA, EPOCHS),
        STARTED: SDCA(alpha=ALPHA, max_iter=EPOCHS, tol=None, sgd_init=True, fit_intercept=False),
        PEGASOS: Pegasos(alpha=ALPHA, max_iter=PEGASOS_EPOCHS, batch_size=BATCH, fit_intercept=False),
    }


def features(pixels: np.ndarray, train: np.ndarray, test: np.ndarray) -> Iterator[tuple[str, Split]]:
    """Yield the training and test data of solvers, one by one, because they are large."""
    raw = [pixels[rows] * np.float32(1 / 255) for rows in (train, test)]
    yield RAW, raw
    pca = fitted_components(raw[0])
    yield PLAIN, [pca.transform(part).astype(float) for part in raw]


def fitted_components(rows: np.ndarray):
    """Return a fitted PCA with the document's 40 components."""
    from sklearn.decomposition import PCA

    return PCA(min(COMPONENTS, len(rows) - 1), random_state=0).fit(rows)


def add_solvers(runs: Runs, context: Context, crops: Crops) -> None:
    """Run the three solvers on one random split, measured as they go, and once on each of several."""
    repeats = context.runs or (QUICK_RUNS if context.quick else RUNS)
    in_python = min(repeats, QUICK_PYTHON_RUNS if context.quick else PYTHON_RUNS)
    random = crops.random_splits(QUICK_SPLITS if context.quick else SPLITS, context.seed)
    train, test = random[0]
    y, y_test = crops.signs[train], crops.signs[test]
    for name, (X, X_test) in features(crops.pixels, train, test):
        how = {"repeats": repeats, "parts": 1 if name == RAW else PARTS}
        add_race(runs, context, COMPILED, name, models(), (X, y, X_test, y_test), **how)
        optimum = runs[COMPILED, name, PEGASOS, ""]["optimum"][0, 0]
        compute = partial(python_runs, X, y, in_python, context.seed)
        key = {"X": X, "y": y, "runs": in_python, "seed": context.seed}
        found = context.part(f"Python-{name}", compute, total=in_python * len(SOLVERS), **key)
        for solver in SOLVERS:
            fields = dict(zip(("visits", "seconds", "primal"), found[solver], strict=True))
            epoch = fields["visits"] / len(y)
            runs.add(PYTHON, name, solver, epoch=epoch, optimum=optimum, **fields)
    add_errors(runs, context, RANDOM, crops, random)
    add_errors(runs, context, GROUPED, crops, crops.grouped_splits(context.seed))


def add_errors(runs: Runs, context: Context, of: str, crops: Crops, splits: list[Split]) -> None:
    """Train SDCA on each split, once; a run is a split."""

    def compute(advance: Advance) -> Arrays:
        errors = []
        for train, test in splits:
            model = plain_sdca(ALPHA, EPOCHS, random_state=context.seed)
            rows = features(crops.pixels, train, test)
            given = [model.fit(X, crops.signs[train]).predict(X_test) for _, (X, X_test) in rows]
            errors.append([np.mean(each != crops.signs[test]) for each in given])
            advance()
        return {"errors": np.array(errors)}

    key = {"pixels": crops.pixels, "splits": [list(rows) for rows in splits], "seed": context.seed}
    errors = context.part(of.replace(" ", "-"), compute, total=len(splits), **key)["errors"]
    for name, column in zip(FEATURES, errors.T, strict=True):
        runs.add(of, name, SDCA_NAME, error=column)


def add_spectrum(runs: Runs, context: Context, crops: Crops) -> None:
    """Add the largest singular values of the centred crops to train on."""
    train, _ = crops.random_splits(1, context.seed)[0]
    rows = crops.pixels[train] * np.float32(1 / 255)
    rows -= rows.mean(axis=0)
    squares = np.linalg.eigvalsh(rows @ rows.T)[::-1][: min(SINGULAR_VALUES, len(train) - 1)]
    runs.add("singular values", value=np.sqrt(np.maximum(squares, 0))[None])


def add_many_rows(runs: Runs, context: Context) -> None:
    """Run Pegasos and SDCA on skin, standardised, with each lambda, if there is skin."""
    found = public_set_at_hand("skin", context.data)
    if found is None:
        return
    X, y = found[0].astype(float), found[1]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if context.quick:
        chosen = np.random.default_rng(context.seed).permutation(len(y))[:QUICK_ROWS]
        X, y = X[chosen], y[chosen]
    how = {"repeats": SKIN_RUNS, "parts": SKIN_PARTS}
    for alpha in LAMBDAS:
        pegasos = Pegasos(alpha=alpha, max_iter=EPOCHS, batch_size=BATCH, fit_intercept=False)
        both = {PEGASOS: pegasos, SDCA_NAME: plain_sdca(alpha, EPOCHS)}
        add_race(runs, context, "many rows", "skin", both, (X, y, None, None), setting=f"{alpha:.2g}", **how)


# The document's algorithms, in Python as in the document


def sdca_steps(X: np.ndarray, y: np.ndarray, random: np.random.Generator, modified: bool) -> Iterator:
    """Run algorithm 1, or algorithm 2 in the first epoch if `modified`; yield w after every 100 rows."""
    n, squares = len(y), np.einsum("ij,ij->i", X, X)
    alpha, w = np.zeros(n), np.zeros(X.shape[1])
    while True:
        for t, i in enumerate(random.permutation(n), 1):
            rate = ALPHA * (t if modified else n)
            x, old = X[i], alpha[i]
            alpha[i] = y[i] * max(0.0, min(1.0, rate * (1 - y[i] * (x @ w)) / squares[i] + old * y[i]))
            if modified:
                w *= (t - 1) / t
            w += (alpha[i] - old) / rate * x
            if t % BATCH == 0 or t == n:
                yield w
        modified = False


def pegasos_steps(X: np.ndarray, y: np.ndarray, random: np.random.Generator) -> Iterator:
    """Run algorithm 3; yield w after every batch."""
    t, w = 0, np.zeros(X.shape[1])
    while True:
        order = random.permutation(len(y))
        for first in range(0, len(y), BATCH):
            rows, t = order[first : first + BATCH], t + 1
            wrong = rows[y[rows] * (X[rows] @ w) < 1]
            w = (1 - 1 / t) * w + y[wrong] @ X[wrong] / (ALPHA * t * len(rows))
            yield w


ALGORITHMS = {
    SDCA_NAME: (partial(sdca_steps, modified=False), EPOCHS),
    STARTED: (partial(sdca_steps, modified=True), EPOCHS),
    PEGASOS: (pegasos_steps, PEGASOS_EPOCHS),
}


def python_runs(X: np.ndarray, y: np.ndarray, repeats: int, seed: int, advance: Advance) -> Arrays:
    """Run each algorithm; measure after every 100 rows of the first epoch, and after every epoch.

    Returns
    -------
    dict
        By solver: rows visited, CPU seconds, and P, of shape (3, repeats, points).
    """
    X, pieces, found = X.astype(float), -(-len(y) // BATCH), {}
    for name, (algorithm, epochs) in ALGORITHMS.items():
        looks = [*range(1, pieces), *range(pieces, epochs * pieces + 1, pieces)]
        visits = np.array([look // pieces * len(y) + look % pieces * BATCH for look in looks])
        found[name] = np.zeros((3, repeats, len(looks)))
        for run in range(repeats):
            steps, iterates, spent = algorithm(X, y, np.random.default_rng(seed + run)), [], []
            with one_blas_thread:
                for _ in range(epochs * pieces):
                    start = thread_time()
                    w = next(steps)
                    spent.append(thread_time() - start)
                    if len(spent) in looks:
                        iterates.append(w.copy())
            seconds = np.cumsum(spent)[np.array(looks) - 1]
            W = np.array(iterates)
            losses = np.maximum(0, 1 - y[:, None] * (X @ W.T)).mean(axis=0)
            found[name][:, run] = visits, seconds, losses + ALPHA / 2 * (W**2).sum(axis=1)
            advance()
    return found


# Images


def shown_images(crops: Crops) -> dict[str, list]:
    """Return some images with their names: originals, crops, crops after the projection, and the steps."""
    _, first = np.unique(crops.originals, return_index=True)
    shown = np.concatenate([first[crops.signs[first] == sign][:SHOWN] for sign in (-1, 1)])
    pixels, names = crops.pixels[shown], [crops.files[k].label.lower() for k in shown]
    pca = fitted_components(crops.pixels * np.float32(1 / 255))
    rebuilt = pca.inverse_transform(pca.transform(pixels * np.float32(1 / 255)))
    originals = [crops.files[k].open().scaled()[0] for k in shown]
    steps = [("image", originals[-1])]
    locate_report(originals[-1], steps)
    tiles = {"originals": originals, "crops": pixels, "rebuilt": 255 * np.clip(rebuilt, 0, 1)}
    for name in "crops", "rebuilt":
        tiles[name] = tiles[name].reshape(-1, SIZE, SIZE).astype(np.uint8)
    return {name: [*zip(each, names, strict=True)] for name, each in tiles.items()} | {"steps": steps}


def draw_images(_, name: str, images: list) -> bytes:
    """Return a sheet of images, or of the steps from one to its crop."""
    return encoded(
        steps_sheet(images) if name == "steps" else contact_sheet(images, columns=len(images) // 2)
    )


# What is made of it


def findings(measured: Measured) -> Findings:
    """Judge the claims, in the order of the document, and draw."""
    runs = measured.runs
    figures = [
        Figure("loss-raw", partial(draw_losses, runs=runs, feature=RAW), WIDE),
        Figure("error-raw", partial(draw_errors, runs=runs, feature=RAW, theirs=26.3), SMALL),
        Figure("gap-raw", partial(draw_gaps, runs=runs), SMALL),
        Figure("loss-pca", partial(draw_losses, runs=runs, feature=PLAIN), WIDE),
        Figure("error-pca", partial(draw_errors, runs=runs, feature=PLAIN, theirs=20.6), SMALL),
        Figure("singular-values", partial(draw_singular_values, runs=runs), SMALL),
    ]
    for of, images in measured.pictures.items():
        for name, tiles in images.items():
            draw, file = partial(draw_images, name=name, images=tiles), f"{name}-{of[:5]}"
            figures.append(Figure(file, draw, words=name, subject=of, shows_data=of == PHOTOGRAPHS))
    return Findings(judged(runs), figures)


def judged(runs: Runs) -> dict[str, Found]:
    """Return the findings on each claim; the document's splits and Python decide."""

    def by_split(feature: str, lowered: bool = False) -> Found:
        def error(how: str, name: str) -> Statistic:
            raw, own = (runs[how, each, SDCA_NAME, ""]["error"][:, 0] for each in (RAW, name))
            return mean(raw - own if lowered else own, 1 / (FOLDS - 1))

        return Found({"": error(RANDOM, feature)}, {GROUPED: error(GROUPED, feature)})

    def by_pair(feature: str, pairs: Sequence, ratio: Callable, rows: Callable | None = None) -> Found:
        ways = [("", ratio, PYTHON, feature), (", compiled", ratio, COMPILED, feature)]
        ways += [(", rows visited", rows, PYTHON, feature)] if rows else []
        document, wider = {}, {}
        for (words, compared, how, name), (one, other) in product(ways, pairs):
            if found := compared(runs[how, name, one, ""], runs[how, name, other, ""]):
                (wider if words else document)[f"{one} / {other}{words}"] = found
        return Found(document or "Too few runs came within 1 % of the optimum.", wider)

    def lower(feature: str, one: str, other: str, epoch: float, how: str = COMPILED) -> Statistic:
        """How much lower the loss of the other is after an epoch, or a part of one, in % of P*."""
        races = [runs[how, feature, solver, ""] for solver in (one, other)]
        losses = [race["primal"][:, (race["epoch"][0] >= epoch).argmax()] for race in races]
        return mean(100 * (losses[0] - losses[1]) / races[0]["optimum"][0, 0])

    def difference(feature: str, one: str, other: str) -> Statistic:
        """The difference of the final test errors."""
        return mean(
            np.subtract(*(runs[COMPILED, feature, each, ""]["error"][:, -1] for each in (one, other)))
        )

    time_to, rows_to = (partial(cost_ratio, cost=cost) for cost in ("seconds", "visits"))
    than_sdca = (PEGASOS, SDCA_NAME), (PEGASOS, STARTED)
    than_pegasos = (SDCA_NAME, PEGASOS), (STARTED, PEGASOS)
    inside = {"half-way through the epoch": lower(RAW, SDCA_NAME, STARTED, 0.5, PYTHON)}
    inside[PLAIN] = lower(PLAIN, SDCA_NAME, STARTED, 1)
    alike = {" and ".join(pair): difference(PLAIN, *pair) for pair in combinations(SOLVERS, 2)}
    return {
        "converges": by_pair(RAW, than_sdca, seen_ratio, partial(seen_ratio, cost="visits")),
        "best-score": Found({"": settling(runs, SDCA_NAME)}),
        "stable-score": Found({"": settling(runs, PEGASOS)}),
        "raw-error": by_split(RAW),
        "sgd-start-loss": Found({"": lower(RAW, SDCA_NAME, STARTED, 1)}, inside),
        "sgd-start-score": Found({"": difference(RAW, SDCA_NAME, STARTED)}),
        "precise": Found({"": lower(RAW, PEGASOS, SDCA_NAME, EPOCHS)}),
        "pca-alike": Found(alike),
        "pca-error": by_split(PLAIN),
        "pca-lowers-error": by_split(PLAIN, lowered=True),
        "pca-epochs": by_pair(PLAIN, than_pegasos, epoch_ratio),
        "pca-better": by_pair(PLAIN, than_pegasos, time_to, rows_to),
        "many-rows": many_rows_found(runs),
    }


def many_rows_found(runs: Runs) -> Found:
    """Return how many times as much SDCA needs as Pegasos on skin; wider: with other lambdas."""
    found: list[dict[str, Statistic]] = [{}, {}]
    if not runs.select("many rows"):
        return Found("skin.tsv.gz is not in the folder of --data, and no other set has as many rows.")
    for alpha, (cost, words) in product(LAMBDAS, COSTS.items()):
        pair = (runs["many rows", "skin", name, f"{alpha:.2g}"] for name in (SDCA_NAME, PEGASOS))
        if ratio := cost_ratio(*pair, cost):
            found[alpha != ALPHA][f"lambda {alpha:.2g}, {words}"] = ratio
    return Found(*found)


def settling(runs: Runs, solver: str) -> Statistic:
    """Return the epoch from which the mean test error is like its last; the interval is by bootstrap."""
    error = runs[COMPILED, RAW, solver, ""]["error"]
    drawn = np.random.default_rng(0).multinomial(len(error), np.full(len(error), 1 / len(error)), 1000)
    means = np.concatenate([error.mean(axis=0)[None], drawn @ error / len(error)])
    away = 100 * np.abs(means - means[:, -1:]) > ALIKE["points"][1] + 1e-9
    epochs = np.where(away.any(axis=1), away.shape[1] - away[:, ::-1].argmax(axis=1), 0) + 1.0
    return Statistic(float(epochs[0]), *np.quantile(epochs[1:], (0.025, 0.975)).tolist())


def seen_ratio(one: Arrays, other: Arrays, cost: str = "seconds") -> Statistic | None:
    """Return how many times as long the first takes to be seen within 1 % of P*, after a whole epoch."""
    ends = [{name: each[:, race["epoch"][0] >= 1] for name, each in race.items()} for race in (one, other)]
    return cost_ratio(*ends, cost, for_good=False)


def epoch_ratio(one: Arrays, other: Arrays) -> Statistic:
    """Return how many times as long an epoch of the first takes."""
    seconds = [race["seconds"][:, -1] / race["epoch"][0, -1] for race in (one, other)]
    return median(seconds[0] / seconds[1])


# Figures

SMALL, WIDE = (5.6, 4.0), (9.6, 4.0)  # inches
STYLES = dict(zip(SOLVERS, ((BLUE, "o-"), (GREEN, "s--"), (VERMILION, "^-")), strict=True))


def draw_solvers(ax, runs: Runs, how: str, feature: str, x: str, y: Callable, epochs=(1, EPOCHS)) -> None:
    """Draw for each solver the mean of y over runs by the median of x, from one epoch to another."""
    for solver in SOLVERS:
        race, (color, line) = runs[how, feature, solver, ""], STYLES[solver]
        shown = (race["epoch"][0] >= epochs[0]) & (race["epoch"][0] <= epochs[1])
        values, spent = y(race)[:, shown], np.median(race[x], axis=0)[shown] * (1e3 if x == "seconds" else 1)
        band = np.stack([values.mean(axis=0), *np.quantile(values, (0.05, 0.95), axis=0)], axis=1)
        charts.draw_band(ax, spent, band, color, solver, line)
    charts.name_band(ax, "90 % of the runs")


def draw_losses(sheet, runs: Runs, feature: str) -> None:
    """Draw losses by CPU time, of the document's Python and of compiled solvers."""
    for ax, how in zip(sheet.subplots(1, 2, sharey=True), (PYTHON, COMPILED), strict=True):
        draw_solvers(ax, runs, how, feature, "seconds", lambda race: race["primal"])
        ax.axhline(runs[how, feature, PEGASOS, ""]["optimum"][0, 0], color="0.4", linestyle=":", label="P*")
        ax.set(xlabel="CPU time of the updates, ms (log scale)", ylabel="loss P", title=f"{feature}, {how}")
        ax.set(xscale="log")
        ax.legend()


def draw_errors(sheet, runs: Runs, feature: str, theirs: float) -> None:
    """Draw test errors by epochs, and the document's as a line."""
    ax = sheet.subplots()
    draw_solvers(ax, runs, COMPILED, feature, "epoch", lambda race: 100 * race["error"])
    ax.axhline(theirs, color="0.4", linestyle=":", label=f"the document's {theirs:g} %")
    ax.set(xlabel="epochs", ylabel="test error, %")
    ax.legend()


def draw_gaps(sheet, runs: Runs) -> None:
    """Draw duality gaps of raw crops by epochs."""
    ax = sheet.subplots()
    draw_solvers(ax, runs, COMPILED, RAW, "epoch", lambda race: np.maximum(race["gap"], 1e-10))
    ax.set(xlabel="epochs", ylabel="duality gap P - D (log scale)", yscale="log")
    ax.legend()


def draw_singular_values(sheet, runs: Runs) -> None:
    """Draw the singular values, largest first."""
    ax, values = sheet.subplots(), runs["singular values", "", "", ""]["value"][0]
    ax.plot(np.arange(1, len(values) + 1), values, color=BLUE)
    ax.axvline(COMPONENTS, color="0.4", linestyle=":", label=f"the {COMPONENTS} kept")
    ax.set(xlabel="number of the component", ylabel="singular value (log scale)", yscale="log")
    ax.legend()
