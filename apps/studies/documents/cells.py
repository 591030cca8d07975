"""The study of "SDCA vs. Pegasos for linear SVM fitting": lymphocytes against neutrophils."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from fastsvm.fitting import SDCA, Pegasos

from ..race.cost_to_level import level_beyond_an_epoch
from ..race.many_rows import judge_many_rows, race_on_many_rows
from ..race.race_curves import Curves, race_curves
from ..report import charts
from ..report import claim_judging as judging
from ..report.charts import BLUE, GREEN, VERMILION
from ..report.claim_judging import Statistic, above, alike, judge, mean, median, over_splits
from ..report.study_report import Advance, Arrays, Claim, Context, Figure, Report, Table
from .cell_crops import COMPONENTS, Crops, Split, cropped, drawn_smears, image_sheets, photographs
from .principal_components import singular_values

RUNS, QUICK_RUNS = 100, 20
ORIGINALS, QUICK_ORIGINALS = 60, 10  # smears of a class that are drawn
QUICK_IMAGES = 200
SPLITS, QUICK_SPLITS = 10, 5  # random ones, of which the first is that of the curves
ALPHA = 1.6
EPOCHS, PEGASOS_EPOCHS = 10, 25
PEGASOS_BATCH = 100
SINGULAR = 1000  # values that are shown

SDCA_LABEL, STARTED, PEGASOS = SOLVERS = "SDCA", "SDCA, SGD start", "Pegasos"
RAW, WHITENED, PLAIN = FEATURES = "raw", "PCA whitened", "PCA plain"

NEAR_SHARE = 0.01  # of P*: what counts as converged
SAME = 0.01  # of the test error: what counts as no difference
ROUGHLY = 0.2  # of a number that is "about" so large
FAR = 2.0  # times: "far faster", "way better"
DRAWS = 1000  # of runs with replacement, for an interval of what has no formula
SLOW = "Some runs did not get to 1 % of the optimum, or to the first tenth of that which one epoch is above."
DRAWN = "The document's number is of its photographs; these images are drawn."
FEW = "There are too few originals for folds that share none."

Traces = dict[str, Curves]  # by features
Errors = tuple[np.ndarray, tuple[float, float]]  # what `split_errors` returns


def run(context: Context) -> Report:
    """Run the study."""
    runs = context.runs or (QUICK_RUNS if context.quick else RUNS)
    files, checked = photographs(context.data)
    with drawn_smears(context, QUICK_ORIGINALS if context.quick or files else ORIGINALS) as drawn:
        crops = cropped(context, drawn)
        sheets = image_sheets(crops, context.seed)
    if files:
        step = len(files) // QUICK_IMAGES or 1 if context.quick else 1
        all_crops = cropped(context, files[::step])
        crops = all_crops.labelled({})
        sheets = [*image_sheets(crops, context.seed, photographs=True), *sheets]
    traces, at_random, grouped = measured(context, crops, runs)
    claims = cell_claims(traces, at_random, grouped, bool(files))
    data = crops.words(bool(files))
    if checked:
        again = all_crops.labelled(checked)
        second = cell_claims(*measured(context, again, runs), True)
        claims = [_beside(*both) for both in zip(claims, second, strict=True)]
        data += f" With labels checked by eye: {again.counts()}."
    race = race_on_many_rows(context, intercept=False, batch_size=PEGASOS_BATCH)
    words = "n >> d: Pegasos performs way better than SDCA (CPU time of SDCA / that of Pegasos)"
    return Report(
        title="White blood cells: SDCA against Pegasos",
        document="D. Bouche and C. Verluise, SDCA vs. Pegasos for linear SVM fitting: applications to blood "
        "cells classification (2018)",
        data=data,
        settings={
            "lambda": ALPHA,
            "epochs": f"{EPOCHS}, Pegasos {PEGASOS_EPOCHS}",
            "batch of Pegasos": PEGASOS_BATCH,
            "components": COMPONENTS,
            "runs": runs,
            "images to train on, to test on": "{:,.0f}, {:,.0f}".format(*at_random[1]),
            "CPU seconds to crop an image": round(crops.seconds, 2),
        },
        claims=[*claims, judge_many_rows(race, words, "conclusions", above(FAR), of_sdca=True)],
        figures=[*solver_curves(traces), singular_value_curve(spectrum(context, crops)), *sheets],
        tables=[_error_table(at_random, grouped), _time_table(traces), _curve_table(traces)],
    )


# Experiments


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


def measured(context: Context, crops: Crops, runs: int) -> tuple[Traces, Errors, Errors | None]:
    """Run the solvers `runs` times on one random split, and once on each of several.

    Returns
    -------
    traces : dict of str to Curves
        By features.
    at_random, grouped : Errors
        Over random splits, and over folds that share no original; None where there are too few originals.
    """
    random = crops.random_splits(QUICK_SPLITS if context.quick else SPLITS, context.seed)
    train, test = random[0]
    signs, traces = (crops.signs[train], crops.signs[test]), {}
    for name, rows in zip(FEATURES, crops.features(train, test), strict=True):
        part, both = f"runs-{name.replace(' ', '-')}", (rows[0], signs[0], rows[1], signs[1])
        key = {"rows": rows, "signs": signs, "solvers": parameters()}
        traces[name] = race_curves(context, part, models(), both, runs, **key)
    folds = crops.grouped_splits(context.seed)
    at_random = split_errors(context, "random splits", crops, random)
    return traces, at_random, split_errors(context, "grouped folds", crops, folds) if folds else None


def split_errors(context: Context, name: str, crops: Crops, splits: Sequence[Split]) -> Errors:
    """Train the three solvers on all features of each split, once.

    Returns
    -------
    errors : ndarray of shape (n_splits, n_features, n_solvers)
        In the order of `FEATURES` and `SOLVERS`.
    sizes : (float, float)
        Rows to train on and to test on, on average.
    """

    def last_errors(train: np.ndarray, test: np.ndarray, rows: Split) -> list[float]:
        fitted = (model.set_params(random_state=context.seed) for model in models().values())
        fitted = (model.fit(rows[0], crops.signs[train]) for model in fitted)
        return [float(np.mean(model.predict(rows[1]) != crops.signs[test])) for model in fitted]

    def compute(advance: Advance) -> Arrays:
        values = []
        for split in splits:
            values.append([last_errors(*split, rows) for rows in crops.features(*split)])
            advance()
        return {"values": np.array(values)}

    key = {"pixels": crops.pixels, "splits": [list(rows) for rows in splits], "seed": context.seed}
    part = context.part(
        f"errors-{name.replace(' ', '-')}", compute, total=len(splits), **key, solvers=parameters()
    )
    n_train, n_test = np.mean([[len(train), len(test)] for train, test in splits], axis=0).tolist()
    return part["values"], (n_train, n_test)


def errors_of(errors: Errors, feature: str, solver: str = SDCA_LABEL) -> np.ndarray:
    """Return the error of one solver on each split."""
    return errors[0][:, FEATURES.index(feature), SOLVERS.index(solver)]


def spectrum(context: Context, crops: Crops) -> np.ndarray:
    """Return the largest singular values of the centred crops to train on."""
    train, _ = crops.random_splits(1, context.seed)[0]
    k = min(SINGULAR, len(train) - 1)
    key = {"pixels": crops.pixels, "train": train, "k": k}
    part = context.part(
        "singular-values", lambda _: {"values": singular_values(crops.products, train, k)}, **key
    )
    return part["values"]


# Claims


def seconds_to(curves: Curves, label: str, level: float) -> np.ndarray:
    """Return each run's CPU seconds to the first epoch with an objective of `level` or less, or infinity."""
    there, seconds = curves.of[label]["primal"] <= level, curves.of[label]["seconds"]
    first = there.argmax(axis=1)
    return np.where(there.any(axis=1), seconds[np.arange(len(there)), first], np.inf)


def seconds_of_epoch(curves: Curves, label: str) -> np.ndarray:
    """Return each run's CPU seconds of an epoch, on average."""
    seconds = curves.of[label]["seconds"]
    return seconds[:, -1] / seconds.shape[1]


def settled(error: np.ndarray) -> np.ndarray:
    """Return from which epoch on each curve of test errors stays within `SAME` of its end."""
    away = np.abs(error - error[:, -1:]) > SAME + 1e-9
    return np.where(away.any(axis=1), away.shape[1] - away[:, ::-1].argmax(axis=1), 0) + 1


def settling(error: np.ndarray) -> Statistic:
    """Return from which epoch on the runs' mean test error is settled; the interval is of drawn runs."""
    runs = len(error)
    drawn = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), DRAWS)
    low, high = np.quantile(settled(drawn @ error / runs), (0.025, 0.975))
    epoch = settled(error.mean(axis=0, keepdims=True))[0]
    return Statistic(float(epoch), float(low), float(high))


def slowness(curves: Curves, slow: str, fast: str) -> Statistic | str:
    """Return how many times as long one solver takes to 1 % of P* as another, or why that is unknown."""
    excess = [curves.excess(label) for label in (slow, fast)]
    level = (1 + level_beyond_an_epoch(*excess, level=NEAR_SHARE)) * curves.optimum
    times = [seconds_to(curves, label, level) for label in (slow, fast)]
    if np.isinf(times).all(axis=0).any():
        return SLOW
    found = median(times[0] / times[1])
    return found if np.isfinite(found[1:3]).any() else judging.FEW_RUNS


def _beside(claim: Claim, checked: Claim) -> Claim:
    """Return a claim, with what checked labels make of it in its last sentence."""
    said = f"{checked.ours}, {checked.verdict}" if checked.ours else checked.verdict
    return replace(claim, why=f"{claim.why} With checked labels: {said}.")


# fmt: off
def cell_claims(traces: Traces, at_random: Errors, grouped: Errors | None, photographs: bool) -> list[Claim]:
    """Judge all claims; whether the images are the document's matters: of others its errors say nothing."""
    raw, pca = traces[RAW], traces[WHITENED]
    epoch = median(seconds_of_epoch(pca, SDCA_LABEL) / seconds_of_epoch(pca, PEGASOS))
    primal, error = ({label: raw.of[label][field] for label in SOLVERS} for field in ("primal", "error"))
    lead = (primal[PEGASOS][:, EPOCHS - 1] - primal[SDCA_LABEL][:, -1]) / raw.optimum
    about_3 = judging.meets(3 * (1 - ROUGHLY), 3 * (1 + ROUGHLY))
    levels = [
        judge(f"Test error of SDCA, {words}, random split", f"{number:.3f}",
              over_splits(errors_of(at_random, feature), at_random[1]), judging.reaches(number))
        for feature, number, words in ((RAW, 0.263, "raw crops"), (WHITENED, 0.206, "PCA with 40 components"))
    ]
    starts = {
        feature: [curves.of[label]["primal"][:, 0] / curves.optimum for label in (SDCA_LABEL, STARTED)]
        for feature, curves in traces.items()
    }
    settles = f"(epoch from which on the mean test error stays within {SAME:g} of the last)"
    return [
        *(judge(*row) for row in (
            ("Raw crops: Pegasos takes about 3 times as long as SDCA to converge (to 1 % of P*)",
             "about 3 (figure 2a)", slowness(raw, PEGASOS, SDCA_LABEL), about_3, " times"),
            ("Raw crops: so it does against SDCA with an SGD start",
             "about 3 (figure 2a)", slowness(raw, PEGASOS, STARTED), about_3, " times"),
            ("Raw crops: SDCA is the more precise: after as many epochs its loss is lower (by so much of P*)",
             "conclusions", mean(100 * lead), above(0), " %"),
            ("PCA: Pegasos' epochs are way faster (an epoch of SDCA / one of Pegasos)",
             "figure 3a", epoch, above(FAR), " times"),
            ("PCA: Pegasos performs way better than SDCA (time of SDCA / that of Pegasos, beyond an epoch)",
             "conclusions", slowness(pca, SDCA_LABEL, PEGASOS), above(FAR), judging.show_ratio),
        )),
        *(levels if photographs else [judging.untested(claim, DRAWN) for claim in levels]),
        *(judge(f"PCA lowers the test error (raw - whitened PCA of SDCA), {split}", ".263 - .206 = .057",
                over_splits(errors_of(of, RAW) - errors_of(of, WHITENED), of[1]) if of else FEW, above(0))
          for of, split in ((at_random, "random splits"),
                            (grouped, "folds that share no copies of an original"))),
        *(judge(*row) for row in (
            ("Raw crops: all three score alike (largest difference of their test errors)",
             ".263 and .264", _widest_difference(raw), alike(SAME)),
            ("PCA: all three score alike (largest difference of their test errors)",
             ".206 and .207; figure 3b", _widest_difference(pca), alike(SAME)),
            *((f"The SGD start lowers the loss after the first epoch, {feature} (without - with, of P*)",
               "figures 2a and 3a", mean(100 * (starts[feature][0] - starts[feature][1])), above(0), " %")
              for feature in FEATURES),
            ("Raw crops: the SGD start does not change the test error (without - with)",
             "the same (figure 2b)", mean(error[SDCA_LABEL][:, -1] - error[STARTED][:, -1]), alike(SAME)),
            (f"Raw crops: SDCA is at its best score after 2 epochs {settles}",
             "2 (figure 2b)", settling(error[SDCA_LABEL]), judging.reaches(2)),
            (f"Raw crops: Pegasos is stable at about its 4th epoch {settles}",
             "4 (figure 2b)", settling(error[PEGASOS]), judging.meets(3, 5)),
        )),
    ]


def _widest_difference(curves: Curves) -> Statistic:
    """Return, of the paired differences of all solvers' last errors, that whose interval reaches furthest."""
    last = [curves.of[label]["error"][:, -1] for label in SOLVERS]
    differences = [mean(one - other) for one, other in combinations(last, 2)]
    return max(differences, key=lambda s: max(-s.low, s.high))


# Figures

STYLES = dict(zip(SOLVERS, ((BLUE, "o-"), (GREEN, "s--"), (VERMILION, "^-")), strict=True))
NEAREST = 1e-7  # to the optimum: it is not known better
LEAST_GAP = 1e-10  # below is rounding
SHOWN_FEATURES = {  # files, words, and the document's error of SDCA
    RAW: ("raw", "raw crops", 0.263),
    WHITENED: ("pca", f"whitened PCA with {COMPONENTS} components", 0.206),
}
SIZE = 5.6, 4.0  # inches; a phone shows half


def solver_curves(traces: Traces) -> list[Figure]:
    """Return figures 2, 3 and 6 of the document, and beside its losses their distance from the optimum."""
    means = f"Lines are means over {len(traces[RAW].of[PEGASOS]['primal'])} runs."
    found = []
    for number, (feature, (file, words, theirs)) in enumerate(SHOWN_FEATURES.items(), start=2):
        after = (f"After each of the first {EPOCHS} epochs, by the median time that its updates took; P* is "
                 "the least loss that there is.")
        gap = ("The most that the loss can be above its least value, as each solver knows it; below "
               f"{LEAST_GAP:.0e} is rounding.")
        known = f"The same on logarithmic axes, after every epoch; P* is known to {NEAREST:.0e}."
        for name, source, title, caption, draw in (
            ("loss", f"figure {number}a", "Loss against CPU time", after, _draw_loss),
            ("excess", "", "Loss above P* against CPU time", known, _draw_excess),
            ("error", f"figure {number}b", "Test error by epochs", "Of one random split.",
             partial(_draw_error, theirs=theirs)),
            ("gap", "figure 6" if feature == RAW else "", "Duality gap by epochs", gap, _draw_gap),
        ):
            title = f"{title}, {words}"
            drawn = partial(_draw_solvers, draw=draw, curves=traces[feature], title=title)
            found.append(Figure(f"{name}-{file}", title, f"{caption} {means}", drawn, SIZE, source=source))
    return found


def singular_value_curve(values: np.ndarray) -> Figure:
    """Return figure 8 of the document."""
    title = f"The {len(values):,} largest singular values of the crops"

    def draw(sheet) -> None:
        ax, kept = sheet.subplots(), min(COMPONENTS, len(values))
        ax.plot(np.arange(1, len(values) + 1), values, color=BLUE)
        ax.axvline(kept, color="0.4", linestyle=":", label=f"the {COMPONENTS} kept")
        ax.set(xlabel="number of the component", ylabel="singular value (log scale)", yscale="log")
        ax.set(title=title)
        ax.legend()

    return Figure(
        "singular-values", title, "Of the centred crops to train on, largest first, on a logarithmic axis.",
        draw, SIZE, source="figure 8")
# fmt: on


def _draw_solvers(sheet, draw, curves: Curves, title: str) -> None:
    ax = sheet.subplots()
    draw(ax, curves)
    charts.name_band(ax, "90 % of the runs")
    ax.set(title=title)
    ax.legend()


def _draw_loss(ax, curves: Curves) -> None:
    for label, runs in curves.of.items():
        _draw_runs(ax, label, runs["primal"][:, :EPOCHS], 1e3 * runs["seconds"][:, :EPOCHS])
    ax.axhline(curves.optimum, color="0.4", linestyle=":", label="P*")
    ax.set(xlabel="CPU time of the updates, ms", ylabel="loss P")


def _draw_excess(ax, curves: Curves) -> None:
    for label, runs in curves.of.items():
        _draw_runs(ax, label, np.maximum(curves.excess(label), NEAREST), 1e3 * runs["seconds"])
    ax.axhline(NEAR_SHARE, color="0.4", linestyle=":", label="1 % of P*")
    ax.set(xlabel="CPU time of the updates, ms (log scale)", ylabel="(P - P*) / P* (log scale)")
    ax.set(**charts.LOG_LOG)


def _draw_error(ax, curves: Curves, theirs: float) -> None:
    for label, runs in curves.of.items():
        _draw_runs(ax, label, runs["error"][:, :EPOCHS])
    ax.axhline(theirs, color="0.4", linestyle=":", label=f"the document's {theirs:g}")
    ax.set(xlabel="epochs", ylabel="test error, share of the images")


def _draw_gap(ax, curves: Curves) -> None:
    for label, runs in curves.of.items():
        _draw_runs(ax, label, np.maximum(runs["gap"], LEAST_GAP))
    ax.set(xlabel="epochs", ylabel="duality gap P - D (log scale)", yscale="log")


def _draw_runs(ax, label: str, runs: np.ndarray, spent: np.ndarray | None = None) -> None:
    x = np.arange(1, runs.shape[1] + 1) if spent is None else np.median(spent, axis=0)
    band = np.stack([runs.mean(axis=0), *np.quantile(runs, (0.05, 0.95), axis=0)], axis=1)
    charts.draw_band(ax, x, band, STYLES[label][0], label, STYLES[label][1])


# Tables


# fmt: off
def _error_table(at_random: Errors, grouped: Errors | None) -> Table:
    rows = []
    for words, of in (("random", at_random), ("grouped", grouped)):
        for feature in FEATURES if of else ():
            for solver in SOLVERS:
                values = errors_of(of, feature, solver)
                rows.append((words, len(values), feature, solver, *over_splits(values, of[1]),
                             float(values.std(ddof=1))))
    return Table(
        "errors", "Test errors",
        "Means over splits, with 95 % intervals (Nadeau and Bengio's, as splits share images) and standard "
        "deviations. Copies of an original are in one part of a grouped split, and in any of a random one.",
        ("split", "splits", "features", "solver", "error", "low", "high", "sd"), rows)


def _time_table(traces: Traces) -> Table:
    rows = []
    for feature, curves in traces.items():
        for label in SOLVERS:
            times = 1e3 * seconds_to(curves, label, (1 + NEAR_SHARE) * curves.optimum)
            quantiles = np.quantile(times, (0.5, 0.05, 0.95), method="closest_observation").tolist()
            finite = [value if np.isfinite(value) else None for value in quantiles]
            epoch = float(np.median(1e3 * seconds_of_epoch(curves, label)))
            last = float(np.median(curves.excess(label)[:, -1]))
            rows.append((feature, label, epoch, *finite, float(np.isfinite(times).mean()), last))
    return Table(
        "times", "CPU times of the updates",
        "Medians over runs. Time to 1 % of P*: until the first epoch after which the loss is at most 1 % "
        "above its least value, with the runs' 5 % and 95 % quantiles.",
        ("features", "solver", "ms an epoch", "ms to 1 %", "5 %", "95 %", "runs there",
         "(P - P*) / P* at the end"), rows)


def _curve_table(traces: Traces) -> Table:
    rows = [
        (feature, label, run + 1, epoch + 1,
         *(float(of[field][run, epoch]) for field in ("seconds", "primal", "gap", "error")))
        for feature, curves in traces.items() for label, of in curves.of.items()
        for run, epoch in np.ndindex(of["primal"].shape)
    ]
    return Table("curves", "Every epoch of every run", "",
                 ("features", "solver", "run", "epoch", "CPU s", "loss", "gap", "test error"), rows,
                 shown=False)
# fmt: on
