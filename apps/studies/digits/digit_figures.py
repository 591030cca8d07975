"""The figures of the study of digits."""

import numpy as np

from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Figure
from ..output.study_charts import (
    LOG_LOG,
    Across,
    Bars,
    ChartPart,
    Curve,
    Panel,
    Pixels,
    chart,
    mean_band,
    median_band,
)
from ..output.study_colors import BLUE, GREEN, VERMILION
from ..race.cost_to_level import level_beyond_an_epoch
from ..race.many_rows import ALPHAS
from ..race.median_plot import BandKey
from .digit_claims import SDCA, TEST
from .digit_experiments import EPOCHS, EPOCHS_TRIED, LABELS, METHODS, Digits, wrong

LEAST_GAP = 1e-7  # what P* is known to


# fmt: off
def digit_figures(digits: Digits, rates: Arrays, race: Arrays | str) -> list[Figure]:
    """Return the figures."""
    n = rates["test"].shape[1]
    most = np.abs(rates["coef"]).max()
    ink = {"cmap": "RdBu", "vmin": -most, "vmax": most}
    no_ticks = {"xticks": (), "yticks": ()}
    sdca = rates["test"][SDCA]
    best = 100 * (wrong(sdca) / sdca.sum(axis=(1, 2))).mean()
    return [
        Figure("errors", f"Test errors of {n} draws",
               "How often each number of wrong images came out.",
               chart(*([_error_histogram(digits, name, wrong(tables))]
                       for name, tables in zip(METHODS, rates["test"], strict=True)), legend=3, sharex=True),
               size=(7.0, 4.4), source="test error"),
        Figure("weights", "Weights",
               f"Mean over {n} draws. Ink in blue speaks for a {LABELS[1]}, in red for a {LABELS[0]}.",
               chart([Panel(Pixels(coef.reshape(digits.side, -1), options=ink), title=name, **no_ticks)
                      for name, coef in zip(METHODS, rates["coef"], strict=True)],
                     colorbar={"label": f"weight of a pixel: {LABELS[0]} below 0, {LABELS[1]} above",
                               "shrink": 0.7}),
               size=(8.0, 3.2)),
        Figure("epochs", "Test error by epochs",
               "Mean over all draws.",
               chart([Panel(Curve(EPOCHS_TRIED, mean_band(100 * rates["steps"]), BLUE, "Pegasos", "o-"),
                            Across("y", best, GREEN, "--", "SDCA, certified optimum"),
                            Across("x", EPOCHS, VERMILION, ":", f"the document's {EPOCHS}"),
                            BandKey("95 % of the mean"), legend=True, title="Pegasos with an intercept",
                            xlabel="epochs (log scale)", ylabel="test error, %",
                            xscale="log", xticks=EPOCHS_TRIED, xticklabels=EPOCHS_TRIED)]),
               size=(7.0, 3.6)),
        *(() if isinstance(race, str) else [
            Figure("many-rows", "SDCA and Pegasos on many rows",
                   "Skin, 245,057 rows of 3 standardised columns, with an intercept. Medians of the runs.",
                   chart([_race_panel(*row) for row in zip(ALPHAS, race["excess"], race["seconds"],
                                                           strict=True)], legend=4),
                   size=(10.5, 4.0))]),
    ]
# fmt: on


def _error_histogram(digits: Digits, name: str, counts: np.ndarray) -> Panel:
    percent = 100 / (2 * digits.n_test)
    values, times = np.unique(counts, return_counts=True)
    low, high = mean_interval((percent * counts).tolist())
    mean = percent * counts.mean()
    parts: list[ChartPart] = [
        Bars(percent * values, times, "#8cbfdf", width=percent),
        Across("x", low, BLUE, end=high, label="95 % interval of the mean"),
        Across("x", mean, BLUE, label="mean"),
    ]
    if digits.original:
        theirs = 100 * wrong(TEST) / TEST.sum()
        parts.append(Across("x", theirs, VERMILION, "--", f"document: {theirs:.2f} %"))
    of_what = f"test images with the wrong label, % of {2 * digits.n_test}"
    title = f"{name}: {mean:.2f} %"
    return Panel(*parts, xlabel=of_what, ylabel="draws", title=title)


def _race_panel(alpha: float, excess: np.ndarray, seconds: np.ndarray) -> Panel:
    level = level_beyond_an_epoch(*excess)
    curves = [
        Curve(1e3 * np.median(time, axis=0), median_band(np.maximum(one, LEAST_GAP), 0.1), color, name, line)
        for name, color, line, one, time in zip(
            ("Pegasos", "SDCA"), (BLUE, VERMILION), ("-", "--"), excess, seconds, strict=True
        )
    ]
    goal = Across("y", level, label="the level that decides")
    axes = {"xlabel": "CPU time of the updates (ms)", "ylabel": "(P - P*) / P*"}
    return Panel(
        *curves, goal, BandKey(), **LOG_LOG, **axes, title=f"lambda {alpha:.1g}, to {100 * level:.4g} %"
    )
