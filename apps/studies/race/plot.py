"""Curves of several solvers on one pair of axes."""

import numpy as np

from fastsvm.solvers._input import one_of

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
BAND = (0.1, 0.5, 0.9)
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
    for k, (label, coef) in enumerate(comparison.coef.items()):
        own = table["solver"] == label
        place = np.median(table[x][own].reshape(len(coef), -1), axis=0)
        low, middle, high = np.quantile(values[own].reshape(len(coef), -1), BAND, axis=0)
        if np.isnan(middle).all():
            continue
        style = {"color": colours[k % len(colours)], "linestyle": STYLES[k % len(STYLES)]}
        axes.plot(place, middle, label=label, **style)
        axes.fill_between(place, low, high, color=style["color"], alpha=0.2, linewidth=0)
    if y in LOGARITHMIC:
        axes.set_yscale("log")
    axes.set_xlabel(X_LABELS[x])
    axes.set_ylabel(Y_LABELS[y])
    axes.legend()
    return axes
