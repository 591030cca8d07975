"""Curves of several solvers on one pair of axes."""

import numpy as np

from fastsvm.solvers._input import one_of

from ..output.study_charts import Curve, Panel, median_band

X_LABELS = {
    "seconds": "CPU time of the updates (s)",
    "epoch": "epochs",
    "visits": "rows visited",
    "steps": "steps",
}
Y_LABELS = {
    "primal": "objective P",
    "excess": "(P - optimum) / optimum",
    "gap": "duality gap P - D",
    "error": "test error",
}
LOGARITHMIC = {"excess", "gap"}
STYLES = ("-", "--", "-.", ":")


def plot_medians(comparison, x, y, axes=None):
    """As `Comparison.plot`."""
    one_of("x", x, X_LABELS)
    one_of("y", y, Y_LABELS)
    table = comparison.table
    values = comparison.excess if y == "excess" else table[y]
    if np.isnan(values).all():
        raise ValueError(f"There is no {y} of any solver to draw.")
    import matplotlib

    if axes is None:
        from matplotlib import pyplot

        _, axes = pyplot.subplots(layout="constrained")
    colours = matplotlib.color_sequences["petroff10"]  # told apart with any colour vision
    curves = []
    for k, (label, coef) in enumerate(comparison.coef.items()):
        own = table["solver"] == label
        spent, runs = (column[own].reshape(len(coef), -1) for column in (table[x], values))
        if not np.isnan(runs).all():
            colour, style = colours[k % len(colours)], STYLES[k % len(STYLES)]
            curves.append(Curve(np.median(spent, axis=0), median_band(runs, 0.1), colour, label, style))
    scale = {"yscale": "log"} if y in LOGARITHMIC else {}
    Panel(*curves, legend=True, xlabel=X_LABELS[x], ylabel=Y_LABELS[y], **scale).draw(axes)
    return axes


class BandKey:
    """Says in the legend what a band is."""

    def __init__(self, words: str = "10th to 90th percentile of runs"):
        self.words = words

    def draw(self, ax) -> None:
        """Draw nothing but that."""
        ax.fill_between([], [], [], color="0.4", alpha=0.2, linewidth=0, label=self.words)
