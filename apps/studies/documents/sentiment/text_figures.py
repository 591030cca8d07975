"""The figures of the classifiers of texts, and of the texts."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ....common.matplotlib_figures import OKABE_ITO
from ....common.printing import shortened
from ....sentiment.jobs.corpus_description import CorpusDescription
from ....sentiment.measures.term_effects import top_words
from ....sentiment.output.top_words_output import draw_top_words, size_of_top_words
from ...report.study_report import Figure
from ..output.study_charts import (
    LOG_LOG,
    Across,
    BandKey,
    Bars,
    ChartPart,
    Curve,
    Dots,
    Panel,
    chart,
    named_rows,
)
from ..output.study_colors import BLUE, GREEN, VERMILION
from . import text_experiments as texts
from .text_claims import LAMBDAS, NAMES
from .text_comparison import ARTICLE, Comparison

FAINT = {"alpha": 0.5, "markersize": 3, "markeredgewidth": 0}


# fmt: off
def text_figures(found: texts.TextFindings) -> list[Figure]:
    """Return the figures."""
    known, description = found.comparison, found.description
    labels, counts = zip(*description.label_counts.items(), strict=True)
    return [
        Figure("classifiers", "How accurate the classifiers are, and how long they take",
               "The article's three as averages and to the letter, and two others for scale. The middle "
               "panel has paired differences.",
               chart(_comparison_panels(known), legend=2, sharey=True, width_ratios=(3, 3, 2)),
               size=(11.0, 2.2 + 0.5 * len(known.names)), source="figures f41 to f43"),
        Figure("lambda", "What lambda does",
               "Mean accuracy over the splits.",
               chart([Panel(*_tuning_curves(found), legend=True, title="accuracy by lambda",
                            xscale="log", xlabel="lambda (log scale)",
                            ylabel="accuracy on held-out texts")])),
        Figure("lengths", "How long the texts are", "Shares of each label's texts.",
               chart([_length_histogram(description, description.token_counts, description.unit),
                      _length_histogram(description, description.character_counts, "characters")],
                     legend=len(labels)),
               size=(10.0, 4.6), source="figure f38"),
        Figure("labels", "How many texts have each label", "Texts of the corpus.",
               chart([Panel(Bars(labels, counts, [*OKABE_ITO.values()][:len(counts)], across=True,
                                 notes=[f"{count:,}" for count in counts]),
                            title="texts of each label", xlabel="texts", xlim=(0, 1.15 * max(counts)))]),
               size=(5.0, 2.2), source="figure f39"),
        Figure("columns", "How the bag of words grows",
               "Different words in the first texts, in ten random orders of them; beyond the corpus, what "
               "the last doublings lead to.",
               chart([Panel(*_vocabulary_growth(found), legend=True, title="different words by texts",
                            xlabel="texts (log scale)",
                            ylabel="different words (log scale)", **LOG_LOG)])),
        *(Figure(f"words-{name}", f"Top words of the {NAMES[name]}",
                 "The highest and the lowest weights of the model to the letter, on the article's split.",
                 partial(draw_top_words, words=words), size=size_of_top_words(words),
                 source="figures f41 to f43")
          for name in ARTICLE for words in [top_words(found.trained[name], texts.WORDS)]),
    ]
def _comparison_panels(known: Comparison) -> list[Panel]:
    """Return how accurate each classifier is, how far behind the best, and how long it takes, a row each."""
    rows, n = np.arange(len(known.names)), known.seconds.shape[1]
    accuracies = [known.statistic(values) for values in known.accuracies]
    best = known.accuracies[known.accuracies.mean(axis=1).argmax()]
    behind = [known.statistic(best - values) for values in known.accuracies]
    medians = np.median(known.seconds, axis=1)
    return [
        Panel(*(_single_runs(values, row) for row, values in enumerate(known.accuracies)),
              Dots(accuracies, rows, GREEN, "mean, or median time",
                   notes=[f"{s.value:.3f}" for s in accuracies]),
              xlabel="accuracy on the held-out texts", title=f"mean of {n} splits, 95 % interval",
              **named_rows(known.names.tolist())),
        Panel(Dots(behind, rows, GREEN, notes=[f"{s.value:.3f}" if s.value else "best" for s in behind]),
              Across("x", 0, "0.3"), xlabel="accuracy that the best one has more", xmargin=0.08,
              title="on the same splits, 95 % interval"),
        Panel(*(_single_runs(values, row) for row, values in enumerate(known.seconds)),
              Dots([(value,) * 3 for value in medians], rows, GREEN,
                   notes=[f"{value:.2g} s" for value in medians]),
              xlabel="CPU seconds from texts\nto a model (log scale)", xscale="log",
              xlim=(known.seconds.min() / 2, 2 * medians.max()), title=f"median of {n} splits"),
    ]
# fmt: on


def _single_runs(values: Sequence[float], row: int) -> Curve:
    """Return dots of single runs below a row, next to each other so that equal ones can be told apart."""
    places = row + 0.18 + np.linspace(0, 0.14, len(values))
    return Curve(values, places, "0.25", "" if row else "single splits", "o", FAINT)


def _tuning_curves(found: texts.TextFindings) -> list[ChartPart]:
    parts: list[ChartPart] = []
    for name, colour, table in zip(texts.TUNED, (BLUE, VERMILION), found.accuracies, strict=True):
        band = np.stack([table.mean(axis=1), table.min(axis=1), table.max(axis=1)], axis=1)
        parts += [
            Curve(texts.ALPHAS, band, colour, NAMES[name], "o-"),
            Across("x", LAMBDAS[name], colour, "--", f"{NAMES[name]}, the article's lambda"),
        ]
    parts.append(BandKey("worst to best split"))
    return parts


def _length_histogram(description: CorpusDescription, lengths: np.ndarray, unit: str) -> Panel:
    """Return how often lengths occur, as many bins as Rice's rule has, on a log scale."""
    some = lengths[lengths > 0]
    counts = description.label_counts
    bins = 2 * (len(lengths) / len(counts)) ** (1 / 3)
    edges = np.unique(np.geomspace(some.min(), some.max() + 1, max(int(bins), 5)).round()) - 0.5
    curves = []
    for number, (label, colour) in enumerate(zip(counts, OKABE_ITO.values(), strict=False)):
        own = lengths[description.codes == number]  # labels go by their frequency
        shares = 100 * np.histogram(own, edges)[0] / len(own) / np.diff(np.log2(edges))
        name = f"“{shortened(label, 30)}” ({counts[label]:,} texts)"
        curves.append(Curve(edges, [*shares, shares[-1]], colour, name, options={"drawstyle": "steps-post"}))
    without = len(lengths) - len(some)
    left_out = f"\n({without:,} texts have none and are left out)" if without else ""
    return Panel(
        *curves,
        title=f"length in {unit}",
        xscale="log",
        xlabel=f"length in {unit} (log scale){left_out}",
        ylabel="% of the label's texts\nbetween a length and twice that length",
        ylim=(0, None),
    )


def _vocabulary_growth(found: texts.TextFindings) -> list[ChartPart]:
    parts = [Curve(found.sizes, columns, BLUE, options={"alpha": 0.3}) for columns in found.columns[1:]]
    parts.append(Curve(found.sizes, found.columns[0], BLUE, "one order of the texts", options={"alpha": 0.3}))
    parts.append(Curve(found.sizes, found.columns.mean(axis=0), BLUE, "mean of ten orders", "o"))
    if found.corpus.is_articles:
        ends = texts.expected_columns(found.sizes, found.columns, texts.ARTICLES_TRAINING)
        n, columns, large = [texts.ARTICLES_TRAINING], [texts.ARTICLES_COLUMNS], {"markersize": 10}
        parts.append(Curve(n * 2, ends, GREEN, "expected", "_-", large))
        parts.append(Curve(n, columns, VERMILION, "the article's", "x", large))
    return list(parts)
