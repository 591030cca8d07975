"""Curves and singular values."""

from functools import partial

import numpy as np

from ...common.figures import OKABE_ITO
from ..frame.study_report import Figure
from ..output.drawing import tidy
from .cell_experiments import COMPONENTS, RAW, SOLVERS, WHITENED, Trace

COLOURS = dict(zip(SOLVERS, (OKABE_ITO[name] for name in ("blue", "green", "vermilion")), strict=True))
LINES = dict(zip(SOLVERS, ("-", "--", "-"), strict=True))
BAND = (0.05, 0.95)  # quantiles of the runs
NEAREST = 1e-7  # to the optimum: it is not known better
LEAST_GAP = 1e-10  # below is rounding
WORDS = {RAW: "raw crops", WHITENED: f"whitened PCA with {COMPONENTS} components"}
BANDS = "Lines are means over {} runs; bands hold 90 % of these."


def curves(traces: dict[str, Trace]) -> list[Figure]:
    """Return figures 2, 3 and 6 of the document."""
    found = []
    for feature, source in ((RAW, "2"), (WHITENED, "3")):
        trace = traces[feature]
        runs = len(next(iter(trace.curves.values())).primal)
        name = "raw" if feature == RAW else "pca"
        bands = BANDS.format(runs)
        found += [
            Figure(
                f"loss-{name}",
                f"Loss against CPU time, {WORDS[feature]}",
                "How far the loss is above its least value P* after each epoch, by the time that its updates "
                f"took (medians). Both axes are logarithmic; P* is known to {NEAREST:.0e}. {bands}",
                partial(_loss, trace),
                source=f"figure {source}a",
            ),
            Figure(
                f"error-{name}",
                f"Test error by epochs, {WORDS[feature]}",
                f"Of one random split. {bands}",
                partial(_by_epochs, trace, "error"),
                source=f"figure {source}b",
            ),
        ]
    for feature, source in ((RAW, "figure 6"), (WHITENED, "")):
        found.append(
            Figure(
                f"gap-{'raw' if feature == RAW else 'pca'}",
                f"Duality gap by epochs, {WORDS[feature]}",
                "The most that the loss can be above its least value, as each solver knows it; below "
                f"{LEAST_GAP:.0e} is rounding. {bands}",
                partial(_by_epochs, traces[feature], "gap"),
                source=source,
            )
        )
    return found


def spectrum(values: np.ndarray) -> Figure:
    """Return figure 8 of the document."""
    return Figure(
        "singular-values",
        f"The {len(values):,} largest singular values",
        f"Of the centred crops to train on, largest first, on a logarithmic axis; dotted: the {COMPONENTS} "
        "that are kept.",
        partial(_spectrum, values),
        size=(7.0, 3.6),
        source="figure 8",
    )


def _loss(trace: Trace, sheet) -> None:
    ax = sheet.subplots()
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_autoscaley_on(False)  # the first curve may be no longer than rounding is
    for label, found in trace.curves.items():
        seconds = 1e3 * np.median(found.seconds, axis=0)
        _band(ax, seconds, np.maximum(found.primal / trace.optimum - 1, NEAREST), label)
    ax.axhline(0.01, color="0.4", linestyle=":", linewidth=1, label="1 %")
    ax.autoscale(axis="y")
    ax.set_xlabel("CPU time of the updates, ms (log scale)")
    ax.set_ylabel("(P - P*) / P* (log scale)")
    _finish(ax)


def _by_epochs(trace: Trace, what: str, sheet) -> None:
    ax = sheet.subplots()
    for label, found in trace.curves.items():
        values = getattr(found, what)
        _band(ax, np.arange(1, values.shape[1] + 1), values, label)
    ax.set_xlabel("epochs")
    if what == "gap":
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(LEAST_GAP, ax.get_ylim()[0]))
        ax.set_ylabel("duality gap P - D (log scale)")
    else:
        ax.set_ylabel("test error, share of the images")
    ax.xaxis.get_major_locator().set_params(integer=True)
    _finish(ax)


def _band(ax, x: np.ndarray, values: np.ndarray, label: str) -> None:
    low, high = np.quantile(values, BAND, axis=0)
    ax.fill_between(x, low, high, color=COLOURS[label], alpha=0.2, linewidth=0)
    ax.plot(x, values.mean(axis=0), LINES[label], color=COLOURS[label], marker=".", label=label)


def _spectrum(values: np.ndarray, sheet) -> None:
    ax = sheet.subplots()
    ax.set_yscale("log")
    ax.plot(np.arange(1, len(values) + 1), values, color=OKABE_ITO["blue"])
    ax.axvline(min(COMPONENTS, len(values)), color="0.4", linestyle=":")
    ax.set_xlabel("number of the component")
    ax.set_ylabel("singular value (log scale)")
    tidy(ax)


def _finish(ax) -> None:
    ax.legend(frameon=False, fontsize=9)
    tidy(ax)
