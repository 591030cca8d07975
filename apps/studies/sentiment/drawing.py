"""Pictures of a comparison of classifiers, and of the lengths of texts."""

import numpy as np

from ...common.matplotlib_figures import OKABE_ITO
from ...common.printing import shortened
from ...sentiment.jobs.corpus_description import CorpusDescription
from ...sentiment.output.top_words_output import AGAINST, FOR
from ..output.drawing import tidy
from .text_comparison import Comparison

PALETTE = tuple(OKABE_ITO.values())
LENGTHS_SIZE = 10.0, 4.6  # inches
MOST_BINS = 200


def size_of_comparison(comparison: Comparison) -> tuple[float, float]:
    """Return the inches that a picture of a comparison takes."""
    return 11.0, 1.9 + 0.5 * len(comparison.results)


def draw_comparison(sheet, comparison: Comparison) -> None:
    """Draw how accurate each classifier is, how far behind the best, and how long it takes, a row each."""
    results = comparison.results
    rows, n_runs = range(len(results)), len(comparison.seeds)
    left, middle, right = sheet.subplots(1, 3, sharey=True, width_ratios=(3, 3, 2))
    for row, result in zip(rows, results, strict=True):
        _runs(left, result.accuracies, row)
        _with_interval(left, row, result.accuracy, result.interval, f"{result.accuracy:.3f}")
        behind = f"{result.behind_best:.3f}" if result.behind_best else "the best"
        _with_interval(middle, row, result.behind_best, result.behind_best_interval, behind)
        _runs(right, result.seconds, row)
        right.plot(result.median_seconds, row, "D", color=AGAINST, markersize=7)
        _note_above(right, f"{result.median_seconds:.2g} s", result.median_seconds, row)
    splits = f"mean of {n_runs} splits" if n_runs > 1 else "one split"
    left.set_title(f"{splits}, 95 % interval", fontsize=10)
    _within(left, 0.0, 1.0)
    left.set_xlabel("accuracy on the held-out texts")
    left.set_yticks(rows, [result.classifier for result in results])
    left.set_ylim(len(results) - 0.4, -0.6)
    sure = "too few splits for an interval" if comparison.too_few else "on the same splits, 95 % interval"
    middle.set_title(sure, fontsize=10)
    middle.axvline(0, color="0.3", linewidth=0.8)
    _within(middle, -1.0, 1.0)
    middle.set_xlabel(f"{comparison.metric} that the best one has more")
    lowest, highest = (pick(pick(result.seconds) for result in results) for pick in (min, max))
    lowest = max(lowest, 1e-4)  # a coarse clock may say 0
    right.set_xlim(lowest / 2, max(highest * 2, lowest))
    _log_scale(right, "{x:g}")
    right.set_xlabel("CPU seconds from texts\nto a model (log scale)")
    right.set_title(f"median of {n_runs} splits" if n_runs > 1 else "one split", fontsize=10)
    for ax in (left, middle, right):
        ax.tick_params(axis="y", length=0)
        tidy(ax, "x")


def _with_interval(ax, row: int, value: float, interval: tuple[float, float] | None, said: str) -> None:
    """Draw a dot, its interval if it has one, and the value above it."""
    if interval is not None:
        ax.plot(interval, (row, row), color=FOR, linewidth=2)
        ax.plot(interval, (row, row), "|", color=FOR, markersize=9, markeredgewidth=2)
    ax.plot(value, row, "o", color=FOR, markersize=8)
    _note_above(ax, said, value, row)


def _within(ax, least: float, most: float) -> None:
    """Leave room at the sides, but show nothing that cannot be."""
    from matplotlib.ticker import MaxNLocator

    ax.margins(x=0.12)
    low, high = ax.get_xlim()
    # A dot at the end stays whole.
    ax.set_xlim(max(low, least - 0.03 * (high - low)), min(high, most + 0.03 * (high - low)))
    low, high = ax.get_xlim()
    ax.set_xticks(
        [tick for tick in MaxNLocator(6).tick_values(low, high) if max(low, least) <= tick <= min(high, most)]
    )


def _runs(ax, values: list[float], row: int) -> None:
    """Draw the single runs as dots below, next to each other so that equal ones can be told apart."""
    places = row + 0.18 + np.linspace(0, 0.14, len(values)) if len(values) > 1 else [row + 0.2]
    ax.plot(values, places, "o", color="0.25", alpha=0.5, markersize=3, markeredgewidth=0)


def _note_above(ax, text: str, x: float, row: int) -> None:
    ax.annotate(text, (x, row), (0, 7), textcoords="offset points", ha="center", fontsize=9)


def draw_lengths(sheet, description: CorpusDescription) -> None:
    """Draw the lengths of the texts of two labels, in tokens and in characters, as overlaid histograms."""
    counts = description.label_counts
    names = [f"“{shortened(label, 30)}” ({counts[label]:,} texts)" for label in counts]
    parts = [description.codes == number for number in range(len(counts))]  # labels go by their frequency
    measures = {description.words.unit: description.token_counts, "characters": description.character_counts}
    for ax, (unit, lengths) in zip(sheet.subplots(1, 2), measures.items(), strict=True):
        _length_histograms(ax, lengths, parts, unit)
    sheet.legend(ax.patches, names, loc="outside upper center", ncols=len(names), frameon=False)


def _length_histograms(ax, lengths: np.ndarray, parts: list, unit: str) -> None:
    edges, skewed = _edges(lengths, len(parts))
    widths = np.diff(np.log2(edges)) if skewed else 1
    for number, part in enumerate(parts):
        shares = 100 * np.histogram(lengths[part], edges)[0] / len(lengths[part])
        ax.stairs(shares / widths, edges, color=PALETTE[number], linewidth=1.5)
    ax.set_xlim(edges[0], edges[-1])
    if skewed:
        _log_scale(ax, "{x:,.0f}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(bottom=0)
    label = f"length in {unit}{' (log scale)' if skewed else ''}"
    if without := int((lengths < edges[0]).sum()):
        label += f"\n({without:,} texts have none and are left out)"
    ax.set_xlabel(label)
    step = int(edges[1] - edges[0])
    per = f"per {step:,} {unit}" if step > 1 else "per length"
    ax.set_ylabel(f"% of the label's texts\n{'between a length and twice that length' if skewed else per}")
    tidy(ax, "y")


def _edges(lengths: np.ndarray, n_parts: int) -> tuple[np.ndarray, bool]:
    """Return the edges of bins, and whether a log scale suits them.

    Bins are those of Rice's rule for what lies between the first and the last hundredth, and as many more
    of the same width as the rest needs.
    """
    low, high = lengths.min(), lengths.max()
    bins = max(2 * (len(lengths) / n_parts) ** (1 / 3), 5)
    skewed = _is_skewed(lengths)
    if skewed:
        lengths = np.log(np.maximum(lengths, 1))
        low = max(low, 1)
    begin, end = np.percentile(lengths, (1, 99))
    if skewed:
        step = max((end - begin) / bins, np.log(high / low) / MOST_BINS)
        # Whole numbers, so that no bin is without a length that could fall into it.
        edges = np.exp(np.arange(np.log(low), np.log(high + 1) + step, step)).round()
        return np.unique(edges) - 0.5, True
    step = max(round((end - begin) / bins), 1, -(-(high - low + 1) // MOST_BINS))
    return np.arange(low, high + step + 1, step) - 0.5, False


def _is_skewed(lengths: np.ndarray) -> bool:
    """Tell whether a log scale suits lengths."""
    low, median, high = lengths.min(), np.median(lengths), lengths.max()
    return bool(high > 10 and high - median > 3 * (median - low))


def _log_scale(ax, format: str) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    ax.xaxis.set_major_formatter(format)
    ax.xaxis.set_minor_formatter(NullFormatter())
