"""Pictures of the study."""

from functools import partial

import numpy as np

from ...common.figures import OKABE_ITO
from ...common.statistics import mean_interval
from ..frame.study_context import Arrays
from ..frame.study_report import Figure
from ..output.drawing import tidy
from .digit_claims import SDCA, TEST
from .digit_experiments import EPOCHS, LABELS, METHODS, PACE_EPOCHS, STEPS, Digits, wrong

BLUE, VERMILION, GREEN = (OKABE_ITO[name] for name in ("blue", "vermilion", "green"))


def figures(digits: Digits, rates: Arrays, pace: Arrays) -> list[Figure]:
    """Return the pictures."""
    n = rates["test"].shape[1]
    return [
        Figure(
            "errors",
            f"Test errors of {n} draws",
            "How often each number of wrong images came out; line and band: the mean, its 95 % interval.",
            partial(_errors, digits, rates),
            size=(7.0, 4.0),
            source="test error",
        ),
        Figure(
            "weights",
            "Weights",
            f"Mean over {n} draws. Ink in blue speaks for a {LABELS[1]}, in red for a {LABELS[0]}.",
            partial(_weights, digits, rates),
            size=(8.0, 3.2),
        ),
        Figure(
            "epochs",
            "Test error by epochs",
            "Mean over all draws with its 95 % interval; the line is what the certified optimum has.",
            partial(_epochs, rates),
            size=(7.0, 3.6),
        ),
        Figure(
            "pace",
            "Time to within 1 % of the optimum",
            "Each dot is a run: CPU time of the updates until the objective is within 1 % of the optimum. "
            f"A cross is not there after {PACE_EPOCHS} epochs. Both axes are logarithmic.",
            partial(_pace, pace),
            size=(7.0, 4.2),
        ),
    ]


def _errors(digits: Digits, rates: Arrays, sheet) -> None:
    axes = sheet.subplots(len(METHODS), 1, sharex=True)
    percent = 100 / (2 * digits.n_test)
    counts = [wrong(tables) for tables in rates["test"]]
    edges = np.arange(min(map(np.min, counts)), max(map(np.max, counts)) + 2) - 0.5
    for ax, name, count in zip(axes, METHODS, counts, strict=True):
        ax.hist(percent * count, percent * edges, color=BLUE, alpha=0.55)
        low, high = mean_interval((percent * count).tolist())
        ax.axvspan(low, high, color=BLUE, alpha=0.35, linewidth=0)
        ax.axvline(percent * count.mean(), color=BLUE, linewidth=1.5)
        if digits.original:
            ax.axvline(100 * wrong(TEST) / TEST.sum(), color=VERMILION, linestyle="--", linewidth=1.5)
        ax.set_title(f"{name}: {percent * count.mean():.2f} %", fontsize=10, loc="left")
        ax.set_ylabel("draws")
        tidy(ax)
    if digits.original:
        axes[0].text(
            100 * wrong(TEST) / TEST.sum(), 1.02, "document: 3.83 %", color=VERMILION, fontsize=9,
            transform=axes[0].get_xaxis_transform(),
        )  # fmt: skip
    axes[-1].set_xlabel(f"test images with the wrong label, % of {2 * digits.n_test}")


def _weights(digits: Digits, rates: Arrays, sheet) -> None:
    axes = sheet.subplots(1, len(METHODS))
    most = np.abs(rates["coef"]).max()
    for ax, name, coef in zip(axes, METHODS, rates["coef"], strict=True):
        image = ax.imshow(coef.reshape(digits.side, -1), cmap="RdBu", vmin=-most, vmax=most)
        ax.set_title(name, fontsize=10)
        ax.set_xticks([])
        ax.set_yticks([])
    sheet.colorbar(
        image, ax=axes, shrink=0.7, label=f"weight of a pixel: {LABELS[0]} below 0, {LABELS[1]} above"
    )


def _epochs(rates: Arrays, sheet) -> None:
    ax = sheet.subplots()
    ax.set_xscale("log")
    errors = 100 * rates["steps"]
    low, high = np.array([mean_interval(each.tolist()) for each in errors]).T
    ax.fill_between(STEPS, low, high, color=BLUE, alpha=0.25, linewidth=0)
    ax.plot(STEPS, errors.mean(axis=1), "o-", color=BLUE, label="Pegasos")
    tables = rates["test"][SDCA]
    best = 100 * (wrong(tables) / tables.sum(axis=(1, 2))).mean()
    ax.axhline(best, color=GREEN, linestyle="--", label="SDCA, certified optimum")
    ax.axvline(EPOCHS, color=VERMILION, linestyle=":", label=f"the document's {EPOCHS}")
    ax.set_xticks(STEPS, [str(step) for step in STEPS])
    ax.minorticks_off()
    ax.set_xlabel("epochs (log scale)")
    ax.set_ylabel("test error, %")
    ax.legend(frameon=False)
    tidy(ax)


def _pace(pace: Arrays, sheet) -> None:
    ax = sheet.subplots()
    ax.set_xscale("log")
    ax.set_yscale("log")
    for m, (method, color) in enumerate((("Pegasos", BLUE), ("SDCA", VERMILION))):
        for b, (words, line) in enumerate((("", "-"), (", no intercept", ":"))):
            seconds, reached = 1e3 * pace["seconds"][m, b], pace["reached"][m, b]
            ax.plot(pace["n"], np.median(seconds, axis=1), line, color=color, label=f"{method}{words}")
            # Beside each other, so that all can be seen.
            sizes = np.broadcast_to(pace["n"][:, np.newaxis] * 1.02 ** (2 * m + b - 1.5), seconds.shape)
            ax.plot(sizes[reached], seconds[reached], ".", color=color, alpha=0.4)
            ax.plot(sizes[~reached], seconds[~reached], "x", color=color, alpha=0.6)
    ax.set_xticks(pace["n"], [f"{n:,}" for n in pace["n"]])
    ax.minorticks_off()
    ax.set_xlabel("images to train on (log scale)")
    ax.set_ylabel("CPU milliseconds (log scale)")
    ax.legend(frameon=False, fontsize=9)
    tidy(ax)
