"""The figures of the solvers on cells: loss, test error and gap, and the singular values of the crops."""

import numpy as np

from ...report.study_report import Figure
from ..output.study_charts import LOG_LOG, Across, ChartPart, Curve, Panel, chart
from ..output.study_colors import BLUE, GREEN, VERMILION
from .cell_experiments import COMPONENTS, RAW, SDCA_LABEL, SOLVERS, WHITENED, Traces

STYLES = dict(zip(SOLVERS, ((BLUE, "o-"), (GREEN, "s--"), (VERMILION, "^-")), strict=True))
NEAREST = 1e-7  # to the optimum: it is not known better
LEAST_GAP = 1e-10  # below is rounding
WORDS = {RAW: "raw crops", WHITENED: f"whitened PCA with {COMPONENTS} components"}
FILES = {RAW: "raw", WHITENED: "pca"}
DOCUMENT_ERRORS = {RAW: 0.263, WHITENED: 0.206}  # of SDCA
SIZE = 5.6, 4.0  # inches; a phone shows half
BAND = Curve([], np.empty((0, 3)), "0.4", band="90 % of the runs")


# fmt: off
def solver_curves(traces: Traces) -> list[Figure]:
    """Return figures 2, 3 and 6 of the document, and beside its losses their distance from the optimum."""
    runs = len(next(iter(traces[RAW].values())).primal)
    means = f"Lines are means over {runs} runs."
    time = "CPU time of the updates, ms"

    def drawn(name, feature, source, title, caption, *parts: ChartPart, **axes) -> Figure:
        title, name = f"{title}, {WORDS[feature]}", f"{name}-{FILES[feature]}"
        panel = Panel(*parts, BAND, legend=True, title=title, **axes)
        return Figure(name, title, f"{caption} {means}", chart([panel]), SIZE, source=source)

    found = []
    for number, feature in enumerate(FILES, start=2):
        trace = traces[feature].items()
        epochs = min(curves.primal.shape[1] for _, curves in trace)
        theirs = DOCUMENT_ERRORS[feature]
        found += [
            drawn("loss", feature, f"figure {number}a", "Loss against CPU time",
                  f"After each of the first {epochs} epochs, by the median time that its updates took; P* is "
                  "the least loss that there is.",
                  *(_curve(label, curves.primal[:, :epochs], 1e3 * curves.seconds[:, :epochs])
                    for label, curves in trace),
                  Across("y", traces[feature][SDCA_LABEL].optimum, "0.4", ":", "P*"), xlabel=time,
                  ylabel="loss P"),
            drawn("excess", feature, "", "Loss above P* against CPU time",
                  f"The same on logarithmic axes, after every epoch; P* is known to {NEAREST:.0e}.",
                  *(_curve(label, np.maximum(curves.excess, NEAREST), 1e3 * curves.seconds)
                    for label, curves in trace),
                  Across("y", 0.01, "0.4", ":", "1 % of P*"), **LOG_LOG, xlabel=f"{time} (log scale)",
                  ylabel="(P - P*) / P* (log scale)"),
            drawn("error", feature, f"figure {number}b", "Test error by epochs", "Of one random split.",
                  *(_curve(label, curves.error[:, :epochs]) for label, curves in trace),
                  Across("y", theirs, "0.4", ":", f"the document's {theirs:g}"), xlabel="epochs",
                  ylabel="test error, share of the images"),
            drawn("gap", feature, "figure 6" if feature == RAW else "", "Duality gap by epochs",
                  "The most that the loss can be above its least value, as each solver knows it; below "
                  f"{LEAST_GAP:.0e} is rounding.",
                  *(_curve(label, np.maximum(curves.gap, LEAST_GAP)) for label, curves in trace),
                  xlabel="epochs", ylabel="duality gap P - D (log scale)", yscale="log"),
        ]
    return found


def singular_value_curve(values: np.ndarray) -> Figure:
    """Return figure 8 of the document."""
    title = f"The {len(values):,} largest singular values of the crops"
    return Figure(
        "singular-values", title, "Of the centred crops to train on, largest first, on a logarithmic axis.",
        chart([Panel(Curve(np.arange(1, len(values) + 1), values, BLUE),
                     Across("x", min(COMPONENTS, len(values)), "0.4", ":", f"the {COMPONENTS} kept"),
                     yscale="log", legend=True, title=title, xlabel="number of the component",
                     ylabel="singular value (log scale)")]),
        size=SIZE, source="figure 8")
# fmt: on


def _curve(label: str, runs: np.ndarray, spent: np.ndarray | None = None) -> Curve:
    x = np.arange(1, runs.shape[1] + 1) if spent is None else np.median(spent, axis=0)
    band = np.stack([runs.mean(axis=0), *np.quantile(runs, (0.05, 0.95), axis=0)], axis=1)
    colour, line = STYLES[label]
    return Curve(x, band, colour, label, line)
