"""The figures of the solvers on cells: loss, test error and gap, and the singular values of the crops."""

import numpy as np

from ..frame.study_report import Figure
from ..output.study_charts import LOG_LOG, Across, Curve, Panel, chart
from ..output.study_colors import BLUE, GREEN, VERMILION
from .cell_experiments import COMPONENTS, RAW, SOLVERS, WHITENED, Trace

STYLES = dict(zip(SOLVERS, ((BLUE, "o-"), (GREEN, "o--"), (VERMILION, "o-")), strict=True))
NEAREST = 1e-7  # to the optimum: it is not known better
LEAST_GAP = 1e-10  # below is rounding
WORDS = {RAW: "raw crops", WHITENED: f"whitened PCA with {COMPONENTS} components"}
FILES = {RAW: "raw", WHITENED: "pca"}
BANDS = "Lines are means over {} runs; bands hold 90 % of these."


# fmt: off
def solver_curves(traces: dict[str, Trace]) -> list[Figure]:
    """Return figures 2, 3 and 6 of the document."""
    runs = len(next(iter(traces[RAW].curves.values())).primal)
    bands = BANDS.format(runs)
    loss = [
        Figure(f"loss-{FILES[feature]}", f"Loss against CPU time, {WORDS[feature]}",
               "How far the loss is above its least value P* after each epoch, by the time that its updates "
               f"took (medians). Both axes are logarithmic; P* is known to {NEAREST:.0e}. {bands}",
               chart([_loss(traces[feature])]), source=f"figure {number}a")
        for feature, number in ((RAW, 2), (WHITENED, 3))
    ]
    error = [
        Figure(f"error-{FILES[feature]}", f"Test error by epochs, {WORDS[feature]}",
               f"Of one random split. {bands}",
               chart([Panel(*(_curve(label, found.error) for label, found in traces[feature].curves.items()),
                            legend=True, xlabel="epochs", ylabel="test error, share of the images")]),
               source=f"figure {number}b")
        for feature, number in ((RAW, 2), (WHITENED, 3))
    ]
    gap = [
        Figure(f"gap-{FILES[feature]}", f"Duality gap by epochs, {WORDS[feature]}",
               "The most that the loss can be above its least value, as each solver knows it; below "
               f"{LEAST_GAP:.0e} is rounding. {bands}",
               chart([Panel(*(_curve(label, np.maximum(found.gap, LEAST_GAP))
                              for label, found in traces[feature].curves.items()),
                            legend=True, xlabel="epochs", ylabel="duality gap P - D (log scale)",
                            yscale="log")]),
               source=source)
        for feature, source in ((RAW, "figure 6"), (WHITENED, ""))
    ]
    return [loss[0], error[0], loss[1], error[1], *gap]


def singular_value_curve(values: np.ndarray) -> Figure:
    """Return figure 8 of the document."""
    return Figure(
        "singular-values", f"The {len(values):,} largest singular values",
        f"Of the centred crops to train on, largest first, on a logarithmic axis; dotted: the {COMPONENTS} "
        "that are kept.",
        chart([Panel(Curve(np.arange(1, len(values) + 1), values, BLUE),
                     Across("x", min(COMPONENTS, len(values)), color="0.4", line=":"), yscale="log",
                     xlabel="number of the component", ylabel="singular value (log scale)")]),
        size=(7.0, 3.6), source="figure 8")
# fmt: on


def _loss(trace: Trace) -> Panel:
    parts = [
        _curve(label, np.maximum(found.primal / trace.optimum - 1, NEAREST), 1e3 * found.seconds)
        for label, found in trace.curves.items()
    ]
    axes = {"xlabel": "CPU time of the updates, ms (log scale)", "ylabel": "(P - P*) / P* (log scale)"}
    near = Across("y", 0.01, "0.4", ":", "1 %")
    return Panel(*parts, near, legend=True, **LOG_LOG, **axes)


def _curve(label: str, runs: np.ndarray, spent: np.ndarray | None = None) -> Curve:
    x = np.arange(1, runs.shape[1] + 1) if spent is None else np.median(spent, axis=0)
    band = np.stack([runs.mean(axis=0), *np.quantile(runs, (0.05, 0.95), axis=0)], axis=1)
    colour, line = STYLES[label]
    return Curve(x, band, colour, label, line)
