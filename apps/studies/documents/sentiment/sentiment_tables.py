"""Tables of what was found."""

import numpy as np

from ....common.html_pages import shorten
from ....sentiment.measures.term_effects import shown_term, top_words
from ...report.study_report import Table
from .plane_claims import accuracy_of
from .plane_experiments import Surfaces
from .text_claims import NAMES
from .text_comparison import ARTICLE, Comparison
from .text_experiments import ALPHAS, TUNED, WORDS, TextFindings

SHOWN = 90  # characters of a text
LENGTHS = ("mean", "quartile_1", "median", "quartile_3", "maximum")
CLASSIFIER_COLUMNS = (
    *("classifier", "first split", "accuracy", "low", "high", "worst", "best"),
    *("behind best", "behind, low", "behind, high", "CPU s"),
)


# fmt: off
def of_texts(found: TextFindings) -> list[Table]:
    """Return the tables of the corpus."""
    return [
        Table("classifiers", "Accuracy and time",
              "Means over the splits with 95 % intervals (Nadeau and Bengio's); the first split is the "
              "article's. CPU seconds from texts to a model, the median.",
              CLASSIFIER_COLUMNS, _classifier_rows(found.comparison),
              source="figures f41 to f43"),
        Table("first-rows", "The first rows of the corpus", "Label and the beginning of the text.",
              ("label", "text"), [[label, shorten(text, SHOWN)] for label, text in found.first],
              source="figure f37"),
        Table("lengths", "Lengths in words, by label", "Of all texts of the corpus.",
              ("label", "texts", "mean", "25 %", "median", "75 %", "most"),
              [[part["label"] or "all", part["n_texts"], *(part["tokens"][name] for name in LENGTHS)]
               for part in found.description.lengths],
              source="figures f38, f39"),
        Table("words", "Top words", "Weights of the models to the letter, on the article's split.",
              ("classifier", "label", "word", "weight"),
              [[NAMES[name], label, shown_term(word), weight]
               for name in ARTICLE for label, words in top_words(found.trained[name], WORDS).items()
               for word, weight in words],
              shown=False, source="figures f41 to f43"),
        Table("lambda", "Accuracy by lambda", "Over the splits; to the letter but for lambda.",
              ("classifier", "lambda", "accuracy", "worst", "best"),
              [[NAMES[name], alpha, *map(float, (row.mean(), row.min(), row.max()))]
               for name, table in zip(TUNED, found.accuracies, strict=True)
               for alpha, row in zip(ALPHAS.tolist(), table, strict=True)],
              shown=False),
    ]
# fmt: on


def _classifier_rows(known: Comparison) -> list[list]:
    best = known.accuracies[known.accuracies.mean(axis=1).argmax()]
    return [
        [str(name), accuracies[0], *known.statistic(accuracies), accuracies.min(), accuracies.max(),
         *known.statistic(best - accuracies), np.median(seconds)]
        for name, accuracies, seconds in zip(known.names, known.accuracies, known.seconds, strict=True)
    ]  # fmt: skip


def of_planes(planes: list[Surfaces]) -> Table:
    """Return the table of the points in the plane."""
    rows = []
    for each in planes:
        times = 1e3 * np.percentile(each.seconds, (2.5, 50, 97.5))
        accuracies = each.accuracies
        ends = accuracy_of(each)[1:]
        sizes = len(accuracies), each.n_train, each.n_test
        rows.append([each.plane.title, *sizes, float(accuracies.mean()), *ends, float(accuracies.min())])
        rows[-1] += [float(times[1]), float(times[0]), float(times[2])]
    header = ("points", "runs", "trained on", "held out", "accuracy", "low", "high", "worst")
    return Table(
        "planes",
        "Points in the plane",
        "Mean accuracy with its 95 % interval, and CPU milliseconds of a fit: median, and the middle 95 %.",
        (*header, "ms", "ms, 2.5 %", "ms, 97.5 %"),
        rows,
        source="sections 1 to 3",
    )
