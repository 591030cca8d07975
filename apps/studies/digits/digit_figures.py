"""The figures of the study of digits."""

import numpy as np

from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Figure
from ..output.study_charts import LOG_LOG, Across, Bars, ChartPart, Curve, Panel, Pixels, chart, mean_band
from ..output.study_colors import BLUE, GREEN, VERMILION
from .digit_claims import SDCA, TEST
from .digit_experiments import EPOCHS, LABELS, METHODS, PACE_EPOCHS, STEPS, Digits, wrong


# fmt: off
def digit_figures(digits: Digits, rates: Arrays, pace: Arrays) -> list[Figure]:
    """Return the figures."""
    n = rates["test"].shape[1]
    most = np.abs(rates["coef"]).max()
    ink = {"cmap": "RdBu", "vmin": -most, "vmax": most}
    no_ticks = {"xticks": (), "yticks": ()}
    sdca = rates["test"][SDCA]
    best = 100 * (wrong(sdca) / sdca.sum(axis=(1, 2))).mean()
    sizes = pace["n"]
    return [
        Figure("errors", f"Test errors of {n} draws",
               "How often each number of wrong images came out; line and band: the mean, its 95 % interval.",
               chart(*([_error_histogram(digits, name, wrong(tables))]
                       for name, tables in zip(METHODS, rates["test"], strict=True)), sharex=True),
               size=(7.0, 4.0), source="test error"),
        Figure("weights", "Weights",
               f"Mean over {n} draws. Ink in blue speaks for a {LABELS[1]}, in red for a {LABELS[0]}.",
               chart([Panel(Pixels(coef.reshape(digits.side, -1), options=ink), title=name, **no_ticks)
                      for name, coef in zip(METHODS, rates["coef"], strict=True)],
                     colorbar={"label": f"weight of a pixel: {LABELS[0]} below 0, {LABELS[1]} above",
                               "shrink": 0.7}),
               size=(8.0, 3.2)),
        Figure("epochs", "Test error by epochs",
               "Mean over all draws with its 95 % interval; the line is what the certified optimum has.",
               chart([Panel(Curve(STEPS, mean_band(100 * rates["steps"]), BLUE, "Pegasos", "o-"),
                            Across("y", best, GREEN, "--", "SDCA, certified optimum"),
                            Across("x", EPOCHS, VERMILION, ":", f"the document's {EPOCHS}"),
                            legend=True, xlabel="epochs (log scale)", ylabel="test error, %",
                            xscale="log", xticks=STEPS, xticklabels=STEPS)]),
               size=(7.0, 3.6)),
        Figure("pace", "Time to within 1 % of the optimum",
               "Each dot is a run: CPU time of the updates until the objective is within 1 % of the optimum. "
               f"A cross is not there after {PACE_EPOCHS} epochs. Both axes are logarithmic.",
               chart([Panel(*_pace_dots(pace), legend=True, **LOG_LOG,
                             xlabel="images to train on (log scale)",
                            ylabel="CPU milliseconds (log scale)",
                            xticks=sizes, xticklabels=[f"{size:,}" for size in sizes])]),
               size=(7.0, 4.2)),
    ]
# fmt: on


def _error_histogram(digits: Digits, name: str, counts: np.ndarray) -> Panel:
    percent = 100 / (2 * digits.n_test)
    values, times = np.unique(counts, return_counts=True)
    low, high = mean_interval((percent * counts).tolist())
    mean = percent * counts.mean()
    parts: list[ChartPart] = [
        Bars(percent * values, times, "#8cbfdf", width=percent),
        Across("x", low, BLUE, end=high),
        Across("x", mean, BLUE),
    ]
    if digits.original:
        theirs = 100 * wrong(TEST) / TEST.sum()
        parts.append(Across("x", theirs, VERMILION, "--", f"document: {theirs:.2f} %"))
    of_what = f"test images with the wrong label, % of {2 * digits.n_test}"
    title = f"{name}: {mean:.2f} %"
    return Panel(*parts, legend=digits.original, xlabel=of_what, ylabel="draws", title=title)


def _pace_dots(pace: Arrays) -> list[ChartPart]:
    parts: list[ChartPart] = []
    for m, (method, color) in enumerate((("Pegasos", BLUE), ("SDCA", VERMILION))):
        for b, (words, line) in enumerate((("", "-"), (", no intercept", ":"))):
            seconds, reached = 1e3 * pace["seconds"][m, b], pace["reached"][m, b]
            # Beside each other, so that all can be seen.
            sizes = np.broadcast_to(pace["n"][:, np.newaxis] * 1.02 ** (2 * m + b - 1.5), seconds.shape)
            parts += [
                Curve(pace["n"], np.median(seconds, axis=1), color, f"{method}{words}", line),
                Curve(sizes[reached], seconds[reached], color, line="o", options={"alpha": 0.4}),
                Curve(sizes[~reached], seconds[~reached], color, line="x", options={"alpha": 0.6}),
            ]
    return parts
